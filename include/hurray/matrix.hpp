#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <hurray/compressed_view.hpp>
#include <hurray/memory_block.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

/// Elements of `type` from element `first` of `bytes` on; tag 0: there are no values.
struct value_run {
    element_type type{};
    std::byte const* bytes = nullptr;
    std::uint64_t first = 0;
};

template<viewable T> value_run run_of_values(typename values_seen<T>::type values) noexcept {
    if constexpr (std::is_same_v<T, pattern>)
        return {};
    else if constexpr (packed_element<T>)
        return {element_type_of<T>, values.bytes(), values.first()};
    else
        return {element_type_of<T>, std::as_bytes(values).data(), 0};
}

/// The arrays of a matrix, and what they say about themselves.
struct owned_arrays {
    memory_block offsets{};  ///< major + 1 of them; none in a matrix that was moved from
    memory_block indices{};
    memory_block values{};
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::uint64_t nnz = 0;

    owned_arrays() = default;
    owned_arrays(owned_arrays&& other) noexcept
        : offsets(std::move(other.offsets)), indices(std::move(other.indices)),
          values(std::move(other.values)), major(std::exchange(other.major, 0)),
          minor(std::exchange(other.minor, 0)), nnz(std::exchange(other.nnz, 0)) {}
    owned_arrays& operator=(owned_arrays&& other) noexcept {
        offsets = std::move(other.offsets);
        indices = std::move(other.indices);
        values = std::move(other.values);
        std::swap(major, other.major);
        std::swap(minor, other.minor);
        std::swap(nnz, other.nnz);
        return *this;
    }
    ~owned_arrays() = default;

    detail::structure structure() const noexcept {
        auto const* const at = offsets.as<std::uint64_t>();
        return {.major = major,
                .minor = minor,
                .nnz = nnz,
                .offsets = at != nullptr ? at : &no_slices,
                .indices = indices.as<std::uint64_t>()};
    }
};

struct matrix_maker;

constexpr axis other_axis(axis of) noexcept {
    return of == axis::rows ? axis::columns : axis::rows;
}

}  // namespace detail

/// A sparse matrix that owns its arrays, laid out as in a file: packed elements stay packed.
/// What makes one also proves it, so its view is a verified one. Moved from, it is 0 x 0.
template<viewable T, axis Major> class compressed_matrix {
public:
    using value_type = T;
    using view_type = compressed_view<T, Major, trust::verified>;

    static constexpr axis major_axis = Major;

    /// An empty 0 x 0 matrix.
    compressed_matrix() = default;

    /// The matrix in place. Lifetime: as long as this matrix is neither moved nor destroyed.
    view_type view() const& noexcept {
        return detail::view_maker::proved<view_type>(arrays_.structure(), values());
    }
    view_type view() const&& = delete;

    extents shape() const noexcept {
        return Major == axis::rows ? extents{arrays_.major, arrays_.minor}
                                   : extents{arrays_.minor, arrays_.major};
    }
    std::uint64_t nnz() const noexcept { return arrays_.nnz; }

private:
    friend struct detail::matrix_maker;

    explicit compressed_matrix(detail::owned_arrays arrays) noexcept : arrays_(std::move(arrays)) {}

    typename view_type::values_type values() const noexcept {
        if constexpr (std::is_same_v<T, pattern>)
            return {};
        else if constexpr (packed_element<T>)
            return {arrays_.values.data(), arrays_.nnz};
        else
            return {arrays_.values.template as<T>(), arrays_.nnz};
    }

    detail::owned_arrays arrays_;
};

template<viewable T> using csr_matrix = compressed_matrix<T, axis::rows>;
template<viewable T> using csc_matrix = compressed_matrix<T, axis::columns>;

namespace detail {
/// How the rest of the library makes a matrix.
struct matrix_maker {
    /// Precondition: the arrays satisfy every invariant and hold elements of the matrix's type.
    template<class Matrix> static Matrix proved(owned_arrays arrays) noexcept {
        return Matrix(std::move(arrays));
    }
};
}  // namespace detail

}  // namespace v0
}  // namespace hurray
