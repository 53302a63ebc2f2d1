#include "layout_fields.hpp"

#include <algorithm>

#include "align.hpp"

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

std::string_view name(layout layout) noexcept {
    switch (layout) {
    case layout::row_major:
        return "row_major";
    case layout::column_major:
        return "column_major";
    case layout::strided:
        return "strided";
    case layout::tiled:
        return "tiled";
    case layout::morton:
        return "morton";
    case layout::coo:
        return "coo";
    case layout::csr:
        return "csr";
    case layout::csc:
        return "csc";
    case layout::csf:
        return "csf";
    case layout::block_paged:
        return "block_paged";
    case layout::composite:
        return "composite";
    case layout::hilbert:
        return "hilbert";
    }
    return "";
}

}  // namespace v0
}  // namespace hurray

namespace hurray::format {
namespace {

constexpr std::size_t deepest_tiling = 8;

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }
error truncated(wire::cursor const& in) { return fail(errc::descriptor_truncated, in.position()); }
error bad(std::uint64_t at) { return fail(errc::bad_layout_fields, at); }

result<layout_fields> decode_strided(wire::cursor& in, layout_context const& context) {
    auto strides = in.take_numbers<std::int64_t>(context.shape.size());
    if (!strides) return truncated(in);
    return layout_fields{.strides = *std::move(strides)};
}

result<tile_level> decode_tile_level(wire::cursor& in, std::size_t rank) {
    auto const at = in.position();
    auto shape = in.take_numbers<std::uint64_t>(rank);
    if (!shape) return truncated(in);
    if (auto const zero = std::find(shape->begin(), shape->end(), 0u); zero != shape->end())
        return bad(at + 8 * static_cast<std::uint64_t>(zero - shape->begin()));  // > 0
    auto const tags_at = in.position();
    auto const tags = in.take<4>();
    if (!tags) return truncated(in);
    auto const outer = wire::field<std::uint8_t, 0>(*tags);
    auto const inner = wire::field<std::uint8_t, 1>(*tags);
    if (outer < 1 || outer > 3) return bad(tags_at);
    if (inner < 1 || inner > 4) return bad(tags_at + 1);
    if (!wire::all_zero(tags->subspan<2, 2>())) return bad(tags_at + 2);
    tile_level level{.tile_shape = *std::move(shape),
                     .outer = static_cast<layout>(outer),
                     .inner = static_cast<layout>(inner),
                     .outer_strides = {},
                     .inner_strides = {}};
    for (auto const& [tag, strides] : {std::pair(level.outer, &level.outer_strides),
                                       std::pair(level.inner, &level.inner_strides)}) {
        if (tag != layout::strided) continue;
        auto numbers = in.take_numbers<std::int64_t>(rank);
        if (!numbers) return truncated(in);
        *strides = *std::move(numbers);
    }
    return level;
}

result<layout_fields> decode_tiled(wire::cursor& in, layout_context const& context) {
    layout_fields fields;
    do {
        if (fields.tiles.size() == deepest_tiling) return bad(in.position());  // 8 deep
        auto level = decode_tile_level(in, context.shape.size());
        if (!level) return level.error();
        fields.tiles.push_back(*std::move(level));
    } while (fields.tiles.back().inner == layout::tiled);
    return fields;
}

result<layout_fields> decode_morton(wire::cursor& in, layout_context const& context) {
    auto const at = in.position();
    auto bits = in.take_numbers<std::uint32_t>(context.shape.size());
    if (!bits) return truncated(in);
    for (std::size_t k = 0; k < bits->size(); ++k) {  // > 0 and shape[k] <= 2^bits[k]
        auto const b = (*bits)[k];
        auto const dimension = context.shape[k];
        bool const holds = b >= 64 || dimension == dynamic || dimension <= (std::uint64_t{1} << b);
        if (b == 0 || !holds) return bad(at + 4 * k);
    }
    return layout_fields{.bits = *std::move(bits)};
}

result<layout_fields> decode_coo(wire::cursor& in, layout_context const&) {
    auto const at = in.position();
    auto const record = in.take<16>();
    if (!record) return truncated(in);
    auto const sorted = wire::field<std::uint8_t, 8>(*record);
    if (sorted > 1) return bad(at + 8);
    if (!wire::all_zero(record->subspan<9, 7>())) return bad(at + 9);
    return layout_fields{.nnz = wire::field<std::uint64_t, 0>(*record), .sorted = sorted == 1};
}

result<layout_fields> decode_compressed(wire::cursor& in, layout_context const&) {
    auto const at = in.position();
    auto const record = in.take<16>();
    if (!record) return truncated(in);
    if (!wire::all_zero(record->subspan<8, 8>()))
        return fail(errc::matrix_reserved_not_zero, at + 8);
    return layout_fields{.nnz = wire::field<std::uint64_t, 0>(*record)};
}

result<layout_fields> decode_csf(wire::cursor& in, layout_context const& context) {
    auto const rank = context.shape.size();
    auto const at = in.position();
    if (rank < 3 || context.has_shard) return bad(at);
    auto const nnz = in.take_number<std::uint64_t>();
    if (!nnz) return truncated(in);
    auto const order_at = in.position();
    auto order = in.take_numbers<std::uint32_t>(rank);
    if (!order) return truncated(in);
    auto sorted = *order;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t k = 0; k < rank; ++k)
        if (sorted[k] != k) return bad(order_at);  // a permutation
    auto const reserved_at = in.position();
    auto const reserved = in.take<8>();
    if (!reserved) return truncated(in);
    if (!wire::all_zero(*reserved)) return bad(reserved_at);
    return layout_fields{.nnz = *nnz, .mode_order = *std::move(order)};
}

result<layout_fields> decode_block_paged(wire::cursor& in, layout_context const& context) {
    auto const at = in.position();
    if (context.shape.size() != 3 || context.has_shard) return bad(at);
    auto const record = in.take<32>();
    if (!record) return truncated(in);
    block_paged_fields const fields{
        .page_size = wire::field<std::uint32_t, 0>(*record),
        .pages = wire::field<std::uint64_t, 4>(*record),
        .sequences = wire::field<std::uint32_t, 16>(*record),
        .kv_role = wire::field<std::uint8_t, 20>(*record),
        .layer = wire::field<std::uint32_t, 21>(*record),
        .index_type = wire::field<std::uint8_t, 25>(*record),
    };
    if (fields.page_size == 0) return bad(at);
    if (wire::field<std::uint32_t, 12>(*record) != 0) return bad(at + 12);  // axis 0
    if (fields.kv_role > 2) return bad(at + 20);
    if (fields.index_type > 1) return bad(at + 25);
    if (!wire::all_zero(record->subspan<26, 6>())) return bad(at + 26);
    return layout_fields{.paged = fields};
}

result<layout_fields> decode_composite(wire::cursor& in, layout_context const& context) {
    auto const at = in.position();
    auto const record = in.take<8>();
    if (!record) return truncated(in);
    composite_fields const fields{
        .rule = wire::field<std::uint8_t, 0>(*record),
        .combine_op = wire::field<std::uint8_t, 1>(*record),
        .members = wire::field<std::uint32_t, 4>(*record),
    };
    bool const tolerated = is_private_tag(fields.rule) && context.mode == mode::permissive;
    bool const overlay = fields.rule == 2;
    if (!tolerated) {
        if (fields.rule < 1 || fields.rule > 3) return fail(errc::bad_composite_head, at);
        bool const legal =
            overlay ? fields.combine_op == 1 || fields.combine_op == 2 : fields.combine_op == 0;
        if (!legal) return fail(errc::bad_composite_head, at + 1);
    }
    if (!wire::all_zero(record->subspan<2, 2>()))
        return fail(errc::bad_composite_head, at + 2);
    if (fields.members == 0xFFFFFFFF || (overlay && fields.members == 0))
        return fail(errc::bad_member_count, at + 4);
    return layout_fields{.composite = fields};
}

result<layout_fields> decode_hilbert(wire::cursor& in, layout_context const& context) {
    auto const at = in.position();
    auto const record = in.take<8>();
    if (!record) return truncated(in);
    auto const order = wire::field<std::uint32_t, 0>(*record);
    auto const rank = context.shape.size();
    if (order == 0 || order > 63) return bad(at);
    if (rank < 2 || wire::field<std::uint32_t, 4>(*record) != rank) return bad(at + 4);
    for (auto const dimension : context.shape)
        if (dimension != dynamic && dimension != std::uint64_t{1} << order) return bad(at);
    return layout_fields{.order = order};
}

result<layout_fields> decode_private(wire::cursor& in) {
    auto const id = in.take_number<std::uint64_t>();
    if (!id) return truncated(in);
    auto const length = in.take_number<std::uint32_t>();
    if (!length) return truncated(in);
    auto const bytes = in.take(*length);
    if (!bytes) return truncated(in);
    return layout_fields{.private_id = *id, .private_fields = {bytes->begin(), bytes->end()}};
}

void encode_tiles(wire::appender& out, std::span<tile_level const> levels) {
    for (auto const& level : levels)
        out.numbers(level.tile_shape)
            .number(static_cast<std::uint8_t>(level.outer))
            .number(static_cast<std::uint8_t>(level.inner))
            .zeros(2)
            .numbers(level.outer_strides)
            .numbers(level.inner_strides);
}
void encode_block_paged(wire::appender& out, block_paged_fields const& f) {
    out.number(f.page_size).number(f.pages).number(std::uint32_t{0}).number(f.sequences);
    out.number(f.kv_role).number(f.layer).number(f.index_type).zeros(6);
}
void encode_composite(wire::appender& out, composite_fields const& f) {
    out.number(f.rule).number(f.combine_op).zeros(2).number(f.members);
}
void encode_private(wire::appender& out, layout_fields const& f) {
    auto const length = static_cast<std::uint32_t>(f.private_fields.size());
    out.number(f.private_id).number(length).bytes(f.private_fields);
}

}  // namespace

bool is_named(layout layout) noexcept { return !name(layout).empty(); }

bool has_known_fields(layout layout) noexcept {
    return is_named(layout) || is_private_tag(static_cast<std::uint8_t>(layout));
}

bool is_dense(layout layout) noexcept {
    switch (layout) {
    case layout::row_major:
    case layout::column_major:
    case layout::strided:
    case layout::tiled:
    case layout::morton:
    case layout::hilbert:
        return true;
    default:
        return false;
    }
}

result<layout_fields> decode_layout_fields(wire::cursor& in, layout_context const& context) {
    switch (context.layout) {
    case layout::row_major:
    case layout::column_major:
        return layout_fields{};
    case layout::strided:
        return decode_strided(in, context);
    case layout::tiled:
        return decode_tiled(in, context);
    case layout::morton:
        return decode_morton(in, context);
    case layout::coo:
        return decode_coo(in, context);
    case layout::csr:
    case layout::csc:
        return decode_compressed(in, context);
    case layout::csf:
        return decode_csf(in, context);
    case layout::block_paged:
        return decode_block_paged(in, context);
    case layout::composite:
        return decode_composite(in, context);
    case layout::hilbert:
        return decode_hilbert(in, context);
    }
    if (is_private_tag(static_cast<std::uint8_t>(context.layout))) return decode_private(in);
    return layout_fields{};  // nothing says how long they are
}

void encode_layout_fields(wire::appender& out, descriptor const& d) {
    auto const& f = d.fields;
    switch (d.layout) {
    case layout::row_major:
    case layout::column_major:
        return;
    case layout::strided:
        out.numbers(f.strides);
        return;
    case layout::tiled:
        return encode_tiles(out, f.tiles);
    case layout::morton:
        out.numbers(f.bits);
        return;
    case layout::coo:
        out.number(f.nnz).number(static_cast<std::uint8_t>(f.sorted)).zeros(7);
        return;
    case layout::csr:
    case layout::csc:
        out.number(f.nnz).zeros(8);
        return;
    case layout::csf:
        out.number(f.nnz).numbers(f.mode_order).zeros(8);
        return;
    case layout::block_paged:
        return encode_block_paged(out, f.paged);
    case layout::composite:
        return encode_composite(out, f.composite);
    case layout::hilbert:
        out.number(f.order).number(static_cast<std::uint32_t>(d.shape.size()));
        return;
    }
    if (has_known_fields(d.layout)) encode_private(out, f);
}

}  // namespace hurray::format
