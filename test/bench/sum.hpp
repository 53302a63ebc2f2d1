#pragma once

// The limit of reading: a sum of 64-bit words in vector registers.

#include <cstdint>
#include <numeric>
#include <span>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline std::uint64_t sum_avx2(std::span<std::uint64_t const> words) {
    __m256i sums[4]{};
    std::size_t k = 0;
    for (; k + 16 <= words.size(); k += 16)
        for (unsigned i = 0; i < 4; ++i)
            sums[i] =
                _mm256_add_epi64(sums[i], _mm256_loadu_si256(static_cast<__m256i const*>(
                                              static_cast<void const*>(words.data() + k + 4 * i))));
    alignas(32) std::uint64_t parts[4];
    _mm256_store_si256(
        static_cast<__m256i*>(static_cast<void*>(parts)),
        _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3])));
    std::uint64_t rest = 0;
    for (; k < words.size(); ++k) rest += words[k];
    return parts[0] + parts[1] + parts[2] + parts[3] + rest;
}
#endif

inline std::uint64_t sum_of(std::span<std::uint64_t const> words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0) return sum_avx2(words);
#endif
    return std::accumulate(words.begin(), words.end(), std::uint64_t{0});
}

/// Sums both arrays, each cut in two for two threads.
inline std::uint64_t sum_of(std::span<std::uint64_t const> a, std::span<std::uint64_t const> b,
                            unsigned threads) {
    if (threads < 2) return sum_of(a) + sum_of(b);
    std::uint64_t other = 0;
    std::thread helper(
        [&] { other = sum_of(a.first(a.size() / 2)) + sum_of(b.first(b.size() / 2)); });
    auto const mine = sum_of(a.subspan(a.size() / 2)) + sum_of(b.subspan(b.size() / 2));
    helper.join();
    return mine + other;
}

}  // namespace bench
