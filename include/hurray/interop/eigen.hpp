#pragma once

// For those who have Eigen (3.4 or newer). Nothing else of hurray includes or needs it.

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <Eigen/SparseCore>

#include <hurray/compressed_view.hpp>
#include <hurray/narrow.hpp>
#include <hurray/writer.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Matrices of files in Eigen's expressions and solvers, and Eigen's matrices in files.
namespace eigen {

/// The element types that Eigen computes with and files hold in the same bytes.
template<class T>
concept scalar = element<T> &&
    ((std::is_arithmetic_v<T> && !std::same_as<T, bool>) || std::same_as<T, std::complex<float>> ||
     std::same_as<T, std::complex<double>>);

/// Eigen's own matrix of the layout: with 64-bit indices it can be viewed and written as it is.
template<scalar T, axis Major = axis::rows, class Index = std::int64_t> using matrix =
    Eigen::SparseMatrix<T, Major == axis::rows ? Eigen::RowMajor : Eigen::ColMajor, Index>;

/// A matrix that Eigen sees in place and cannot change.
template<scalar T, axis Major = axis::rows, class Index = std::int64_t> using mapped_matrix =
    Eigen::Map<matrix<T, Major, Index> const>;

namespace detail {

/// Eigen counts with signed numbers, of which these arrays use the half that is alike.
inline std::int64_t const* as_signed(std::span<std::uint64_t const> words) noexcept {
    return reinterpret_cast<std::int64_t const*>(words.data());
}
inline std::span<std::uint64_t const> as_unsigned(std::int64_t const* words,
                                                  std::uint64_t count) noexcept {
    return {static_cast<std::uint64_t const*>(static_cast<void const*>(words)), count};
}

inline bool counts_fit(extents shape) noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return shape.rows <= most && shape.columns <= most;
}

template<class Matrix> constexpr axis major_of = Matrix::IsRowMajor ? axis::rows : axis::columns;

template<class Matrix> extents shape_of(Matrix const& m) noexcept {
    return {.rows = static_cast<std::uint64_t>(m.rows()),
            .columns = static_cast<std::uint64_t>(m.cols())};
}

template<class Matrix> using view_of =
    compressed_view<typename Matrix::Scalar, major_of<Matrix>, trust::verified>;

/// Whether the arrays are those of a larger matrix, which has more rows or columns before these.
template<class Matrix> bool is_part(Matrix const& m) noexcept {
    return m.outerIndexPtr() != nullptr && *m.outerIndexPtr() != 0;
}

/// The arrays of a compressed matrix, each as long as Eigen says.
template<class Matrix> struct arrays {
    std::span<typename Matrix::StorageIndex const> offsets;
    std::span<typename Matrix::StorageIndex const> indices;
    std::span<typename Matrix::Scalar const> values;

    explicit arrays(Matrix const& m) noexcept {
        if (m.outerIndexPtr() == nullptr) return;  // moved from
        auto const nnz = static_cast<std::uint64_t>(m.nonZeros());
        offsets = {m.outerIndexPtr(), static_cast<std::uint64_t>(m.outerSize()) + 1};
        indices = {m.innerIndexPtr(), nnz};
        values = {m.valuePtr(), nnz};
    }
};

/// A piece at a time, so that no second copy of all indices is needed.
template<class T, class Index>
result<void> write_widened(matrix_stream<T>& to, std::span<Index const> indices) {
    std::array<std::uint64_t, 8192> wide;
    while (!indices.empty()) {
        auto const piece = indices.first(std::min(wide.size(), indices.size()));
        std::copy(piece.begin(), piece.end(), wide.begin());
        if (auto ok = to.indices(std::span(wide).first(piece.size())); !ok) return ok;
        indices = indices.subspan(piece.size());
    }
    return {};
}

template<class Matrix> result<void> write_narrow(writer& out, std::string_view name,
                                                 Matrix const& m, tensor_options const& options) {
    arrays<Matrix> const all(m);
    std::vector<std::uint64_t> const offsets(all.offsets.begin(), all.offsets.end());
    auto const begin = [&] {
        using T = typename Matrix::Scalar;
        if constexpr (Matrix::IsRowMajor)
            return out.template stream_csr<T>(name, shape_of(m), offsets, options);
        else
            return out.template stream_csc<T>(name, shape_of(m), offsets, options);
    };
    auto to = begin();
    if (!to) return to.error();
    if (auto ok = to->values(all.values); !ok) return ok;
    if (auto ok = write_widened(*to, all.indices); !ok) return ok;
    return to->close();
}

}  // namespace detail

/// The matrix in Eigen, in place: a Map, which goes wherever a SparseMatrix is read.
/// Eigen trusts the arrays. Precondition: nobody changes the file meanwhile; for a file that others
/// may change, open it with load::read.
/// Errors: value_does_not_fit, when a shape is beyond Eigen's signed counts.
/// Complexity: constant. Lifetime: that of the view's arrays.
template<scalar T, axis Major>
result<mapped_matrix<T, Major>> map(compressed_view<T, Major, trust::verified> const& view) {
    if (!detail::counts_fit(view.shape())) return errc::value_does_not_fit;
    return mapped_matrix<T, Major>(
        static_cast<Eigen::Index>(view.shape().rows),
        static_cast<Eigen::Index>(view.shape().columns), static_cast<Eigen::Index>(view.nnz()),
        detail::as_signed(view.offsets()), detail::as_signed(view.indices()), view.values().data());
}

/// The same with the 32-bit indices that narrow<std::int32_t>() made, half as many bytes to walk.
/// Lifetime: that of `narrow`, and of the values of the view it was made from.
template<std::signed_integral Index, scalar T, axis Major>
result<mapped_matrix<T, Major, Index>> map(narrow_matrix<Index, T, Major> const& narrow) {
    if (!detail::counts_fit(narrow.shape())) return errc::value_does_not_fit;
    return mapped_matrix<T, Major, Index>(
        static_cast<Eigen::Index>(narrow.shape().rows),
        static_cast<Eigen::Index>(narrow.shape().columns), static_cast<Eigen::Index>(narrow.nnz()),
        narrow.offsets().data(), narrow.indices().data(), narrow.values().data());
}
template<std::signed_integral Index, scalar T, axis Major>
result<mapped_matrix<T, Major, Index>> map(narrow_matrix<Index, T, Major> const&&) = delete;

/// An Eigen matrix with 64-bit indices (eigen::matrix, or a Map of one), in place and checked.
/// Errors: sizes_disagree if it is not compressed, which makeCompressed() mends; the invariant that
/// its arrays break. Complexity: linear in slices and nnz.
/// Lifetime: as long as the matrix is neither changed nor destroyed.
template<class Matrix>
requires(
    std::same_as<typename Matrix::StorageIndex, std::int64_t>&& scalar<typename Matrix::Scalar>)
    result<detail::view_of<Matrix>> view(Eigen::SparseCompressedBase<Matrix> const& matrix,
                                         verify_options const& options = {}) {
    if (!matrix.isCompressed()) return errc::sizes_disagree;
    detail::arrays<Matrix> const all(matrix.derived());
    return detail::view_of<Matrix>::over(
        detail::shape_of(matrix), detail::as_unsigned(all.offsets.data(), all.offsets.size()),
        detail::as_unsigned(all.indices.data(), all.indices.size()), all.values, options);
}
template<class Matrix>
requires(
    std::same_as<typename Matrix::StorageIndex, std::int64_t>&& scalar<typename Matrix::Scalar>)
    result<detail::view_of<Matrix>> view(Eigen::SparseCompressedBase<Matrix> const&&,
                                         verify_options const& = {})
= delete;

/// Writes an Eigen matrix of any index type as tensor `name`, in the layout it has.
/// Copies: none of a compressed one with 64-bit indices; the offsets, with narrower indices; all of
/// it, if it is not compressed or a block of another one.
/// Errors: those of view(), of writer::write() and of writer::stream_csr().
template<class Matrix>
requires(scalar<typename Matrix::Scalar>) result<void> write(
    writer& out, std::string_view name, Eigen::SparseCompressedBase<Matrix> const& matrix,
    tensor_options const& options = {}) {
    if (!matrix.isCompressed() || detail::is_part(matrix.derived())) {
        using owned = eigen::matrix<typename Matrix::Scalar, detail::major_of<Matrix>,
                                    typename Matrix::StorageIndex>;
        return write(out, name, owned(matrix.derived()), options);
    }
    if constexpr (std::same_as<typename Matrix::StorageIndex, std::int64_t>) {
        auto const seen = view(matrix);
        if (!seen) return seen.error();
        return out.write(name, *seen, options);
    } else {
        return detail::write_narrow(out, name, matrix.derived(), options);
    }
}

}  // namespace eigen

}  // namespace v0
}  // namespace hurray
