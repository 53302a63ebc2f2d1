#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// What was seen. A value below 1000 is the number of the rule of the format that was broken:
/// `errc::bad_file_magic` is 4 because it breaks R-004. Values are fixed and never reused.
enum class errc : int {
    // file header
    file_too_small = 3,
    bad_file_magic = 4,
    container_version_too_new = 5,
    container_version_too_old = 6,
    header_reserved_not_zero = 9,
    header_tail_not_zero = 10,
    bad_data_alignment = 12,
    first_descriptor_inside_header = 13,
    first_descriptor_misaligned = 14,
    first_descriptor_elsewhere = 15,
    tensor_count_hint_differs = 17,  ///< only ever a note
    unknown_file_flags = 18,
    metadata_flag_wrong = 19,

    // trailer
    index_checksum_mismatch = 23,
    index_checksum_without_flag = 24,
    bad_trailer_magic = 26,
    trailer_reserved_not_zero = 27,
    index_outside_file = 28,
    metadata_range_incomplete = 29,
    metadata_outside_its_place = 30,
    metadata_misaligned = 31,
    index_misaligned = 32,

    // index
    index_length_mismatch = 34,
    empty_tensor_name = 35,
    tensor_name_not_utf8 = 36,
    duplicate_tensor_name = 37,
    index_not_sorted = 38,
    descriptor_misaligned = 40,
    descriptor_outside_its_place = 41,
    descriptor_length_mismatch = 42,
    data_misplaced = 43,
    data_length_mismatch = 44,
    data_outside_its_place = 45,
    index_flags_not_zero = 46,
    padding_not_zero = 52,

    // key-values
    metadata_length_mismatch = 57,
    bad_metadata_key = 58,
    duplicate_metadata_key = 59,
    bad_metadata_string = 60,
    bad_metadata_bool = 61,
    bad_metadata_array = 62,
    unknown_metadata_tag = 63,
    private_metadata_tag = 64,
    metadata_too_long = 65,

    // descriptor
    bad_descriptor_magic = 67,
    descriptor_version_too_new = 68,
    descriptor_version_too_old = 69,
    descriptor_too_short = 73,
    descriptor_truncated = 74,
    descriptor_longer_than_its_fields = 76,
    unknown_descriptor_flags = 77,
    extension_flag_wrong = 78,
    reserved_element_type = 79,
    unknown_element_type = 80,
    unknown_layout = 84,
    rank_too_large = 85,
    scalar_not_row_major = 86,
    dynamic_dimension = 87,
    dynamic_dimension_written = 88,
    dynamic_dimension_in_shard = 89,
    dynamic_quantized_axis = 90,
    byte_offset_outside_buffer = 93,
    byte_offset_not_zero = 94,

    // the shape of a matrix
    rank_not_two = 95,
    buffers_not_three = 96,
    matrix_reserved_not_zero = 97,
    values_size_mismatch = 98,
    indices_size_mismatch = 99,
    offsets_size_mismatch = 100,
    nnz_exceeds_shape = 101,

    // what a matrix holds
    offsets_not_anchored = 102,
    offsets_decrease = 103,
    indices_not_increasing = 104,
    index_exceeds_shape = 105,
    statistics_nnz_mismatch = 109,

    // buffer table
    buffer_count_wrong = 112,
    buffer_alignment_not_power_of_two = 113,
    buffer_alignment_too_small = 114,
    buffer_alignment_not_honoured = 117,
    reserved_device = 120,
    unknown_device = 121,
    private_device = 122,
    buffers_not_colocated = 123,
    unknown_memory_class = 124,
    private_memory_class = 125,
    memory_class_not_of_device = 126,
    sync_mode_not_of_cpu = 127,
    unknown_sync_mode = 128,
    handle_reserved_not_zero = 129,
    not_in_host_memory = 131,

    // element data
    packed_tail_not_zero = 135,
    forbidden_e8m0_value = 138,
    extension_type_without_size = 139,

    // quantization
    quantization_truncated = 140,
    quantized_matrix = 141,
    unknown_quantization = 142,
    unknown_quantization_version = 143,
    unknown_quantization_flags = 144,
    quantization_length_mismatch = 145,
    bad_per_tensor_affine = 146,
    bad_per_channel_affine = 147,
    bad_per_block_affine = 148,
    bad_nf4 = 149,
    bad_mxfp = 150,
    bad_quantization_buffer = 152,

    // shard, statistics, extension type
    shard_outside_parent = 156,
    unknown_statistics = 158,
    statistics_reserved_not_zero = 159,
    bad_statistics = 163,
    bad_extension_width = 164,
    extension_reserved_not_zero = 165,
    bad_extension_fields = 166,

    // composites
    bad_composite_head = 168,
    bad_member_count = 169,
    composite_head_with_data = 170,
    torn_composite = 172,
    composite_too_deep = 173,
    bad_composite_member = 174,
    composite_role_wrong = 175,
    composite_members_disagree = 176,

    // clarifications
    buffer_count_not_of_layout = 189,
    bad_layout_fields = 190,
    buffer_size_mismatch = 191,
    sections_out_of_order = 192,

    // well formed, and more than this library takes on
    descriptor_too_large = 1000,
    file_too_large = 1002,
    view_not_supported = 1003,

    // what the caller asked for does not exist or does not fit
    no_such_tensor = 2000,
    layout_mismatch = 2001,
    element_type_mismatch = 2002,
    slice_does_not_exist = 2003,
    position_does_not_exist = 2004,
    misaligned_bytes = 2005,
    sizes_disagree = 2006,
    not_offered_in_strict_mode = 2007,
    bad_option = 2008,
    writer_closed = 2009,
    matrix_in_progress = 2010,
    matrix_incomplete = 2011,
    too_many_elements = 2012,
    needs_a_path = 2013,
    not_a_regular_file = 2014,
    value_does_not_fit = 2015,
    duplicate_entry = 2017,
    not_a_partition = 2018,
    cancelled = 2019,
    file_changed = 2020,
    no_checksums = 2021,
    too_large_for_memory = 2022,

    // what a checksum table found
    checksum_mismatch = 3000,
    bad_checksum_table = 3001,
};

/// Why it matters, coarse enough to branch on: `if (e.code == condition::corrupt)`.
enum class condition : int {
    corrupt = 1,  ///< the bytes break a rule of the format
    unsupported,  ///< well formed, but outside what this library reads
    mismatch,     ///< well formed, but not what the caller asked for
};

std::error_category const& error_category() noexcept;
std::error_category const& condition_category() noexcept;
std::error_code make_error_code(errc) noexcept;
std::error_condition make_error_condition(condition) noexcept;

/// The number of the rule that `code` breaks; 0 when it is not a rule of the format.
int rule(std::error_code const& code) noexcept;

/// A failure and where it shows. Each place may be absent.
struct error {
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    std::error_code code{};
    std::uint64_t offset = nowhere;    ///< the byte of the file (or of the bytes parsed)
    std::uint64_t slice = nowhere;     ///< the row of a CSR matrix or the column of a CSC matrix
    std::uint64_t position = nowhere;  ///< the entry within that slice, from 0

    /// "offsets decrease, row or column 7, byte 12416"
    std::string message() const;

    friend bool operator==(error const&, error const&) = default;
};

/// Thrown by result<T>::value() and by nothing else in the library.
class failure : public std::system_error {
public:
    explicit failure(hurray::error const&);
    hurray::error const& error() const noexcept { return error_; }

private:
    hurray::error error_;
};

namespace detail {
/// Throws failure(e); aborts in a library that was built without exceptions.
[[noreturn]] void throw_failure(error const& e);
}  // namespace detail

}  // namespace v0
}  // namespace hurray

template<> struct std::is_error_code_enum<hurray::errc> : std::true_type {};
template<> struct std::is_error_condition_enum<hurray::condition> : std::true_type {};
