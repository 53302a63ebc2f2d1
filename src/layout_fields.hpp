#pragma once

#include <cstdint>
#include <span>

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "wire.hpp"

namespace hurray::format {

/// What the layout's fields are checked against.
struct layout_context {
    hurray::layout layout{};
    std::span<std::uint64_t const> shape;
    bool has_shard = false;
    hurray::mode mode = mode::strict;
};

/// Decodes the fields that follow byte_offset. Errors count from the descriptor's start.
result<layout_fields> decode_layout_fields(wire::cursor& in, layout_context const&);
/// Encodes the fields that belong to the descriptor's layout, and no others.
void encode_layout_fields(wire::appender& out, descriptor const&);

/// Tags F0 ... FE.
constexpr bool is_private_tag(std::uint8_t tag) noexcept { return tag >= 0xF0 && tag <= 0xFE; }
bool is_named(layout) noexcept;
/// Whether it can be told where the fields of such a layout end.
bool has_known_fields(layout) noexcept;
/// Layouts whose elements all have a place: buffer 0 is the data.
bool is_dense(layout) noexcept;

}  // namespace hurray::format
