#pragma once

#include <cstdint>

#include <hurray/compressed_view.hpp>

namespace hurray::inline v0::detail {

/// Which instructions the fast pass may use.
enum class instructions : std::uint8_t { portable, avx2 };

/// The best that this processor has.
instructions best_instructions() noexcept;

/// In how many of the places k < count words[k - 1] < words[k].
/// Precondition: words[-1] and words[0 .. count) exist; `with` is what the processor has.
std::uint64_t ascents(std::uint64_t const* words, std::uint64_t count, instructions with) noexcept;

/// Where one part of a matrix ends and the next begins: boundaries before `boundary` lie at
/// entries up to `entry`, those from it on at `entry` or after. Boundary i is where slice i starts.
struct seam {
    std::uint64_t boundary = 0;
    std::uint64_t entry = 0;
};

/// Slices [first, last) of a matrix, whose entries are `range` if its offsets are right.
struct region {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    entry_range range{};

    /// Boundaries inside the region, and entries.
    std::uint64_t work() const noexcept { return last - first - 1 + (range.last - range.first); }

    /// The seam after `done` units of work, within the region whatever the offsets say.
    /// Precondition: first < last, range.first <= range.last, done <= work().
    seam at(structure const&, std::uint64_t done) const noexcept;
};

/// Whether boundaries and entries between the seams keep every invariant. True for all parts of a
/// region is true for the region. False means no more than: look closer, from the slice before
/// from.boundary up to to.boundary.
/// Reads nothing outside the arrays, even while they change.
/// Precondition: the seams are from `within`.
bool part_holds(structure const&, region const& within, seam from, seam to, std::uint64_t block,
                instructions with) noexcept;

}  // namespace hurray::inline v0::detail
