#pragma once

// The published list: the fields in which damage may go unnoticed when a file has no checksums
// (hurray::checksums), what may then be decoded differently, and why no reader can know better.
// Damage in any other byte is refused.

#include "judge.hpp"

namespace hurray_test {

struct meaning {
    std::string_view field;
    aspects may_change;
    std::string_view why;
};

inline constexpr meaning meanings[] = {
    {"header.version_minor", 0, "a later minor version is read as 1.0 (R-008)"},
    {"header.flags", aspect::notes,
     "HAS_KV_METADATA is only a note (A-01); a sorted index may say so"},
    {"header.data_alignment", 0, "of no buffer, in a file without any"},
    {"header.first_descriptor", 0, "of no descriptor, in a file without tensors"},
    {"header.tensor_count_hint", aspect::notes, "never relied on (R-017)"},

    {"descriptor.version_minor", aspect::ignored, "a later minor version is read as 1.0 (R-070)"},
    {"descriptor.flags", aspect::shard, "the shard section of a scalar takes no bytes"},
    {"descriptor.type_tag", aspect::type, "another type of the same width"},
    {"descriptor.layout_tag", aspect::layout | aspect::layout_fields,
     "another layout with the same fields and buffers"},
    {"descriptor.shape", aspect::shape, "a dimension that no buffer's size depends on"},
    {"descriptor.byte_offset", aspect::byte_offset, "where a dense buffer begins, if it has room"},
    {"layout.stride", aspect::layout_fields, "strides that stay inside the buffer"},
    {"layout.tile_shape", aspect::layout_fields, "other tiles of the same elements"},
    {"layout.tile_outer", aspect::layout_fields, "row-major or column-major"},
    {"layout.tile_inner", aspect::layout_fields, "row-major or column-major"},
    {"layout.morton_bits", aspect::layout_fields, "more bits than needed"},
    {"layout.coo_is_sorted", aspect::layout_fields, "a claim that is not checked"},
    {"layout.mode_order", aspect::layout_fields, "another permutation"},
    {"layout.page_size", aspect::layout_fields, "pages, whose sizes the descriptor does not tell"},
    {"layout.num_pages", aspect::layout_fields, "pages, whose sizes the descriptor does not tell"},
    {"layout.kv_role", aspect::layout_fields, "a name for the tensor's use"},
    {"layout.layer_index", aspect::layout_fields, "a name for the tensor's use"},
    {"layout.composite_rule", aspect::layout_fields, "another rule its members satisfy"},
    {"layout.combine_op", aspect::layout_fields, "replace or add"},
    {"buffer.byte_size", aspect::buffers | aspect::places, "a dense buffer may be larger"},
    {"buffer.alignment", aspect::buffers, "another alignment that the place honours"},
    {"buffer.device", aspect::buffers, "another device that allows the memory class"},
    {"buffer.sync_mode", aspect::buffers, "how another device than the CPU was synchronised"},
    {"buffer.memory_class", aspect::buffers, "another class that the device allows"},

    {"quantization.flags", aspect::quantization, "symmetric or not, where nothing else shows it"},
    {"quantization.scale", aspect::quantization, "a value"},
    {"quantization.zero_point", aspect::quantization, "a value in the type's range"},
    {"quantization.axis", aspect::quantization, "another axis with buffers of the same size"},
    {"quantization.block_size", aspect::quantization, "other blocks, as many of them"},
    {"quantization.scale_buffer", aspect::quantization, "another buffer of the same size"},
    {"quantization.zero_point_buffer", aspect::quantization, "another buffer of the same size"},
    {"quantization.scale_type", aspect::quantization, "another type of the same width"},
    {"shard.parent_shape", aspect::shard, "a larger parent"},
    {"shard.offset", aspect::shard, "another place that the parent has room for"},
    {"statistics.computed_mask", aspect::statistics | aspect::ignored, "a statistic not stated"},
    {"statistics.nnz", aspect::statistics | aspect::ignored, "where no layout says it"},
    {"statistics.sparsity_ratio", aspect::statistics | aspect::ignored, "advisory (R-161)"},
    {"statistics.range", aspect::statistics | aspect::ignored, "advisory (R-161)"},
    {"statistics.moments", aspect::statistics | aspect::ignored, "advisory (R-161)"},
    {"statistics.n_of_m", aspect::statistics | aspect::ignored, "advisory (R-161)"},
    {"statistics.specials", aspect::statistics | aspect::ignored, "advisory (R-161)"},
    {"extension.bit_width", aspect::extension, "a width that needs as many bytes"},
    {"extension.is_float", aspect::extension, "what somebody else's type means"},
    {"extension.is_signed", aspect::extension, "what somebody else's type means"},
    {"extension.bits", aspect::extension, "what somebody else's type means"},
    {"extension.exponent_bias", aspect::extension, "what somebody else's type means"},
    {"extension.has_nan_inf", aspect::extension, "what somebody else's type means"},
    {"member.role", aspect::member, "base or correction, outside an overlay"},

    {"index.data_offset", aspect::places, "of a composite head, which has no data (A-05)"},

    {"kv.key", aspect::key_values, "another key"},
    {"kv.tag", aspect::key_values, "another type of the same width"},
    {"kv.element_tag", aspect::key_values, "another type of the same width"},
    {"kv.string", aspect::key_values, "a value"},
    {"kv.bytes", aspect::key_values, "a value"},
    {"kv.bool", aspect::key_values, "a value"},
    {"kv.number", aspect::key_values, "a value"},

    {"data.values", aspect::data, "a value"},
    {"data.indices", aspect::data, "an index that still fits between its neighbours"},
    {"data.pointers", aspect::data, "rows that end elsewhere and still increase"},
    {"data.other", aspect::data, "elements whose rules are not read here (structure only)"},
};

/// What two fields can do together and neither alone.
struct joint_meaning {
    std::string_view first, second;
    aspects may_change;
    std::string_view why;
};

inline constexpr joint_meaning joint_meanings[] = {
    {"descriptor.version_minor", "descriptor.flags",
     aspect::quantization | aspect::shard | aspect::statistics | aspect::extension |
         aspect::member | aspect::ignored,
     "a section that no flag announces is what a later minor version may add (R-070)"},
    {"extension.bit_width", "extension.packing_factor", aspect::extension,
     "another width that the buffer has room for"},
};

inline joint_meaning const* joint_meaning_of(std::string_view first, std::string_view second) {
    for (auto const& m : joint_meanings)
        if (m.first == first && m.second == second) return &m;
    return nullptr;
}

inline meaning const* meaning_of(std::string_view field) {
    for (auto const& m : meanings)
        if (m.field == field) return &m;
    return nullptr;
}

}  // namespace hurray_test
