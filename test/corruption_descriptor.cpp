// The descriptor's fixed header, shape, buffer table, and the fields of CSR and CSC.

#include "corruption.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>

namespace hurray_test {
namespace {

using hurray::descriptor;
using hurray::element_type;
using hurray::errc;
using hurray::layout;

constexpr std::uint64_t most = ~std::uint64_t{0};

bytes csr() { return worked_example(); }
bytes csc() { return worked_example(layout::csc); }
bytes row_major() { return file_of(make::dense(element_type::float32, {3, 4})); }
bytes sharded() { return file_of(make::sharded()); }

descriptor matrix(std::uint64_t nnz = 0) {
    return make::matrix(layout::csr, element_type::float32, 4, 5, nnz);
}

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string hex_tag(unsigned tag) { return "tag " + hex(bytes{static_cast<std::byte>(tag)}); }

/// A descriptor with `extra` bytes at its end that its length counts.
bytes longer(descriptor const& d, std::uint64_t extra, unsigned minor) {
    auto encoded = byte_writer().put(d.encode()).zeros(extra).take();
    put_number(encoded, 5, minor, 1);
    put_number(encoded, 6, encoded.size(), 4);
    return file_of(std::move(encoded), d);
}

/// A row of something that the builder makes broken.
struct broken_adder {
    std::vector<corruption>& all;
    void operator()(std::string what, std::function<bytes()> from, errc code, place where,
                    permissive mildly = same) const {
        add_row(all, std::move(what), std::move(from), {}, stage::describe, code, where, mildly);
    }
};
/// A row of edits to a valid file.
struct edited_adder {
    std::vector<corruption>& all;
    void operator()(std::string what, std::function<bytes()> from, std::vector<edit> edits,
                    errc code, place where, permissive mildly = same) const {
        add_row(all, std::move(what), std::move(from), std::move(edits), stage::describe, code,
                where, mildly);
    }
};

void add_fixed_header(std::vector<corruption>& all) {
    edited_adder const add{all};
    broken_adder const broken{all};
    for (std::uint64_t i = 0; i < 4; ++i)
        add("magic byte " + number(i), csr, {u8(in_descriptor(i), 'x')}, errc::bad_descriptor_magic,
            in_descriptor(i));
    for (std::uint64_t const major : {2, 255})
        add("major " + number(major), csr, {u8(in_descriptor(4), major)},
            errc::descriptor_version_too_new, in_descriptor(4));
    add("D-17: major 0", csr, {u8(in_descriptor(4), 0)}, errc::descriptor_version_too_old,
        in_descriptor(4));
    for (std::uint64_t const length : {0, 1, 19}) {
        add(number(length) + " bytes in itself", csr, {u32(in_descriptor(6), length)},
            errc::descriptor_too_short, in_descriptor(6));
        add(number(length) + " bytes in the index", csr, {u32(descriptor_length(), length)},
            errc::descriptor_too_short, descriptor_length());
    }

    add("more dimensions than bytes", row_major, {u32(in_descriptor(16), 64)},
        errc::descriptor_truncated, in_descriptor(20));
    add("more buffers than bytes", csr, {u8(buffer_count(), 4)}, errc::descriptor_truncated,
        handle(3, 0));
    add("255 buffers", row_major, {u8(buffer_count(), 255)}, errc::descriptor_truncated,
        handle(1, 0));
    add("a shard flag and no section", csr, {u32(in_descriptor(10), 2)}, errc::descriptor_truncated,
        sections(0));
    add("a statistics flag and no section", csr, {u32(in_descriptor(10), 8)},
        errc::descriptor_truncated, sections(0));
    add("a member flag and no section", csr, {u32(in_descriptor(10), 16)},
        errc::descriptor_truncated, sections(0));
    broken(
        "no byte_offset",
        [] {
            auto encoded = make::dense(element_type::float32, {3, 4}).encode();
            encoded.resize(36);
            put_number(encoded, 6, 36, 4);
            return file_of(std::move(encoded), make::dense(element_type::float32, {3, 4}));
        },
        errc::descriptor_truncated, byte_at(64 + 36));

    for (std::uint64_t const extra : {1, 8, 1000})
        broken(
            number(extra) + " bytes after the last field",
            [extra] { return longer(matrix(), extra, 0); }, errc::descriptor_longer_than_its_fields,
            in_descriptor(109));
    for (unsigned bit = 5; bit < 32; ++bit)
        add("flag " + number(bit), csr, {u32(in_descriptor(10), 1u << bit)},
            errc::unknown_descriptor_flags, in_descriptor(10));
    add("flag 5 at minor 1", csr, {u8(in_descriptor(5), 1), u32(in_descriptor(10), 32)},
        errc::unknown_descriptor_flags, in_descriptor(10));

    add("an extension flag on float32", csr, {u32(in_descriptor(10), 4)},
        errc::extension_flag_wrong, in_descriptor(10));
    for (unsigned const tag : {0xF0u, 0xFEu})
        add(hex_tag(tag) + " without its section", csr, {u8(in_descriptor(14), tag)},
            errc::extension_flag_wrong, in_descriptor(10));
    for (unsigned const tag : {0x00u, 0x47u, 0xFFu})
        add("element type " + hex_tag(tag), csr, {u8(in_descriptor(14), tag)},
            errc::reserved_element_type, in_descriptor(14));
    for (unsigned const tag : {0x05u, 0x0Fu, 0x18u, 0x21u, 0x4Cu, 0x52u, 0x80u, 0xEFu})
        add("element type " + hex_tag(tag), csr, {u8(in_descriptor(14), tag)},
            errc::unknown_element_type, in_descriptor(14), notes);
    add("element type of a later minor", csr,
        {u8(in_descriptor(5), 1), u8(in_descriptor(14), 0x30)}, errc::unknown_element_type,
        in_descriptor(14), notes);
    for (unsigned const tag : {0x00u, 0xFFu})
        add("layout " + hex_tag(tag), csr, {u8(in_descriptor(15), tag)}, errc::unknown_layout,
            in_descriptor(15));
    for (unsigned const tag : {0x0Cu, 0x3Fu, 0x41u, 0x80u, 0xEFu})
        add("layout " + hex_tag(tag), csr, {u8(in_descriptor(15), tag)}, errc::unknown_layout,
            in_descriptor(15), notes);
    broken(
        "a private layout", [] { return file_of(make::of_private_layout()); }, errc::unknown_layout,
        in_descriptor(15), notes);

    for (std::uint64_t const rank : {65u, 1u << 16, 0xFFFFFFFFu})
        add("rank " + number(rank), row_major, {u32(in_descriptor(16), rank)}, errc::rank_too_large,
            in_descriptor(16));
    add("D-07: a CSR scalar", csr, {u32(in_descriptor(16), 0)}, errc::scalar_not_row_major,
        in_descriptor(16));
    broken(
        "a column-major scalar",
        [] { return file_of(make::dense(element_type::float32, {}, layout::column_major)); },
        errc::scalar_not_row_major, in_descriptor(16));
    for (auto const from : {csr, csc})
        for (std::uint64_t const rank : {1, 3, 64})
            add("D-07: a matrix of rank " + number(rank), from, {u32(in_descriptor(16), rank)},
                errc::rank_not_two, in_descriptor(16));
}

void add_shape(std::vector<corruption>& all) {
    edited_adder const add{all};
    for (std::uint64_t const at : {20, 28})
        for (auto const from : {csr, csc})
            add_row(all, "a dynamic dimension at " + number(at), from,
                    {u64(in_descriptor(at), most)}, stage::lazy, errc::dynamic_dimension, nowhere);
    add("a dynamic dimension, sharded", sharded, {u64(in_descriptor(20), most)},
        errc::dynamic_dimension_in_shard, sections(0));
    add("a dynamic dimension of the parent", sharded, {u64(sections(0), most)},
        errc::dynamic_dimension_in_shard, sections(0));
    add("another dynamic dimension of the parent", sharded, {u64(sections(8), most)},
        errc::dynamic_dimension_in_shard, sections(8));

    for (std::uint64_t const offset : {std::uint64_t{49}, most})
        add("byte offset " + number(offset), row_major, {u64(byte_offset(), offset)},
            errc::byte_offset_outside_buffer, byte_offset());
    for (auto const d : {make::coo, make::csf})
        add(
            "byte offset of a sparse tensor", [d] { return file_of(d()); }, {u64(byte_offset(), 8)},
            errc::byte_offset_not_zero, byte_offset());
    add(
        "byte offset of a head", [] { return file_of(make::composite(3, 0)); },
        {u64(byte_offset(), 1)}, errc::byte_offset_not_zero, byte_offset());
    for (auto const from : {csr, csc})
        for (std::uint64_t const offset : {std::uint64_t{8}, std::uint64_t{1} << 63})
            add("D-10: byte offset " + number(offset), from, {u64(byte_offset(), offset)},
                errc::byte_offset_not_zero, byte_offset());
}

void add_matrix(std::vector<corruption>& all) {
    edited_adder const add{all};
    broken_adder const broken{all};
    for (std::size_t const count : {1u, 2u, 4u, 255u})
        broken(
            "D-08: a matrix of " + number(count) + " buffers",
            [count] {
                auto d = matrix();
                d.buffers.resize(count, {.byte_size = 0});
                return file_of(d);
            },
            errc::buffers_not_three, buffer_count());
    for (auto const from : {csr, csc})
        for (std::uint64_t i = 8; i < 16; ++i)
            add("reserved byte " + number(i), from, {u8(fields(i), 1)},
                errc::matrix_reserved_not_zero, fields(8));
    add("a reserved byte at minor 1", csr, {u8(in_descriptor(5), 1), u8(fields(15), 1)},
        errc::matrix_reserved_not_zero, fields(8));

    for (auto const from : {csr, csc}) {
        for (std::uint64_t const size : {0, 16, 19})
            add("D-09: values of " + number(size), from, {u64(handle(0, 0), size)},
                errc::values_size_mismatch, handle(0, 0));
        for (std::uint64_t const size : {21, 24})
            add("values of " + number(size), from, {u64(handle(0, 0), size)},
                errc::values_size_mismatch, handle(0, 0), notes);
        for (std::uint64_t const size : {0, 32, 39})
            add("indices of " + number(size), from, {u64(handle(1, 0), size)},
                errc::indices_size_mismatch, handle(1, 0));
        add("indices of 48", from, {u64(handle(1, 0), 48)}, errc::indices_size_mismatch,
            handle(1, 0), notes);
        for (std::uint64_t const size : {0, 32, 39})
            add("offsets of " + number(size), from, {u64(handle(2, 0), size)},
                errc::offsets_size_mismatch, handle(2, 0));
    }
    for (auto const& [type, size, wrong] :
         {std::tuple(element_type::boolean, 1, 0), std::tuple(element_type::int4, 2, 1),
          std::tuple(element_type::int2, 1, 0), std::tuple(element_type::float6_e2m3, 3, 2),
          std::tuple(element_type::complex128, 48, 47)})
        add(
            "values of " + std::string(hurray::name(type)),
            [type = type, size = size] {
                return one_row(type, 3, bytes(static_cast<std::size_t>(size)));
            },
            {u64(handle(0, 0), static_cast<std::uint64_t>(wrong))}, errc::values_size_mismatch,
            handle(0, 0));
    broken(
        "A-15: five 6-bit values in 4 bytes",
        [] {
            auto d = make::matrix(layout::csr, element_type::float6_e3m2, 1, 5, 5);
            d.buffers[0].byte_size = 4;
            return file_of(d);
        },
        errc::values_size_mismatch, handle(0, 0));

    auto const huge = [](std::uint64_t rows, std::uint64_t columns, std::uint64_t nnz,
                         std::array<std::uint64_t, 3> sizes) {
        return [=] {
            auto d = make::matrix(layout::csr, element_type::boolean, 0, 0, 0);
            d.shape = {rows, columns};
            d.fields.nnz = nnz;
            for (std::size_t k = 0; k < 3; ++k) d.buffers[k].byte_size = sizes[k];
            return file_of(d.encode(), matrix());
        };
    };
    constexpr auto two_61 = std::uint64_t{1} << 61;
    broken("indices whose size wraps to 0", huge(1, most - 1, two_61, {two_61 / 8, 0, 16}),
           errc::indices_size_mismatch, handle(1, 0));
    broken("indices whose size wraps to 8", huge(1, most - 1, two_61 + 1, {two_61 / 8 + 1, 8, 16}),
           errc::indices_size_mismatch, handle(1, 0));
    for (std::uint64_t const size : {std::uint64_t{0}, most - 7, most})
        broken("offsets of 2^64 - 2 rows in " + number(size), huge(most - 1, 0, 0, {0, 0, size}),
               errc::offsets_size_mismatch, handle(2, 0));
    broken("offsets of 2^61 - 1 rows in 0", huge(two_61 - 1, 0, 0, {0, 0, 0}),
           errc::offsets_size_mismatch, handle(2, 0));
    broken(
        "A-14: offsets of 48",
        [] {
            auto d = matrix();
            d.buffers[2].byte_size = 48;
            return file_of(d);
        },
        errc::offsets_size_mismatch, handle(2, 0), notes);
    broken(
        "A-13: no offsets of no rows",
        [] {
            auto d = make::matrix(layout::csr, element_type::float32, 0, 5, 0);
            d.buffers[2].byte_size = 0;
            return file_of(d);
        },
        errc::offsets_size_mismatch, handle(2, 0),
        otherwise(stage::eager, errc::offsets_size_mismatch, in_buffer(2, 0)));

    auto const crowded = [](std::uint64_t rows, std::uint64_t columns, std::uint64_t nnz) {
        return [=] {
            return file_of(make::matrix(layout::csr, element_type::int8, rows, columns, nnz));
        };
    };
    broken("2 entries in 1 x 1", crowded(1, 1, 2), errc::nnz_exceeds_shape, fields(0));
    broken("an entry in 0 x 5", crowded(0, 5, 1), errc::nnz_exceeds_shape, fields(0));
    broken("an entry in 5 x 0", crowded(5, 0, 1), errc::nnz_exceeds_shape, fields(0));
    for (std::uint64_t const nnz : {std::uint64_t{21}, two_61, most})
        add("D-09: nnz " + number(nnz), csr, {u64(fields(0), nnz)}, errc::nnz_exceeds_shape,
            fields(0));
}

void add_buffer_table(std::vector<corruption>& all) {
    edited_adder const add{all};
    broken_adder const broken{all};
    for (auto d : {make::dense(element_type::float32, {3, 4}), matrix(), make::coo(), make::csf()})
        broken(
            "no buffers",
            [d]() mutable {
                d.buffers.clear();
                return file_of(d);
            },
            errc::buffer_count_wrong, buffer_count());
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::uint64_t const alignment : {0u, 96u, 0xFFFFFFFFu})
            add("alignment " + number(alignment), csr, {u32(handle(k, 8), alignment)},
                errc::buffer_alignment_not_power_of_two, handle(k, 8));
        for (std::uint64_t const alignment : {1, 8, 32})
            add("alignment " + number(alignment), csr, {u32(handle(k, 8), alignment)},
                errc::buffer_alignment_too_small, handle(k, 8));
        for (std::uint64_t const alignment : {1u << 31, 1u << 21})
            add("alignment " + number(alignment), csr, {u32(handle(k, 8), alignment)},
                errc::buffer_alignment_not_honoured, handle(k, 8));
    }
    add(
        "alignment 3 of an empty buffer", [] { return file_of(matrix()); }, {u32(handle(0, 8), 3)},
        errc::buffer_alignment_not_power_of_two, handle(0, 8));

    add("device FF", csr, {u8(handle(0, 12), 0xFF)}, errc::reserved_device, handle(0, 12));
    for (unsigned const device : {0x09u, 0x80u, 0xEFu})
        add("device " + hex_tag(device), csr, {u8(handle(2, 12), device)}, errc::unknown_device,
            handle(2, 12));
    auto const all_on = [](unsigned device) {
        return std::vector{u8(handle(0, 12), device), u8(handle(1, 12), device),
                           u8(handle(2, 12), device)};
    };
    auto const foreign = otherwise(stage::lazy, errc::not_in_host_memory, nowhere);
    for (unsigned const device : {0xF0u, 0xFEu})
        add("a private device", csr, all_on(device), errc::private_device, handle(0, 12), foreign);
    for (unsigned device = 1; device <= 8; ++device)
        add_row(all, "D-18: a matrix on device " + number(device), csr, all_on(device), stage::lazy,
                errc::not_in_host_memory, nowhere);
    add("D-18: buffers on two devices", csr, {u8(handle(1, 12), 1)}, errc::buffers_not_colocated,
        handle(1, 12));
    add("D-18: buffers of two memory classes", csr, {u8(handle(2, 14), 1)},
        errc::buffers_not_colocated, handle(2, 14));
    for (unsigned const memory : {0x04u, 0x80u, 0xEFu, 0xFFu})
        add("memory class " + hex_tag(memory), csr, {u8(handle(0, 14), memory)},
            errc::unknown_memory_class, handle(0, 14));
    for (unsigned const memory : {0xF0u, 0xFEu})
        add("D-18: a private memory class", csr, {u8(handle(0, 14), memory)},
            errc::private_memory_class, handle(0, 14));
    struct pair {
        unsigned device, memory;
    };
    for (auto const p :
         {pair{0, 3}, pair{3, 3}, pair{5, 1}, pair{5, 2}, pair{5, 3}, pair{6, 3}, pair{8, 3}}) {
        auto edits = all_on(p.device);
        for (std::size_t k = 0; k < 3; ++k) edits.push_back(u8(handle(k, 14), p.memory));
        add("D-18: memory class " + number(p.memory) + " on device " + number(p.device), csr, edits,
            errc::memory_class_not_of_device, handle(0, 14));
    }
    for (unsigned const mode : {1u, 2u}) {
        add("sync mode " + number(mode), csr, {u8(handle(1, 13), mode)}, errc::sync_mode_not_of_cpu,
            handle(1, 13));
        auto edits = all_on(1);
        edits.push_back(u8(handle(0, 13), mode));
        add("A-21: sync mode " + number(mode) + " on CUDA", csr, edits, errc::sync_mode_not_of_cpu,
            handle(0, 13));
    }
    for (unsigned const mode : {3u, 0xFFu})
        add("sync mode " + number(mode), csr, {u8(handle(1, 13), mode)}, errc::unknown_sync_mode,
            handle(1, 13));
    for (std::size_t k = 0; k < 3; ++k)
        add("the reserved byte of a handle", csr, {u8(handle(k, 15), 1)},
            errc::handle_reserved_not_zero, handle(k, 15));
}

}  // namespace

std::vector<corruption> descriptor_corruptions() {
    std::vector<corruption> all;
    add_fixed_header(all);
    add_shape(all);
    add_matrix(all);
    add_buffer_table(all);
    return all;
}

}  // namespace hurray_test

BOOST_AUTO_TEST_SUITE(corruption_descriptor)

BOOST_AUTO_TEST_CASE(every_row_in_both_modes) {
    hurray_test::run(hurray_test::descriptor_corruptions());
}

// cut anywhere, with a length that says so, a descriptor is refused and nothing behind it
// is looked at: the copies fit exactly, so a sanitizer sees the first byte too many.
BOOST_AUTO_TEST_CASE(R_074_every_cut_is_refused) {
    for (auto const& [name, file] : hurray_test::valid_files())
        for (auto const& t : hurray_test::map_of(file).tensors)
            for (std::uint64_t size = 0; size < t.descriptor.length; ++size) {
                auto const whole = std::span(file).subspan(t.descriptor.offset, size);
                hurray_test::bytes cut(whole.begin(), whole.end());
                if (size >= 10) hurray_test::put_number(cut, 6, size, 4);
                cut.shrink_to_fit();
                for (auto const mode : {hurray::mode::strict, hurray::mode::permissive})
                    BOOST_TEST(!hurray::descriptor::decode(cut, mode).has_value(),
                               name << " cut to " << size);
            }
}

BOOST_AUTO_TEST_SUITE_END()
