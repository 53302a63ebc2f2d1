// Matrices cut into parts, parts joined again, and sets of shards that are not complete.

#include <hurray/hurray.hpp>
#include <hurray/partition.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "matrix_samples.hpp"
#include "sampled.hpp"

namespace {

using namespace hurray_test;
using hurray::axis;
using hurray::csr_matrix;
using hurray::errc;
using hurray::extents;
using hurray::file_view;
using hurray::partition_view;
using hurray::shard_problem;
using numbers = std::vector<std::uint64_t>;

template<hurray::element T>
csr_matrix<T> random_matrix(extents shape, std::uint64_t nnz, unsigned seed) {
    std::mt19937_64 dice(seed);
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> at;
    while (at.size() < nnz)  // more of them in the first rows
        at[{dice() % (1 + dice() % shape.rows), dice() % (1 + dice() % shape.columns)}] = 1;
    numbers rows, columns;
    std::vector<T> values;
    bytes packed;
    for (auto const& [position, one] : at)
        rows.push_back(position.first), columns.push_back(position.second);
    auto const data = random_elements(hurray::element_type_of<T>, nnz, seed);
    typed_elements<T> const elements(data);
    return hurray::assemble<T>(shape, rows, columns, elements.values()).value();
}

template<class View> void require_same(View const& a, View const& b) {
    BOOST_REQUIRE((a.shape() == b.shape()));
    BOOST_REQUIRE(std::ranges::equal(a.offsets(), b.offsets()));
    BOOST_REQUIRE(std::ranges::equal(a.indices(), b.indices()));
    using T = typename View::value_type;
    BOOST_REQUIRE(difference(bytes_of_values<T>(a.values()), bytes_of_values<T>(b.values())) == "");
}

/// A partition in memory, and joined again: to a matrix, and through a file.
template<hurray::element T, axis Major>
void split_and_join(hurray::compressed_view<T, Major, hurray::trust::verified> const& view,
                    std::uint64_t parts, axis along) {
    auto const pieces = hurray::split(view, parts, along).value();
    BOOST_REQUIRE(pieces.parts().size() == parts);
    memory_sink sink;
    auto out = hurray::writer::onto(sink).value();
    out.write_partition("A", pieces.parts()).value();
    out.close().value();
    auto const file = file_view::parse(*sink.got).value();
    BOOST_REQUIRE(file.verify().has_value());
    auto const partition = file.partition<T>("A").value();
    BOOST_REQUIRE(partition.nnz() == view.nnz());
    auto const joined = hurray::join<Major>(partition).value();
    require_same(joined.view(), view);

    temporary_directory const folder;
    auto again = hurray::writer::create(folder / "again.hrry").value();
    again.write("A", partition).value();
    again.close().value();
    auto straight = hurray::writer::create(folder / "straight.hrry").value();
    straight.write("A", view).value();
    straight.close().value();
    BOOST_REQUIRE(
        difference(read_file(folder / "again.hrry"), read_file(folder / "straight.hrry")) == "");
}

template<hurray::element T> void every_way(extents shape, std::uint64_t nnz) {
    auto const matrix = random_matrix<T>(shape, nnz, 5);
    for (std::uint64_t const parts : {1u, 2u, 3u, 7u, 50u})
        for (auto const along : {axis::rows, axis::columns}) {
            split_and_join<T, axis::rows>(matrix.view(), parts, along);
            split_and_join<T, axis::columns>(matrix.view().transposed(), parts, along);
        }
}

/// Shards of an 8 x 5 matrix without entries, one file for each.
struct shard_files {
    std::vector<bytes> all;
    std::vector<file_view> views;
    std::vector<hurray::shard_source> sources;

    void add(std::string const& name, extents offset, extents shape, extents parent = {8, 5}) {
        numbers const offsets(shape.rows + 1);
        auto const view = hurray::csr_view<float>::over(shape, offsets, {}, {}).value();
        memory_sink sink;
        auto out = hurray::writer::onto(sink).value();
        out.write(name, view, {.shard = hurray::shard_at(parent, offset)}).value();
        out.close().value();
        all.push_back(*sink.got);
    }
    std::vector<hurray::shard_fault> faults(std::size_t limit = 64) {
        views.clear();
        sources.clear();
        for (auto const& file : all) views.push_back(file_view::parse(file).value());
        for (auto const& view : views) sources.push_back({view, view.tensors()[0].name});
        return hurray::faults_of(sources, limit);
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(partition_set)

BOOST_AUTO_TEST_CASE(split_matrices_join_to_what_they_were) {
    every_way<double>({40, 31}, 300);
    every_way<hurray::int4>({17, 23}, 101);
    every_way<float>({1, 9}, 4);
    every_way<float>({6, 1}, 3);
    every_way<float>({5, 4}, 0);
    auto const nothing = csr_matrix<float>();
    split_and_join<float, axis::rows>(nothing.view(), 3, axis::rows);
    split_and_join<float, axis::rows>(nothing.view(), 3, axis::columns);
    auto const none = hurray::split(nothing.view(), 0);
    BOOST_TEST((!none && none.error().code == errc::bad_option));
}

BOOST_AUTO_TEST_CASE(cuts_are_balanced_by_entries) {
    std::mt19937_64 dice(3);
    for (int round = 0; round < 300; ++round) {
        numbers offsets{0};
        std::uint64_t longest = 0;
        for (std::uint64_t i = 0, rows = dice() % 60; i < rows; ++i) {
            auto const length = dice() % 4 == 0 ? dice() % 100 : dice() % 3;
            longest = std::max(longest, length);
            offsets.push_back(offsets.back() + length);
        }
        auto const parts = 1 + dice() % 9;
        auto const cuts = hurray::balanced_cuts(offsets, parts);
        BOOST_TEST_REQUIRE(cuts.size() == parts + 1);
        BOOST_TEST(cuts.front() == 0u);
        BOOST_TEST(cuts.back() == offsets.size() - 1);
        for (std::size_t k = 0; k < parts; ++k) {
            BOOST_TEST_REQUIRE(cuts[k] <= cuts[k + 1]);
            auto const entries = offsets[cuts[k + 1]] - offsets[cuts[k]];
            BOOST_TEST(entries <= offsets.back() / parts + 1 + longest);
        }
    }
    numbers const empty(101);
    BOOST_TEST(hurray::balanced_cuts(empty, 4) == (numbers{0, 25, 50, 75, 100}));
}

BOOST_AUTO_TEST_CASE(incomplete_sets_are_told_apart) {
    auto const complete = [] {
        shard_files f;
        f.add("A.0", {0, 0}, {3, 5});
        f.add("A.1", {3, 0}, {1, 5});
        f.add("A.2", {4, 0}, {4, 2});
        f.add("A.3", {4, 2}, {4, 3});
        return f;
    };
    BOOST_TEST(complete().faults().empty());
    for (std::size_t gone = 0; gone < 4; ++gone) {
        auto f = complete();
        auto const offset = numbers{0, 3, 4, 4}[gone];
        f.all.erase(f.all.begin() + static_cast<std::ptrdiff_t>(gone));
        auto const faults = f.faults();
        BOOST_TEST_REQUIRE(faults.size() == 1u);
        BOOST_TEST((faults[0].what == shard_problem::missing));
        BOOST_TEST((faults[0].offset == extents{offset, gone == 3 ? 2u : 0u}));
        BOOST_TEST(faults[0].shape.columns == (gone < 2 ? 5u : gone == 2 ? 2u : 3u));
        BOOST_TEST(faults[0].shape.rows == (numbers{3, 1, 4, 4}[gone]));
    }
    auto f = complete();
    f.add("A.4", {3, 0}, {1, 5});
    auto faults = f.faults();
    BOOST_TEST_REQUIRE(faults.size() == 1u);
    BOOST_TEST((faults[0].what == shard_problem::repeated));
    BOOST_TEST(faults[0].shard == 4u);
    BOOST_TEST(faults[0].other == 1u);

    f = complete();
    f.all[1].clear();
    f.all.erase(f.all.begin() + 1);
    f.add("A.1", {2, 0}, {2, 5});
    faults = f.faults();
    BOOST_TEST_REQUIRE(faults.size() == 1u);
    BOOST_TEST((faults[0].what == shard_problem::overlapping));
    BOOST_TEST(faults[0].shard == 3u);
    BOOST_TEST(faults[0].other == 0u);

    f = complete();
    f.all.erase(f.all.begin() + 1);
    f.add("A.1", {3, 0}, {1, 5}, {9, 5});
    faults = f.faults();
    BOOST_TEST_REQUIRE(faults.size() == 2u);
    BOOST_TEST((faults[0].what == shard_problem::mismatched));
    BOOST_TEST(faults[0].shard == 3u);
    BOOST_TEST((faults[1].what == shard_problem::missing));

    BOOST_TEST(complete().faults(0).empty());
    shard_files none;
    BOOST_TEST(none.faults().empty());
}

// Against a count of who holds each element.
BOOST_AUTO_TEST_CASE(faults_are_found_exactly_where_a_count_finds_them) {
    std::mt19937 dice(9);
    unsigned complete = 0;
    for (int round = 0; round < static_cast<int>(hurray_test::times(1500)); ++round) {
        shard_files f;
        std::vector<int> held(8 * 5);
        auto const add = [&](std::uint64_t row, std::uint64_t column, extents shape) {
            f.add("A." + std::to_string(f.all.size()), {row, column}, shape);
            for (auto i = row; i < row + shape.rows; ++i)
                for (auto j = column; j < column + shape.columns; ++j) ++held[i * 5 + j];
        };
        std::uint64_t const cut = 1 + dice() % 7, side = 1 + dice() % 4;
        if (dice() % 4 != 0) add(0, 0, {cut, 5});
        if (dice() % 4 != 0) add(cut, 0, {8 - cut, side});
        if (dice() % 4 != 0) add(cut, side, {8 - cut, 5 - side});
        if (dice() % 4 == 0) {
            auto const row = dice() % 8, column = dice() % 5;
            add(row, column, {1 + dice() % (8 - row), 1 + dice() % (5 - column)});
        }
        if (f.all.empty()) continue;
        auto const faults = f.faults();
        bool const exact = std::all_of(held.begin(), held.end(), [](int n) { return n == 1; });
        bool const twice = std::any_of(held.begin(), held.end(), [](int n) { return n > 1; });
        BOOST_TEST_REQUIRE(faults.empty() == exact);
        complete += exact;
        bool told = false;
        for (auto const& fault : faults) {
            if (fault.what != shard_problem::missing) {
                told = true;
                continue;
            }
            for (auto i = fault.offset.rows; i < fault.offset.rows + fault.shape.rows; ++i)
                for (auto j = fault.offset.columns; j < fault.offset.columns + fault.shape.columns;
                     ++j)
                    BOOST_TEST_REQUIRE(held[i * 5 + j]++ == 0);  // missing, and told once
        }
        BOOST_TEST_REQUIRE(told == twice);
        if (!twice)
            BOOST_TEST_REQUIRE(std::all_of(held.begin(), held.end(), [](int n) { return n == 1; }));
    }
    BOOST_TEST(complete > hurray_test::times(300));
}

BOOST_AUTO_TEST_CASE(shards_are_found_by_their_stems) {
    memory_sink sink;
    auto out = hurray::writer::onto(sink).value();
    numbers const offsets(5);
    auto const view = hurray::csr_view<float>::over({4, 5}, offsets, {}, {}).value();
    auto const put = [&](char const* name, std::uint64_t row) {
        out.write(name, view, {.shard = hurray::shard_at({8, 5}, {row, 0})}).value();
    };
    put("b.1", 4);
    out.begin_partition<float>("c", {8, 5}, 2).value();
    put("c.0", 0);
    put("c.1", 4);
    put("b.0", 0);
    put("lone", 0);
    put(".7", 0);
    put("x.", 0);
    out.write("plain.3", view).value();
    out.close().value();
    auto const file = file_view::parse(*sink.got).value();
    auto const sets = hurray::shards_in(std::span(&file, 1)).value();
    std::vector<std::string> stems;
    for (auto const& set : sets) stems.push_back(set.stem);
    BOOST_TEST(stems == (std::vector<std::string>{".7", "b", "lone", "x."}));
    BOOST_TEST_REQUIRE(sets[1].shards.size() == 2u);
    BOOST_TEST(hurray::faults_of(sets[1].shards).empty());
    BOOST_TEST(partition_view<float>::over(sets[1].shards).value().nnz() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
