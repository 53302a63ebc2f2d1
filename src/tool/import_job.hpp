#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <hurray/compressed_view.hpp>
#include <hurray/writer.hpp>

#include "commands.hpp"

// What the kinds of files that can be imported have in common.

namespace hurray::tool {

/// What was asked for, and the file that is written.
struct import_job {
    import_options const& options;
    std::filesystem::path const& output;
    writer& out;
    std::optional<axis> major{};
    std::optional<element_type> type{};
    std::uint64_t memory = 0;
    unsigned threads = 1;
};

/// A matrix that was imported.
struct imported {
    std::string name;
    extents shape{};
    axis major{};
    element_type type{};
    std::uint64_t nnz = 0;
};

/// Each imports what is in a file, under that name, and throws stop. `name` is empty where it was
/// not given and the file holds several matrices, which then have names of their own.
imported import_market(import_job const& job, std::filesystem::path const& input,
                       std::string const& name);
imported import_npz(import_job const& job, std::filesystem::path const& input,
                    std::string const& name);
std::vector<imported> import_hdf5(import_job const& job, std::filesystem::path const& input,
                                  std::string const& name);

}  // namespace hurray::tool
