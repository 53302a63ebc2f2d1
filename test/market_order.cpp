// Matrix Market files in the order of the matrix are read in one pass, others in two: what comes
// out is the same, and so is what is said about a line that is wrong.

#include "tool_run.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <random>
#include <utility>

#include <hurray/file.hpp>

namespace {

using namespace tool_run;

/// Lines of entries in order, enough for several threads; rows without entries at both ends and in
/// between.
std::vector<std::string> lines_in_order(unsigned count) {
    std::vector<std::string> lines;
    std::mt19937 random(5);
    unsigned row = 3, column = 0;
    for (unsigned i = 0; i < count; ++i) {
        column += random() % 900 + 1;
        if (column > 5000) {
            row += random() % 20 == 0 ? 7 : 1;
            column = random() % 900 + 1;
        }
        lines.push_back(std::to_string(row) + ' ' + std::to_string(column) + ' ' +
                        std::to_string(random() % 100000) + '.' + std::to_string(random()));
    }
    return lines;
}

constexpr unsigned many = 120'000, rows = 60'000;

std::string text_of(std::vector<std::string> const& lines, std::size_t announced = many) {
    auto text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) +
                " 5000 " + std::to_string(announced) + '\n';
    for (auto const& line : lines) text += line + '\n';
    return text;
}

std::string imported(workplace const& place, std::string const& text,
                     std::vector<std::string> options) {
    std::vector<std::string> arguments = {
        "import", place.write("in.mtx", text), place.path("out.hrry"), "--name", "A", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    place.good(arguments);
    place.good({"verify", place.path("out.hrry")});
    return content(place / "out.hrry");
}

void refused(workplace const& place, std::string const& text, std::string const& line,
             std::string const& reason, std::string const& threads) {
    auto const did = place.run({"import", place.write("in.mtx", text), place.path("bad.hrry"),
                                "--quiet", "--threads", threads});
    BOOST_TEST_CONTEXT(did.err) {
        BOOST_TEST(did.status == 1);
        BOOST_TEST(contains(did.err, "in.mtx, line " + line + ": "));
        BOOST_TEST(contains(did.err, reason));
        BOOST_TEST(!std::filesystem::exists(place / "bad.hrry"));
    }
}

/// A number in one of the many ways to write it.
std::string random_number(std::mt19937_64& random) {
    char text[64];
    auto const bits = random();
    auto const part = random() >> (random() % 64);
    auto const places = static_cast<int>(random() % 20);
    switch (random() % 6) {
    case 0:
        std::snprintf(text, sizeof text, "%.*f", places, static_cast<double>(bits >> 11) * 0x1p-53);
        break;
    case 1:
        std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(bits & ~(1ULL << 62)));
        break;
    case 2:
        std::snprintf(text, sizeof text, "%s%llue%d", bits % 2 == 0 ? "-" : "",
                      static_cast<unsigned long long>(part), 5 - 2 * places);
        break;
    case 3:  // halfway between two doubles
        std::snprintf(text, sizeof text, "%llu.%llu",
                      static_cast<unsigned long long>((1ULL << 53) + bits % (1ULL << 52)), 5ULL);
        break;
    case 4:
        std::snprintf(text, sizeof text, "%llu.%0*llu",
                      static_cast<unsigned long long>(part % 1000), places + 1,
                      static_cast<unsigned long long>(bits));
        break;
    default:
        std::snprintf(text, sizeof text, "%+.*E", places, static_cast<double>(part) * 0x1p-40);
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(market_order)

BOOST_AUTO_TEST_CASE(the_order_of_the_lines_changes_nothing) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const sorted = lines_in_order(many);
    for (std::string const layout : {"csr", "csc"}) {
        BOOST_TEST_CONTEXT(layout) {
            std::vector<std::string> const plain = {"--layout", layout, "--threads", "2",
                                                    "--checksums"};
            auto shuffled = sorted;
            std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
            auto const expected = imported(place, text_of(shuffled), plain);
            for (std::string const threads : {"1", "2", "5"})
                BOOST_TEST((imported(place, text_of(sorted),
                                     {"--layout", layout, "--threads", threads, "--checksums"}) ==
                            expected));
            auto summed = plain;
            summed.push_back("--sum-duplicates");
            BOOST_TEST((imported(place, text_of(sorted), summed) == expected));
            for (std::size_t const at : {0U, 1U, 5000U, many / 2, many - 1}) {
                auto one_elsewhere = sorted;
                std::swap(one_elsewhere[at], one_elsewhere[many - 2]);
                BOOST_TEST((imported(place, text_of(one_elsewhere), plain) == expected));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_line_is_named) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const sorted = lines_in_order(many);
    for (std::string const threads : {"1", "2", "5"}) {
        for (std::size_t const at : {1U, 30'000U, many - 1}) {
            auto const line = std::to_string(at + 3);
            auto const with = [&](std::string const& text) {
                auto lines = sorted;
                lines[at] = text;
                return text_of(lines);
            };
            auto const position = sorted[at].substr(0, sorted[at].rfind(' '));
            refused(place, with("0 1 1"), line, "row 0 is outside", threads);
            refused(place, with(position), line, "there is no value", threads);
            refused(place, with(position + " 1x"), line, "\"1x\" is not a number", threads);
            refused(place, with(position + " 1 2"), line, "\"2\" follows the entry", threads);
            refused(place, with(sorted[at - 1]), line,
                    "was given in line " + std::to_string(at + 2), threads);
        }
        refused(place, text_of(sorted, many + 1), std::to_string(many + 2), "the file ends after",
                threads);
        refused(place, text_of(sorted, many - 1), std::to_string(many + 2),
                "this is one entry more", threads);
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_said) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const from = place.write("in.mtx", text_of(lines_in_order(many)));
    auto const did = place.shell("ulimit -f 1000; trap '' XFSZ;",
                                 {"import", from, place.path("out.hrry"), "--threads", "2"});
    BOOST_TEST_CONTEXT(did.err) {
        BOOST_TEST(did.status == 3);
        BOOST_TEST(contains(did.err, "out.hrry: "));
    }
    BOOST_TEST(place.files() == std::vector<std::string>{"in.mtx"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_number_is_the_double_next_to_it) {
    if (!there_is_a_tool()) return;
    workplace const place;
    constexpr unsigned count = 200'000;
    std::mt19937_64 random(3);
    std::vector<std::string> numbers;
    auto text = "%%MatrixMarket matrix coordinate real general\n1 " + std::to_string(count) + ' ' +
                std::to_string(count) + '\n';
    for (unsigned i = 0; i < count; ++i) {
        numbers.push_back(random_number(random));
        text += "1 " + std::to_string(i + 1) + ' ' + numbers.back() + '\n';
    }
    imported(place, text, {});
    auto const made = hurray::file::open(place / "out.hrry").value();
    auto const view = made.csr<double>("A").value();
    BOOST_REQUIRE(view.nnz() == count);
    unsigned different = 0;
    for (unsigned i = 0; i < count; ++i) {
        auto const expected = std::strtod(numbers[i].c_str(), nullptr);
        if (std::bit_cast<std::uint64_t>(expected) ==
            std::bit_cast<std::uint64_t>(view.values()[i]))
            continue;
        if (different++ < 10) BOOST_TEST_MESSAGE("different: " << numbers[i]);
    }
    BOOST_TEST(different == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
