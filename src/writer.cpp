#include <hurray/writer.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "align.hpp"
#include "byte_source.hpp"
#include "crc32c.hpp"
#include "file_header.hpp"
#include "metadata.hpp"
#include "trailer.hpp"
#include "wire.hpp"
#include "writer_state.hpp"

namespace hurray {
namespace {

/// Gives bytes to the caller's sink, in order.
class sink_output final : public output {
public:
    explicit sink_output(sink to) : to_(std::move(to)) {}
    bool any_order() const noexcept override { return false; }
    result<void> write(std::uint64_t, std::span<std::byte const> bytes) override {
        if (auto const code = to_(bytes)) return error{.code = code};
        return {};
    }
    result<void> publish(std::uint64_t) override { return {}; }

private:
    sink to_;
};

result<void> check_options(write_options const& o) {
    bool const good = format::is_data_alignment(o.data_alignment) &&
                      wire::is_power_of_two(o.handle_alignment) && o.handle_alignment >= 64 &&
                      o.handle_alignment <= o.data_alignment;
    bool const taken = o.checksums && o.metadata.find(checksum_key) != nullptr;
    if (!good || taken) return errc::bad_option;
    return {};
}

}  // namespace

result<std::shared_ptr<detail::writer_state>> start_writing(std::unique_ptr<output> out,
                                                            write_options const& options) {
    if (auto ok = check_options(options); !ok) return ok.error();
    if (auto encoded = format::encode_metadata(options.metadata); !encoded) return encoded.error();
    auto state = std::make_shared<detail::writer_state>(std::move(out), options);
    if (auto ok = state->step([&] { return state->begin(); }); !ok) return ok.error();
    return state;
}

result<descriptor> matrix_descriptor(layout layout, element_type type, extents shape,
                                     std::uint64_t nnz, tensor_options const& options,
                                     std::uint32_t handle_alignment) {
    if (shape.rows == dynamic || shape.columns == dynamic)
        return errc::dynamic_dimension_written;
    auto const slices = layout == layout::csr ? shape.rows : shape.columns;
    auto const values = bytes_for(type, nnz);
    auto const indices = wire::checked_multiply(nnz, 8);
    auto const offsets = wire::checked_multiply(slices + 1, 8);
    if (!values || !indices || !offsets) return errc::too_many_elements;
    descriptor d{.layout = layout,
                 .element_type = type,
                 .shape = {shape.rows, shape.columns},
                 .fields = {.nnz = nnz},
                 .buffers = {}};
    for (auto const size : {*values, *indices, *offsets})
        d.buffers.push_back({.byte_size = size, .alignment = handle_alignment});
    d.shard = options.shard;
    d.statistics = options.statistics;
    return d;
}

namespace detail {

writer_state::writer_state(std::unique_ptr<output> to, write_options const& given)
    : out(std::move(to)), main(*out, 0), options(given) {
    header.data_alignment = options.data_alignment;
    if (options.checksums) sums.emplace();
    if (sums || !options.metadata.empty()) header.flags |= format::has_metadata;
    if (options.sorted_index) header.flags |= format::sorted_index;
}

void writer_state::abandon(error const& e) noexcept {
    if (!failed) failed = e;
    current.emplace<std::monostate>();
    out.reset();
}

result<void> writer_state::begin() {
    std::array<std::byte, format::file_header::size> bytes;
    header.encode(bytes);
    return main.append(bytes);
}

result<std::vector<std::byte>> writer_state::readable(descriptor const& d) {
    auto bytes = d.encode();
    if (auto const read = descriptor::decode(bytes); !read) {
        auto e = read.error();
        e.offset = error::nowhere;  // a byte of what is not written
        return e;
    }
    return bytes;
}

result<std::vector<std::byte>> writer_state::admit(std::string_view name, descriptor const& d,
                                                   bool final) {
    if (!std::holds_alternative<std::monostate>(current)) return errc::matrix_in_progress;
    if (auto ok = format::check_name(name); !ok) return ok.error();
    if (names.contains(name)) return errc::duplicate_tensor_name;
    auto bytes = readable(d);
    if (!bytes) return bytes;
    if (final)
        if (auto ok = join(d); !ok) return ok.error();
    return bytes;
}

result<placed> writer_state::place(std::string_view name, std::span<std::byte const> bytes,
                                   std::size_t buffers, std::uint64_t alignment) {
    if (auto ok = main.pad_to(8); !ok) return ok.error();
    placed where{.name = std::string(name), .descriptor = {main.position(), bytes.size()}};
    if (auto ok = main.append(bytes); !ok) return ok.error();
    if (auto ok = main.pad_to(alignment); !ok) return ok.error();
    where.data = main.position();
    if (sums) {
        sums->begin_tensor(buffers);
        sums->set_descriptor(bytes);
    }
    names.insert(where.name);
    return where;
}

void writer_state::finish_tensor(placed const& where, std::uint64_t end) {
    main.sum_into(nullptr);
    if (sums) sums->finish_tensor();
    entries.push_back({where.name, where.descriptor, {where.data, end - where.data}});
}

std::vector<std::uint32_t> writer_state::index_order() const {
    std::vector<std::uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), 0u);
    if (options.sorted_index)
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return entries[a].name < entries[b].name;
        });
    return order;
}

result<std::vector<std::byte>>
writer_state::encode_metadata(std::span<std::uint32_t const> order) const {
    if (!sums) return format::encode_metadata(options.metadata);
    auto all = options.metadata;
    all.set(std::string(checksum_key), sums->encode(order));
    return format::encode_metadata(all);
}

namespace {

/// Enters the three checksums that are known last. The table is the end of the section.
void complete_table(std::span<std::byte> table, std::span<std::byte> section,
                    format::file_header const& header, format::trailer const& trailer) {
    std::array<std::byte, format::file_header::size> head;
    header.encode(head);
    std::array<std::byte, format::trailer::size> tail;
    trailer.encode(tail);
    auto const enter = [&](std::uint64_t field, std::uint32_t sum) {
        wire::set_field<std::uint32_t, 0>(table.subspan(field).first<4>(), sum);
    };
    enter(format::checksum_field::header, crc32c(head));
    enter(format::checksum_field::trailer, crc32c(tail));
    enter(format::checksum_field::metadata, crc32c(section));
}

}  // namespace

result<void> writer_state::close() {
    if (!std::holds_alternative<std::monostate>(current)) return errc::matrix_in_progress;
    if (auto ok = composites.finish(); !ok) return ok;
    auto const order = index_order();
    std::vector<format::written_entry> sorted;
    for (auto const i : order) sorted.push_back(entries[i]);
    auto const index = format::encode_index(sorted);
    auto metadata = encode_metadata(order);
    if (!metadata) return metadata.error();
    bool const announced = (header.flags & format::has_metadata) != 0;

    format::trailer trailer;
    if (auto ok = main.pad_to(8); !ok) return ok;
    auto at = main.position();
    if (announced) {
        trailer.metadata = {at, metadata->size()};
        at = *wire::align_up(at + metadata->size(), 8);
    }
    trailer.index = {at, index.size()};
    trailer.index_checksum = crc32c(index);
    if (sums)
        complete_table(std::span(*metadata).last(sums->encode(order).size()), *metadata, header,
                       trailer);

    if (announced)
        if (auto ok = main.append(*metadata); !ok) return ok;
    if (auto ok = main.pad_to(8); !ok) return ok;
    if (auto ok = main.append(index); !ok) return ok;
    std::array<std::byte, format::trailer::size> bytes;
    trailer.encode(bytes);
    if (auto ok = main.append(bytes); !ok) return ok;
    if (auto ok = main.flush(); !ok) return ok;
    if (auto ok = out->publish(main.position()); !ok) return ok;
    closed = true;
    out.reset();
    return {};
}

}  // namespace detail

inline namespace [[gnu::visibility("default")]] v0 {

writer::writer(std::shared_ptr<detail::writer_state> state) noexcept : state_(std::move(state)) {}
writer::writer(writer&&) noexcept = default;
writer& writer::operator=(writer&& other) noexcept {
    if (this != &other) {
        writer const old(std::move(*this));  // abandons what it was writing
        state_ = std::move(other.state_);
    }
    return *this;
}
writer::~writer() {
    if (state_ && !state_->closed) state_->abandon({.code = errc::writer_closed});
}

result<writer> writer::onto(sink to, write_options const& options) {
    auto state = start_writing(std::make_unique<sink_output>(std::move(to)), options);
    if (!state) return state.error();
    return writer(*std::move(state));
}

result<void> writer::close() {
    if (!state_) return errc::writer_closed;
    return state_->step([&] { return state_->close(); });
}

result<void> writer::write_view(std::string_view name, layout layout, extents shape,
                                std::span<std::uint64_t const> offsets,
                                std::span<std::uint64_t const> indices,
                                detail::element_run const& values, tensor_options const& options) {
    auto matrix = begin_stream(name, layout, values.type, shape, offsets, options);
    if (!matrix) return matrix.error();
    if (auto ok = matrix->values(values); !ok) return ok;
    if (auto ok = matrix->proved_indices(indices); !ok) return ok;
    return matrix->close();
}

result<void> writer::begin_members(std::string_view name, element_type type, extents shape,
                                   std::uint32_t members, tensor_options const& options) {
    if (!state_) return errc::writer_closed;
    auto& s = *state_;
    return s.step([&]() -> result<void> {
        if (shape.rows == dynamic || shape.columns == dynamic)
            return errc::dynamic_dimension_written;
        descriptor d{.layout = layout::composite,
                     .element_type = type,
                     .shape = {shape.rows, shape.columns},
                     .fields = {.composite = {.members = members}}};
        d.shard = options.shard;
        d.statistics = options.statistics;
        auto const bytes = s.admit(name, d);
        if (!bytes) return bytes.error();
        auto const where = s.place(name, *bytes, 0, 8);
        if (!where) return where.error();
        s.finish_tensor(*where, where->data);
        return {};
    });
}

result<extents> writer::extents_of_whole(std::span<extents const> offsets,
                                         std::span<extents const> shapes) {
    if (!state_) return errc::writer_closed;
    extents whole;
    auto const ok = state_->step([&]() -> result<void> {
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            auto const rows = wire::checked_add(offsets[i].rows, shapes[i].rows);
            auto const columns = wire::checked_add(offsets[i].columns, shapes[i].columns);
            if (!rows || !columns) return errc::shard_outside_parent;
            whole = {std::max(whole.rows, *rows), std::max(whole.columns, *columns)};
        }
        if (offsets.size() >= 0xFFFFFFFF) return errc::bad_member_count;
        return {};
    });
    if (!ok) return ok.error();
    return whole;
}

result<void> writer::copy(file_view const& from, std::string_view name, std::string_view new_name) {
    if (!state_) return errc::writer_closed;
    auto& s = *state_;
    return s.step([&]() -> result<void> {
        auto const t = from.describe(name);
        if (!t) return t.error();
        auto d = t->descriptor;
        for (auto& handle : d.buffers)  // what this file keeps
            handle.alignment = std::min(handle.alignment, s.options.data_alignment);
        if (!d.buffers.empty() && d.buffers[0].device != 0) return errc::not_in_host_memory;
        auto const as = new_name.empty() ? name : new_name;
        auto const bytes = s.admit(as, d);
        if (!bytes) return bytes.error();
        bool const head = d.layout == layout::composite;
        auto const where =
            s.place(as, *bytes, d.buffers.size(), head ? 8 : s.options.data_alignment);
        if (!where) return where.error();
        for (std::size_t k = 0; k < t->buffers.size(); ++k) {
            auto const range = t->buffers[k];
            if (auto ok = s.main.pad_to(s.options.data_alignment); !ok) return ok;
            s.sum_buffer(s.main, k);
            if (auto ok = s.main.append(from.bytes().subspan(range.offset, range.length)); !ok)
                return ok;
        }
        s.finish_tensor(*where, s.main.position());
        return {};
    });
}

}  // namespace v0
}  // namespace hurray
