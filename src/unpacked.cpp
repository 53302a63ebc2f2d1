#include "unpacked.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "threads.hpp"

namespace hurray::unpacked {

namespace {

// Eight elements of any width fill whole bytes, so shares of groups never meet in a byte.
constexpr std::uint64_t group = 8;

unsigned share_count(std::uint64_t count, unsigned threads) noexcept {
    constexpr std::uint64_t worth_a_thread = std::uint64_t{1} << 18;
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(count / worth_a_thread, 1, std::max(threads, 1U)));
}

template<unsigned Bits> void unpack_range(detail::value_run const& from, std::uint64_t first,
                                          std::uint64_t last, std::byte* to) noexcept {
    constexpr unsigned mask = (1U << Bits) - 1;
    for (auto k = first; k < last; ++k) {
        auto const place = detail::place_of<Bits>(from.first + k);
        unsigned bits = std::to_integer<unsigned>(from.bytes[place.byte]) >> place.shift;
        if constexpr (Bits == 6)
            bits |= std::to_integer<unsigned>(from.bytes[place.last]) << (8 - place.shift);
        to[k] = static_cast<std::byte>(bits & mask);
    }
}

void unpack_range(detail::value_run const& from, std::uint64_t first, std::uint64_t last,
                  std::byte* to) noexcept {
    switch (bits_of(from.type)) {
    case 1:
        return unpack_range<1>(from, first, last, to);
    case 2:
        return unpack_range<2>(from, first, last, to);
    case 4:
        return unpack_range<4>(from, first, last, to);
    default:
        return unpack_range<6>(from, first, last, to);
    }
}

/// The bytes of one group, of which fewer than `group` elements may be given.
std::uint64_t gather(std::byte const* from, std::uint64_t count, unsigned bits) noexcept {
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        word |= std::to_integer<std::uint64_t>(from[i]) << (i * bits);
    return word;
}

}  // namespace

void unpack(detail::value_run const& from, std::uint64_t count, unsigned threads,
            std::byte* to) noexcept {
    auto const shares = share_count(count, threads);
    threads::run(shares, [&](unsigned t) {
        unpack_range(from, threads::share_begin(count, t, shares),
                     threads::share_begin(count, t + 1, shares), to);
    });
}

result<detail::memory_block> pack(element_type type, std::byte const* from, std::uint64_t count,
                                  unsigned threads) {
    auto const bits = bits_of(type);
    auto const bytes = *bytes_for(type, count);
    auto block = detail::memory_block::uninitialised(bytes);
    if (!block) return block;
    auto* const to = block->data();
    auto const shares = share_count(count, threads);
    auto const groups = (count + group - 1) / group;
    threads::run(shares, [&](unsigned t) {
        auto const last = threads::share_begin(groups, t + 1, shares);
        for (auto g = threads::share_begin(groups, t, shares); g < last; ++g) {
            // what the last group lacks stays zero.
            auto const word = gather(from + g * group, std::min(group, count - g * group), bits);
            std::memcpy(to + g * bits, &word, std::min<std::uint64_t>(bits, bytes - g * bits));
        }
    });
    return block;
}

}  // namespace hurray::unpacked
