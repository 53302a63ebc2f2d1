// Rules that no damage can show: what must be accepted, what views promise, what is written.

#include "samples.hpp"

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "corruption.hpp"

namespace {

using namespace hurray_test;
using hurray::element_type;
using hurray::errc;
using hurray::error;
using hurray::file_view;
using hurray::layout;
using hurray::mode;

constexpr std::uint64_t most = ~std::uint64_t{0};

template<class T> std::string why(hurray::result<T> const& r) {
    return r ? std::string() : r.error().message();
}

hurray::descriptor empty_matrix(std::uint64_t rows = 4, std::uint64_t columns = 5) {
    return make::matrix(layout::csr, element_type::float32, rows, columns, 0);
}

/// Opens, describes, views and verifies in strict mode and in permissive mode, and tells exactly
/// these notes in strict mode.
void check_accepted(bytes const& file, std::vector<std::pair<errc, std::uint64_t>> notes = {}) {
    for (auto const mode : {mode::strict, mode::permissive}) {
        auto const found = look_at(file, mode);
        BOOST_TEST((found.at == stage::accepted), name(found.at) << ": " << found.error.message());
        if (mode == mode::permissive) continue;
        std::vector<std::pair<errc, std::uint64_t>> told;
        for (auto const& n : found.notes)
            told.emplace_back(static_cast<errc>(n.code.value()), n.offset);
        BOOST_TEST((told == notes), told.size() << " notes");
    }
}

bytes edited(bytes file, std::vector<edit> edits) {
    return corruption{.what = {},
                      .from = [&] { return file; },
                      .edits = std::move(edits),
                      .at = {},
                      .code = {},
                      .where = {}}
        .file();
}

bool same_matrix(file_view const& file) {
    auto const m = file.csr<float>("m").value();
    std::array const values{1.f, 2.f, 3.f, 4.f, 5.f};
    std::array<std::uint64_t, 5> const indices{0, 3, 2, 1, 4};
    return std::equal(values.begin(), values.end(), m.values().begin(), m.values().end()) &&
           std::equal(indices.begin(), indices.end(), m.indices().begin(), m.indices().end());
}

hurray::tensor describe(bytes const& file, std::string_view name, mode mode = mode::strict) {
    auto const opened = file_view::parse(file, {.mode = mode}).value();
    return opened.describe(name).value();
}

template<class T> hurray::result<hurray::csr_view<T>> csr(bytes const& file, std::string_view name,
                                                          mode mode = mode::strict) {
    auto const opened = file_view::parse(file, {.mode = mode}).value();
    return opened.csr<T>(name);
}

/// The worked example with a descriptor of another minor, `extra` bytes longer.
bytes longer_example(unsigned minor, std::uint64_t extra) {
    auto const file = worked_example();
    auto const t = map_of(file).tensors.at(0);
    auto descriptor = byte_writer().put(std::span(file).subspan(64, 109)).take();
    descriptor.resize(109 + extra, std::byte{0xAB});
    put_number(descriptor, 5, minor, 1);
    put_number(descriptor, 6, descriptor.size(), 4);
    std::vector<bytes> buffers;
    for (auto const& b : t.buffers) {
        auto const run = std::span(file).subspan(b.offset, b.length);
        buffers.emplace_back(run.begin(), run.end());
    }
    return file_builder().tensor("m", descriptor, buffers).build();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rules)

// the same numbers, byte by byte, lowest first.
BOOST_AUTO_TEST_CASE(R_001_little_endian) {
    auto const file = two_matrices();
    BOOST_TEST(number_at(file, 16, 4) == 4096u);
    BOOST_TEST((file[17] == std::byte{0x10} && file[16] == std::byte{}));
    auto const map = map_of(file);
    auto const value = map.tensors[0].buffers[0].offset;
    BOOST_TEST(number_at(file, value, 4) == std::bit_cast<std::uint32_t>(1.f));
    BOOST_TEST(number_at(file, map.tensors[0].buffers[1].offset + 8, 8) == 3u);
}

BOOST_AUTO_TEST_CASE(R_017_no_hint_is_relied_on) {
    check_accepted(edited(two_matrices(), {u64(byte_at(28), 2)}));
    for (std::uint64_t const hint :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, most - 1})
        check_accepted(edited(two_matrices(), {u64(byte_at(28), hint)}),
                       {{errc::tensor_count_hint_differs, 28}});
}

// C-11: what is reserved at minor 0 may mean something at a later one.
BOOST_AUTO_TEST_CASE(R_008_R_178_a_later_container_minor) {
    auto file = edited(two_matrices(), {u8(byte_at(9), 1)});
    check_accepted(file);
    file = edited(file, {u8(byte_at(11), 1), u8(byte_at(63), 1), u8(trailer(35), 1)});
    check_accepted(file);
    auto const unknown = file_view::parse(edited(file, {u32(byte_at(12), 0x80000005)}));
    BOOST_TEST((unknown.error().code == errc::unknown_file_flags));
}

BOOST_AUTO_TEST_CASE(R_070_R_072_R_075_R_178_a_later_descriptor_minor) {
    for (std::uint64_t const extra : {0, 1, 24, 5000}) {
        auto const file = longer_example(1, extra);
        check_accepted(file);
        BOOST_TEST(same_matrix(file_view::parse(file).value()));
    }
    // each version by itself.
    check_accepted(edited(worked_example(), {u8(byte_at(9), 7)}));
    check_accepted(edited(worked_example(), {u8(in_descriptor(5), 7)}));
}

BOOST_AUTO_TEST_CASE(R_177_minor_0_is_read) { check_accepted(longer_example(0, 0)); }

// every file of the reference has its key-values unannounced.
BOOST_AUTO_TEST_CASE(key_values_without_their_flag_are_noted) {
    check_accepted(edited(two_matrices(), {u32(byte_at(12), 4)}),
                   {{errc::metadata_flag_wrong, 12}});
}

BOOST_AUTO_TEST_CASE(R_025_no_checksum_is_not_verified) {
    auto const file =
        edited(two_matrices(), {unsealed(u32(byte_at(12), 1)), unsealed(u32(trailer(28), 0))});
    check_accepted(file);
    auto const renamed = edited(file, {u8(entry(2), 'z')});
    auto const opened = file_view::parse(renamed).value();
    BOOST_TEST(opened.tensors()[0].name == "z");
}

// up to 8 or up to the alignment; A-17: any other gap below one unit is noted.
BOOST_AUTO_TEST_CASE(R_051_padding_after_the_last_buffer) {
    auto const with_gap = [](std::uint64_t gap) {
        return file_builder()
            .tensor("a", empty_matrix())
            .gap(gap)
            .tensor("b", empty_matrix())
            .build();
    };
    check_accepted(with_gap(0));
    check_accepted(with_gap(4096 - 40));
    check_accepted(with_gap(64), {{errc::sections_out_of_order, 4136}});
    check_accepted(with_gap(4088), {{errc::sections_out_of_order, 4136}});
    check_accepted(file_builder().gap(8).build(), {{errc::sections_out_of_order, 64}});
}

//
BOOST_AUTO_TEST_CASE(R_091_R_118_empty_tensors) {
    for (auto const& [rows, columns] : {std::pair(0, 5), {5, 0}, {0, 0}, {4, 5}})
        for (auto const l : {layout::csr, layout::csc})
            check_accepted(
                file_of(make::matrix(l, element_type::float32, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), 0)));
    auto const nothing = make::dense(element_type::float32, {0, 4});
    check_accepted(file_of(nothing));
    check_accepted(file_builder()
                       .tensor_without_place("a", nothing)
                       .tensor("b", empty_matrix())
                       .tensor_without_place("c", nothing)
                       .build());
    // Its place may be one that the file does not reach.
    auto const alone = file_builder().tensor_without_place("a", nothing).build();
    check_accepted(edited(alone, {u64(data_offset(), 4096)}));
    for (std::uint32_t const alignment : {1, 2, 32}) {
        auto d = empty_matrix();
        d.buffers[0].alignment = d.buffers[1].alignment = alignment;
        check_accepted(file_of(d));
    }
}

BOOST_AUTO_TEST_CASE(heads_with_and_without_padding) {
    auto const head = make::composite(3, 0);
    check_accepted(file_builder().tensor("h", head).tensor("a", empty_matrix()).build());
    auto const end = map_of(file_of(head)).tensors.at(0).descriptor.end();
    auto const rest = 4096 - (end + 7) / 8 * 8;
    auto const padded =
        file_builder().tensor("h", head).gap(rest).tensor("a", empty_matrix()).build();
    check_accepted(padded);
    check_accepted(edited(padded, {u64(data_offset(0), 4096)}));
}

//
BOOST_AUTO_TEST_CASE(small_and_odd_files) {
    for (std::uint64_t const first : {std::uint64_t{64}, std::uint64_t{72}, most - 7})
        check_accepted(edited(file_builder().build(), {u64(byte_at(20), first)}));
    BOOST_TEST(file_builder().build().size() == 112u);
    for (unsigned tag = 1; tag <= 6; ++tag)
        check_accepted(file_of_value(7, byte_writer().u8(tag).u32(0).take()));
    check_accepted(file_builder().metadata(byte_writer().u32(0).take()).build());
    using namespace std::string_literals;
    for (auto const& name :
         {"\0"s, "../../x"s, "/"s, "\xF4\x8F\xBF\xBF"s, std::string(65535, 'n')}) {
        auto const file = file_builder().tensor(name, empty_matrix()).build();
        check_accepted(file);
        BOOST_TEST(describe(file, name).buffers.size() == 3u);
    }
    for (std::uint32_t const alignment : {4096u, 8192u, 65536u, 2097152u})
        check_accepted(file_builder(alignment).tensor("a", empty_matrix()).build());
}

BOOST_AUTO_TEST_CASE(R_021_no_name_is_lost_in_an_index_wrongly_called_sorted) {
    file_builder builder;
    for (auto const* const name : {"m", "z", "a", "k", "b"}) builder.tensor(name, empty_matrix());
    auto const file = builder.flags(6).build();
    BOOST_TEST((file_view::parse(file).error().code == errc::index_not_sorted));
    auto const opened = file_view::parse(file, {.mode = mode::permissive}).value();
    for (auto const* const name : {"m", "z", "a", "k", "b"})
        BOOST_TEST(
            (opened.catalog().find(name) != nullptr && opened.catalog().find(name)->name == name));
}

BOOST_AUTO_TEST_CASE(R_047_the_only_tensor_needs_no_name) {
    auto const opened = file_view::parse(file_builder().tensor("\xC3\xA9", empty_matrix()).build());
    BOOST_TEST(opened.value().tensors().size() == 1u);
    BOOST_TEST(opened.value().tensors().front().name == "\xC3\xA9");
}

BOOST_AUTO_TEST_CASE(R_082_R_083_every_type_gives_its_values) {
    for (auto const type : hurray::element_types)
        check_accepted(one_row(type, 3, bytes(hurray::bytes_for(type, 3).value(), std::byte{1})));
}

BOOST_AUTO_TEST_CASE(R_111_what_is_not_stored_is_zero) {
    auto const file = worked_example();
    auto const m = csr<float>(file, "m").value();
    float const dense[4][5] = {{1, 0, 0, 2, 0}, {0, 0, 3, 0, 0}, {0, 4, 0, 0, 5}, {}};
    for (std::uint64_t r = 0; r < 4; ++r)
        for (std::uint64_t c = 0; c < 5; ++c) {
            BOOST_TEST(m.value(r, c) == dense[r][c]);
            BOOST_TEST(m.find(r, c).has_value() == (dense[r][c] != 0));
        }
}

// 64 is enough, wherever the bytes lie.: views show those bytes, as const.
BOOST_AUTO_TEST_CASE(R_116_R_132_R_154_views_are_of_the_bytes_given) {
    auto const file = worked_example();
    std::vector<std::byte> room(file.size() + 192);
    void* place = room.data();
    auto space = room.size();
    std::align(128, 1, place, space);
    auto* const at = static_cast<std::byte*>(place) + 64;
    std::memcpy(at, file.data(), file.size());
    auto const opened = file_view::parse({at, file.size()}).value();
    BOOST_TEST(same_matrix(opened));
    auto const m = opened.csr<float>("m").value();
    static_assert(std::is_same_v<decltype(m.values()), std::span<float const>>);
    static_assert(std::is_same_v<decltype(m.indices()), std::span<std::uint64_t const>>);
    auto const map = map_of(file);
    BOOST_TEST(
        (static_cast<void const*>(m.values().data()) == at + map.tensors[0].buffers[0].offset));
    BOOST_TEST(
        (static_cast<void const*>(m.offsets().data()) == at + map.tensors[0].buffers[2].offset));
    BOOST_TEST(std::memcmp(at, file.data(), file.size()) == 0);
}

// Rows of hostile matrices, of bytes that fit exactly: a sanitizer sees the first step outside.
BOOST_AUTO_TEST_CASE(R_107_lazy_rows_stay_inside) {
    unsigned seen = 0;
    for (auto const& row : element_corruptions()) {
        auto damaged = row.file();
        damaged.shrink_to_fit();
        for (auto const mode : {mode::strict, mode::permissive}) {
            auto const opened = file_view::parse(damaged, {.mode = mode}).value();
            auto const view = opened.csr<float>("m", hurray::lazy);
            if (!view) continue;
            float sum = 0;
            for (std::uint64_t i = 0; i < view->major(); ++i) {
                if (auto const slice = view->row(i))
                    for (auto const& e : *slice) sum += e.value;
                if (auto const slice = view->row_as_stored(i))
                    for (auto const& e : *slice) sum += e.value;
                for (std::uint64_t c = 0; c < view->minor(); ++c) (void)view->find(i, c);
            }
            ++seen;
            BOOST_TEST((sum >= 0 || sum < 0));
        }
    }
    BOOST_TEST(seen > 20u);
}

BOOST_AUTO_TEST_CASE(R_139_extension_types_are_sized_and_not_seen) {
    for (unsigned const bits : {1u, 2u, 4u, 8u, 16u, 24u, 256u}) {
        auto const file = file_of(make::extension(bits));
        check_accepted(file);
        auto const t = describe(file, "t");
        BOOST_TEST(t.descriptor.bytes_of(6).value() == (6 * bits + 7) / 8);
    }
    auto d = empty_matrix();
    d.element_type = static_cast<element_type>(0xF3);
    d.extension = make::extension(16).extension;
    auto const bytes = file_of(d);
    auto const opened = file_view::parse(bytes).value();
    auto const seen = hurray::visit(opened, "t", [](auto const&) {});
    BOOST_TEST((seen.error().code == errc::view_not_supported));
}

// blocks may be partial where their scheme says so. R-152: one buffer may hold scales and
// zero points. A-33: zeros may follow a scheme's fields.
BOOST_AUTO_TEST_CASE(R_151_R_152_quantization_that_is_legal) {
    check_accepted(file_of(make::per_block()));
    check_accepted(file_of(make::nf4()));
    auto shared = make::per_channel();
    shared.quantization->scheme =
        hurray::per_channel_affine{.axis = 1, .scale_buffer = 1, .zero_point_buffer = 1};
    shared.buffers.pop_back();
    shared.buffers.back().byte_size = 32;
    check_accepted(file_of(shared));
    auto padded = make::per_tensor();
    padded.quantization->padding = 9;
    check_accepted(file_of(padded));
    auto symmetric = make::per_block();
    symmetric.quantization->scheme =
        hurray::per_block_affine{.symmetric = true, .axis = 1, .block_size = 4};
    symmetric.buffers.pop_back();
    check_accepted(file_of(symmetric));
    // a matrix with one scale for all; its view is of the stored values.
    auto matrix = make::matrix(layout::csr, element_type::int8, 4, 5, 0);
    matrix.quantization = make::per_tensor().quantization;
    check_accepted(file_of(matrix));
}

BOOST_AUTO_TEST_CASE(R_160_R_161_statistics_are_neither_assumed_nor_relied_on) {
    auto const file = file_of(make::with_statistics());
    // Under a clear bit any bytes are nothing.
    std::vector<edit> all{u32(sections(0), 0)};
    for (std::uint64_t at = 8; at < 68; ++at) all.push_back(u8(sections(at), 0xFF));
    auto const masked = edited(file, all);
    check_accepted(masked);
    auto const s = describe(masked, "t").descriptor.statistics;
    BOOST_TEST((*s == hurray::statistics{}));
    // Wrong and plausible: nothing else changes.
    auto const wrong = edited(file, {u64(sections(16), std::bit_cast<std::uint64_t>(0.25)),
                                     u64(sections(24), std::bit_cast<std::uint64_t>(1e300))});
    check_accepted(wrong);
    BOOST_TEST(csr<float>(wrong, "t").value().nnz() == 0u);
}

BOOST_AUTO_TEST_CASE(R_183_R_184_what_is_unknown_is_listed_and_not_interpreted) {
    constexpr auto permissive = mode::permissive;
    auto const example = worked_example();
    auto const unknown_layout = edited(example, {u8(in_descriptor(15), 0x0C)});
    auto const a = describe(unknown_layout, "m", permissive);
    BOOST_TEST((a.descriptor.shape == std::vector<std::uint64_t>{4, 5}));
    BOOST_TEST((a.descriptor.element_type == element_type::float32));
    BOOST_TEST(a.buffers.empty());
    BOOST_TEST((csr<float>(unknown_layout, "m", permissive).error().code == errc::layout_mismatch));

    auto const private_layout = file_of(make::of_private_layout());
    auto const b = describe(private_layout, "t", permissive);
    BOOST_TEST(b.descriptor.fields.private_id == 7u);
    BOOST_TEST(b.buffers.at(0).length == 48u);

    auto d = make::matrix(layout::csr, element_type::int8, 4, 5, 0);
    d.quantization = hurray::quantization{.scheme = hurray::unknown_scheme{.tag = 6, .version = 9}};
    auto const unknown_scheme = file_of(d);
    BOOST_TEST(describe(unknown_scheme, "t", permissive).buffers.size() == 3u);
    BOOST_TEST((csr<std::int8_t>(unknown_scheme, "t", permissive).error().code ==
                errc::unknown_quantization));
    BOOST_TEST((look_at(unknown_scheme, permissive).at == stage::lazy));

    auto const unknown_type = edited(example, {u8(in_descriptor(14), 0x30)});
    auto const c = describe(unknown_type, "m", permissive);
    BOOST_TEST(c.buffers.size() == 3u);
    BOOST_TEST(
        (csr<float>(unknown_type, "m", permissive).error().code == errc::element_type_mismatch));
}

namespace {
/// Remembers the ranges that were read.
class watched final : public hurray::source {
public:
    explicit watched(bytes file) : file_(std::move(file)) {}
    std::uint64_t size() const noexcept override { return file_.size(); }
    hurray::result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        reads.push_back({offset, into.size()});
        std::memcpy(into.data(), file_.data() + offset, into.size());
        return {};
    }
    mutable std::vector<hurray::byte_range> reads;

private:
    bytes file_;
};
}  // namespace

BOOST_AUTO_TEST_CASE(R_185_R_188_header_trailer_index_key_values_then_descriptors) {
    auto const file = two_matrices();
    auto const map = map_of(file);
    watched const from(file);
    auto const catalog = hurray::catalog::read(from).value();
    (void)catalog.describe(from, "b").value();
    std::vector<hurray::byte_range> const expected{{0, 64},
                                                   {map.trailer, 40},
                                                   {map.index, map.index_length},
                                                   {map.metadata, 13},
                                                   map.tensors[1].descriptor};
    BOOST_TEST((from.reads == expected));
}

// What the library writes, byte by byte where nothing but a look at the bytes tells.
BOOST_AUTO_TEST_CASE(R_007_R_011_R_016_R_022_R_071_the_bytes_of_header_and_descriptor) {
    auto const file = two_matrices();
    auto const map = map_of(file);
    BOOST_TEST(number_at(file, 8, 2) == 1u);     // 1.0
    BOOST_TEST(number_at(file, 28, 8) == most);
    BOOST_TEST((number_at(file, 12, 4) == 5u));  // checksum and key-values
    auto resealed = file;
    reseal(resealed);
    BOOST_TEST(difference(file, resealed) == "");  // by another implementation
    for (auto const& [from, count] : {std::pair(10, 2), {36, 28}})
        for (int i = from; i < from + count; ++i)
            BOOST_TEST((file[static_cast<std::size_t>(i)] == std::byte{}));
    for (auto const& t : map.tensors) {
        BOOST_TEST(number_at(file, t.descriptor.offset + 4, 2) == 1u);  // 1.0
        BOOST_TEST(number_at(file, t.layout_fields + 8, 8) == 0u);
        BOOST_TEST(number_at(file, t.entry_fields + 28, 4) == 0u);
    }
    BOOST_TEST(number_at(file, map.trailer + 32, 4) == 0u);
}

BOOST_AUTO_TEST_CASE(R_048_R_049_R_053_R_055_R_092_R_181_places_and_padding) {
    memory_sink sink;
    auto out = hurray::writer::onto(sink).value();
    std::array<std::uint64_t, 1> const no_rows{0};
    std::array<std::uint64_t, 3> const empty_rows{0, 0, 0};
    std::array<std::uint64_t, 2> const one{0, 1};
    std::array<std::uint64_t, 1> const index{0};
    std::array<std::int8_t, 1> const value{7};
    using view = hurray::csr_view<std::int8_t>;
    out.write("no rows", view::over({.rows = 0, .columns = 5}, no_rows, {}, {}).value()).value();
    out.write("nothing", view::over({.rows = 2, .columns = 5}, empty_rows, {}, {}).value()).value();
    out.write("one", view::over({.rows = 1, .columns = 1}, one, index, value).value()).value();
    out.close().value();
    auto const& file = *sink.got;
    check_accepted(file);
    auto const map = map_of(file);
    auto const up = [](std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; };
    std::vector<bool> known(file.size());
    auto const mark = [&](std::uint64_t from, std::uint64_t count) {
        std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(from), count, true);
    };
    mark(0, 64);
    std::uint64_t end = 64;
    for (auto const& t : map.tensors) {
        BOOST_TEST(t.descriptor.offset == up(end, 8));
        BOOST_TEST(t.data.offset == up(t.descriptor.end(), 4096));
        BOOST_TEST(t.descriptor.length == 109u);                    // whole
        BOOST_TEST(number_at(file, t.descriptor.offset + 6, 4) == 109u);
        for (auto const& b : t.buffers) BOOST_TEST(b.offset % 4096 == 0u);
        end = t.data.end();
        mark(t.descriptor.offset, t.descriptor.length);
        for (auto const& b : t.buffers) mark(b.offset, b.length);
    }
    mark(map.index, map.index_length);
    mark(map.trailer, 40);
    for (std::size_t i = 0; i < file.size(); ++i)
        if (!known[i]) BOOST_REQUIRE(file[i] == std::byte{});
}

// whatever memory held before, the bytes are the same.
BOOST_AUTO_TEST_CASE(R_056_nothing_of_the_heap_is_written) {
    auto const clean = two_matrices();
    for (unsigned const dirt : {0x00u, 0xA5u, 0xFFu}) {
        std::vector<bytes> blocks;
        for (std::size_t size = 16; size <= (1 << 20); size *= 2)
            for (int i = 0; i < 4; ++i) blocks.emplace_back(size, static_cast<std::byte>(dirt));
        blocks.clear();  // what the writer gets next was that
        BOOST_TEST(difference(two_matrices(), clean) == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()
