#pragma once

// Uses whatever a file lets one use, and sums it up, so that two readings can be compared.

#include <algorithm>
#include <optional>

#include "use_rest.hpp"

namespace hurray::fuzz {

template<class Slice> void add_entries(digest& sum, Slice const& slice) {
    for (auto const entry : slice) {
        sum.add_number(entry.index);
        sum.add_number(entry.value);
    }
}

/// The slice lies within the arrays of its view, whatever they hold.
template<class View, class Slice> void require_inside(View const& view, Slice const& slice) {
    auto const all = view.indices();
    auto const some = slice.indices();
    require(slice.values().size() == some.size(), "as many values as indices");
    if (some.empty()) return;
    auto const from = static_cast<std::uint64_t>(some.data() - all.data());
    require(from <= all.size() && some.size() <= all.size() - from, "a slice is inside its view");
}

/// Columns are the rows of the transpose, so that walking is compiled once for both.
template<class View> auto by_rows(View const& view) {
    if constexpr (View::major_axis == axis::rows)
        return view;
    else
        return view.transposed();
}

inline constexpr std::uint64_t most_slices = 4096, most_bytes = 8 << 20;

/// The slices of a lazy view: those that hold are sorted and in range, all are inside the arrays.
template<element T> digest walk_lazy(lazy_csr_view<T> const& view) {
    digest sum;
    for (std::uint64_t i = 0; i < std::min(view.major(), most_slices); ++i) {
        auto const slice = view.at(i);
        auto const stored = view.row_as_stored(i);
        sum.add_number(slice.has_value());
        if (stored) require_inside(view, *stored);
        if (!slice) continue;
        require_inside(view, *slice);
        add_entries(sum, *slice);
        for (auto const entry : *slice) require(entry.index < view.minor(), "an index in range");
    }
    require(!view.at(view.major()), "no slice after the last");
    return sum;
}

template<element T> digest walk_verified(csr_view<T> const& view) {
    digest sum;
    std::uint64_t entries = 0;
    for (std::uint64_t i = 0; i < std::min(view.major(), most_slices); ++i) {
        auto const slice = view.at(i);
        require_inside(view, slice);
        add_entries(sum, slice);
        entries += slice.size();
        for (std::uint64_t k = 0; k < slice.size(); ++k) {
            require(slice[k].index < view.minor(), "an index in range");
            require(k == 0 || slice[k - 1].index < slice[k].index, "indices increase");
            require(slice.contains(slice[k].index), "a stored index is found");
        }
    }
    require(view.major() > most_slices || entries == view.nnz(), "all entries lie in slices");
    return sum;
}

/// What a tensor gave, as far as it was accepted.
struct findings {
    std::optional<digest> description, eager, lazy;
};

/// What one reading accepts, another one accepts and gives the same.
/// Slices of lazy views are compared unless one reading may refuse more of them.
inline void require_implied(std::vector<findings> const& by, std::vector<findings> const& what,
                            bool compare_lazy = true) {
    auto const implied = [](std::optional<digest> const& a, std::optional<digest> const& b) {
        return !a || a == b;
    };
    require(by.size() == what.size(), "as many tensors");
    for (std::size_t i = 0; i < by.size(); ++i) {
        require(implied(by[i].description, what[i].description), "the description is implied");
        require(implied(by[i].eager, what[i].eager), "the eager view is implied");
        if (!compare_lazy) continue;
        require(implied(by[i].lazy, what[i].lazy), "the lazy view is implied");
    }
}

template<class T> std::optional<T> kept(result<T> const& r) {
    if (r) return *r;
    require(!r.error().message().empty(), "an error has a message");
    return std::nullopt;
}

inline findings use(file_view const& file, index_entry const& entry) {
    require(file.catalog().find(entry.name) == &entry, "a name finds its entry");
    auto const what = file.describe(entry.name);
    if (!what) return {};
    digest sum;
    for (auto const& buffer : what->buffers) add_range(sum, file, buffer);
    add_range(sum, file, entry.descriptor);
    if (entry.data.length != 0) add_range(sum, file, entry.data);
    auto const reach = file.size() + file.data_alignment();
    require(entry.data.offset <= reach, "even a tensor without data is near its file");
    sum.add(what->descriptor.encode());
    auto const eager =
        kept(visit(file, entry.name, [](auto v) { return walk_verified(by_rows(v)); }));
    auto const look = [&](auto of) {
        auto const view = by_rows(of);
        auto const whole = view.verify();
        require(!whole == !eager, "a lazy view becomes verified when an eager one exists");
        if (whole) require(walk_verified(*whole) == eager, "both verified views are the same");
        return walk_lazy(view);
    };
    return {sum, eager, kept(visit(file, entry.name, look, lazy))};
}

/// Describes, views and walks all tensors of a file, as long as that takes no unreasonable time.
inline std::vector<findings> use_tensors(file_view const& file) {
    std::vector<findings> found;
    std::uint64_t used = 0;
    for (auto const& entry : file.tensors()) {
        if ((used += entry.data.length) > most_bytes) break;
        found.push_back(use(file, entry));
    }
    return found;
}

/// What strict mode accepts, permissive mode accepts as the same.
inline void require_strict_implies_permissive(file_view const& strict,
                                              file_view const& permissive) {
    require_implied(use_tensors(strict), use_tensors(permissive));
    require(key_values(strict) == key_values(permissive), "strict implies permissive");
    bool const verified = use_rest(strict);
    require(use_rest(permissive) || !verified, "strict implies permissive");
}

}  // namespace hurray::fuzz
