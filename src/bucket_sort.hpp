#pragma once

// A stable counting sort of matrix entries by slice, at the speed of memory.
//
// The textbook way counts the entries of each slice and then drops every entry at the cursor of
// its slice: one cache miss and one TLB miss per entry. Here the slices are cut into about a
// thousand buckets. One pass scatters the entries to their buckets, through a cache line per bucket
// that is written out when full. Then each bucket, which fits the cache, is sorted by itself.
// No scratch copy of the matrix: while they wait in their bucket, entries lie in the result's own
// arrays, {other index, slice within the bucket} packed into the one word that an index takes.
// A bucket too heavy for the cache, such as that of a full column, skips the detour: its slices
// are counted beforehand and its entries go where they belong at once.
//
// The entries may lie in a file that somebody changes between the passes. Every write is bounded
// by what was counted, and a count that turns out to be wrong ends the sort.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hurray/memory_block.hpp>
#include <hurray/result.hpp>

#include "threads.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hurray::buckets {

/// Where the sorted entries go. Width bytes per value.
struct target {
    std::uint64_t slices = 0;
    std::uint64_t nnz = 0;
    std::uint64_t* offsets = nullptr;  ///< slices + 1
    std::uint64_t* indices = nullptr;  ///< nnz, aligned to 64
    std::byte* values = nullptr;       ///< nnz, aligned to 64
};

struct limits {
    unsigned threads = 1;
    std::uint64_t memory = ~std::uint64_t{0};
};

/// How the slices are cut into buckets; none: entries are placed one by one.
struct plan {
    unsigned shift = 0;  ///< 2^shift slices to a bucket
    std::uint64_t buckets = 0;
    unsigned threads = 1;
};

inline constexpr std::uint64_t line_entries = 8;

/// Bytes that scattering takes per thread and bucket: two cursors, a line of keys and of values.
constexpr std::uint64_t bytes_per_bucket(unsigned width) noexcept {
    return 16 + line_entries * (8 + width);
}

/// `other_bits`: the width of the indices that the result holds.
inline plan make_plan(target const& to, unsigned other_bits, unsigned width,
                      limits const& limit) noexcept {
    constexpr std::uint64_t in_cache = std::uint64_t{1} << 11;
    constexpr std::uint64_t most_buckets = std::uint64_t{1} << 14;
    constexpr std::uint64_t entries_per_thread = std::uint64_t{1} << 15;
    auto const wanted =
        std::clamp<std::uint64_t>(to.nnz / entries_per_thread, 1, std::max(limit.threads, 1U));
    if (to.slices <= in_cache && wanted == 1) return {};
    auto const bits =
        static_cast<unsigned>(std::bit_width(std::max(to.slices, std::uint64_t{1}) - 1));
    auto const shift = std::min(bits <= 10   ? 0
                                : bits <= 23 ? bits - 10
                                             : bits - 11,
                                64 - other_bits);
    auto const buckets = ((to.slices - 1) >> shift) + 1;
    if (buckets > most_buckets) return {};
    for (auto const threads : {static_cast<unsigned>(wanted), 1U})
        if (threads * buckets * bytes_per_bucket(width) <= limit.memory / 2)
            return {shift, buckets, threads};
    return {};
}

/// How the entries were sorted.
struct sorted {
    bool counted_in_place = false;  ///< one by one: nothing proves that no entry changed meanwhile
};

template<unsigned Width> void copy_value(std::byte* to, std::byte const* from) noexcept {
    if constexpr (Width != 0) std::memcpy(to, from, Width);
}

/// One line of 64 bytes, past the cache where the processor can. Both are aligned to 64.
inline void write_line(std::byte* to, std::byte const* from) noexcept {
#if defined(__SSE2__)
    auto* const out = static_cast<__m128i*>(static_cast<void*>(to));
    auto const* const in = static_cast<__m128i const*>(static_cast<void const*>(from));
    for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
#else
    std::memcpy(to, from, 64);
#endif
}

inline void finish_lines() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// A Source gives entries 0 ... nnz - 1 in their order:
///   slice(k)              the slice of entry k, fetched once
///   each(first, last, f)  f(slice, other index, k) for k in [first, last), until f gives false;
///                         false if f did, or if the entries are no longer what they were
///   values                the first value
template<class Source, unsigned Width> class sorter {
public:
    sorter(Source const& source, target const& to, plan const& how, limits const& limit) noexcept
        : source_(source), to_(to), plan_(how), memory_(limit.memory) {}

    /// Errors: too_large_for_memory, file_changed.
    result<sorted> run() {
        to_.offsets[0] = 0;
        if (plan_.buckets == 0) return one_by_one();
        if (!prepare()) return errc::too_large_for_memory;
        if (!all_shares([this](unsigned t) { return count_buckets(t); })) return errc::file_changed;
        if (!choose_heavy()) return one_by_one();
        if (heavy_ != 0) {
            if (!prepare_heavy()) return errc::too_large_for_memory;
            if (!all_shares([this](unsigned t) { return count_heavy(t); }))
                return errc::file_changed;
            place_heavy_slices();
        }
        auto const scattered = heavy_ != 0
                                   ? all_shares([this](unsigned t) { return scatter<true>(t); })
                                   : all_shares([this](unsigned t) { return scatter<false>(t); });
        if (!scattered || !heavy_slices_are_full()) return errc::file_changed;
        return sort_buckets();
    }

private:
    /// Where the entries of one share and slice go.
    struct range {
        std::uint64_t next;
        std::uint64_t end;
    };

    static constexpr std::uint32_t light = ~std::uint32_t{0};
    static constexpr std::uint64_t entry_bytes = 8 + Width;
    static constexpr std::uint64_t line_bytes = line_entries * Width;

    template<class Work> bool all_shares(Work const& work) {
        std::atomic<bool> good = true;
        threads::run(plan_.threads, [&](unsigned share) {
            if (!work(share)) good.store(false, std::memory_order_relaxed);
        });
        return good.load(std::memory_order_relaxed);
    }

    std::uint64_t share_begin(unsigned t) const noexcept {
        return threads::share_begin(to_.nnz, t, plan_.threads);
    }
    std::uint64_t per_bucket() const noexcept { return std::uint64_t{1} << plan_.shift; }
    std::uint64_t* starts(unsigned t) noexcept {
        return starts_.as<std::uint64_t>() + t * plan_.buckets;
    }
    std::uint64_t* cursors(unsigned t) noexcept {
        return cursors_.as<std::uint64_t>() + t * plan_.buckets;
    }
    range* heavy_ranges(unsigned t) noexcept {
        return heavy_ranges_.as<range>() + ((t * heavy_) << plan_.shift);
    }
    /// Where share t must stop in bucket b: there the next share, or the next bucket, begins.
    std::uint64_t share_end(unsigned t, std::uint64_t b) noexcept {
        return t + 1 == plan_.threads ? bucket_begin(b + 1) : starts(t + 1)[b];
    }
    std::uint64_t bucket_begin(std::uint64_t b) const noexcept {
        return begins_.as<std::uint64_t>()[b];
    }
    std::uint64_t bucket_size(std::uint64_t b) const noexcept {
        return bucket_begin(b + 1) - bucket_begin(b);
    }

    template<class Block> static bool take(Block& into, result<Block> got) noexcept {
        if (got) into = *std::move(got);
        return got.has_value();
    }

    bool prepare() {
        using block = detail::memory_block;
        auto const cells = plan_.threads * plan_.buckets;
        return take(starts_, block::zeroed(cells * 8)) &&
               take(cursors_, block::uninitialised(cells * 8)) &&
               take(keys_, block::uninitialised(cells * line_entries * 8)) &&
               take(lines_, block::uninitialised(cells * line_bytes)) &&
               take(begins_, block::zeroed((plan_.buckets + 1) * 8)) &&
               take(heavy_of_, block::uninitialised(plan_.buckets * 4));
    }

    bool count_buckets(unsigned t) noexcept {
        auto* const counts = starts(t);
        auto const slices = to_.slices;
        auto const shift = plan_.shift;
        auto const last = share_begin(t + 1);
        for (auto k = share_begin(t); k < last; ++k) {
            auto const slice = source_.slice(k);
            if (slice >= slices) return false;
            ++counts[slice >> shift];
        }
        return true;
    }

    /// Says where each bucket begins and which ones are heavy. False: they outgrow the budget.
    bool choose_heavy() noexcept {
        auto* const begins = begins_.as<std::uint64_t>();
        auto* const heavy_of = heavy_of_.as<std::uint32_t>();
        auto const room = memory_ - plan_.threads * plan_.buckets * bytes_per_bucket(Width);
        constexpr std::uint64_t worth_it = std::uint64_t{1} << 16;
        auto const limit = std::min(std::max(to_.nnz / (8 * plan_.threads), worth_it),
                                    room / 2 / plan_.threads / entry_bytes);
        std::uint64_t at = 0;
        for (std::uint64_t b = 0; b < plan_.buckets; ++b) {
            begins[b] = at;
            for (unsigned t = 0; t < plan_.threads; ++t) {
                auto const count = starts(t)[b];
                starts(t)[b] = cursors(t)[b] = at;
                at += count;
            }
            bool const is_heavy = at - begins[b] > limit;
            heavy_of[b] = is_heavy ? static_cast<std::uint32_t>(heavy_++) : light;
            if (!is_heavy) largest_light_ = std::max(largest_light_, at - begins[b]);
        }
        begins[plan_.buckets] = at;
        return heavy_ == 0 || heavy_ <= (room / 2 / plan_.threads / 16) >> plan_.shift;
    }

    bool prepare_heavy() {
        auto const cells = (plan_.threads * heavy_) << plan_.shift;
        return take(heavy_ranges_, detail::memory_block::zeroed(cells * sizeof(range)));
    }

    bool count_heavy(unsigned t) noexcept {
        auto* const counts = heavy_ranges(t);
        auto const* const heavy_of = heavy_of_.as<std::uint32_t>();
        auto const slices = to_.slices;
        auto const shift = plan_.shift;
        auto const mask = per_bucket() - 1;
        auto const last = share_begin(t + 1);
        for (auto k = share_begin(t); k < last; ++k) {
            auto const slice = source_.slice(k);
            if (slice >= slices) return false;
            auto const heavy = heavy_of[slice >> shift];
            if (heavy != light) ++counts[(std::uint64_t{heavy} << shift) + (slice & mask)].end;
        }
        return true;
    }

    /// Turns the counts of the slices of heavy buckets into ranges, and gives their offsets.
    void place_heavy_slices() noexcept {
        for (std::uint64_t b = 0; b < plan_.buckets; ++b) {
            auto const heavy = heavy_of_.as<std::uint32_t>()[b];
            if (heavy == light) continue;
            auto const first = b << plan_.shift;
            auto const count = std::min(per_bucket(), to_.slices - first);
            auto at = bucket_begin(b);
            for (std::uint64_t i = 0; i < count; ++i) {
                for (unsigned t = 0; t < plan_.threads; ++t) {
                    auto& cell = heavy_ranges(t)[(std::uint64_t{heavy} << plan_.shift) + i];
                    auto const entries = cell.end;
                    cell = {at, at + entries};
                    at += entries;
                }
                to_.offsets[first + i + 1] = at;
            }
        }
    }

    template<bool Heavy> bool scatter(unsigned t) noexcept {
        auto* const cursor = cursors(t);
        auto* const ranges = Heavy ? heavy_ranges(t) : nullptr;
        auto const* const heavy_of = heavy_of_.as<std::uint32_t>();
        auto* const keys = keys_.as<std::uint64_t>() + t * plan_.buckets * line_entries;
        auto* const lines = lines_.data() + t * plan_.buckets * line_bytes;
        auto const* const from = source_.values;
        auto const to = to_;
        auto const shift = plan_.shift;
        auto const mask = per_bucket() - 1;

        bool const fine = source_.each(
            share_begin(t), share_begin(t + 1),
            [=, this](std::uint64_t slice, std::uint64_t other, std::uint64_t k) noexcept {
                if (slice >= to.slices) return false;
                auto const b = slice >> shift;
                if constexpr (Heavy) {
                    if (auto const heavy = heavy_of[b]; heavy != light) {
                        auto& cell = ranges[(std::uint64_t{heavy} << shift) + (slice & mask)];
                        if (cell.next == cell.end) return false;
                        auto const at = cell.next++;
                        to.indices[at] = other;
                        copy_value<Width>(to.values + at * Width, from + k * Width);
                        return true;
                    }
                }
                auto const at = cursor[b]++;
                auto const slot = b * line_entries + at % line_entries;
                keys[slot] = other << shift | (slice & mask);
                copy_value<Width>(lines + slot * Width, from + k * Width);
                if (at % line_entries != line_entries - 1) return true;
                return write_out(t, b, at + 1);
            });
        if (!fine || !ended_where_the_next_begins(t)) return false;
        for (std::uint64_t b = 0; b < plan_.buckets; ++b)
            if (cursor[b] % line_entries != 0 && !write_out(t, b, cursor[b])) return false;
        finish_lines();
        return true;
    }

    /// Writes what share t has gathered for bucket b in the line that ends at entry `end`.
    bool write_out(unsigned t, std::uint64_t b, std::uint64_t end) noexcept {
        if (end > share_end(t, b)) return false;
        auto const cell = t * plan_.buckets + b;
        auto const* const keys = keys_.as<std::uint64_t>() + cell * line_entries;
        auto const* const line = lines_.data() + cell * line_bytes;
        auto const line_begin = (end - 1) / line_entries * line_entries;
        auto const first = std::max(line_begin, starts(t)[b]);
        if (end - first == line_entries) {
            write_line(static_cast<std::byte*>(static_cast<void*>(to_.indices + first)),
                       static_cast<std::byte const*>(static_cast<void const*>(keys)));
            auto* const out = to_.values + first * Width;
            if constexpr (line_bytes % 64 == 0)
                for (std::uint64_t i = 0; i < line_bytes; i += 64) write_line(out + i, line + i);
            else
                std::memcpy(out, line, line_bytes);
            return true;
        }
        if (end <= first) return true;
        std::copy(keys + (first - line_begin), keys + (end - line_begin), to_.indices + first);
        if constexpr (Width != 0)
            std::memcpy(to_.values + first * Width, line + (first - line_begin) * Width,
                        (end - first) * Width);
        return true;
    }

    /// Whether share t has filled what was counted, and no more: then all of it was written once.
    bool ended_where_the_next_begins(unsigned t) noexcept {
        for (std::uint64_t b = 0; b < plan_.buckets; ++b) {
            bool const is_heavy = heavy_of_.as<std::uint32_t>()[b] != light;
            if (!is_heavy && cursors(t)[b] != share_end(t, b)) return false;
        }
        return true;
    }

    /// The same for the slices of heavy buckets, over all shares.
    bool heavy_slices_are_full() noexcept {
        auto const* const cells = heavy_ranges_.as<range>();
        return std::all_of(cells, cells + heavy_ranges_.size() / sizeof(range),
                           [](range const& cell) { return cell.next == cell.end; });
    }

    result<sorted> sort_buckets() {
        auto const bytes = largest_light_ * entry_bytes;
        detail::memory_block scratch;
        auto const padded = (bytes + 63) / 64 * 64;
        if (!take(scratch, detail::memory_block::uninitialised(padded * plan_.threads)))
            return errc::too_large_for_memory;
        std::atomic<std::uint64_t> next = 0;
        threads::run(plan_.threads, [&](unsigned t) {
            auto* const mine = scratch.data() + t * padded;
            for (auto b = next++; b < plan_.buckets; b = next++)
                if (heavy_of_.as<std::uint32_t>()[b] == light) sort_bucket(b, mine);
        });
        return sorted{};
    }

    void sort_bucket(std::uint64_t b, std::byte* scratch) noexcept {
        auto const begin = bucket_begin(b);
        auto const count = bucket_size(b);
        auto const first = b << plan_.shift;
        auto* const ends = to_.offsets + first + 1;
        auto const slices = std::min(per_bucket(), to_.slices - first);
        auto const shift = plan_.shift;
        auto const mask = per_bucket() - 1;
        auto* const indices = to_.indices;
        auto* const values = to_.values;
        if (count == 0) {
            std::fill_n(ends, slices, begin);
            return;
        }
        auto* const keys = static_cast<std::uint64_t*>(static_cast<void*>(scratch));
        auto* const line = scratch + count * 8;
        std::fill_n(ends, slices, 0);
        for (std::uint64_t k = 0; k < count; ++k) {
            auto const key = indices[begin + k];
            keys[k] = key;
            ++ends[key & mask];
        }
        if constexpr (Width != 0) std::memcpy(line, values + begin * Width, count * Width);
        auto at = begin;
        for (std::uint64_t i = 0; i < slices; ++i) {
            auto const entries = ends[i];
            ends[i] = at;
            at += entries;
        }
        for (std::uint64_t k = 0; k < count; ++k) {
            auto const key = keys[k];
            auto const place = ends[key & mask]++;
            indices[place] = key >> shift;
            copy_value<Width>(values + place * Width, line + k * Width);
        }
    }

    /// The textbook way, in no memory but the result's: for few slices, or for want of memory.
    result<sorted> one_by_one() noexcept {
        auto* const ends = to_.offsets + 1;
        auto const to = to_;
        auto const* const from = source_.values;
        std::fill_n(ends, to.slices, 0);
        for (std::uint64_t k = 0; k < to.nnz; ++k) {
            auto const slice = source_.slice(k);
            if (slice >= to.slices) return errc::file_changed;
            ++ends[slice];
        }
        std::uint64_t at = 0;
        for (std::uint64_t i = 0; i < to.slices; ++i) {
            auto const entries = ends[i];
            ends[i] = at;
            at += entries;
        }
        bool const fine = source_.each(
            0, to.nnz, [=](std::uint64_t slice, std::uint64_t other, std::uint64_t k) noexcept {
                if (slice >= to.slices) return false;
                auto const place = ends[slice]++;
                if (place >= to.nnz) return false;
                to.indices[place] = other;
                copy_value<Width>(to.values + place * Width, from + k * Width);
                return true;
            });
        if (!fine) return errc::file_changed;
        return sorted{.counted_in_place = true};
    }

    Source const& source_;
    target const to_;
    plan const plan_;
    std::uint64_t const memory_;

    detail::memory_block starts_;        ///< per share and bucket: where its entries begin
    detail::memory_block cursors_;       ///< per share and bucket: where its next entry goes
    detail::memory_block keys_;          ///< per share and bucket: a line of keys
    detail::memory_block lines_;         ///< per share and bucket: as many values
    detail::memory_block begins_;        ///< per bucket, and the end of the last one
    detail::memory_block heavy_of_;      ///< per bucket: its number among the heavy ones, or light
    detail::memory_block heavy_ranges_;  ///< per share and slice of a heavy bucket
    std::uint64_t heavy_ = 0;
    std::uint64_t largest_light_ = 0;
};

/// Sorts the entries of `source` into `to`; slices keep the order in which entries came.
/// Errors: too_large_for_memory, file_changed.
template<class Source> result<sorted> sort(Source const& source, target const& to,
                                           unsigned other_bits, unsigned width,
                                           limits const& limit) {
    auto const how = make_plan(to, other_bits, width, limit);
    switch (width) {
    case 0:
        return sorter<Source, 0>(source, to, how, limit).run();
    case 1:
        return sorter<Source, 1>(source, to, how, limit).run();
    case 2:
        return sorter<Source, 2>(source, to, how, limit).run();
    case 4:
        return sorter<Source, 4>(source, to, how, limit).run();
    case 8:
        return sorter<Source, 8>(source, to, how, limit).run();
    default:
        return sorter<Source, 16>(source, to, how, limit).run();
    }
}

}  // namespace hurray::buckets
