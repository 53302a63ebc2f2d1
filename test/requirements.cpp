// The gate: requirements.csv against what src/ checks and what the tests prove.

#include "corruption.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

using namespace hurray_test;

struct requirement {
    std::string rule, binds, tier, text, status, reason;
    int number() const { return std::stoi(rule.substr(2)); }
    /// Whether it says anything that this library has to keep.
    bool applies() const { return status != "alias" && status != "none"; }
};

/// The fields of one line; those in quotes may hold commas.
std::vector<std::string> fields_of(std::string const& line) {
    std::vector<std::string> all(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            all.back() += line[++i];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            all.emplace_back();
        else
            all.back() += line[i];
    }
    return all;
}

std::vector<requirement> read_requirements() {
    std::ifstream in(std::filesystem::path(HURRAY_TEST_DATA) / ".." / "requirements.csv");
    BOOST_REQUIRE(in);
    std::string line;
    std::getline(in, line);
    BOOST_REQUIRE(line == "rule,binds,tier,text,status,reason");
    std::vector<requirement> all;
    while (std::getline(in, line)) {
        auto f = fields_of(line);
        BOOST_REQUIRE_MESSAGE(f.size() == 6, line);
        all.push_back({f[0], f[1], f[2], f[3], f[4], f[5]});
    }
    return all;
}

/// The rules that sources in a folder name, as R-012 or R_012.
std::set<int> rules_named_in(std::filesystem::path const& folder) {
    std::set<int> named;
    std::regex const rule(R"(R[-_]([0-9]{3})(?![0-9]))");
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
        auto const extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        if (entry.path().filename() == "requirements.cpp") continue;
        std::ifstream in(entry.path());
        std::stringstream text;
        text << in.rdbuf();
        auto const all = text.str();
        for (std::sregex_iterator i(all.begin(), all.end(), rule), end; i != end; ++i)
            named.insert(std::stoi((*i)[1]));
    }
    return named;
}

/// How many rows of the corruption table prove each rule: they are run here and now.
std::map<int, unsigned> proved_by_corruption() {
    std::map<int, unsigned> proved;
    for (auto const& row : all_corruptions())
        if (!problem_of(row)) ++proved[hurray::rule(row.code)];
    return proved;
}

std::set<int> named_in_sources() {
    std::filesystem::path const project(HURRAY_PROJECT);
    auto named = rules_named_in(project / "src");
    named.merge(rules_named_in(project / "include"));
    return named;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(requirements)

BOOST_AUTO_TEST_CASE(every_rule_has_one_row) {
    auto const all = read_requirements();
    BOOST_TEST(all.size() == 192u);
    std::set<std::string> const statuses{"reader", "writer", "positive", "alias", "none"};
    for (std::size_t i = 0; i < all.size(); ++i) {
        BOOST_TEST(all[i].number() == static_cast<int>(i) + 1);
        BOOST_TEST(statuses.contains(all[i].status), all[i].rule);
        BOOST_TEST(!all[i].reason.empty(), all[i].rule);
        BOOST_TEST((all[i].status != "alias" || all[i].reason.starts_with("R-")), all[i].rule);
    }
}

// What no row speaks of, nothing can refuse: errors below 1000 are rules that apply.
BOOST_AUTO_TEST_CASE(corruption_rows_are_of_rules_that_apply) {
    auto const all = read_requirements();
    for (auto const& row : all_corruptions()) {
        auto const rule = hurray::rule(row.code);
        BOOST_REQUIRE(rule >= 1);
        BOOST_TEST(all[static_cast<std::size_t>(rule) - 1].applies(),
                   "R-" << rule << ", " << row.what);
    }
}

BOOST_AUTO_TEST_CASE(rules_that_apply_are_checked_and_tested) {
    auto const named = named_in_sources();
    auto const in_tests = rules_named_in(std::filesystem::path(HURRAY_PROJECT) / "test");
    auto const proved = proved_by_corruption();
    std::size_t apply = 0, checked = 0, tested = 0;
    for (auto const& r : read_requirements()) {
        if (!r.applies()) continue;
        auto const n = r.number();
        bool const is_checked = named.contains(n);
        bool const is_tested = r.status == "reader" ? proved.contains(n) : in_tests.contains(n);
        BOOST_TEST(is_checked, r.rule << " is named nowhere in src/ or include/: " << r.text);
        BOOST_TEST(is_tested, r.rule << (r.status == "reader" ? " has no row of corruption"
                                                              : " is named in no test")
                                     << ": " << r.text);
        ++apply;
        checked += is_checked ? 1 : 0;
        tested += is_tested ? 1 : 0;
    }
    std::size_t rows = 0;
    for (auto const& [rule, count] : proved) rows += count;
    std::cout << "rules that apply: " << apply << ", checked in src/: " << checked
              << ", tested: " << tested << "; " << rows << " corruptions of " << proved.size()
              << " rules\n";
    BOOST_TEST(checked == apply);
    BOOST_TEST(tested == apply);
}

BOOST_AUTO_TEST_SUITE_END()
