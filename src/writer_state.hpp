#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hurray/writer.hpp>

#include "composite.hpp"
#include "element_packer.hpp"
#include "file_header.hpp"
#include "index.hpp"
#include "output.hpp"

namespace hurray {

/// The invariants of one matrix, checked as its slices go by. Constant memory.
class invariant_checker {
public:
    invariant_checker() = default;
    invariant_checker(std::uint64_t minor) noexcept : minor_(minor) {}

    /// The bound of every index.
    std::uint64_t minor() const noexcept { return minor_; }

    /// Offsets that are there in full: anchored and never decreasing.
    static result<void> check_offsets(std::span<std::uint64_t const> offsets, std::uint64_t nnz);
    /// The next indices of slice `slice`, of which `position` entries went by before
    ///
    result<void> check(std::span<std::uint64_t const> indices, std::uint64_t slice,
                       std::uint64_t position);

private:
    std::uint64_t minor_ = 0;
    std::uint64_t last_ = 0;
};

/// Where a descriptor and its data were put.
struct placed {
    std::string name;
    byte_range descriptor;
    std::uint64_t data = 0;
};

/// Where the buffers of a matrix begin, and where the last one ends.
struct buffer_places {
    std::uint64_t values, indices, offsets, end;
};
/// Those of `d` when the first one begins at `first`; none if they end past 2^64.
std::optional<buffer_places> places_of(descriptor const& d, std::uint64_t first,
                                       std::uint64_t alignment);

/// A matrix of known offsets, arriving as values, then indices, in one forward pass.
struct streamed_matrix {
    placed where;
    std::uint64_t nnz = 0;
    std::span<std::uint64_t const> offsets;
    element_packer packer;
    invariant_checker checker;
    std::uint64_t indices = 0;  ///< so far
    std::uint64_t slice = 0;    ///< that the next index belongs to
};

/// A matrix arriving slice by slice at three cursors. Without `nnz`, indices and offsets wait in
/// spools and the descriptor is written last.
struct appended_matrix {
    placed where;
    descriptor what;
    std::optional<std::uint64_t> nnz;
    buffer_places at;
    element_packer packer;
    invariant_checker checker;
    output_cursor values;
    output_cursor indices;
    output_cursor offsets;
    std::unique_ptr<spool> index_spool, offset_spool;  ///< none if nnz is known
    std::uint64_t entries = 0;                         ///< so far
    std::uint64_t slices = 0;                          ///< so far
    std::uint64_t in_slice = 0;                        ///< entries of the slice in progress
};

namespace detail {

struct writer_state {
    writer_state(std::unique_ptr<output> out, write_options const& options);

    std::unique_ptr<output> out;
    output_cursor main;
    write_options options;
    format::file_header header;
    std::optional<format::checksum_writer> sums;
    std::vector<format::written_entry> entries;
    std::set<std::string, std::less<>> names;
    format::composite_checker composites;
    std::variant<std::monostate, streamed_matrix, appended_matrix> current;
    std::optional<error> failed;  ///< what every later call gives
    bool closed = false;

    /// Runs a step of the writing. Its error, or an earlier one, is final; so is an exception: for
    /// want of memory, or one of the caller's sink.
    template<class Step> result<void> step(Step run) {
        if (failed) return *failed;
        if (closed) return errc::writer_closed;
        try {
            auto const ok = run();
            if (ok) return {};  // and not `ok`, which a row would be copied for
            abandon(ok.error());
            return ok;
        } catch (std::bad_alloc const&) {
            abandon({.code = std::make_error_code(std::errc::not_enough_memory)});
            throw;
        } catch (...) {
            abandon({.code = std::make_error_code(std::errc::io_error)});
            throw;
        }
    }
    void abandon(error const&) noexcept;

    /// The bytes of the descriptor. One validator for readers and writers: what we would not read,
    /// we do not write.
    static result<std::vector<std::byte>> readable(descriptor const&);

    result<void> begin();
    /// Checks the name, the descriptor, and whether it fits the head that waits for members;
    /// nothing is written. Not `final`: the descriptor will be another one, joined when it is
    /// known.
    result<std::vector<std::byte>> admit(std::string_view name, descriptor const&,
                                         bool final = true);
    /// R-170 ... R-176 of the next tensor.
    result<void> join(descriptor const& d) { return composites.add(d, error::nowhere); }
    /// Writes the descriptor and the padding before the first buffer; a composite head, which has
    /// none, is padded to 8.
    result<placed> place(std::string_view name, std::span<std::byte const> descriptor_bytes,
                         std::size_t buffers, std::uint64_t alignment);
    /// Notes the tensor in the index: its data runs from `where.data` to `end`.
    void finish_tensor(placed const& where, std::uint64_t end);
    /// What is appended from now on is buffer k of the tensor in progress.
    void sum_buffer(output_cursor& at, std::size_t k) {
        if (sums) at.sum_into(&sums->buffer(k));
    }
    result<void> close();

private:
    /// Positions in `entries` in the order of the index.
    std::vector<std::uint32_t> index_order() const;
    /// The key-value section; the checksums' table, if any, is its end.
    result<std::vector<std::byte>> encode_metadata(std::span<std::uint32_t const> order) const;
};

}  // namespace detail

namespace detail {
/// How the rest of the library writes a matrix without its C++ type. Precondition: `state` of a
/// writer that has begun a matrix.
struct writer_access {
    static writer_state& state(writer& out) noexcept { return *out.state_; }
    static result<open_matrix> append(writer& out, std::string_view name, layout layout,
                                      element_type type, extents shape, std::uint64_t nnz) {
        return out.begin_append(name, layout, type, shape, nnz, {});
    }
    static result<void> write(writer& out, std::string_view name, layout layout, extents shape,
                              std::span<std::uint64_t const> offsets,
                              std::span<std::uint64_t const> indices, element_run const& values) {
        return out.write_view(name, layout, shape, offsets, indices, values, {});
    }
};
}  // namespace detail

/// The descriptor of a CSR or CSC matrix. Errors: dynamic_dimension_written, too_many_elements.
result<descriptor> matrix_descriptor(layout, element_type, extents, std::uint64_t nnz,
                                     tensor_options const&, std::uint32_t handle_alignment);

/// Checks options and key-values and writes the header.
result<std::shared_ptr<detail::writer_state>> start_writing(std::unique_ptr<output>,
                                                            write_options const&);

}  // namespace hurray
