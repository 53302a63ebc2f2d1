#include <hurray/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {
namespace {

struct row {
    errc code;
    condition why;
    char const* message;
};

// clang-format off
constexpr auto table = std::to_array<row>({
    {errc::file_too_small, condition::corrupt, "the file is too small to hold a header and a trailer; it may be truncated"},
    {errc::bad_file_magic, condition::corrupt, "this is not a Hurray file: it does not begin with HRRYFILE"},
    {errc::container_version_too_new, condition::unsupported, "the file is of a newer major version of the format"},
    {errc::container_version_too_old, condition::unsupported, "the file is of a version of the format before 1.0"},
    {errc::header_reserved_not_zero, condition::corrupt, "reserved bytes of the file header are not zero"},
    {errc::header_tail_not_zero, condition::corrupt, "reserved bytes at the end of the file header are not zero"},
    {errc::bad_data_alignment, condition::corrupt, "the data alignment is not a power of two from 4096 to 2 MiB"},
    {errc::first_descriptor_inside_header, condition::corrupt, "the first descriptor is said to begin inside the file header"},
    {errc::first_descriptor_misaligned, condition::corrupt, "the first descriptor's offset is not a multiple of 8"},
    {errc::first_descriptor_elsewhere, condition::corrupt, "the first descriptor does not begin where the header says"},
    {errc::tensor_count_hint_differs, condition::corrupt, "the header's hint of how many tensors there are is wrong"},
    {errc::unknown_file_flags, condition::unsupported, "the header has flags that version 1.0 does not know"},
    {errc::metadata_flag_wrong, condition::corrupt, "the header's key-value flag disagrees with the trailer"},
    {errc::index_checksum_mismatch, condition::corrupt, "the index does not match its checksum"},
    {errc::index_checksum_without_flag, condition::corrupt, "there is an index checksum, and the header's flag denies it"},
    {errc::bad_trailer_magic, condition::corrupt, "the file does not end in a trailer: it is truncated, or something follows its end"},
    {errc::trailer_reserved_not_zero, condition::corrupt, "reserved bytes of the trailer are not zero"},
    {errc::index_outside_file, condition::corrupt, "the index does not lie inside the file"},
    {errc::metadata_range_incomplete, condition::corrupt, "of the key-values' offset and length just one is zero"},
    {errc::metadata_outside_its_place, condition::corrupt, "the key-values do not lie between header and index"},
    {errc::metadata_misaligned, condition::corrupt, "the key-values do not start on a multiple of 8"},
    {errc::index_misaligned, condition::corrupt, "the index does not start on a multiple of 8"},
    {errc::index_length_mismatch, condition::corrupt, "the index's entries do not fill its length exactly"},
    {errc::empty_tensor_name, condition::corrupt, "a tensor's name is empty, or longer than 65535 bytes"},
    {errc::tensor_name_not_utf8, condition::corrupt, "a tensor's name is not UTF-8"},
    {errc::duplicate_tensor_name, condition::corrupt, "a tensor's name appears twice"},
    {errc::index_not_sorted, condition::corrupt, "the index is said to be sorted by name and is not"},
    {errc::descriptor_misaligned, condition::corrupt, "a descriptor does not start on a multiple of 8"},
    {errc::descriptor_outside_its_place, condition::corrupt, "a descriptor overlaps another part of the file, or lies outside the tensor region"},
    {errc::descriptor_length_mismatch, condition::corrupt, "index and descriptor disagree about the descriptor's length"},
    {errc::data_misplaced, condition::corrupt, "a tensor's data does not start where alignment puts it"},
    {errc::data_length_mismatch, condition::corrupt, "a tensor's data length is not that of its buffers"},
    {errc::data_outside_its_place, condition::corrupt, "a tensor's data overlaps another part of the file, or lies outside the tensor region"},
    {errc::index_flags_not_zero, condition::corrupt, "an index entry's flags are not zero"},
    {errc::padding_not_zero, condition::corrupt, "a padding byte is not zero"},
    {errc::metadata_length_mismatch, condition::corrupt, "the key-values do not fill their length exactly"},
    {errc::bad_metadata_key, condition::corrupt, "a key is empty, longer than 65535 bytes, or not UTF-8"},
    {errc::duplicate_metadata_key, condition::corrupt, "a key appears twice"},
    {errc::bad_metadata_string, condition::corrupt, "a key-value string is not UTF-8"},
    {errc::bad_metadata_bool, condition::corrupt, "a key-value bool is neither 0 nor 1"},
    {errc::bad_metadata_array, condition::corrupt, "a key-value array has a wrong element tag or more elements than bytes"},
    {errc::unknown_metadata_tag, condition::unsupported, "a key-value has a tag that version 1.0 does not know"},
    {errc::private_metadata_tag, condition::unsupported, "a key-value has a private tag, which cannot be skipped"},
    {errc::metadata_too_long, condition::mismatch, "the key-values are longer than 4 GiB"},
    {errc::bad_descriptor_magic, condition::corrupt, "a descriptor does not begin with HRRY"},
    {errc::descriptor_version_too_new, condition::unsupported, "a descriptor is of a newer major version"},
    {errc::descriptor_version_too_old, condition::unsupported, "a descriptor is of a version before 1.0"},
    {errc::descriptor_too_short, condition::corrupt, "a descriptor's length is less than its fixed header"},
    {errc::descriptor_truncated, condition::corrupt, "a descriptor ends before its fields do"},
    {errc::descriptor_longer_than_its_fields, condition::corrupt, "a descriptor goes on after its last field"},
    {errc::unknown_descriptor_flags, condition::unsupported, "a descriptor has flags that version 1.0 does not know"},
    {errc::extension_flag_wrong, condition::corrupt, "an extension type section goes with a private element type, and only with one"},
    {errc::reserved_element_type, condition::corrupt, "the element type's tag is one that must not be used"},
    {errc::unknown_element_type, condition::unsupported, "the element type is not one of version 1.0"},
    {errc::unknown_layout, condition::unsupported, "the layout is not one of version 1.0"},
    {errc::rank_too_large, condition::corrupt, "the rank is above 64"},
    {errc::scalar_not_row_major, condition::corrupt, "a scalar's layout is not row-major"},
    {errc::dynamic_dimension, condition::unsupported, "the matrix has a dynamic dimension, and a file does not say how large it is"},
    {errc::dynamic_dimension_written, condition::mismatch, "a dimension of 2^64-1 cannot be written"},
    {errc::dynamic_dimension_in_shard, condition::corrupt, "a shard has a dynamic dimension"},
    {errc::dynamic_quantized_axis, condition::corrupt, "the quantized axis is dynamic"},
    {errc::byte_offset_outside_buffer, condition::corrupt, "the byte offset lies outside the first buffer"},
    {errc::byte_offset_not_zero, condition::corrupt, "the byte offset of a sparse tensor or composite is not zero"},
    {errc::rank_not_two, condition::corrupt, "a CSR or CSC tensor is not of rank 2"},
    {errc::buffers_not_three, condition::corrupt, "a CSR or CSC tensor does not have three buffers"},
    {errc::matrix_reserved_not_zero, condition::corrupt, "reserved bytes of the CSR or CSC fields are not zero"},
    {errc::values_size_mismatch, condition::corrupt, "the values buffer is not nnz elements long"},
    {errc::indices_size_mismatch, condition::corrupt, "the indices buffer is not nnz x 8 bytes long"},
    {errc::offsets_size_mismatch, condition::corrupt, "the offsets buffer is not (slices + 1) x 8 bytes long"},
    {errc::nnz_exceeds_shape, condition::corrupt, "there are more entries than the shape has places"},
    {errc::offsets_not_anchored, condition::corrupt, "the offsets do not run from 0 to nnz"},
    {errc::offsets_decrease, condition::corrupt, "the offsets decrease"},
    {errc::indices_not_increasing, condition::corrupt, "the indices of a row (column) do not strictly increase"},
    {errc::index_exceeds_shape, condition::corrupt, "an index is outside the shape"},
    {errc::statistics_nnz_mismatch, condition::corrupt, "the statistics state another nnz than the layout"},
    {errc::buffer_count_wrong, condition::corrupt, "only composite heads have no buffers"},
    {errc::buffer_alignment_not_power_of_two, condition::corrupt, "a buffer's alignment is not a power of two"},
    {errc::buffer_alignment_too_small, condition::corrupt, "a buffer's alignment is below 64"},
    {errc::buffer_alignment_not_honoured, condition::corrupt, "a buffer does not lie at the alignment that it declares"},
    {errc::reserved_device, condition::corrupt, "a buffer's device is the reserved FF"},
    {errc::unknown_device, condition::unsupported, "a buffer's device is not one of version 1.0"},
    {errc::private_device, condition::unsupported, "a buffer's device is private"},
    {errc::buffers_not_colocated, condition::corrupt, "the buffers of a tensor differ in device or memory class"},
    {errc::unknown_memory_class, condition::unsupported, "a buffer's memory class is not one of version 1.0"},
    {errc::private_memory_class, condition::unsupported, "a buffer's memory class is private"},
    {errc::memory_class_not_of_device, condition::corrupt, "a buffer's memory class does not exist on its device"},
    {errc::sync_mode_not_of_cpu, condition::corrupt, "a buffer at rest asks for synchronisation"},
    {errc::unknown_sync_mode, condition::corrupt, "a buffer's sync mode does not exist"},
    {errc::handle_reserved_not_zero, condition::corrupt, "the reserved byte of a buffer handle is not zero"},
    {errc::not_in_host_memory, condition::unsupported, "the tensor's buffers are of another device than the CPU"},
    {errc::packed_tail_not_zero, condition::corrupt, "unused bits after the last packed element are not zero"},
    {errc::forbidden_e8m0_value, condition::corrupt, "a float8_e8m0 element is 00 or FF"},
    {errc::extension_type_without_size, condition::unsupported, "an extension type's width is above 8 and no multiple of 8"},
    {errc::quantization_truncated, condition::corrupt, "the quantization section is shorter than its header, or longer than the descriptor"},
    {errc::quantized_matrix, condition::unsupported, "a CSR or CSC matrix is quantized in another way than per-tensor affine"},
    {errc::unknown_quantization, condition::unsupported, "the quantization scheme is not one of version 1.0"},
    {errc::unknown_quantization_version, condition::unsupported, "the quantization scheme's version is not 1"},
    {errc::unknown_quantization_flags, condition::unsupported, "the quantization scheme has unknown flags"},
    {errc::quantization_length_mismatch, condition::corrupt, "the quantization section is not its scheme's fields and zeros"},
    {errc::bad_per_tensor_affine, condition::corrupt, "the per-tensor affine fields are not legal for this tensor"},
    {errc::bad_per_channel_affine, condition::corrupt, "the per-channel affine fields are not legal for this tensor"},
    {errc::bad_per_block_affine, condition::corrupt, "the per-block affine fields are not legal for this tensor"},
    {errc::bad_nf4, condition::corrupt, "the NF4 fields are not legal for this tensor"},
    {errc::bad_mxfp, condition::corrupt, "the MXFP fields are not legal for this tensor"},
    {errc::bad_quantization_buffer, condition::corrupt, "a quantization parameter buffer is the data buffer, or no buffer"},
    {errc::shard_outside_parent, condition::corrupt, "the shard lies outside its parent's shape"},
    {errc::unknown_statistics, condition::unsupported, "the statistics hold something that version 1.0 does not know"},
    {errc::statistics_reserved_not_zero, condition::corrupt, "reserved bytes of the statistics are not zero"},
    {errc::bad_statistics, condition::corrupt, "a statistic has a value that it cannot have"},
    {errc::bad_extension_width, condition::corrupt, "the extension type's width and packing do not agree"},
    {errc::extension_reserved_not_zero, condition::corrupt, "reserved bytes of the extension type are not zero"},
    {errc::bad_extension_fields, condition::corrupt, "the extension type's fields contradict each other"},
    {errc::bad_composite_head, condition::corrupt, "a composite head has something that it must not have"},
    {errc::bad_member_count, condition::corrupt, "the composite's number of members is not legal"},
    {errc::composite_head_with_data, condition::corrupt, "a composite head has data"},
    {errc::torn_composite, condition::corrupt, "a composite has fewer members than its head says"},
    {errc::composite_too_deep, condition::corrupt, "composites are nested more than 8 deep"},
    {errc::bad_composite_member, condition::corrupt, "the composite member section is not legal"},
    {errc::composite_role_wrong, condition::corrupt, "a composite's member does not play the part that the rule gives it"},
    {errc::composite_members_disagree, condition::corrupt, "a composite's members do not fit its head"},
    {errc::buffer_count_not_of_layout, condition::corrupt, "the tensor has another number of buffers than its layout"},
    {errc::bad_layout_fields, condition::corrupt, "the layout's fields are not legal"},
    {errc::buffer_size_mismatch, condition::corrupt, "a buffer has another size than the tensor's shape needs"},
    {errc::sections_out_of_order, condition::corrupt, "the parts of the file are out of order, or there is a gap between them"},
    {errc::descriptor_too_large, condition::unsupported, "a descriptor is above 256 KiB"},
    {errc::file_too_large, condition::unsupported, "the file does not fit into this process's address space"},
    {errc::view_not_supported, condition::unsupported, "there is no view of this element type"},
    {errc::no_such_tensor, condition::mismatch, "there is no tensor of this name"},
    {errc::layout_mismatch, condition::mismatch, "the tensor has another layout"},
    {errc::element_type_mismatch, condition::mismatch, "the tensor has another element type"},
    {errc::slice_does_not_exist, condition::mismatch, "there is no such row (column)"},
    {errc::position_does_not_exist, condition::mismatch, "the position is outside the shape"},
    {errc::misaligned_bytes, condition::mismatch, "the bytes do not lie at an address that the element type needs"},
    {errc::sizes_disagree, condition::mismatch, "the sizes of shape, offsets, indices and values disagree"},
    {errc::not_offered_in_strict_mode, condition::mismatch, "rows of unproved order are offered in permissive mode only"},
    {errc::bad_option, condition::mismatch, "an option has a value that it cannot have"},
    {errc::writer_closed, condition::mismatch, "the writer is closed"},
    {errc::matrix_in_progress, condition::mismatch, "a matrix is still being written"},
    {errc::matrix_incomplete, condition::mismatch, "the matrix is not complete"},
    {errc::too_many_elements, condition::mismatch, "the matrix got more than was announced, or not in its turn"},
    {errc::needs_a_path, condition::mismatch, "this way of writing needs a file, and a sink can only go forward"},
    {errc::not_a_regular_file, condition::mismatch, "this is not a regular file"},
    {errc::value_does_not_fit, condition::mismatch, "a value does not fit into the type asked for"},
    {errc::duplicate_entry, condition::mismatch, "two entries have the same row and column"},
    {errc::not_a_partition, condition::mismatch, "the tensor is not a composite partition"},
    {errc::cancelled, condition::mismatch, "cancelled"},
    {errc::file_changed, condition::mismatch, "the file changed while it was read"},
    {errc::no_checksums, condition::mismatch, "the file has no checksums, and they were required"},
    {errc::too_large_for_memory, condition::mismatch, "the result does not fit into memory"},
    {errc::checksum_mismatch, condition::corrupt, "the bytes do not match their checksum"},
    {errc::bad_checksum_table, condition::corrupt, "the table of checksums is not legal"},
});
// clang-format on

row const* row_of(int value) noexcept {
    auto const at = std::lower_bound(table.begin(), table.end(), value,
                                     [](row const& r, int wanted) { return int(r.code) < wanted; });
    return at != table.end() && int(at->code) == value ? &*at : nullptr;
}

struct library_category final : std::error_category {
    char const* name() const noexcept override { return "hurray"; }
    std::string message(int value) const override {
        auto const* const row = row_of(value);
        return row != nullptr ? row->message : "unknown error";
    }
    bool equivalent(int value, std::error_condition const& why) const noexcept override {
        auto const* const row = row_of(value);
        return (row != nullptr && make_error_condition(row->why) == why) ||
               std::error_category::equivalent(value, why);
    }
};

struct conditions final : std::error_category {
    char const* name() const noexcept override { return "hurray.condition"; }
    std::string message(int value) const override {
        switch (static_cast<condition>(value)) {
        case condition::corrupt:
            return "the file breaks a rule of the format";
        case condition::unsupported:
            return "the file is outside what this library reads";
        case condition::mismatch:
            return "this is not what was asked for";
        }
        return "unknown condition";
    }
};

}  // namespace

std::error_category const& error_category() noexcept {
    static library_category const category;
    return category;
}
std::error_category const& condition_category() noexcept {
    static conditions const category;
    return category;
}
std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}
std::error_condition make_error_condition(condition why) noexcept {
    return {static_cast<int>(why), condition_category()};
}

int rule(std::error_code const& code) noexcept {
    if (code.category() != error_category()) return 0;
    return code.value() < 1000 ? code.value() : 0;
}

std::string error::message() const {
    auto text = code.message();
    if (auto const number = rule(code); number != 0) {
        auto const digits = std::to_string(number);
        text += " (R-" + std::string(3 - digits.size(), '0') + digits + ")";
    }
    auto const add = [&](char const* what, std::uint64_t value) {
        if (value != nowhere) text += what + std::to_string(value);
    };
    add(", row or column ", slice);
    add(", entry ", position);
    add(", byte ", offset);
    return text;
}

failure::failure(hurray::error const& e) : std::system_error(e.code, e.message()), error_(e) {}

void detail::throw_failure(error const& e) {
#if defined(__cpp_exceptions)
    throw failure(e);
#else
    std::fprintf(stderr, "hurray: %s\n", e.message().c_str());
    std::abort();
#endif
}

}  // namespace v0
}  // namespace hurray
