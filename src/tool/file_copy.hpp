#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hurray/file.hpp>
#include <hurray/writer.hpp>

#include "failure.hpp"
#include "progress.hpp"

// What the commands that write a changed copy of a file have in common.

namespace hurray::tool {

/// Elements to give the writer at once: Ctrl-C is heard in between.
inline constexpr std::uint64_t piece_length = std::uint64_t{1} << 20;

/// The key-values of a file but for its checksums, which are of that file only.
metadata own_metadata(file const& from);

/// The options with which a copy of the file is written that differs in nothing but its tensors.
/// The table of checksums is left out of the key-values: the copy gets its own.
write_options options_like(file const& from);

/// What the tensor carries besides its arrays.
tensor_options carried_by(descriptor const& what);

/// The alignment that --alignment names. Throws stop.
std::uint32_t alignment_named(std::uint64_t bytes);
/// What --memory names; half of the machine's memory if it names nothing.
std::uint64_t memory_or_half(std::uint64_t asked) noexcept;

/// Calls use(first, count) for pieces of [0, all) in turn, until one fails.
template<class Use> result<void> for_each_part(std::uint64_t all, progress& shown,
                                               std::uint64_t done, std::uint64_t total,
                                               Use const& use) {
    for (std::uint64_t first = 0; first < all; first += piece_length) {
        stop_if_interrupted();
        shown.update(done + first, total);
        if (auto ok = use(first, std::min(piece_length, all - first)); !ok) return ok;
    }
    return {};
}

template<element T> result<matrix_stream<T>> begin_stream(writer& out, std::string_view name,
                                                          axis major, extents shape,
                                                          std::span<std::uint64_t const> offsets,
                                                          tensor_options const& options) {
    return major == axis::rows ? out.stream_csr<T>(name, shape, offsets, options)
                               : out.stream_csc<T>(name, shape, offsets, options);
}

template<element T> result<matrix_appender<T>>
begin_rows(writer& out, std::string_view name, axis major, extents shape, std::uint64_t nnz) {
    return major == axis::rows ? out.append_csr<T>(name, shape, nnz)
                               : out.append_csc<T>(name, shape, nnz);
}

/// The indices, after the values, and the end of the matrix.
template<element T> result<void>
finish_stream(matrix_stream<T>& stream, std::span<std::uint64_t const> indices, progress& shown) {
    auto const nnz = indices.size();
    auto const done = for_each_part(nnz, shown, nnz, 2 * nnz, [&](auto first, auto count) {
        return stream.indices(indices.subspan(first, count));
    });
    return done ? stream.close() : done;
}

/// The shape of a matrix whose slices lie along `major`.
inline extents shape_along(axis major, std::uint64_t slices, std::uint64_t bound) noexcept {
    return major == axis::rows ? extents{slices, bound} : extents{bound, slices};
}

/// Writes the matrix of which `view` has the slices along `major`, in pieces, so that Ctrl-C is
/// heard and progress shown.
template<element T> result<void> write_in_pieces(writer& out, std::string_view name,
                                                 csr_view<T> const& view, axis major,
                                                 tensor_options const& options, progress& shown) {
    auto const shape = shape_along(major, view.major(), view.minor());
    auto stream = begin_stream<T>(out, name, major, shape, view.offsets(), options);
    if (!stream) return stream.error();
    auto const nnz = view.nnz();
    auto const ok = for_each_part(nnz, shown, 0, 2 * nnz, [&](auto first, auto count) {
        return stream->values(view.values().subspan(first, count));
    });
    return ok ? finish_stream(*stream, view.indices(), shown) : ok;
}

}  // namespace hurray::tool
