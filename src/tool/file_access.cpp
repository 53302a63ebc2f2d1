#include "file_access.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "text.hpp"

namespace hurray::tool {
namespace {

std::string tag_text(unsigned tag) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%02X", tag);
    return text.data();
}

/// "a", "b" and "c"; of many, the first ones.
std::string list_of(std::vector<std::string> const& names) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + in_quotes(names[i]);
    return names.size() <= most ? text : text + " and " + grouped(names.size() - most) + " more";
}

[[noreturn]] void no_such_tensor(file const& from, std::filesystem::path const& path,
                                 std::string const& name) {
    std::vector<std::string> names;
    for (auto const& entry : from.tensors()) names.emplace_back(entry.name);
    auto text = escaped(path.native()) + ": there is no tensor " + in_quotes(name) + '.' +
                did_you_mean(name, names);
    if (close_names(name, names).empty())
        text += names.empty() ? " There is none at all." : " There is " + list_of(names) + '.';
    throw stop(status::wrong_usage, text);
}

bool is_matrix(tensor const& what) noexcept {
    return what.descriptor.layout == layout::csr || what.descriptor.layout == layout::csc;
}

}  // namespace

file open_file(std::filesystem::path const& path, access how, mode strictness, checksums sums) {
    read_options const options{.mode = strictness, .access = how, .checksums = sums};
    return need(file::open(path, options), path);
}

tensor described(file const& from, std::filesystem::path const& path, std::string const& name) {
    auto found = from.describe(name);
    if (!found && found.error().code == errc::no_such_tensor) no_such_tensor(from, path, name);
    return need(std::move(found), path, name);
}

void need_unquantized(tensor const& what, std::filesystem::path const& path) {
    if (what.descriptor.quantization)
        throw stop(status::bad_file, escaped(path.native()) + ": tensor " + in_quotes(what.name) +
                                         " is quantized; it can only be copied as it is");
}

void need_another_file(std::filesystem::path const& output, std::filesystem::path const& input) {
    std::error_code ignored;
    if (std::filesystem::equivalent(output, input, ignored))
        throw stop(status::wrong_usage,
                   escaped(output.native()) + " is read and written; name another file to write");
}

tensor described_matrix(file const& from, std::filesystem::path const& path,
                        std::string const& name) {
    auto found = described(from, path, name);
    if (is_matrix(found)) return found;
    auto const layout = found.descriptor.layout;
    throw stop(status::wrong_usage,
               escaped(path.native()) + ": tensor " + in_quotes(name) + " is of layout " +
                   layout_text(layout) + "; this command takes csr and csc matrices" +
                   (layout == layout::composite ? ", such as its parts; hurray join makes one "
                                                  "matrix of them"
                                                : ""));
}

std::string name_or_only(file const& from, std::filesystem::path const& path,
                         std::string const& name) {
    if (!name.empty()) return name;
    std::vector<std::string> names;
    for (auto const& entry : from.tensors())
        if (auto const found = from.describe(entry.name); found && is_matrix(*found))
            names.emplace_back(entry.name);
    if (names.size() == 1) return names.front();
    throw stop(status::wrong_usage,
               escaped(path.native()) + (names.empty()
                                             ? ": there is no csr or csc matrix in it"
                                             : ": which matrix? There is " + list_of(names)));
}

std::string_view slice_word(layout of) noexcept {
    if (of == layout::csr) return "row";
    return of == layout::csc ? "column" : "row or column";
}

std::string layout_text(layout of) {
    auto const known = hurray::name(of);
    return known.empty() ? tag_text(static_cast<unsigned>(of)) : std::string(known);
}

std::string type_text(element_type of) {
    auto const known = hurray::name(of);
    return known.empty() ? tag_text(static_cast<unsigned>(of)) : std::string(known);
}

std::string shape_text(std::span<std::uint64_t const> shape) {
    if (shape.empty()) return "scalar";
    std::string text;
    for (auto const size : shape)
        text += (text.empty() ? "" : " x ") +
                (size == dynamic ? std::string("?") : std::to_string(size));
    return text;
}

axis major_named(std::string const& layout) {
    if (layout == "csr") return axis::rows;
    if (layout == "csc") return axis::columns;
    throw stop(status::wrong_usage, "there is no layout " + in_quotes(layout) +
                                        " to write; the layouts are csr and csc");
}

}  // namespace hurray::tool
