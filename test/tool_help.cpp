// What --help, the man page and the completions say, held against the program and each other.

#include "tool_run.hpp"

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <set>

namespace {

using namespace tool_run;

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The indented lines below a heading.
std::vector<std::string> below(std::string const& text, std::string const& heading) {
    std::vector<std::string> found;
    bool inside = false;
    for (auto const& line : lines_of(text)) {
        if (inside && line.starts_with("  "))
            found.push_back(line.substr(2));
        else
            inside = line == heading;
    }
    return found;
}

/// The commands that --help lists.
std::vector<std::string> commands(workplace const& place) {
    std::vector<std::string> names;
    for (auto const& line : below(place.good({"--help"}), "Commands:"))
        if (line[0] != ' ') names.push_back(line.substr(0, line.find(' ')));
    BOOST_REQUIRE(names.size() >= 11U);
    return names;
}

/// The long options that --help explains, --help aside.
std::set<std::string> options_in(std::string const& help) {
    std::set<std::string> found;
    for (auto const& line : lines_of(help)) {
        if (!line.starts_with("  -")) continue;
        auto const at = line.find("--");
        auto const end = line.find_first_of(" ,", at);
        found.insert(line.substr(at, end - at));
    }
    BOOST_TEST(found.erase("--help") == 1U);
    return found;
}

/// What stands between two marks.
std::string between(std::string const& text, std::string const& from, std::string const& to) {
    auto const begin = text.find(from);
    BOOST_REQUIRE_MESSAGE(begin != std::string::npos, "there is no " << from);
    return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

/// Whether the text has the word, and not only a longer one that begins so.
bool has_word(std::string const& text, std::string const& word) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        auto const after = text.c_str()[at + word.size()];
        if (std::isalnum(static_cast<unsigned char>(after)) == 0 && after != '-') return true;
    }
    return false;
}

std::string replaced(std::string text, std::string const& what, std::string const& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string source(std::string const& name) {
    auto const text = content(std::filesystem::path(HURRAY_PROJECT) / "src/tool" / name);
    BOOST_REQUIRE_MESSAGE(!text.empty(), name << " is not there");
    return text;
}

void pack(workplace const& place, std::string const& from, std::string const& to) {
    std::ofstream out(place / to, std::ios::binary);
    boost::iostreams::filtering_ostream packed;
    packed.push(boost::iostreams::gzip_compressor());
    packed.push(out);
    packed << content(place / from);
}

/// The files that the examples read.
class example_files {
public:
    example_files() {
        auto const karate = content(std::filesystem::path(HURRAY_TEST_DATA) / "karate.mtx");
        for (auto const* name : {"karate.mtx", "a.mtx", "big.mtx"}) place.write(name, karate);
        pack(place, "big.mtx", "big.mtx.gz");
        pack(place, "big.mtx", "web.mtx.gz");
        make("b.npz", "import numpy as np, scipy.sparse as sp\n"
                      "sp.save_npz('b.npz', sp.csr_matrix(np.eye(5)))\n");
        make("cells.h5ad", "import h5py\n"
                           "f = h5py.File('cells.h5ad', 'w'); g = f.create_group('layers/counts')\n"
                           "g.attrs['encoding-type'] = 'csr_matrix'; g.attrs['shape'] = (1, 2)\n"
                           "g['data'] = [7.0]; g['indices'] = [1]; g['indptr'] = [0, 1]\n");
        place.good({"generate", place.path("big.hrry"), "--kind", "rmat", "--scale", "8", "--nnz",
                    "2000"});
        place.good({"import", place.path("karate.mtx"), place.path("karate.hrry")});
    }

    /// Runs a line of a shell as a person would type it. False: something is not here for it.
    bool run(std::string line) {
        for (auto const* needed : {"jq", "zcat", "gzip"})
            if (has_word(line, needed) && !there_is(needed)) return skip(line, needed);
        for (auto const& [file, why] : absent_)
            if (contains(line, file)) return skip(line, why);
        if (contains(line, "part.*")) split_in_files();
        if (contains(line, "join parts.hrry"))
            place.good({"split", place.path("big.hrry"), place.path("parts.hrry"), "--parts", "8"});
        // Of the size of a test.
        for (auto const& [large, small] : {std::pair{"5e6", "5e3"},
                                           {"5e7", "5e4"},
                                           {"16e6", "2000"},
                                           {"--scale 20", "--scale 8"},
                                           {"--grid 1000", "--grid 30"}})
            line = replaced(line, large, small);
        auto const folder = std::filesystem::path(HURRAY_TOOL).parent_path().string();
        auto const did = place.shell_line("cd " + in_single_quotes(place.path("")) + " && PATH=" +
                                          in_single_quotes(folder) + ":$PATH && " + line);
        if (contains(did.err, "built without")) return skip(line, did.err);
        BOOST_TEST_CONTEXT(line << "\nsaid: " << did.out << did.err) {
            BOOST_TEST(did.status == 0);
            BOOST_TEST(did.err == "");
        }
        return true;
    }

private:
    static bool skip(std::string const& line, std::string const& why) {
        BOOST_TEST_MESSAGE("not run: " << line << ": there is no " << why);
        return false;
    }
    static bool there_is(std::string const& program) {
        return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
    }
    void make(std::string const& name, std::string const& python) {
        auto const script = place.write("make.py", python);
        for (auto const* interpreter : {"/usr/bin/python3", "python3"}) {
            auto const line = "cd " + in_single_quotes(place.path("")) + " && " + interpreter +
                              " make.py > /dev/null 2>&1";
            if (std::system(line.c_str()) == 0) return;
        }
        absent_.emplace_back(name, "Python that makes " + name);
    }
    void split_in_files() {
        for (int k = 0; k < 8; ++k)
            std::filesystem::remove(place / ("part." + std::to_string(k) + ".hrry"));
        place.good({"generate", place.path("big.hrry"), "--kind", "rmat", "--scale", "8", "--nnz",
                    "2000"});
        place.good(
            {"split", place.path("big.hrry"), place.path("part.hrry"), "--parts", "8", "--files"});
    }

    workplace place;
    std::vector<std::pair<std::string, std::string>> absent_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_help)

BOOST_AUTO_TEST_CASE(every_example_of_help_works) {
    if (!there_is_a_tool()) return;
    workplace const place;
    example_files files;
    unsigned ran = 0, all = 0;
    for (auto const& command : commands(place)) {
        auto const examples = below(place.good({command, "--help"}), "Examples:");
        BOOST_TEST_CONTEXT(command) { BOOST_TEST(!examples.empty()); }
        for (auto const& line : examples) {
            BOOST_TEST(contains(line, "hurray " + command));
            ran += files.run(line) ? 1U : 0U;
            ++all;
        }
    }
    BOOST_TEST_MESSAGE(ran << " of " << all << " examples ran");
    BOOST_TEST(ran > 20U);
}

BOOST_AUTO_TEST_CASE(every_example_of_the_man_page_works) {
    if (!there_is_a_tool()) return;
    example_files files;
    auto const page = replaced(source("hurray.1"), "\\-", "-");
    unsigned ran = 0;
    for (auto const& line : lines_of(between(page, ".SH EXAMPLES", "\n.fi")))
        if (!line.starts_with('.')) ran += files.run(line) ? 1U : 0U;
    BOOST_TEST(ran > 8U);
}

BOOST_AUTO_TEST_CASE(help_fits_80_columns_and_is_the_same_by_three_ways) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto all = commands(place);
    BOOST_TEST(place.good({"help"}) == place.good({"--help"}));
    for (auto const& command : all) {
        auto const text = place.good({command, "--help"});
        BOOST_TEST(place.good({"help", command}) == text);
        BOOST_TEST(place.good({command, "-h"}) == text);
        for (auto const& line : lines_of(text)) BOOST_TEST(line.size() <= 80U, line);
        BOOST_TEST(!contains(text, "UINT"));
        BOOST_TEST(!contains(text, "TEXT"));
    }
    for (auto const& line : lines_of(place.good({"--help"}))) BOOST_TEST(line.size() <= 80U, line);
}

BOOST_AUTO_TEST_CASE(man_page_and_completions_know_every_command_and_option) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const page = replaced(source("hurray.1"), "\\-", "-");
    auto const bash = source("completion/hurray.bash"), zsh = source("completion/_hurray");
    auto const readme = content(std::filesystem::path(HURRAY_PROJECT) / "README.md");
    std::size_t options = 0;
    for (auto const& command : commands(place)) {
        auto const of_page = between(page, ".SS " + command + ' ', "\n.S");
        auto const of_bash = between(bash, "\n            " + command + ") ", ";;");
        auto const of_zsh = between(zsh, '\n' + command + ") ", ";;");
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has_word(between(page, ".SH SYNOPSIS", "\n.fi"), command));
            BOOST_TEST(has_word(between(bash, "COMP_CWORD == 1", "elif"), command));
            BOOST_TEST(contains(zsh, "'" + command + '['));
            BOOST_TEST(contains(readme, "hurray " + command));
            for (auto const& option : options_in(place.good({command, "--help"}))) {
                ++options;
                BOOST_TEST_CONTEXT(option) {
                    BOOST_TEST(has_word(of_page, option));
                    BOOST_TEST(has_word(of_bash, option));
                    BOOST_TEST(has_word(of_zsh, option));
                }
            }
        }
    }
    BOOST_TEST(options > 50U);
    BOOST_TEST(contains(page, "--version"));
    BOOST_TEST(contains(bash, "--version"));
}

BOOST_AUTO_TEST_CASE(completions_are_legal) {
    auto const folder = std::filesystem::path(HURRAY_PROJECT) / "src/tool/completion";
    for (auto const& [shell, file] : {std::pair{"bash", "hurray.bash"}, {"zsh", "_hurray"}}) {
        if (std::system((std::string("command -v ") + shell + " > /dev/null").c_str()) != 0) {
            BOOST_TEST_MESSAGE("not run: there is no " << shell);
            continue;
        }
        auto const line = std::string(shell) + " -n " + in_single_quotes((folder / file).string());
        BOOST_TEST(std::system(line.c_str()) == 0, file);
    }
}

BOOST_AUTO_TEST_SUITE_END()
