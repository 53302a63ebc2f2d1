#pragma once

#include <memory>
#include <string>

#include "import_job.hpp"
#include "number_stream.hpp"

namespace hurray::tool {

/// The three arrays of a matrix in another file: offsets, indices and values.
struct compressed_source {
    extents shape{};
    axis major{};
    std::unique_ptr<number_stream> offsets{};
    std::unique_ptr<number_stream> indices{};
    std::unique_ptr<number_stream> values{};
};

/// Imports the matrix row by row (column by column): memory for one of them, and some more.
/// Unsorted rows are sorted. Throws stop.
imported import_compressed(import_job const& job, std::filesystem::path const& input,
                           compressed_source from, std::string const& name);

}  // namespace hurray::tool
