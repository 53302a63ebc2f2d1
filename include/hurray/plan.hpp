#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hurray/writer.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A file of one matrix whose arrays are written by others, such as the processes of a parallel
/// program: where each array goes, and all bytes that are in none. What is left out is zero.
struct file_plan {
    /// Bytes and their place in the file.
    struct run {
        std::uint64_t offset = 0;        ///< of the first, in the file
        std::vector<std::byte> bytes{};  ///< what stands there
    };
    std::uint64_t size = 0;   ///< of the whole file
    byte_range values{};      ///< where the array goes
    byte_range indices{};     ///< where the array goes
    byte_range offsets{};     ///< where the array goes
    std::vector<run> rest{};  ///< header and descriptor; key-values, index and trailer
};

/// Plans a CSR or CSC matrix of these extents. The file is the one that a writer with the same
/// options makes once each array is in its place; whoever writes them keeps the invariants.
/// Errors: layout_mismatch, bad_option (checksums are of bytes that nobody here has seen),
/// too_many_elements, those of the name. Memory: that of `rest`.
result<file_plan> plan_file(std::string_view name, layout, element_type, extents, std::uint64_t nnz,
                            write_options const& = {}, tensor_options const& = {});

}  // namespace v0
}  // namespace hurray
