#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

/// A binary floating-point format of at most 16 bits, laid out sign, exponent, mantissa.
struct small_float_format {
    unsigned exponent_bits;
    unsigned mantissa_bits;
    std::uint32_t limit;  // the pattern that overflow rounds to; larger ones are NaN
    bool limit_is_infinity;

    constexpr int bias() const noexcept { return (1 << (exponent_bits - 1)) - 1; }
    constexpr unsigned sign_at() const noexcept { return exponent_bits + mantissa_bits; }
    constexpr std::uint32_t magnitude_mask() const noexcept { return (1U << sign_at()) - 1; }
    constexpr std::uint32_t mantissa_mask() const noexcept { return (1U << mantissa_bits) - 1; }
};

inline constexpr small_float_format binary16_format{5, 10, 0x7C00, true};
inline constexpr small_float_format bfloat16_format{8, 7, 0x7F80, true};
inline constexpr small_float_format e4m3_format{4, 3, 0x7E, false};
inline constexpr small_float_format e5m2_format{5, 2, 0x7C, true};
inline constexpr small_float_format e8m0_format{8, 0, 0xFE, false};
inline constexpr small_float_format e2m1_format{2, 1, 0x07, false};
inline constexpr small_float_format e2m3_format{2, 3, 0x1F, false};
inline constexpr small_float_format e3m2_format{3, 2, 0x1F, false};

template<class Float> struct ieee;
template<> struct ieee<float> {
    using bits = std::uint32_t;
    static constexpr unsigned mantissa_bits = 23;
    static constexpr int bias = 127;
    static constexpr int special_exponent = 255;
};
template<> struct ieee<double> {
    using bits = std::uint64_t;
    static constexpr unsigned mantissa_bits = 52;
    static constexpr int bias = 1023;
    static constexpr int special_exponent = 2047;
};

template<class T>
concept ieee_float = std::same_as<T, float> || std::same_as<T, double>;

/// `value / 2^shift`, rounded to nearest, ties to even. Precondition: `shift > 0`.
constexpr std::uint64_t shift_to_nearest_even(std::uint64_t value, unsigned shift) noexcept {
    if (shift > 64) return 0;
    std::uint64_t const half = std::uint64_t{1} << (shift - 1);
    std::uint64_t const kept = shift == 64 ? 0 : value >> shift;
    std::uint64_t const lost = value & (half | (half - 1));
    bool const up = lost > half || (lost == half && (kept & 1) != 0);
    return kept + (up ? 1 : 0);
}

/// The float with the value of `bits`, a number of format `F`.
template<small_float_format F> constexpr float widen(std::uint32_t bits) noexcept {
    constexpr unsigned up = ieee<float>::mantissa_bits - F.mantissa_bits;
    std::uint32_t const sign = (bits >> F.sign_at()) << 31;
    std::uint32_t const magnitude = bits & F.magnitude_mask();
    std::uint32_t const mantissa = bits & F.mantissa_mask();
    std::uint32_t const exponent = magnitude >> F.mantissa_bits;
    if constexpr (F.bias() == ieee<float>::bias) {
        return std::bit_cast<float>(sign | (magnitude << up));
    } else if (magnitude > F.limit || (F.limit_is_infinity && magnitude == F.limit)) {
        return std::bit_cast<float>(sign | 0x7F80'0000U | (mantissa << up));
    } else if (exponent == 0) {
        constexpr int unit = 1 - F.bias() - static_cast<int>(F.mantissa_bits);
        constexpr auto scale =
            std::bit_cast<float>(static_cast<std::uint32_t>(unit + ieee<float>::bias) << 23);
        return std::bit_cast<float>(
            sign | std::bit_cast<std::uint32_t>(static_cast<float>(mantissa) * scale));
    } else {
        constexpr std::uint32_t rebias = ieee<float>::bias - F.bias();
        return std::bit_cast<float>(sign | ((exponent + rebias) << 23) | (mantissa << up));
    }
}

/// The pattern in `F` of a NaN whose upper mantissa bits are `payload`.
template<small_float_format F> constexpr std::uint32_t nan_pattern(std::uint32_t payload) noexcept {
    if constexpr (!F.limit_is_infinity) {
        return F.limit < F.magnitude_mask() ? F.limit + 1 : F.limit;
    } else {
        std::uint32_t const quiet = 1U << (F.mantissa_bits - 1);
        return F.limit | (payload != 0 ? payload : quiet);
    }
}

/// The pattern in `F` nearest to `value`, ties to even.
template<small_float_format F, ieee_float Float>
constexpr std::uint32_t narrow(Float value) noexcept {
    using from = ieee<Float>;
    constexpr unsigned down = from::mantissa_bits - F.mantissa_bits;
    constexpr int smallest_exponent = 1 - F.bias();

    std::uint64_t const bits = std::bit_cast<typename from::bits>(value);
    constexpr std::uint64_t hidden_one = std::uint64_t{1} << from::mantissa_bits;
    std::uint64_t const mantissa = bits & (hidden_one - 1);
    auto const exponent = static_cast<int>(bits >> from::mantissa_bits) & from::special_exponent;
    bool const negative = (bits >> (sizeof(Float) * 8 - 1)) != 0;
    std::uint32_t const sign = (negative ? 1U : 0U) << F.sign_at();

    if (exponent == from::special_exponent && mantissa != 0)
        return sign | nan_pattern<F>(static_cast<std::uint32_t>(mantissa >> down));

    std::uint64_t const significand = exponent == 0 ? mantissa : mantissa | hidden_one;
    int const above = (exponent == 0 ? 1 : exponent) - from::bias - smallest_exponent;
    unsigned const shift = above < 0 ? down + static_cast<unsigned>(-above) : down;
    // The leading one of a normal significand is added to the exponent field, which is therefore
    // one less here; a significand that rounds up to the next power of two carries the same way.
    std::uint64_t const field =
        above > 0 ? static_cast<std::uint64_t>(above) << F.mantissa_bits : 0;
    std::uint64_t const rounded = shift_to_nearest_even(significand, shift) + field;
    return sign | (rounded < F.limit ? static_cast<std::uint32_t>(rounded) : F.limit);
}

/// The e8m0 pattern nearest to `value`.
template<ieee_float Float> constexpr std::uint8_t nearest_power(Float value) noexcept {
    if (!(value >= 0)) return 0xFF;
    if (value == 0) return 0x01;  // and not minus zero's sign
    std::uint32_t const bits = narrow<e8m0_format>(value);
    return static_cast<std::uint8_t>(bits == 0 ? 1 : bits);
}

/// What the small floating-point types share. Equality is of bits: a NaN equals itself and
/// the two zeros differ.
template<class Self, class Bits, small_float_format F> class small_float {
public:
    constexpr small_float() noexcept = default;
    explicit constexpr small_float(float value) noexcept
        : bits_(static_cast<Bits>(narrow<F>(value))) {}
    /// Rounds once: going through float first could round twice.
    template<std::same_as<double> Double> explicit constexpr small_float(Double value) noexcept
        : bits_(static_cast<Bits>(narrow<F>(value))) {}

    /// The number with this pattern; bits above its width are dropped.
    static constexpr Self from_bits(Bits bits) noexcept {
        Self self{};
        self.bits_ = static_cast<Bits>(bits & ((1U << (F.sign_at() + 1)) - 1));
        return self;
    }
    constexpr Bits bits() const noexcept { return bits_; }

    explicit constexpr operator float() const noexcept { return widen<F>(bits_); }
    explicit constexpr operator double() const noexcept {
        return static_cast<double>(widen<F>(bits_));
    }

    friend constexpr bool operator==(small_float, small_float) noexcept = default;

private:
    Bits bits_;
};

}  // namespace detail

/// IEEE 754 binary16. Conversion to float is exact; from float it rounds to nearest even and
/// overflows to infinity.
/// A NaN keeps its sign and as much of the upper payload as fits, signalling ones included.
struct float16 : detail::small_float<float16, std::uint16_t, detail::binary16_format> {
    using small_float::small_float;
};

/// The upper half of a float. Conversions as for `float16`.
struct bfloat16 : detail::small_float<bfloat16, std::uint16_t, detail::bfloat16_format> {
    using small_float::small_float;
};

/// Bias 7, largest 448, NaN at 7F and FF, no infinity. Conversion to float is exact; from
/// float it rounds to nearest even, overflow and infinity give +-448, NaN gives NaN.
struct float8_e4m3 : detail::small_float<float8_e4m3, std::uint8_t, detail::e4m3_format> {
    using small_float::small_float;
};

/// Bias 15, largest 57344, infinity at 7C and FC. Conversions as for `float16`.
struct float8_e5m2 : detail::small_float<float8_e5m2, std::uint8_t, detail::e5m2_format> {
    using small_float::small_float;
};

/// Bias 1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, in the low four bits of the byte.
/// Conversion to float is exact; from float it rounds to nearest even. Overflow, infinity
/// and NaN, which the type lacks, give +-6.
struct float4_e2m1 : detail::small_float<float4_e2m1, std::uint8_t, detail::e2m1_format> {
    using small_float::small_float;
};

/// Bias 1, largest 7.5, in the low six bits of the byte. Conversions as for `float4_e2m1`.
struct float6_e2m3 : detail::small_float<float6_e2m3, std::uint8_t, detail::e2m3_format> {
    using small_float::small_float;
};

/// Bias 3, largest 28, in the low six bits of the byte. Conversions as for `float4_e2m1`.
struct float6_e3m2 : detail::small_float<float6_e3m2, std::uint8_t, detail::e3m2_format> {
    using small_float::small_float;
};

/// A power of two, 2^(bits - 127): no sign, no zero. Files do not allow the patterns 00 and FF as
/// data; here they convert to 2^-127 and NaN.
class float8_e8m0 {
public:
    constexpr float8_e8m0() noexcept = default;
    /// The power of two nearest to `value`; halfway between two, the larger one.
    /// Zero and what is too small give 2^-126, what is too large gives 2^127.
    /// Precondition: `value` is not negative and not NaN; such a value gives FF.
    explicit constexpr float8_e8m0(float value) noexcept : bits_(detail::nearest_power(value)) {}
    template<std::same_as<double> Double> explicit constexpr float8_e8m0(Double value) noexcept
        : bits_(detail::nearest_power(value)) {}

    static constexpr float8_e8m0 from_bits(std::uint8_t bits) noexcept {
        float8_e8m0 self{};
        self.bits_ = bits;
        return self;
    }
    constexpr std::uint8_t bits() const noexcept { return bits_; }

    explicit constexpr operator float() const noexcept {
        if (bits_ == 0x00) return std::bit_cast<float>(0x0040'0000U);
        if (bits_ == 0xFF) return std::bit_cast<float>(0x7FC0'0000U);
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 23);
    }
    explicit constexpr operator double() const noexcept {
        return static_cast<double>(static_cast<float>(*this));
    }

    friend constexpr bool operator==(float8_e8m0, float8_e8m0) noexcept = default;

private:
    std::uint8_t bits_;
};

/// IEEE 754 binary128, carried as its bits. Equality is of bits.
class alignas(16) float128 {
public:
    constexpr float128() noexcept = default;
    /// Exact. A NaN keeps its sign and payload.
    explicit constexpr float128(double value) noexcept;

    static constexpr float128 from_bits(std::uint64_t low, std::uint64_t high) noexcept {
        float128 self{};
        self.low_ = low;
        self.high_ = high;
        return self;
    }
    static constexpr float128 from_bits(std::array<std::uint64_t, 2> bits) noexcept {
        return from_bits(bits[0], bits[1]);
    }
    /// {low, high}: the sign is the top bit of high.
    constexpr std::array<std::uint64_t, 2> bits() const noexcept { return {low_, high_}; }

    /// The nearest double, ties to even; overflow gives infinity. A NaN keeps its sign and as
    /// much of the upper payload as fits.
    explicit constexpr operator double() const noexcept;

    friend constexpr bool operator==(float128 const&, float128 const&) noexcept = default;

private:
    static constexpr int bias = 16383;
    static constexpr std::uint64_t special_exponent = 0x7FFF;
    static constexpr std::uint64_t high_mantissa_mask = 0x0000'FFFF'FFFF'FFFF;

    std::uint64_t low_;
    std::uint64_t high_;
};

constexpr float128::float128(double value) noexcept : low_(0), high_(0) {
    using from = detail::ieee<double>;
    auto const bits = std::bit_cast<std::uint64_t>(value);
    std::uint64_t const sign = bits & 0x8000'0000'0000'0000;
    std::uint64_t mantissa = bits & 0x000F'FFFF'FFFF'FFFF;
    int exponent = static_cast<int>(bits >> from::mantissa_bits) & from::special_exponent;
    high_ = sign;
    if (exponent == 0 && mantissa == 0) return;
    std::uint64_t field = special_exponent;
    if (exponent != from::special_exponent) {
        if (exponent == 0) {  // subnormal there, normal here
            int const shift = std::countl_zero(mantissa) - 11;
            mantissa = (mantissa << shift) & 0x000F'FFFF'FFFF'FFFF;
            exponent = 1 - shift;
        }
        field = static_cast<std::uint64_t>(exponent - from::bias + bias);
    }
    high_ |= (field << 48) | (mantissa >> 4);
    low_ = mantissa << 60;
}

constexpr float128::operator double() const noexcept {
    using to = detail::ieee<double>;
    constexpr std::uint64_t infinity = 0x7FF0'0000'0000'0000;
    constexpr std::uint64_t quiet = 0x0008'0000'0000'0000;
    std::uint64_t const sign = high_ & 0x8000'0000'0000'0000;
    std::uint64_t const high = high_ & high_mantissa_mask;
    std::uint64_t const field = (high_ >> 48) & special_exponent;
    if (field == special_exponent) {
        std::uint64_t const payload = (high << 4) | (low_ >> 60);
        bool const is_nan = (high | low_) != 0;
        std::uint64_t const mantissa = is_nan && payload == 0 ? quiet : payload;
        return std::bit_cast<double>(sign | infinity | mantissa);
    }
    int const exponent = static_cast<int>(field) - bias;
    if (field == 0) return std::bit_cast<double>(sign);  // below 2^-16382
    if (exponent > to::bias) return std::bit_cast<double>(sign | infinity);

    // 64 of the 113 bits; the lowest tells whether anything was left out.
    std::uint64_t const rest = (low_ << 15) != 0 ? 1 : 0;
    std::uint64_t const top = (std::uint64_t{1} << 63) | (high << 15) | (low_ >> 49) | rest;
    int const above = exponent - (1 - to::bias);
    unsigned const shift = above < 0 ? 11 + static_cast<unsigned>(-above) : 11;
    std::uint64_t const field_below =
        above > 0 ? static_cast<std::uint64_t>(above) << to::mantissa_bits : 0;
    std::uint64_t const rounded = detail::shift_to_nearest_even(top, shift) + field_below;
    return std::bit_cast<double>(sign | rounded);  // a carry out of the largest gives infinity
}

namespace detail {

template<class Self, unsigned Width, bool Signed> class small_integer {
public:
    constexpr small_integer() noexcept = default;
    /// Precondition: the type has this value.
    explicit constexpr small_integer(int value) noexcept
        : bits_(static_cast<std::uint8_t>(static_cast<unsigned>(value) & mask)) {}

    /// The number with this pattern; bits above its width are dropped.
    static constexpr Self from_bits(std::uint8_t bits) noexcept { return Self(bits); }
    constexpr std::uint8_t bits() const noexcept { return bits_; }

    constexpr operator int() const noexcept {
        if constexpr (Signed) {
            constexpr int sign = 1 << (Width - 1);
            return (bits_ ^ sign) - sign;
        } else {
            return bits_;
        }
    }

    friend constexpr bool operator==(small_integer, small_integer) noexcept = default;

private:
    static constexpr unsigned mask = (1U << Width) - 1;

    std::uint8_t bits_;
};

}  // namespace detail

/// -8 ... 7, in the low four bits of the byte.
struct int4 : detail::small_integer<int4, 4, true> {
    using small_integer::small_integer;
};
/// 0 ... 15, in the low four bits of the byte.
struct uint4 : detail::small_integer<uint4, 4, false> {
    using small_integer::small_integer;
};
/// -2 ... 1, in the low two bits of the byte.
struct int2 : detail::small_integer<int2, 2, true> {
    using small_integer::small_integer;
};
/// 0 ... 3, in the low two bits of the byte.
struct uint2 : detail::small_integer<uint2, 2, false> {
    using small_integer::small_integer;
};

}  // namespace v0
}  // namespace hurray
