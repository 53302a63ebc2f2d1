#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hurray/assemble.hpp>
#include <hurray/file_view.hpp>
#include <hurray/writer.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A member of a partition: what it is, and the box of the whole that it holds.
struct partition_member {
    std::string_view name;    ///< lifetime: the catalog's
    hurray::layout layout{};  ///< CSR, CSC, or what only other programs can walk
    extents offset{};         ///< its first row and its first column in the whole
    extents shape{};          ///< its own
    std::uint64_t nnz = 0;    ///< stored entries, of a CSR or CSC member
    std::size_t file = 0;     ///< which of the files it lies in, where there are more
};

/// A part of one row (column) of the whole: the entries that one member stores of it.
template<viewable T> struct slice_part {
    std::uint64_t at = 0;     ///< the row in rows(), the column in columns(), of the whole
    std::uint64_t shift = 0;  ///< what is added to an index to find it in the whole
    slice<T> entries{};       ///< in the member
};

/// A tensor that is a shard, and the file it lies in.
struct shard_source {
    file_view file;         ///< lifetime: that of its bytes
    std::string_view name;  ///< of the tensor
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
/// The strips of a range of rows (columns), one at a time.
class strip_walk {
public:
    /// Precondition: the range lies in the whole.
    /// Complexity: linear in all members, n log n in those that the range meets.
    strip_walk(partition_state const&, axis major, std::uint64_t first, std::uint64_t count);

    /// The next strip, or null after the last. Complexity: linear in the members that cross it or
    /// the one before.
    strip const* next();

private:
    /// A member as a walk along one axis sees it.
    struct crossing {
        std::uint64_t begin, end, across;
        std::size_t member;
    };

    std::vector<crossing> met_;        ///< by where they begin, then by where they lie across
    std::vector<std::uint64_t> cuts_;  ///< where any of them begins or ends
    std::vector<crossing> active_;     ///< those of `now_`
    std::size_t begun_ = 0;            ///< of `met_`
    std::size_t passed_ = 0;           ///< of `cuts_`
    strip now_;
};

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
    using value_type = T;  ///< of the elements

    /// The shards of one whole, wherever they lie: in one file without a head, or in many.
    /// Errors: not_a_partition, unless they are shards of one parent that cover it exactly;
    /// element_type_mismatch; those of describe(). Complexity: n log n in the shards.
    static result<partition_view> over(std::span<shard_source const> shards) {
        return detail::gather_partition(shards, detail::wanted_type<T>()).transform(make);
    }

    /// Of the whole.
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
    /// The same for a member by columns.
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
        detail::strip_walk strips(*state_, Major, first, count);
        while (auto const* const strip = strips.next()) {
            auto const goes_on = walk_strip<Major>(*strip, f);
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

// ---- sets of shards

/// What can be wrong with a set of shards.
enum class shard_problem : std::uint8_t {
    not_a_shard,  ///< no shard section, not of rank 2, or its descriptor cannot be read
    mismatched,   ///< of another parent shape, element type or layout than most of the set
    repeated,     ///< holds the same box as another one
    overlapping,  ///< holds some of what another one holds
    missing,      ///< nobody holds this box
};

/// What is wrong, and with which shards.
struct shard_fault {
    static constexpr std::size_t none = ~std::size_t{0};  ///< the position of no shard

    shard_problem what{};      ///< the kind of fault
    std::size_t shard = none;  ///< which one, by its position; none if one is missing
    std::size_t other = none;  ///< the one it overlaps or repeats
    extents offset{};          ///< where the box of the shard begins, or the one that is missing
    extents shape{};           ///< the size of that box
};

/// Names what keeps shards from being one matrix, at most `limit` faults; none: they are.
/// Complexity: n log n in the shards.
std::vector<shard_fault> faults_of(std::span<shard_source const> shards, std::size_t limit = 64);

/// Shards that belong together: their names are the stem, a dot and a number.
struct shard_set {
    std::string stem;                  ///< what their names begin with
    std::vector<shard_source> shards;  ///< in the order of their numbers
};

/// The shards in these files that are members of no composite, by their stems.
/// Errors: those of describe(). Complexity: n log n in the tensors.
result<std::vector<shard_set>> shards_in(std::span<file_view const> files);

// ---- one matrix from pieces, pieces from one matrix

/// The whole in memory, of layout CSR (axis::rows) from CSR members or CSC from CSC members.
/// Errors: those of walking it, too_large_for_memory.
template<axis Major, element T>
result<compressed_matrix<T, Major>> join(partition_view<T> const& from) {
    auto to = matrix_builder<T, Major>::create(from.shape());
    if (!to) return to.error();
    auto const walk = [&](auto f) {
        if constexpr (Major == axis::rows)
            return from.rows(0, from.shape().rows, f);
        else
            return from.columns(0, from.shape().columns, f);
    };
    auto ok = walk([&](slice_part<T> const& part) {
        for (std::uint64_t k = 0; k < part.entries.size(); ++k) to->count(part.at);
    });
    if (!ok) return ok.error();
    if (ok = to->start_placing(); !ok) return ok.error();
    ok = walk([&](slice_part<T> const& part) {
        for (auto const [index, value] : part.entries)
            to->place(part.at, part.shift + index, value);
    });
    if (!ok) return ok.error();
    return (*std::move(to)).finish();
}

/// Cuts slices into `parts` runs that hold about as many entries each: parts + 1 numbers, from 0
/// to the number of slices. None holds more than its share and one slice.
/// Precondition: offsets of a verified view; parts > 0. Complexity: parts times log of the slices.
std::vector<std::uint64_t> balanced_cuts(std::span<std::uint64_t const> offsets,
                                         std::uint64_t parts);

/// A matrix in parts, as split() makes them. Owns what the matrix it came from does not have.
/// Lifetime: that of the arrays of that matrix.
template<element T, axis Major> class split_matrix {
public:
    /// Of the whole.
    extents shape() const noexcept { return shape_; }
    /// In order; each part is a matrix of its own. For writer::write_partition().
    std::span<matrix_part<T, Major> const> parts() const& noexcept { return parts_; }
    std::span<matrix_part<T, Major> const> parts() const&& = delete;

private:
    friend struct detail::partition_access;
    extents shape_;
    std::vector<matrix_part<T, Major>> parts_;
    std::vector<detail::memory_block> offsets_;        ///< of parts that share the rest
    std::vector<compressed_matrix<T, Major>> copies_;  ///< parts that share nothing
};

namespace detail {

/// The offsets of slices [first, first + count), counted from the first of them.
result<memory_block> rebased_offsets(std::span<std::uint64_t const> offsets, std::uint64_t first,
                                     std::uint64_t count);
/// Cuts [0, bound) so that about as many of `indices` fall into each part.
std::vector<std::uint64_t> balanced_index_cuts(std::span<std::uint64_t const> indices,
                                               std::uint64_t bound, std::uint64_t parts);

struct partition_access {
    /// Precondition: the members cover the shape, and their places hold what they say.
    template<viewable T>
    static partition_view<T> seen(std::shared_ptr<partition_state const> state) noexcept {
        return partition_view<T>(std::move(state));
    }

    template<element T, axis Major> using view_type = compressed_view<T, Major, trust::verified>;

    template<element T, axis Major> static result<split_matrix<T, Major>>
    by_slices(view_type<T, Major> const& view, std::uint64_t parts) {
        split_matrix<T, Major> to;
        to.shape_ = view.shape();
        auto const cuts = balanced_cuts(view.offsets(), parts);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            auto const first = cuts[k], count = cuts[k + 1] - cuts[k];
            auto offsets = rebased_offsets(view.offsets(), first, count);
            if (!offsets) return offsets.error();
            auto const* const rebased = offsets->template as<std::uint64_t>();
            auto const begin = view.offsets()[first], nnz = rebased[count];
            structure const s{.major = count,
                              .minor = view.minor(),
                              .nnz = nnz,
                              .offsets = rebased,
                              .indices = view.indices().data() + begin};
            to.parts_.push_back({at<Major>(first), view_maker::proved<view_type<T, Major>>(
                                                       s, view.values().subspan(begin, nnz))});
            to.offsets_.push_back(*std::move(offsets));
        }
        return to;
    }

    /// Across the slices: each entry is copied to the part that its index falls into.
    template<element T, axis Major> static result<split_matrix<T, Major>>
    by_indices(view_type<T, Major> const& view, std::uint64_t parts) {
        auto const cuts = balanced_index_cuts(view.indices(), view.minor(), parts);
        split_matrix<T, Major> to;
        to.shape_ = view.shape();
        to.copies_.reserve(parts);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            auto made = between<T, Major>(view, cuts[k], cuts[k + 1]);
            if (!made) return made.error();
            to.copies_.push_back(*std::move(made));
            to.parts_.push_back({at<other_axis(Major)>(cuts[k]), to.copies_.back().view()});
        }
        return to;
    }

private:
    template<axis Along> static extents at(std::uint64_t i) noexcept {
        return Along == axis::rows ? extents{i, 0} : extents{0, i};
    }

    template<element T, axis Major> static result<compressed_matrix<T, Major>>
    between(view_type<T, Major> const& view, std::uint64_t low, std::uint64_t high) {
        auto const size = high - low;
        auto to = matrix_builder<T, Major>::create(
            Major == axis::rows ? extents{view.major(), size} : extents{size, view.major()});
        if (!to) return to.error();
        auto const each = [&](auto f) {
            for (std::uint64_t i = 0; i < view.major(); ++i) {
                auto const slice = view.at(i);
                auto const all = slice.indices();
                auto const end = detail::count_below(all, high);
                for (auto k = detail::count_below(all, low); k < end; ++k)
                    f(i, all[k] - low, k, slice);
            }
        };
        each([&](std::uint64_t i, std::uint64_t, std::uint64_t, auto const&) { to->count(i); });
        if (auto ok = to->start_placing(); !ok) return ok.error();
        each([&](std::uint64_t i, std::uint64_t index, std::uint64_t k, auto const& slice) {
            to->place(i, index, slice.values()[k]);
        });
        return (*std::move(to)).finish();
    }
};

}  // namespace detail

/// Cuts a matrix into `parts` that hold about as many entries each: along its own axis (rows of
/// CSR, columns of CSC) the parts share its indices and values; along the other one they are
/// copies. Parts may be empty.
/// Errors: bad_option for no parts, too_large_for_memory.
/// Complexity: linear in the slices; for copies, parts times that and linear in the entries.
template<element T, axis Major>
result<split_matrix<T, Major>> split(compressed_view<T, Major, trust::verified> const& view,
                                     std::uint64_t parts, axis along = Major) {
    if (parts == 0) return errc::bad_option;
    if (along == Major) return detail::partition_access::by_slices<T, Major>(view, parts);
    return detail::partition_access::by_indices<T, Major>(view, parts);
}

namespace detail {

/// Slices of a whole on their way to a writer, a part at a time.
class joining {
public:
    joining(open_matrix to, element_type type) noexcept : to_(std::move(to)), type_(type) {}
    /// Part of slice `at`, whose indices are `shift` less than those of the whole. False: it
    /// failed.
    bool put(std::uint64_t at, std::uint64_t shift, std::span<std::uint64_t const> indices,
             element_run const& values);
    /// What failed, or the end of a matrix of `slices`.
    result<void> finish(std::uint64_t slices);

private:
    bool end_slices(std::uint64_t before);

    open_matrix to_;
    element_type type_;
    std::uint64_t slice_ = 0;  ///< in progress
    std::vector<std::uint64_t> shifted_;
    result<void> outcome_;
};

}  // namespace detail

template<element T> result<void> writer::write(std::string_view name, partition_view<T> const& from,
                                               tensor_options const& options) {
    auto const& members = from.members();
    bool const rows = members.empty() || members.front().layout != layout::csc;
    auto matrix = begin_append(name, rows ? layout::csr : layout::csc, element_type_of<T>,
                               from.shape(), from.nnz(), options);
    if (!matrix) return matrix.error();
    detail::joining to(*std::move(matrix), element_type_of<T>);
    auto const put = [&](slice_part<T> const& part) {
        return to.put(part.at, part.shift, part.entries.indices(),
                      detail::run_of(part.entries.values()));
    };
    auto const count = rows ? from.shape().rows : from.shape().columns;
    auto const walked = rows ? from.rows(0, count, put) : from.columns(0, count, put);
    if (!walked) return walked;
    return to.finish(count);
}

}  // namespace v0
}  // namespace hurray
