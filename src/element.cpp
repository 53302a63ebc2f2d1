#include <hurray/element.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace {

struct named_type {
    element_type type;
    std::string_view name;
};

constexpr std::array<named_type, element_types.size()> names = {{
    {element_type::float16, "float16"},
    {element_type::bfloat16, "bfloat16"},
    {element_type::float32, "float32"},
    {element_type::float64, "float64"},
    {element_type::int8, "int8"},
    {element_type::uint8, "uint8"},
    {element_type::int16, "int16"},
    {element_type::uint16, "uint16"},
    {element_type::int32, "int32"},
    {element_type::uint32, "uint32"},
    {element_type::int64, "int64"},
    {element_type::uint64, "uint64"},
    {element_type::boolean, "bool"},
    {element_type::float8_e4m3, "float8_e4m3"},
    {element_type::float8_e5m2, "float8_e5m2"},
    {element_type::float8_e8m0, "float8_e8m0"},
    {element_type::float4_e2m1, "float4_e2m1"},
    {element_type::float6_e2m3, "float6_e2m3"},
    {element_type::float6_e3m2, "float6_e3m2"},
    {element_type::float128, "float128"},
    {element_type::int4, "int4"},
    {element_type::uint4, "uint4"},
    {element_type::int2, "int2"},
    {element_type::uint2, "uint2"},
    {element_type::complex64, "complex64"},
    {element_type::complex128, "complex128"},
}};

}  // namespace

std::string_view name(element_type type) noexcept {
    for (auto const& entry : names)
        if (entry.type == type) return entry.name;
    return {};
}

std::optional<element_type> element_type_named(std::string_view name) noexcept {
    for (auto const& entry : names)
        if (entry.name == name) return entry.type;
    return std::nullopt;
}

}  // namespace v0
}  // namespace hurray
