// The sections after the buffer table, and the fields of layouts other than CSR and CSC.

#include "corruption.hpp"

#include <boost/test/unit_test.hpp>

#include <bit>
#include <limits>

namespace hurray_test {
namespace {

using hurray::descriptor;
using hurray::element_type;
using hurray::errc;
using hurray::layout;

constexpr std::uint64_t most = ~std::uint64_t{0};

std::string number(std::uint64_t n) { return std::to_string(n); }
std::uint64_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }
std::uint64_t bits(double d) { return std::bit_cast<std::uint64_t>(d); }
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows that edit the file of one descriptor.
class rows_of {
public:
    rows_of(std::vector<corruption>& all, descriptor (*base)()) : all_(all), base_(base) {}

    rows_of const& operator()(std::string what, std::vector<edit> edits, errc code, place where,
                              permissive mildly = same) const {
        add_row(
            all_, std::move(what), [base = base_] { return file_of(base()); }, std::move(edits),
            stage::describe, code, where, mildly);
        return *this;
    }

private:
    std::vector<corruption>& all_;
    descriptor (*base_)();
};

/// A row of a descriptor that is broken as it is made.
void add_made(std::vector<corruption>& all, std::string what, descriptor d, errc code, place where,
              permissive mildly = same) {
    add_row(
        all, std::move(what), [d = std::move(d)] { return file_of(d); }, {}, stage::describe, code,
        where, mildly);
}

// The quantization section begins with its length; its payload, with the scheme's tag, at 4.
void add_quantization_header(std::vector<corruption>& all) {
    rows_of const add(all, make::per_tensor);
    for (std::uint64_t const length : {0u, 3u, 17u, 1000u, 0xFFFFFFFFu})
        add("a length of " + number(length), {u32(sections(0), length)},
            errc::quantization_truncated, sections(0));
    add_row(
        all, "a quantization flag and no section", [] { return worked_example(); },
        {u32(in_descriptor(10), 1)}, stage::describe, errc::quantization_truncated, sections(0));

    auto quantized = make::matrix(layout::csr, element_type::int8, 4, 5, 0);
    quantized.quantization = hurray::quantization{
        .scheme = hurray::per_channel_affine{.symmetric = true, .axis = 1, .scale_buffer = 3}};
    quantized.buffers.push_back({.byte_size = 20});
    add_made(all, "A-08: a matrix with scales", quantized, errc::quantized_matrix, buffer_count(),
             tolerates);

    for (unsigned const tag : {0x00u, 0xFFu})
        add("scheme " + number(tag), {u8(sections(4), tag)}, errc::unknown_quantization,
            sections(4));
    for (unsigned const tag : {0x06u, 0x40u, 0x60u, 0x7Fu, 0x80u, 0xEFu, 0xF0u, 0xFEu})
        add("scheme " + number(tag), {u8(sections(4), tag)}, errc::unknown_quantization,
            sections(4), notes);
    for (auto const base :
         {make::per_tensor, make::per_channel, make::per_block, make::nf4, make::mxfp}) {
        rows_of const any(all, base);
        for (unsigned const version : {0u, 2u, 255u})
            any("scheme version " + number(version), {u8(sections(5), version)},
                errc::unknown_quantization_version, sections(5));
        for (unsigned bit = 1; bit < 16; ++bit)
            any("scheme flag " + number(bit), {u16(sections(6), 1u << bit)},
                errc::unknown_quantization_flags, sections(6));
        any("a length of 12", {u32(sections(0), 12)}, errc::quantization_length_mismatch,
            sections(0));
        any("a length of 4", {u32(sections(0), 4)}, errc::quantization_length_mismatch,
            sections(0));
    }
    for (auto const base : {make::per_tensor, make::nf4, make::mxfp})
        rows_of(all, base)("symmetric", {u16(sections(6), 1)}, errc::unknown_quantization_flags,
                           sections(6));
    rows_of const padded(all, [] {
        auto d = make::per_tensor();
        d.quantization->padding = 4;
        return d;
    });
    for (std::uint64_t i = 20; i < 24; ++i)
        padded("a byte after the scheme's fields", {u8(sections(i), 1)},
               errc::quantization_length_mismatch, sections(20), tolerates);
}

void add_schemes(std::vector<corruption>& all) {
    constexpr auto float32 = 0x03u, int16 = 0x12u, int4 = 0x48u, uint8 = 0x11u;
    auto code = errc::bad_per_tensor_affine;
    rows_of const tensor(all, make::per_tensor);
    for (auto const scale : {0.f, -0.f, nan, infinity, -infinity})
        tensor("D-19: scale " + std::to_string(scale), {u32(sections(8), bits(scale))}, code,
               sections(8));
    for (int const zero : {128, -129, 1 << 30})
        tensor("zero point " + std::to_string(zero),
               {u32(sections(12), static_cast<std::uint32_t>(zero))}, code, sections(12));
    for (std::uint64_t i = 16; i < 20; ++i)
        tensor("a reserved byte", {u8(sections(i), 1)}, code, sections(16));
    tensor("of float32", {u8(in_descriptor(14), float32)}, code, sections(4));
    tensor("a negative zero point of uint8", {u8(in_descriptor(14), uint8)}, code, sections(12));

    code = errc::bad_per_channel_affine;
    rows_of const channel(all, make::per_channel);
    for (std::uint64_t const axis : {2u, 0xFFFFFFFFu})
        channel("axis " + number(axis), {u32(sections(8), axis)}, code, sections(8));
    for (std::uint64_t const buffer : {0u, 3u, 0xFFFFFFFFu}) {
        channel("scales in buffer " + number(buffer), {u32(sections(12), buffer)}, code,
                sections(12));
        channel("zero points in buffer " + number(buffer), {u32(sections(16), buffer)}, code,
                sections(16));
    }
    channel("symmetric with zero points", {u16(sections(6), 1)}, code, sections(16));
    for (unsigned const type : {0x01u, 0x02u, 0x04u})
        channel("scales of type " + number(type), {u8(sections(20), type)}, code, sections(20));
    for (std::uint64_t i = 21; i < 24; ++i)
        channel("a reserved byte", {u8(sections(i), 1)}, code, sections(21));
    for (std::uint64_t const size : {0, 12, 15, 20}) {
        channel("scales of " + number(size), {u64(handle(1, 0), size)}, code, sections(12));
        channel("zero points of " + number(size), {u64(handle(2, 0), size)}, code, sections(16));
    }
    channel("of float32", {u8(in_descriptor(14), float32)}, code, sections(4));
    channel("a dynamic axis", {u64(in_descriptor(28), most)}, errc::dynamic_quantized_axis,
            sections(8));

    code = errc::bad_per_block_affine;
    rows_of const block(all, make::per_block);
    block("axis 2", {u32(sections(8), 2)}, code, sections(8));
    for (std::uint64_t const size : {0u, 1u, 3u, 8u, 1u << 31})
        block("blocks of " + number(size), {u32(sections(12), size)}, code, sections(12));
    for (unsigned const type : {0x00u, 0x04u})
        block("scales of type " + number(type), {u8(sections(24), type)}, code, sections(24));
    for (std::uint64_t i = 25; i < 28; ++i)
        block("a reserved byte", {u8(sections(i), 1)}, code, sections(25));
    for (std::uint64_t const size : {8, 12, 20}) {
        block("scales of " + number(size), {u64(handle(1, 0), size)}, code, sections(16));
        block("zero points of " + number(size), {u64(handle(2, 0), size)}, code, sections(20));
    }
    block("symmetric with zero points", {u16(sections(6), 1)}, code, sections(20));
    block("of int16", {u8(in_descriptor(14), int16)}, code, sections(4));
    block("a dynamic axis", {u64(in_descriptor(28), most)}, errc::dynamic_quantized_axis,
          sections(8));
    for (std::uint64_t const buffer : {0u, 3u, 0xFFFFFFFFu}) {
        block("scales in buffer " + number(buffer), {u32(sections(16), buffer)},
              errc::bad_quantization_buffer, sections(16));
        block("zero points in buffer " + number(buffer), {u32(sections(20), buffer)},
              errc::bad_quantization_buffer, sections(20));
    }

    code = errc::bad_nf4;
    rows_of const nf4(all, make::nf4);
    nf4("of int4", {u8(in_descriptor(14), int4)}, code, sections(4));
    nf4("axis 2", {u32(sections(8), 2)}, code, sections(8));
    for (std::uint64_t const size : {4, 12, 16})
        nf4("blocks of " + number(size), {u32(sections(12), size)}, code, sections(12));
    for (std::uint64_t const buffer : {0u, 2u, 0xFFFFFFFFu})
        nf4("scales in buffer " + number(buffer), {u32(sections(16), buffer)}, code, sections(16));
    for (std::uint64_t const size : {4, 7, 12})
        nf4("scales of " + number(size), {u64(handle(1, 0), size)}, code, sections(16));
    nf4("a dynamic axis", {u64(in_descriptor(28), most)}, errc::dynamic_quantized_axis,
        sections(8));

    code = errc::bad_mxfp;
    rows_of const mxfp(all, make::mxfp);
    mxfp("of uint8", {u8(in_descriptor(14), uint8)}, code, sections(4));
    mxfp("axis 2", {u32(sections(8), 2)}, code, sections(8));
    for (std::uint64_t const size : {0, 8, 24, 64, 4096})
        mxfp("blocks of " + number(size), {u32(sections(12), size)}, code, sections(12));
    for (std::uint64_t const along : {0, 16 + 1, 40})
        mxfp(number(along) + " along the axis", {u64(in_descriptor(28), along)}, code,
             sections(12));
    for (std::uint64_t const size : {0, 3, 8})
        mxfp("scales of " + number(size), {u64(handle(1, 0), size)}, code, sections(16));
    mxfp("a dynamic axis", {u64(in_descriptor(28), most)}, errc::dynamic_quantized_axis,
         sections(8));
    for (std::uint64_t const buffer : {0u, 2u, 0xFFFFFFFFu})
        mxfp("scales in buffer " + number(buffer), {u32(sections(16), buffer)},
             errc::bad_quantization_buffer, sections(16));
}

void add_shard_and_statistics(std::vector<corruption>& all) {
    rows_of const shard(all, make::sharded);
    shard("one row past the parent", {u64(sections(16), 5)}, errc::shard_outside_parent,
          sections(16));
    shard("one column past the parent", {u64(sections(24), 1)}, errc::shard_outside_parent,
          sections(24));
    shard("a parent smaller than the shard", {u64(sections(0), 3)}, errc::shard_outside_parent,
          sections(16));
    for (std::uint64_t const offset : {most - 3, most - 4, most})
        shard("D-20: rows from " + number(offset) + " of 2^64 - 2",
              {u64(sections(0), most - 1), u64(sections(16), offset)}, errc::shard_outside_parent,
              sections(16));

    rows_of const stated(all, make::with_statistics);
    for (std::uint64_t const nnz : {std::uint64_t{1}, most})
        stated("D-21: nnz " + number(nnz), {u64(sections(8), nnz)}, errc::statistics_nnz_mismatch,
               sections(8), notes);
    for (auto const base : {make::coo, make::csf}) {
        auto d = base();
        d.statistics = hurray::statistics{.nnz = 3};
        add_made(all, "nnz 3 instead of 2", d, errc::statistics_nnz_mismatch, sections(8), notes);
    }
    for (unsigned bit = 6; bit < 32; ++bit)
        stated("mask bit " + number(bit), {u32(sections(0), 63u | 1u << bit)},
               errc::unknown_statistics, sections(0));
    for (std::uint64_t i = 4; i < 8; ++i)
        stated("a reserved byte", {u8(sections(i), 1)}, errc::statistics_reserved_not_zero,
               sections(4));
    for (std::uint64_t i = 68; i < 72; ++i)
        stated("a reserved byte", {u8(sections(i), 1)}, errc::statistics_reserved_not_zero,
               sections(68));
    auto const bad = errc::bad_statistics;
    for (double const ratio : {-0.5, 1.5, double{nan}, double{infinity}})
        stated("sparsity ratio " + std::to_string(ratio), {u64(sections(16), bits(ratio))}, bad,
               sections(16), notes);
    for (double const deviation : {-1.0, double{nan}})
        stated("D-21: deviation " + std::to_string(deviation), {u64(sections(56), bits(deviation))},
               bad, sections(56), notes);
    stated("D-21: 5 of 4", {u8(sections(64), 5)}, bad, sections(64), notes);
    stated("D-21: has_nan 7", {u8(sections(66), 7)}, bad, sections(66), notes);
    stated("has_inf 2", {u8(sections(67), 2)}, bad, sections(67), notes);
}

void add_extension(std::vector<corruption>& all) {
    rows_of const wide(all, [] { return make::extension(16); });
    rows_of const narrow(all, [] { return make::extension(4); });
    for (unsigned const width : {0u, 3u, 5u, 6u, 7u})
        wide("width " + number(width), {u32(sections(0), width)}, errc::bad_extension_width,
             sections(0));
    for (unsigned const packing : {0u, 2u})
        wide("16 bits, packing " + number(packing), {u8(sections(4), packing)},
             errc::bad_extension_width, sections(4));
    for (unsigned const packing : {0u, 1u, 4u})
        narrow("4 bits, packing " + number(packing), {u8(sections(4), packing)},
               errc::bad_extension_width, sections(4));
    for (std::uint64_t const i : {10, 11, 18, 19})
        wide("a reserved byte", {u8(sections(i), 1)}, errc::extension_reserved_not_zero,
             sections(i / 2 * 2));
    auto const bad = errc::bad_extension_fields;
    wide("is_float 2", {u8(sections(5), 2)}, bad, sections(5));
    wide("is_signed 2", {u8(sections(6), 2)}, bad, sections(6));
    wide("a signed float", {u8(sections(5), 1), u8(sections(6), 1)}, bad, sections(6));
    wide("two sign bits", {u8(sections(5), 1), u8(sections(7), 2)}, bad, sections(7));
    wide("a sign bit of an integer", {u8(sections(7), 1)}, bad, sections(7));
    wide("an exponent of an integer", {u8(sections(8), 1)}, bad, sections(8));
    wide("a mantissa of an integer", {u8(sections(9), 1)}, bad, sections(9));
    wide("a bias of an integer", {u32(sections(12), 1)}, bad, sections(12));
    wide("a NaN of an integer", {u8(sections(16), 1)}, bad, sections(16));
    wide("an infinity of an integer", {u8(sections(17), 1)}, bad, sections(17));
    wide("has_nan 2", {u8(sections(5), 1), u8(sections(16), 2)}, bad, sections(16));
    wide("has_inf 2", {u8(sections(5), 1), u8(sections(17), 2)}, bad, sections(17));
    wide("a size of 15 bits each", {u64(handle(0, 0), 11)}, errc::buffer_size_mismatch,
         handle(0, 0), otherwise(stage::describe, errc::data_length_mismatch, data_length()));

    auto odd = make::extension(16);
    odd.extension->bit_width = 12;
    add_made(all, "A-16: 12 bits", odd, errc::extension_type_without_size, in_descriptor(14),
             notes);
    auto matrix = make::matrix(layout::csr, element_type::int8, 4, 5, 0);
    matrix.element_type = odd.element_type;
    matrix.extension = odd.extension;
    add_made(all, "A-16: a matrix of 12 bits", matrix, errc::extension_type_without_size,
             in_descriptor(14), notes);
    matrix.extension = make::extension(16).extension;
    matrix.buffers[0].byte_size = 2;
    add_made(all, "a matrix of 16 bits with a value too many", matrix, errc::values_size_mismatch,
             handle(0, 0), notes);
}

void add_composite(std::vector<corruption>& all) {
    rows_of const head(all, [] { return make::composite(3, 0); });
    auto const bad = errc::bad_composite_head;
    for (unsigned const flag : {1u, 16u})
        head("head with flag " + number(flag), {u32(in_descriptor(10), flag)}, bad,
             in_descriptor(10));
    for (unsigned const rule : {0u, 4u, 0xEFu, 0xFFu})
        head("rule " + number(rule), {u8(fields(0), rule)}, bad, fields(0));
    for (unsigned const rule : {0xF0u, 0xFEu})
        head("rule " + number(rule), {u8(fields(0), rule)}, bad, fields(0), tolerates);
    for (unsigned const combine : {1u, 2u, 255u})
        head("a group combined by " + number(combine), {u8(fields(1), combine)}, bad, fields(1));
    for (std::uint64_t i = 2; i < 4; ++i)
        head("a reserved byte", {u8(fields(i), 1)}, bad, fields(2));
    head("2^32 - 1 members", {u32(fields(4), 0xFFFFFFFF)}, errc::bad_member_count, fields(4));

    auto made = make::composite(1, 0);
    made.buffers.push_back({.byte_size = 0});
    add_made(all, "a head with a buffer", made, bad, buffer_count());
    made = make::composite(1, 0);
    made.fields.composite.combine_op = 1;
    add_made(all, "a partition combined by 1", made, bad, fields(1));
    for (auto const combine : {std::uint8_t{0}, std::uint8_t{3}}) {
        made = make::composite(2, 1);
        made.fields.composite.combine_op = combine;
        add_made(all, "an overlay combined by " + number(combine), made, bad, fields(1));
    }
    add_made(all, "an overlay without members", make::composite(2, 0), errc::bad_member_count,
             fields(4));
    add_made(all, "an overlay of 2^32 - 1 members", make::composite(2, 0xFFFFFFFF),
             errc::bad_member_count, fields(4));

    rows_of const member(all, [] {
        auto d = make::matrix(layout::csr, element_type::float32, 4, 5, 0);
        d.member = hurray::composite_role::base;
        return d;
    });
    for (unsigned const role : {2u, 255u})
        member("role " + number(role), {u8(sections(0), role)}, errc::bad_composite_member,
               sections(0));
    for (std::uint64_t i = 1; i < 16; ++i)
        member("reserved byte " + number(i), {u8(sections(i), 1)}, errc::bad_composite_member,
               sections(1));
}

void add_layout_fields(std::vector<corruption>& all) {
    auto const bad = errc::bad_layout_fields;
    rows_of const coo(all, make::coo);
    coo("COO sorted 2", {u8(fields(8), 2)}, bad, fields(8));
    for (std::uint64_t i = 9; i < 16; ++i)
        coo("COO reserved byte " + number(i), {u8(fields(i), 1)}, bad, fields(9));

    rows_of const tiled(all, make::tiled);
    for (std::uint64_t const i : {0, 8, 20, 28})
        tiled("a tile of no width", {u64(fields(i), 0)}, bad, fields(i));
    for (unsigned const tag : {0x00u, 0x04u, 0x05u, 0x07u, 0x40u, 0xF0u})
        for (std::uint64_t const at : {16, 36})
            tiled("outer layout " + number(tag), {u8(fields(at), tag)}, bad, fields(at));
    for (unsigned const tag : {0x00u, 0x05u, 0x07u, 0x40u, 0xF0u})
        for (std::uint64_t const at : {17, 37})
            tiled("inner layout " + number(tag), {u8(fields(at), tag)}, bad, fields(at));
    for (std::uint64_t const i : {18, 19, 38, 39})
        tiled("tiled reserved byte " + number(i), {u8(fields(i), 1)}, bad, fields(i / 2 * 2));
    auto deep = make::tiled();
    auto& levels = deep.fields.tiles;
    while (levels.size() < 9) levels.insert(levels.begin(), levels.front());
    add_made(all, "tiled 9 deep", deep, bad, fields(160));

    rows_of const morton(all, make::morton);
    for (std::uint64_t const i : {0, 4})
        for (unsigned const b : {0u, 1u})
            morton("Morton bits " + number(b) + " for 4", {u32(fields(i), b)}, bad, fields(i));
    rows_of const hilbert(all, make::hilbert);
    for (unsigned const order : {0u, 1u, 3u, 64u, 0xFFFFFFFFu})
        hilbert("Hilbert order " + number(order) + " of 4", {u32(fields(0), order)}, bad,
                fields(0));
    for (unsigned const rank : {0u, 1u, 3u})
        hilbert("Hilbert rank " + number(rank) + " of 2", {u32(fields(4), rank)}, bad, fields(4));
    auto line = make::hilbert();
    line.shape = {4};
    add_made(all, "Hilbert of rank 1", line, bad, fields(4));

    rows_of const csf(all, make::csf);
    for (std::uint64_t const i : {8, 12, 16})
        for (std::uint64_t const mode : {3u, 0xFFFFFFFFu})
            csf("CSF mode " + number(mode), {u32(fields(i), mode)}, bad, fields(8));
    csf("a CSF mode twice", {u32(fields(12), 0)}, bad, fields(8));
    for (std::uint64_t i = 20; i < 28; ++i)
        csf("CSF reserved byte", {u8(fields(i), 1)}, bad, fields(20));
    auto flat = make::csf();
    flat.shape = {6, 4};
    flat.fields.mode_order = {0, 1};
    add_made(all, "CSF of rank 2", flat, bad, fields(0));
    auto shard = make::csf();
    shard.shard = hurray::shard{{2, 3, 4}, {0, 0, 0}};
    add_made(all, "CSF with a shard section", shard, bad, fields(0));

    rows_of const paged(all, make::block_paged);
    paged("pages of 0", {u32(fields(0), 0)}, bad, fields(0));
    paged("paged axis 1", {u32(fields(12), 1)}, bad, fields(12));
    paged("kv_role 3", {u8(fields(20), 3)}, bad, fields(20));
    paged("index_type 2", {u8(fields(25), 2)}, bad, fields(25));
    for (std::uint64_t i = 26; i < 32; ++i)
        paged("block-paged reserved byte", {u8(fields(i), 1)}, bad, fields(26));
    auto page = make::block_paged();
    page.shape = {4, 4};
    add_made(all, "block-paged of rank 2", page, bad, fields(0));
    page = make::block_paged();
    page.shard = hurray::shard{{4, 2, 2}, {0, 0, 0}};
    add_made(all, "block-paged with a shard section", page, bad, fields(0));
}

void add_other_buffers(std::vector<corruption>& all) {
    for (auto d : {make::dense(element_type::float32, {3, 4}), make::strided(), make::tiled(),
                   make::morton(), make::hilbert(), make::coo(), make::csf(), make::block_paged(),
                   make::per_tensor(), make::per_block()}) {
        d.buffers.push_back({.byte_size = 0});
        add_made(all, std::string(hurray::name(d.layout)) + " with a buffer too many", d,
                 errc::buffer_count_not_of_layout, buffer_count(), notes);
    }
    for (auto d : {make::coo(), make::csf(), make::block_paged()}) {
        d.buffers.pop_back();
        add_made(all, std::string(hurray::name(d.layout)) + " with a buffer too few", d,
                 errc::buffer_count_not_of_layout, buffer_count(), notes);
    }

    auto const sized = [&](std::string what, descriptor d, std::size_t buffer, std::uint64_t size) {
        d.buffers[buffer].byte_size = size;
        add_made(all, std::move(what), d, errc::buffer_size_mismatch, handle(buffer, 0), notes);
    };
    sized("row-major, a byte short", make::dense(element_type::float32, {3, 4}), 0, 47);
    sized("column-major, a byte short",
          make::dense(element_type::float32, {3, 4}, layout::column_major), 0, 47);
    sized("a scalar, a byte short", make::dense(element_type::float32, {}), 0, 3);
    sized("bool, a byte short", make::dense(element_type::boolean, {9}), 0, 1);
    sized("6-bit, a byte short", make::dense(element_type::float6_e2m3, {5}), 0, 5);
    sized("strided, a byte short", make::strided(), 0, 47);
    sized("tiled, a byte short", make::tiled(), 0, 63);
    sized("Morton, a byte short", make::morton(), 0, 63);
    sized("Hilbert, a byte short", make::hilbert(), 0, 63);
    sized("an extension type, a byte short", make::extension(4), 0, 2);
    auto moved = make::dense(element_type::float32, {3, 4});
    moved.byte_offset = 1;
    sized("row-major, moved by a byte", moved, 0, 48);
    for (auto const& strides : {std::vector<std::int64_t>{5, 1},
                                {-4, 1},
                                {4, -1},
                                {std::int64_t{1} << 62, 1},
                                {INT64_MIN, 1},
                                {INT64_MAX, INT64_MAX}}) {
        auto far = make::strided();
        far.fields.strides = strides;
        sized("strides that leave the buffer", far, 0, 48);
    }
    auto vast = make::dense(element_type::float32, {3, 4});
    vast.shape = {std::uint64_t{1} << 62, 4};
    sized("D-28: a size that wraps to 0", vast, 0, 0);
    auto ragged = make::tiled();
    ragged.shape = {5, 4};
    sized("tiles that go past the shape", ragged, 0, 80);

    for (std::uint64_t const size : {0, 4, 12}) sized("COO values", make::coo(), 0, size);
    for (std::uint64_t const size : {0, 24, 40}) sized("COO indices", make::coo(), 1, size);
    for (std::uint64_t const size : {0, 4, 12}) sized("CSF values", make::csf(), 0, size);
    for (std::uint64_t const size : {0, 8, 24}) sized("CSF leaves", make::csf(), 6, size);
    for (std::uint64_t const size : {0, 4, 16})
        sized("block-paged sequences", make::block_paged(), 2, size);
}

}  // namespace

std::vector<corruption> section_corruptions() {
    std::vector<corruption> all;
    add_quantization_header(all);
    add_schemes(all);
    add_shard_and_statistics(all);
    add_extension(all);
    add_composite(all);
    add_layout_fields(all);
    add_other_buffers(all);
    return all;
}

}  // namespace hurray_test

BOOST_AUTO_TEST_SUITE(corruption_section)

BOOST_AUTO_TEST_CASE(every_row_in_both_modes) {
    hurray_test::run(hurray_test::section_corruptions());
}

BOOST_AUTO_TEST_SUITE_END()
