#pragma once

// Elements narrower than a byte, one to a byte and back, for what has to move them one by one.

#include <cstddef>
#include <cstdint>

#include <hurray/matrix.hpp>

namespace hurray::unpacked {

/// Bytes that an element takes once unpacked; 0 for tag 0, a pattern.
constexpr unsigned width_of(element_type type) noexcept { return (bits_of(type) + 7) / 8; }

/// Elements [0, count) of `from`, one to a byte. Precondition: the type is packed.
void unpack(detail::value_run const& from, std::uint64_t count, unsigned threads,
            std::byte* to) noexcept;

/// The packed form of `count` elements, one to a byte, with zeros in the tail.
/// Errors: too_large_for_memory. Precondition: the type is packed.
result<detail::memory_block> pack(element_type type, std::byte const* from, std::uint64_t count,
                                  unsigned threads);

}  // namespace hurray::unpacked
