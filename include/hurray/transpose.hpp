#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <hurray/callback.hpp>
#include <hurray/matrix.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

class writer;

struct transpose_options {
    /// Threads to use; 0 and 1 mean the calling thread alone.
    unsigned threads = 1;
    /// Bytes of working memory besides the result. Less than it takes to work at the speed of
    /// memory never fails: it is only slower. Packed elements take two bytes per entry more.
    std::uint64_t memory = ~std::uint64_t{0};
    /// Called now and then, from the calling thread, with passes over the entries done and passes
    /// in all, both in entries; never where all is done in memory. False cancels: errc::cancelled.
    callback<bool(std::uint64_t done, std::uint64_t total)> on_progress{};
};

namespace detail {
/// The arrays of the matrix that `from` and `values` are, compressed along its other dimension.
result<owned_arrays> transpose_arrays(structure const& from, value_run values,
                                      transpose_options const&);
/// The same into a file; `major` is the layout of `from`.
result<void> transpose_to_file(structure const& from, value_run values, axis major, writer& out,
                               std::string_view name, transpose_options const&);
}  // namespace detail

/// The same matrix in the other layout: CSR to CSC, or CSC to CSR. Shape and entries stay.
/// The transpose of a matrix is `view.transposed()`, which is free, in the other layout;
/// `transpose(view)->view().transposed()` is the transpose in the layout of `view`.
/// Errors: too_large_for_memory; file_changed, when the arrays lie in a file that somebody
/// changes meanwhile and the numbers of entries show it. Nothing else of a change is looked for:
/// it can leave an index twice in a row.
/// Complexity: linear in rows, columns and nnz.
template<viewable T, axis Major> result<compressed_matrix<T, detail::other_axis(Major)>>
transpose(compressed_view<T, Major, trust::verified> const& view,
          transpose_options const& options = {}) {
    using other = compressed_matrix<T, detail::other_axis(Major)>;
    auto values = detail::value_run{};
    if constexpr (element<T>) values = detail::run_of_values<T>(view.values());
    return detail::transpose_arrays(detail::view_maker::structure_of(view), values, options)
        .transform([](detail::owned_arrays&& arrays) {
            return detail::matrix_maker::proved<other>(std::move(arrays));
        });
}

/// As above, for a matrix that is owned.
template<viewable T, axis Major> result<compressed_matrix<T, detail::other_axis(Major)>>
transpose(compressed_matrix<T, Major> const& matrix, transpose_options const& options = {}) {
    return transpose(matrix.view(), options);
}

/// Writes the same matrix in the other layout, as tensor `name`, without having it in memory:
/// of `options.memory`, which here bounds all that is allocated but some 100 bytes for each part
/// that the result is cut into, 64 KiB do. What does not fit waits on disk beside the target, 8
/// bytes and the value (at least a byte) of each entry. Errors: cancelled; those of transpose() and
/// of writer::append_csr(); those of writing, which are final for the writer; needs_a_path for a
/// sink, if the memory is too small for the result. Complexity: linear in rows, columns and nnz;
/// with little memory, in nnz times the matrix's bytes divided by it.
template<element T, axis Major>
result<void> transpose(compressed_view<T, Major, trust::verified> const& view, writer& out,
                       std::string_view name, transpose_options const& options = {}) {
    return detail::transpose_to_file(detail::view_maker::structure_of(view),
                                     detail::run_of_values<T>(view.values()), Major, out, name,
                                     options);
}

}  // namespace v0
}  // namespace hurray
