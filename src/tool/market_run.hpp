#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "market_matrix.hpp"
#include "threads.hpp"

// A Matrix Market file whose entries stand in the order of the matrix is read in one pass: threads
// read stretches of it, and what they read is given on one stretch after the other.

namespace hurray::tool {

/// As many entries as `bytes` of text can hold: each takes a line, of which "1 1" is the least.
constexpr std::uint64_t most_entries(std::size_t bytes) noexcept { return bytes / 4 + 1; }

/// The entries of a stretch, and the slices that end in it.
template<element T> class market_run {
public:
    /// Room for what stands in `bytes` of text.
    explicit market_run(std::size_t bytes)
        : most_(most_entries(bytes)), indices_(most_, page_size::small),
          ends_(most_, page_size::small), values_(most_, page_size::small) {}

    /// False if the entries are not in strict order, or there are too many slices without any.
    bool read(market_header const& header, std::string_view text, axis major) {
        ended_ = 0;
        auto* const indices = indices_.data();
        auto* const values = values_.data();
        std::uint64_t count = 0;
        entry_reader reader(header, text);
        for (T value{}; next(reader, value); ++count) {
            auto slice = reader.row(), index = reader.column();
            if (major == axis::columns) std::swap(slice, index);
            if (count == 0)
                first_ = last_ = slice;
            else if (slice == last_ ? index <= indices[count - 1] : !end_slices(slice, count))
                return false;
            indices[count] = index;
            values[count] = value;
        }
        count_ = count;
        return true;
    }

    bool empty() const noexcept { return count_ == 0; }
    std::uint64_t first_slice() const noexcept { return first_; }
    std::uint64_t last_slice() const noexcept { return last_; }
    std::uint64_t last_index() const noexcept { return indices_[count_ - 1]; }
    std::span<std::uint64_t const> indices() const noexcept { return {indices_.data(), count_}; }
    std::span<T const> values() const noexcept { return {values_.data(), count_}; }
    /// For each slice that ends before the last entry, how many entries there are up to its end;
    /// `before` of them before the stretch.
    std::span<std::uint64_t const> ends_after(std::uint64_t before) noexcept {
        for (std::uint64_t i = 0; i < ended_; ++i) ends_[i] += before;
        return {ends_.data(), ended_};
    }

private:
    static bool next(entry_reader& reader, T& value) {
        if (reader.next_plain(value)) return true;
        if (!reader.next()) return false;
        value = reader.template value<T>();
        reader.end_line();
        return true;
    }

    /// All before `next` have `count` entries up to their ends.
    bool end_slices(std::uint64_t next, std::uint64_t count) noexcept {
        if (next < last_ || next - last_ > most_ - ended_) return false;
        for (; last_ < next; ++last_) ends_[ended_++] = count;
        return true;
    }

    std::uint64_t most_;
    std::uint64_t count_ = 0, ended_ = 0;
    std::uint64_t first_ = 0, last_ = 0;
    huge_array<std::uint64_t> indices_, ends_;
    huge_array<T> values_;
};

/// About the text that a thread reads at once: what it is turned into stays in the cache.
inline constexpr std::size_t stretch_bytes = std::size_t{1} << 20;

/// Whether the file is worth a try: its lines can hold the entries it announces, and its slices
/// are not nearly all empty.
bool may_be_in_order(market_header const& header, std::string_view text, axis major) noexcept;

/// Gives the runs of a file to `take(ends, indices, values)`, in order: what a matrix_appender is
/// given. Nobody waits for a turn: whoever has read the next run gives it, and all after it that
/// are there, while the others go on reading.
template<element T, class Take> class ordered_reader {
public:
    ordered_reader(market_header const& header, std::vector<std::string_view> stretches, axis major,
                   Take& take)
        : header_(header), stretches_(std::move(stretches)), major_(major), take_(take) {}

    /// False where the entries are not in strict order or anything else is wrong, in which case
    /// some of them were given.
    bool run(unsigned threads, progress& shown) {
        auto const readers = std::min<std::size_t>(threads, stretches_.size());
        for (std::size_t i = 0; i < std::min(2 * readers + 2, stretches_.size()); ++i)
            slots_.emplace_back(longest());
        in_threads(readers, [&](std::size_t thread) {
            try {
                work(thread == 0 ? &shown : nullptr);
            } catch (...) {
                std::lock_guard const lock(mutex_);
                end_early();
                throw;
            }
        });
        return !failed_ && finish();
    }

private:
    enum class state : std::uint8_t { empty, good, wrong };
    struct slot {
        explicit slot(std::size_t bytes) : run(bytes) {}
        market_run<T> run;
        state is = state::empty;
    };
    slot& slot_of(std::size_t stretch) noexcept { return slots_[stretch % slots_.size()]; }

    void work(progress* shown) {
        std::unique_lock lock(mutex_);
        while (claim(lock)) {
            auto const mine = next_++;
            lock.unlock();
            stop_if_interrupted();
            if (shown != nullptr) shown->update(mine, stretches_.size());
            bool const good = read(slot_of(mine).run, stretches_[mine]);
            lock.lock();
            slot_of(mine).is = good ? state::good : state::wrong;
            if (!giving_) give(lock);
        }
    }

    /// Waits for an empty slot. False if nothing is left to read.
    bool claim(std::unique_lock<std::mutex>& lock) {
        emptied_.wait(lock, [&] {
            return failed_ || next_ == stretches_.size() || next_ < given_ + slots_.size();
        });
        return !failed_ && next_ != stretches_.size();
    }

    /// Gives what is there, one thread at a time.
    void give(std::unique_lock<std::mutex>& lock) {
        giving_ = true;
        while (!failed_ && given_ != stretches_.size() && slot_of(given_).is != state::empty) {
            auto& next = slot_of(given_);
            lock.unlock();
            bool const good = next.is == state::good && append(next.run);
            lock.lock();
            if (!good) return end_early();
            next.is = state::empty;
            ++given_;
            emptied_.notify_all();
        }
        giving_ = false;
    }

    void end_early() noexcept {
        failed_ = true;
        emptied_.notify_all();
    }

    /// What is wrong with a line is found again by those who tell.
    bool read(market_run<T>& run, std::string_view text) const {
        try {
            return run.read(header_, text, major_);
        } catch (line_error const&) {
            return false;
        }
    }

    bool append(market_run<T>& run) {
        if (run.empty()) return true;
        auto const indices = run.indices();
        if (indices.size() > header_.entries - entries_) return false;
        bool const after = run.first_slice() == slice_ ? entries_ == 0 || indices.front() > index_
                                                       : run.first_slice() > slice_;
        if (!after) return false;
        end_slices(run.first_slice());
        take_(run.ends_after(entries_), indices, run.values());
        entries_ += indices.size();
        slice_ = run.last_slice();
        index_ = run.last_index();
        return true;
    }

    /// All slices before `next`, with what they have so far.
    void end_slices(std::uint64_t next) {
        constexpr std::uint64_t at_once = 4096;
        std::vector<std::uint64_t> const ends(std::min(next - slice_, at_once), entries_);
        while (slice_ < next) {
            auto const count = std::min(next - slice_, at_once);
            take_(std::span(ends).first(count), std::span<std::uint64_t const>(),
                  std::span<T const>());
            slice_ += count;
        }
    }

    bool finish() {
        if (entries_ != header_.entries) return false;
        end_slices(major_ == axis::rows ? header_.rows : header_.columns);
        return true;
    }

    std::size_t longest() const noexcept {
        std::size_t most = 0;
        for (auto const& stretch : stretches_) most = std::max(most, stretch.size());
        return most;
    }

    market_header const& header_;
    std::vector<std::string_view> const stretches_;
    axis major_;
    Take& take_;

    std::mutex mutex_;
    std::condition_variable emptied_;
    // Under the mutex:
    std::vector<slot> slots_;  ///< stretch k is read into slot k % slots
    std::size_t next_ = 0;     ///< stretch to read
    std::size_t given_ = 0;    ///< stretches that were
    bool giving_ = false;
    bool failed_ = false;
    // Of those who give:
    std::uint64_t entries_ = 0, slice_ = 0, index_ = 0;
};

/// Precondition: may_be_in_order().
template<element T, class Take>
bool read_in_order(market_header const& header, std::string_view text, axis major, unsigned threads,
                   progress& shown, Take take, std::size_t stretch = stretch_bytes) {
    auto stretches = stretches_of(header, text, stretch);
    return ordered_reader<T, Take>(header, std::move(stretches), major, take).run(threads, shown);
}

/// The matrix, by one pass through a file in its order; nothing if the file is not.
/// Precondition: may_be_in_order().
template<element T> std::optional<market_matrix<T>>
read_ordered_matrix(market_header const& header, std::string_view text, axis major,
                    unsigned threads, progress& shown, std::size_t stretch = stretch_bytes) {
    auto const slices = major == axis::rows ? header.rows : header.columns;
    market_matrix<T> matrix{.offsets = huge_array<std::uint64_t>(slices + 1),
                            .indices = huge_array<std::uint64_t>(header.entries),
                            .values = huge_array<T>(header.entries)};
    auto* offset = matrix.offsets.data() + 1;
    auto* index = matrix.indices.data();
    auto* value = matrix.values.data();
    auto const take = [&](auto ends, auto indices, std::span<T const> values) {
        offset = std::copy(ends.begin(), ends.end(), offset);
        index = std::copy(indices.begin(), indices.end(), index);
        value = std::copy(values.begin(), values.end(), value);
    };
    if (!read_in_order<T>(header, text, major, threads, shown, take, stretch)) return std::nullopt;
    return matrix;
}

}  // namespace hurray::tool
