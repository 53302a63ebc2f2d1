#include "verify_kernel.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hurray::inline v0::detail {
namespace {

constexpr std::uint64_t words_ahead = 6144 / sizeof(std::uint64_t);

std::uint64_t ascents_portable(std::uint64_t const* words, std::uint64_t count) noexcept {
    auto const* const before = words - 1;
    std::uint64_t found = 0;
    for (std::uint64_t k = 0; k < count; ++k) found += words[k] > before[k] ? 1u : 0u;
    return found;
}

#if defined(__x86_64__)
// The processor compares signed words; flipping the highest bit keeps the order of unsigned ones.
[[gnu::target("avx2")]] __m256i load_flipped(std::uint64_t const* at) noexcept {
    return _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(at)),
                            _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{1} << 63)));
}

[[gnu::target("avx2")]] __m256i ascends(std::uint64_t const* at) noexcept {
    return _mm256_cmpgt_epi64(load_flipped(at), load_flipped(at - 1));
}

[[gnu::target("avx2")]] std::uint64_t ascents_avx2(std::uint64_t const* words,
                                                   std::uint64_t count) noexcept {
    auto even = _mm256_setzero_si256();
    auto odd = _mm256_setzero_si256();
    std::uint64_t k = 0;
    for (; k + 16 <= count; k += 16) {
        // Past the end of the arrays it does nothing: a prefetch never faults.
        __builtin_prefetch(words + k + words_ahead);
        __builtin_prefetch(words + k + words_ahead + 8);
        even = _mm256_sub_epi64(even, ascends(words + k));
        odd = _mm256_sub_epi64(odd, ascends(words + k + 4));
        even = _mm256_sub_epi64(even, ascends(words + k + 8));
        odd = _mm256_sub_epi64(odd, ascends(words + k + 12));
    }
    auto const both = _mm256_add_epi64(even, odd);
    auto const half =
        _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    auto const found = static_cast<std::uint64_t>(_mm_extract_epi64(half, 0)) +
                       static_cast<std::uint64_t>(_mm_extract_epi64(half, 1));
    return found + ascents_portable(words + k, count - k);
}
#endif

// Walks the boundaries of one part; `entry` is where the one to come lies.
class boundary_walk {
public:
    boundary_walk(structure const& matrix, seam from, seam to) noexcept
        : offsets_(matrix.offsets), indices_(matrix.indices), bound_(matrix.minor),
          next_(from.boundary), end_(to.boundary), last_(to.entry), before_(from.entry) {
        entry_ = fetch();
        while (entry_ == before_ && next_ < end_) step();
    }

    // Passes the boundaries that lie before `stop`; nothing tells whether they are sorted, and the
    // index before each is below the bound. Precondition: stop <= to.entry.
    bool pass(std::uint64_t stop, std::uint64_t& descents) noexcept {
        bool exceeds = false;
        std::uint64_t found = 0;
        while (entry_ < stop) {
            // offsets do not decrease.
            if (entry_ < before_) return false;
            auto const last = indices_[entry_ - 1];
            exceeds |= last >= bound_;
            found += (entry_ != before_) & (indices_[entry_] <= last);
            step();
        }
        descents = found;
        return !exceeds;
    }

    // Whether the boundaries left lie where the part ends.
    bool finish() noexcept {
        while (next_ < end_ && entry_ == last_) step();
        return next_ == end_;
    }

private:
    std::uint64_t fetch() const noexcept {
        return next_ < end_ ? load_once(offsets_[next_]) : last_;
    }
    void step() noexcept {
        before_ = entry_;
        ++next_;
        entry_ = fetch();
    }

    std::uint64_t const* offsets_;
    std::uint64_t const* indices_;
    std::uint64_t bound_;
    std::uint64_t next_;
    std::uint64_t end_;
    std::uint64_t last_;
    std::uint64_t before_;
    std::uint64_t entry_ = 0;
};

// What the last entry of a part owes: it belongs with the first one of the part after it.
bool seam_holds(structure const& matrix, region const& within, seam at) noexcept {
    auto const entry = at.entry;
    if (entry == within.range.first) return true;
    auto const last = matrix.indices[entry - 1];
    auto const ends_slice =
        entry == within.range.last || load_once(matrix.offsets[at.boundary - 1]) == entry ||
        (at.boundary < within.last && load_once(matrix.offsets[at.boundary]) == entry);
    // R-105 where a slice ends, R-104 inside one.
    return ends_slice ? last < matrix.minor : last < matrix.indices[entry];
}

}  // namespace

instructions best_instructions() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0) return instructions::avx2;
#endif
    return instructions::portable;
}

std::uint64_t ascents(std::uint64_t const* words, std::uint64_t count,
                      [[maybe_unused]] instructions with) noexcept {
#if defined(__x86_64__)
    if (with == instructions::avx2) return ascents_avx2(words, count);
#endif
    return ascents_portable(words, count);
}

// Boundaries and entries, merged in order, are one sequence; a seam cuts it after `done` of them.
seam region::at(structure const& matrix, std::uint64_t done) const noexcept {
    auto low = first + 1;
    auto high = last;
    while (low < high) {
        auto const middle = low + (high - low) / 2;
        auto const entry = std::clamp(load_once(matrix.offsets[middle]), range.first, range.last);
        // Neither side can be negative, and both stay below the words in memory.
        if ((middle - first - 1) + (entry - range.first) < done)
            low = middle + 1;
        else
            high = middle;
    }
    return {low, range.first + (done - (low - first - 1))};
}

bool part_holds(structure const& matrix, region const& within, seam from, seam to,
                std::uint64_t block, instructions with) noexcept {
    if (to.boundary < from.boundary || to.entry < from.entry) return false;
    boundary_walk boundaries(matrix, from, to);
    for (auto at = from.entry + 1; at < to.entry;) {
        auto const count = std::min(block, to.entry - at);
        auto const descents = count - ascents(matrix.indices + at, count, with);
        at += count;
        std::uint64_t at_starts = 0;
        // an index may be no greater than the one before it only where a slice starts.
        if (!boundaries.pass(at, at_starts) || descents != at_starts) return false;
    }
    return boundaries.finish() && seam_holds(matrix, within, to);
}

}  // namespace hurray::inline v0::detail
