#pragma once

#include <cstdint>
#include <filesystem>

#include <hurray/compressed_view.hpp>

namespace bench {

/// A file of any size that takes a few blocks of disk: a CSR matrix "a" of doubles in which one row
/// is there and the rest are holes. Opens; of its rows, only that one is valid.
void write_holes(std::filesystem::path const&, hurray::extents shape, std::uint64_t nnz,
                 std::uint64_t row, std::uint64_t row_length);

}  // namespace bench
