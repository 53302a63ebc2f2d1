#include "sections.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hurray::format {
namespace {

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }
error truncated(wire::cursor const& in) { return fail(errc::descriptor_truncated, in.position()); }

template<std::size_t Offset, std::size_t N>
double float64(std::span<std::byte const, N> record) noexcept {
    return std::bit_cast<double>(wire::field<std::uint64_t, Offset>(record));
}

}  // namespace

result<shard> decode_shard(wire::cursor& in, std::span<std::uint64_t const> shape) {
    auto const parent_at = in.position();
    auto parent = in.take_numbers<std::uint64_t>(shape.size());
    if (!parent) return truncated(in);
    auto const offset_at = in.position();
    auto offset = in.take_numbers<std::uint64_t>(shape.size());
    if (!offset) return truncated(in);
    for (std::size_t k = 0; k < shape.size(); ++k)  // R-089, before R-156 (C-04)
        if (shape[k] == dynamic || (*parent)[k] == dynamic)
            return fail(errc::dynamic_dimension_in_shard, parent_at + 8 * k);
    for (std::size_t k = 0; k < shape.size(); ++k)
        if ((*offset)[k] > (*parent)[k] || shape[k] > (*parent)[k] - (*offset)[k])
            return fail(errc::shard_outside_parent, offset_at + 8 * k);
    return shard{*std::move(parent), *std::move(offset)};
}

void encode(wire::appender& out, shard const& s) { out.numbers(s.parent_shape).numbers(s.offset); }

result<statistics> decode_statistics(wire::cursor& in, std::optional<std::uint64_t> nnz) {
    auto const at = in.position();
    auto const record = in.take<72>();
    if (!record) return truncated(in);
    auto const mask = wire::field<std::uint32_t, 0>(*record);
    auto const has = [&](unsigned bit) { return (mask >> bit & 1u) != 0; };
    if ((mask >> 6) != 0) return fail(errc::unknown_statistics, at);
    if (!wire::all_zero(record->subspan<4, 4>()))
        return fail(errc::statistics_reserved_not_zero, at + 4);
    if (!wire::all_zero(record->subspan<68, 4>()))
        return fail(errc::statistics_reserved_not_zero, at + 68);

    statistics s;  // a field counts when its bit is set
    auto const nan = wire::field<std::uint8_t, 66>(*record);
    auto const inf = wire::field<std::uint8_t, 67>(*record);
    if (has(0)) s.nnz = wire::field<std::uint64_t, 8>(*record);
    if (has(1)) s.sparsity_ratio = float64<16>(*record);
    if (has(2)) s.values = {float64<24>(*record), float64<32>(*record), float64<40>(*record)};
    if (has(3)) s.distribution = {float64<48>(*record), float64<56>(*record)};
    if (has(4))
        s.pattern = {wire::field<std::uint8_t, 64>(*record),
                     wire::field<std::uint8_t, 65>(*record)};
    if (has(5)) s.special = {nan != 0, inf != 0};

    if (s.nnz && nnz && *s.nnz != *nnz)
        return fail(errc::statistics_nnz_mismatch, at + 8);
    if (s.sparsity_ratio && !(*s.sparsity_ratio >= 0 && *s.sparsity_ratio <= 1))
        return fail(errc::bad_statistics, at + 16);
    if (s.distribution && !(s.distribution->stddev >= 0))
        return fail(errc::bad_statistics, at + 56);
    if (s.pattern && s.pattern->n > s.pattern->m)
        return fail(errc::bad_statistics, at + 64);
    if (has(5) && nan > 1) return fail(errc::bad_statistics, at + 66);
    if (has(5) && inf > 1) return fail(errc::bad_statistics, at + 67);
    return s;
}

void encode(wire::appender& out, statistics const& s) {
    auto const bit = [](bool set, unsigned n) { return std::uint32_t{set} << n; };
    auto const number = [&](double d) { out.number(std::bit_cast<std::uint64_t>(d)); };
    // what is not known has no bit.
    out.number(bit(s.nnz.has_value(), 0) | bit(s.sparsity_ratio.has_value(), 1) |
               bit(s.values.has_value(), 2) | bit(s.distribution.has_value(), 3) |
               bit(s.pattern.has_value(), 4) | bit(s.special.has_value(), 5));
    out.zeros(4).number(s.nnz.value_or(0));
    auto const values = s.values.value_or(statistics::range{});
    auto const distribution = s.distribution.value_or(statistics::moments{});
    for (auto const d : {s.sparsity_ratio.value_or(0.0), values.min, values.max, values.abs_max,
                         distribution.mean, distribution.stddev})
        number(d);
    auto const pattern = s.pattern.value_or(statistics::n_of_m{});
    auto const special = s.special.value_or(statistics::specials{});
    out.number(pattern.n).number(pattern.m);
    out.number(std::uint8_t{special.has_nan}).number(std::uint8_t{special.has_inf}).zeros(4);
}

result<extension_type> decode_extension(wire::cursor& in) {
    auto const at = in.position();
    auto const record = in.take<20>();
    if (!record) return truncated(in);
    auto const is_float = wire::field<std::uint8_t, 5>(*record);
    auto const is_signed = wire::field<std::uint8_t, 6>(*record);
    auto const has_nan = wire::field<std::uint8_t, 16>(*record);
    auto const has_inf = wire::field<std::uint8_t, 17>(*record);
    extension_type const e{
        .bit_width = wire::field<std::uint32_t, 0>(*record),
        .packing_factor = wire::field<std::uint8_t, 4>(*record),
        .is_float = is_float != 0,
        .is_signed = is_signed != 0,
        .sign_bits = wire::field<std::uint8_t, 7>(*record),
        .exponent_bits = wire::field<std::uint8_t, 8>(*record),
        .mantissa_bits = wire::field<std::uint8_t, 9>(*record),
        .exponent_bias = wire::field<std::uint32_t, 12>(*record),
        .has_nan = has_nan != 0,
        .has_inf = has_inf != 0,
    };
    bool const packed = e.bit_width == 1 || e.bit_width == 2 || e.bit_width == 4;
    bool const wide = e.bit_width >= 8;
    if (!packed && !wide) return fail(errc::bad_extension_width, at);
    if (e.packing_factor != (packed ? 8 / e.bit_width : 1))
        return fail(errc::bad_extension_width, at + 4);
    for (auto const reserved : {10u, 18u})
        if (!wire::all_zero(std::span<std::byte const>(*record).subspan(reserved, 2)))
            return fail(errc::extension_reserved_not_zero, at + reserved);

    auto const contradiction = [&](std::uint64_t field) {
        return fail(errc::bad_extension_fields, at + field);
    };
    if (is_float > 1) return contradiction(5);
    if (is_signed > 1 || (e.is_float && e.is_signed)) return contradiction(6);
    if (e.sign_bits > 1 || (!e.is_float && e.sign_bits != 0)) return contradiction(7);
    if (!e.is_float && e.exponent_bits != 0) return contradiction(8);
    if (!e.is_float && e.mantissa_bits != 0) return contradiction(9);
    if (!e.is_float && e.exponent_bias != 0) return contradiction(12);
    if (has_nan > 1 || (!e.is_float && e.has_nan)) return contradiction(16);
    if (has_inf > 1 || (!e.is_float && e.has_inf)) return contradiction(17);
    return e;
}

void encode(wire::appender& out, extension_type const& e) {
    auto const flag = [](bool b) { return std::uint8_t{b}; };
    out.number(e.bit_width).number(e.packing_factor).number(flag(e.is_float));
    out.number(flag(e.is_signed)).number(e.sign_bits).number(e.exponent_bits);
    out.number(e.mantissa_bits).zeros(2).number(e.exponent_bias);
    out.number(flag(e.has_nan)).number(flag(e.has_inf)).zeros(2);
}

result<composite_role> decode_member(wire::cursor& in) {
    auto const at = in.position();
    auto const record = in.take<16>();
    if (!record) return truncated(in);
    auto const role = wire::field<std::uint8_t, 0>(*record);
    if (role > 1) return fail(errc::bad_composite_member, at);
    if (!wire::all_zero(record->subspan<1, 15>()))
        return fail(errc::bad_composite_member, at + 1);
    return static_cast<composite_role>(role);
}

void encode(wire::appender& out, composite_role role) {
    out.number(static_cast<std::uint8_t>(role)).zeros(15);
}

}  // namespace hurray::format
