#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hurray/compressed_view.hpp>

namespace hurray::tool {

/// Cuts [0, size) into so many cells of nearly the same length.
class cells {
public:
    /// Precondition: 0 < count <= size, or both are zero.
    cells(std::uint64_t size, std::uint64_t count) noexcept
        : size_(size), count_(count),
          scale_(count == size
                     ? 0
                     : static_cast<std::uint64_t>(((wide{count} << 64) + size - 1) / size)) {}

    std::uint64_t count() const noexcept { return count_; }
    /// The cell of this place. Precondition: there is one.
    std::uint64_t of(std::uint64_t at) const noexcept {
        if (count_ == size_) return at;
        return std::min(static_cast<std::uint64_t>(wide{at} * scale_ >> 64), count_ - 1);
    }
    /// Places in the cell.
    std::uint64_t length(std::uint64_t cell) const noexcept {
        return first_of(cell + 1) - first_of(cell);
    }

private:
    __extension__ using wide = unsigned __int128;
    std::uint64_t first_of(std::uint64_t cell) const noexcept {
        return static_cast<std::uint64_t>((wide{cell} * size_ + count_ - 1) / count_);
    }
    std::uint64_t size_, count_;
    std::uint64_t scale_;  ///< cells per place, times 2^64
};

/// A coarse picture of a matrix: how many entries fall into each cell.
class raster {
public:
    raster(extents shape, std::uint64_t height, std::uint64_t width)
        : rows_(shape.rows, std::min(height, shape.rows)),
          columns_(shape.columns, std::min(width, shape.columns)),
          counts_(rows_.count() * columns_.count()) {}

    cells const& rows() const noexcept { return rows_; }
    cells const& columns() const noexcept { return columns_; }

    /// Counts the entries of a row (or column).
    template<axis Major> void add(std::uint64_t slice, std::span<std::uint64_t const> indices) {
        if constexpr (Major == axis::rows) {
            auto* const row = counts_.data() + rows_.of(slice) * columns_.count();
            for (auto const j : indices) ++row[columns_.of(j)];
        } else {
            auto* const column = counts_.data() + columns_.of(slice);
            for (auto const i : indices) ++column[rows_.of(i) * columns_.count()];
        }
    }

    std::uint64_t count(std::uint64_t y, std::uint64_t x) const noexcept {
        return counts_[y * columns_.count() + x];
    }
    bool has(std::uint64_t y, std::uint64_t x) const noexcept {
        return y < rows_.count() && x < columns_.count() && count(y, x) != 0;
    }
    /// Entries of the cell per element that it stands for.
    double density(std::uint64_t y, std::uint64_t x) const noexcept {
        return static_cast<double>(count(y, x)) / static_cast<double>(rows_.length(y)) /
               static_cast<double>(columns_.length(x));
    }

private:
    cells rows_, columns_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace hurray::tool
