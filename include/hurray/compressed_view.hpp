#pragma once

#include <bit>
#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include <hurray/element.hpp>
#include <hurray/options.hpp>
#include <hurray/result.hpp>

static_assert(std::endian::native == std::endian::little && sizeof(std::size_t) == 8,
              "views alias little-endian bytes with 64-bit counts; see README, \"Portability\"");

namespace hurray {

namespace format {
class checksum_table;
}

inline namespace [[gnu::visibility("default")]] v0 {

/// Rows and columns by name, so that they cannot be swapped by position.
struct extents {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    friend bool operator==(extents const&, extents const&) = default;
};

/// Which dimension the offsets compress: rows is CSR, columns is CSC.
enum class axis : std::uint8_t { rows, columns };

/// How much of a matrix has been checked.
enum class trust : std::uint8_t {
    lazy,      ///< sizes only; each slice is checked when it is taken
    verified,  ///< every storage invariant held when the view was made
};

/// What a view can show: the elements of the format, or `pattern`: the structure without values.
template<class T>
concept viewable = element<T> || std::same_as<T, pattern>;

namespace detail {

/// One fetch, which the compiler may neither repeat nor split: what was checked is what is used,
/// even if the file changes in between.
inline std::uint64_t load_once(std::uint64_t const& word) noexcept {
    return static_cast<std::uint64_t const volatile&>(word);
}

/// The offsets of a matrix without slices.
inline constexpr std::uint64_t no_slices = 0;

struct no_values {
    friend bool operator==(no_values, no_values) = default;
};

template<class T> struct values_seen { using type = no_values; };
template<element T> struct values_seen<T> { using type = values_span<T>; };

/// Entries [first, last) of the indices and values arrays.
struct entry_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

constexpr std::uint64_t smaller(std::uint64_t a, std::uint64_t b) noexcept { return a < b ? a : b; }

/// How many of ascending numbers are less than `value`. No branch depends on what they are.
inline std::uint64_t count_below(std::span<std::uint64_t const> all, std::uint64_t value) noexcept {
    if (all.empty()) return 0;
    auto const* first = all.data();
    for (auto left = all.size(); left > 1;) {
        auto const half = left / 2;
        first = first[half - 1] < value ? first + half : first;
        left -= half;
    }
    return static_cast<std::uint64_t>(first - all.data()) + (*first < value);
}

/// What a view knows besides its values. Untyped, so the checks are compiled once, in src/.
struct structure {
    std::uint64_t major = 0;  ///< slices: rows of CSR, columns of CSC
    std::uint64_t minor = 0;  ///< the bound of every index
    std::uint64_t nnz = 0;
    std::uint64_t const* offsets = nullptr;        ///< major + 1 of them
    std::uint64_t const* indices = nullptr;        ///< nnz of them
    std::byte const* origin = nullptr;             ///< byte 0 of the file the arrays lie in, if any
    std::uint32_t tensor = 0;                      ///< its place in `sums`
    format::checksum_table const* sums = nullptr;  ///< what blocks are checked against, if any
    bool as_stored = true;                         ///< slices of unproved order may be had

    /// Slice i, clamped into the arrays whatever the offsets say. Precondition: i < major.
    /// A branch, which is foreseen, and no minimum, for which the walk would have to wait.
    entry_range clamped(std::uint64_t i) const noexcept {
        entry_range const range{load_once(offsets[i]), load_once(offsets[i + 1])};
        if (range.first <= range.last && range.last <= nnz) [[likely]]
            return range;
        auto const last = smaller(range.last, nnz);
        return {smaller(range.first, last), last};
    }
};

/// Element data as bytes; no type for a pattern. Some types have rules of their own: packed ones
/// have a tail, float8_e8m0 has forbidden values.
struct stored_values {
    element_type type{};
    std::byte const* bytes = nullptr;
    std::uint64_t count = 0;
};

/// Mismatch unless offsets = major + 1 and indices = values.
result<void> check_sizes(std::uint64_t major, std::uint64_t offsets, std::uint64_t indices,
                         std::uint64_t values);
/// Slice i as its offsets bound it: in range, and not backwards.
result<entry_range> check_bounds(structure const&, std::uint64_t i);
/// The indices of slice i are below minor and strictly increase.
result<void> check_order(structure const&, std::uint64_t i, entry_range);
/// The invariants over slices [first, first + count); over all of them, the anchors too.
result<void> check_slices(structure const&, std::uint64_t first, std::uint64_t count,
                          verify_options const&);
/// The rules of element data over entries [first, last).
result<void> check_values(structure const&, stored_values, entry_range);
/// The checksums of the blocks under slices [first, first + count). Precondition: there are sums,
/// and the slices exist.
result<void> check_sums(structure const&, stored_values, std::uint64_t first, std::uint64_t count);

/// Whether a type's elements have rules that a check of a slice must look at.
template<viewable T> inline constexpr bool has_value_rules = std::same_as<T, float8_e8m0>;
template<packed_element T> inline constexpr bool has_value_rules<T> = true;

/// Slice i where it is short and sound and there are no checksums: what most slices are. Anything
/// else is for checked_slice(), which knows what is wrong.
inline std::optional<entry_range> plainly_sound(structure const& matrix, std::uint64_t i) noexcept {
    constexpr std::uint64_t longest = 48;  // more is worth the vector code behind checked_slice()
    if (i >= matrix.major || matrix.sums != nullptr) return std::nullopt;
    entry_range const range{load_once(matrix.offsets[i]), load_once(matrix.offsets[i + 1])};
    if (range.first > range.last || range.last > matrix.nnz) return std::nullopt;
    auto const count = range.last - range.first;
    if (count > longest) return std::nullopt;
    if (count == 0) return range;
    auto const* const indices = matrix.indices + range.first;
    auto before = load_once(*indices);
    bool increase = true;
    for (std::uint64_t k = 1; k < count; ++k) {
        auto const index = load_once(indices[k]);
        increase &= index > before;
        before = index;
    }
    if (!increase || before >= matrix.minor) return std::nullopt;
    return range;
}

/// Every rule and checksum over the whole matrix.
result<void> check_all(structure const&, stored_values, verify_options const&);
/// The same of slices [first, first + count).
result<void> check_some(structure const&, stored_values, std::uint64_t first, std::uint64_t count,
                        verify_options const&);
/// Slice i where it, its values and its checksums break no rule.
result<entry_range> checked_slice(structure const&, stored_values, std::uint64_t i);
/// Slice i where it lies inside the arrays; its order is not looked at.
result<entry_range> slice_as_stored(structure const&, stored_values, std::uint64_t i);

struct view_maker;

}  // namespace detail

/// Entries of one row of a CSR matrix or one column of a CSC matrix, as they are stored: in range,
/// and nothing promised about their order. Does not own what it shows.
template<viewable T> class stored_slice {
public:
    using values_type = typename detail::values_seen<T>::type;

    struct valued_entry {
        std::uint64_t index;
        std::conditional_t<element<T>, T, detail::no_values> value;
    };
    struct bare_entry {
        std::uint64_t index;
    };
    /// {index, value}; {index} for a pattern.
    using entry = std::conditional_t<element<T>, valued_entry, bare_entry>;

    stored_slice() = default;
    /// Precondition: as many values as indices.
    stored_slice(std::span<std::uint64_t const> indices, values_type values) noexcept
        : indices_(indices), values_(values) {}

    std::uint64_t size() const noexcept { return indices_.size(); }
    bool empty() const noexcept { return indices_.empty(); }
    std::span<std::uint64_t const> indices() const noexcept { return indices_; }
    values_type values() const noexcept requires element<T> { return values_; }

    /// The k-th stored entry. Precondition: k < size().
    entry operator[](std::uint64_t k) const noexcept {
        assert(k < size());
        if constexpr (element<T>)
            return {indices_[k], values_[k]};
        else
            return {indices_[k]};
    }

    /// Holds what it needs, so it outlives the slice it came from.
    class iterator {
    public:
        using value_type = entry;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::random_access_iterator_tag;

        iterator() = default;
        iterator(stored_slice of, difference_type at) noexcept : of_(of), at_(at) {}
        entry operator*() const noexcept { return of_[static_cast<std::uint64_t>(at_)]; }
        entry operator[](difference_type n) const noexcept { return *(*this + n); }
        iterator& operator++() noexcept { return ++at_, *this; }
        iterator& operator--() noexcept { return --at_, *this; }
        iterator operator++(int) noexcept { return {of_, at_++}; }
        iterator operator--(int) noexcept { return {of_, at_--}; }
        iterator& operator+=(difference_type n) noexcept { return at_ += n, *this; }
        iterator& operator-=(difference_type n) noexcept { return at_ -= n, *this; }
        friend iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
        friend iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
        friend iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
        friend difference_type operator-(iterator a, iterator b) noexcept { return a.at_ - b.at_; }
        friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
        friend auto operator<=>(iterator a, iterator b) noexcept { return a.at_ <=> b.at_; }

    private:
        stored_slice of_;
        difference_type at_ = 0;
    };

    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, static_cast<std::ptrdiff_t>(size())}; }

private:
    std::span<std::uint64_t const> indices_;
    [[no_unique_address]] values_type values_{};
};

/// Entries of one row or column whose indices were found to increase strictly.
template<viewable T> class slice : public stored_slice<T> {
public:
    using stored_slice<T>::stored_slice;

    /// Whether an entry is stored at `index`. Complexity: logarithmic.
    bool contains(std::uint64_t index) const noexcept { return where(index) != this->size(); }

    /// The value stored at `index`; nullopt is an implicit zero. Complexity: logarithmic.
    std::optional<T> find(std::uint64_t index) const noexcept requires element<T> {
        auto const k = where(index);
        if (k == this->size()) return std::nullopt;
        return this->values()[k];
    }

private:
    std::uint64_t where(std::uint64_t index) const noexcept {
        auto const all = this->indices();
        auto const at = detail::count_below(all, index);
        return at < all.size() && all[at] == index ? at : all.size();
    }
};

/// A sparse matrix seen in place: three arrays that somebody else owns. Cheap to copy.
/// Lifetime: as long as the arrays; those of a file live as long as the file.
template<viewable T, axis Major, trust Trust> class compressed_view {
    static constexpr axis minor_axis = Major == axis::rows ? axis::columns : axis::rows;

public:
    using value_type = T;
    using values_type = typename detail::values_seen<T>::type;
    using lazy_view = compressed_view<T, Major, trust::lazy>;
    using verified_view = compressed_view<T, Major, trust::verified>;
    using transposed_view = compressed_view<T, minor_axis, Trust>;
    /// slice<T>, or result<slice<T>> where taking one can fail.
    using slice_type = std::conditional_t<Trust == trust::verified, slice<T>, result<slice<T>>>;

    static constexpr axis major_axis = Major;

    /// An empty 0 x 0 matrix.
    compressed_view() noexcept { structure_.offsets = &detail::no_slices; }

    /// A view of arrays the caller owns; a verified view checks all of them here.
    /// Errors: sizes_disagree, and for a verified view the rule that the arrays break.
    /// Complexity: constant if lazy, else linear in rows and nnz.
    static result<compressed_view> over(extents shape, std::span<std::uint64_t const> offsets,
                                        std::span<std::uint64_t const> indices, values_type values,
                                        verify_options const& options = {}) requires element<T> {
        return make(shape, offsets, indices, values, values.size(), options);
    }
    static result<compressed_view>
    over(extents shape, std::span<std::uint64_t const> offsets,
         std::span<std::uint64_t const> indices,
         verify_options const& options = {}) requires std::same_as<T, pattern> {
        return make(shape, offsets, indices, {}, indices.size(), options);
    }

    extents shape() const noexcept {
        return Major == axis::rows ? extents{structure_.major, structure_.minor}
                                   : extents{structure_.minor, structure_.major};
    }
    std::uint64_t nnz() const noexcept { return structure_.nnz; }
    /// How many slices there are: rows of CSR, columns of CSC.
    std::uint64_t major() const noexcept { return structure_.major; }
    /// The bound of every index: columns of CSR, rows of CSC.
    std::uint64_t minor() const noexcept { return structure_.minor; }

    std::span<std::uint64_t const> offsets() const noexcept {
        if (structure_.offsets == nullptr) return {};
        return {structure_.offsets, structure_.major + 1};
    }
    std::span<std::uint64_t const> indices() const noexcept {
        return {structure_.indices, structure_.nnz};
    }
    values_type values() const noexcept requires element<T> { return values_; }

    /// Row i. Verified: precondition i < rows. Lazy: checks the row now, linear in its length.
    /// Errors (lazy): slice_does_not_exist, or the rule that this row breaks.
    slice_type row(std::uint64_t i) const noexcept requires(Major == axis::rows) { return at(i); }
    /// Column j, in the same way.
    slice_type column(std::uint64_t j) const noexcept requires(Major == axis::columns) {
        return at(j);
    }
    /// Slice i of either layout: row(i) of CSR, column(i) of CSC.
    slice_type at(std::uint64_t i) const noexcept {
        if constexpr (Trust == trust::verified) {
            assert(i < major());
            return take<slice<T>>(structure_.clamped(i));
        } else {
            return checked(i);
        }
    }

    /// Row i in range, whatever its order: for files opened in permissive mode and for the
    /// caller's own arrays.
    /// Errors: not_offered_in_strict_mode, slice_does_not_exist, or offsets that are no range.
    result<stored_slice<T>> row_as_stored(std::uint64_t i) const noexcept
        requires(Major == axis::rows && Trust == trust::lazy) {
        return as_stored(i);
    }
    result<stored_slice<T>> column_as_stored(std::uint64_t j) const noexcept
        requires(Major == axis::columns && Trust == trust::lazy) {
        return as_stored(j);
    }

    /// The value stored at (row, column); nullopt is an implicit zero.
    /// Lazy: checks the slice first. Errors (lazy): as row(), and position_does_not_exist.
    /// Complexity: logarithmic in the slice; lazy, linear.
    auto find(std::uint64_t row, std::uint64_t column) const noexcept requires element<T> {
        auto const [i, index] = split(row, column);
        if constexpr (Trust == trust::verified) {
            return i < major() ? at(i).find(index) : std::nullopt;
        } else {
            auto const found = checked(i);
            if (!found) return result<std::optional<T>>(found.error());
            if (index >= minor()) return result<std::optional<T>>(errc::position_does_not_exist);
            return result<std::optional<T>>(found->find(index));
        }
    }

    /// The value at (row, column), T{} where none is stored. Errors (lazy): as find().
    auto value(std::uint64_t row, std::uint64_t column) const noexcept requires element<T> {
        if constexpr (Trust == trust::verified) {
            return find(row, column).value_or(T{});
        } else {
            return find(row, column).transform([](std::optional<T> v) { return v.value_or(T{}); });
        }
    }

    /// The same arrays read as the other layout: the transpose, for free.
    transposed_view transposed() const noexcept { return {structure_, values_}; }

    /// The structure without the values.
    operator compressed_view<pattern, Major, Trust>() const noexcept requires element<T> {
        return {structure_, {}};
    }

    /// Forgetting what was checked is free.
    operator lazy_view() const noexcept requires(Trust == trust::verified) {
        return {structure_, values_};
    }

    /// Checks everything; the only way from lazy to verified.
    /// Errors: the first rule broken, with slice, position and byte; cancelled.
    /// Complexity: linear in rows and nnz.
    result<verified_view> verify(verify_options const& options = {}) const
        requires(Trust == trust::lazy) {
        if (auto ok = detail::check_all(structure_, stored(), options); !ok) return ok.error();
        return verified_view(structure_, values_);
    }

    /// Checks slices [first, first + count): for engines that bring their own threads.
    /// Errors: slice_does_not_exist, or as verify().
    result<void> verify(std::uint64_t first, std::uint64_t count,
                        verify_options const& options = {}) const requires(Trust == trust::lazy) {
        return detail::check_some(structure_, stored(), first, count, options);
    }

private:
    template<viewable, axis, trust> friend class compressed_view;
    friend struct detail::view_maker;

    compressed_view(detail::structure structure, values_type values) noexcept
        : structure_(structure), values_(values) {}

    static result<compressed_view> make(extents shape, std::span<std::uint64_t const> offsets,
                                        std::span<std::uint64_t const> indices, values_type values,
                                        std::uint64_t value_count, verify_options const& options) {
        auto const [major, minor] = split(shape.rows, shape.columns);
        if (auto ok = detail::check_sizes(major, offsets.size(), indices.size(), value_count); !ok)
            return ok.error();
        compressed_view view({.major = major,
                              .minor = minor,
                              .nnz = indices.size(),
                              .offsets = offsets.data(),
                              .indices = indices.data()},
                             values);
        if constexpr (Trust == trust::verified)
            if (auto ok = detail::check_all(view.structure_, view.stored(), options); !ok)
                return ok.error();
        return view;
    }

    struct major_minor {
        std::uint64_t major, minor;
    };
    static constexpr major_minor split(std::uint64_t rows, std::uint64_t columns) noexcept {
        return Major == axis::rows ? major_minor{rows, columns} : major_minor{columns, rows};
    }

    detail::stored_values stored() const noexcept {
        if constexpr (packed_element<T>)
            return {element_type_of<T>, values_.bytes(), values_.size()};
        else if constexpr (element<T>)
            return {element_type_of<T>, std::as_bytes(std::span(values_)).data(), values_.size()};
        else
            return {};
    }

    template<class Slice> Slice take(detail::entry_range range) const noexcept {
        auto const count = range.last - range.first;
        std::span<std::uint64_t const> const indices(structure_.indices + range.first, count);
        if constexpr (element<T>)
            return {indices, values_.subspan(range.first, count)};
        else
            return {indices, {}};
    }

    result<slice<T>> checked(std::uint64_t i) const noexcept {
        if constexpr (!detail::has_value_rules<T>)
            if (auto const range = detail::plainly_sound(structure_, i))
                return take<slice<T>>(*range);
        auto const range = detail::checked_slice(structure_, stored(), i);
        if (!range) return range.error();
        return take<slice<T>>(*range);
    }

    result<stored_slice<T>> as_stored(std::uint64_t i) const noexcept {
        auto const range = detail::slice_as_stored(structure_, stored(), i);
        if (!range) return range.error();
        return take<stored_slice<T>>(*range);
    }

    detail::structure structure_;
    [[no_unique_address]] values_type values_{};
};

template<viewable T> using csr_view = compressed_view<T, axis::rows, trust::verified>;
template<viewable T> using csc_view = compressed_view<T, axis::columns, trust::verified>;
template<viewable T> using lazy_csr_view = compressed_view<T, axis::rows, trust::lazy>;
template<viewable T> using lazy_csc_view = compressed_view<T, axis::columns, trust::lazy>;

namespace detail {
/// How the rest of the library makes a view of arrays whose sizes it has checked.
struct view_maker {
    template<class View>
    static View lazy(structure structure, typename View::values_type values) noexcept {
        static_assert(std::same_as<View, typename View::lazy_view>);
        return View(structure, values);
    }
    /// Precondition: the arrays satisfy every invariant by construction.
    template<class View>
    static View proved(structure structure, typename View::values_type values) noexcept {
        return View(structure, values);
    }
    template<class View> static detail::structure const& structure_of(View const& view) noexcept {
        return view.structure_;
    }
};
}  // namespace detail

}  // namespace v0
}  // namespace hurray
