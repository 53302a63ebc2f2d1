#include <crc32c.hpp>

#include <boost/crc.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string_view>
#include <vector>

namespace {

namespace detail = hurray::detail;

std::uint32_t boost_crc(std::span<std::byte const> bytes) {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

std::vector<std::byte> noise(std::size_t size) {
    std::mt19937_64 random(size);
    std::vector<std::byte> bytes(size);
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    return bytes;
}

std::span<std::byte const> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(crc32c)

BOOST_AUTO_TEST_CASE(known_values) {
    BOOST_TEST(detail::crc32c(bytes_of("123456789")) == 0xE3069283u);
    BOOST_TEST(detail::crc32c_portable(bytes_of("123456789")) == 0xE3069283u);
    BOOST_TEST(detail::crc32c({}) == 0u);
    BOOST_TEST(detail::crc32c({}, 0xE3069283u) == 0xE3069283u);
    // RFC 3720, B.4
    BOOST_TEST(detail::crc32c(std::vector<std::byte>(32, std::byte{0})) == 0x8A9136AAu);
    BOOST_TEST(detail::crc32c(std::vector<std::byte>(32, std::byte{0xFF})) == 0x62A8AB43u);
}

BOOST_AUTO_TEST_CASE(every_length_agrees_with_boost) {
    auto const bytes = noise(2016);
    for (std::size_t const start : {0u, 1u, 3u, 7u, 8u, 13u})
        for (std::size_t size = 0; size <= 2000; ++size) {
            auto const part = std::span(bytes).subspan(start, size);
            auto const expected = boost_crc(part);
            BOOST_REQUIRE_EQUAL(detail::crc32c(part), expected);
            BOOST_REQUIRE_EQUAL(detail::crc32c_portable(part), expected);
            if (detail::has_crc32c_instruction())
                BOOST_REQUIRE_EQUAL(detail::crc32c_hardware(part), expected);
        }
}

// The hardware form changes its step at 768 and 6144 bytes.
BOOST_AUTO_TEST_CASE(long_inputs_agree_with_boost) {
    auto const bytes = noise(100'003);
    for (std::size_t const size : {6'143u, 6'144u, 6'145u, 6'911u, 6'912u, 6'913u, 12'287u, 12'288u,
                                   12'289u, 24'576u, 65'536u, 99'990u})
        for (std::size_t const start : {0u, 1u, 5u, 13u}) {
            auto const part = std::span(bytes).subspan(start, size);
            auto const expected = boost_crc(part);
            BOOST_TEST(detail::crc32c(part) == expected);
            BOOST_TEST(detail::crc32c_portable(part) == expected);
            if (detail::has_crc32c_instruction())
                BOOST_TEST(detail::crc32c_hardware(part) == expected);
        }
}

BOOST_AUTO_TEST_CASE(pieces_chain) {
    auto const bytes = noise(30'000);
    auto const whole = boost_crc(bytes);
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        auto const cut = static_cast<std::size_t>(random() % (bytes.size() + 1));
        auto const head = std::span(bytes).first(cut);
        auto const tail = std::span(bytes).subspan(cut);
        BOOST_REQUIRE_EQUAL(detail::crc32c(tail, detail::crc32c(head)), whole);
        BOOST_REQUIRE_EQUAL(detail::crc32c_portable(tail, detail::crc32c_portable(head)), whole);
        BOOST_REQUIRE_EQUAL(
            detail::crc32c_combine(detail::crc32c(head), detail::crc32c(tail), tail.size()), whole);
    }
}

BOOST_AUTO_TEST_SUITE_END()
