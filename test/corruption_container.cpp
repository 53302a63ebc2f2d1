// Header, trailer, index, key-values, and where things lie.

#include "corruption.hpp"

#include <boost/test/unit_test.hpp>

namespace hurray_test {
namespace {

using hurray::element_type;
using hurray::errc;
using hurray::layout;

constexpr std::uint64_t most = ~std::uint64_t{0};

bytes no_tensors() { return file_builder().build(); }
bytes one_matrix() { return worked_example(); }
bytes two() { return two_matrices(); }
bytes sorted() { return two_matrices(true); }
bytes with_bool() { return file_of_value(5, to_bytes("\1")); }
bytes empty_tensor() { return file_of(make::dense(element_type::float32, {0, 4})); }
bytes group_head() { return file_of(make::composite(3, 0)); }

hurray::descriptor empty_matrix() {
    return make::matrix(layout::csr, element_type::float32, 4, 5, 0);
}
bytes alike_matrices() {
    return file_builder().tensor("a", empty_matrix()).tensor("b", empty_matrix()).build();
}

std::string number(std::uint64_t n) { return std::to_string(n); }

void add_header(std::vector<corruption>& all) {
    for (std::uint64_t const size : {0, 1, 63, 64, 103})
        add_row(
            all, number(size) + " bytes",
            [size] {
                auto file = no_tensors();
                file.resize(size);
                return file;
            },
            {}, stage::open, errc::file_too_small, byte_at(size));
    for (std::uint64_t i = 0; i < 8; ++i)
        add_row(all, "magic byte " + number(i), no_tensors, {u8(byte_at(i), 'x')}, stage::open,
                errc::bad_file_magic, byte_at(i));
    for (std::uint64_t const major : {2, 255})
        add_row(all, "major " + number(major), two, {u8(byte_at(8), major)}, stage::open,
                errc::container_version_too_new, byte_at(8));
    add_row(all, "D-17: major 0", two, {u8(byte_at(8), 0)}, stage::open,
            errc::container_version_too_old, byte_at(8));
    for (std::uint64_t i = 10; i < 12; ++i)
        add_row(all, "D-13: reserved byte " + number(i), two, {u8(byte_at(i), 1)}, stage::open,
                errc::header_reserved_not_zero, byte_at(10));
    for (std::uint64_t i = 36; i < 64; ++i)
        add_row(all, "D-13: reserved byte " + number(i), two, {u8(byte_at(i), 0x80)}, stage::open,
                errc::header_tail_not_zero, byte_at(36));
    for (std::uint64_t const alignment :
         {0u, 1u, 64u, 2048u, 4095u, 4097u, 12288u, 4u << 20, 1u << 31, ~0u})
        add_row(all, "D-01: data alignment " + number(alignment), two,
                {u32(byte_at(16), alignment)}, stage::open, errc::bad_data_alignment, byte_at(16));
    for (auto const from : {two, no_tensors})
        for (std::uint64_t const first : {0, 8, 56})
            add_row(all, "first descriptor at " + number(first), from, {u64(byte_at(20), first)},
                    stage::open, errc::first_descriptor_inside_header, byte_at(20));
    for (auto const from : {two, no_tensors})
        for (std::uint64_t const first : {std::uint64_t{68}, std::uint64_t{65}, most})
            add_row(all, "first descriptor at " + number(first), from, {u64(byte_at(20), first)},
                    stage::open, errc::first_descriptor_misaligned, byte_at(20));
    for (std::uint64_t const first : {std::uint64_t{72}, std::uint64_t{12328}, most - 7})
        add_row(all, "D-15: first descriptor at " + number(first), two, {u64(byte_at(20), first)},
                stage::open, errc::first_descriptor_elsewhere, byte_at(20));
    for (unsigned bit = 3; bit < 32; ++bit)
        add_row(all, "file flag " + number(bit), two, {u32(byte_at(12), 5u | 1u << bit)},
                stage::open, errc::unknown_file_flags, byte_at(12));
    // in permissive mode the trailer decides.
    add_row(all, "key-value flag without a section", no_tensors, {u32(byte_at(12), 5)}, stage::open,
            errc::metadata_flag_wrong, trailer(16), notes_at(byte_at(12)));
    auto const half = otherwise(stage::open, errc::metadata_range_incomplete, trailer(16));
    add_row(all, "key-value flag, and kv_offset 0", two, {u64(trailer(16), 0)}, stage::open,
            errc::metadata_flag_wrong, trailer(16), half);
    add_row(all, "key-value flag, and kv_length 0", two, {u32(trailer(24), 0)}, stage::open,
            errc::metadata_flag_wrong, trailer(16), half);
}

void add_trailer(std::vector<corruption>& all) {
    add_row(all, "a byte of the index changed", two, {unsealed(u8(entry(2), 'z'))}, stage::open,
            errc::index_checksum_mismatch, index_at(0));
    add_row(all, "the last byte of the index changed", two, {unsealed(u8(entry_flags(1), 1))},
            stage::open, errc::index_checksum_mismatch, index_at(0));
    add_row(all, "A-02: a checksum of 0", two, {unsealed(u32(trailer(28), 0))}, stage::open,
            errc::index_checksum_mismatch, index_at(0));
    add_row(all, "D-14: a checksum, its flag cleared", two, {u32(byte_at(12), 1)}, stage::open,
            errc::index_checksum_without_flag, trailer(28));
    for (std::uint64_t i = 0; i < 4; ++i)
        add_row(all, "trailer magic byte " + number(i), two, {u8(trailer(36 + i), 'x')},
                stage::open, errc::bad_trailer_magic, trailer(36 + i));
    add_row(all, "cut short by a byte", two, {grow(-1)}, stage::open, errc::bad_trailer_magic,
            from_end(5));
    add_row(all, "cut short by a page", two, {grow(-4096)}, stage::open, errc::bad_trailer_magic,
            from_end(4096 + 4));
    add_row(all, "a byte after the end", two, {grow(1)}, stage::open, errc::bad_trailer_magic,
            from_end(3));
    for (std::uint64_t i = 32; i < 36; ++i)
        add_row(all, "D-13: reserved trailer byte " + number(i), two, {u8(trailer(i), 1)},
                stage::open, errc::trailer_reserved_not_zero, trailer(32));

    struct range {
        std::uint64_t offset, length;
    };
    for (auto const r : {range{0x10, most - 14},
                         range{std::uint64_t{1} << 63, std::uint64_t{1} << 63}, range{most - 7, 8},
                         range{64, most}, range{64, 9}, range{56, 8}, range{0, 8}, range{80, 0}})
        add_row(all, "D-02: index of " + number(r.length) + " at " + number(r.offset), no_tensors,
                {u64(trailer(0), r.offset), u64(trailer(8), r.length)}, stage::open,
                errc::index_outside_file, trailer(0));
    add_row(all, "index off by 4", two, {add64(trailer(0), 4), add64(trailer(8), -4)}, stage::open,
            errc::index_misaligned, trailer(0));

    add_row(all, "kv_offset and no kv_length", no_tensors, {u64(trailer(16), 64)}, stage::open,
            errc::metadata_range_incomplete, trailer(16));
    add_row(all, "kv_length and no kv_offset", no_tensors, {u32(trailer(24), 8)}, stage::open,
            errc::metadata_range_incomplete, trailer(16));
    for (std::uint64_t const offset :
         {std::uint64_t{8}, std::uint64_t{56}, std::uint64_t{1} << 63, most - 7})
        add_row(all, "key-values at " + number(offset), two, {u64(trailer(16), offset)},
                stage::open, errc::metadata_outside_its_place, trailer(16));
    add_row(all, "D-16: key-values past the trailer", two, {u32(trailer(24), 0xFFFFFFFF)},
            stage::open, errc::metadata_outside_its_place, trailer(16));
    add_row(all, "key-values into the index", two, {u32(trailer(24), 20)}, stage::open,
            errc::metadata_outside_its_place, trailer(16));
    for (std::uint64_t const offset : {64, 72, 4096, 12328, 16384})
        add_row(all, "key-values in a tensor, at " + number(offset), two,
                {u64(trailer(16), offset)}, stage::open, errc::metadata_outside_its_place,
                trailer(16));
    add_row(all, "key-values off by 4", with_bool, {u64(trailer(16), 68)}, stage::open,
            errc::metadata_misaligned, trailer(16));
}

void add_index(std::vector<corruption>& all) {
    for (std::uint64_t const count :
         {most, std::uint64_t{1} << 32, std::uint64_t{1} << 61, std::uint64_t{3}})
        add_row(all, "D-03: " + number(count) + " entries", two, {u64(index_at(0), count)},
                stage::open, errc::index_length_mismatch, index_at(0));
    for (std::uint64_t const length : {0, 4, 7})
        add_row(all, "an index of " + number(length) + " bytes", two, {u64(trailer(8), length)},
                stage::open, errc::index_length_mismatch, index_at(0));
    add_row(all, "an entry's name past the end", two, {u16(entry(0, 1), 200)}, stage::open,
            errc::index_length_mismatch, entry(0, 1));
    add_row(all, "an entry's fields past the end", two, {u16(entry(0, 1), 2)}, stage::open,
            errc::index_length_mismatch, entry(4, 1));
    add_row(all, "an entry left over", two, {u64(index_at(0), 1)}, stage::open,
            errc::index_length_mismatch, entry(0, 1), notes);
    add_row(
        all, "bytes left over",
        [] { return file_builder().tensor("a", empty_matrix()).index_slack(8).build(); }, {},
        stage::open, errc::index_length_mismatch, index_at(8 + 35), notes);

    all.push_back(
        {"no name", two, {u16(entry(0), 0)}, stage::open, errc::empty_tensor_name, entry(0)});
    for (auto const name :
         {"\x80", "\xFF", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "ab\xC3"})
        add_row(
            all, "a name that is not UTF-8",
            [name] { return file_builder().tensor(name, empty_matrix()).build(); }, {}, stage::open,
            errc::tensor_name_not_utf8, entry(2));
    add_row(all, "one name twice", two, {u8(entry(2, 1), 'a')}, stage::open,
            errc::duplicate_tensor_name, entry(0, 1));
    add_row(all, "one name twice, said to be sorted", sorted, {u8(entry(2, 1), 'a')}, stage::open,
            errc::duplicate_tensor_name, entry(0, 1));
    add_row(all, "D-15: names exchanged in a sorted index", sorted,
            {u8(entry(2, 0), 'b'), u8(entry(2, 1), 'a')}, stage::open, errc::index_not_sorted,
            entry(0, 1), notes);
    for (std::size_t t = 0; t < 2; ++t)
        for (int const off : {1, 4, 7})
            add_row(all, "descriptor off by " + number(static_cast<std::uint64_t>(off)), two,
                    {add64(descriptor_offset(t), off)}, stage::open, errc::descriptor_misaligned,
                    descriptor_offset(t));
    for (unsigned bit = 0; bit < 32; ++bit)
        add_row(all, "D-13: entry flag " + number(bit), two, {u32(entry_flags(1), 1u << bit)},
                stage::open, errc::index_flags_not_zero, entry_flags(1));
}

void add_placement(std::vector<corruption>& all) {
    for (std::uint64_t const offset :
         {std::uint64_t{0}, std::uint64_t{56}, std::uint64_t{1} << 32, most - 7, most - 111})
        add_row(all, "descriptor at " + number(offset), two, {u64(descriptor_offset(1), offset)},
                stage::open, errc::descriptor_outside_its_place, descriptor_offset(1));
    add_row(all, "a descriptor of 4 GiB", two, {u32(descriptor_length(0), 0xFFFFFFFF)}, stage::open,
            errc::descriptor_outside_its_place, descriptor_offset(0));
    add_row(all, "two entries for one tensor", alike_matrices,
            {u64(descriptor_offset(1), 64), u64(data_offset(1), 4096)}, stage::open,
            errc::descriptor_outside_its_place, descriptor_offset(1));
    add_row(all, "a descriptor inside another", alike_matrices,
            {u64(descriptor_offset(1), 72), u64(data_offset(1), 4096)}, stage::open,
            errc::descriptor_outside_its_place, descriptor_offset(1));

    for (std::uint64_t const length : {101, 110, 200})
        add_row(all, "D-11: " + number(length) + " bytes of descriptor in the index", one_matrix,
                {u32(descriptor_length(), length)}, stage::describe,
                errc::descriptor_length_mismatch, in_descriptor(6));
    for (std::uint64_t const length : {20, 108, 110})
        add_row(all, number(length) + " bytes of descriptor in itself", one_matrix,
                {u32(in_descriptor(6), length)}, stage::describe, errc::descriptor_length_mismatch,
                in_descriptor(6));

    // Permissive mode asks for a multiple of the alignment only, since tensors may share data.
    auto const outside = otherwise(stage::open, errc::data_outside_its_place, data_offset());
    add_row(all, "D-12: data at 0", one_matrix, {u64(data_offset(), 0)}, stage::open,
            errc::data_misplaced, data_offset(), outside);
    add_row(all, "D-12: data at 4097", one_matrix, {u64(data_offset(), 4097)}, stage::open,
            errc::data_misplaced, data_offset());
    add_row(all, "data one unit further", one_matrix, {u64(data_offset(), 8192)}, stage::open,
            errc::data_misplaced, data_offset(), outside);
    add_row(all, "data at 2^64 - 4096", one_matrix, {u64(data_offset(), most - 4095)}, stage::open,
            errc::data_misplaced, data_offset(), outside);
    add_row(all, "A-24: data of another tensor", alike_matrices, {u64(data_offset(1), 4096)},
            stage::open, errc::data_misplaced, data_offset(1), notes);
    for (std::uint64_t const offset :
         {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{4097}, std::uint64_t{8192}, most})
        add_row(all, "an empty tensor's data at " + number(offset), empty_tensor,
                {u64(data_offset(), offset)}, stage::describe, errc::data_misplaced, data_offset());
    for (std::uint64_t const offset :
         {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{8192}, most})
        add_row(all, "data of an unknown layout at " + number(offset), empty_tensor,
                {u8(in_descriptor(15), 0x0F), u64(data_offset(), offset)}, stage::describe,
                errc::unknown_layout, in_descriptor(15),
                otherwise(stage::describe, errc::data_misplaced, data_offset()));
    for (std::uint64_t const offset :
         {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{8192}, most})
        add_row(all, "a composite head's data at " + number(offset), group_head,
                {u64(data_offset(), offset)}, stage::describe, errc::data_misplaced, data_offset());

    auto const spacious = [] { return file_builder().tensor("a", empty_matrix()).gap(64).build(); };
    for (int const by : {-40, -1, 1, 8, 64})
        add_row(all, "data length off by " + std::to_string(by), spacious,
                {add64(data_length(), by)}, stage::describe, errc::data_length_mismatch,
                data_length());
    auto const row_major = [] { return file_of(make::dense(element_type::float32, {3, 4})); };
    for (std::uint64_t const size :
         {std::uint64_t{100} << 30, std::uint64_t{1} << 62, most, most - 4095, std::uint64_t{49}})
        add_row(all, "D-05: a buffer of " + number(size), row_major, {u64(handle(0, 0), size)},
                stage::describe, errc::data_length_mismatch, data_length());
    add_row(all, "data length 0", row_major, {u64(data_length(), 0)}, stage::describe,
            errc::data_length_mismatch, data_length());
    for (std::uint64_t const length : {most, most - 4095, std::uint64_t{1} << 62})
        add_row(all, "data of " + number(length), two, {u64(data_length(1), length)}, stage::open,
                errc::data_outside_its_place, data_offset(1));
    add_row(all, "data into the index", one_matrix, {add64(data_length(), 1)}, stage::open,
            errc::data_outside_its_place, data_offset());
    add_row(all, "data into the key-values", two, {add64(data_length(1), 1)}, stage::open,
            errc::data_outside_its_place, data_offset(1));
    add_row(all, "data past the key-values, into the index", two, {add64(data_length(1), 20)},
            stage::open, errc::data_outside_its_place, data_offset(1));
    for (int const by : {1, 100})
        add_row(all, "data into the next descriptor", two, {add64(data_length(0), by)}, stage::open,
                errc::data_outside_its_place, data_offset(0));
    add_row(all, "data over the next tensor", two, {add64(data_length(0), 8192)}, stage::open,
            errc::data_outside_its_place, data_offset(0));

    add_row(
        all, "a composite head with data",
        [] {
            return file_of(make::composite(3, 0).encode(), make::dense(element_type::float32, {2}));
        },
        {}, stage::describe, errc::composite_head_with_data, data_length());
}

void add_padding(std::vector<corruption>& all) {
    auto const add = [&](std::string what, std::function<bytes()> from, place where) {
        add_row(all, std::move(what), std::move(from), {u8(where, 1)}, stage::verify,
                errc::padding_not_zero, where, tolerates);
    };
    add("padding after a descriptor", one_matrix, in_descriptor(109));
    add("the last padding byte before the data", one_matrix, byte_at(4095));
    add("padding after the values", one_matrix, in_buffer(0, 20));
    add("padding after the indices", one_matrix, in_buffer(1, 4095));
    add("padding after the key-values", two, key_values(13));
    add(
        "padding after the header",
        [] { return file_builder().gap(64).tensor("a", empty_matrix()).build(); }, byte_at(64));
    add(
        "padding after the last buffer",
        [] { return file_of(make::dense(element_type::int8, {3})); }, in_buffer(0, 3));
    add(
        "padding between tensors",
        [] {
            return file_builder()
                .tensor("a", empty_matrix())
                .gap(64)
                .tensor("b", empty_matrix())
                .build();
        },
        in_buffer(2, 40));
    add("padding of an empty tensor", empty_tensor, in_descriptor(80));
}

void add_key_values(std::vector<corruption>& all) {
    auto const broken = [&](std::string what, bytes section, errc code, std::uint64_t at,
                            permissive mildly = same) {
        add_row(
            all, std::move(what), [section] { return file_builder().metadata(section).build(); },
            {}, stage::open, code, key_values(at), mildly);
    };
    auto const value = [](unsigned tag, byte_writer payload) {
        return metadata_section(tag, payload.take());
    };
    for (std::uint64_t const count : {0xFFFFFFFFu, 1u << 31, 2u})
        add_row(all, "D-04: " + number(count) + " key-values", with_bool,
                {u32(key_values(0), count)}, stage::open, errc::metadata_length_mismatch,
                key_values(0));
    for (std::size_t const size : {1u, 3u})
        broken("a section of " + number(size), bytes(size), errc::metadata_length_mismatch, 0);
    add_row(all, "a key past the end", with_bool, {u16(key_values(4), 50)}, stage::open,
            errc::metadata_length_mismatch, key_values(4));
    broken("a key and no tag", byte_writer().u32(1).u16(3).text("key").take(),
           errc::metadata_length_mismatch, 9);
    broken("a number cut off", value(2, byte_writer().u32(7)), errc::metadata_length_mismatch, 8);
    broken("a length cut off", value(6, byte_writer().u16(7)), errc::metadata_length_mismatch, 8);
    broken("a string past the end", value(1, byte_writer().u32(100).text("text")),
           errc::metadata_length_mismatch, 8);
    broken("a string of 4 GiB", value(1, byte_writer().u32(0xFFFFFFFF)),
           errc::metadata_length_mismatch, 8);
    broken("bytes of an array past the end", value(7, byte_writer().u8(6).u32(1).u32(9)),
           errc::metadata_length_mismatch, 13);
    broken("D-16: a byte left over", value(5, byte_writer().u8(1).u8(0)),
           errc::metadata_length_mismatch, 9, notes);

    add_row(all, "no key", with_bool, {u16(key_values(4), 0)}, stage::open, errc::bad_metadata_key,
            key_values(4));
    add_row(all, "a key that is not UTF-8", with_bool, {u8(key_values(6), 0xFF)}, stage::open,
            errc::bad_metadata_key, key_values(4));
    broken("one key twice",
           byte_writer().u32(2).u16(1).text("k").u8(5).u8(1).u16(1).text("k").u8(5).u8(0).take(),
           errc::duplicate_metadata_key, 9);
    broken("one key twice, others between",
           byte_writer()
               .u32(3)
               .u16(1)
               .text("k")
               .u8(5)
               .u8(1)
               .u16(1)
               .text("a")
               .u8(5)
               .u8(1)
               .u16(1)
               .text("k")
               .u8(2)
               .u64(0)
               .take(),
           errc::duplicate_metadata_key, 14);

    broken("a string that is not UTF-8", value(1, byte_writer().u32(1).u8(0xFF)),
           errc::bad_metadata_string, 8);
    broken("a string of a surrogate", value(1, byte_writer().u32(3).text("\xED\xBF\xBF")),
           errc::bad_metadata_string, 8);
    broken("an array's string that is not UTF-8",
           value(7, byte_writer().u8(1).u32(2).u32(0).u32(1).u8(0x80)), errc::bad_metadata_string,
           17);
    for (std::uint64_t const v : {2, 255})
        add_row(all, "bool " + number(v), with_bool, {u8(key_values(8), v)}, stage::open,
                errc::bad_metadata_bool, key_values(8));
    broken("an array's bool 2", value(7, byte_writer().u8(5).u32(3).u8(0).u8(1).u8(2)),
           errc::bad_metadata_bool, 15);

    for (unsigned const tag : {0u, 7u, 8u, 0xF0u, 0xFFu})
        for (std::uint64_t const count : {0u, 1u})
            broken("D-16: an array of tag " + number(tag) + ", count " + number(count),
                   value(7, byte_writer().u8(tag).u32(count).u64(0)), errc::bad_metadata_array, 8);
    for (unsigned tag = 1; tag <= 6; ++tag)
        broken("D-04: an array of 2^32 - 1 of tag " + number(tag),
               value(7, byte_writer().u8(tag).u32(0xFFFFFFFF).u64(0)), errc::bad_metadata_array, 9);
    broken("an array of one number too many", value(7, byte_writer().u8(3).u32(2).u64(0).u32(0)),
           errc::bad_metadata_array, 9);
    broken("an array without its count", value(7, byte_writer().u8(3).u16(0)),
           errc::bad_metadata_array, 9);
    for (unsigned const tag : {0x00u, 0x08u, 0x80u, 0xEFu, 0xFFu})
        broken("tag " + number(tag), value(tag, byte_writer().u64(0)), errc::unknown_metadata_tag,
               7);
    for (unsigned const tag : {0xF0u, 0xFEu})
        broken("tag " + number(tag), value(tag, byte_writer().u64(0)), errc::private_metadata_tag,
               7);
}

void add_order(std::vector<corruption>& all) {
    auto const add = [&](std::string what, std::function<bytes()> from, place where) {
        add_row(all, std::move(what), std::move(from), {}, stage::open, errc::sections_out_of_order,
                where, notes);
    };
    add(
        "a gap after the header",
        [] { return file_builder().gap(4096).tensor("a", empty_matrix()).build(); }, byte_at(64));
    add(
        "a gap between tensors",
        [] {
            return file_builder()
                .tensor("a", empty_matrix())
                .gap(4096)
                .tensor("b", empty_matrix())
                .build();
        },
        in_buffer(2, 40));
    add(
        "a gap before the key-values",
        [] {
            return file_builder()
                .tensor("a", empty_matrix())
                .gap(4096)
                .metadata(metadata_section(5, to_bytes("\1")))
                .build();
        },
        in_buffer(2, 40));
    add(
        "a gap after the key-values",
        [] {
            return file_builder().metadata(metadata_section(5, to_bytes("\1"))).gap(4096).build();
        },
        key_values(9));
    add(
        "a gap before the index",
        [] { return file_builder().tensor("a", empty_matrix()).gap(8192).build(); },
        in_buffer(2, 40));
    add(
        "a gap before the trailer",
        [] { return file_builder().tensor("a", empty_matrix()).index_of({"a"}).gap(4096).build(); },
        index_at(8 + 35));
    add(
        "a wider gap than an alignment of 65536",
        [] { return file_builder(65536).tensor("a", empty_matrix()).gap(65536).build(); },
        in_buffer(2, 40));

    add(
        "the index before the key-values",
        [] {
            return file_builder()
                .index_of({})
                .metadata(metadata_section(5, to_bytes("\1")))
                .build();
        },
        trailer(16));
    add(
        "a tensor after the index",
        [] {
            return file_builder()
                .tensor("a", empty_matrix())
                .index_of({"a", "b"})
                .tensor("b", empty_matrix())
                .build();
        },
        descriptor_offset(1));
    add(
        "a tensor after the key-values",
        [] {
            return file_builder()
                .metadata(metadata_section(5, to_bytes("\1")))
                .tensor("a", empty_matrix())
                .build();
        },
        descriptor_offset(0));
}

}  // namespace

std::vector<corruption> container_corruptions() {
    std::vector<corruption> all;
    add_header(all);
    add_trailer(all);
    add_index(all);
    add_placement(all);
    add_padding(all);
    add_key_values(all);
    add_order(all);
    return all;
}

}  // namespace hurray_test

BOOST_AUTO_TEST_SUITE(corruption_container)

BOOST_AUTO_TEST_CASE(every_row_in_both_modes) {
    hurray_test::run(hurray_test::container_corruptions());
}

BOOST_AUTO_TEST_SUITE_END()
