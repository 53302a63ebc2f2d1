// hurray split, join, and verify over a set of files.

#include <hurray/hurray.hpp>
#include <hurray/partition.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "tool_run.hpp"

namespace {

using namespace tool_run;

/// A matrix "A", and its eight shards in part.0.hrry to part.7.hrry.
struct eight_parts {
    workplace place;
    std::string whole = place.path("whole.hrry");

    explicit eight_parts(std::string const& layout = "csr") {
        place.good({"generate", whole, "--kind", "uniform", "--rows", "500", "--columns", "300",
                    "--nnz", "4000", "--name", "A", "--layout", layout, "--quiet"});
        place.good({"split", whole, place.path("part.hrry"), "--parts", "8", "--files"});
    }
    std::string part(int k) const { return place.path("part." + std::to_string(k) + ".hrry"); }
    std::vector<std::string> parts(std::string const& command) const {
        std::vector<std::string> all{command};
        for (int k = 0; k < 8; ++k)
            if (std::filesystem::exists(part(k))) all.push_back(part(k));
        return all;
    }
    outcome verify() const { return place.run(parts("verify")); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_set)

BOOST_AUTO_TEST_CASE(what_is_split_is_joined_to_the_same_bytes) {
    if (!there_is_a_tool()) return;
    for (auto const* const layout : {"csr", "csc"}) {
        eight_parts const set(layout);
        auto const said = set.verify();
        BOOST_TEST(said.status == 0, said.err);
        BOOST_TEST(contains(said.out, "\"A\": complete, 8 shards"));
        auto join = set.parts("join");
        join.push_back(set.place.path("again.hrry"));
        set.place.good(join);
        BOOST_TEST(content(set.place / "again.hrry") == content(set.whole));

        auto const one = set.place.path("one.hrry");
        set.place.good({"split", set.whole, one, "--parts", "8"});
        set.place.good({"verify", one});
        auto const file = hurray::file::open(one).value();
        auto const partition = file.partition<double>("A").value();
        BOOST_TEST(partition.members().size() == 8u);
        for (auto const& m : partition.members()) {
            BOOST_TEST(m.nnz <= partition.nnz() / 8 + 310);
            BOOST_TEST(m.nnz + 310 >= partition.nnz() / 8);
        }
        set.place.good({"join", one, set.place.path("from_one.hrry")});
        BOOST_TEST(content(set.place / "from_one.hrry") == content(set.whole));
    }
}

BOOST_AUTO_TEST_CASE(a_matrix_is_split_across_its_layout) {
    if (!there_is_a_tool()) return;
    for (auto const* const layout : {"csr", "csc"}) {
        eight_parts const set(layout);
        bool const is_csr = std::string(layout) == "csr";
        auto const one = set.place.path("across.hrry");
        auto const said = set.place.good(
            {"split", set.whole, one, "--parts", "4", "--by", is_csr ? "columns" : "rows"});
        BOOST_TEST(contains(said, is_csr ? "4 parts of columns" : "4 parts of rows"));
        set.place.good({"verify", one});
        auto const file = hurray::file::open(one).value();
        auto const partition = file.partition<double>("A").value();
        BOOST_TEST(partition.members().size() == 4u);
        for (auto const& m : partition.members())
            BOOST_TEST((is_csr ? m.shape.rows == 500u : m.shape.columns == 300u));
        set.place.good({"join", one, set.place.path("again.hrry")});
        BOOST_TEST(content(set.place / "again.hrry") == content(set.whole));
    }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_set_is_named) {
    if (!there_is_a_tool()) return;
    eight_parts const set;
    auto const refused = [&](std::vector<std::string> const& words) {
        auto const did = set.verify();
        BOOST_TEST(did.status == 1);
        for (auto const& word : words)
            BOOST_TEST(contains(did.err, word), word << " is not said: " << did.err);
        auto join = set.parts("join");
        join.push_back(set.place.path("never.hrry"));
        BOOST_TEST(set.place.run(join).status == 1);
        BOOST_TEST(!std::filesystem::exists(set.place / "never.hrry"));
    };
    namespace fs = std::filesystem;
    auto const kept = set.place / "kept";
    fs::rename(set.part(3), kept);
    refused({"\"A\" is missing", "rows ", " of 500 x 300"});  // a missing one

    fs::copy_file(set.part(2), set.part(3));
    refused({"part.3.hrry", "one too many", "as does", "part.2.hrry", "is missing"});  // extra

    // Of another whole: 400 rows.
    auto const other = set.place.path("other.hrry");
    set.place.good({"generate", other, "--kind", "uniform", "--rows", "400", "--columns", "300",
                    "--nnz", "4000", "--name", "A", "--quiet"});
    set.place.good({"split", other, set.place.path("o.hrry"), "--parts", "8", "--files"});
    fs::remove(set.part(3));
    fs::rename(set.place / "o.3.hrry", set.part(3));
    refused({"part.3.hrry", "not of the same whole", "400 x 300", "is missing"});

    // Of the same whole, cut elsewhere.
    set.place.good({"split", set.whole, set.place.path("s.hrry"), "--parts", "7", "--files"});
    fs::remove(set.part(3));
    fs::rename(set.place / "s.3.hrry", set.part(3));
    refused({"part.3.hrry", "some of which is in"});

    fs::remove(set.part(3));
    fs::rename(kept, set.part(3));
    BOOST_TEST(set.verify().status == 0);
}

BOOST_AUTO_TEST_CASE(wrong_usage_of_split_and_join) {
    if (!there_is_a_tool()) return;
    eight_parts const set;
    auto const status = [&](std::vector<std::string> const& arguments) {
        return set.place.run(arguments).status;
    };
    auto const out = set.place.path("out.hrry");
    BOOST_TEST(status({"split", set.whole, out}) == 2);
    BOOST_TEST(status({"split", set.whole, out, "--parts", "0"}) == 2);
    BOOST_TEST(status({"split", set.whole, out, "--parts", "2", "--by", "halves"}) == 2);
    BOOST_TEST(status({"split", set.whole, out, "--parts", "2", "--name", "B"}) == 2);
    BOOST_TEST(status({"split", set.part(0), out, "--parts", "2"}) == 2);  // a shard already
    BOOST_TEST(status({"join", set.whole, out}) == 2);                     // nothing to join
    BOOST_TEST(status({"join", out}) == 2);
    BOOST_TEST(status({"join", set.part(0), out}) == 1);
    BOOST_TEST(status({"verify", set.part(0)}) == 0);
    BOOST_TEST(status({"verify", set.part(0), "--set"}) == 1);
    BOOST_TEST(status({"verify", set.part(0), set.part(1), "--json"}) == 2);
    BOOST_TEST(!std::filesystem::exists(out));
    auto const verified = set.place.run({"verify", set.whole, "--set"});
    BOOST_TEST(verified.status == 0, verified.err);
}

BOOST_AUTO_TEST_SUITE_END()
