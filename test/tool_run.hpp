#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>
#include <sys/wait.h>

// Runs the program as a person would, in a folder of its own.

namespace tool_run {

struct outcome {
    int status = -1;
    std::string out;
    std::string err;
};

inline std::string content(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Whether the file is `wanted`, without a copy of it.
inline bool holds(std::filesystem::path const& path, std::string_view wanted) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> piece(std::size_t{1} << 16);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() != 0) {
        std::string_view const got(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (!wanted.starts_with(got)) return false;
        wanted.remove_prefix(got.size());
    }
    return in.eof() && wanted.empty();
}

inline std::string in_single_quotes(std::string_view text) {
    std::string out = "'";
    for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// A folder that is gone afterwards.
class workplace {
public:
    workplace() {
        // In memory where there is such a folder: the program waits for the disk, the tests need
        // not.
        std::error_code ignored;
        auto const memory = std::filesystem::path("/dev/shm");
        auto const parent = std::filesystem::is_directory(memory, ignored)
                                ? memory
                                : std::filesystem::temp_directory_path();
        auto name = (parent / "hurray_tool_XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
    }
    workplace(workplace const&) = delete;
    workplace& operator=(workplace const&) = delete;
    ~workplace() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }
    std::string path(std::string_view name) const { return (folder_ / name).string(); }

    std::string write(std::string_view name, std::string_view text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return path(name);
    }
    /// Names of what lies in the folder, the records of run() aside.
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(folder_)) {
            auto const name = entry.path().filename().string();
            if (name != ".out" && name != ".err") names.push_back(name);
        }
        return names;
    }

    /// Runs `before hurray arguments after` in a shell.
    outcome shell(std::string const& before, std::vector<std::string> const& arguments,
                  std::string const& after = {}) const {
        auto command = before + ' ' + in_single_quotes(HURRAY_TOOL);
        for (auto const& argument : arguments) command += ' ' + in_single_quotes(argument);
        return shell_line(command + ' ' + after);
    }
    /// Runs a line of a shell.
    outcome shell_line(std::string const& command) const {
        auto const all = "{ " + command + " ; } > " + in_single_quotes(path(".out")) + " 2> " +
                         in_single_quotes(path(".err")) + " < /dev/null";
        int const code = std::system(all.c_str());
        return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, content(folder_ / ".out"),
                content(folder_ / ".err")};
    }
    outcome run(std::vector<std::string> const& arguments) const { return shell({}, arguments); }
    /// The same, which must end well.
    std::string good(std::vector<std::string> const& arguments) const {
        auto const did = run(arguments);
        BOOST_TEST_INFO(did.err);
        BOOST_TEST(did.status == 0);
        BOOST_TEST(did.err == "");
        return did.out;
    }

private:
    std::filesystem::path folder_;
};

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Whether the program was built; a test without it says so.
inline bool there_is_a_tool() {
    if (std::filesystem::exists(HURRAY_TOOL)) return true;
    BOOST_TEST_MESSAGE("not run: there is no program at " HURRAY_TOOL);
    return false;
}

}  // namespace tool_run
