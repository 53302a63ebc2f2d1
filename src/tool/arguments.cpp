#include "arguments.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "failure.hpp"
#include "help_format.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// A number, and what follows it.
struct leading_number {
    std::uint64_t number = 0;
    std::string_view rest{};
};

std::optional<leading_number> number_in(std::string_view text) {
    leading_number found;
    auto const end = text.data() + text.size();
    auto const [at, failed] = std::from_chars(text.data(), end, found.number);
    if (failed != std::errc{}) return std::nullopt;
    found.rest = {at, static_cast<std::size_t>(end - at)};
    return found;
}

/// 5e6 is 5000000.
std::optional<std::uint64_t> count_in(std::string_view text) {
    auto const found = number_in(text);
    if (!found) return std::nullopt;
    auto number = found->number;
    if (found->rest.empty()) return number;
    auto const power = found->rest[0] == 'e' || found->rest[0] == 'E'
                           ? number_in(found->rest.substr(1))
                           : std::nullopt;
    if (!power || !power->rest.empty() || power->number > 19) return std::nullopt;
    for (auto k = power->number; k != 0; --k)
        if (__builtin_mul_overflow(number, 10U, &number)) return std::nullopt;
    return number;
}

/// K, KB or KiB: 1024, and so on.
std::optional<unsigned> shift_of(std::string_view unit) {
    if (unit.empty() || unit == "B" || unit == "b") return 0;
    constexpr std::string_view letters = "KMGTkmgt";
    auto const at = letters.find(unit[0]);
    if (at == std::string_view::npos) return std::nullopt;
    auto const rest = unit.substr(1);
    if (!rest.empty() && rest != "B" && rest != "b" && rest != "iB" && rest != "ib" && rest != "i")
        return std::nullopt;
    return static_cast<unsigned>(10 * (at % 4 + 1));
}

std::optional<std::uint64_t> bytes_in(std::string_view text) {
    auto const found = number_in(text);
    auto const shift = found ? shift_of(found->rest) : std::nullopt;
    if (!shift || found->number > std::numeric_limits<std::uint64_t>::max() >> *shift)
        return std::nullopt;
    return found->number << *shift;
}

/// Replaces what was typed by the number, or says what is taken instead.
template<class Read> CLI::Validator takes(std::string what, Read read) {
    return CLI::Validator(
        [what = std::move(what), read](std::string& text) -> std::string {
            auto const number = read(text);
            if (!number) return "takes " + what + ", not " + in_quotes(text);
            text = std::to_string(*number);
            return {};
        },
        "");
}

CLI::App const& command_of(CLI::App const& app) {
    auto const chosen = app.get_subcommands();
    return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> options_of(CLI::App const& command) {
    std::vector<std::string> names;
    for (auto const* option : command.get_options())
        for (auto const& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::vector<std::string> commands_of(CLI::App const& app) {
    std::vector<std::string> names;
    for (auto const* command : app.get_subcommands([](CLI::App const*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::string list_of(std::vector<std::string> const& names) {
    std::string text;
    for (auto const& name : names) text += ' ' + name;
    return text;
}

/// What was typed and nobody took.
std::string about_leftovers(CLI::App const& app, CLI::App const& command) {
    auto left = app.remaining(false);
    for (auto const& one : command.remaining(false)) left.push_back(one);
    for (auto const& one : left) {
        if (one.size() < 2 || one[0] != '-') continue;
        auto const name = one.substr(0, one.find('='));
        return "there is no option " + in_quotes(name) +
               (&command == &app ? "" : " of " + command.get_name()) + '.' +
               did_you_mean(name, options_of(command));
    }
    if (left.empty()) return {};
    if (&command != &app)
        return command.get_name() + " takes no " + in_quotes(left.front()) + " more";
    auto const known = commands_of(app);
    return "there is no command " + in_quotes(left.front()) + '.' +
           did_you_mean(left.front(), known) + " The commands are:\n " + list_of(known);
}

std::string about_values(CLI::App const& command, std::string const& said) {
    auto const name = said.substr(0, said.find(':'));
    auto const* option = command.get_option_no_throw(name);
    if (option == nullptr) return said;
    bool const too_many = said.find("At Most") != std::string::npos;
    return name + " takes " + option->get_type_name() + (too_many ? ", and that once" : "");
}

std::string about(CLI::App const& app, CLI::App const& command, CLI::ParseError const& e) {
    if (auto text = about_leftovers(app, command); !text.empty()) return text;
    std::string said = e.what();
    auto const kind = e.get_name();
    auto const replace = [&](std::string_view what, std::string_view with) {
        if (auto const at = said.find(what); at != std::string::npos)
            said.replace(at, what.size(), with);
        return said;
    };
    if (kind == "RequiredError" && &command == &app)
        return "a command is missing. The commands are:\n " + list_of(commands_of(app));
    if (kind == "RequiredError") {
        auto const name = said.substr(0, said.find(' '));
        auto const* option = command.get_option_no_throw(name);
        return (option == nullptr ? name : typed(*option)) + " is missing";
    }
    if (kind == "ArgumentMismatch") return about_values(command, said);
    if (kind == "ExcludesError") return replace(" excludes ", " and ") + " cannot go together";
    if (kind == "ValidationError") return replace(": takes", " takes");
    return said;
}

}  // namespace

CLI::Validator takes_count(std::uint64_t most) {
    auto const what = most == std::numeric_limits<std::uint64_t>::max()
                          ? "a number from 0 on"
                          : "a number from 0 to " + std::to_string(most);
    return takes(what, [most](std::string const& text) {
        auto const number = count_in(text);
        return number && *number <= most ? number : std::nullopt;
    });
}

CLI::Validator takes_bytes() {
    return takes("a number of bytes, such as 65536, 64K or 2G",
                 [](std::string const& text) { return bytes_in(text); });
}

CLI::Validator takes_on_or_off() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            if (text == "on" || text == "off") return {};
            return "takes on or off, not " + in_quotes(text);
        },
        "");
}

void refuse_arguments(CLI::App const& app, CLI::ParseError const& e) {
    auto const& command = command_of(app);
    throw stop(status::wrong_usage, about(app, command, e) + "\nSee hurray " +
                                        (&command == &app ? "" : command.get_name() + ' ') +
                                        "--help");
}

}  // namespace hurray::tool
