#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <hurray/catalog.hpp>

#include "checksums.hpp"
#include "placement.hpp"

namespace hurray {

/// All that a catalog owns.
struct catalog_state {
    format::file_frame frame;
    std::vector<std::byte> index_bytes;
    format::index index;
    std::vector<std::uint64_t> starts;  ///< where the parts of the file begin, sorted
    hurray::metadata metadata;
    std::vector<error> notes;
    std::optional<format::checksum_table> sums;  ///< when they are to be looked at

    std::size_t position_of(std::string_view name) const noexcept {
        return static_cast<std::size_t>(index.find(name) - index.entries.data());
    }
};

inline namespace v0 {
struct catalog::state : catalog_state {};
}  // namespace v0

}  // namespace hurray
