#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hurray/catalog.hpp>
#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "file_header.hpp"
#include "index.hpp"
#include "trailer.hpp"

namespace hurray::format {

/// What placement is judged by.
struct file_frame {
    file_header header;
    format::trailer trailer;
    std::uint64_t file_size = 0;
    hurray::mode mode = mode::strict;
    std::byte const* index_bytes = nullptr;  ///< what the entries' names point into

    /// Where in the file a field of an entry stands, counted from the end of its name.
    std::uint64_t field_of(index_entry const& entry, std::uint64_t field) const noexcept;
    /// Where in the file a field of the trailer stands.
    std::uint64_t trailer_field(std::uint64_t field) const noexcept {
        return file_size - format::trailer::size + field;
    }
};

/// Fields of an index entry, counted from the end of its name.
namespace entry_field {
inline constexpr std::uint64_t descriptor_offset = 0, descriptor_length = 8, data_offset = 12,
                               data_length = 20;
}

/// Checks what the index alone tells of where things lie: in order, in bounds, disjoint, no gap.
/// Gives the starts of all parts, sorted. Complexity: n log n.
result<std::vector<std::uint64_t>> check_extents(file_frame const&, index const&,
                                                 std::vector<error>& notes);

/// Where each buffer of a tensor lies. `next` is the start of the part that follows the tensor's
/// descriptor. Errors carry offsets in the file.
result<std::vector<byte_range>> place_buffers(file_frame const&, index_entry const&,
                                              descriptor const&, std::uint64_t next);

}  // namespace hurray::format
