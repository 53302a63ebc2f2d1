#include <charconv>

#include "npz_archive.hpp"

namespace hurray::tool {
namespace {

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

/// What follows 'key': in the dictionary; empty if the key is not there.
std::string_view value_of(std::string_view text, std::string const& key) {
    auto const at = text.find('\'' + key + '\'');
    if (at == std::string_view::npos) return {};
    text = without_blanks(text.substr(at + key.size() + 2));
    if (!text.starts_with(':')) return {};
    return without_blanks(text.substr(1));
}

/// '<f8'
bool parse_type(std::string_view text, npy_header& into) {
    if (text.size() < 4 || text.front() != '\'') return false;
    auto const order = text[1];
    if (order != '<' && order != '>' && order != '|' && order != '=') return false;
    into.swapped = order == '>';
    into.kind = text[2];
    auto const [at, failed] =
        std::from_chars(text.data() + 3, text.data() + text.size(), into.width);
    return failed == std::errc{} && at != text.data() + text.size() && *at == '\'';
}

/// (), (3,), (3, 4)
bool parse_shape(std::string_view text, npy_header& into) {
    if (!text.starts_with('(')) return false;
    text.remove_prefix(1);
    for (;;) {
        text = without_blanks(text);
        if (text.starts_with(')')) return true;
        std::uint64_t size = 0;
        auto const end = text.data() + text.size();
        auto const [at, failed] = std::from_chars(text.data(), end, size);
        if (failed != std::errc{}) return false;
        into.shape.push_back(size);
        text = without_blanks({at, static_cast<std::size_t>(end - at)});
        if (text.starts_with(','))
            text.remove_prefix(1);
        else if (!text.starts_with(')'))
            return false;
    }
}

}  // namespace

bool parse_npy_header(std::string const& text, npy_header& into) {
    into = {};
    return parse_type(value_of(text, "descr"), into) && parse_shape(value_of(text, "shape"), into);
}

}  // namespace hurray::tool
