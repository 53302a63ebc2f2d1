#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <hurray/element.hpp>

// Elements as text. What append_number() writes, read_number() reads back to the same bits.

namespace hurray::tool {

/// What is wrong with a number in a text.
enum class flaw : std::uint8_t { none, not_a_number, not_whole, outside_the_type };

template<class T>
concept whole_number = element<T> &&(is_integer(element_type_of<T>) || std::same_as<T, bool>);
template<class T>
concept small_floating = element<T> && is_floating(element_type_of<T>) && !std::same_as<T, float> &&
                         !std::same_as<T, double> && !std::same_as<T, float128>;
template<class T>
concept complex_number = element<T> && is_complex(element_type_of<T>);

namespace number {

flaw read(std::string_view token, double& into);
flaw read(std::string_view token, float& into);
flaw read(std::string_view token, float128& into);

/// A whole number, also one written as 1e3 or 5.0.
struct whole {
    bool negative = false;
    std::uint64_t magnitude = 0;
};
flaw read(std::string_view token, whole& into);

/// The digits of nan(0x...); false if the token is not of that form.
bool nan_pattern(std::string_view token, std::string_view& digits);
/// A hexadecimal number; false if it is none or has more than 64 bits.
bool hexadecimal(std::string_view digits, std::uint64_t& into);

void append(std::string& out, std::int64_t value);
void append(std::string& out, std::uint64_t value);
void append(std::string& out, float value);
void append(std::string& out, double value);
void append(std::string& out, float128 value);
/// "nan(0x7e01)"
void append_nan(std::string& out, std::uint64_t pattern);

template<whole_number T> constexpr std::uint64_t largest_magnitude(bool negative) noexcept {
    constexpr auto type = element_type_of<T>;
    constexpr unsigned bits = bits_of(type);
    if (negative) return is_signed(type) ? std::uint64_t{1} << (bits - 1) : 0;
    return ~std::uint64_t{0} >> (64 - bits + (is_signed(type) ? 1 : 0));
}

template<small_floating T> inline bool has_infinity() noexcept {
    return std::isinf(static_cast<float>(T(std::numeric_limits<float>::infinity())));
}

template<small_floating T> inline double largest() noexcept {
    auto const top = T(std::numeric_limits<float>::infinity());
    if (!has_infinity<T>()) return static_cast<double>(top);
    using pattern = decltype(top.bits());
    return static_cast<double>(T::from_bits(static_cast<pattern>(top.bits() - 1)));
}

/// Judged as a float: the shortest text of the largest element, read as a double, may be larger.
/// Files have no e8m0 element that is not a positive power of two.
template<small_floating T> inline bool has_value(double value) noexcept {
    auto const size = std::fabs(static_cast<float>(value));
    if constexpr (std::same_as<T, float8_e8m0>)
        return value > 0 && size >= 0x1p-126F && size <= static_cast<float>(largest<T>());
    else if (std::isnan(value))
        return std::isnan(static_cast<float>(T(std::numeric_limits<float>::quiet_NaN())));
    else if (std::isinf(value))
        return has_infinity<T>();
    else
        return size <= static_cast<float>(largest<T>());
}

template<class T> auto pattern_of(T value) noexcept {
    if constexpr (std::same_as<T, float>)
        return std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::same_as<T, double>)
        return std::bit_cast<std::uint64_t>(value);
    else
        return value.bits();
}

template<class T> T of_pattern(std::uint64_t bits) noexcept {
    using pattern = decltype(pattern_of(T{}));
    if constexpr (std::floating_point<T>)
        return std::bit_cast<T>(static_cast<pattern>(bits));
    else
        return T::from_bits(static_cast<pattern>(bits));
}

template<class T> flaw read_nan(std::string_view digits, T& into) {
    std::uint64_t bits = 0;
    if (!hexadecimal(digits, bits)) return flaw::not_a_number;
    if (bits >> (bits_of(element_type_of<T>) - 1) > 1) return flaw::outside_the_type;
    auto const value = of_pattern<T>(bits);
    if (!std::isnan(static_cast<double>(value))) return flaw::not_a_number;
    into = value;
    return flaw::none;
}

}  // namespace number

/// Reads one number; a complex type takes two.
template<element T>
requires(!complex_number<T>) flaw read_number(std::string_view token, T& into) {
    if constexpr (whole_number<T>) {
        number::whole value;
        if (auto const bad = number::read(token, value); bad != flaw::none) return bad;
        if (value.magnitude > number::largest_magnitude<T>(value.negative))
            return flaw::outside_the_type;
        auto const bits = value.negative ? 0 - value.magnitude : value.magnitude;
        if constexpr (std::integral<T>)
            into = static_cast<T>(bits);
        else
            into = T(static_cast<int>(bits));
        return flaw::none;
    } else if constexpr (std::same_as<T, float128>) {
        return number::read(token, into);
    } else {
        std::string_view digits;
        if (number::nan_pattern(token, digits)) return number::read_nan<T>(digits, into);
        std::conditional_t<std::same_as<T, float>, float, double> value = 0;
        if (auto const bad = number::read(token, value); bad != flaw::none) return bad;
        if constexpr (small_floating<T>)
            if (!number::has_value<T>(value)) return flaw::outside_the_type;
        into = T(value);
        return flaw::none;
    }
}

/// Appends the shortest text that reads back as the same element; two numbers for a complex one.
template<element T> void append_number(std::string& out, T value) {
    if constexpr (complex_number<T>) {
        append_number(out, value.real());
        out += ' ';
        append_number(out, value.imag());
    } else if constexpr (std::same_as<T, bool>) {
        out += value ? '1' : '0';
    } else if constexpr (whole_number<T>) {
        if constexpr (std::integral<T> && std::unsigned_integral<T>)
            number::append(out, static_cast<std::uint64_t>(value));
        else
            number::append(out, static_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<T, float128>) {
        number::append(out, value);
    } else {
        auto const shown =
            static_cast<std::conditional_t<std::same_as<T, double>, double, float>>(value);
        auto const plain_nan = T(std::numeric_limits<float>::quiet_NaN());
        if (std::isnan(shown) && number::pattern_of(value) != number::pattern_of(plain_nan))
            number::append_nan(out, number::pattern_of(value));
        else
            number::append(out, shown);
    }
}

/// The element with the other sign, if the type has it.
template<element T> bool negated(T value, T& into) noexcept {
    if constexpr (complex_number<T>) {
        into = -value;
        return true;
    } else if constexpr (std::floating_point<T>) {
        into = -value;
        return true;
    } else if constexpr (std::same_as<T, float128>) {
        auto const [low, high] = value.bits();
        into = float128::from_bits(low, high ^ (std::uint64_t{1} << 63));
        return true;
    } else if constexpr (small_floating<T>) {
        auto const sign = std::uint64_t{1} << (bits_of(element_type_of<T>) - 1);
        into = number::of_pattern<T>(value.bits() ^ sign);
        return !std::same_as<T, float8_e8m0>;
    } else {
        auto const number = static_cast<std::int64_t>(value);
        into = value;
        if (number == 0) return true;
        if (!is_signed(element_type_of<T>) || number == std::numeric_limits<std::int64_t>::min() ||
            (number < 0 &&
             static_cast<std::uint64_t>(-number) > number::largest_magnitude<T>(false)))
            return false;
        if constexpr (std::integral<T>)
            into = static_cast<T>(-number);
        else
            into = T(static_cast<int>(-number));
        return true;
    }
}

/// The element as a double, the nearest one; the real part of a complex one.
template<element T> double as_double(T value) noexcept {
    if constexpr (complex_number<T>)
        return static_cast<double>(value.real());
    else
        return static_cast<double>(value);
}

/// The element with this value, if the type has it or one near it.
template<element T> bool from_double(double value, T& into) noexcept {
    if constexpr (complex_number<T>) {
        into = T(static_cast<typename T::value_type>(value), 0);
        return true;
    } else if constexpr (whole_number<T>) {
        auto const size = std::fabs(value);
        if (!(size < 0x1p64) || std::trunc(value) != value) return false;
        auto const magnitude = static_cast<std::uint64_t>(size);
        if (magnitude > number::largest_magnitude<T>(value < 0)) return false;
        auto const bits = value < 0 ? 0 - magnitude : magnitude;
        if constexpr (std::integral<T>)
            into = static_cast<T>(bits);
        else
            into = T(static_cast<int>(bits));
        return true;
    } else {
        if constexpr (small_floating<T>)
            if (!number::has_value<T>(value)) return false;
        into = T(value);
        return true;
    }
}

/// Adds `more` to `sum`; false, and nothing is added, if the sum is outside the type. For bool it
/// is "or". For the small types and float128: added as doubles, then rounded.
template<element T> bool added(T& sum, T more) noexcept {
    if constexpr (std::same_as<T, bool>) {
        sum = sum || more;
        return true;
    } else if constexpr (std::integral<T>) {
        return !__builtin_add_overflow(sum, more, &sum);
    } else if constexpr (complex_number<T> || std::floating_point<T>) {
        sum = sum + more;
        return true;
    } else {
        return from_double(static_cast<double>(sum) + static_cast<double>(more), sum);
    }
}

}  // namespace hurray::tool
