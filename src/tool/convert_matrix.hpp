#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <hurray/file.hpp>
#include <hurray/writer.hpp>

// One CSR or CSC matrix on its way into another file.

namespace hurray::tool {

/// What becomes of a matrix. Nothing said: it stays as it is.
struct matrix_change {
    std::optional<axis> major{};
    std::optional<element_type> type{};
};

struct matrix_conversion {
    std::filesystem::path const& from_path;
    file const& from;
    std::filesystem::path const& to_path;
    writer& to;
    std::uint64_t memory;  ///< bytes to work with
    unsigned threads;
    bool quiet;
};

/// Verifies the matrix and writes it under the new name. Statistics and shard stay with it.
/// Throws stop; where a value is not exactly one of the new type, that names its place.
void convert_matrix(matrix_conversion const& job, tensor const& what, std::string const& new_name,
                    matrix_change const& change);

}  // namespace hurray::tool
