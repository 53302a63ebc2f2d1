#include "output_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "text.hpp"

namespace hurray::tool {
namespace {

[[noreturn]] void wrong(std::filesystem::path const& path, std::string const& what) {
    throw stop(status::wrong_usage, escaped(path.native()) + ' ' + what);
}

/// What a file that is there begins with; empty if there is none, or nothing in it.
std::string beginning_of(std::filesystem::path const& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return {};
    std::array<char, 8> start{};
    std::ifstream file(path, std::ios::binary);
    file.read(start.data(), start.size());
    return {start.data(), static_cast<std::size_t>(file.gcount())};
}

constexpr std::string_view magic = "HRRYFILE";

bool ends_in(std::filesystem::path const& path, std::initializer_list<std::string_view> endings) {
    auto const ending = path.extension().native();
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

writer begin_file(std::filesystem::path const& path, write_options const& options) {
    if (ends_in(path, {".mtx", ".npz", ".npy", ".h5ad", ".h5", ".hdf5", ".gz", ".png"}))
        wrong(path, "is no name for a Hurray file, which is what would be written; OUT comes last");
    auto const there = beginning_of(path);
    if (!there.empty() && there != magic)
        wrong(path, "is there and is no Hurray file; to have it replaced, delete it first");
    return need_begun(writer::create(path, options), path, {});
}

void finish_file(writer& out, std::filesystem::path const& path) {
    stop_if_interrupted();
    need(out.close(), path);
}

void check_foreign_output(std::filesystem::path const& path,
                          std::initializer_list<std::string_view> endings) {
    if (ends_in(path, endings))
        wrong(path, "ends in " + path.extension().native() + ", which is not what is written");
    if (beginning_of(path) == magic)
        wrong(path, "is a Hurray file; to have it replaced, delete it first");
}

}  // namespace hurray::tool
