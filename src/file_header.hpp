#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hurray/options.hpp>
#include <hurray/result.hpp>

namespace hurray::format {

inline constexpr std::uint64_t unknown_count = ~std::uint64_t{0};

enum file_flag : std::uint32_t {
    has_metadata = 1u << 0,
    sorted_index = 1u << 1,
    has_index_checksum = 1u << 2,
};

/// The first 64 bytes of a file.
struct file_header {
    static constexpr std::size_t size = 64;

    std::uint8_t version_minor = 0;
    std::uint32_t flags = has_index_checksum;
    std::uint32_t data_alignment = 4096;
    std::uint64_t first_descriptor = size;
    std::uint64_t tensor_count_hint = unknown_count;  ///< R-016

    static result<file_header> decode(std::span<std::byte const, size> bytes);
    void encode(std::span<std::byte, size> bytes) const;
};

///
bool is_data_alignment(std::uint32_t alignment) noexcept;

}  // namespace hurray::format
