#include <algorithm>
#include <array>
#include <fstream>

#include "commands.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "import_job.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

[[noreturn]] void wrong(std::string const& what) { throw stop(status::wrong_usage, what); }

enum class kind : std::uint8_t { market, npz, hdf5, hurray };

/// What the first bytes tell; a text is the rest.
kind kind_of(std::filesystem::path const& input) {
    // A pipe can be read once; only texts come through it.
    std::error_code ignored;
    if (input == "-" || std::filesystem::is_fifo(input, ignored)) return kind::market;
    std::ifstream file(input, std::ios::binary);
    std::array<char, 8> start{};
    file.read(start.data(), start.size());
    std::string_view const bytes(start.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return kind::npz;
    if (bytes == "HRRYFILE") return kind::hurray;
    return bytes == "\x89HDF\r\n\x1a\n" ? kind::hdf5 : kind::market;
}

/// The file's name without its endings.
std::string stem_of(std::filesystem::path const& input) {
    if (input == "-") return "matrix";
    auto const stem = input.stem();
    return (input.extension() == ".gz" ? stem.stem() : stem).native();
}

/// What the tensor of an input is called that holds only one.
std::string name_of(import_options const& options, std::size_t i) {
    if (!options.names.empty() && !options.names[i].empty()) return options.names[i];
    return stem_of(options.files[i]);
}

write_options options_to_write(import_options const& options) {
    write_options written;
    written.checksums = options.checksums;
    if (options.alignment != 0) written.data_alignment = alignment_named(options.alignment);
    for (auto const& pair : options.metadata) {
        auto const equals = pair.find('=');
        if (equals == std::string::npos || equals == 0)
            wrong("--meta takes KEY=VALUE, and not " + in_quotes(pair));
        written.metadata.set(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return written;
}

void check_files(import_options const& options) {
    auto const inputs = options.files.size() - 1;
    auto const& last = options.files.back().native();
    if (options.checksums && (last == "on" || last == "off"))
        wrong("--checksums of import takes no " + in_quotes(last) + "; it stores them when given");
    if (options.files.size() < 2)
        wrong("OUT is missing: import takes the files to read, then the Hurray file to write");
    if (!options.names.empty() && options.names.size() != inputs)
        wrong("there are " + std::to_string(inputs) + " files to read and " +
              std::to_string(options.names.size()) + " names; give --name once for each, or never");
    std::error_code ignored;
    for (std::size_t i = 0; i < inputs; ++i)
        if (std::filesystem::equivalent(options.files[i], options.files.back(), ignored))
            wrong(escaped(options.files.back().native()) +
                  " is read and written; name another file to write");
}

/// An HDF5 file may hold several, whose names are not known yet.
void check_names(import_options const& options) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i + 1 < options.files.size(); ++i) {
        if (kind_of(options.files[i]) == kind::hdf5) continue;
        auto const name = name_of(options, i);
        if (std::find(names.begin(), names.end(), name) != names.end())
            wrong("two matrices would be called " + in_quotes(name) +
                  "; give --name once for each file to read");
        names.push_back(name);
    }
}

std::vector<imported> import_file(import_job const& job, std::size_t i) {
    auto const& options = job.options;
    auto const& input = options.files[i];
    auto const name = name_of(options, i);
    auto const what = kind_of(input);
    if (what == kind::hurray)
        wrong(escaped(input.native()) +
              " is a Hurray file already; hurray convert copies and changes those");
    if (what != kind::hdf5 && !options.datasets.empty())
        wrong(escaped(input.native()) + " is not an HDF5 file; --dataset chooses in those");
    if (what == kind::hdf5)
        return import_hdf5(job, input,
                           options.names.empty() && options.datasets.size() > 1 ? "" : name);
    if (what == kind::npz) return {import_npz(job, input, name)};
    return {import_market(job, input, name)};
}

std::string line_of(imported const& one) {
    return in_quotes(one.name) + ", " + std::to_string(one.shape.rows) + " x " +
           std::to_string(one.shape.columns) + (one.major == axis::rows ? " csr " : " csc ") +
           std::string(hurray::name(one.type)) + ", " + grouped(one.nnz) +
           (one.nnz == 1 ? " entry" : " entries");
}

void report(import_job const& job, std::vector<imported> const& all) {
    if (job.options.quiet) return;
    std::error_code ignored;
    auto const size = human_bytes(std::filesystem::file_size(job.output, ignored));
    auto text = escaped(job.output.native()) + ": ";
    if (all.size() == 1) return print(text + line_of(all.front()) + ", " + size + '\n');
    text += grouped(all.size()) + " tensors, " + size + '\n';
    for (auto const& one : all) text += "  " + line_of(one) + '\n';
    print(text);
}

}  // namespace

status run_import(import_options const& options) {
    check_files(options);
    check_names(options);
    auto const& output = options.files.back();
    auto const major =
        options.layout.empty() ? std::nullopt : std::optional(major_named(options.layout));
    auto const type = options.type.empty() ? std::nullopt : std::optional(type_named(options.type));
    auto out = begin_file(output, options_to_write(options));
    import_job const job{.options = options,
                         .output = output,
                         .out = out,
                         .major = major,
                         .type = type,
                         .memory = memory_or_half(options.memory),
                         .threads = threads_or_all(options.threads)};
    std::vector<imported> all;
    for (std::size_t i = 0; i + 1 < options.files.size(); ++i) {
        stop_if_interrupted();
        for (auto& one : import_file(job, i)) all.push_back(std::move(one));
    }
    finish_file(out, output);
    report(job, all);
    return status::good;
}

}  // namespace hurray::tool
