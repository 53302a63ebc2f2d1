#include "quantization.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "align.hpp"

namespace hurray::format {
namespace {

namespace scheme {
constexpr std::uint8_t per_tensor = 1, per_channel = 2, per_block = 3, nf4 = 4, mxfp = 5;
}
constexpr std::uint16_t symmetric_flag = 1;
constexpr std::size_t header_size = 4;

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

/// Bytes of a scheme in all, its header included; 0 for a scheme without a name.
constexpr std::size_t size_of(std::uint8_t tag) noexcept {
    switch (tag) {
    case scheme::per_tensor:
        return 16;
    case scheme::per_channel:
        return 20;
    case scheme::per_block:
        return 24;
    case scheme::nf4:
    case scheme::mxfp:
        return 16;
    default:
        return 0;
    }
}

/// Integer types with a zero point, and the range it must lie in.
struct zero_point_range {
    std::int64_t min, max;
};
std::optional<zero_point_range> affine_range(element_type type) noexcept {
    switch (type) {
    case element_type::int8:
    case element_type::int16:
    case element_type::int32:
    case element_type::int4:
    case element_type::int2: {
        auto const half = std::int64_t{1} << (bits_of(type) - 1);
        return zero_point_range{-half, half - 1};
    }
    case element_type::uint8:
    case element_type::uint16:
    case element_type::uint32:
    case element_type::uint4:
    case element_type::uint2:
        return zero_point_range{0, (std::int64_t{1} << bits_of(type)) - 1};
    default:
        return std::nullopt;
    }
}

/// One scheme's fields, the tensor they belong to, and the rule they answer to.
struct context {
    std::span<std::byte const> fields;  ///< from the scheme's header on
    std::uint64_t at;                   ///< where they begin in the descriptor
    descriptor const& d;
    errc rule;

    template<class T> T number(std::size_t offset) const noexcept {
        return wire::field<T, 0>(fields.subspan(offset).template first<sizeof(T)>());
    }
    error bad(std::size_t offset) const { return fail(rule, at + offset); }
    bool zero(std::size_t offset, std::size_t count) const {
        return wire::all_zero(fields.subspan(offset, count));
    }

    result<void> check_axis() const {
        auto const axis = number<std::uint32_t>(4);
        if (axis >= d.shape.size()) return bad(4);
        if (d.shape[axis] == dynamic) return fail(errc::dynamic_quantized_axis, at + 4);
        return {};
    }
    /// Block size: a power of two from `least`, at most the axis unless that is empty.
    result<void> check_block(std::uint32_t least) const {
        auto const size = number<std::uint32_t>(8);
        auto const along = d.shape[number<std::uint32_t>(4)];
        if (!wire::is_power_of_two(size) || size < least) return bad(8);
        if (along != 0 && size > along) return bad(8);
        return {};
    }
    /// Parameter buffer k is no data buffer and in the table.
    result<void> check_index(std::size_t offset, errc out_of_place) const {
        auto const k = number<std::uint32_t>(offset);
        if (k == 0 || k >= d.buffers.size()) return fail(out_of_place, at + offset);
        return {};
    }
    /// How many blocks there are, one that is not full included; nothing if other
    /// dimensions are dynamic.
    std::optional<std::uint64_t> blocks(std::uint32_t block_size) const {
        auto const axis = number<std::uint32_t>(4);
        std::optional<std::uint64_t> count = 1;
        for (std::size_t k = 0; k < d.shape.size(); ++k) {
            auto const n = d.shape[k];
            if (n == 0) return 0;
            auto const along = k == axis ? (n - 1) / block_size + 1 : n;
            count = count ? wire::checked_multiply(*count, along) : std::nullopt;
        }
        return count;
    }
};

/// Scales and zero points have exact sizes; one buffer may hold both, one after the other.
result<void> check_parameter_sizes(context const& c, std::optional<std::uint64_t> count,
                                   std::uint64_t scale_width, std::size_t scale_field,
                                   std::size_t zero_field, bool symmetric) {
    if (c.d.has_dynamic_dimension()) return {};
    auto const bytes = [&](std::uint64_t width) {
        return count ? wire::checked_multiply(*count, width) : std::nullopt;
    };
    auto const size = [&](std::size_t field) {
        return std::optional(c.d.buffers[c.number<std::uint32_t>(field)].byte_size);
    };
    if (!count) return c.bad(scale_field);
    bool const shared =
        !symmetric && c.number<std::uint32_t>(scale_field) == c.number<std::uint32_t>(zero_field);
    auto const scales = bytes(scale_width + (shared ? 4 : 0));
    if (!scales || size(scale_field) != scales) return c.bad(scale_field);
    if (symmetric || shared) return {};
    if (auto const zeros = bytes(4); !zeros || size(zero_field) != zeros) return c.bad(zero_field);
    return {};
}

result<quantization> decode_per_tensor(context const& c) {
    per_tensor_affine const s{.scale = std::bit_cast<float>(c.number<std::uint32_t>(4)),
                              .zero_point = c.number<std::int32_t>(8)};
    auto const range = affine_range(c.d.element_type);
    if (!range) return c.bad(0);
    if (!std::isfinite(s.scale) || s.scale == 0) return c.bad(4);
    if (s.zero_point < range->min || s.zero_point > range->max) return c.bad(8);
    if (!c.zero(12, 4)) return c.bad(12);
    return quantization{.scheme = s};
}

result<void> check_zero_point_buffer(context const& c, std::size_t field, bool symmetric,
                                     errc out_of_place) {
    if (!symmetric) return c.check_index(field, out_of_place);
    if (c.number<std::uint32_t>(field) != no_buffer) return c.bad(field);
    return {};
}

result<quantization> decode_per_channel(context const& c, bool symmetric) {
    per_channel_affine const s{.symmetric = symmetric,
                               .axis = c.number<std::uint32_t>(4),
                               .scale_buffer = c.number<std::uint32_t>(8),
                               .zero_point_buffer = c.number<std::uint32_t>(12)};
    if (!affine_range(c.d.element_type)) return c.bad(0);
    if (auto ok = c.check_axis(); !ok) return ok.error();
    if (auto ok = c.check_index(8, c.rule); !ok) return ok.error();
    if (auto ok = check_zero_point_buffer(c, 12, symmetric, c.rule); !ok) return ok.error();
    if (c.number<std::uint8_t>(16) != 0x03) return c.bad(16);
    if (!c.zero(17, 3)) return c.bad(17);
    if (auto ok = check_parameter_sizes(c, c.d.shape[s.axis], 4, 8, 12, symmetric); !ok)
        return ok.error();
    return quantization{.scheme = s};
}

result<quantization> decode_per_block(context const& c, bool symmetric) {
    auto const scale_type = c.number<std::uint8_t>(20);
    per_block_affine const s{.symmetric = symmetric,
                             .axis = c.number<std::uint32_t>(4),
                             .block_size = c.number<std::uint32_t>(8),
                             .scale_buffer = c.number<std::uint32_t>(12),
                             .zero_point_buffer = c.number<std::uint32_t>(16),
                             .scale_type = static_cast<element_type>(scale_type)};
    auto const type = c.d.element_type;
    if (!affine_range(type) || bits_of(type) > 8) return c.bad(0);
    if (auto ok = c.check_axis(); !ok) return ok.error();
    if (auto ok = c.check_block(2); !ok) return ok.error();
    if (auto ok = c.check_index(12, errc::bad_quantization_buffer); !ok) return ok.error();
    if (auto ok = check_zero_point_buffer(c, 16, symmetric, errc::bad_quantization_buffer); !ok)
        return ok.error();
    if (scale_type < 1 || scale_type > 3) return c.bad(20);
    if (!c.zero(21, 3)) return c.bad(21);
    auto const width = bits_of(s.scale_type) / 8;
    if (auto ok = check_parameter_sizes(c, c.blocks(s.block_size), width, 12, 16, symmetric); !ok)
        return ok.error();
    return quantization{.scheme = s};
}

result<quantization> decode_nf4(context const& c) {
    nf4 const s{c.number<std::uint32_t>(4), c.number<std::uint32_t>(8),
                c.number<std::uint32_t>(12)};
    if (c.d.element_type != element_type::uint4) return c.bad(0);
    if (auto ok = c.check_axis(); !ok) return ok.error();
    if (auto ok = c.check_block(8); !ok) return ok.error();
    if (auto ok = c.check_index(12, c.rule); !ok) return ok.error();
    if (auto ok = check_parameter_sizes(c, c.blocks(s.block_size), 4, 12, 12, true); !ok)
        return ok.error();
    return quantization{.scheme = s};
}

bool is_mxfp_type(element_type type) noexcept {
    switch (type) {
    case element_type::float8_e4m3:
    case element_type::float8_e5m2:
    case element_type::float4_e2m1:
    case element_type::float6_e2m3:
    case element_type::float6_e3m2:
    case element_type::int8:
    case element_type::int4:
        return true;
    default:
        return false;
    }
}

result<quantization> decode_mxfp(context const& c) {
    mxfp const s{c.number<std::uint32_t>(4), c.number<std::uint32_t>(8),
                 c.number<std::uint32_t>(12)};
    if (!is_mxfp_type(c.d.element_type)) return c.bad(0);
    if (auto ok = c.check_axis(); !ok) return ok.error();
    auto const along = c.d.shape[s.axis];
    if (!wire::is_power_of_two(s.block_size) || s.block_size < 16 || s.block_size > 2048)
        return c.bad(8);
    if (along == 0 || along % s.block_size != 0) return c.bad(8);
    if (auto ok = c.check_index(12, errc::bad_quantization_buffer); !ok)
        return ok.error();
    if (auto ok = check_parameter_sizes(c, c.blocks(s.block_size), 1, 12, 12, true); !ok)
        return ok.error();
    return quantization{.scheme = s};
}

constexpr errc rule_of(std::uint8_t tag) noexcept {
    constexpr std::array rules{errc::bad_per_tensor_affine, errc::bad_per_channel_affine,
                               errc::bad_per_block_affine, errc::bad_nf4, errc::bad_mxfp};
    return rules[tag - 1u];
}

result<quantization> decode_scheme(context const& c, std::uint8_t tag, bool symmetric) {
    switch (tag) {
    case scheme::per_tensor:
        return decode_per_tensor(c);
    case scheme::per_channel:
        return decode_per_channel(c, symmetric);
    case scheme::per_block:
        return decode_per_block(c, symmetric);
    case scheme::nf4:
        return decode_nf4(c);
    default:
        return decode_mxfp(c);
    }
}

}  // namespace

result<quantization> decode_quantization(wire::cursor& in, descriptor const& d, mode mode) {
    auto const section_at = in.position();
    auto const length = in.take_number<std::uint32_t>();
    if (!length) return fail(errc::quantization_truncated, section_at);
    auto const at = in.position();
    auto const payload = in.take(*length);
    if (!payload || *length < header_size)  // R-140, C-03
        return fail(errc::quantization_truncated, section_at);
    auto const header = payload->first<header_size>();
    auto const tag = wire::field<std::uint8_t, 0>(header);
    auto const version = wire::field<std::uint8_t, 1>(header);
    auto const flags = wire::field<std::uint16_t, 2>(header);

    auto const size = size_of(tag);
    if (size == 0) {
        bool const reserved = tag == 0x00 || tag == 0xFF;
        if (reserved || mode == mode::strict) return fail(errc::unknown_quantization, at);
        return quantization{.scheme = unknown_scheme{tag, version, flags},
                            .padding = *length - static_cast<std::uint32_t>(header_size)};
    }
    if (version != 1) return fail(errc::unknown_quantization_version, at + 1);  // R-143, C-03
    bool const may_be_symmetric = tag == scheme::per_channel || tag == scheme::per_block;
    if ((flags & ~(may_be_symmetric ? symmetric_flag : 0)) != 0)
        return fail(errc::unknown_quantization_flags, at + 2);
    if (payload->size() < size)
        return fail(errc::quantization_length_mismatch, section_at);

    auto found = decode_scheme({payload->first(size), at, d, rule_of(tag)}, tag, flags != 0);
    if (!found) return found;
    if (mode == mode::strict && !wire::all_zero(payload->subspan(size)))
        return fail(errc::quantization_length_mismatch, at + size);
    found->padding = static_cast<std::uint32_t>(payload->size() - size);
    return found;
}

namespace {

struct encoder {
    wire::appender& out;

    void header(std::uint8_t tag, bool symmetric) const {
        out.number(tag).number(std::uint8_t{1});
        out.number(symmetric ? symmetric_flag : std::uint16_t{0});
    }
    void operator()(per_tensor_affine const& s) const {
        header(scheme::per_tensor, false);
        out.number(std::bit_cast<std::uint32_t>(s.scale)).number(s.zero_point).zeros(4);
    }
    void operator()(per_channel_affine const& s) const {
        header(scheme::per_channel, s.symmetric);
        out.number(s.axis).number(s.scale_buffer).number(s.zero_point_buffer);
        out.number(std::uint8_t{0x03}).zeros(3);
    }
    void operator()(per_block_affine const& s) const {
        header(scheme::per_block, s.symmetric);
        out.number(s.axis).number(s.block_size).number(s.scale_buffer).number(s.zero_point_buffer);
        out.number(static_cast<std::uint8_t>(s.scale_type)).zeros(3);
    }
    void operator()(nf4 const& s) const {
        header(scheme::nf4, false);
        out.number(s.axis).number(s.block_size).number(s.scale_buffer);
    }
    void operator()(mxfp const& s) const {
        header(scheme::mxfp, false);
        out.number(s.axis).number(s.block_size).number(s.scale_buffer);
    }
    void operator()(unknown_scheme const& s) const {
        out.number(s.tag).number(s.version).number(s.flags);
    }
};

}  // namespace

void encode(wire::appender& out, quantization const& q) {
    std::vector<std::byte> payload;
    wire::appender fields(payload);
    std::visit(encoder{fields}, q.scheme);
    fields.zeros(q.padding);
    out.number(static_cast<std::uint32_t>(payload.size())).bytes(payload);
}

}  // namespace hurray::format
