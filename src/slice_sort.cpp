#include "slice_sort.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "threads.hpp"

namespace hurray::slices {

namespace {

/// Marks an entry that was added to another one. Indices are below 2^64 - 1.
constexpr std::uint64_t merged = ~std::uint64_t{0};

/// An entry, and which of its slice it was.
struct arrival {
    std::uint64_t index;
    std::uint64_t position;
};

bool comes_before(arrival const& a, arrival const& b) noexcept {
    return a.index != b.index ? a.index < b.index : a.position < b.position;
}

bool increases(std::uint64_t const* indices, std::uint64_t count) noexcept {
    for (std::uint64_t k = 1; k < count; ++k)
        if (indices[k] <= indices[k - 1]) return false;
    return true;
}

template<unsigned Width> void copy_value(std::byte* to, std::byte const* from) noexcept {
    if constexpr (Width != 0) std::memcpy(to, from, Width);
}

/// Works through slices [first, last) in memory of its own.
template<unsigned Width> class worker {
public:
    worker(detail::owned_arrays& arrays, detail::adder add, duplicates how, arrival* entries,
           std::byte* values) noexcept
        : offsets_(arrays.offsets.as<std::uint64_t>()),
          indices_(arrays.indices.as<std::uint64_t>()), values_(arrays.values.data()), add_(add),
          how_(how), entries_(entries), scratch_(values) {}

    void run(std::uint64_t first, std::uint64_t last) noexcept {
        for (auto i = first; i < last && !failed; ++i) sort_slice(i);
    }

    std::optional<error> failed{};
    bool has_merged = false;

private:
    void sort_slice(std::uint64_t i) noexcept {
        auto const begin = offsets_[i];
        auto const count = offsets_[i + 1] - begin;
        auto* const indices = indices_ + begin;
        auto* const values = values_ + begin * Width;
        if (increases(indices, count)) return;
        for (std::uint64_t k = 0; k < count; ++k) entries_[k] = {indices[k], k};
        std::sort(entries_, entries_ + count, comes_before);
        for (std::uint64_t k = 0; k < count; ++k) {
            indices[k] = entries_[k].index;
            copy_value<Width>(scratch_ + k * Width, values + entries_[k].position * Width);
        }
        settle_duplicates(i, count, indices);
        if constexpr (Width != 0) std::memcpy(values, scratch_, count * Width);
    }

    void settle_duplicates(std::uint64_t i, std::uint64_t count, std::uint64_t* indices) noexcept {
        std::uint64_t kept = 0;
        for (std::uint64_t k = 1; k < count; ++k) {
            if (entries_[k].index != entries_[kept].index) {
                kept = k;
                continue;
            }
            if (how_ == duplicates::refuse) {
                fail(errc::duplicate_entry, i, entries_[k].position);
            } else if (Width != 0 && !add_(scratch_ + kept * Width, scratch_ + k * Width)) {
                fail(errc::value_does_not_fit, i, entries_[k].position);
            } else {
                indices[k] = merged;
                has_merged = true;
            }
        }
    }

    /// Keeps the failure of the entry that came first in the slice.
    void fail(errc code, std::uint64_t slice, std::uint64_t position) noexcept {
        if (!failed || position < failed->position)
            failed = error{.code = code, .slice = slice, .position = position};
    }

    std::uint64_t const* offsets_;
    std::uint64_t* indices_;
    std::byte* values_;
    detail::adder add_;
    duplicates how_;
    arrival* entries_;
    std::byte* scratch_;
};

std::uint64_t longest_slice(detail::owned_arrays const& arrays) noexcept {
    auto const* const offsets = arrays.offsets.as<std::uint64_t>();
    std::uint64_t longest = 0;
    for (std::uint64_t i = 0; i < arrays.major; ++i)
        longest = std::max(longest, offsets[i + 1] - offsets[i]);
    return longest;
}

/// Takes out the entries that were added to others, and gives their memory back.
template<unsigned Width> void close_gaps(detail::owned_arrays& arrays) noexcept {
    auto* const offsets = arrays.offsets.as<std::uint64_t>();
    auto* const indices = arrays.indices.as<std::uint64_t>();
    auto* const values = arrays.values.data();
    std::uint64_t to = 0;
    std::uint64_t from = 0;
    for (std::uint64_t i = 0; i < arrays.major; ++i) {
        for (auto const end = offsets[i + 1]; from < end; ++from) {
            if (indices[from] == merged) continue;
            indices[to] = indices[from];
            if (to != from) copy_value<Width>(values + to * Width, values + from * Width);
            ++to;
        }
        offsets[i + 1] = to;
    }
    arrays.nnz = to;
    arrays.indices.shrink(to * 8);
    arrays.values.shrink(to * Width);
}

/// The slice in which share `t` of the entries begins.
std::uint64_t first_slice(detail::owned_arrays const& arrays, unsigned t, unsigned shares) {
    if (t == shares) return arrays.major;
    if (t == 0) return 0;
    auto const* const offsets = arrays.offsets.as<std::uint64_t>();
    auto const entry = threads::share_begin(arrays.nnz, t, shares);
    auto const at = std::lower_bound(offsets, offsets + arrays.major, entry);
    return static_cast<std::uint64_t>(at - offsets);
}

template<unsigned Width> result<void> sort_all(detail::owned_arrays& arrays, detail::adder add,
                                               assemble_options const& options) {
    constexpr std::uint64_t worth_a_thread = std::uint64_t{1} << 14;
    auto const shares = static_cast<unsigned>(
        std::clamp<std::uint64_t>(arrays.nnz / worth_a_thread, 1, std::max(options.threads, 1U)));
    auto const longest = longest_slice(arrays);
    auto const per_share = (longest * (sizeof(arrival) + Width) + 63) / 64 * 64;
    auto scratch = detail::memory_block::uninitialised(per_share * shares);
    if (!scratch) return scratch.error();

    std::vector<worker<Width>> workers;
    workers.reserve(shares);
    for (unsigned t = 0; t < shares; ++t) {
        auto* const mine = scratch->data() + t * per_share;
        workers.emplace_back(arrays, add, options.duplicates,
                             static_cast<arrival*>(static_cast<void*>(mine)),
                             mine + longest * sizeof(arrival));
    }
    threads::run(shares, [&](unsigned t) {
        workers[t].run(first_slice(arrays, t, shares), first_slice(arrays, t + 1, shares));
    });
    bool has_merged = false;
    for (auto const& worker : workers) {
        if (worker.failed) return *worker.failed;
        has_merged |= worker.has_merged;
    }
    if (has_merged) close_gaps<Width>(arrays);
    return {};
}

}  // namespace

result<void> sort(detail::owned_arrays& arrays, unsigned width, detail::adder add,
                  assemble_options const& options) {
    if (options.duplicates == duplicates::sum && width != 0 && add == nullptr)
        return errc::bad_option;
    switch (width) {
    case 0:
        return sort_all<0>(arrays, add, options);
    case 1:
        return sort_all<1>(arrays, add, options);
    case 2:
        return sort_all<2>(arrays, add, options);
    case 4:
        return sort_all<4>(arrays, add, options);
    case 8:
        return sort_all<8>(arrays, add, options);
    default:
        return sort_all<16>(arrays, add, options);
    }
}

}  // namespace hurray::slices
