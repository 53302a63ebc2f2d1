#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <hurray/descriptor.hpp>
#include <hurray/metadata.hpp>
#include <hurray/options.hpp>
#include <hurray/result.hpp>

namespace hurray::format {

/// Decodes the key-value section, which lies at `offset` in the file. Everything is checked before
/// anything is allocated. Errors carry offsets in the file. Complexity: n log n.
result<metadata> decode_metadata(std::span<std::byte const> bytes, std::uint64_t offset, mode,
                                 std::vector<error>& notes);

/// Where in a section the payload of the bytes value `key` lies; nothing if there is none.
/// Precondition: decode_metadata() accepted the section.
std::optional<byte_range> find_bytes(std::span<std::byte const> section, std::string_view key);

/// The section's bytes. Errors: bad_metadata_key, bad_metadata_string, metadata_too_long.
result<std::vector<std::byte>> encode_metadata(metadata const&);

}  // namespace hurray::format
