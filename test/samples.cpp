// What other tests damage is valid before they do: every file and descriptor of samples.hpp.

#include "samples.hpp"

#include <hurray/file_view.hpp>
#include <hurray/writer.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace hurray_test {

using hurray::byte_range;
using hurray::descriptor;
using hurray::element_type;
using hurray::layout;

std::uint64_t number_at(std::span<std::byte const> from, std::uint64_t at, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i)
        value |= std::to_integer<std::uint64_t>(from[at + i]) << (8 * i);
    return value;
}

void put_number(bytes& into, std::uint64_t at, std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) into.at(at + i) = static_cast<std::byte>(value >> (8 * i));
}

byte_writer& byte_writer::number(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) all_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
}
byte_writer& byte_writer::f32(float v) { return u32(std::bit_cast<std::uint32_t>(v)); }
byte_writer& byte_writer::f64(double v) { return u64(std::bit_cast<std::uint64_t>(v)); }
byte_writer& byte_writer::text(std::string_view t) { return put(std::as_bytes(std::span(t))); }
byte_writer& byte_writer::put(std::span<std::byte const> run) {
    all_.insert(all_.end(), run.begin(), run.end());
    return *this;
}
byte_writer& byte_writer::zeros(std::uint64_t count) {
    all_.resize(all_.size() + count);
    return *this;
}
byte_writer& byte_writer::pad_to(std::uint64_t alignment) {
    return zeros((alignment - all_.size() % alignment) % alignment);
}

namespace {

std::uint64_t up(std::uint64_t n, std::uint64_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

std::uint32_t checksum_of(std::span<std::byte const> what) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (auto const b : what) {
        crc ^= std::to_integer<std::uint32_t>(b);
        for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    }
    return ~crc;
}

/// How long the fields between byte_offset and the buffer table are.
std::uint64_t length_of_fields(std::span<std::byte const> file, std::uint64_t at, unsigned tag,
                               std::uint64_t rank) {
    switch (tag) {
    case 0x03:
        return 8 * rank;
    case 0x04: {
        auto const from = at;
        for (unsigned inner = 4; inner == 4;) {
            at += 8 * rank;
            auto const outer = number_at(file, at, 1);
            inner = static_cast<unsigned>(number_at(file, at + 1, 1));
            at += 4 + (outer == 3 ? 8 * rank : 0) + (inner == 3 ? 8 * rank : 0);
        }
        return at - from;
    }
    case 0x05:
        return 4 * rank;
    case 0x06:
    case 0x07:
    case 0x08:
        return 16;
    case 0x09:
        return 8 + 4 * rank + 8;
    case 0x0A:
        return 32;
    case 0x0B:
    case 0x40:
        return 8;
    default:
        return tag >= 0xF0 ? 12 + number_at(file, at + 8, 4) : 0;
    }
}

}  // namespace

file_map map_of(std::span<std::byte const> file) {
    file_map map;
    map.trailer = file.size() - 40;
    map.index = number_at(file, map.trailer, 8);
    map.index_length = number_at(file, map.trailer + 8, 8);
    map.metadata = number_at(file, map.trailer + 16, 8);
    auto const alignment = number_at(file, 16, 4);
    auto at = map.index + 8;
    for (auto left = number_at(file, map.index, 8); left != 0; --left) {
        tensor_map t{.entry = at, .descriptor = {}, .data = {}};
        t.entry_fields = at + 2 + number_at(file, at, 2);
        at = t.entry_fields + 32;
        t.descriptor = {number_at(file, t.entry_fields, 8), number_at(file, t.entry_fields + 8, 4)};
        t.data = {number_at(file, t.entry_fields + 12, 8), number_at(file, t.entry_fields + 20, 8)};
        auto const start = t.descriptor.offset;
        auto const rank = number_at(file, start + 16, 4);
        t.byte_offset = start + 20 + 8 * rank;
        t.layout_fields = t.byte_offset + 8;
        auto const tag = static_cast<unsigned>(number_at(file, start + 15, 1));
        t.table = t.layout_fields + length_of_fields(file, t.layout_fields, tag, rank);
        auto const count = number_at(file, t.table, 1);
        t.sections = t.table + 1 + 16 * count;
        auto end = t.data.offset;
        for (std::uint64_t k = 0; k < count; ++k) {
            if (t.data.length != 0) end = up(end, alignment);
            t.buffers.push_back({end, number_at(file, t.table + 1 + 16 * k, 8)});
            end += t.buffers.back().length;
        }
        map.tensors.push_back(std::move(t));
    }
    return map;
}

void reseal(bytes& file) {
    if (file.size() < 104 || (number_at(file, 12, 4) & 4) == 0) return;
    auto const trailer = file.size() - 40;
    byte_range const index{number_at(file, trailer, 8), number_at(file, trailer + 8, 8)};
    if (!index.within(trailer)) return;
    put_number(file, trailer + 28, checksum_of(std::span(file).subspan(index.offset, index.length)),
               4);
}

file_builder::file_builder(std::uint32_t data_alignment) : alignment_(data_alignment) {
    out_.zeros(64);
}
file_builder& file_builder::minor(unsigned version) { return minor_ = version, *this; }
file_builder& file_builder::flags(std::uint32_t all) {
    flags_ = all;
    flags_given_ = true;
    return *this;
}
file_builder& file_builder::hint(std::uint64_t tensors) { return hint_ = tensors, *this; }
file_builder& file_builder::gap(std::uint64_t count) { return out_.zeros(count), *this; }
file_builder& file_builder::index_slack(std::uint64_t count) { return slack_ = count, *this; }

byte_range file_builder::place_descriptor(std::span<std::byte const> descriptor) {
    out_.pad_to(8);
    byte_range const where{out_.size(), descriptor.size()};
    out_.put(descriptor);
    return where;
}

file_builder& file_builder::tensor(std::string name, descriptor const& what,
                                   std::vector<bytes> buffers) {
    for (auto k = buffers.size(); k < what.buffers.size(); ++k)
        buffers.emplace_back(what.buffers[k].byte_size);
    return tensor(std::move(name), what.encode(), std::move(buffers));
}

file_builder& file_builder::tensor(std::string name, bytes descriptor, std::vector<bytes> buffers) {
    entry e{.name = std::move(name), .descriptor = place_descriptor(descriptor), .data = {}};
    out_.pad_to(buffers.empty() ? 8 : alignment_);
    e.data.offset = out_.size();
    for (auto const& buffer : buffers) out_.pad_to(alignment_).put(buffer);
    e.data.length = out_.size() - e.data.offset;
    entries_.push_back(std::move(e));
    return *this;
}

file_builder& file_builder::tensor_without_place(std::string name, descriptor const& what) {
    entry e{.name = std::move(name), .descriptor = place_descriptor(what.encode()), .data = {}};
    e.data.offset = up(e.descriptor.end(), 8);
    entries_.push_back(std::move(e));
    return *this;
}

file_builder& file_builder::metadata(bytes section) {
    out_.pad_to(8);
    metadata_ = {out_.size(), section.size()};
    out_.put(section);
    if (!flags_given_) flags_ |= 1;
    return *this;
}

file_builder& file_builder::index_of(std::vector<std::string> names) {
    out_.pad_to(8);
    index_ = {out_.size(), 8 + slack_};
    for (auto const& name : names) index_.length += 34 + name.size();
    out_.zeros(index_.length);
    return *this;
}

bytes file_builder::index_bytes() const {
    byte_writer index;
    index.u64(entries_.size());
    for (auto const& e : entries_)
        index.u16(e.name.size())
            .text(e.name)
            .u64(e.descriptor.offset)
            .u32(e.descriptor.length)
            .u64(e.data.offset)
            .u64(e.data.length)
            .u32(0);
    return index.zeros(slack_).take();
}

bytes file_builder::build() {
    auto const index = index_bytes();
    if (index_.length == 0) {
        out_.pad_to(8);
        index_ = {out_.size(), index.size()};
        out_.put(index);
    } else {
        out_.pad_to(8);
        std::copy(index.begin(), index.end(),
                  out_.all().begin() + static_cast<std::ptrdiff_t>(index_.offset));
    }
    auto first = entries_.empty() ? 64 : ~std::uint64_t{0};
    for (auto const& e : entries_) first = std::min(first, e.descriptor.offset);
    byte_writer header;
    header.text("HRRYFILE").u8(1).u8(minor_).zeros(2).u32(flags_).u32(alignment_).u64(first);
    header.u64(hint_).zeros(28);
    std::copy(header.all().begin(), header.all().end(), out_.all().begin());
    out_.u64(index_.offset).u64(index_.length).u64(metadata_.offset).u32(metadata_.length);
    out_.u32(0).zeros(4).text("HRRY");
    auto file = out_.take();
    reseal(file);
    return file;
}

namespace make {

namespace {
hurray::buffer_handle handle(std::uint64_t size) { return {.byte_size = size}; }
}  // namespace

descriptor matrix(layout layout, element_type type, std::uint64_t rows, std::uint64_t columns,
                  std::uint64_t nnz) {
    auto const slices = layout == layout::csr ? rows : columns;
    return {.layout = layout,
            .element_type = type,
            .shape = {rows, columns},
            .fields = {.nnz = nnz},
            .buffers = {handle(hurray::bytes_for(type, nnz).value()), handle(8 * nnz),
                        handle(8 * (slices + 1))}};
}

descriptor dense(element_type type, std::vector<std::uint64_t> shape, layout layout) {
    std::uint64_t count = 1;
    for (auto const n : shape) count *= n;
    return {.layout = layout,
            .element_type = type,
            .shape = std::move(shape),
            .fields = {},
            .buffers = {handle(hurray::bytes_for(type, count).value())}};
}

namespace {
descriptor with_fields(descriptor d, layout layout, hurray::layout_fields fields) {
    d.layout = layout;
    d.fields = std::move(fields);
    return d;
}
}  // namespace

descriptor strided() {
    return with_fields(dense(element_type::float32, {3, 4}), layout::strided, {.strides = {4, 1}});
}
descriptor tiled() {
    hurray::tile_level const outer{.tile_shape = {2, 2},
                                   .outer = layout::row_major,
                                   .inner = layout::tiled,
                                   .outer_strides = {},
                                   .inner_strides = {}};
    hurray::tile_level const inner{.tile_shape = {1, 2},
                                   .outer = layout::column_major,
                                   .inner = layout::row_major,
                                   .outer_strides = {},
                                   .inner_strides = {}};
    return with_fields(dense(element_type::float32, {4, 4}), layout::tiled,
                       {.tiles = {outer, inner}});
}
descriptor morton() {
    return with_fields(dense(element_type::float32, {4, 4}), layout::morton, {.bits = {2, 2}});
}
descriptor hilbert() {
    return with_fields(dense(element_type::float32, {4, 4}), layout::hilbert, {.order = 2});
}
descriptor coo() {
    return {.layout = layout::coo,
            .element_type = element_type::float32,
            .shape = {3, 4},
            .fields = {.nnz = 2, .sorted = true},
            .buffers = {handle(8), handle(32)}};
}
descriptor csf() {
    descriptor d{.layout = layout::csf,
                 .element_type = element_type::float32,
                 .shape = {2, 3, 4},
                 .fields = {.nnz = 2, .mode_order = {0, 1, 2}},
                 .buffers = {handle(8)}};
    // One root, one fibre, two leaves.
    for (std::uint64_t const size : {16, 8, 16, 8, 16, 16}) d.buffers.push_back(handle(size));
    return d;
}
descriptor block_paged() {
    return {.layout = layout::block_paged,
            .element_type = element_type::float32,
            .shape = {4, 2, 2},
            .fields = {.paged = {.page_size = 2, .pages = 2, .sequences = 1}},
            .buffers = {handle(64), handle(8), handle(8)}};
}
descriptor composite(std::uint8_t rule, std::uint32_t members) {
    return {.layout = layout::composite,
            .element_type = element_type::float32,
            .shape = {4, 5},
            .fields = {.composite = {.rule = rule,
                                     .combine_op = std::uint8_t{rule == 2},
                                     .members = members}},
            .buffers = {}};
}

namespace {
template<class Scheme>
descriptor quantized(descriptor d, Scheme scheme, std::initializer_list<std::uint64_t> parameters) {
    d.quantization = hurray::quantization{.scheme = scheme};
    for (auto const size : parameters) d.buffers.push_back(handle(size));
    return d;
}
}  // namespace

descriptor per_tensor() {
    return quantized(dense(element_type::int8, {2, 4}),
                     hurray::per_tensor_affine{.scale = 0.5f, .zero_point = -3}, {});
}
descriptor per_channel() {
    return quantized(dense(element_type::int8, {2, 4}),
                     hurray::per_channel_affine{.axis = 1, .zero_point_buffer = 2}, {16, 16});
}
descriptor per_block() {
    return quantized(dense(element_type::int8, {2, 6}),
                     hurray::per_block_affine{.axis = 1, .block_size = 4, .zero_point_buffer = 2},
                     {16, 16});
}
descriptor nf4() {
    return quantized(dense(element_type::uint4, {1, 12}), hurray::nf4{.axis = 1, .block_size = 8},
                     {8});
}
descriptor mxfp() {
    return quantized(dense(element_type::float8_e4m3, {2, 32}),
                     hurray::mxfp{.axis = 1, .block_size = 16}, {4});
}
descriptor sharded() {
    auto d = matrix(layout::csr, element_type::float32, 4, 5, 0);
    d.shard = hurray::shard{{8, 5}, {2, 0}};
    return d;
}
descriptor with_statistics() {
    auto d = matrix(layout::csr, element_type::float32, 4, 5, 0);
    d.statistics = hurray::statistics{.nnz = 0,
                                      .sparsity_ratio = 1.0,
                                      .values = hurray::statistics::range{},
                                      .distribution = hurray::statistics::moments{},
                                      .pattern = hurray::statistics::n_of_m{0, 4},
                                      .special = hurray::statistics::specials{}};
    return d;
}
descriptor extension(std::uint32_t bits) {
    auto const type = static_cast<element_type>(0xF0);
    descriptor d{.layout = layout::row_major,
                 .element_type = type,
                 .shape = {6},
                 .fields = {},
                 .buffers = {handle((6 * bits + 7) / 8)}};
    d.extension = hurray::extension_type{
        .bit_width = bits, .packing_factor = static_cast<std::uint8_t>(bits < 8 ? 8 / bits : 1)};
    return d;
}
descriptor of_private_layout() {
    return with_fields(dense(element_type::float32, {3, 4}), static_cast<layout>(0xF0),
                       {.private_id = 7, .private_fields = to_bytes("what it means is ours")});
}

}  // namespace make

namespace {

bytes words(std::initializer_list<std::uint64_t> all) {
    byte_writer out;
    for (auto const w : all) out.u64(w);
    return out.take();
}

}  // namespace

bytes worked_example(layout layout) {
    bool const csr = layout == layout::csr;
    auto const values =
        csr ? std::array{1.f, 2.f, 3.f, 4.f, 5.f} : std::array{1.f, 4.f, 3.f, 2.f, 5.f};
    byte_writer floats;
    for (auto const v : values) floats.f32(v);
    return file_builder()
        .tensor("m", make::matrix(layout, element_type::float32, 4, 5, 5),
                {floats.take(), csr ? words({0, 3, 2, 1, 4}) : words({0, 2, 1, 0, 2}),
                 csr ? words({0, 2, 3, 5, 5}) : words({0, 1, 2, 3, 4, 5})})
        .build();
}

bytes two_matrices(bool sorted) {
    memory_sink sink;
    auto out =
        hurray::writer::onto(sink, {.metadata = {{"k", std::string("v")}}, .sorted_index = sorted})
            .value();
    std::array const values{1.f, 2.f, 3.f, 4.f, 5.f};
    std::array<std::uint64_t, 5> const offsets{0, 2, 3, 5, 5};
    std::array<std::uint64_t, 5> const indices{0, 3, 2, 1, 4};
    auto const a = hurray::csr_view<float>::over({.rows = 4, .columns = 5}, offsets, indices,
                                                 std::span(values))
                       .value();
    out.write("a", a).value();
    out.write("b", a.transposed()).value();
    out.close().value();
    return *sink.got;
}

bytes one_row(element_type type, std::uint64_t nnz, bytes values) {
    byte_writer indices;
    for (std::uint64_t k = 0; k < nnz; ++k) indices.u64(k);
    return file_builder()
        .tensor("m", make::matrix(layout::csr, type, 1, nnz, nnz),
                {std::move(values), indices.take(), words({0, nnz})})
        .build();
}

bytes file_of(descriptor const& d) { return file_builder().tensor("t", d).build(); }

bytes file_of(bytes descriptor, hurray::descriptor const& like) {
    std::vector<bytes> buffers;
    for (auto const& handle : like.buffers) buffers.emplace_back(handle.byte_size);
    return file_builder().tensor("t", std::move(descriptor), std::move(buffers)).build();
}

bytes metadata_section(unsigned tag, bytes payload) {
    return byte_writer().u32(1).u16(1).text("k").u8(tag).put(payload).take();
}

bytes file_of_value(unsigned tag, bytes payload) {
    return file_builder().metadata(metadata_section(tag, std::move(payload))).build();
}

std::vector<named_file> valid_files() {
    std::vector<named_file> all{
        {"worked example, CSR", worked_example()},
        {"worked example, CSC", worked_example(layout::csc)},
        {"two matrices", two_matrices()},
        {"two matrices, sorted", two_matrices(true)},
        {"no tensors", file_builder().build()},
        {"a key-value", file_of_value(5, to_bytes("\1"))},
        {"bool row", one_row(element_type::boolean, 3, bytes(1, std::byte{7}))},
        {"e8m0 row", one_row(element_type::float8_e8m0, 3, bytes(3, std::byte{1}))},
    };
    auto const add = [&](std::string name, descriptor const& d) {
        all.push_back({std::move(name), file_of(d)});
    };
    add("CSR without entries", make::matrix(layout::csr, element_type::float32, 4, 5, 0));
    add("scalar", make::dense(element_type::float32, {}));
    add("row-major", make::dense(element_type::float32, {3, 4}));
    add("column-major", make::dense(element_type::float32, {3, 4}, layout::column_major));
    add("strided", make::strided());
    add("tiled", make::tiled());
    add("Morton", make::morton());
    add("Hilbert", make::hilbert());
    add("COO", make::coo());
    add("CSF", make::csf());
    add("block-paged", make::block_paged());
    add("group of none", make::composite(3, 0));
    add("per-tensor affine", make::per_tensor());
    add("per-channel affine", make::per_channel());
    add("per-block affine", make::per_block());
    add("NF4", make::nf4());
    add("MXFP", make::mxfp());
    add("shard", make::sharded());
    add("statistics", make::with_statistics());
    add("extension type of 16 bits", make::extension(16));
    add("extension type of 4 bits", make::extension(4));
    auto member = make::matrix(layout::csr, element_type::float32, 4, 5, 0);
    member.member = hurray::composite_role::base;
    add("composite member", member);
    return all;
}

}  // namespace hurray_test

namespace {
template<class T> std::string why(hurray::result<T> const& r) {
    return r ? std::string() : ": " + r.error().message();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(samples)

BOOST_AUTO_TEST_CASE(every_valid_file_opens_describes_and_verifies_in_both_modes) {
    for (auto const& [name, file] : hurray_test::valid_files())
        for (auto const mode : {hurray::mode::strict, hurray::mode::permissive}) {
            auto const opened = hurray::file_view::parse(file, {.mode = mode});
            BOOST_TEST_REQUIRE(opened.has_value(), name + why(opened));
            for (auto const& t : opened->tensors()) {
                auto const described = opened->describe(t.name);
                BOOST_TEST_REQUIRE(described.has_value(), name + why(described));
                BOOST_TEST(described->descriptor.notes.empty(), name);
            }
            auto const verified = opened->verify();
            BOOST_TEST(verified.has_value(), name + why(verified));
            for (auto const& note : opened->notes()) BOOST_ERROR(name + ": " + note.message());
        }
}

// What encode() gives is what decode() reads, for every kind of descriptor.
BOOST_AUTO_TEST_CASE(descriptors_come_back_byte_for_byte) {
    for (auto const& [name, file] : hurray_test::valid_files())
        for (auto const& t : hurray_test::map_of(file).tensors) {
            auto const stored = std::span(file).subspan(t.descriptor.offset, t.descriptor.length);
            auto const decoded = hurray::descriptor::decode(stored).value();
            BOOST_TEST(hurray_test::difference(decoded.encode(), stored) == "", name);
        }
}

BOOST_AUTO_TEST_CASE(the_map_of_a_file_is_what_the_library_finds) {
    for (auto const& [name, file] : hurray_test::valid_files()) {
        auto const opened = hurray::file_view::parse(file).value();
        auto const map = hurray_test::map_of(file);
        BOOST_TEST_REQUIRE(map.tensors.size() == opened.tensors().size());
        for (std::size_t k = 0; k < map.tensors.size(); ++k) {
            auto const& mine = map.tensors[k];
            auto const t = opened.describe(opened.tensors()[k].name).value();
            BOOST_TEST((opened.tensors()[k].descriptor == mine.descriptor), name);
            BOOST_TEST((opened.tensors()[k].data == mine.data), name);
            BOOST_TEST((t.buffers == mine.buffers), name);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
