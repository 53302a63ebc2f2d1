#include <utf8.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

bool is_utf8(std::string_view text) {
    return hurray::detail::is_utf8(std::as_bytes(std::span(text)));
}

std::string encoded(std::uint32_t point) {
    auto const byte = [](std::uint32_t value) { return static_cast<char>(value); };
    auto const tail = [&](unsigned shift) { return byte(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) return {byte(point)};
    if (point < 0x800) return {byte(0xC0 | (point >> 6)), tail(0)};
    if (point < 0x10000) return {byte(0xE0 | (point >> 12)), tail(6), tail(0)};
    return {byte(0xF0 | (point >> 18)), tail(12), tail(6), tail(0)};
}

// By definition: each character is what encoding its own code point gives.
bool naive(std::string_view text) {
    while (!text.empty()) {
        auto const lead = static_cast<unsigned char>(text[0]);
        std::size_t const size = lead < 0x80             ? 1
                                 : (lead & 0xE0) == 0xC0 ? 2
                                 : (lead & 0xF0) == 0xE0 ? 3
                                 : (lead & 0xF8) == 0xF0 ? 4
                                                         : 0;
        if (size == 0 || size > text.size()) return false;
        std::uint32_t point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
        for (std::size_t k = 1; k < size; ++k)
            point = (point << 6) | (static_cast<unsigned char>(text[k]) & 0x3Fu);
        if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
        if (encoded(point) != text.substr(0, size)) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string three(unsigned value) {
    return {static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(strings_of_up_to_three_bytes) {
    BOOST_TEST(is_utf8(""));
    std::uint64_t differ = 0;
    std::uint64_t valid = 0;
    for (unsigned value = 0; value < 1u << 24; ++value) {
        auto const text = three(value);
        for (std::size_t skip = value < 1u << 8 ? 2 : value < 1u << 16 ? 1 : 0;; --skip) {
            auto const part = std::string_view(text).substr(skip);
            auto const expected = naive(part);
            valid += expected;
            differ += is_utf8(part) != expected;
            if (skip == 0) break;
        }
    }
    BOOST_TEST(differ == 0u);
    // One byte; two bytes; three bytes, where a surrogate is no character.
    std::uint64_t const a = 0x80, b = 0x800 - 0x80, c = 0x10000 - 0x800 - 0x800;
    BOOST_TEST(valid == a + (a * a + b) + (a * a * a + 2 * a * b + c));
}

BOOST_AUTO_TEST_CASE(every_code_point) {
    std::uint64_t valid = 0;
    for (std::uint32_t point = 0; point < 0x110400; ++point) {
        auto const expected = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
        auto const found = is_utf8(encoded(point));
        valid += found;
        if (found != expected) BOOST_ERROR("code point " << point);
    }
    BOOST_TEST(valid == 0x110000u - 0x800u);
}

BOOST_AUTO_TEST_CASE(four_bytes_at_the_edges) {
    constexpr std::array<unsigned, 13> edges = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                                0xBF, 0xC0, 0xC2, 0xE1, 0xF0, 0xFF};
    std::uint64_t differ = 0;
    for (unsigned lead = 0xEF; lead <= 0xFF; ++lead)
        for (auto const second : edges)
            for (auto const third : edges)
                for (auto const fourth : edges) {
                    auto const text =
                        static_cast<char>(lead) + three((second << 16) | (third << 8) | fourth);
                    differ += is_utf8(text) != naive(text);
                }
    BOOST_TEST(differ == 0u);
}

BOOST_AUTO_TEST_CASE(a_fault_anywhere_in_a_long_text) {
    std::string const ascii(40, 'a');
    BOOST_TEST(is_utf8(ascii));
    for (std::size_t at = 0; at < ascii.size(); ++at) {
        auto bad = ascii;
        bad[at] = '\x80';
        BOOST_TEST(!is_utf8(bad));
        BOOST_TEST(is_utf8(ascii.substr(0, at) + "\u00e9\u20ac\U0001F600" + ascii.substr(at)));
        BOOST_TEST(!is_utf8(ascii.substr(0, at) + "\xE2\x82"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
