#include "help_format.hpp"

#include <algorithm>

namespace hurray::tool {
namespace {

constexpr std::size_t last_column = 79, text_column = 24;

bool is_positional(CLI::Option const& option) { return option.get_positional(); }

/// Appends the words, broken between them, with lines that begin at the column.
void append_wrapped(std::string& out, std::string const& words, std::size_t column,
                    std::size_t at) {
    for (std::size_t begin = 0; begin < words.size();) {
        auto const end = std::min(words.find(' ', begin), words.size());
        if (at > column && at + 1 + (end - begin) > last_column) {
            out += '\n' + std::string(column, ' ');
            at = column;
        } else if (at > column) {
            out += ' ';
            ++at;
        }
        out.append(words, begin, end - begin);
        at += end - begin;
        begin = end + 1;
    }
    out += '\n';
}

void append_entry(std::string& out, std::string const& left, std::string const& text) {
    out += "  " + left;
    auto at = left.size() + 2;
    if (at + 2 > text_column) {
        out += '\n';
        at = 0;
    }
    out += std::string(text_column - at, ' ');
    append_wrapped(out, text, text_column, text_column);
}

std::string explained(CLI::Option const& option) {
    auto text = option.get_description();
    if (!option.get_default_str().empty()) text += "; by default, " + option.get_default_str();
    return text;
}

std::string usage(CLI::App const& command, std::string const& name) {
    auto text = "Usage: " + name;
    if (!command.get_subcommands([](CLI::App const*) { return true; }).empty())
        return text + " COMMAND ...\n";
    bool choices = false;
    for (auto const* option : command.get_options()) {
        if (is_positional(*option))
            text += option->get_required() ? ' ' + typed(*option) : " [" + typed(*option) + ']';
        else if (option->get_required())
            text += ' ' + typed(*option);
        else
            choices = true;
    }
    return text + (choices ? " [OPTIONS]\n" : "\n");
}

}  // namespace

std::string typed(CLI::Option const& option) {
    auto const value = option.get_type_name();
    if (is_positional(option)) return value.empty() ? option.get_name(true) : value;
    auto text = option.get_name(false, true);  // "-q,--quiet"
    if (auto const comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, " ");
    return option.get_expected_max() == 0 || value.empty() ? text : text + ' ' + value;
}

std::string help_format::make_help(CLI::App const* command, std::string name,
                                   CLI::AppFormatMode) const {
    std::string out;
    append_wrapped(out, command->get_description(), 0, 0);
    out += '\n' + usage(*command, name) + '\n';
    auto const commands = command->get_subcommands([](CLI::App const*) { return true; });
    if (!commands.empty()) out += "Commands:\n";
    for (auto const* one : commands) append_entry(out, one->get_name(), one->get_description());
    if (!commands.empty()) out += "\nOptions:\n";
    for (auto const* option : command->get_options())
        if (is_positional(*option)) append_entry(out, typed(*option), explained(*option));
    for (auto const* option : command->get_options())
        if (!is_positional(*option)) append_entry(out, typed(*option), explained(*option));
    return out + '\n' + command->get_footer();
}

}  // namespace hurray::tool
