#include <hurray/descriptor.hpp>

#include <algorithm>
#include <array>

#include "buffers.hpp"
#include "layout_fields.hpp"
#include "quantization.hpp"
#include "sections.hpp"
#include "wire.hpp"

namespace hurray {
namespace {

enum flag : std::uint32_t {
    has_quantization = 1u << 0,
    has_shard = 1u << 1,
    has_extension = 1u << 2,
    has_statistics = 1u << 3,
    has_member = 1u << 4,
};
constexpr std::uint32_t known_flags = 0x1F;
constexpr std::array<char, 4> magic{'H', 'R', 'R', 'Y'};
constexpr std::size_t fixed_size = 20;
constexpr std::uint32_t largest_rank = 64;

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

/// The first 20 bytes.
struct fixed_header {
    std::uint8_t version_minor;
    std::uint32_t flags;
    hurray::element_type element_type;
    hurray::layout layout;
    std::uint32_t rank;
};

result<void> check_tags(fixed_header const& h, mode mode) {
    auto const type = static_cast<std::uint8_t>(h.element_type);
    auto const layout = static_cast<std::uint8_t>(h.layout);
    bool const private_type = format::is_private_tag(type);
    if (type == 0x00 || type == 0x47 || type == 0xFF)
        return fail(errc::reserved_element_type, 14);
    if (((h.flags & has_extension) != 0) != private_type)
        return fail(errc::extension_flag_wrong, 10);
    if (bits_of(h.element_type) == 0 && !private_type && mode == mode::strict)
        return fail(errc::unknown_element_type, 14);
    if (layout == 0x00 || layout == 0xFF) return fail(errc::unknown_layout, 15);
    if (!format::is_named(h.layout) && mode == mode::strict)
        return fail(errc::unknown_layout, 15);
    if (h.rank > largest_rank) return fail(errc::rank_too_large, 16);
    if (h.rank == 0 && h.layout != layout::row_major)
        return fail(errc::scalar_not_row_major, 16);
    if ((h.layout == layout::csr || h.layout == layout::csc) && h.rank != 2)
        return fail(errc::rank_not_two, 16);
    return {};
}

result<fixed_header> decode_fixed(std::span<std::byte const, fixed_size> bytes, std::uint64_t size,
                                  mode mode) {
    for (std::size_t i = 0; i < magic.size(); ++i)
        if (bytes[i] != static_cast<std::byte>(magic[i]))
            return fail(errc::bad_descriptor_magic, i);
    auto const major = wire::field<std::uint8_t, 4>(bytes);
    if (major > 1) return fail(errc::descriptor_version_too_new, 4);
    if (major < 1) return fail(errc::descriptor_version_too_old, 4);
    auto const length = wire::field<std::uint32_t, 6>(bytes);
    if (length < fixed_size) return fail(errc::descriptor_too_short, 6);
    if (length != size) return fail(errc::descriptor_length_mismatch, 6);
    fixed_header const h{
        .version_minor = wire::field<std::uint8_t, 5>(bytes),
        .flags = wire::field<std::uint32_t, 10>(bytes),
        .element_type = static_cast<element_type>(wire::field<std::uint8_t, 14>(bytes)),
        .layout = static_cast<layout>(wire::field<std::uint8_t, 15>(bytes)),
        .rank = wire::field<std::uint32_t, 16>(bytes),
    };
    if ((h.flags & ~known_flags) != 0) return fail(errc::unknown_descriptor_flags, 10);
    if (auto ok = check_tags(h, mode); !ok) return ok.error();
    return h;
}

bool byte_offset_must_be_zero(layout layout) noexcept {
    switch (layout) {
    case layout::coo:
    case layout::csr:
    case layout::csc:
    case layout::csf:
    case layout::composite:
        return true;
    default:
        return false;
    }
}

/// The sections after the buffer table, as the flags announce them.
result<void> decode_sections(wire::cursor& in, std::uint32_t flags, descriptor& d, mode mode) {
    if ((flags & has_quantization) != 0) {
        auto const section_at = in.position();
        auto found = format::decode_quantization(in, d, mode);
        if (!found) return found.error();
        d.quantization = *found;
        if (std::holds_alternative<unknown_scheme>(found->scheme))
            d.notes.push_back(fail(errc::unknown_quantization, section_at + 4));
    }
    if ((flags & has_shard) != 0) {
        auto found = format::decode_shard(in, d.shape);
        if (!found) return found.error();
        d.shard = *std::move(found);
    }
    if ((flags & has_statistics) != 0) {
        auto const found = format::decode_statistics(in, d.nnz());
        if (found) {
            d.statistics = *found;
        } else {  // permissive mode drops the section
            auto const& e = found.error();
            bool const droppable =
                e.code == errc::statistics_nnz_mismatch || e.code == errc::bad_statistics;
            if (mode == mode::strict || !droppable) return e;
            d.notes.push_back(e);
        }
    }
    if ((flags & has_extension) != 0) {
        auto const found = format::decode_extension(in);
        if (!found) return found.error();
        d.extension = *found;
    }
    if ((flags & has_member) != 0) {
        auto const found = format::decode_member(in);
        if (!found) return found.error();
        d.member = *found;
    }
    return {};
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

result<descriptor> descriptor::decode(std::span<std::byte const> bytes, hurray::mode mode) {
    if (bytes.size() < fixed_size) return fail(errc::descriptor_too_short, 0);
    wire::cursor in(bytes);
    auto const fixed = decode_fixed(*in.take<fixed_size>(), bytes.size(), mode);
    if (!fixed) return fixed.error();

    descriptor d{.layout = fixed->layout,
                 .element_type = fixed->element_type,
                 .shape = {},
                 .fields = {},
                 .buffers = {}};
    bool const typed = bits_of(d.element_type) != 0 ||
                       format::is_private_tag(static_cast<std::uint8_t>(d.element_type));
    if (!typed) d.notes.push_back(fail(errc::unknown_element_type, 14));
    if (!format::is_named(d.layout)) d.notes.push_back(fail(errc::unknown_layout, 15));
    auto shape = in.take_numbers<std::uint64_t>(fixed->rank);
    if (!shape) return fail(errc::descriptor_truncated, in.position());
    d.shape = *std::move(shape);
    auto const byte_offset_at = in.position();
    auto const byte_offset = in.take_number<std::uint64_t>();
    if (!byte_offset) return fail(errc::descriptor_truncated, byte_offset_at);
    if (*byte_offset != 0 && byte_offset_must_be_zero(d.layout))
        return fail(errc::byte_offset_not_zero, byte_offset_at);
    d.byte_offset = *byte_offset;

    auto const fields_at = in.position();
    auto fields = format::decode_layout_fields(
        in, {d.layout, d.shape, (fixed->flags & has_shard) != 0, mode});
    if (!fields) return fields.error();
    d.fields = *std::move(fields);
    if (!format::has_known_fields(d.layout)) return d;
    if (d.layout == layout::composite && (fixed->flags & (has_quantization | has_member)) != 0)
        return fail(errc::bad_composite_head, 10);

    auto table = format::buffer_table::decode(in, d.layout, mode);
    if (!table) return table.error();
    d.buffers = table->handles;
    if (auto ok = decode_sections(in, fixed->flags, d, mode); !ok) return ok.error();
    if (in.remaining() != 0 && fixed->version_minor == 0)  // R-076; otherwise
        return fail(errc::descriptor_longer_than_its_fields, in.position());
    if (auto ok = format::check_buffers(d, *table, fields_at, mode); !ok) return ok.error();
    return d;
}

std::vector<std::byte> descriptor::encode() const {
    std::vector<std::byte> bytes;
    wire::appender out(bytes);
    auto const bit = [](bool set, std::uint32_t flag) { return set ? flag : 0u; };
    out.bytes(std::as_bytes(std::span(magic)))
        .number(std::uint8_t{1})
        .number(std::uint8_t{0});
    out.number(std::uint32_t{0});  // the length, known at the end
    out.number(bit(quantization.has_value(), has_quantization) | bit(shard.has_value(), has_shard) |
               bit(extension.has_value(), has_extension) |
               bit(statistics.has_value(), has_statistics) | bit(member.has_value(), has_member));
    out.number(static_cast<std::uint8_t>(element_type)).number(static_cast<std::uint8_t>(layout));
    out.number(static_cast<std::uint32_t>(shape.size())).numbers(shape).number(byte_offset);
    format::encode_layout_fields(out, *this);
    format::encode(out, std::span(buffers));
    // each section whole.
    if (quantization) format::encode(out, *quantization);
    if (shard) format::encode(out, *shard);
    if (statistics) format::encode(out, *statistics);
    if (extension) format::encode(out, *extension);
    if (member) format::encode(out, *member);
    wire::set_field<std::uint32_t, 6>(std::span(bytes).first<fixed_size>(),
                                      static_cast<std::uint32_t>(bytes.size()));
    return bytes;
}

std::optional<std::uint64_t> descriptor::nnz() const noexcept {
    switch (layout) {
    case layout::coo:
    case layout::csr:
    case layout::csc:
    case layout::csf:
        return fields.nnz;
    default:
        return std::nullopt;
    }
}

bool descriptor::has_dynamic_dimension() const noexcept {
    return std::find(shape.begin(), shape.end(), dynamic) != shape.end();
}

std::optional<std::uint64_t> descriptor::bytes_of(std::uint64_t count) const noexcept {
    if (!extension) return bytes_for(element_type, count);
    auto const width = extension->bit_width;
    if (width < 8) return count / (8 / width) + (count % (8 / width) != 0 ? 1 : 0);
    std::uint64_t size{};
    if (width % 8 != 0 || __builtin_mul_overflow(count, width / 8u, &size)) return std::nullopt;
    return size;
}

}  // namespace v0
}  // namespace hurray
