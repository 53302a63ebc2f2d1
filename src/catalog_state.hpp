#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hurray/catalog.hpp>

#include "placement.hpp"

namespace hurray {

/// All that a catalog owns.
struct catalog_state {
    format::file_frame frame;
    std::vector<std::byte> index_bytes;
    format::index index;
    std::vector<std::uint64_t> starts; ///< where the parts of the file begin, sorted
    hurray::metadata metadata;
    std::vector<error> notes;
};

inline namespace v0 {
struct catalog::state : catalog_state {};
} // namespace v0

} // namespace hurray
