#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

// Numbers as nearly all texts have them, read eight digits at a time. Whatever looks otherwise is
// left to whoever reads every form.

namespace hurray::tool::quick {

/// The bytes that must be readable where a line begins: all that is read of three numbers.
inline constexpr std::ptrdiff_t margin = 192;

/// The digits at the start of eight bytes.
struct digit_run {
    unsigned count;
    std::uint64_t value;
};

inline digit_run digits_at(char const* at) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030'3030'3030'3030;  // digits become 0 ... 9, and nothing else does
    // The lowest high bit that is set stands at the first byte above 9.
    auto const others = ((bytes + 0x7676'7676'7676'7676) | bytes) & 0x8080'8080'8080'8080;
    auto const count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    // What follows the digits goes, zeros come before them: in two steps, as it may be all bits.
    auto const half = (8 - count) * 4;
    bytes = bytes << half << half;
    auto const pairs = (bytes * 10 + (bytes >> 8)) & 0x00FF'00FF'00FF'00FF;
    auto const fours = (pairs * 100 + (pairs >> 16)) & 0x0000'FFFF'0000'FFFF;
    return {count, (fours * 10'000 + (fours >> 32)) & 0xFFFF'FFFF};
}

template<std::uint64_t Base, std::size_t Count> constexpr auto powers_of() noexcept {
    std::array<std::uint64_t, Count> powers{1};
    for (std::size_t i = 1; i < Count; ++i) powers[i] = powers[i - 1] * Base;
    return powers;
}
inline constexpr auto powers_of_ten = powers_of<10, 20>();

/// Appends up to 24 digits to `value`, which may wrap around; how many they were.
inline unsigned take_digits(char const*& at, std::uint64_t& value) noexcept {
    unsigned taken = 0;
    for (int i = 0; i < 3; ++i) {
        auto const [count, digits] = digits_at(at);
        value = value * powers_of_ten[count] + digits;
        at += count;
        taken += count;
        if (count < 8) break;
    }
    return taken;
}

__extension__ using wide = unsigned __int128;

/// A power of five, moved up to the top bit.
struct five_power {
    std::uint64_t top;
    std::uint64_t inverse;  ///< 2^128 / top without its highest bit
    int exponent;           ///< of 10, in doubles: what it was moved up by, less the power of two
};
inline constexpr auto powers_of_five = [] {
    constexpr auto powers = powers_of<5, 28>();  // the last one below 2^64
    std::array<five_power, powers.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
        auto const up = std::countl_zero(powers[i]);
        auto const top = powers[i] << up;
        made[i] = {top, static_cast<std::uint64_t>(~wide{0} / top), up - static_cast<int>(i)};
    }
    return made;
}();

/// The double next to a number of at most 64 bits, its lowest bit aside.
inline double rounded(std::uint64_t number) noexcept {
    return static_cast<double>(static_cast<std::int64_t>(number >> 1));
}

/// numerator * 2^64 / divisor, rounded once. Where the division decides how to round.
inline double divided(wide numerator, std::uint64_t divisor) noexcept {
    auto const quotient = static_cast<std::uint64_t>(numerator / divisor);
    bool const exact = wide{quotient} * divisor == numerator;
    // 62 bits or more, and one that stands for all below.
    return rounded(quotient | (quotient << 1 & 2) | (exact ? 0U : 2U));
}

/// digits / 10^places, rounded once. Precondition: places < 28.
inline double scaled_down(std::uint64_t digits, unsigned places) noexcept {
    if (digits == 0) return 0;
    // digits / 5^places, both moved up to the top bit: the quotient has 63 or 64 bits.
    auto const& five = powers_of_five[places];
    auto const up = std::countl_zero(digits);
    auto const top = digits << up;
    // A multiplication gives the quotient or up to 3 less. That rounds the same, nearly always.
    auto const half = top >> 1;
    auto const near = half + static_cast<std::uint64_t>(wide{half} * five.inverse >> 64);
    auto size = rounded(near);
    if (size != rounded(near + 4)) size = divided(wide{top} << 63, five.top);
    auto const exponent = 1023 - 62 - up + five.exponent;
    return size * std::bit_cast<double>(static_cast<std::uint64_t>(exponent) << 52);
}

/// The exponent after an e, if there is one; false if it is of another form.
inline bool take_exponent(char const*& at, int& exponent) noexcept {
    if ((*at | 0x20) != 'e') return true;
    ++at;
    bool const negative = *at == '-';
    if (negative || *at == '+') ++at;
    auto const [count, value] = digits_at(at);
    if (count == 0 || count > 4) return false;
    at += count;
    exponent = negative ? -static_cast<int>(value) : static_cast<int>(value);
    return true;
}

/// The digits before a point: nearly always one.
inline unsigned take_whole(char const*& at, std::uint64_t& value) noexcept {
    auto const first = static_cast<unsigned char>(*at - '0');
    if (first > 9 || at[1] != '.') return take_digits(at, value);
    value = first;
    ++at;
    return 1;
}

/// A number of at most 19 digits and an exponent that is not too far from 0. Where it ends, or null
/// if it is of another form.
inline char const* read(char const* at, double& into) noexcept {
    bool const negative = *at == '-';
    if (negative) ++at;
    std::uint64_t digits = 0;
    auto const before = take_whole(at, digits);
    if (before == 0 || before > 19) return nullptr;
    unsigned used = digits == 0 ? 0 : before, after = 0;
    if (*at == '.') {
        ++at;
        after = take_digits(at, digits);
        used += after;
    }
    int exponent = 0;
    if (used > 19 || !take_exponent(at, exponent)) return nullptr;
    auto const places = static_cast<unsigned>(static_cast<int>(after) - exponent);
    if (places >= powers_of_five.size()) return nullptr;
    auto const size = scaled_down(digits, places);
    into = negative ? -size : size;
    return at;
}

/// The types that are read so.
template<class T>
concept number = std::same_as<T, double> ||(std::integral<T> && !std::same_as<T, bool>);

/// A whole number of at most 16 digits.
template<number T>
requires std::integral<T>
char const* read(char const* at, T& into) noexcept {
    bool const negative = std::is_signed_v<T> && *at == '-';
    if (negative) ++at;
    std::uint64_t digits = 0;
    auto const count = take_digits(at, digits);
    auto const most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (count == 0 || count > 16 || digits > most) return nullptr;
    auto const value = static_cast<T>(digits);
    into = negative ? static_cast<T>(-value) : value;
    return at;
}

}  // namespace hurray::tool::quick
