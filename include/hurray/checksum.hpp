#pragma once

#include <cstdint>
#include <string_view>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// The key-value that holds a file's checksums. Every reader that does not know it ignores it.
///
/// Its value is of type bytes. All numbers are little-endian; every checksum is a CRC-32C, the
/// same as that of the index. It covers what the index's own checksum does not:
///
///     u32  header       of the 64 bytes of the file header
///     u32  trailer      of the 40 bytes of the trailer
///     u32  metadata     of the key-value section, these four bytes taken as zero
///     u32  block_shift  blocks are of 2^block_shift bytes; from 16 to 63
///     u64  tensors      as many as the index has entries
///     then, per tensor in the order of the index:
///       u32  descriptor of its descriptor
///       u32  buffers    how many follow
///       then, per buffer in the order of the descriptor:
///         u64  blocks   ceil(bytes of the buffer / block size)
///         u32  each     of one block; the last one may be short
///
/// A writer starts with blocks of 64 KiB and doubles them as long as there are more than 65536
/// of them, which keeps the blocks' part of the table at 256 KiB. Padding has no checksum: it is
/// zero, and full verification looks at it.
inline constexpr std::string_view checksum_key = "x-hrry-checksums.v1";

}  // namespace v0
}  // namespace hurray
