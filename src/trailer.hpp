#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "file_header.hpp"

namespace hurray::format {

/// The last 40 bytes of a file.
struct trailer {
    static constexpr std::size_t size = 40;

    byte_range index;
    byte_range metadata;
    std::uint32_t index_checksum = 0;

    /// Checks the ranges against a file of `file_size` bytes, at least 104.
    /// Errors carry offsets in the file.
    static result<trailer> decode(std::span<std::byte const, size> bytes, std::uint64_t file_size,
                                  file_header const&, mode);
    void encode(std::span<std::byte, size> bytes) const;
};

}  // namespace hurray::format
