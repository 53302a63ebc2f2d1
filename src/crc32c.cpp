#include "crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace hurray::inline v0::detail {
namespace {

// Polynomials over GF(2) with the lowest power in the highest bit, as the CRC is transmitted.
constexpr std::uint32_t castagnoli = 0x82F63B78;
constexpr std::uint32_t one = 0x80000000;

constexpr std::uint32_t times_x(std::uint32_t a) noexcept {
    return (a >> 1) ^ ((a & 1) != 0 ? castagnoli : 0);
}

constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
    std::uint32_t product = 0;
    for (auto bit = one; bit != 0; bit >>= 1, b = times_x(b))
        if ((a & bit) != 0) product ^= b;
    return product;
}

// What multiplies a CRC when `bytes` zero bytes follow it: x to the power 8 * bytes.
constexpr std::uint32_t shift_by(std::uint64_t bytes) noexcept {
    auto result = one;
    auto square = one >> 8;
    for (; bytes != 0; bytes >>= 1, square = multiply(square, square))
        if ((bytes & 1) != 0) result = multiply(result, square);
    return result;
}

using byte_table = std::array<std::uint32_t, 256>;

// The product of `factor` with each byte, standing in bits [shift, shift + 8).
constexpr byte_table products(std::uint32_t factor, unsigned shift) noexcept {
    byte_table table{};
    for (unsigned bit = 0; bit < 8; ++bit) {
        table[1u << bit] = multiply(std::uint32_t{1} << (bit + shift), factor);
        for (unsigned low = 1; low < (1u << bit); ++low)
            table[(1u << bit) | low] = table[1u << bit] ^ table[low];
    }
    return table;
}

// slices[k]: a byte that k more bytes follow.
constexpr std::array<byte_table, 8> slices = {products(shift_by(1), 0), products(shift_by(2), 0),
                                              products(shift_by(3), 0), products(shift_by(4), 0),
                                              products(shift_by(5), 0), products(shift_by(6), 0),
                                              products(shift_by(7), 0), products(shift_by(8), 0)};

std::uint64_t load(std::byte const* at) noexcept {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

}  // namespace

std::uint32_t crc32c_portable(std::span<std::byte const> bytes, std::uint32_t seed) noexcept {
    auto crc = ~seed;
    auto const* at = bytes.data();
    auto left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        auto const word = load(at) ^ crc;
        crc = 0;
        for (unsigned k = 0; k < 8; ++k) crc ^= slices[7 - k][(word >> (8 * k)) & 0xFF];
    }
    for (; left != 0; ++at, --left)
        crc = (crc >> 8) ^ slices[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xFF];
    return ~crc;
}

std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second,
                             std::uint64_t second_size) noexcept {
    return multiply(shift_by(second_size), first) ^ second;
}

#if defined(__x86_64__)
namespace {

// The instruction takes three cycles and one can start in each: three streams of this many bytes.
template<std::size_t Stream> struct interleaved {
    static constexpr std::array<byte_table, 4> shift = {
        products(shift_by(Stream), 0), products(shift_by(Stream), 8),
        products(shift_by(Stream), 16), products(shift_by(Stream), 24)};

    static std::uint64_t shifted(std::uint64_t crc) noexcept {
        return shift[0][crc & 0xFF] ^ shift[1][(crc >> 8) & 0xFF] ^ shift[2][(crc >> 16) & 0xFF] ^
               shift[3][(crc >> 24) & 0xFF];
    }

    [[gnu::target("sse4.2")]] static std::uint64_t run(std::uint64_t crc, std::byte const*& at,
                                                       std::size_t& left) noexcept {
        for (; left >= 3 * Stream; at += 3 * Stream, left -= 3 * Stream) {
            // Three short streams are no pattern that the processor would fetch ahead.
            auto const* next = left >= 6 * Stream ? at + 3 * Stream : at;
            std::uint64_t second = 0;
            std::uint64_t third = 0;
            for (std::size_t line = 0; line < Stream; line += 64) {
                for (std::size_t k = 0; k < 192; k += 64) __builtin_prefetch(next + 3 * line + k);
                for (auto k = line; k < line + 64; k += 8) {
                    crc = _mm_crc32_u64(crc, load(at + k));
                    second = _mm_crc32_u64(second, load(at + Stream + k));
                    third = _mm_crc32_u64(third, load(at + 2 * Stream + k));
                }
            }
            crc = shifted(shifted(crc) ^ second) ^ third;
        }
        return crc;
    }
};

}  // namespace

[[gnu::target("sse4.2")]] std::uint32_t crc32c_hardware(std::span<std::byte const> bytes,
                                                        std::uint32_t seed) noexcept {
    auto const* at = bytes.data();
    auto left = bytes.size();
    std::uint64_t crc = ~seed;
    crc = interleaved<2048>::run(crc, at, left);
    crc = interleaved<256>::run(crc, at, left);
    for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, load(at));
    auto last = static_cast<std::uint32_t>(crc);
    for (; left != 0; ++at, --left) last = _mm_crc32_u8(last, std::to_integer<unsigned char>(*at));
    return ~last;
}

bool has_crc32c_instruction() noexcept { return __builtin_cpu_supports("sse4.2") != 0; }
#else
std::uint32_t crc32c_hardware(std::span<std::byte const> bytes, std::uint32_t seed) noexcept {
    return crc32c_portable(bytes, seed);
}

bool has_crc32c_instruction() noexcept { return false; }
#endif

std::uint32_t crc32c(std::span<std::byte const> bytes, std::uint32_t seed) noexcept {
    static bool const hardware = has_crc32c_instruction();
    return hardware ? crc32c_hardware(bytes, seed) : crc32c_portable(bytes, seed);
}

}  // namespace hurray::inline v0::detail
