#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <hurray/hurray.hpp>
#include <hurray/partition.hpp>

#include "commands.hpp"

// Matrices in parts: split, join, and verify over all the files of a set.

namespace hurray::tool {

struct split_options {
    std::filesystem::path input;
    std::filesystem::path output;
    std::string name{};  ///< empty: the only matrix
    std::uint64_t parts = 0;
    std::string by{};  ///< rows or columns; empty: what the layout stores
    bool files = false;
    bool quiet = false;
    unsigned threads = 0;
};
status run_split(split_options const& options);

struct join_options {
    std::vector<std::filesystem::path> files;  ///< the last one is written
    std::string name{};                        ///< empty: the only one
    bool quiet = false;
};
status run_join(join_options const& options);

/// Verifies each file, then whether their shards are complete. `how.file` is not looked at.
status run_verify_set(verify_command_options const& how,
                      std::vector<std::filesystem::path> const& files);

/// An open file of a set.
struct set_file {
    std::filesystem::path path;
    file opened;
};
std::vector<set_file> open_set(std::vector<std::filesystem::path> const& paths, access how,
                               mode strictness = mode::strict);
/// The sets of shards in these files. Throws stop.
std::vector<shard_set> sets_in(std::vector<set_file> const& files);
/// Complains of each fault of a set and gives how many there are.
std::size_t complain_of_faults(shard_set const& set, std::vector<set_file> const& files,
                               std::size_t limit);

}  // namespace hurray::tool
