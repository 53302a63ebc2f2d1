#pragma once

// For those who have SuiteSparse:GraphBLAS (7.0 or newer). Nothing else of hurray includes or needs
// it.

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#if __has_include(<GraphBLAS.h>)
#include <GraphBLAS.h>
#else
#include <suitesparse/GraphBLAS.h>
#endif

#include <hurray/compressed_view.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Matrices of files in GraphBLAS, and its matrices seen as views.
///
/// GraphBLAS owns what it computes with and frees it itself, so that no matrix of a file can be
/// seen there in place: copy() makes one copy. The other way, lend() makes none. Precondition of
/// everything here: GraphBLAS was started with GrB_init(), so that its memory is that of malloc.
namespace graphblas {

/// The element types that are of the same bytes in GraphBLAS and in files. A bool is a byte there
/// and a bit here: bool matrices travel by their structure, as `pattern`.
template<class T>
concept scalar = element<T> &&(std::same_as<T, float> || std::same_as<T, double> ||
                               (std::integral<T> && !std::same_as<T, bool>));

template<class T>
concept viewable_scalar = scalar<T> || std::same_as<T, pattern>;

namespace detail {

struct free_matrix {
    void operator()(GrB_Matrix held) const noexcept { GrB_Matrix_free(&held); }
};

/// GraphBLAS's type of T, known at run time only.
template<scalar T> GrB_Type type_of() noexcept {
    if constexpr (std::same_as<T, float>) return GrB_FP32;
    if constexpr (std::same_as<T, double>) return GrB_FP64;
    if constexpr (std::same_as<T, std::int8_t>) return GrB_INT8;
    if constexpr (std::same_as<T, std::int16_t>) return GrB_INT16;
    if constexpr (std::same_as<T, std::int32_t>) return GrB_INT32;
    if constexpr (std::same_as<T, std::int64_t>) return GrB_INT64;
    if constexpr (std::same_as<T, std::uint8_t>) return GrB_UINT8;
    if constexpr (std::same_as<T, std::uint16_t>) return GrB_UINT16;
    if constexpr (std::same_as<T, std::uint32_t>) return GrB_UINT32;
    if constexpr (std::same_as<T, std::uint64_t>) return GrB_UINT64;
}

/// What GraphBLAS says, in this library's words.
inline errc as_errc(GrB_Info info) noexcept {
    switch (info) {
    case GrB_OUT_OF_MEMORY:
        return errc::too_large_for_memory;
    case GrB_DOMAIN_MISMATCH:
        return errc::element_type_mismatch;
    case GrB_INVALID_VALUE:
        return errc::value_does_not_fit;
    default:
        return errc::bad_option;
    }
}

/// What GraphBLAS takes and hands out: arrays from malloc.
struct lent_arrays {
    GrB_Index* offsets = nullptr;
    GrB_Index* indices = nullptr;
    void* values = nullptr;
    GrB_Index offsets_size = 0;
    GrB_Index indices_size = 0;
    GrB_Index values_size = 0;
    bool iso = false;  ///< one value stands for all
};

/// Moves the arrays into a matrix.
template<axis Major> GrB_Info pack(GrB_Matrix into, lent_arrays& a) noexcept {
    auto const put = Major == axis::rows ? GxB_Matrix_pack_CSR : GxB_Matrix_pack_CSC;
    return put(into, &a.offsets, &a.indices, &a.values, a.offsets_size, a.indices_size,
               a.values_size, a.iso, false, nullptr);
}

/// Takes the arrays out of a matrix and puts them back when it goes.
template<axis Major> class loan {
public:
    /// Precondition: the values of a matrix of one value everywhere are wanted written out, unless
    /// `structure_only`.
    loan(GrB_Matrix from, bool structure_only) noexcept : from_(from) {
        auto const take = Major == axis::rows ? GxB_Matrix_unpack_CSR : GxB_Matrix_unpack_CSC;
        info_ =
            take(from_, &a_.offsets, &a_.indices, &a_.values, &a_.offsets_size, &a_.indices_size,
                 &a_.values_size, structure_only ? &a_.iso : nullptr, nullptr, nullptr);
    }
    loan(loan const&) = delete;
    loan& operator=(loan const&) = delete;
    ~loan() { give_back(); }

    GrB_Info info() const noexcept { return info_; }
    lent_arrays const& arrays() const noexcept { return a_; }

    GrB_Info give_back() noexcept {
        if (info_ != GrB_SUCCESS) return info_;
        info_ = GrB_NO_VALUE;  // nothing is lent any more
        return pack<Major>(from_, a_);
    }

private:
    GrB_Matrix from_;
    GrB_Info info_ = GrB_NO_VALUE;
    lent_arrays a_;
};

template<viewable_scalar T, axis Major>
result<compressed_view<T, Major, trust::verified>> view_of(lent_arrays const& a, extents shape) {
    using view = compressed_view<T, Major, trust::verified>;
    auto const major = Major == axis::rows ? shape.rows : shape.columns;
    std::span const offsets(static_cast<std::uint64_t const*>(a.offsets), major + 1);
    auto const nnz = offsets.back();
    std::span const indices(static_cast<std::uint64_t const*>(a.indices), nnz);
    if constexpr (element<T>)
        return view::over(shape, offsets, indices, {static_cast<T const*>(a.values), nnz});
    else
        return view::over(shape, offsets, indices);
}

/// Memory that GraphBLAS may free.
struct free_memory {
    void operator()(void* held) const noexcept { std::free(held); }
};
using malloced = std::unique_ptr<void, free_memory>;

inline malloced copy_of(void const* from, std::uint64_t bytes) noexcept {
    malloced made(std::malloc(bytes == 0 ? 1 : bytes));
    if (made && bytes != 0) std::memcpy(made.get(), from, bytes);
    return made;
}

/// What lend() gives for what f gives.
template<class Given> struct lent_result { using type = result<Given>; };
template<class R> struct lent_result<result<R>> { using type = result<R>; };

}  // namespace detail

/// Owns a GrB_Matrix; get() is the handle.
using matrix = std::unique_ptr<std::remove_pointer_t<GrB_Matrix>, detail::free_matrix>;

/// A GraphBLAS matrix with the entries of the view, held in the same layout (by rows or by
/// columns). One copy: GraphBLAS owns its arrays, so they are allocated and filled, and then handed
/// over. A pattern becomes a GrB_BOOL matrix with one `true` for all entries: offsets and indices
/// are all that is copied. Errors: value_does_not_fit, when a dimension is above 2^60;
/// too_large_for_memory. Complexity: linear in slices and nnz.
template<viewable_scalar T, axis Major>
result<matrix> copy(compressed_view<T, Major, trust::verified> const& view) {
    constexpr bool structure_only = std::same_as<T, pattern>;
    auto const type = [] {
        if constexpr (structure_only)
            return GrB_BOOL;
        else
            return detail::type_of<T>();
    };
    GrB_Matrix made = nullptr;
    if (auto const info = GrB_Matrix_new(&made, type(), view.shape().rows, view.shape().columns);
        info != GrB_SUCCESS)
        return detail::as_errc(info);
    matrix owner(made);

    detail::lent_arrays a;
    a.iso = structure_only;
    a.offsets_size = view.offsets().size_bytes();
    a.indices_size = view.indices().size_bytes();
    auto offsets = detail::copy_of(view.offsets().data(), a.offsets_size);
    auto indices = detail::copy_of(view.indices().data(), a.indices_size);
    detail::malloced values;
    if constexpr (structure_only) {
        bool const present = true;
        a.values_size = sizeof present;
        values = detail::copy_of(&present, sizeof present);
    } else {
        a.values_size = view.values().size_bytes();
        values = detail::copy_of(view.values().data(), a.values_size);
    }
    if (!offsets || !indices || !values) return errc::too_large_for_memory;

    a.offsets = static_cast<GrB_Index*>(offsets.get());
    a.indices = static_cast<GrB_Index*>(indices.get());
    a.values = values.get();
    if (auto const info = detail::pack<Major>(made, a); info != GrB_SUCCESS)
        return detail::as_errc(info);
    // What was taken is GraphBLAS's now.
    if (a.offsets == nullptr) static_cast<void>(offsets.release());
    if (a.indices == nullptr) static_cast<void>(indices.release());
    if (a.values == nullptr) static_cast<void>(values.release());
    return owner;
}

/// Calls f with a matrix of GraphBLAS seen as a verified view, and gives what f gives: a result<R>
/// of it, or that result, if it is one. No copy, unless the matrix is held along its other
/// dimension, as a bitmap, full, hypersparse, or with one value for all: then GraphBLAS converts it
/// first. Meanwhile the matrix is empty: its arrays are out, and back before this returns or
/// throws. T is the type of the matrix, or `pattern` for the structure of any. Errors:
/// element_type_mismatch; what its arrays break; too_large_for_memory. Complexity: linear in slices
/// and nnz, for the check. Lifetime of the view: the call of f.
template<viewable_scalar T, axis Major = axis::rows, class F> auto lend(GrB_Matrix from, F&& f) {
    using given = std::invoke_result_t<F&, compressed_view<T, Major, trust::verified>>;
    using returned = typename detail::lent_result<given>::type;

    extents shape;
    GrB_Type type = nullptr;
    for (auto const info :
         {GrB_Matrix_nrows(&shape.rows, from), GrB_Matrix_ncols(&shape.columns, from),
          GxB_Matrix_type(&type, from), GrB_Matrix_wait(from, GrB_MATERIALIZE)})
        if (info != GrB_SUCCESS) return returned(detail::as_errc(info));
    if constexpr (element<T>)
        if (type != detail::type_of<T>()) return returned(errc::element_type_mismatch);

    detail::loan<Major> loan(from, std::same_as<T, pattern>);
    if (loan.info() != GrB_SUCCESS) return returned(detail::as_errc(loan.info()));
    auto const view = detail::view_of<T, Major>(loan.arrays(), shape);
    if (!view) return returned(view.error());
    auto const call = [&]() -> returned {
        if constexpr (std::is_void_v<given>)
            return f(*view), returned{};
        else
            return f(*view);
    };
    auto made = call();
    if (auto const info = loan.give_back(); info != GrB_SUCCESS)
        return returned(detail::as_errc(info));
    return made;
}

}  // namespace graphblas

}  // namespace v0
}  // namespace hurray
