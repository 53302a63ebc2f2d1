#include "utf8.hpp"

#include <cstdint>
#include <cstring>

namespace hurray::inline v0::detail {
namespace {

constexpr std::uint64_t not_ascii = 0x8080808080808080;

// What may follow a lead byte: how many bytes in all, and the range of the second one, which is
// where overlong forms, surrogates and code points past the last one show.
struct sequence {
    std::size_t size;
    unsigned low;
    unsigned high;
};

constexpr sequence led_by(unsigned lead) noexcept {
    if (lead < 0x80) return {1, 0, 0};
    if (lead < 0xC2) return {0, 0, 0};
    if (lead < 0xE0) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead < 0xF0) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead < 0xF4) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

// The size of the character that `bytes` begin with; 0 if it is none. Precondition: not empty.
std::size_t character(std::span<std::byte const> bytes) noexcept {
    auto const expected = led_by(std::to_integer<unsigned>(bytes[0]));
    if (expected.size < 2) return expected.size;
    if (expected.size > bytes.size()) return 0;
    auto const second = std::to_integer<unsigned>(bytes[1]);
    if (second < expected.low || second > expected.high) return 0;
    for (std::size_t k = 2; k < expected.size; ++k)
        if ((bytes[k] & std::byte{0xC0}) != std::byte{0x80}) return 0;
    return expected.size;
}

bool eight_ascii(std::span<std::byte const> bytes) noexcept {
    if (bytes.size() < 8) return false;
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    return (word & not_ascii) == 0;
}

}  // namespace

bool is_utf8(std::span<std::byte const> bytes) noexcept {
    while (!bytes.empty()) {
        auto const size = eight_ascii(bytes) ? 8 : character(bytes);
        if (size == 0) return false;
        bytes = bytes.subspan(size);
    }
    return true;
}

}  // namespace hurray::inline v0::detail
