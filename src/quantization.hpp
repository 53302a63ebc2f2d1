#pragma once

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "wire.hpp"

namespace hurray::format {

/// Decodes the quantization section and checks it against shape, element type and buffers of `d`,
/// which must be there already. Errors count from the descriptor's start.
result<quantization> decode_quantization(wire::cursor& in, descriptor const& d, mode);
void encode(wire::appender& out, quantization const&);

}  // namespace hurray::format
