#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <hurray/compressed_view.hpp>
#include <hurray/memory_block.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// An integer that other libraries use for offsets and indices.
template<class Index>
concept narrow_index = std::same_as<Index, std::int32_t> || std::same_as<Index, std::uint32_t> ||
    std::same_as<Index, std::int64_t>;

/// A matrix whose offsets and indices are of type Index. Owns these; the values are those of the
/// view it was made from. Moved from, its arrays are empty.
/// Lifetime of values(): that of the view's arrays.
template<narrow_index Index, viewable T, axis Major> class narrow_matrix {
public:
    using values_type = typename detail::values_seen<T>::type;

    static constexpr axis major_axis = Major;

    extents shape() const noexcept { return shape_; }
    std::uint64_t nnz() const noexcept { return nnz_; }

    /// One more than there are slices.
    std::span<Index const> offsets() const& noexcept {
        return {offsets_.as<Index>(), offsets_.size() / sizeof(Index)};
    }
    std::span<Index const> offsets() const&& = delete;
    std::span<Index const> indices() const& noexcept {
        return {indices_.as<Index>(), indices_.size() / sizeof(Index)};
    }
    std::span<Index const> indices() const&& = delete;
    values_type values() const noexcept requires element<T> { return values_; }

private:
    template<narrow_index I, viewable E, axis M>
    friend result<narrow_matrix<I, E, M>> narrow(compressed_view<E, M, trust::verified> const&);

    narrow_matrix() = default;

    extents shape_{};
    std::uint64_t nnz_ = 0;
    detail::memory_block offsets_;
    detail::memory_block indices_;
    [[no_unique_address]] values_type values_{};
};

namespace detail {

/// Copies `count` numbers. The place of the first that does not fit, or `count`.
template<narrow_index Index>
std::uint64_t copy_narrowed(std::uint64_t const* from, std::uint64_t count, Index* to) noexcept {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    constexpr std::uint64_t block = 4096;
    for (std::uint64_t at = 0; at < count;) {
        auto const end = at + smaller(block, count - at);
        // Every limit is one less than a power of two, so that the bits tell.
        std::uint64_t all = 0;
        for (auto k = at; k < end; ++k) {
            auto const value = from[k];
            all |= value;
            to[k] = static_cast<Index>(value);
        }
        if (all > most) {
            while (at + 1 < end && from[at] <= most) ++at;
            return at;
        }
        at = end;
    }
    return count;
}

}  // namespace detail

/// A copy of the structure of `view` in Index, for a library that wants it so.
/// Rows and columns themselves need not fit: all indices below them do, or it fails.
/// Errors: value_does_not_fit, for an offset with its slice (one past the last for the last
/// offset), for an index with slice and position; too_large_for_memory.
/// Complexity: linear in slices and nnz.
template<narrow_index Index, viewable T, axis Major> result<narrow_matrix<Index, T, Major>>
narrow(compressed_view<T, Major, trust::verified> const& view) {
    auto const nnz = view.nnz();
    auto offsets = detail::memory_block::zeroed((view.major() + 1) * sizeof(Index));
    if (!offsets) return offsets.error();
    auto const old = view.offsets();
    if (auto const at =
            detail::copy_narrowed(old.data(), old.size(), offsets->template as<Index>());
        at != old.size())
        return error{.code = errc::value_does_not_fit, .slice = at};

    auto indices = detail::memory_block::uninitialised(nnz * sizeof(Index));
    if (!indices) return indices.error();
    if (auto const at =
            detail::copy_narrowed(view.indices().data(), nnz, indices->template as<Index>());
        at != nnz) {
        auto const begun = detail::count_below(old, at + 1);  // slices that begin at or before it
        auto const slice = begun == 0 ? 0 : begun - 1;
        return error{.code = errc::value_does_not_fit, .slice = slice, .position = at - old[slice]};
    }

    narrow_matrix<Index, T, Major> made;
    made.shape_ = view.shape();
    made.nnz_ = nnz;
    made.offsets_ = *std::move(offsets);
    made.indices_ = *std::move(indices);
    if constexpr (element<T>) made.values_ = view.values();
    return made;
}

}  // namespace v0
}  // namespace hurray
