#include "placement.hpp"

#include <algorithm>
#include <tuple>

#include "align.hpp"
#include "buffers.hpp"
#include "layout_fields.hpp"

namespace hurray::format {
namespace {

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

/// A part of the file whose place the metadata tells.
struct part {
    enum class kind : std::uint8_t { header, descriptor, data, metadata, index };
    byte_range where;
    std::uint32_t entry = 0;
    kind what = kind::header;
};

/// What a strict reader refuses and a permissive one notes.
result<void> strictly(file_frame const& frame, error const& e, std::vector<error>& notes) {
    if (frame.mode == mode::strict) return e;
    notes.push_back(e);
    return {};
}

/// Bounds of one entry's ranges, and the data's place relative to its descriptor.
result<void> check_entry(file_frame const& frame, index_entry const& entry,
                         std::vector<error>& notes) {
    auto const at = [&](std::uint64_t field) { return frame.field_of(entry, field); };
    auto const inside = [&](byte_range r) {
        return r.offset >= file_header::size && r.within(frame.file_size - trailer::size);
    };
    if (!inside(entry.descriptor))
        return fail(errc::descriptor_outside_its_place, at(entry_field::descriptor_offset));
    if (entry.data.length == 0) return {};  // placed when its descriptor is known
    auto const alignment = frame.header.data_alignment;
    auto const misplaced = fail(errc::data_misplaced, at(entry_field::data_offset));
    // C-01
    if (wire::align_up(entry.descriptor.end(), alignment) != entry.data.offset) {
        bool const aligned = wire::is_aligned(entry.data.offset, alignment);
        if (!aligned || frame.mode == mode::strict) return misplaced;
        notes.push_back(misplaced);  // shared data is elsewhere
    }
    if (!inside(entry.data))
        return fail(errc::data_outside_its_place, at(entry_field::data_offset));
    return {};
}

/// The field that says where a part lies, under the rule that keeps it clear of all others.
error out_of_place(file_frame const& frame, index const& index, part const& p) {
    if (p.what == part::kind::descriptor)
        return fail(errc::descriptor_outside_its_place,
                    frame.field_of(index.entries[p.entry], entry_field::descriptor_offset));
    if (p.what == part::kind::data)
        return fail(errc::data_outside_its_place,
                    frame.field_of(index.entries[p.entry], entry_field::data_offset));
    return fail(errc::metadata_outside_its_place, frame.trailer_field(16));
}

/// Which of two parts that overlap is out of place: two ranges alone do not tell, so this is a
/// guess at what a single wrong field would do. `second` starts inside `first`.
part const& misplaced_of(file_frame const& frame, part const& first, part const& second) {
    using kind = part::kind;
    if (first.what == kind::metadata) return first;
    if (second.what == kind::metadata) {
        bool const within = second.where.end() <= first.where.end() &&
                            first.where.end() <= frame.trailer.index.offset;
        return first.what == kind::data && !within ? first : second;
    }
    if (first.what == kind::index) return second;
    return first.what == kind::data || second.what == kind::index ? first : second;
}

std::vector<part> parts_of(file_frame const& frame, index const& index) {
    std::vector<part> parts;
    parts.reserve(2 * index.entries.size() + 2);
    for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
        parts.push_back({index.entries[i].descriptor, i, part::kind::descriptor});
        if (index.entries[i].data.length != 0)
            parts.push_back({index.entries[i].data, i, part::kind::data});
    }
    if (frame.trailer.metadata.length != 0)
        parts.push_back({frame.trailer.metadata, 0, part::kind::metadata});
    parts.push_back({frame.trailer.index, 0, part::kind::index});
    std::sort(parts.begin(), parts.end(), [](part const& a, part const& b) {
        auto const order = [](part const& p) {
            return std::tuple(p.where.offset, p.where.length, p.entry, p.what);
        };
        return order(a) < order(b);
    });
    return parts;
}

/// nothing but padding stands between neighbours.
result<void> check_gap(file_frame const& frame, std::uint64_t end, std::uint64_t next,
                       std::vector<error>& notes) {
    auto const alignment = frame.header.data_alignment;
    auto const gap = fail(errc::sections_out_of_order, end);
    if (next - end >= alignment) return strictly(frame, gap, notes);
    bool const usual =
        next == end || next == wire::align_up(end, 8) || next == wire::align_up(end, alignment);
    if (!usual) notes.push_back(gap);
    return {};
}

result<void> check_order(file_frame const& frame, index const& index, std::span<part const> parts,
                         std::vector<error>& notes) {
    using kind = part::kind;
    part const header{{0, file_header::size}};
    part const* furthest = &header;  // of all that came before, the one with the last byte
    part const* furthest_but_data = &header;
    bool tensors_are_over = false;
    for (auto const& p : parts) {
        bool const may_share = p.what == kind::data && frame.mode == mode::permissive;
        auto const& before = may_share ? *furthest_but_data : *furthest;
        if (p.where.offset < before.where.end())
            return out_of_place(frame, index, misplaced_of(frame, before, p));
        if (p.where.offset < furthest->where.end()) {
            notes.push_back(out_of_place(frame, index, p));
        } else if (auto ok = check_gap(frame, furthest->where.end(), p.where.offset, notes); !ok) {
            return ok;
        }
        bool const of_tensor = p.what == kind::descriptor || p.what == kind::data;
        if (of_tensor && tensors_are_over) {
            auto const field = out_of_place(frame, index, p).offset;
            if (auto ok = strictly(frame, fail(errc::sections_out_of_order, field), notes); !ok)
                return ok;
        }
        tensors_are_over = tensors_are_over || !of_tensor;
        if (p.where.end() >= furthest->where.end()) furthest = &p;
        if (p.what != kind::data && p.where.end() >= furthest_but_data->where.end())
            furthest_but_data = &p;
    }
    return check_gap(frame, furthest->where.end(), frame.trailer_field(0), notes);
}

}  // namespace

std::uint64_t file_frame::field_of(index_entry const& entry, std::uint64_t field) const noexcept {
    auto const name = wire::bytes_of(entry.name);
    return trailer.index.offset +
           static_cast<std::uint64_t>(name.data() + name.size() - index_bytes) + field;
}

result<std::vector<std::uint64_t>> check_extents(file_frame const& frame, index const& index,
                                                 std::vector<error>& notes) {
    auto const& t = frame.trailer;
    if (t.metadata.length != 0) {
        bool const before = t.metadata.end() <= t.index.offset;
        bool const after = t.index.end() <= t.metadata.offset;
        if (!before && !after)
            return fail(errc::metadata_outside_its_place, frame.trailer_field(16));
        auto const disorder = fail(errc::sections_out_of_order, frame.trailer_field(16));
        if (after)
            if (auto ok = strictly(frame, disorder, notes); !ok) return ok.error();
    }
    for (auto const& entry : index.entries)
        if (auto ok = check_entry(frame, entry, notes); !ok) return ok.error();
    auto const first = std::min_element(index.entries.begin(), index.entries.end(),
                                        [](index_entry const& a, index_entry const& b) {
                                            return a.descriptor.offset < b.descriptor.offset;
                                        });
    if (first != index.entries.end() && first->descriptor.offset != frame.header.first_descriptor)
        return fail(errc::first_descriptor_elsewhere, 20);
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
    encode_layout_fields(out, d);
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
    bool const at_head = entry.data.offset >= entry.descriptor.end() && entry.data.offset <= next;
    if (!has_known_fields(d.layout)) {
        // It may be like a tensor without data or like a head, and nothing else.
        if (entry.data.length == 0 && !at_head && !is_empty_place(frame, entry))
            return fail(errc::data_misplaced, at(entry_field::data_offset));
        return std::vector<byte_range>{};
    }
    if (d.layout == layout::composite) {
        if (entry.data.length != 0)
            return fail(errc::composite_head_with_data, at(entry_field::data_length));
        if (!at_head)  // A-05, C-01
            return fail(errc::data_misplaced, at(entry_field::data_offset));
        return std::vector<byte_range>{};
    }
    if (entry.data.length == 0 && !is_empty_place(frame, entry))
        return fail(errc::data_misplaced, at(entry_field::data_offset));

    std::vector<byte_range> ranges;
    ranges.reserve(d.buffers.size());
    // The place of a tensor without bytes may be one that the file does not reach.
    auto const begin = std::min(entry.data.offset, frame.file_size);
    auto end = begin;
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
    if (end - begin != entry.data.length)  // R-044, C-02
        return fail(errc::data_length_mismatch, at(entry_field::data_length));
    return ranges;
}

}  // namespace hurray::format
