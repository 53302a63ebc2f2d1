#include "exact_value.hpp"

#include <bit>

namespace hurray::tool::exact {
namespace {

__extension__ using wide = unsigned __int128;

constexpr int bias = 16383, mantissa_bits = 112;

}  // namespace

bool to_double(number::whole from, double& into) noexcept {
    auto const size = static_cast<double>(from.magnitude);
    if (size >= 0x1p64 || static_cast<std::uint64_t>(size) != from.magnitude) return false;
    into = from.negative ? -size : size;
    return true;
}

bool to_double(float128 from, double& into) noexcept {
    into = static_cast<double>(from);
    return std::isnan(into) || float128(into).bits() == from.bits();
}

bool to_whole(float128 from, number::whole& into) noexcept {
    auto const [low, high] = from.bits();
    into = {.negative = high >> 63 != 0, .magnitude = 0};
    if (low == 0 && high << 1 == 0) return true;
    auto const exponent = static_cast<int>(high >> 48 & 0x7FFF) - bias;
    if (exponent < 0 || exponent > 63) return false;
    auto const mantissa = wide{1} << mantissa_bits | wide{high & 0xFFFF'FFFF'FFFF} << 64 | low;
    auto const below = static_cast<unsigned>(mantissa_bits - exponent);
    into.magnitude = static_cast<std::uint64_t>(mantissa >> below);
    return wide{into.magnitude} << below == mantissa;
}

float128 to_float128(number::whole from) noexcept {
    auto const sign = std::uint64_t{from.negative} << 63;
    if (from.magnitude == 0) return float128::from_bits(0, sign);
    auto const exponent = std::bit_width(from.magnitude) - 1;
    auto const mantissa = wide{from.magnitude} << (mantissa_bits - static_cast<int>(exponent));
    auto const field = static_cast<std::uint64_t>(bias + static_cast<int>(exponent)) << 48;
    return float128::from_bits(static_cast<std::uint64_t>(mantissa),
                               sign | field |
                                   (static_cast<std::uint64_t>(mantissa >> 64) & 0xFFFF'FFFF'FFFF));
}

}  // namespace hurray::tool::exact
