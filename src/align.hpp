#pragma once

// The only arithmetic done on numbers that come from a file. Nothing here can wrap.

#include <bit>
#include <cstdint>
#include <optional>

namespace hurray::wire {

__extension__ typedef unsigned __int128 uint128;  // exact products of two numbers from a file

constexpr bool is_power_of_two(std::uint64_t n) noexcept { return std::has_single_bit(n); }

/// Precondition: alignment is a power of two.
constexpr bool is_aligned(std::uint64_t n, std::uint64_t alignment) noexcept {
    return (n & (alignment - 1)) == 0;
}

constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t sum{};
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

constexpr std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product{};
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

/// The next multiple of `alignment`, or the same place. Precondition: a power of two.
constexpr std::optional<std::uint64_t> align_up(std::uint64_t n, std::uint64_t alignment) noexcept {
    auto const raised = checked_add(n, alignment - 1);
    if (!raised) return std::nullopt;
    return *raised & ~(alignment - 1);
}

}  // namespace hurray::wire
