#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"

// What each command takes, and the command. All of them throw stop.

namespace hurray::tool {

struct import_options {
    std::vector<std::filesystem::path> files{};  ///< the last one is written
    std::string layout{};                        ///< empty: as it is, or csr
    std::vector<std::string> names{};            ///< one per input; empty: after the input
    std::string type{};                          ///< empty: the file's own
    std::vector<std::string> datasets{};         ///< in HDF5 files
    std::vector<std::string> metadata{};         ///< "key=value"
    std::uint64_t alignment = 0;                 ///< 0: the usual one
    std::uint64_t memory = 0;                    ///< bytes; 0: half of the machine's
    bool checksums = false;
    bool sum_duplicates = false;
    bool quiet = false;
    unsigned threads = 0;  ///< 0: one per processor
};
status run_import(import_options const& options);

struct convert_options {
    std::filesystem::path input;
    std::filesystem::path output{};   ///< empty, with replace: input
    std::string layout{};             ///< empty: as it is
    std::string type{};               ///< empty: as it is
    std::string checksums{};          ///< "on", "off"; empty: as it is
    std::uint64_t alignment = 0;      ///< 0: as it is
    std::uint64_t memory = 0;         ///< bytes; 0: half of the machine's
    std::vector<std::string> only{};  ///< names; empty: all
    std::vector<std::pair<std::string, std::string>> renamed{};
    bool replace = false;
    bool quiet = false;
    unsigned threads = 0;
};
status run_convert(convert_options const& options);

struct inspect_options {
    std::filesystem::path file;
    bool json = false;
    bool permissive = false;
    bool verbose = false;
};
status run_inspect(inspect_options const& options);

struct verify_command_options {
    std::filesystem::path file;
    bool json = false;
    bool permissive = false;
    bool require_checksums = false;
    bool quiet = false;
    std::uint64_t limit = 10;
    unsigned threads = 0;
};
status run_verify(verify_command_options const& options);

struct show_options {
    std::filesystem::path file;
    std::string name{};  ///< empty: the only matrix
    std::optional<std::uint64_t> row{};
    std::optional<std::uint64_t> column{};
    std::vector<std::uint64_t> at{};  ///< row, column
    std::string rows{};               ///< "10:20", the last one excluded
    bool head = false;
};
status run_show(show_options const& options);

struct export_options {
    std::filesystem::path file;
    std::string name;
    std::filesystem::path output;
    bool quiet = false;
    unsigned threads = 0;
};
status run_export(export_options const& options);

struct generate_options {
    std::filesystem::path output;
    std::string kind;
    std::string layout = "csr";
    std::string name = "matrix";
    std::string type = "float64";
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;  ///< 0: as many as rows
    std::uint64_t nnz = 0;
    std::uint64_t bandwidth = 1;
    std::uint64_t grid = 0;
    std::uint64_t block = 0;
    unsigned scale = 0;
    std::vector<std::string> sizes{};  ///< which of the above were given, as options
    std::uint64_t seed = 1;
    bool quiet = false;
};
status run_generate(generate_options const& options);

struct stats_options {
    std::filesystem::path file;
    std::string name{};             ///< empty: the only matrix
    std::filesystem::path write{};  ///< empty: no copy
    bool quiet = false;
    unsigned threads = 0;
};
status run_stats(stats_options const& options);

struct spy_options {
    std::filesystem::path file;
    std::string name{};              ///< empty: the only matrix
    std::filesystem::path output{};  ///< a PNG file; empty: the terminal
    bool quiet = false;
};
status run_spy(spy_options const& options);

}  // namespace hurray::tool
