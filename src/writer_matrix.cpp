#include <hurray/writer.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "align.hpp"
#include "writer_state.hpp"

namespace hurray {
namespace {

error fail(errc code, std::uint64_t slice, std::uint64_t position = error::nowhere) {
    return {.code = code, .slice = slice, .position = position};
}

std::span<std::byte const> bytes_of(std::span<std::uint64_t const> words) noexcept {
    return std::as_bytes(words);
}

}  // namespace

std::optional<buffer_places> places_of(descriptor const& d, std::uint64_t first,
                                       std::uint64_t alignment) {
    auto const after = [&](std::optional<std::uint64_t> start, std::size_t buffer) {
        return start ? wire::checked_add(*start, d.buffers[buffer].byte_size) : std::nullopt;
    };
    auto const next = [&](std::optional<std::uint64_t> start, std::size_t buffer) {
        auto const end = after(start, buffer);
        return end ? wire::align_up(*end, alignment) : std::nullopt;
    };
    auto const indices = next(first, 0);
    auto const offsets = next(indices, 1);
    auto const end = after(offsets, 2);
    if (!end) return std::nullopt;
    return buffer_places{first, *indices, *offsets, *end};
}

result<void> invariant_checker::check_offsets(std::span<std::uint64_t const> offsets,
                                              std::uint64_t nnz) {
    if (offsets.front() != 0) return fail(errc::offsets_not_anchored, 0);
    if (offsets.back() != nnz)
        return fail(errc::offsets_not_anchored, std::max<std::uint64_t>(offsets.size(), 2) - 2);
    auto const drop = std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>());
    if (drop != offsets.end())
        return fail(errc::offsets_decrease, static_cast<std::uint64_t>(drop - offsets.begin()));
    return {};
}

result<void> invariant_checker::check(std::span<std::uint64_t const> indices, std::uint64_t slice,
                                      std::uint64_t position) {
    if (indices.empty()) return {};
    bool good = indices[0] < minor_ && (position == 0 || indices[0] > last_);
    for (std::size_t k = 1; k < indices.size(); ++k) good &= indices[k] > indices[k - 1];
    good &= indices.back() < minor_;
    auto last = std::exchange(last_, indices.back());
    if (good) return {};
    for (auto const index : indices) {
        if (index >= minor_) return fail(errc::index_exceeds_shape, slice, position);
        if (position != 0 && index <= last)
            return fail(errc::indices_not_increasing, slice, position);
        last = index;
        ++position;
    }
    return {};
}

namespace {

// ---- values, then indices, then the offsets that were there from the start

result<void> add_values(detail::writer_state& s, streamed_matrix& m, std::uint64_t count,
                        auto append) {
    if (count == 0) return {};
    if (count > m.nnz - m.packer.count()) return errc::too_many_elements;
    if (auto ok = append(); !ok) return ok;
    if (m.packer.count() < m.nnz) return {};
    if (auto ok = m.packer.finish(s.main); !ok) return ok;
    s.sum_buffer(s.main, 1);
    return s.main.pad_to(s.options.data_alignment);
}

/// Checks a piece of the index stream against the slices it runs through. The offsets are
/// borrowed: each is fetched once, and what they say is never trusted beyond their own array.
result<void> check_piece(streamed_matrix& m, std::span<std::uint64_t const> piece) {
    auto at = m.indices;
    while (!piece.empty()) {
        auto end = detail::load_once(m.offsets[m.slice + 1]);
        while (end <= at) {  // over empty slices
            if (m.slice + 2 >= m.offsets.size()) return errc::too_many_elements;
            end = detail::load_once(m.offsets[++m.slice + 1]);
        }
        auto const begin = std::min(detail::load_once(m.offsets[m.slice]), at);
        auto const part = piece.first(std::min<std::uint64_t>(end - at, piece.size()));
        if (auto ok = m.checker.check(part, m.slice, at - begin); !ok) return ok;
        at += part.size();
        piece = piece.subspan(part.size());
    }
    return {};
}

result<void> add_indices(detail::writer_state& s, streamed_matrix& m,
                         std::span<std::uint64_t const> piece, bool proved) {
    if (piece.empty()) return {};
    if (m.packer.count() < m.nnz || piece.size() > m.nnz - m.indices)
        return errc::too_many_elements;
    if (!proved)
        if (auto ok = check_piece(m, piece); !ok) return ok;
    m.indices += piece.size();
    return s.main.append(bytes_of(piece));
}

result<void> finish(detail::writer_state& s, streamed_matrix& m) {
    if (m.packer.count() < m.nnz || m.indices < m.nnz) return errc::matrix_incomplete;
    if (auto ok = s.main.pad_to(s.options.data_alignment); !ok) return ok;
    s.sum_buffer(s.main, 2);
    if (auto ok = s.main.append(bytes_of(m.offsets)); !ok) return ok;
    s.finish_tensor(m.where, s.main.position());
    return {};
}

// ---- slice by slice, in three places

/// The next entries of the slice in progress; `last`: it ends with them.
result<void> add_slice(appended_matrix& m, std::span<std::uint64_t const> indices,
                       detail::element_run const& run, bool csr, bool last) {
    if (indices.size() != run.count) return errc::sizes_disagree;
    auto const total = wire::checked_add(m.entries, indices.size());
    if (!total || (m.nnz && *total > *m.nnz)) return errc::too_many_elements;
    if (m.nnz && m.slices == m.what.shape[csr ? 0 : 1]) return errc::too_many_elements;
    if (auto ok = m.checker.check(indices, m.slices, m.in_slice); !ok) return ok;
    if (auto ok = m.packer.append(m.values, run); !ok) return ok;
    if (auto ok = m.indices.append(bytes_of(indices)); !ok) return ok;
    m.entries = *total;
    m.in_slice = last ? 0 : m.in_slice + indices.size();
    if (!last) return {};
    ++m.slices;
    return m.offsets.append(bytes_of({&m.entries, 1}));
}

/// Whether slices of which none has begun keep every invariant. False means no more than: look
/// closer.
bool whole_slices_hold(appended_matrix const& m, std::span<std::uint64_t const> ends,
                       std::span<std::uint64_t const> indices) {
    constexpr std::size_t most = 2048;
    std::array<std::uint64_t, most + 1> offsets;  // not cleared: a call may bring one slice
    offsets[0] = 0;
    for (auto begin = m.entries; !ends.empty();) {
        auto const some = ends.first(std::min(most, ends.size()));
        for (std::size_t k = 0; k < some.size(); ++k) offsets[k + 1] = some[k] - begin;
        auto const count = offsets[some.size()];
        if (count > indices.size()) return false;
        detail::structure const part{.major = some.size(),
                                     .minor = m.checker.minor(),
                                     .nnz = count,
                                     .offsets = offsets.data(),
                                     .indices = indices.data()};
        if (!detail::check_slices(part, 0, part.major, {})) return false;
        begin = some.back();
        indices = indices.subspan(count);
        ends = ends.subspan(some.size());
    }
    return true;
}

/// The indices up to the end of each slice that ends among them, and those after.
result<void> check_slices(appended_matrix& m, std::span<std::uint64_t const> ends,
                          std::span<std::uint64_t const> indices, std::uint64_t slices) {
    if (m.in_slice == 0 && !ends.empty() && whole_slices_hold(m, ends, indices)) {
        indices = indices.subspan(ends.back() - m.entries);
        m.slices += ends.size();
        m.entries = ends.back();
        ends = {};
    }
    for (auto const end : ends) {
        if (end < m.entries) return fail(errc::offsets_decrease, m.slices);
        auto const count = end - m.entries;
        if (count > indices.size()) return errc::sizes_disagree;
        if (auto ok = m.checker.check(indices.first(count), m.slices, m.in_slice); !ok) return ok;
        indices = indices.subspan(count);
        m.entries = end;
        m.in_slice = 0;
        ++m.slices;
    }
    if (!indices.empty() && m.slices == slices) return errc::too_many_elements;
    if (auto ok = m.checker.check(indices, m.slices, m.in_slice); !ok) return ok;
    m.entries += indices.size();
    m.in_slice += indices.size();
    return {};
}

/// Slices, and perhaps the beginning of one more.
result<void> add_slices(appended_matrix& m, std::span<std::uint64_t const> ends,
                        std::span<std::uint64_t const> indices, detail::element_run const& run,
                        bool csr) {
    if (indices.size() != run.count) return errc::sizes_disagree;
    auto const total = wire::checked_add(m.entries, indices.size());
    if (!total || (m.nnz && *total > *m.nnz)) return errc::too_many_elements;
    auto const slices = m.nnz ? m.what.shape[csr ? 0 : 1] : ~std::uint64_t{0};
    if (ends.size() > slices - m.slices) return errc::too_many_elements;
    if (auto ok = check_slices(m, ends, indices, slices); !ok) return ok;
    if (auto ok = m.packer.append(m.values, run); !ok) return ok;
    if (auto ok = m.indices.append(bytes_of(indices)); !ok) return ok;
    return m.offsets.append(bytes_of(ends));
}

/// Copies a spool to the cursor, a piece at a time.
result<void> unspool(output_cursor& to, spool const& from, std::uint64_t size) {
    std::vector<std::byte> piece(std::min<std::uint64_t>(size, output_cursor::piece));
    for (std::uint64_t at = 0; at < size;) {
        auto const part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), size - at));
        if (auto ok = from.read(at, part); !ok) return ok;
        if (auto ok = to.append(part); !ok) return ok;
        at += part.size();
    }
    return {};
}

result<void> finish_known(detail::writer_state& s, appended_matrix& m, bool csr) {
    if (m.entries != *m.nnz || m.slices != m.what.shape[csr ? 0 : 1])
        return errc::matrix_incomplete;
    for (auto* const cursor : {&m.values, &m.indices, &m.offsets})
        if (auto ok = cursor->flush(); !ok) return ok;
    s.main.move_to(m.offsets.position());
    return {};
}

/// Now everything is known: what waited follows the values, and the descriptor goes to its place.
result<void> finish_spooled(detail::writer_state& s, appended_matrix& m, bool csr) {
    if (m.in_slice != 0) return errc::matrix_incomplete;
    if (auto ok = m.indices.flush(); !ok) return ok;
    if (auto ok = m.offsets.flush(); !ok) return ok;
    auto shape = extents{m.what.shape[0], m.what.shape[1]};
    (csr ? shape.rows : shape.columns) = m.slices;
    auto const d = matrix_descriptor(m.what.layout, m.what.element_type, shape, m.entries,
                                     {m.what.statistics, m.what.shard}, s.options.handle_alignment);
    if (!d) return d.error();
    auto const bytes = detail::writer_state::readable(*d);
    if (!bytes) return bytes.error();
    if (auto ok = s.join(*d); !ok) return ok;
    if (s.sums) s.sums->set_descriptor(*bytes);
    m.values.sum_into(nullptr);  // what waited was summed when it came
    auto const alignment = s.options.data_alignment;
    if (auto ok = m.values.pad_to(alignment); !ok) return ok;
    if (auto ok = unspool(m.values, *m.index_spool, m.indices.position()); !ok) return ok;
    if (auto ok = m.values.pad_to(alignment); !ok) return ok;
    if (auto ok = unspool(m.values, *m.offset_spool, m.offsets.position()); !ok) return ok;
    if (auto ok = m.values.flush(); !ok) return ok;
    s.main.move_to(m.values.position());
    return s.out->write(m.where.descriptor.offset, *bytes);
}

result<void> finish(detail::writer_state& s, appended_matrix& m) {
    bool const csr = m.what.layout == layout::csr;
    if (auto ok = m.packer.finish(m.values); !ok) return ok;
    auto const ok = m.nnz ? finish_known(s, m, csr) : finish_spooled(s, m, csr);
    if (!ok) return ok;
    s.finish_tensor(m.where, s.main.position());
    return {};
}

/// Nothing is there yet but the first offset.
result<void> begin_slices(detail::writer_state& s, appended_matrix& m) {
    m.checker = invariant_checker(m.what.shape[m.what.layout == layout::csr ? 1 : 0]);
    s.sum_buffer(m.values, 0);
    s.sum_buffer(m.indices, 1);
    s.sum_buffer(m.offsets, 2);
    std::uint64_t const zero = 0;
    return m.offsets.append(bytes_of({&zero, 1}));
}

/// A matrix at its three places, or with spools that stand in for two of them.
result<appended_matrix> begin_appended(detail::writer_state& s, placed where, descriptor what,
                                       std::optional<std::uint64_t> nnz) {
    element_packer const packer(what.element_type);
    std::unique_ptr<spool> index_spool, offset_spool;
    buffer_places at{where.data, 0, 0, 0};
    if (nnz) {
        auto const places = places_of(what, where.data, s.options.data_alignment);
        if (!places) return errc::too_many_elements;
        at = *places;
        if (auto ok = s.out->reserve(at.values, at.end - at.values); !ok) return ok.error();
    } else {
        for (auto* const one : {&index_spool, &offset_spool}) {
            auto made = s.out->make_spool();
            if (!made) return made.error();
            *one = *std::move(made);
        }
    }
    byte_target& index_target = nnz ? static_cast<byte_target&>(*s.out) : *index_spool;
    byte_target& offset_target = nnz ? static_cast<byte_target&>(*s.out) : *offset_spool;
    appended_matrix m{.where = std::move(where),
                      .what = std::move(what),
                      .nnz = nnz,
                      .at = at,
                      .packer = packer,
                      .checker = {},
                      .values = output_cursor(*s.out, at.values),
                      .indices = output_cursor(index_target, at.indices),
                      .offsets = output_cursor(offset_target, at.offsets),
                      .index_spool = std::move(index_spool),
                      .offset_spool = std::move(offset_spool)};
    if (auto ok = begin_slices(s, m); !ok) return ok.error();
    return m;
}

/// Back to before the first slice. What was written is written over.
result<void> restart(detail::writer_state& s, appended_matrix& m) {
    if (!m.nnz) return errc::needs_a_path;
    m.packer = element_packer(m.what.element_type);
    m.values = output_cursor(*s.out, m.at.values);
    m.indices = output_cursor(*s.out, m.at.indices);
    m.offsets = output_cursor(*s.out, m.at.offsets);
    m.entries = m.slices = m.in_slice = 0;
    if (s.sums) s.sums->restart_buffers();
    return begin_slices(s, m);
}

/// The matrix in progress, if it is of this kind.
template<class Matrix, class Step>
result<void> with(std::shared_ptr<detail::writer_state> const& state, Step step) {
    if (!state) return errc::writer_closed;
    return state->step([&]() -> result<void> {
        auto* const matrix = std::get_if<Matrix>(&state->current);
        if (matrix == nullptr) return errc::writer_closed;
        return step(*state, *matrix);
    });
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

open_matrix& open_matrix::operator=(open_matrix&& other) noexcept {
    if (this != &other) {
        open_matrix const old(std::move(*this));
        state_ = std::move(other.state_);
    }
    return *this;
}

open_matrix::~open_matrix() {
    if (state_) state_->abandon({.code = errc::matrix_incomplete});
}

result<void> open_matrix::values(element_run const& run) {
    return with<streamed_matrix>(state_, [&](writer_state& s, streamed_matrix& m) {
        return add_values(s, m, run.count, [&] { return m.packer.append(s.main, run); });
    });
}

result<void> open_matrix::unpacked_values(element_type, void const* elements, std::uint64_t count) {
    std::span const bytes(static_cast<std::byte const*>(elements), count);
    return with<streamed_matrix>(state_, [&](writer_state& s, streamed_matrix& m) {
        return add_values(s, m, count, [&] { return m.packer.append_unpacked(s.main, bytes); });
    });
}

result<void> open_matrix::indices(std::span<std::uint64_t const> piece) {
    return with<streamed_matrix>(state_, [&](writer_state& s, streamed_matrix& m) {
        return add_indices(s, m, piece, false);
    });
}

result<void> open_matrix::proved_indices(std::span<std::uint64_t const> all) {
    return with<streamed_matrix>(
        state_, [&](writer_state& s, streamed_matrix& m) { return add_indices(s, m, all, true); });
}

result<void> open_matrix::slice(std::span<std::uint64_t const> indices, element_run const& run) {
    return part_of_slice(indices, run, true);
}

result<void> open_matrix::part_of_slice(std::span<std::uint64_t const> indices,
                                        element_run const& run, bool last) {
    return with<appended_matrix>(state_, [&](writer_state&, appended_matrix& m) {
        return add_slice(m, indices, run, m.what.layout == layout::csr, last);
    });
}

result<void> open_matrix::slices(std::span<std::uint64_t const> ends,
                                 std::span<std::uint64_t const> indices, element_run const& run) {
    return with<appended_matrix>(state_, [&](writer_state&, appended_matrix& m) {
        return add_slices(m, ends, indices, run, m.what.layout == layout::csr);
    });
}

result<void> open_matrix::restart() {
    return with<appended_matrix>(
        state_, [](writer_state& s, appended_matrix& m) { return hurray::restart(s, m); });
}

result<void> open_matrix::close() {
    if (!state_) return errc::writer_closed;
    auto const state = std::move(state_);
    return state->step([&]() -> result<void> {
        auto const ok = std::visit(
            [&]<class Matrix>(Matrix& matrix) -> result<void> {
                if constexpr (std::is_same_v<Matrix, std::monostate>)
                    return errc::writer_closed;
                else
                    return finish(*state, matrix);
            },
            state->current);
        if (ok) state->current.emplace<std::monostate>();
        return ok;
    });
}

}  // namespace detail

result<detail::open_matrix> writer::begin_stream(std::string_view name, layout layout,
                                                 element_type type, extents shape,
                                                 std::span<std::uint64_t const> offsets,
                                                 tensor_options const& options) {
    if (!state_) return errc::writer_closed;
    auto& s = *state_;
    auto const ok = s.step([&]() -> result<void> {
        auto const slices = layout == layout::csr ? shape.rows : shape.columns;
        if (offsets.empty() || offsets.size() - 1 != slices) return errc::sizes_disagree;
        auto const nnz = offsets.back();
        if (auto valid = invariant_checker::check_offsets(offsets, nnz); !valid) return valid;
        auto const d =
            matrix_descriptor(layout, type, shape, nnz, options, s.options.handle_alignment);
        if (!d) return d.error();
        auto const bytes = s.admit(name, *d);
        if (!bytes) return bytes.error();
        auto where = s.place(name, *bytes, 3, s.options.data_alignment);
        if (!where) return where.error();
        s.sum_buffer(s.main, 0);
        auto const bound = layout == layout::csr ? shape.columns : shape.rows;
        s.current = streamed_matrix{.where = *std::move(where),
                                    .nnz = nnz,
                                    .offsets = offsets,
                                    .packer = element_packer(type),
                                    .checker = invariant_checker(bound)};
        auto const at = places_of(*d, s.main.position(), s.options.data_alignment);
        if (!at) return errc::too_many_elements;
        return s.out->reserve(at->values, at->end - at->values);
    });
    if (!ok) return ok.error();
    return detail::open_matrix(state_);
}

result<detail::open_matrix> writer::begin_append(std::string_view name, layout layout,
                                                 element_type type, extents shape,
                                                 std::optional<std::uint64_t> nnz,
                                                 tensor_options const& options) {
    if (!state_) return errc::writer_closed;
    auto& s = *state_;
    auto const ok = s.step([&]() -> result<void> {
        if (!s.out->any_order()) return errc::needs_a_path;
        auto const d =
            matrix_descriptor(layout, type, shape, nnz.value_or(0),
                              nnz ? options : tensor_options{}, s.options.handle_alignment);
        if (!d) return d.error();
        auto what = *d;
        what.statistics = options.statistics;
        what.shard = options.shard;
        // With counts unknown, the sections are checked when the descriptor is.
        auto const admitted = s.admit(name, nnz ? what : *d, nnz.has_value());
        if (!admitted) return admitted.error();
        auto where = s.place(name, what.encode(), 3, s.options.data_alignment);
        if (!where) return where.error();
        if (auto flushed = s.main.flush(); !flushed) return flushed;
        auto matrix = begin_appended(s, *std::move(where), std::move(what), nnz);
        if (!matrix) return matrix.error();
        s.current = *std::move(matrix);
        return {};
    });
    if (!ok) return ok.error();
    return detail::open_matrix(state_);
}

}  // namespace v0
}  // namespace hurray
