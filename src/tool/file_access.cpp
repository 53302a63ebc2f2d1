#include "file_access.hpp"

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

[[noreturn]] void no_such_tensor(file const& from, std::filesystem::path const& path,
                                 std::string const& name) {
    std::vector<std::string> names;
    for (auto const& entry : from.tensors()) names.emplace_back(entry.name);
    auto text = escaped(path.native()) + ": there is no tensor " + in_quotes(name) + '.' +
                did_you_mean(name, names);
    if (close_names(name, names).empty())
        text += " To see what there is: hurray inspect " + escaped(path.native());
    throw stop(status::wrong_usage, text);
}

}  // namespace

file open_file(std::filesystem::path const& path, access how, mode strictness) {
    return need(file::open(path, {.mode = strictness, .load = load::map, .access = how}), path);
}

tensor described(file const& from, std::filesystem::path const& path, std::string const& name) {
    auto found = from.describe(name);
    if (!found && found.error().code == errc::no_such_tensor) no_such_tensor(from, path, name);
    return need(std::move(found), path, name);
}

tensor described_matrix(file const& from, std::filesystem::path const& path,
                        std::string const& name) {
    auto found = described(from, path, name);
    auto const layout = found.descriptor.layout;
    if (layout == layout::csr || layout == layout::csc) return found;
    throw stop(status::wrong_usage, escaped(path.native()) + ": tensor " + in_quotes(name) +
                                        " is of layout " + layout_text(layout) +
                                        "; this command takes csr and csc matrices");
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
