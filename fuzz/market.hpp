#pragma once

// A Matrix Market text as the program reads it, and the entries as a set.

#include <hurray/compressed_view.hpp>

#include <tool/market_run.hpp>

#include "check.hpp"

namespace hurray::fuzz {

/// Sizes that a small text may announce without taking all the memory there is.
inline constexpr std::uint64_t most_slices = 1 << 16;

template<element T> struct market_entry {
    std::uint64_t row, column;
    T value;
};

/// What one pass through a file in the order of the matrix gives, if it gives anything.
template<element T> std::optional<tool::market_matrix<T>>
read_at_once(tool::market_header const& header, std::string_view text, axis major) {
    if (!tool::may_be_in_order(header, text, major)) return std::nullopt;
    tool::progress shown("reading", true);
    constexpr std::size_t stretch = 64;  // a few lines
    return tool::read_ordered_matrix<T>(header, text, major, 2, shown, stretch);
}

template<element T>
bool identical(tool::market_matrix<T> const& a, tool::market_matrix<T> const& b) noexcept {
    auto const same = [](auto const& x, auto const& y) {
        return x.size() == y.size() &&
               (x.size() == 0 ||
                std::memcmp(x.data(), y.data(), x.size() * sizeof(*x.data())) == 0);
    };
    return same(a.offsets, b.offsets) && same(a.indices, b.indices) && same(a.values, b.values);
}

/// All entries in two passes, repeated ones added; nothing if a sum does not fit. What one pass
/// takes must be the same.
template<element T> std::optional<tool::market_matrix<T>>
read_market(tool::market_header const& header, std::string_view text, axis major) {
    auto const at_once = read_at_once<T>(header, text, major);
    tool::market_matrix<T> m{};
    try {
        tool::progress shown("reading", true);
        auto plan = tool::plan_market(header, text, major, 2, shown);
        m.offsets = std::move(plan.offsets);
        m.indices = tool::huge_array<std::uint64_t>(m.nnz());
        m.values = tool::huge_array<T>(m.nnz());
        for_each_piece(plan.pieces, tool::market_placer<T>(header, major, m));
    } catch (tool::line_error const&) {
        require(!at_once, "one pass takes no line that two refuse");
        throw;
    }
    auto repeated = tool::sort_slices(m, 2);
    if (at_once) {
        require(!repeated, "one pass takes no entry twice");
        require(identical(*at_once, m), "one pass gives what two give");
    }
    if (repeated && !tool::sum_repeated(m, *repeated)) return std::nullopt;
    return m;
}

/// Whether the structure is one that the library accepts.
template<element T>
bool holds(tool::market_matrix<T> const& m, tool::market_header const& header, axis major) {
    std::span<std::uint64_t const> const offsets(m.offsets.data(), m.offsets.size());
    std::span<std::uint64_t const> const indices(m.indices.data(), m.nnz());
    extents const shape{header.rows, header.columns};
    if (major == axis::rows) return csr_view<pattern>::over(shape, offsets, indices).has_value();
    return csc_view<pattern>::over(shape, offsets, indices).has_value();
}

template<element T>
std::vector<market_entry<T>> entries_of(tool::market_matrix<T> const& m, axis major) {
    std::vector<market_entry<T>> all;
    for (std::uint64_t i = 0; i < m.slices(); ++i)
        for (auto k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
            auto const j = m.indices[k];
            bool const by_rows = major == axis::rows;
            all.push_back({by_rows ? i : j, by_rows ? j : i, m.values[k]});
        }
    std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    return all;
}

template<element T>
bool same(std::vector<market_entry<T>> const& a, std::vector<market_entry<T>> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto const& x, auto const& y) {
        return x.row == y.row && x.column == y.column &&
               std::memcmp(&x.value, &y.value, sizeof(T)) == 0;
    });
}

}  // namespace hurray::fuzz
