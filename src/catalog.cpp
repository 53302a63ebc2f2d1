#include <hurray/catalog.hpp>

#include <algorithm>
#include <array>

#include "catalog_state.hpp"
#include "crc32c.hpp"
#include "metadata.hpp"

namespace hurray {
namespace {

constexpr std::size_t most_notes = 64;
constexpr std::uint64_t largest_descriptor = 256 * 1024;

error fail(errc code, std::uint64_t at = error::nowhere) { return {.code = code, .offset = at}; }

result<std::vector<std::byte>> fetch(source const& from, byte_range where) {
    std::vector<std::byte> bytes(where.length);
    if (bytes.empty()) return bytes;
    if (auto ok = from.read(where.offset, bytes); !ok) return ok.error();
    return bytes;
}

/// Header and trailer as they were fetched, each once.
struct frame_bytes {
    std::array<std::byte, format::file_header::size> head;
    std::array<std::byte, format::trailer::size> tail;
};

result<format::file_frame> read_frame(source const& from, hurray::mode mode, frame_bytes& bytes) {
    auto& [head, tail] = bytes;
    auto const size = from.size();
    if (size < format::file_header::size + format::trailer::size)
        return fail(errc::file_too_small, size);
    if (auto ok = from.read(0, head); !ok) return ok.error();
    auto const header = format::file_header::decode(head);
    if (!header) return header.error();
    if (auto ok = from.read(size - tail.size(), tail); !ok) return ok.error();
    auto const trailer = format::trailer::decode(tail, size, *header, mode);
    if (!trailer) return trailer.error();
    return format::file_frame{
        .header = *header, .trailer = *trailer, .file_size = size, .mode = mode};
}

/// What is legal to find, and worth a word.
void note_header(catalog_state& s) {
    auto const& [header, trailer] = std::tie(s.frame.header, s.frame.trailer);
    bool const announced = (header.flags & format::has_metadata) != 0;
    if (announced != (trailer.metadata.length != 0))
        s.notes.push_back(fail(errc::metadata_flag_wrong, 12));
    if (header.tensor_count_hint != format::unknown_count &&
        header.tensor_count_hint != s.index.entries.size())
        s.notes.push_back(fail(errc::tensor_count_hint_differs, 28));
}

result<void> read_index(source const& from, catalog_state& s) {
    auto const where = s.frame.trailer.index;
    auto bytes = fetch(from, where);
    if (!bytes) return bytes.error();
    s.index_bytes = *std::move(bytes);
    s.frame.index_bytes = s.index_bytes.data();
    bool const summed = (s.frame.header.flags & format::has_index_checksum) != 0;
    if (summed && detail::crc32c(s.index_bytes) != s.frame.trailer.index_checksum)
        return fail(errc::index_checksum_mismatch, where.offset);
    auto index = format::index::decode(s.index_bytes, where.offset,
                                       (s.frame.header.flags & format::sorted_index) != 0,
                                       s.frame.mode, s.notes);
    if (!index) return index.error();
    s.index = *std::move(index);
    return {};
}

/// The checksums of header, trailer and key-values; then the table stays for the rest.
result<void> check_frame_sums(catalog_state& s, std::vector<std::byte>& section,
                              frame_bytes const& frame) {
    auto const where = s.frame.trailer.metadata;
    auto const payload = format::find_bytes(section, checksum_key);
    if (!payload) return {};
    auto table = format::checksum_table::decode(
        std::span(section).subspan(payload->offset, payload->length), s.index.entries.size());
    if (!table) return fail(errc::bad_checksum_table, where.offset + payload->offset);
    if (detail::crc32c(frame.head) != table->header()) return fail(errc::checksum_mismatch, 0);
    if (detail::crc32c(frame.tail) != table->trailer())
        return fail(errc::checksum_mismatch, s.frame.file_size - format::trailer::size);
    auto const own = payload->offset + format::checksum_field::metadata;
    std::fill_n(section.data() + own, 4, std::byte{});
    if (detail::crc32c(section) != table->metadata())
        return fail(errc::checksum_mismatch, where.offset);
    s.sums = *std::move(table);
    return {};
}

result<void> read_metadata(source const& from, catalog_state& s, checksums how,
                           frame_bytes const& frame) {
    auto const where = s.frame.trailer.metadata;
    if (where.length == 0) return {};
    auto bytes = fetch(from, where);
    if (!bytes) return bytes.error();
    auto found = format::decode_metadata(*bytes, where.offset, s.frame.mode, s.notes);
    if (!found) return found.error();
    s.metadata = *std::move(found);
    return how == checksums::ignore ? result<void>() : check_frame_sums(s, *bytes, frame);
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

catalog::catalog(std::shared_ptr<state const> own) noexcept : state_(std::move(own)) {}

result<catalog> catalog::read(source const& from, read_options const& options) {
    auto s = std::make_shared<state>();  // in this order
    frame_bytes bytes;
    auto frame = read_frame(from, options.mode, bytes);
    if (!frame) return frame.error();
    s->frame = *frame;
    if (auto ok = read_index(from, *s); !ok) return ok.error();
    auto starts = format::check_extents(s->frame, s->index, s->notes);
    if (!starts) return starts.error();
    s->starts = *std::move(starts);
    if (auto ok = read_metadata(from, *s, options.checksums, bytes); !ok) return ok.error();
    if (options.checksums == checksums::require && !s->sums) return errc::no_checksums;
    note_header(*s);
    if (s->notes.size() > most_notes) s->notes.resize(most_notes);
    return catalog(std::move(s));
}

std::uint64_t catalog::file_size() const noexcept { return state_->frame.file_size; }
std::uint32_t catalog::data_alignment() const noexcept {
    return state_->frame.header.data_alignment;
}
std::uint32_t catalog::file_flags() const noexcept { return state_->frame.header.flags; }
hurray::mode catalog::mode() const noexcept { return state_->frame.mode; }
std::span<index_entry const> catalog::tensors() const& noexcept { return state_->index.entries; }
index_entry const* catalog::find(std::string_view name) const& noexcept {
    return state_->index.find(name);
}
hurray::metadata const& catalog::metadata() const& noexcept { return state_->metadata; }
std::span<error const> catalog::notes() const& noexcept { return state_->notes; }

bool catalog::has_checksums() const noexcept {
    return state_->metadata.find(checksum_key) != nullptr;
}

result<tensor> catalog::describe(source const& from, std::string_view name) const& {
    auto const* const entry = find(name);
    if (entry == nullptr) return errc::no_such_tensor;
    return describe(from, *entry);
}

result<tensor> catalog::describe(source const& from, index_entry const& entry) const& {
    auto const& frame = state_->frame;
    auto const length_at = frame.field_of(entry, format::entry_field::descriptor_length);
    if (entry.descriptor.length < 20) return fail(errc::descriptor_too_short, length_at);
    if (entry.descriptor.length > largest_descriptor)
        return fail(errc::descriptor_too_large, length_at);
    auto const bytes = fetch(from, entry.descriptor);
    if (!bytes) return bytes.error();
    if (state_->sums) {
        auto const expected = state_->sums->descriptor(state_->position_of(entry.name));
        if (detail::crc32c(*bytes) != expected)
            return fail(errc::checksum_mismatch, entry.descriptor.offset);
    }
    auto d = descriptor::decode(*bytes, frame.mode);
    if (!d) {
        auto e = d.error();
        e.offset += entry.descriptor.offset;
        return e;
    }
    auto const& starts = state_->starts;
    auto const next = std::upper_bound(starts.begin(), starts.end(), entry.descriptor.offset);
    auto buffers = format::place_buffers(
        frame, entry, *d, next != starts.end() ? *next : frame.file_size - format::trailer::size);
    if (!buffers) return buffers.error();
    return tensor{entry.name, *std::move(d), *std::move(buffers)};
}

std::vector<index_entry const*> catalog::in_file_order() const& {
    std::vector<index_entry const*> order;
    for (auto const& entry : tensors()) order.push_back(&entry);
    auto const before = [](index_entry const* a, index_entry const* b) {
        return a->descriptor.offset < b->descriptor.offset;
    };
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::sort(order.begin(), order.end(), before);
    return order;
}

std::vector<catalog::section> catalog::sections() const {
    using kind = section::kind;
    auto const& frame = state_->frame;
    std::vector<section> all{{kind::header, {0, format::file_header::size}}};
    for (auto const& entry : state_->index.entries) {
        all.push_back({kind::descriptor, entry.descriptor, &entry});
        if (entry.data.length != 0) all.push_back({kind::data, entry.data, &entry});
    }
    if (frame.trailer.metadata.length != 0) all.push_back({kind::metadata, frame.trailer.metadata});
    all.push_back({kind::index, frame.trailer.index});
    all.push_back(
        {kind::trailer, {frame.file_size - format::trailer::size, format::trailer::size}});
    std::stable_sort(all.begin(), all.end(), [](section const& a, section const& b) {
        return a.where.offset < b.where.offset;
    });
    return all;
}

}  // namespace v0
}  // namespace hurray
