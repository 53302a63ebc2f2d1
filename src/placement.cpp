#include "placement.hpp"

#include <algorithm>

#include "align.hpp"
#include "buffers.hpp"
#include "layout_fields.hpp"

namespace hurray::format {
namespace {

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

/// A part of the file whose place the metadata tells.
struct part {
    enum class kind : std::uint8_t { descriptor, data, section };
    byte_range where;
    std::uint32_t entry = 0;
    kind what = kind::section;
};

/// Bounds of one entry's ranges, and the data's place relative to its descriptor.
result<void> check_entry(file_frame const& frame, index_entry const& entry) {
    auto const at = [&](std::uint64_t field) { return frame.field_of(entry, field); };
    auto const end = frame.tensors_end();
    auto const inside = [&](byte_range r) {
        return r.offset >= file_header::size && r.within(end);
    };
    if (!inside(entry.descriptor))
        return fail(errc::descriptor_outside_its_place, at(entry_field::descriptor_offset));
    if (entry.data.length == 0) return {};  // placed when its descriptor is known
    auto const alignment = frame.header.data_alignment;
    auto const exact = wire::align_up(entry.descriptor.end(), alignment);
    bool const placed = frame.mode == mode::strict ? exact == entry.data.offset
                                                   : wire::is_aligned(entry.data.offset, alignment);
    if (!placed) return fail(errc::data_misplaced, at(entry_field::data_offset));  // R-043, C-01
    if (!inside(entry.data))
        return fail(errc::data_outside_its_place, at(entry_field::data_offset));
    return {};
}

error overlap(file_frame const& frame, index const& index, part const& p) {
    switch (p.what) {
    case part::kind::descriptor:
        return fail(errc::descriptor_outside_its_place,
                    frame.field_of(index.entries[p.entry], entry_field::descriptor_offset));
    case part::kind::data:
        return fail(errc::data_outside_its_place,
                    frame.field_of(index.entries[p.entry], entry_field::data_offset));
    case part::kind::section:
        break;
    }
    return fail(errc::sections_out_of_order, p.where.offset);
}

std::vector<part> parts_of(file_frame const& frame, index const& index) {
    std::vector<part> parts;
    parts.reserve(2 * index.entries.size() + 2);
    for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
        parts.push_back({index.entries[i].descriptor, i, part::kind::descriptor});
        if (index.entries[i].data.length != 0)
            parts.push_back({index.entries[i].data, i, part::kind::data});
    }
    if (frame.trailer.metadata.length != 0) parts.push_back({frame.trailer.metadata});
    parts.push_back({frame.trailer.index});
    std::sort(parts.begin(), parts.end(), [](part const& a, part const& b) {
        return a.where.offset != b.where.offset ? a.where.offset < b.where.offset
                                                : a.where.length < b.where.length;
    });
    return parts;
}

/// nothing but padding stands between neighbours.
result<void> check_gap(file_frame const& frame, std::uint64_t end, std::uint64_t next,
                       std::vector<error>& notes) {
    auto const alignment = frame.header.data_alignment;
    if (next - end >= alignment) return fail(errc::sections_out_of_order, end);
    bool const usual = next == wire::align_up(end, 8) || next == wire::align_up(end, alignment);
    if (!usual) notes.push_back(fail(errc::sections_out_of_order, end));
    return {};
}

result<void> check_order(file_frame const& frame, index const& index, std::span<part const> parts,
                         std::vector<error>& notes) {
    bool const strict = frame.mode == mode::strict;
    std::uint64_t metadata_end = file_header::size;  // of descriptors and sections
    std::uint64_t data_end = file_header::size;
    for (auto const& p : parts) {
        bool const data = p.what == part::kind::data;
        auto const end = data && !strict ? metadata_end : std::max(metadata_end, data_end);
        if (p.where.offset < end) return overlap(frame, index, p);
        if (strict)
            if (auto ok = check_gap(frame, end, p.where.offset, notes); !ok) return ok;
        auto& reached = data ? data_end : metadata_end;
        reached = std::max(reached, p.where.end());
    }
    if (!strict) return {};
    return check_gap(frame, std::max(metadata_end, data_end), frame.file_size - trailer::size,
                     notes);
}

}  // namespace

std::uint64_t file_frame::field_of(index_entry const& entry, std::uint64_t field) const noexcept {
    auto const name = wire::bytes_of(entry.name);
    return trailer.index.offset +
           static_cast<std::uint64_t>(name.data() + name.size() - index_bytes) + field;
}

std::uint64_t file_frame::tensors_end() const noexcept {
    if (mode == mode::permissive) return file_size - trailer::size;
    return trailer.metadata.length != 0 ? std::min(trailer.metadata.offset, trailer.index.offset)
                                        : trailer.index.offset;
}

result<std::vector<std::uint64_t>> check_extents(file_frame const& frame, index const& index,
                                                 std::vector<error>& notes) {
    auto const& t = frame.trailer;
    auto const field = [&](std::uint64_t at) { return frame.file_size - trailer::size + at; };
    if (t.metadata.length != 0) {
        bool const before = t.metadata.end() <= t.index.offset;
        bool const after = t.index.end() <= t.metadata.offset;
        if (!before && !after) return fail(errc::metadata_outside_its_place, field(16));
        if (after && frame.mode == mode::strict)
            return fail(errc::sections_out_of_order, field(16));
    }
    auto const first = std::min_element(index.entries.begin(), index.entries.end(),
                                        [](index_entry const& a, index_entry const& b) {
                                            return a.descriptor.offset < b.descriptor.offset;
                                        });
    if (first != index.entries.end() && first->descriptor.offset != frame.header.first_descriptor)
        return fail(errc::first_descriptor_elsewhere, 20);
    for (auto const& entry : index.entries)
        if (auto ok = check_entry(frame, entry); !ok) return ok.error();
    auto const parts = parts_of(frame, index);
    if (auto ok = check_order(frame, index, parts, notes); !ok) return ok.error();

    std::vector<std::uint64_t> starts;
    starts.reserve(parts.size());
    for (auto const& p : parts) starts.push_back(p.where.offset);
    return starts;
}

namespace {

/// Where handle k of a decoded descriptor stands in its bytes.
std::uint64_t handle_position(descriptor const& d, std::size_t k) {
    std::vector<std::byte> fields;
    wire::appender out(fields);
    encode_layout_fields(out, d.fields, d.shape.size());
    buffer_table const table{.at = 20 + 8 * d.shape.size() + 8 + fields.size(), .handles = {}};
    return table.position(k);
}

/// R-043 for a tensor without data: where the first byte would be, or just after the descriptor.
bool is_empty_place(file_frame const& frame, index_entry const& entry) noexcept {
    auto const end = entry.descriptor.end();
    return entry.data.offset == wire::align_up(end, 8) ||
           entry.data.offset == wire::align_up(end, frame.header.data_alignment);
}

}  // namespace

result<std::vector<byte_range>> place_buffers(file_frame const& frame, index_entry const& entry,
                                              descriptor const& d, std::uint64_t next) {
    auto const at = [&](std::uint64_t field) { return frame.field_of(entry, field); };
    if (std::holds_alternative<unknown_fields>(d.fields)) return std::vector<byte_range>{};
    if (d.layout == layout::composite) {
        if (entry.data.length != 0)
            return fail(errc::composite_head_with_data, at(entry_field::data_length));
        if (entry.data.offset < entry.descriptor.end() || entry.data.offset > next)  // A-05, C-01
            return fail(errc::data_misplaced, at(entry_field::data_offset));
        return std::vector<byte_range>{};
    }
    if (entry.data.length == 0 && !is_empty_place(frame, entry))
        return fail(errc::data_misplaced, at(entry_field::data_offset));

    std::vector<byte_range> ranges;
    ranges.reserve(d.buffers.size());
    std::uint64_t end = entry.data.offset;
    for (auto const& handle : d.buffers) {
        // Buffers without bytes stay where the data is; all others start aligned.
        auto const start = entry.data.length == 0
                               ? std::optional(end)
                               : wire::align_up(end, frame.header.data_alignment);
        auto const stop = start ? wire::checked_add(*start, handle.byte_size) : std::nullopt;
        if (!stop) return fail(errc::data_length_mismatch, at(entry_field::data_length));
        if (handle.byte_size != 0 && !wire::is_aligned(*start, handle.alignment))
            return fail(errc::buffer_alignment_not_honoured,
                        entry.descriptor.offset + handle_position(d, ranges.size()) + 8);
        ranges.push_back({*start, handle.byte_size});
        end = *stop;
    }
    if (end - entry.data.offset != entry.data.length)  // R-044, C-02
        return fail(errc::data_length_mismatch, at(entry_field::data_length));
    return ranges;
}

}  // namespace hurray::format
