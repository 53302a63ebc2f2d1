#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "wire.hpp"

namespace hurray::format {

// The optional sections of a descriptor after the buffer table and quantization, in file order.
// Errors count from the descriptor's start.

result<shard> decode_shard(wire::cursor& in, std::span<std::uint64_t const> shape);
void encode(wire::appender& out, shard const&);

/// nnz is the layout's own, which the section must not contradict.
/// Errors of come after the whole section was taken, so that it can be dropped.
result<statistics> decode_statistics(wire::cursor& in, std::optional<std::uint64_t> nnz);
void encode(wire::appender& out, statistics const&);

result<extension_type> decode_extension(wire::cursor& in);
void encode(wire::appender& out, extension_type const&);

result<composite_role> decode_member(wire::cursor& in);
void encode(wire::appender& out, composite_role);

}  // namespace hurray::format
