#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "matrix_market.hpp"
#include "threads.hpp"

// The second pass over a Matrix Market file: the values, put where they belong.

namespace hurray::tool {

/// Entries to sort by index, equal ones by their place.
struct placed_index {
    std::uint64_t index;
    std::uint64_t place;
};

/// The order of a slice's entries; empty if they stand in it already.
void order_of(std::uint64_t const* indices, std::uint64_t count, std::vector<placed_index>& order);

/// A slice and an index that is twice in it.
struct repeated_entry {
    std::uint64_t slice = 0;
    std::uint64_t index = 0;
};

/// A sparse matrix on its way into a file: elements are not packed.
template<element T> struct market_matrix {
    huge_array<std::uint64_t> offsets;
    huge_array<std::uint64_t> indices;
    huge_array<T> values;

    std::uint64_t slices() const noexcept { return offsets.size() - 1; }
    std::uint64_t nnz() const noexcept { return offsets.back(); }
};

/// Reads the value of each entry and puts the entry where the plan says.
template<element T> class market_placer {
public:
    market_placer(market_header const& header, axis major, market_matrix<T>& into) noexcept
        : header_(header), major_(major), nnz_(into.nnz()), indices_(into.indices.data()),
          values_(into.values.data()) {}

    void operator()(market_piece& piece) const {
        entry_reader reader(header_, piece.text, piece.shown);
        T value{};
        for (;;) {
            bool const plain = reader.next_plain(value);
            if (!plain && !reader.next()) return;
            if (!plain) value = reader.template value<T>();
            put(reader, piece, reader.row(), reader.column(), value);
            if (header_.symmetry != market_symmetry::general) mirror(reader, piece, value);
            if (!plain) reader.end_line();
        }
    }

private:
    void put(entry_reader const& reader, market_piece& piece, std::uint64_t row,
             std::uint64_t column, T value) const {
        if (major_ == axis::columns) std::swap(row, column);
        auto const place = piece.cursors[row]++;
        if (place >= nnz_) reader.fail("the file changed while it was read");
        indices_[place] = column;
        values_[place] = value;
    }

    void mirror(entry_reader const& reader, market_piece& piece, T value) const {
        auto const row = reader.row(), column = reader.column();
        if (row == column) return check_diagonal(reader, value);
        T mirrored = value;
        if (header_.symmetry == market_symmetry::skew_symmetric && !negated(value, mirrored))
            reader.fail("the negative of this value, which belongs in its mirrored place, is "
                        "outside " +
                        std::string(name(element_type_of<T>)));
        if constexpr (complex_number<T>)
            if (header_.symmetry == market_symmetry::hermitian) mirrored = std::conj(value);
        put(reader, piece, column, row, mirrored);
    }

    void check_diagonal(entry_reader const& reader, T value) const {
        if (header_.symmetry == market_symmetry::skew_symmetric && !is_zero(value))
            reader.fail("the diagonal of a skew-symmetric matrix is zero");
        if constexpr (complex_number<T>)
            if (header_.symmetry == market_symmetry::hermitian && value.imag() != 0)
                reader.fail("the diagonal of a hermitian matrix is real");
    }

    static bool is_zero(T value) noexcept {
        if constexpr (complex_number<T>)
            return value == T{};
        else
            return as_double(value) == 0;
    }

    market_header const& header_;
    axis major_;
    std::uint64_t nnz_;
    std::uint64_t* indices_;
    T* values_;
};

template<element T> void sort_slice(market_matrix<T>& matrix, std::uint64_t slice,
                                    std::vector<placed_index>& order, std::vector<T>& scratch) {
    auto const first = matrix.offsets[slice], last = matrix.offsets[slice + 1];
    auto const indices = matrix.indices.data() + first;
    order_of(indices, last - first, order);
    if (order.empty()) return;
    auto const values = matrix.values.data() + first;
    scratch.assign(values, values + (last - first));
    for (std::uint64_t i = 0; i < order.size(); ++i) {
        indices[i] = order[i].index;
        values[i] = scratch[order[i].place];
    }
}

/// Sorts every slice; the first entry that is there twice, if any.
template<element T>
std::optional<repeated_entry> sort_slices(market_matrix<T>& matrix, unsigned threads) {
    constexpr std::uint64_t at_once = 4096;
    std::vector<std::optional<repeated_entry>> found(threads);
    std::atomic<std::uint64_t> next{0};
    in_threads(threads, [&](std::size_t thread) {
        std::vector<placed_index> order;
        std::vector<T> scratch;
        for (;;) {
            auto const first = next.fetch_add(at_once);
            if (first >= matrix.slices()) return;
            stop_if_interrupted();
            auto const last = std::min(first + at_once, matrix.slices());
            for (auto slice = first; slice < last; ++slice) {
                sort_slice(matrix, slice, order, scratch);
                auto const begin = matrix.indices.data() + matrix.offsets[slice];
                auto const end = matrix.indices.data() + matrix.offsets[slice + 1];
                auto const twice = std::adjacent_find(begin, end);
                if (twice != end && !found[thread]) found[thread] = {slice, *twice};
            }
        }
    });
    std::optional<repeated_entry> first;
    for (auto const& one : found)
        if (one && (!first || one->slice < first->slice)) first = one;
    return first;
}

/// Adds entries of the same position, in the order of the file. False where a sum does not fit.
template<element T> bool sum_repeated(market_matrix<T>& matrix, repeated_entry& where) {
    std::uint64_t to = 0, from = 0;
    for (std::uint64_t slice = 0; slice < matrix.slices(); ++slice) {
        auto const begin = to;
        for (auto const end = matrix.offsets[slice + 1]; from < end; ++from) {
            auto const index = matrix.indices[from];
            if (to != begin && matrix.indices[to - 1] == index) {
                where = {slice, index};
                if (!added(matrix.values[to - 1], matrix.values[from])) return false;
                continue;
            }
            matrix.indices[to] = index;
            matrix.values[to++] = matrix.values[from];
        }
        matrix.offsets[slice] = begin;
    }
    matrix.offsets.back() = to;
    return true;
}

}  // namespace hurray::tool
