// The README's program, word for word, and the output that the README promises.

#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "bytes.hpp"

namespace {

// clang-format off
void program() {
    // A 4 x 5 matrix: where each row begins, the columns of its entries, their values.
    std::vector<std::uint64_t> const offsets{0, 2, 3, 5, 5}, columns{0, 3, 2, 1, 4};
    std::vector<float> const values{1, 2, 3, 4, 5};
    auto const matrix = hurray::csr_view<float>::over({.rows = 4, .columns = 5}, offsets, columns, values).value();

    auto out = hurray::writer::create("graph.hrry", {.metadata = {{"origin", "example"}}}).value();
    out.write("adjacency", matrix).value();
    out.close().value();  // only now does graph.hrry exist

    auto const file = hurray::file::open("graph.hrry").value();
    auto const a = file.csr<float>("adjacency").value();  // every invariant was checked
    for (auto const [column, weight] : a.row(2)) std::cout << column << ' ' << weight << '\n';

    auto const b = file.csr<float>("adjacency", hurray::lazy).value();  // no array was read
    auto const row = b.row(7);                                          // checked when taken
    std::cout << row.error().message() << '\n';
}
// clang-format on

namespace fs = std::filesystem;
fs::path const root = fs::path(HURRAY_TEST_DATA) / ".." / "..";

std::string text_of(fs::path const& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What stands between `from` and the next `to`.
std::string between(std::string const& text, std::string const& from, std::string const& to) {
    auto const begin = text.find(from);
    if (begin == std::string::npos) return {};
    auto const end = text.find(to, begin + from.size());
    return text.substr(begin + from.size(), end - begin - from.size());
}

/// The program in a folder of its own; what it prints.
std::string output_of_program() {
    hurray_test::temporary_directory const folder;
    auto const before = fs::current_path();
    fs::current_path(folder.path());
    std::ostringstream captured;
    auto* const usual = std::cout.rdbuf(captured.rdbuf());
    program();
    std::cout.rdbuf(usual);
    fs::current_path(before);
    return captured.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(readme)

BOOST_AUTO_TEST_CASE(the_program_is_the_one_above) {
    auto const shown = between(text_of(root / "README.md"), "\nint main() {\n", "\n}\n");
    auto const built =
        between(text_of(root / "test" / "readme.cpp"), "\nvoid program() {\n", "\n}\n");
    BOOST_TEST(!shown.empty());
    BOOST_TEST(shown == built);
}

BOOST_AUTO_TEST_CASE(it_prints_what_the_readme_says) {
    auto const shown = between(text_of(root / "README.md"), "\n}\n```\n\n```\n", "```");
    BOOST_TEST(!shown.empty());
    BOOST_TEST(output_of_program() == shown);
}

BOOST_AUTO_TEST_SUITE_END()
