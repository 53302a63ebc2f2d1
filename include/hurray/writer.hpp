#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <hurray/callback.hpp>
#include <hurray/compressed_view.hpp>
#include <hurray/descriptor.hpp>
#include <hurray/file_view.hpp>
#include <hurray/options.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Takes the next bytes of a file, all of them, or says why not.
using sink = callback<std::error_code(std::span<std::byte const>)>;

/// What a matrix carries besides its arrays.
struct tensor_options {
    std::optional<hurray::statistics> statistics{};
    std::optional<hurray::shard> shard{};
};

/// The shard section of what begins at `offset` of a matrix of shape `whole`.
inline shard shard_at(extents whole, extents offset) {
    return {{whole.rows, whole.columns}, {offset.rows, offset.columns}};
}

/// A part of a larger matrix: its first row and its first column there, and what it holds.
template<element T, axis Major> struct matrix_part {
    extents offset{};                                   ///< its first row and first column
    compressed_view<T, Major, trust::verified> view{};  ///< what it holds
};

namespace detail {

struct writer_state;
struct writer_access;

/// Element data on its way to disk: `count` elements of `type`, the first one `first` elements
/// into `bytes`. Unpacked: `bytes` holds one element per bits_of(type) / 8 bytes. Handed on by
/// reference: a copy would wait for what was just stored, once for each row.
struct element_run {
    element_type type{};
    std::byte const* bytes = nullptr;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

template<packed_element T> element_run run_of(packed_span<T> values) noexcept {
    return {element_type_of<T>, values.bytes(), values.first(), values.size()};
}
template<element T>
requires(!packed_element<T>) element_run run_of(std::span<T const> values)
noexcept { return {element_type_of<T>, std::as_bytes(values).data(), 0, values.size()}; }

/// A matrix being written; untyped, so it is compiled once. Holds the writer's state.
class open_matrix {
public:
    open_matrix() = default;
    explicit open_matrix(std::shared_ptr<writer_state> state) noexcept : state_(std::move(state)) {}
    open_matrix(open_matrix&& other) noexcept : state_(std::move(other.state_)) {}
    open_matrix& operator=(open_matrix&& other) noexcept;
    ~open_matrix();  ///< without close(), the file is abandoned: it will never be published

    result<void> values(element_run const& run);
    result<void> unpacked_values(element_type, void const* elements, std::uint64_t count);
    result<void> indices(std::span<std::uint64_t const> piece);
    /// Precondition: all of them, from a verified view.
    result<void> proved_indices(std::span<std::uint64_t const> all);
    result<void> slice(std::span<std::uint64_t const> indices, element_run const& run);
    /// The next entries of a slice, and whether they are its last ones.
    result<void> part_of_slice(std::span<std::uint64_t const> indices, element_run const& run,
                               bool last);
    /// The next entries, among which slices end, each at an element of the offsets array.
    result<void> slices(std::span<std::uint64_t const> ends, std::span<std::uint64_t const> indices,
                        element_run const& run);
    result<void> restart();
    result<void> close();

private:
    std::shared_ptr<writer_state> state_;
};

}  // namespace detail

/// The values, then the indices, of one matrix, in as many pieces as convenient.
/// One at a time per writer; must not outlive the writer's close().
template<element T> class matrix_stream {
public:
    /// The next values. Errors: too_many_elements, forbidden_e8m0_value, what the disk says; every
    /// error is final for the writer. Complexity: linear in the piece.
    result<void> values(values_span<T> piece) { return matrix_.values(detail::run_of(piece)); }
    /// The next values of a packed type, one per element of the span.
    result<void> values(std::span<T const> piece) requires packed_element<T> {
        return matrix_.unpacked_values(element_type_of<T>, piece.data(), piece.size());
    }
    /// The next indices, once all values are there; checked as they come.
    /// Errors: index_exceeds_shape or indices_not_increasing, with slice and position.
    result<void> indices(std::span<std::uint64_t const> piece) { return matrix_.indices(piece); }
    /// Ends the matrix. Errors: matrix_incomplete, what the disk says.
    result<void> close() { return matrix_.close(); }

private:
    friend class writer;
    explicit matrix_stream(detail::open_matrix matrix) noexcept : matrix_(std::move(matrix)) {}
    detail::open_matrix matrix_;
};

/// A matrix that arrives row by row (CSR) or column by column (CSC).
/// One at a time per writer; must not outlive the writer's close().
template<element T> class matrix_appender {
public:
    /// The next row (column). Errors: sizes_disagree, too_many_elements, and the invariant that
    /// the row breaks, with slice and position. Every error is final for the writer.
    result<void> append(std::span<std::uint64_t const> indices, values_span<T> values) {
        return matrix_.slice(indices, detail::run_of(values));
    }
    /// The next rows together. `ends`: the entries of the matrix up to the end of each, as in its
    /// offsets array. Entries after the last end begin a row that goes on with the next call.
    /// Errors: those above, offsets_decrease.
    result<void> append_rows(std::span<std::uint64_t const> ends,
                             std::span<std::uint64_t const> indices, values_span<T> values) {
        return matrix_.slices(ends, indices, detail::run_of(values));
    }
    /// Forgets all rows: the matrix begins again. Errors: needs_a_path if the number of entries was
    /// not given.
    result<void> restart() { return matrix_.restart(); }
    /// Ends the matrix. Errors: matrix_incomplete when promised rows or entries are missing.
    result<void> close() { return matrix_.close(); }

private:
    friend class writer;
    explicit matrix_appender(detail::open_matrix matrix) noexcept : matrix_(std::move(matrix)) {}
    detail::open_matrix matrix_;
};

/// Writes a Hurray file. Nothing is visible under the target's name until close() succeeds;
/// destroyed without it, or after any error, the file leaves no trace. An error is final: every
/// later call gives it again. Memory is bounded by the index, never by a matrix.
class writer {
public:
    /// A writer to `path` (a std::filesystem::path converts), through a temporary file beside it. A
    /// symbolic link is followed.
    /// Errors: bad_option, a rule that the key-values break, the system's.
    static result<writer> create(std::string const& path, write_options const& = {});

    /// A writer that gives its bytes to `to` in one forward pass.
    static result<writer> onto(sink to, write_options const& = {});

    writer(writer&&) noexcept;
    writer& operator=(writer&&) noexcept;
    ~writer();

    /// Writes a matrix that is already in memory: what a reader gives, a writer takes.
    /// Errors: those of the name (R-035 ... R-037), bad_statistics and the like, what the disk
    /// says. Complexity: linear in its bytes.
    template<element T, axis Major>
    result<void> write(std::string_view name,
                       compressed_view<T, Major, trust::verified> const& view,
                       tensor_options const& options = {}) {
        return write_view(name, layout_of(Major), view.shape(), view.offsets(), view.indices(),
                          detail::run_of(view.values()), options);
    }

    /// Writes a matrix that is stored in pieces as one, of the layout of its members. Memory: a few
    /// pieces. For <hurray/partition.hpp>.
    /// Errors: needs_a_path, those of walking it, and those above.
    template<element T> result<void> write(std::string_view name, partition_view<T> const& from,
                                           tensor_options const& options = {});

    /// Copies a tensor of any layout, descriptor and buffers, from an open file.
    /// Errors: those of describe(), not_in_host_memory, what the disk says.
    result<void> copy(file_view const& from, std::string_view name, std::string_view new_name = {});

    /// Begins a matrix whose values and indices arrive in pieces. The offsets come first, although
    /// they are written last: they say how much will follow. Borrows them until the matrix closes.
    /// Errors: sizes_disagree, offsets_not_anchored, offsets_decrease, those of write().
    template<element T> result<matrix_stream<T>> stream_csr(std::string_view name, extents shape,
                                                            std::span<std::uint64_t const> offsets,
                                                            tensor_options const& options = {}) {
        return stream<T>(name, layout::csr, shape, offsets, options);
    }
    template<element T> result<matrix_stream<T>> stream_csc(std::string_view name, extents shape,
                                                            std::span<std::uint64_t const> offsets,
                                                            tensor_options const& options = {}) {
        return stream<T>(name, layout::csc, shape, offsets, options);
    }

    /// Begins a matrix that arrives by rows, its extents and number of entries known.
    /// Errors: needs_a_path for a sink, which cannot be written in three places.
    template<element T> result<matrix_appender<T>> append_csr(std::string_view name, extents shape,
                                                              std::uint64_t nnz,
                                                              tensor_options const& options = {}) {
        return append<T>(name, layout::csr, shape, nnz, options);
    }
    template<element T> result<matrix_appender<T>> append_csc(std::string_view name, extents shape,
                                                              std::uint64_t nnz,
                                                              tensor_options const& options = {}) {
        return append<T>(name, layout::csc, shape, nnz, options);
    }

    /// Begins a matrix that arrives by rows (columns) when neither their number nor that of the
    /// entries is known: what must wait is spooled to disk beside the target.
    template<element T> result<matrix_appender<T>>
    append_csr(std::string_view name, std::uint64_t columns, tensor_options const& options = {}) {
        return append<T>(name, layout::csr, {.rows = 0, .columns = columns}, std::nullopt, options);
    }
    template<element T> result<matrix_appender<T>>
    append_csc(std::string_view name, std::uint64_t rows, tensor_options const& options = {}) {
        return append<T>(name, layout::csc, {.rows = rows, .columns = 0}, std::nullopt, options);
    }

    /// Begins a composite partition of a matrix of `shape`: the next `members` tensors, written in
    /// any of these ways, are its members. Each says where it lies (shard_at()), and together they
    /// cover the whole exactly. A member may be a partition itself: it says where it lies, too, and
    /// takes its own members first.
    /// Errors: those of the name, composite_too_deep. Of what follows: composite_members_disagree
    /// for a member that does not fit and for the last one if the cover is not exact;
    /// torn_composite from close() if members are missing.
    template<element T> result<void> begin_partition(std::string_view name, extents shape,
                                                     std::uint32_t members,
                                                     tensor_options const& options = {}) {
        return begin_members(name, element_type_of<T>, shape, members, options);
    }

    /// Writes a composite partition and its members, which are called NAME.0, NAME.1 and so on.
    /// The whole is as large as the parts reach, which must cover it exactly.
    /// Errors: those of begin_partition() and of write().
    template<element T, axis Major> result<void>
    write_partition(std::string_view name, std::span<matrix_part<T, Major> const> parts) {
        std::vector<extents> offsets, shapes;
        for (auto const& part : parts) {
            offsets.push_back(part.offset);
            shapes.push_back(part.view.shape());
        }
        auto const whole = extents_of_whole(offsets, shapes);
        if (!whole) return whole.error();
        auto const members = static_cast<std::uint32_t>(parts.size());
        if (auto ok = begin_partition<T>(name, *whole, members); !ok) return ok;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            tensor_options const options{.shard = shard_at(*whole, parts[i].offset)};
            auto const member = std::string(name) + '.' + std::to_string(i);
            if (auto ok = write(member, parts[i].view, options); !ok) return ok;
        }
        return {};
    }

    /// Writes index and trailer, makes them as durable as the options ask, and publishes.
    /// Errors: matrix_in_progress, torn_composite, writer_closed, what the disk says; then nothing
    /// is published, unless it is the name that the disk could not make durable (durability::full):
    /// the complete file has it by then.
    result<void> close();

private:
    friend struct detail::writer_access;
    explicit writer(std::shared_ptr<detail::writer_state>) noexcept;

    static constexpr layout layout_of(axis major) noexcept {
        return major == axis::rows ? layout::csr : layout::csc;
    }
    template<element T> result<matrix_stream<T>> stream(std::string_view name, layout layout,
                                                        extents shape,
                                                        std::span<std::uint64_t const> offsets,
                                                        tensor_options const& options) {
        auto matrix = begin_stream(name, layout, element_type_of<T>, shape, offsets, options);
        if (!matrix) return matrix.error();
        return matrix_stream<T>(*std::move(matrix));
    }
    template<element T> result<matrix_appender<T>> append(std::string_view name, layout layout,
                                                          extents shape,
                                                          std::optional<std::uint64_t> nnz,
                                                          tensor_options const& options) {
        auto matrix = begin_append(name, layout, element_type_of<T>, shape, nnz, options);
        if (!matrix) return matrix.error();
        return matrix_appender<T>(*std::move(matrix));
    }

    result<void> begin_members(std::string_view name, element_type, extents, std::uint32_t members,
                               tensor_options const&);
    result<extents> extents_of_whole(std::span<extents const> offsets,
                                     std::span<extents const> shapes);
    result<void> write_view(std::string_view name, layout, extents,
                            std::span<std::uint64_t const> offsets,
                            std::span<std::uint64_t const> indices,
                            detail::element_run const& values, tensor_options const&);
    result<detail::open_matrix> begin_stream(std::string_view name, layout, element_type, extents,
                                             std::span<std::uint64_t const> offsets,
                                             tensor_options const&);
    result<detail::open_matrix> begin_append(std::string_view name, layout, element_type, extents,
                                             std::optional<std::uint64_t> nnz,
                                             tensor_options const&);

    std::shared_ptr<detail::writer_state> state_;
};

}  // namespace v0
}  // namespace hurray
