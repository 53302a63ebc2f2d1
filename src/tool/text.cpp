#include "text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "failure.hpp"

namespace hurray::tool {
namespace {

void append_byte(std::string& out, unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\x";
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

constexpr std::uint32_t no_character = 0xFFFF'FFFF;

/// The code point at `at`, which moves behind it. A byte that is no UTF-8 is taken alone.
std::uint32_t next_character(std::string_view text, std::size_t& at) noexcept {
    auto const first = static_cast<unsigned char>(text[at++]);
    if (first < 0x80) return first;
    if (first < 0xC2 || first > 0xF4) return no_character;
    auto const more = first < 0xE0 ? 1U : first < 0xF0 ? 2U : 3U;
    std::uint32_t code = first & (0x3FU >> more);
    auto next = at;
    for (unsigned k = 0; k < more; ++k, ++next) {
        if (next >= text.size() || (text[next] & 0xC0) != 0x80) return no_character;
        code = code << 6 | (static_cast<unsigned char>(text[next]) & 0x3F);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return no_character;
    at = next;
    return code;
}

/// What would steer the terminal, or turn the direction of what follows, instead of being seen.
bool is_control(std::uint32_t code) noexcept {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == no_character || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// East Asian letters and pictures take two columns, accents that join a letter none.
std::size_t width_of(std::uint32_t code) noexcept {
    struct range {
        std::uint32_t first, last;
    };
    constexpr range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0xA4CF},
                              {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
                              {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                              {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    constexpr range joining[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}};
    auto const has = [code](range r) { return r.first <= code && code <= r.last; };
    if (std::any_of(std::begin(joining), std::end(joining), has)) return 0;
    return std::any_of(std::begin(wide), std::end(wide), has) ? 2 : 1;
}

/// Letters to insert, delete, change or swap on the way from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const change = a[i - 1] == b[j - 1] ? 0 : 1;
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

[[noreturn]] void output_failed() {
    throw stop(status::system_failed,
               std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = at;
        auto const code = next_character(text, at);
        if (code == '\n')
            out += "\\n";
        else if (code == '\t')
            out += "\\t";
        else if (code == '\r')
            out += "\\r";
        else if (is_control(code))
            for (auto const byte : text.substr(begin, at - begin))
                append_byte(out, static_cast<unsigned char>(byte));
        else
            out += text.substr(begin, at - begin);
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    std::string marked;
    for (char const c : text) {
        if (c == '"' || c == '\\') marked += '\\';
        marked += c;
    }
    return '"' + escaped(marked) + '"';
}

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    for (std::size_t at = 0; at < text.size();) columns += width_of(next_character(text, at));
    return columns;
}

std::string shortened(std::string const& text, std::size_t columns) {
    if (columns_of(text) <= columns) return text;
    constexpr std::string_view dots = "...";
    std::size_t used = dots.size(), kept = 0;
    for (std::size_t at = 0; at < text.size(); kept = at) {
        used += width_of(next_character(text, at));
        if (used > columns) break;
    }
    return text.substr(0, kept) + std::string(dots);
}

std::string human_bytes(std::uint64_t bytes) {
    if (bytes == 1) return "1 byte";
    if (bytes < 1024) return std::to_string(bytes) + " bytes";
    constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto size = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; size >= 1023.95 && unit + 1 < units.size(); ++unit) size /= 1024;
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.1f %s", size, units[unit]);
    return out.data();
}

std::string grouped(std::uint64_t number) {
    auto digits = std::to_string(number);
    for (auto at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string duration_text(double seconds) {
    std::array<char, 32> out{};
    if (seconds < 0.9995)
        std::snprintf(out.data(), out.size(), "%.3g ms", seconds * 1000);
    else if (seconds < 100)
        std::snprintf(out.data(), out.size(), "%.2f s", seconds);
    else
        std::snprintf(out.data(), out.size(), "%.1f min", seconds / 60);
    return out.data();
}

std::string percent(double ratio) {
    if (!(ratio >= 0)) return "-";
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.3g %%", ratio * 100);
    return out.data();
}

std::vector<std::string> close_names(std::string_view wanted,
                                     std::vector<std::string> const& candidates) {
    constexpr std::size_t longest = 256;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (auto const& name : candidates) {
        if (wanted.size() > longest || name.size() > longest) continue;
        auto const apart = distance(wanted, name);
        auto const allowed = std::max<std::size_t>(1, std::max(wanted.size(), name.size()) / 3);
        if (apart <= allowed) found.emplace_back(apart, name);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (auto const& [apart, name] : found)
        if (names.size() < 3) names.push_back(name);
    return names;
}

std::string did_you_mean(std::string_view wanted, std::vector<std::string> const& candidates) {
    auto const names = close_names(wanted, candidates);
    if (names.empty()) return {};
    std::string text = " Did you mean ";
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + in_quotes(names[i]);
    return text + '?';
}

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed();
}

void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) output_failed();
}

void complain(std::string_view text) {
    auto const line = "hurray: " + std::string(text) + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace hurray::tool
