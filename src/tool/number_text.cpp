#include "number_text.hpp"

#include <array>
#include <cstdlib>

namespace hurray::tool::number {
namespace {

/// from_chars takes no plus sign; texts have them.
std::string_view without_plus(std::string_view token) {
    if (token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+')
        token.remove_prefix(1);
    return token;
}

bool spells_infinity(std::string_view token) {
    return token.find_first_of("iI") != std::string_view::npos;
}

/// Numbers as Fortran writes them: 1.5D+03.
bool replace_exponent(std::string& token) {
    auto const at = token.find_first_of("dD");
    if (at == std::string::npos || token.find_first_of("nNiIxX") != std::string::npos) return false;
    token[at] = 'e';
    return true;
}

float slow_read(char const* text, float) { return std::strtof(text, nullptr); }
double slow_read(char const* text, double) { return std::strtod(text, nullptr); }

template<class Float> flaw read_floating(std::string_view token, Float& into) {
    token = without_plus(token);
    auto const last = token.data() + token.size();
    auto const [at, failed] = std::from_chars(token.data(), last, into);
    if (failed == std::errc{} && at == last)
        return std::isinf(into) && !spells_infinity(token) ? flaw::outside_the_type : flaw::none;
    std::string copy(token);
    if (failed != std::errc::result_out_of_range) {
        if (!replace_exponent(copy)) return flaw::not_a_number;
        return read_floating<Float>(copy, into);
    }
    if (at != last) return flaw::not_a_number;
    into = slow_read(copy.c_str(), into);  // too small is a zero, and good
    return std::isinf(into) ? flaw::outside_the_type : flaw::none;
}

template<class Number> void append_shortest(std::string& out, Number value) {
    std::array<char, 40> text{};
    auto const [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
    out.append(text.data(), failed == std::errc{} ? end : text.data());
}

void append_hex(std::string& out, std::uint64_t value, unsigned digits) {
    constexpr std::string_view names = "0123456789abcdef";
    while (digits-- != 0) out += names[(value >> (digits * 4)) & 15];
}

constexpr std::uint64_t mantissa_mask = 0x0000'FFFF'FFFF'FFFF;
constexpr std::uint64_t special_exponent = 0x7FFF;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
constexpr int bias = 16383;
constexpr std::size_t mantissa_digits = 28;

/// [-]0x1.<28 digits>p<exponent>: what no double holds.
flaw read_hexadecimal128(std::string_view token, float128& into) {
    bool const negative = !token.empty() && token[0] == '-';
    if (negative) token.remove_prefix(1);
    auto const p = token.find('p');
    if (token.size() < 5 || token.substr(0, 2) != "0x" || (token[2] != '0' && token[2] != '1') ||
        token[3] != '.' || p == std::string_view::npos || p < 5)
        return flaw::not_a_number;
    auto digits = std::string(token.substr(4, p - 4));
    if (digits.size() > mantissa_digits) return flaw::outside_the_type;
    digits.append(mantissa_digits - digits.size(), '0');
    std::uint64_t high = 0, low = 0;
    int exponent = 0;
    auto const power = without_plus(token.substr(p + 1));
    auto const [at, failed] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (failed != std::errc{} || at != power.data() + power.size() ||
        !hexadecimal(std::string_view(digits).substr(0, 12), high) ||
        !hexadecimal(std::string_view(digits).substr(12), low))
        return flaw::not_a_number;
    bool const normal = token[2] == '1';
    if (exponent < 1 - bias || exponent > (normal ? bias : 1 - bias)) return flaw::outside_the_type;
    auto const field = normal ? static_cast<std::uint64_t>(exponent + bias) : 0;
    into = float128::from_bits(low, (negative ? sign_bit : 0) | (field << 48) | high);
    return flaw::none;
}

flaw read_nan128(std::string_view digits, float128& into) {
    std::uint64_t high = 0, low = 0;
    if (digits.size() != 32 || !hexadecimal(digits.substr(0, 16), high) ||
        !hexadecimal(digits.substr(16), low))
        return flaw::not_a_number;
    into = float128::from_bits(low, high);
    return std::isnan(static_cast<double>(into)) ? flaw::none : flaw::not_a_number;
}

}  // namespace

bool nan_pattern(std::string_view token, std::string_view& digits) {
    constexpr std::string_view start = "nan(0x";
    if (token.size() <= start.size() || token.substr(0, start.size()) != start ||
        token.back() != ')')
        return false;
    digits = token.substr(start.size(), token.size() - start.size() - 1);
    return true;
}

bool hexadecimal(std::string_view digits, std::uint64_t& into) {
    auto const last = digits.data() + digits.size();
    auto const [at, failed] = std::from_chars(digits.data(), last, into, 16);
    return failed == std::errc{} && at == last;
}

flaw read(std::string_view token, double& into) { return read_floating(token, into); }
flaw read(std::string_view token, float& into) { return read_floating(token, into); }

flaw read(std::string_view token, whole& into) {
    auto digits = without_plus(token);
    into.negative = !digits.empty() && digits[0] == '-';
    if (into.negative) digits.remove_prefix(1);
    auto const last = digits.data() + digits.size();
    auto const [at, failed] = std::from_chars(digits.data(), last, into.magnitude);
    if (at == last && failed == std::errc{}) return flaw::none;
    if (at == last && failed == std::errc::result_out_of_range) return flaw::outside_the_type;

    double value = 0;
    if (auto const bad = read(token, value); bad != flaw::none) return bad;
    if (std::trunc(value) != value || std::isnan(value)) return flaw::not_whole;
    if (!(std::fabs(value) < 0x1p64)) return flaw::outside_the_type;
    into = {std::signbit(value), static_cast<std::uint64_t>(std::fabs(value))};
    return flaw::none;
}

flaw read(std::string_view token, float128& into) {
    if (std::string_view digits; nan_pattern(token, digits)) return read_nan128(digits, into);
    if (token.find('x') != std::string_view::npos) return read_hexadecimal128(token, into);
    double value = 0;
    if (auto const bad = read(token, value); bad != flaw::none) return bad;
    into = float128(value);
    return flaw::none;
}

void append(std::string& out, std::int64_t value) { append_shortest(out, value); }
void append(std::string& out, std::uint64_t value) { append_shortest(out, value); }
void append(std::string& out, float value) { append_shortest(out, value); }
void append(std::string& out, double value) { append_shortest(out, value); }

void append_nan(std::string& out, std::uint64_t pattern) {
    out += "nan(0x";
    append_hex(out, pattern, static_cast<unsigned>(std::bit_width(pattern) + 3) / 4);
    out += ')';
}

void append(std::string& out, float128 value) {
    auto const near = static_cast<double>(value);
    auto const [low, high] = value.bits();
    if (std::isnan(near) && float128(std::numeric_limits<double>::quiet_NaN()) != value) {
        out += "nan(0x";
        append_hex(out, high, 16);
        append_hex(out, low, 16);
        out += ')';
        return;
    }
    if (float128(near) == value) return append(out, near);
    auto const field = (high >> 48) & special_exponent;
    if ((high & sign_bit) != 0) out += '-';
    out += field == 0 ? "0x0." : "0x1.";
    append_hex(out, high & mantissa_mask, 12);
    append_hex(out, low, 16);
    out += 'p';
    append(out, static_cast<std::int64_t>(field == 0 ? 1 : field) - bias);
}

}  // namespace hurray::tool::number
