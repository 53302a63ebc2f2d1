#include "type_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

constexpr auto graphblas = std::to_array<std::pair<element_type, std::string_view>>({
    {element_type::boolean, "bool"},
    {element_type::int8, "int8_t"},
    {element_type::int16, "int16_t"},
    {element_type::int32, "int32_t"},
    {element_type::int64, "int64_t"},
    {element_type::uint8, "uint8_t"},
    {element_type::uint16, "uint16_t"},
    {element_type::uint32, "uint32_t"},
    {element_type::uint64, "uint64_t"},
    {element_type::float32, "float"},
    {element_type::float64, "double"},
    {element_type::complex64, "float complex"},
    {element_type::complex128, "double complex"},
});

}  // namespace

std::string_view graphblas_name(element_type type) noexcept {
    for (auto const& [known, name] : graphblas)
        if (known == type) return name;
    return {};
}

std::optional<element_type> type_of_graphblas(std::string_view name) noexcept {
    for (auto const& [type, known] : graphblas)
        if (known == name) return type;
    return std::nullopt;
}

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (auto const type : element_types) names.emplace_back(name(type));
    return names;
}

element_type type_named(std::string const& wanted) {
    if (auto const type = element_type_named(wanted)) return *type;
    auto const known = type_names();
    auto text = "there is no element type " + in_quotes(wanted) + '.' +
                did_you_mean(wanted, known) + " The types are\n";
    std::size_t column = 0;
    for (auto const& name : known) {
        constexpr std::size_t widest = 78;
        auto const breaks = column + 2 + name.size() > widest;
        text += (column == 0 ? "  " : breaks ? "\n  " : " ") + name;
        column = (breaks || column == 0 ? 1 : column) + 1 + name.size();
    }
    throw stop(status::wrong_usage, text);
}

}  // namespace hurray::tool
