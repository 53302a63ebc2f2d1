#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hurray/file_view.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A member of a partition: what it is, and the box of the whole that it holds.
struct partition_member {
    std::string_view name;  ///< lifetime: the catalog's
    hurray::layout layout{};
    extents offset{};  ///< its first row and its first column in the whole
    extents shape{};
    std::uint64_t nnz = 0;  ///< stored entries, of a CSR or CSC member
    std::size_t file = 0;   ///< which of the files it lies in, where there are more
};

/// A part of one row (column) of the whole: the entries that one member stores of it.
template<viewable T> struct slice_part {
    std::uint64_t at = 0;     ///< the row in rows(), the column in columns(), of the whole
    std::uint64_t shift = 0;  ///< what is added to an index to find it in the whole
    slice<T> entries{};
};

/// A tensor that is a shard, and the file it lies in.
struct shard_source {
    file_view file;
    std::string_view name;
};

namespace detail {

/// A partition, its members looked at and none of their data. Untyped.
struct partition_state {
    extents shape;
    hurray::element_type element_type{};
    std::vector<partition_member> members;  ///< in the order of their descriptors
    std::vector<result<located>> places;    ///< of each, or why it cannot be seen
    std::vector<file_view> files;           ///< which their catalogs live with
};

/// Rows (columns) [first, first + count) of the whole, and the members that hold parts of each.
struct strip {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::vector<std::size_t> members{};  ///< by where they begin across the strip
};

/// `type` {}: any.
result<std::shared_ptr<partition_state const>> open_partition(file_view const&,
                                                              std::string_view name, element_type);
result<std::shared_ptr<partition_state const>> gather_partition(std::span<shard_source const>,
                                                                element_type);
/// Precondition: the range lies in the whole. Complexity: n log n in the members it meets, and
/// linear in the rest.
std::vector<strip> strips_of(partition_state const&, axis major, std::uint64_t first,
                             std::uint64_t count);

template<viewable T> constexpr element_type wanted_type() noexcept {
    if constexpr (element<T>) return element_type_of<T>;
    return {};
}

struct partition_access;

}  // namespace detail

/// A matrix that is stored in pieces: the shape of the whole, and its members as lazy views.
/// Members that are partitions themselves show as their own members. Cheap to copy: copies share.
/// Lifetime: that of the bytes of the files it came from.
template<viewable T> class partition_view {
public:
    using value_type = T;

    /// The shards of one whole, wherever they lie: in one file without a head, or in many.
    /// Errors: not_a_partition, unless they are shards of one parent that cover it exactly;
    /// element_type_mismatch; those of describe(). Complexity: n log n in the shards.
    static result<partition_view> over(std::span<shard_source const> shards) {
        return detail::gather_partition(shards, detail::wanted_type<T>()).transform(make);
    }

    extents shape() const noexcept { return state_->shape; }
    /// The members, in the order in which they are stored.
    std::span<partition_member const> members() const& noexcept { return state_->members; }
    std::span<partition_member const> members() const&& = delete;
    /// Stored entries of all members.
    std::uint64_t nnz() const noexcept {
        std::uint64_t sum = 0;
        for (auto const& m : state_->members) sum += m.nnz;
        return sum;
    }

    /// Member i in place, nothing of it read. Errors: slice_does_not_exist if there is no member
    /// i, layout_mismatch, element_type_mismatch (quantized members), misaligned_bytes.
    /// Complexity: constant.
    result<lazy_csr_view<T>> csr(std::size_t i) const { return member<axis::rows>(i); }
    result<lazy_csc_view<T>> csc(std::size_t i) const { return member<axis::columns>(i); }

    /// Calls f with each slice_part<T> of rows [first, first + count): row by row, and in a row by
    /// increasing columns. Touches no member but those that hold some of these rows, and none but
    /// these rows of them. f may return false to stop.
    /// Errors: slice_does_not_exist, layout_mismatch if such a member is not CSR, and the rule
    /// that a row breaks, its number and byte those of the member.
    template<class F> result<void> rows(std::uint64_t first, std::uint64_t count, F&& f) const {
        return walk<axis::rows>(first, count, f);
    }
    /// The same with columns, of CSC members.
    template<class F> result<void> columns(std::uint64_t first, std::uint64_t count, F&& f) const {
        return walk<axis::columns>(first, count, f);
    }

private:
    friend class file_view;
    friend struct detail::partition_access;
    using shared_state = std::shared_ptr<detail::partition_state const>;

    explicit partition_view(shared_state state) noexcept : state_(std::move(state)) {}
    static partition_view make(shared_state&& state) { return partition_view(std::move(state)); }

    template<axis Major>
    result<compressed_view<T, Major, trust::lazy>> member(std::size_t i) const {
        if (i >= state_->members.size()) return errc::slice_does_not_exist;
        constexpr auto wanted = Major == axis::rows ? layout::csr : layout::csc;
        if (state_->members[i].layout != wanted) return errc::layout_mismatch;
        auto const& place = state_->places[i];
        if (!place) return place.error();
        return detail::view_of<compressed_view<T, Major, trust::lazy>>(*place);
    }

    template<axis Major, class F>
    result<void> walk(std::uint64_t first, std::uint64_t count, F& f) const {
        auto const all = Major == axis::rows ? shape().rows : shape().columns;
        if (first > all || count > all - first) return errc::slice_does_not_exist;
        for (auto const& strip : detail::strips_of(*state_, Major, first, count)) {
            auto const goes_on = walk_strip<Major>(strip, f);
            if (!goes_on) return goes_on.error();
            if (!*goes_on) break;
        }
        return {};
    }

    template<axis Major, class F> result<bool> walk_strip(detail::strip const& strip, F& f) const {
        struct lying {
            compressed_view<T, Major, trust::lazy> view;
            std::uint64_t first, shift;
        };
        std::vector<lying> from;
        for (auto const i : strip.members) {
            auto const view = member<Major>(i);
            if (!view) return view.error();
            auto const& o = state_->members[i].offset;
            from.push_back({*view, Major == axis::rows ? o.rows : o.columns,
                            Major == axis::rows ? o.columns : o.rows});
        }
        for (auto at = strip.first; at != strip.first + strip.count; ++at)
            for (auto const& [view, begin, shift] : from) {
                auto const slice = view.at(at - begin);
                if (!slice) return slice.error();
                slice_part<T> const part{at, shift, *slice};
                if constexpr (std::same_as<std::invoke_result_t<F&, slice_part<T> const&>, bool>) {
                    if (!f(part)) return false;
                } else {
                    f(part);
                }
            }
        return true;
    }

    shared_state state_;
};

template<viewable T> result<partition_view<T>> file_view::partition(std::string_view name) const& {
    return detail::open_partition(*this, name, detail::wanted_type<T>())
        .transform(partition_view<T>::make);
}

}  // namespace v0
}  // namespace hurray
