#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include <hurray/matrix.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// What to do with two entries at the same row and column.
enum class duplicates : std::uint8_t {
    refuse,
    sum,  ///< add them up, in the order in which they were given
};

struct assemble_options {
    hurray::duplicates duplicates = hurray::duplicates::refuse;
    /// Threads to use; 0 and 1 mean the calling thread alone.
    unsigned threads = 1;
};

namespace detail {

/// Adds one value to another; false if the sum does not fit. None: values cannot be added.
using adder = bool (*)(std::byte* into, std::byte const* from) noexcept;

template<class T>
concept summable =
    !std::same_as<T, bool> && (std::is_arithmetic_v<T> || std::same_as<T, std::complex<float>> ||
                               std::same_as<T, std::complex<double>>);

template<summable T> bool add_into(std::byte* into, std::byte const* from) noexcept {
    T a, b;
    std::memcpy(&a, into, sizeof(T));
    std::memcpy(&b, from, sizeof(T));
    if constexpr (std::integral<T>) {
        if (__builtin_add_overflow(a, b, &a)) return false;
    } else {
        a += b;
    }
    std::memcpy(into, &a, sizeof(T));
    return true;
}

template<viewable T> constexpr adder adder_of() noexcept {
    if constexpr (summable<T>)
        return &add_into<T>;
    else
        return nullptr;
}

/// Coordinates as they were given: entry k lies at `index[k]` of slice `slice[k]`.
struct coordinates {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::span<std::uint64_t const> slice{};
    std::span<std::uint64_t const> index{};
};

result<owned_arrays> assemble_arrays(coordinates const&, value_run values,
                                     std::uint64_t value_count, adder, assemble_options const&);

/// The untyped part of matrix_builder.
class slice_builder {
public:
    slice_builder() = default;
    static result<slice_builder> create(std::uint64_t major, std::uint64_t minor, element_type);

    bool count(std::uint64_t slice) noexcept {
        if (slice >= arrays_.major) return refuse(errc::index_exceeds_shape, slice);
        ++counts()[slice];
        return true;
    }
    bool count_concurrently(std::uint64_t slice) noexcept {
        if (slice >= arrays_.major) return refuse(errc::index_exceeds_shape, slice);
        __atomic_fetch_add(counts() + slice, 1, __ATOMIC_RELAXED);
        return true;
    }

    result<void> start_placing();

    /// Where the next entry of `slice` goes; nowhere if it must not.
    template<bool Concurrently>
    std::uint64_t take_place(std::uint64_t slice, std::uint64_t index) noexcept {
        if (slice >= arrays_.major || index >= arrays_.minor)
            return refuse(errc::index_exceeds_shape, slice), nowhere;
        if (!placing_) return refuse(errc::sizes_disagree, slice), nowhere;
        std::uint64_t at;
        if constexpr (Concurrently)
            at = __atomic_fetch_add(counts() + slice, 1, __ATOMIC_RELAXED);
        else
            at = counts()[slice]++;
        auto const* const offsets = arrays_.offsets.as<std::uint64_t>();
        if (at >= offsets[slice + 1] - offsets[slice])
            return refuse(errc::sizes_disagree, slice), nowhere;
        arrays_.indices.as<std::uint64_t>()[offsets[slice] + at] = index;
        return offsets[slice] + at;
    }
    std::byte* values() noexcept { return arrays_.values.data(); }

    result<owned_arrays> finish(adder, assemble_options const&) &&;

    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    bool refuse(errc why, std::uint64_t slice) noexcept;

private:
    std::uint64_t* counts() noexcept { return counts_.as<std::uint64_t>(); }

    owned_arrays arrays_;
    memory_block counts_;  ///< per slice: entries counted, then entries placed
    element_type type_{};
    bool placing_ = false;
    int refused_ = 0;  ///< the errc of the first refusal
    std::uint64_t refused_slice_ = nowhere;
};

}  // namespace detail

/// A matrix of entries given by their coordinates, in any order.
/// values: as many as rows; none for a `pattern`, see below. rows and columns must not change
/// meanwhile.
/// Errors, the places of which count entries in the order in which they are given:
/// sizes_disagree; index_exceeds_shape, with the position of the first such entry;
/// forbidden_e8m0_value, in the same way; duplicate_entry, with the lowest slice that has one and
/// the position of the first entry in it that repeats an earlier one; value_does_not_fit, with
/// slice and position of the entry that made a sum of integers overflow; bad_option, when values
/// are to be summed that are neither integers, float, double nor std::complex;
/// too_large_for_memory. Summing a pattern keeps one of each. Sums do not depend on the number of
/// threads. Complexity: linear in slices and entries, plus sorting each slice.
template<element T, axis Major = axis::rows> result<compressed_matrix<T, Major>>
assemble(extents shape, std::span<std::uint64_t const> rows, std::span<std::uint64_t const> columns,
         std::type_identity_t<values_span<T>> values, assemble_options const& options = {}) {
    auto const given = Major == axis::rows
                           ? detail::coordinates{shape.rows, shape.columns, rows, columns}
                           : detail::coordinates{shape.columns, shape.rows, columns, rows};
    return detail::assemble_arrays(given, detail::run_of_values<T>(values), values.size(),
                                   detail::adder_of<T>(), options)
        .transform([](detail::owned_arrays&& arrays) {
            return detail::matrix_maker::proved<compressed_matrix<T, Major>>(std::move(arrays));
        });
}

/// The structure alone: assemble<pattern>(shape, rows, columns).
template<std::same_as<pattern> T, axis Major = axis::rows>
result<compressed_matrix<T, Major>> assemble(extents shape, std::span<std::uint64_t const> rows,
                                             std::span<std::uint64_t const> columns,
                                             assemble_options const& options = {}) {
    auto const given = Major == axis::rows
                           ? detail::coordinates{shape.rows, shape.columns, rows, columns}
                           : detail::coordinates{shape.columns, shape.rows, columns, rows};
    return detail::assemble_arrays(given, {}, rows.size(), nullptr, options)
        .transform([](detail::owned_arrays&& arrays) {
            return detail::matrix_maker::proved<compressed_matrix<T, Major>>(std::move(arrays));
        });
}

/// Builds a matrix from entries that can be given twice, such as those of a text file: first each
/// is counted, then each is placed. Holds the result's arrays and 8 bytes per slice, nothing else;
/// packed elements take a byte each until finish().
/// One thread at a time, except for the members that say `concurrently`.
template<viewable T, axis Major> class matrix_builder {
public:
    /// A builder of a matrix of this shape. Errors: too_large_for_memory.
    static result<matrix_builder> create(extents shape) {
        auto const major = Major == axis::rows ? shape.rows : shape.columns;
        auto const minor = Major == axis::rows ? shape.columns : shape.rows;
        return detail::slice_builder::create(major, minor, type())
            .transform(
                [](detail::slice_builder&& made) { return matrix_builder(std::move(made)); });
    }

    /// Phase one: counts an entry of `slice`, a row of CSR or a column of CSC.
    /// False: there is no such slice. The builder remembers, and finish() will fail.
    /// Precondition: start_placing() was not called.
    bool count(std::uint64_t slice) noexcept { return builder_.count(slice); }
    /// As count(), from several threads at once.
    bool count_concurrently(std::uint64_t slice) noexcept {
        return builder_.count_concurrently(slice);
    }

    /// Ends phase one. Errors: too_large_for_memory.
    /// Precondition: not called before.
    result<void> start_placing() { return builder_.start_placing(); }

    /// Phase two: places an entry.
    /// False, as for count(): it lies outside the shape, or is one more than were counted in its
    /// slice, or has a value that files do not allow.
    bool place(std::uint64_t slice, std::uint64_t index, T value) noexcept requires element<T> {
        return put<false>(slice, index, value);
    }
    bool place(std::uint64_t slice,
               std::uint64_t index) noexcept requires std::same_as<T, pattern> {
        return builder_.template take_place<false>(slice, index) != detail::slice_builder::nowhere;
    }
    /// As place(), from several threads at once. The order of the entries of a slice is then that
    /// of their arrival, which shows in the sum of duplicates and in which one is reported.
    bool place_concurrently(std::uint64_t slice, std::uint64_t index,
                            T value) noexcept requires element<T> {
        return put<true>(slice, index, value);
    }
    bool place_concurrently(std::uint64_t slice,
                            std::uint64_t index) noexcept requires std::same_as<T, pattern> {
        return builder_.template take_place<true>(slice, index) != detail::slice_builder::nowhere;
    }

    /// The matrix: slices sorted, duplicates refused or summed as in assemble().
    /// Errors: what count() or place() refused, with its slice; sizes_disagree, when fewer entries
    /// were placed than counted; duplicate_entry and value_does_not_fit, with the slice and with
    /// the position among the entries placed in this slice; bad_option; too_large_for_memory.
    result<compressed_matrix<T, Major>> finish(assemble_options const& options = {}) && {
        return std::move(builder_)
            .finish(detail::adder_of<T>(), options)
            .transform([](detail::owned_arrays&& arrays) {
                return detail::matrix_maker::proved<compressed_matrix<T, Major>>(std::move(arrays));
            });
    }

private:
    explicit matrix_builder(detail::slice_builder made) noexcept : builder_(std::move(made)) {}

    static constexpr element_type type() noexcept {
        if constexpr (element<T>) return element_type_of<T>;
        return {};
    }

    template<bool Concurrently>
    bool put(std::uint64_t slice, std::uint64_t index, T value) noexcept {
        if constexpr (std::same_as<T, float8_e8m0>)  // 00 and FF are no data.
            if (value.bits() == 0x00 || value.bits() == 0xFF)
                return builder_.refuse(errc::forbidden_e8m0_value, slice);
        auto const at = builder_.template take_place<Concurrently>(slice, index);
        if (at == detail::slice_builder::nowhere) return false;
        if constexpr (packed_element<T>)
            builder_.values()[at] = static_cast<std::byte>(detail::to_bits(value));
        else
            std::memcpy(builder_.values() + at * sizeof(T), &value, sizeof(T));
        return true;
    }

    detail::slice_builder builder_;
};

}  // namespace v0
}  // namespace hurray
