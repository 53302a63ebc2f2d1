#include "compressed.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace hurray::inline v0::detail {
namespace {

constexpr std::uint64_t part_words = (64u << 20) / sizeof(std::uint64_t);
constexpr std::uint64_t least_part_words = (256u << 10) / sizeof(std::uint64_t);
constexpr std::uint64_t vector_worthwhile = 48;

std::uint64_t byte_of(structure const& matrix, void const* place) noexcept {
    if (matrix.origin == nullptr) return error::nowhere;
    return static_cast<std::uint64_t>(static_cast<std::byte const*>(place) - matrix.origin);
}

error offset_error(errc code, structure const& matrix, std::uint64_t i, std::uint64_t const* word) {
    return {.code = code, .offset = byte_of(matrix, word), .slice = i};
}

// Slice i as the offsets `from` and `to` bound it. The order of the checks is part of the contract:
// every way to verify finds the same first error.
result<entry_range> bounded(structure const& matrix, std::uint64_t i, std::uint64_t from,
                            std::uint64_t to) {
    auto const* const word = matrix.offsets + i + 1;
    // offsets do not decrease.
    if (to < from) return offset_error(errc::offsets_decrease, matrix, i, word);
    // the last offset is nnz, so none is greater.
    if (to > matrix.nnz) return offset_error(errc::offsets_not_anchored, matrix, i, word);
    return entry_range{from, to};
}

// One entry at a time; each index is fetched once.
result<void> order_by_steps(structure const& matrix, std::uint64_t i, entry_range range) {
    std::uint64_t before = 0;
    for (auto k = range.first; k < range.last; ++k) {
        auto const* const word = matrix.indices + k;
        auto const index = load_once(*word);
        // an index is below the other dimension.
        auto const exceeds = index >= matrix.minor;
        // indices increase strictly within a slice.
        if (exceeds || (k > range.first && index <= before))
            return error{.code = exceeds ? errc::index_exceeds_shape : errc::indices_not_increasing,
                         .offset = byte_of(matrix, word),
                         .slice = i,
                         .position = k - range.first};
        before = index;
    }
    return {};
}

// The exact pass: what it finds first is the first error.
result<void> slices_by_steps(structure const& matrix, std::uint64_t first, std::uint64_t last) {
    auto from = load_once(matrix.offsets[first]);
    for (auto i = first; i < last; ++i) {
        auto const to = load_once(matrix.offsets[i + 1]);
        auto const range = bounded(matrix, i, from, to);
        if (!range) return range.error();
        if (auto ok = order_by_steps(matrix, i, *range); !ok) return ok;
        from = to;
    }
    return {};
}

// the first offset is 0 and the last one nnz, for a range that touches that end.
result<void> check_anchors(structure const& matrix, std::uint64_t first, std::uint64_t last) {
    auto const* const end = matrix.offsets + matrix.major;
    if (first == 0 && load_once(*matrix.offsets) != 0)
        return offset_error(errc::offsets_not_anchored, matrix, 0, matrix.offsets);
    if (last == matrix.major && load_once(*end) != matrix.nnz)
        return offset_error(errc::offsets_not_anchored, matrix,
                            matrix.major == 0 ? 0 : matrix.major - 1, end);
    return {};
}

// The parts of a region, handed out in order to whoever asks, and what was found in them.
class part_queue {
public:
    part_queue(structure const& matrix, region const& whole, check_plan const& plan) noexcept
        : matrix_(matrix), whole_(whole), plan_(plan), next_(whole.at(matrix, 0)) {}

    // Checks the next part; false when there is none or nothing more is to be checked.
    bool check_next() {
        seam from;
        seam to;
        if (!take(from, to)) return false;
        if (!part_holds(matrix_, whole_, from, to, plan_.block, plan_.with))
            look_closer(from.boundary - 1, to.boundary);
        done_ += to.boundary - from.boundary + (to.entry - from.entry);
        return true;
    }

    void stop() noexcept {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }

    bool failed() noexcept {
        std::lock_guard const lock(mutex_);
        return failed_slice_ != error::nowhere;
    }

    // Boundaries and entries checked, with the boundary that begins the region.
    std::uint64_t done() const noexcept { return done_; }

    // Precondition: nobody is at work any more.
    result<void> outcome() const {
        if (failed_slice_ != error::nowhere) return failure_;
        // No part says where: the arrays changed meanwhile.
        if (doubted_) return slices_by_steps(matrix_, whole_.first, whole_.last);
        return {};
    }

private:
    bool take(seam& from, seam& to) noexcept {
        std::lock_guard const lock(mutex_);
        auto const left = whole_.work() - taken_;
        if (stopped_ || (left == 0 && begun_)) return false;
        begun_ = true;
        taken_ += std::min(left, plan_.part);
        from = next_;
        to = next_ = whole_.at(matrix_, taken_);
        return true;
    }

    // Parts are handed out in order, so all that could fail in an earlier slice is being checked.
    void look_closer(std::uint64_t first, std::uint64_t last) {
        auto const found = slices_by_steps(matrix_, first, std::max(first, last));
        std::lock_guard const lock(mutex_);
        if (found) {
            doubted_ = true;
            return;
        }
        stopped_ = true;
        if (found.error().slice >= failed_slice_) return;
        failed_slice_ = found.error().slice;
        failure_ = found.error();
    }

    structure const& matrix_;
    region const& whole_;
    check_plan const& plan_;
    std::mutex mutex_;
    seam next_;
    std::uint64_t taken_ = 0;
    std::atomic<std::uint64_t> done_ = 1;
    bool begun_ = false;
    bool stopped_ = false;
    bool doubted_ = false;
    std::uint64_t failed_slice_ = error::nowhere;
    error failure_{};
};

// Threads that help to empty a queue. When this goes they have stopped.
class crew {
public:
    crew(part_queue& parts, std::uint64_t size) : parts_(parts) {
        threads_.reserve(size);
        while (threads_.size() < size && hire()) {
        }
    }
    crew(crew const&) = delete;
    crew& operator=(crew const&) = delete;
    ~crew() {
        parts_.stop();
        for (auto& thread : threads_) thread.join();
    }

private:
    // A thread that cannot be had is work for the others.
    bool hire() {
        auto const work = [&parts = parts_] {
            while (parts.check_next()) {
            }
        };
#if defined(__cpp_exceptions)
        try {
            threads_.emplace_back(work);
        } catch (...) {
            return false;
        }
#else
        threads_.emplace_back(work);
#endif
        return true;
    }

    part_queue& parts_;
    std::vector<std::thread> threads_;
};

result<void> run(part_queue& parts, std::uint64_t helpers, std::uint64_t words,
                 verify_options const& options) {
    auto const go_on = [&] {
        return !options.on_progress || parts.failed() ||
               options.on_progress(parts.done() * sizeof(std::uint64_t),
                                   words * sizeof(std::uint64_t));
    };
    {
        crew const others(parts, helpers);
        while (parts.check_next())
            if (!go_on()) return errc::cancelled;
    }
    if (helpers != 0 && !go_on()) return errc::cancelled;
    return parts.outcome();
}

std::uint64_t part_size(std::uint64_t work, std::uint64_t threads) noexcept {
    if (threads < 2) return part_words;
    // Several for each thread, so that none waits long for the others.
    return std::clamp(work / 8 / threads, least_part_words, part_words);
}

// Slice and position of entry k. Offsets that nobody has checked need not be sorted, so what a
// binary search gives must be looked at.
void place_entry(structure const& matrix, std::uint64_t k, error& e) noexcept {
    if (matrix.offsets == nullptr || matrix.major == 0) return;
    auto const holds = [&](std::uint64_t i) {
        auto const from = load_once(matrix.offsets[i]);
        if (from > k || load_once(matrix.offsets[i + 1]) <= k) return false;
        e.slice = i;
        e.position = k - from;
        return true;
    };
    auto const* const starts = matrix.offsets + 1;
    auto const found = std::upper_bound(starts, starts + matrix.major, k) - starts;
    if (holds(std::min(static_cast<std::uint64_t>(found), matrix.major - 1))) return;
    for (std::uint64_t i = 0; i < matrix.major && !holds(i); ++i) {
    }
}

bool is_forbidden(std::byte value) noexcept {
    return value == std::byte{0x00} || value == std::byte{0xFF};
}

// A number of bytes known to the compiler, without an exit: it becomes vector code.
constexpr std::size_t stride = 64;
bool any_forbidden(std::span<std::byte const, stride> bytes) noexcept {
    unsigned found = 0;
    for (auto const value : bytes) found |= is_forbidden(value) ? 1u : 0u;
    return found != 0;
}

// 00 and FF are no values of float8_e8m0.
result<void> check_e8m0(structure const& matrix, std::byte const* bytes, entry_range range) {
    auto k = range.first;
    for (; range.last - k >= stride; k += stride)
        if (any_forbidden(std::span<std::byte const, stride>(bytes + k, stride))) break;
    for (; k < range.last; ++k)
        if (is_forbidden(bytes[k])) {
            error e{.code = errc::forbidden_e8m0_value, .offset = byte_of(matrix, bytes + k)};
            place_entry(matrix, k, e);
            return e;
        }
    return {};
}

// the bits after the last element, up to the end of its byte or group, are 0.
result<void> check_tail(structure const& matrix, stored_values const& values) {
    auto const bits = bits_of(values.type);
    auto const group = bits == 6 ? 3u : 1u;
    auto const per_group = 8 * group / bits;
    auto const used = static_cast<unsigned>(values.count % per_group) * bits;
    if (used == 0) return {};
    auto const* const last = values.bytes + values.count / per_group * group;
    for (unsigned k = 0; k < group; ++k) {
        auto const kept = std::min(used - std::min(used, 8 * k), 8u);
        if (std::to_integer<unsigned>(last[k]) >> kept != 0)
            return error{.code = errc::packed_tail_not_zero, .offset = byte_of(matrix, last + k)};
    }
    return {};
}

}  // namespace

result<void> check_slices(structure const& matrix, std::uint64_t first, std::uint64_t count,
                          verify_options const& options, check_plan const& chosen) {
    if (first > matrix.major || count > matrix.major - first) return errc::slice_does_not_exist;
    if (matrix.offsets == nullptr) return errc::offsets_size_mismatch;  // A-13, lazy views
    auto const last = first + count;
    if (auto ok = check_anchors(matrix, first, last); !ok || count == 0) return ok;
    region const whole{
        first, last, {load_once(matrix.offsets[first]), load_once(matrix.offsets[last])}};
    if (whole.range.last < whole.range.first || whole.range.last > matrix.nnz)
        return slices_by_steps(matrix, first, last);
    auto plan = chosen;
    auto const threads = std::max<std::uint64_t>(options.threads, 1);
    if (plan.part == 0) plan.part = part_size(whole.work(), threads);
    part_queue parts(matrix, whole, plan);
    return run(parts, std::min(threads - 1, whole.work() / plan.part), whole.work() + 1, options);
}

result<void> check_slices(structure const& matrix, std::uint64_t first, std::uint64_t count,
                          verify_options const& options) {
    return check_slices(matrix, first, count, options, check_plan{});
}

result<void> check_sizes(std::uint64_t major, std::uint64_t offsets, std::uint64_t indices,
                         std::uint64_t values) {
    if (offsets == 0 || offsets - 1 != major || indices != values) return errc::sizes_disagree;
    return {};
}

result<entry_range> check_bounds(structure const& matrix, std::uint64_t i) {
    return bounded(matrix, i, load_once(matrix.offsets[i]), load_once(matrix.offsets[i + 1]));
}

result<void> check_order(structure const& matrix, std::uint64_t i, entry_range range) {
    auto const count = range.last - range.first;
    if (count < vector_worthwhile) return order_by_steps(matrix, i, range);
    auto const* const indices = matrix.indices + range.first;
    auto const rising = ascents(indices + 1, count - 1, best_instructions());
    if (rising == count - 1 && load_once(indices[count - 1]) < matrix.minor) return {};
    return order_by_steps(matrix, i, range);
}

result<void> check_values(structure const& matrix, stored_values values, entry_range range) {
    range.last = std::min(range.last, values.count);
    if (range.first >= range.last) return {};
    if (values.type == element_type::float8_e8m0) return check_e8m0(matrix, values.bytes, range);
    // What lies after the elements of an array of the caller's own is the caller's.
    if (!is_packed(values.type) || matrix.origin == nullptr || range.last != values.count)
        return {};
    return check_tail(matrix, values);
}

result<void> check_all(structure const& matrix, stored_values values,
                       verify_options const& options) {
    return check_some(matrix, values, 0, matrix.major, options);
}

result<void> check_some(structure const& matrix, stored_values values, std::uint64_t first,
                        std::uint64_t count, verify_options const& options) {
    if (first > matrix.major || count > matrix.major - first) return errc::slice_does_not_exist;
    if (matrix.sums != nullptr)
        if (auto ok = check_sums(matrix, values, first, count); !ok) return ok;
    if (auto ok = check_slices(matrix, first, count, options); !ok) return ok;
    return check_values(
        matrix, values,
        {load_once(matrix.offsets[first]), load_once(matrix.offsets[first + count])});
}

result<entry_range> slice_as_stored(structure const& matrix, stored_values values,
                                    std::uint64_t i) {
    if (!matrix.as_stored) return errc::not_offered_in_strict_mode;
    if (i >= matrix.major) return errc::slice_does_not_exist;
    if (matrix.sums != nullptr)
        if (auto ok = check_sums(matrix, values, i, 1); !ok) return ok.error();
    return check_bounds(matrix, i);
}

result<entry_range> checked_slice(structure const& matrix, stored_values values, std::uint64_t i) {
    if (i >= matrix.major) return errc::slice_does_not_exist;
    if (matrix.sums != nullptr)
        if (auto ok = check_sums(matrix, values, i, 1); !ok) return ok.error();
    auto const range = check_bounds(matrix, i);
    if (!range) return range;
    if (auto ok = check_order(matrix, i, *range); !ok) return ok.error();
    if (auto ok = check_values(matrix, values, *range); !ok) return ok.error();
    return range;
}

}  // namespace hurray::inline v0::detail
