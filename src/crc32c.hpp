#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hurray::inline v0::detail {

/// CRC-32C (Castagnoli) of `bytes`, going on from `seed`: the CRC of the bytes before them.
std::uint32_t crc32c(std::span<std::byte const> bytes, std::uint32_t seed = 0) noexcept;

/// The CRC of two byte sequences in a row, from the CRC of each and the second one's length.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second,
                             std::uint64_t second_size) noexcept;

/// crc32c() in instructions that every processor has.
std::uint32_t crc32c_portable(std::span<std::byte const> bytes, std::uint32_t seed = 0) noexcept;

/// crc32c() with the processor's own instruction. Precondition: has_crc32c_instruction().
std::uint32_t crc32c_hardware(std::span<std::byte const> bytes, std::uint32_t seed = 0) noexcept;
bool has_crc32c_instruction() noexcept;

}  // namespace hurray::inline v0::detail
