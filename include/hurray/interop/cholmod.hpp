#pragma once

// For those who have SuiteSparse's CHOLMOD (3.0 or newer). Nothing else of hurray includes or needs
// it.

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#if __has_include(<cholmod.h>)
#include <cholmod.h>
#else
#include <suitesparse/cholmod.h>
#endif

#include <hurray/compressed_view.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Matrices of files for CHOLMOD and those who share its matrices (SPQR, UMFPACK), and its matrices
/// seen as views. For the functions with 64-bit integers: cholmod_l_...
namespace cholmod {

/// What CHOLMOD computes with: double, std::complex<double>, or the structure alone.
template<class T>
concept scalar =
    std::same_as<T, double> || std::same_as<T, std::complex<double>> || std::same_as<T, pattern>;

/// Which part of a matrix CHOLMOD looks at; the values are those of cholmod_sparse::stype.
enum class part : int {
    all = 0,     ///< the matrix is what is stored
    upper = 1,   ///< the matrix is symmetric, and its upper triangle is read
    lower = -1,  ///< the matrix is symmetric, and its lower triangle is read
};

namespace detail {

template<scalar T> inline constexpr int xtype = std::same_as<T, double>    ? CHOLMOD_REAL
                                                : std::same_as<T, pattern> ? CHOLMOD_PATTERN
                                                                           : CHOLMOD_COMPLEX;

/// CHOLMOD's structure has no pointers to what is only read.
inline void* without_const(void const* at) noexcept { return const_cast<void*>(at); }

}  // namespace detail

/// The matrix for CHOLMOD, in place. CHOLMOD only reads what it analyses, factorises, multiplies or
/// solves with. Precondition: it goes to no function that changes a matrix (cholmod_l_sort,
/// cholmod_l_scale, cholmod_l_drop, cholmod_l_free_sparse, ...), which a mapping answers with a
/// signal; and nobody changes the file meanwhile, as CHOLMOD trusts the arrays.
/// CHOLMOD knows columns. A symmetric matrix stored by rows goes in as `a.transposed()`, which is
/// the same matrix and free.
/// Errors: value_does_not_fit, when a shape is beyond signed counts; sizes_disagree, when a part of
/// a matrix that is not square is asked for. Complexity: constant.
/// Lifetime: that of the view's arrays.
template<scalar T> result<cholmod_sparse> borrow(csc_view<T> const& view, part which = part::all) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    auto const [rows, columns] = view.shape();
    if (rows > most || columns > most) return errc::value_does_not_fit;
    if (which != part::all && rows != columns) return errc::sizes_disagree;

    cholmod_sparse made{};
    made.nrow = rows;
    made.ncol = columns;
    made.nzmax = view.nnz();
    made.p = detail::without_const(view.offsets().data());
    made.i = detail::without_const(view.indices().data());
    if constexpr (element<T>) made.x = detail::without_const(view.values().data());
    made.stype = static_cast<int>(which);
    made.itype = CHOLMOD_LONG;
    made.xtype = detail::xtype<T>;
    made.dtype = CHOLMOD_DOUBLE;
    made.sorted = 1;
    made.packed = 1;
    return made;
}

/// A matrix of CHOLMOD, in place and checked: the entries that it stores. Where it stores half of a
/// symmetric matrix, so does the view.
/// Errors: element_type_mismatch, when its integers are not all of 64 bits or its numbers are not
/// of T; sizes_disagree, when it is not packed or holds less than it says; the invariant that its
/// arrays break, as columns that are not sorted do (cholmod_l_sort mends them).
/// Complexity: linear in columns and nnz. Lifetime: as long as the matrix is neither changed nor
/// freed.
template<scalar T>
result<csc_view<T>> view(cholmod_sparse const& matrix, verify_options const& options = {}) {
    if (matrix.itype != CHOLMOD_LONG) return errc::element_type_mismatch;
    if constexpr (element<T>)
        if (matrix.xtype != detail::xtype<T> || matrix.dtype != CHOLMOD_DOUBLE)
            return errc::element_type_mismatch;
    if (!matrix.packed || matrix.p == nullptr) return errc::sizes_disagree;

    std::span const offsets(static_cast<std::uint64_t const*>(matrix.p), matrix.ncol + 1);
    auto const nnz = offsets.back();
    if (nnz > matrix.nzmax || (nnz > 0 && matrix.i == nullptr)) return errc::sizes_disagree;
    std::span const indices(static_cast<std::uint64_t const*>(matrix.i), nnz);
    extents const shape{.rows = matrix.nrow, .columns = matrix.ncol};
    if constexpr (element<T>) {
        if (nnz > 0 && matrix.x == nullptr) return errc::sizes_disagree;
        return csc_view<T>::over(shape, offsets, indices, {static_cast<T const*>(matrix.x), nnz},
                                 options);
    } else {
        return csc_view<T>::over(shape, offsets, indices, options);
    }
}
template<scalar T>
result<csc_view<T>> view(cholmod_sparse const&&, verify_options const& = {}) = delete;

}  // namespace cholmod

}  // namespace v0
}  // namespace hurray
