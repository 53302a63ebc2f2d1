#pragma once

#include <cstdint>
#include <optional>

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

#include "wire.hpp"

namespace hurray::format {

/// The buffer table: how many, then 16 bytes each. Errors count from the descriptor's start.
struct buffer_table {
    static constexpr std::size_t handle_size = 16;
    std::uint64_t at = 0;  ///< where the table begins in the descriptor
    std::vector<buffer_handle> handles;

    static result<buffer_table> decode(wire::cursor& in, layout, mode);
    /// Where handle k begins: its byte_size field.
    std::uint64_t position(std::size_t k) const noexcept { return at + 1 + handle_size * k; }
};
void encode(wire::appender& out, std::span<buffer_handle const> handles);

/// Checks the number of buffers and their sizes against layout, shape and element type.
/// `fields_at` is where the layout's fields begin; what permissive mode tolerates goes to d.notes.
result<void> check_buffers(descriptor& d, buffer_table const&, std::uint64_t fields_at, mode);

/// Parameter buffers that a quantization scheme adds to a tensor.
std::size_t parameter_buffers(quantization const&) noexcept;

}  // namespace hurray::format
