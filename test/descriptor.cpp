// Descriptors of every layout and section, to bytes and back. What is refused is in the corruption
// table; the bytes of the reference are in golden.cpp.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"

namespace {

using namespace hurray_test;
using hurray::descriptor;
using hurray::element_type;
using hurray::layout;
using hurray::mode;

struct named_descriptor {
    std::string name;
    descriptor d;
};

descriptor of(layout l, element_type t, std::vector<std::uint64_t> shape,
              hurray::layout_fields fields, std::vector<std::uint64_t> const& sizes) {
    descriptor d{.layout = l,
                 .element_type = t,
                 .shape = std::move(shape),
                 .fields = std::move(fields),
                 .buffers = {}};
    for (auto const size : sizes) d.buffers.push_back({.byte_size = size});
    return d;
}

descriptor csr() {
    return of(layout::csr, element_type::float32, {4, 5}, {.nnz = 5}, {20, 40, 40});
}

descriptor quantized(element_type t, std::vector<std::uint64_t> shape,
                     hurray::quantization const& q, std::vector<std::uint64_t> const& sizes) {
    auto d = of(layout::row_major, t, std::move(shape), {}, sizes);
    d.quantization = q;
    return d;
}

hurray::layout_fields tiles(std::size_t deep) {
    hurray::layout_fields fields;
    for (std::size_t i = 0; i < deep; ++i)
        fields.tiles.push_back({{4, 4}, layout::row_major, layout::tiled, {}, {}});
    fields.tiles.back().inner = layout::column_major;
    return fields;
}

/// One of everything that strict mode takes.
std::vector<named_descriptor> everything() {
    using namespace hurray;
    auto const f32 = element_type::float32;
    std::vector<named_descriptor> all{
        {"row-major", of(layout::row_major, f32, {3, 4}, {}, {48})},
        {"scalar", of(layout::row_major, f32, {}, {}, {4})},
        {"empty", of(layout::row_major, f32, {0, 4}, {}, {0})},
        {"rank 64", of(layout::row_major, f32, std::vector<std::uint64_t>(64, 1), {}, {4})},
        {"column-major", of(layout::column_major, f32, {3, 4}, {}, {48})},
        {"strided", of(layout::strided, f32, {3, 4}, {.strides = {8, 1}}, {80})},
        {"tiled", of(layout::tiled, f32, {8, 8}, tiles(1), {256})},
        {"tiled 8 deep", of(layout::tiled, f32, {8, 8}, tiles(8), {256})},
        {"Morton", of(layout::morton, f32, {4, 4}, {.bits = {2, 2}}, {64})},
        {"COO", of(layout::coo, f32, {4, 5, 6}, {.nnz = 3, .sorted = true}, {12, 72})},
        {"CSR", csr()},
        {"CSC", of(layout::csc, f32, {4, 5}, {.nnz = 5}, {20, 40, 48})},
        {"CSF", of(layout::csf, f32, {4, 5, 6}, {.nnz = 3, .mode_order = {2, 0, 1}},
                   {12, 16, 16, 24, 24, 32, 24})},
        {"block-paged",
         of(layout::block_paged, f32, {2, 3, 4}, {.paged = {16, 5, 2}}, {960, 20, 12})},
        {"block-paged, u64",
         of(layout::block_paged, f32, {2, 3, 4}, {.paged = {16, 5, 2, 1, 7, 1}}, {960, 40, 24})},
        {"composite partition", of(layout::composite, f32, {8, 8}, {.composite = {1, 0, 2}}, {})},
        {"composite overlay", of(layout::composite, f32, {8, 8}, {.composite = {2, 1, 2}}, {})},
        {"composite group", of(layout::composite, f32, {8, 8}, {.composite = {3, 0, 0}}, {})},
        {"Hilbert", of(layout::hilbert, f32, {8, 8}, {.order = 3}, {256})},
        {"per-tensor", quantized(element_type::int8, {16}, {per_tensor_affine{0.5f, -3}}, {16})},
        {"padded quantization",
         quantized(element_type::int8, {16}, {per_tensor_affine{0.5f, -3}, 8}, {16})},
        {"per-channel", quantized(element_type::int8, {4, 16}, {per_channel_affine{false, 0, 1, 2}},
                                  {64, 16, 16})},
        {"per-channel symmetric", quantized(element_type::int8, {4, 16},
                                            {per_channel_affine{true, 0, 1, no_buffer}}, {64, 16})},
        {"per-block",
         quantized(element_type::int4, {4, 16},
                   {per_block_affine{true, 1, 8, 1, no_buffer, element_type::float16}}, {32, 16})},
        {"NF4", quantized(element_type::uint4, {4, 16}, {nf4{1, 8, 1}}, {32, 32})},
        {"MXFP", quantized(element_type::float4_e2m1, {4, 32}, {mxfp{1, 32, 1}}, {64, 4})},
    };
    auto with = csr();
    with.shard = shard{{8, 5}, {4, 0}};
    all.push_back({"shard", with});
    with.statistics = statistics{.nnz = 5,
                                 .sparsity_ratio = 0.75,
                                 .values = {{-1, 5, 5}},
                                 .distribution = {{0.5, 1}},
                                 .pattern = {{2, 4}},
                                 .special = {{true, false}}};
    all.push_back({"shard and statistics", with});
    with.member = composite_role::base;
    all.push_back({"shard, statistics and member", with});
    with = csr();
    with.statistics = statistics{};
    all.push_back({"statistics of nothing", with});
    with.buffers[0].alignment = 4096;
    with.buffers[1].memory_class = with.buffers[0].memory_class = with.buffers[2].memory_class = 1;
    all.push_back({"handles of another kind", with});
    auto extended = of(layout::row_major, static_cast<element_type>(0xF3), {8}, {}, {4});
    extended.extension = extension_type{.bit_width = 4,
                                        .packing_factor = 2,
                                        .is_float = true,
                                        .sign_bits = 1,
                                        .exponent_bits = 2,
                                        .mantissa_bits = 1,
                                        .exponent_bias = 1,
                                        .has_nan = true};
    all.push_back({"extension type", extended});
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(descriptor)

BOOST_AUTO_TEST_CASE(decode_and_encode_are_inverses) {
    for (auto const& [name, d] : everything()) {
        auto const all = d.encode();
        for (auto const m : {mode::strict, mode::permissive}) BOOST_TEST_CONTEXT(name) {
                auto const back = hurray::descriptor::decode(all, m);
                BOOST_REQUIRE(back.has_value());
                BOOST_TEST((back->layout == d.layout));
                BOOST_TEST((back->element_type == d.element_type));
                BOOST_TEST((back->shape == d.shape));
                BOOST_TEST(back->byte_offset == d.byte_offset);
                BOOST_TEST((back->fields == d.fields));
                BOOST_TEST((back->buffers == d.buffers));
                BOOST_TEST((back->shard == d.shard));
                BOOST_TEST((back->statistics == d.statistics));
                BOOST_TEST((back->extension == d.extension));
                BOOST_TEST((back->member == d.member));
                BOOST_TEST(back->quantization.has_value() == d.quantization.has_value());
                if (d.quantization) {
                    BOOST_TEST(back->quantization->scheme.index() ==
                               d.quantization->scheme.index());
                    BOOST_TEST(back->quantization->padding == d.quantization->padding);
                }
                BOOST_TEST(back->notes.empty());
                BOOST_TEST(hex(back->encode()) == hex(all));
            }
    }
}

// never a read past the end, whatever is missing.
BOOST_AUTO_TEST_CASE(R_074_every_prefix_is_refused) {
    for (auto const& [name, d] : everything()) {
        auto const all = d.encode();
        for (std::size_t n = 0; n < all.size(); ++n) {
            bytes const cut(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
            auto told = cut;  // as cut, but with a length that says so
            if (n >= 20) told[6] = static_cast<std::byte>(n), told[7] = std::byte(n >> 8);
            for (auto const m : {mode::strict, mode::permissive}) {
                BOOST_TEST(!hurray::descriptor::decode(cut, m).has_value(), name << " " << n);
                BOOST_TEST(!hurray::descriptor::decode(told, m).has_value(), name << " " << n);
            }
        }
    }
}

// One bit wrong anywhere: strict takes no more than permissive, and what both take is the same.
BOOST_AUTO_TEST_CASE(what_strict_accepts_permissive_accepts_too) {
    std::size_t both = 0, one = 0, none = 0;
    for (auto const& [name, d] : everything()) {
        auto all = d.encode();
        if (all.size() > 200) continue;  // rank 64 says nothing new
        for (std::size_t bit = 0; bit < 8 * all.size(); ++bit) {
            all[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            auto const strict = hurray::descriptor::decode(all, mode::strict);
            auto const permissive = hurray::descriptor::decode(all, mode::permissive);
            if (strict) {
                BOOST_REQUIRE_MESSAGE(permissive.has_value(), name << ", bit " << bit);
                BOOST_TEST(hex(strict->encode()) == hex(permissive->encode()));
                BOOST_TEST(permissive->notes.empty());
            }
            ++(strict ? both : permissive ? one : none);
            all[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        }
    }
    BOOST_TEST(both > 0u);
    BOOST_TEST(one > 0u);
    BOOST_TEST(none > both);
}

BOOST_AUTO_TEST_CASE(R_080_R_084_permissive_mode_lists_what_it_does_not_know) {
    auto unknown_type = csr().encode();
    unknown_type[14] = std::byte{0x30};
    BOOST_TEST(hurray::descriptor::decode(unknown_type).error().code ==
               hurray::errc::unknown_element_type);
    BOOST_TEST(hurray::descriptor::decode(unknown_type, mode::permissive).has_value());

    auto unknown_layout = csr().encode();
    unknown_layout[15] = std::byte{0x20};
    BOOST_TEST(hurray::descriptor::decode(unknown_layout).error().code ==
               hurray::errc::unknown_layout);
    auto const listed = hurray::descriptor::decode(unknown_layout, mode::permissive).value();
    BOOST_TEST((listed.shape == std::vector<std::uint64_t>{4, 5}));
    BOOST_TEST((listed.fields == hurray::layout_fields{}));
    BOOST_TEST(listed.buffers.empty());
    BOOST_TEST(listed.notes.size() == 1u);

    auto own = of(static_cast<layout>(0xF5), element_type::float32, {4, 5},
                  {.private_id = 77, .private_fields = to_bytes("private")}, {80});
    BOOST_TEST(hurray::descriptor::decode(own.encode()).error().code ==
               hurray::errc::unknown_layout);
    auto const known = hurray::descriptor::decode(own.encode(), mode::permissive).value();
    BOOST_TEST((known.fields == own.fields));
    BOOST_TEST(known.buffers.size() == 1u);
    BOOST_TEST(hex(known.encode()) == hex(own.encode()));
}

BOOST_AUTO_TEST_CASE(what_it_computes) {
    BOOST_TEST(csr().nnz().value() == 5u);
    BOOST_TEST(!everything()[0].d.nnz().has_value());
    BOOST_TEST(!csr().has_dynamic_dimension());
    auto open = csr();
    open.shape[1] = hurray::dynamic;
    BOOST_TEST(open.has_dynamic_dimension());
    BOOST_TEST(csr().bytes_of(5).value() == 20u);
    BOOST_TEST(!csr().bytes_of(~std::uint64_t{0}).has_value());
    auto extended = csr();
    extended.extension = hurray::extension_type{.bit_width = 2, .packing_factor = 4};
    BOOST_TEST(extended.bytes_of(5).value() == 2u);
    extended.extension->bit_width = 24;
    BOOST_TEST(extended.bytes_of(5).value() == 15u);
    BOOST_TEST(!extended.bytes_of(~std::uint64_t{0}).has_value());
    extended.extension->bit_width = 12;
    BOOST_TEST(!extended.bytes_of(5).has_value());
    BOOST_TEST(hurray::name(layout::csr) == "csr");
    BOOST_TEST(hurray::name(static_cast<layout>(0x20)) == "");
}

// What belongs to other layouts is not written.
BOOST_AUTO_TEST_CASE(the_layout_says_which_fields_count) {
    hurray::layout_fields const all{
        .nnz = 5,
        .sorted = true,
        .mode_order = {1, 0},
        .strides = {5, 1},
        .tiles = {{{4, 4}, layout::strided, layout::row_major, {4, 1}, {}}},
        .bits = {2, 3},
        .order = 3,
        .paged = {2, 2, 2},
        .composite = {2, 1, 2},
        .private_id = 77,
        .private_fields = to_bytes("private")};
    for (auto const& [name, d] : everything()) {
        if (d.layout != layout::csr && d.layout != layout::row_major) continue;
        auto more = d;
        auto const nnz = d.fields.nnz;
        more.fields = all;
        more.fields.nnz = nnz;
        BOOST_TEST(hex(more.encode()) == hex(d.encode()), name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
