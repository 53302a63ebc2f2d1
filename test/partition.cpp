// Partitions: a matrix stored in pieces, read as one, written as one, and refused where the pieces
// do not fit: R-155 ... ... R-176.

#include <hurray/hurray.hpp>
#include <hurray/partition.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "bytes.hpp"
#include "samples.hpp"

namespace {

using namespace hurray_test;
using hurray::axis;
using hurray::csc_view;
using hurray::csr_view;
using hurray::descriptor;
using hurray::element_type;
using hurray::errc;
using hurray::extents;
using hurray::file_view;
using hurray::layout;
using hurray::mode;
using hurray::partition_view;
using hurray::shard_at;
using numbers = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

fs::path const golden = fs::path(HURRAY_SHARED) / "golden";

bool here() {
    if (!std::string(HURRAY_SHARED).empty() && fs::exists(golden / "shards.hrry")) return true;
    std::cout << "partition: no golden folder: what the reference wrote is not read\n";
    return false;
}

using position = std::pair<std::uint64_t, std::uint64_t>;
using entries = std::map<position, double>;

/// What rows (columns) [first, first + count) hold; each entry once, in order.
template<class T> entries walked(partition_view<T> const& from, axis major, std::uint64_t first,
                                 std::uint64_t count) {
    entries all;
    position last{};
    auto const take = [&](hurray::slice_part<T> const& part) {
        BOOST_TEST_REQUIRE(part.at >= first);
        BOOST_TEST_REQUIRE(part.at - first < count);
        for (auto const [index, value] : part.entries) {
            position const at{part.at, part.shift + index};
            BOOST_REQUIRE((all.empty() || last < at));
            last = at;
            all[major == axis::rows ? at : position{at.second, at.first}] =
                static_cast<double>(value);
        }
    };
    auto const ok =
        major == axis::rows ? from.rows(first, count, take) : from.columns(first, count, take);
    BOOST_TEST_REQUIRE(ok.has_value(), (ok ? std::string() : ok.error().message()));
    return all;
}

template<class T> entries walked(partition_view<T> const& from) {
    bool const rows = from.members().empty() || from.members()[0].layout == layout::csr;
    return walked(from, rows ? axis::rows : axis::columns, 0,
                  rows ? from.shape().rows : from.shape().columns);
}

/// A matrix of small numbers, kept as entries, and cut into boxes as a writer takes them.
struct whole {
    extents shape;
    entries all;

    whole(extents size, unsigned seed, unsigned sparse = 4) : shape(size) {
        std::mt19937 dice(seed);
        for (std::uint64_t i = 0; i < shape.rows; ++i)
            for (std::uint64_t j = 0; j < shape.columns; ++j)
                if (dice() % sparse == 0) all[{i, j}] = static_cast<double>(dice() % 100 + 1);
    }

    struct piece {
        numbers offsets, indices;
        std::vector<float> values;
    };
    piece cut(extents offset, extents size, axis major) const {
        bool const rows = major == axis::rows;
        piece p{{0}, {}, {}};
        for (std::uint64_t i = 0; i < (rows ? size.rows : size.columns); ++i) {
            for (std::uint64_t j = 0; j < (rows ? size.columns : size.rows); ++j) {
                auto const found = all.find(rows ? position{offset.rows + i, offset.columns + j}
                                                 : position{offset.rows + j, offset.columns + i});
                if (found == all.end()) continue;
                p.indices.push_back(j);
                p.values.push_back(static_cast<float>(found->second));
            }
            p.offsets.push_back(p.indices.size());
        }
        return p;
    }
    /// Those of rows (columns) [first, first + count).
    entries part(axis major, std::uint64_t first, std::uint64_t count) const {
        entries some;
        for (auto const& [at, value] : all) {
            auto const i = major == axis::rows ? at.first : at.second;
            if (i >= first && i - first < count) some[at] = value;
        }
        return some;
    }
};

template<axis Major> using view_of = hurray::compressed_view<float, Major, hurray::trust::verified>;

template<axis Major> void write_box(hurray::writer& out, std::string const& name, whole const& from,
                                    extents offset, extents size, extents inside = {}) {
    auto const p = from.cut(offset, size, Major);
    auto const view = view_of<Major>::over(size, p.offsets, p.indices, p.values).value();
    extents const parent = from.shape;
    out.write(name, view,
              {.shard =
                   shard_at(parent, {offset.rows - inside.rows, offset.columns - inside.columns})})
        .value();
}

template<class Write> bytes made(Write write, hurray::write_options const& options = {}) {
    memory_sink sink;
    auto out = hurray::writer::onto(sink, options).value();
    write(out);
    out.close().value();
    return *sink.got;
}

errc code_of(hurray::error const& e) { return static_cast<errc>(e.code.value()); }

/// A head of 8 x 5 float32.
descriptor head(std::uint8_t rule, std::uint32_t members, numbers shape = {8, 5}) {
    auto d = make::composite(rule, members);
    d.shape = std::move(shape);
    return d;
}

descriptor shard_of(std::uint64_t row, std::uint64_t rows, numbers parent = {8, 5}) {
    auto d = make::matrix(layout::csr, element_type::float32, rows, 5, 0);
    d.shard = hurray::shard{std::move(parent), {row, 0}};
    return d;
}

bytes file_with(std::vector<descriptor> const& all) {
    file_builder to;
    for (std::size_t i = 0; i < all.size(); ++i) to.tensor("t" + std::to_string(i), all[i]);
    return to.build();
}

/// What opening "t0" as a partition gives, and that verify() agrees where `verified`.
void refused(std::vector<descriptor> const& all, errc expected, std::size_t at_tensor,
             bool permissive_too = true, bool verified = true) {
    auto const file = file_with(all);
    auto const map = map_of(file);
    for (auto const how : {mode::strict, mode::permissive}) {
        if (how == mode::permissive && !permissive_too) continue;
        auto const view = file_view::parse(file, {.mode = how}).value();
        auto const opened = view.partition<float>("t0");
        BOOST_TEST_REQUIRE(!opened.has_value());
        BOOST_TEST((code_of(opened.error()) == expected), opened.error().message());
        BOOST_TEST(opened.error().offset == map.tensors[at_tensor].descriptor.offset);
        if (how == mode::permissive || !verified) continue;
        auto const checked = view.verify();
        BOOST_TEST_REQUIRE(!checked.has_value());
        BOOST_TEST((checked.error() == opened.error()));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(partition)

BOOST_AUTO_TEST_CASE(the_reference_s_partition_is_read) {
    if (!here()) return;
    auto const file = hurray::file::open(golden / "composite_partition.hrry").value();
    auto const w = file.partition<float>("W").value();
    BOOST_TEST((w.shape() == extents{8, 5}));
    BOOST_TEST(w.nnz() == 10u);
    BOOST_TEST_REQUIRE(w.members().size() == 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        auto const& m = w.members()[i];
        BOOST_TEST(m.name == "W." + std::to_string(i));
        BOOST_TEST((m.offset == extents{4 * i, 0}));
        BOOST_TEST((m.shape == extents{4, 5}));
        BOOST_TEST(m.nnz == 5u);
        BOOST_TEST((m.layout == layout::csr));
        BOOST_TEST(w.csr(i).value().verify().value().value(1, 2) == 3.0f);
        BOOST_TEST((code_of(w.csc(i).error()) == errc::layout_mismatch));
    }
    entries const top{{{0, 0}, 1}, {{0, 3}, 2}, {{1, 2}, 3}, {{2, 1}, 4}, {{2, 4}, 5}};
    auto expected = top;
    for (auto const& [at, value] : top) expected[{at.first + 4, at.second}] = value;
    BOOST_TEST((walked(w) == expected));
    BOOST_TEST((walked(w, axis::rows, 2, 3) ==
                entries{{{2, 1}, 4}, {{2, 4}, 5}, {{4, 0}, 1}, {{4, 3}, 2}}));
    auto const structure = file.partition<hurray::pattern>("W").value();
    std::uint64_t count = 0;
    structure.rows(0, 8, [&](auto const& part) { count += part.entries.size(); }).value();
    BOOST_TEST(count == 10u);
    BOOST_TEST((code_of(file.partition<double>("W").error()) == errc::element_type_mismatch));
    BOOST_TEST((code_of(file.partition<float>("W.0").error()) == errc::not_a_partition));
    BOOST_TEST((code_of(file.partition<float>("V").error()) == errc::no_such_tensor));
    BOOST_TEST((code_of(w.csr(2).error()) == errc::slice_does_not_exist));
    auto const nothing = [](auto const&) {};
    BOOST_TEST((code_of(w.rows(8, 1, nothing).error()) == errc::slice_does_not_exist));
    BOOST_TEST((code_of(w.rows(3, ~0ull, nothing).error()) == errc::slice_does_not_exist));
    BOOST_TEST((code_of(w.columns(0, 1, nothing).error()) == errc::layout_mismatch));
    BOOST_TEST(w.rows(8, 0, nothing).has_value());
}

BOOST_AUTO_TEST_CASE(shards_without_a_head_are_read_as_one) {
    if (!here()) return;
    auto const file = hurray::file::open(golden / "shards.hrry").value();
    auto const one = [&](char const* name) { return hurray::shard_source{file.view(), name}; };
    std::vector const rows{one("rows.1"), one("rows.0")};
    auto const by_rows = partition_view<float>::over(rows).value();
    BOOST_TEST((by_rows.shape() == extents{8, 5}));
    BOOST_TEST((walked(by_rows, axis::rows, 3, 2) == entries{{{4, 0}, 1}, {{4, 3}, 2}}));
    std::vector const columns{one("cols.0"), one("cols.1")};
    auto const by_columns = partition_view<float>::over(columns).value();
    BOOST_TEST((by_columns.shape() == extents{4, 10}));
    BOOST_TEST((walked(by_columns, axis::columns, 4, 2) == entries{{{2, 4}, 5}, {{0, 5}, 1}}));
    BOOST_TEST(walked(by_columns).size() == 10u);

    auto const bad = [](std::vector<hurray::shard_source> const& all) {
        return code_of(partition_view<float>::over(all).error());
    };
    BOOST_TEST((bad({}) == errc::not_a_partition));
    BOOST_TEST((bad({rows[0]}) == errc::not_a_partition));                    // a gap
    BOOST_TEST((bad({rows[0], rows[0]}) == errc::not_a_partition));           // one twice
    BOOST_TEST((bad({rows[0], columns[0]}) == errc::not_a_partition));        // of two parents
    BOOST_TEST((bad({rows[0], rows[1], rows[1]}) == errc::not_a_partition));  // one too many
    BOOST_TEST((code_of(partition_view<int>::over(rows).error()) == errc::element_type_mismatch));
}

BOOST_AUTO_TEST_CASE(a_grid_of_members_walks_as_the_whole) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937 dice(seed);
        whole const m({1 + dice() % 12, 1 + dice() % 12}, seed);
        auto const cuts_of = [&](std::uint64_t size) {
            numbers cuts{0};
            while (cuts.back() < size)
                cuts.push_back(cuts.back() + 1 + dice() % (size - cuts.back()));
            return cuts;
        };
        auto const rows = cuts_of(m.shape.rows), columns = cuts_of(m.shape.columns);
        auto const write = [&]<axis Major>(std::integral_constant<axis, Major>) {
            return made([&](hurray::writer& out) {
                std::vector<std::pair<extents, extents>> boxes;
                for (std::size_t i = 0; i + 1 < rows.size(); ++i)
                    for (std::size_t j = 0; j + 1 < columns.size(); ++j)
                        boxes.push_back({{rows[i], columns[j]},
                                         {rows[i + 1] - rows[i], columns[j + 1] - columns[j]}});
                std::shuffle(boxes.begin(), boxes.end(), dice);
                out.begin_partition<float>("A", m.shape, static_cast<std::uint32_t>(boxes.size()))
                    .value();
                for (std::size_t k = 0; k < boxes.size(); ++k)
                    write_box<Major>(out, "A." + std::to_string(k), m, boxes[k].first,
                                     boxes[k].second);
            });
        };
        auto const check = [&](bytes const& file, axis major) {
            auto const view = file_view::parse(file).value();
            BOOST_TEST(view.verify().has_value());
            auto const a = view.partition<float>("A").value();
            BOOST_TEST(a.nnz() == m.all.size());
            auto const size = major == axis::rows ? m.shape.rows : m.shape.columns;
            for (std::uint64_t first = 0; first <= size; ++first)
                for (std::uint64_t count = 0; count <= size - first; ++count)
                    BOOST_REQUIRE((walked(a, major, first, count) == m.part(major, first, count)));
        };
        check(write(std::integral_constant<axis, axis::rows>{}), axis::rows);
        check(write(std::integral_constant<axis, axis::columns>{}), axis::columns);
    }
}

// The members of a partition are found by where descriptors lie, whatever the index's order.
BOOST_AUTO_TEST_CASE(R_170_members_follow_the_head_in_the_file_not_in_the_index) {
    whole const m({6, 5}, 7);
    auto const write = [&](hurray::writer& out) {
        write_box<axis::rows>(out, "b", m, {0, 0}, {2, 5});
        out.begin_partition<float>("z", m.shape, 2).value();
        write_box<axis::rows>(out, "y", m, {0, 0}, {4, 5});
        write_box<axis::rows>(out, "a", m, {4, 0}, {2, 5});
        write_box<axis::rows>(out, "c", m, {4, 0}, {2, 5});
    };
    for (bool const sorted : {false, true}) {
        auto const file = made(write, {.sorted_index = sorted});
        auto const view = file_view::parse(file).value();
        BOOST_TEST(view.verify().has_value());
        auto const z = view.partition<float>("z").value();
        BOOST_TEST_REQUIRE(z.members().size() == 2u);
        BOOST_TEST(z.members()[0].name == "y");
        BOOST_TEST(z.members()[1].name == "a");
        BOOST_TEST((walked(z) == m.all));
    }
}

BOOST_AUTO_TEST_CASE(nested_partitions_show_their_own_members) {
    whole const m({8, 5}, 3, 2);
    auto const file = made([&](hurray::writer& out) {
        out.begin_partition<float>("A", {8, 5}, 2).value();
        write_box<axis::rows>(out, "top", m, {0, 0}, {3, 5});
        out.begin_partition<float>("rest", {5, 5}, 2, {.shard = shard_at({8, 5}, {3, 0})}).value();
        for (std::uint64_t const column : {0u, 2u}) {
            extents const size{5, column == 0 ? 2u : 3u};
            auto const p = m.cut({3, column}, size, axis::rows);
            out.write("rest." + std::to_string(column),
                      csr_view<float>::over(size, p.offsets, p.indices, p.values).value(),
                      {.shard = shard_at({5, 5}, {0, column})})
                .value();
        }
    });
    auto const view = file_view::parse(file).value();
    BOOST_TEST(view.verify().has_value());
    auto const a = view.partition<float>("A").value();
    BOOST_TEST_REQUIRE(a.members().size() == 3u);
    BOOST_TEST((a.members()[2].offset == extents{3, 2}));
    BOOST_TEST((walked(a) == m.all));
    BOOST_TEST((view.partition<float>("rest").value().shape() == extents{5, 5}));
}

// Pages that a walk has no business with are not there: touching one is the end of the test.
BOOST_AUTO_TEST_CASE(a_walk_touches_nothing_but_its_rows) {
    constexpr std::uint64_t rows = 4000;
    whole const one_row({1, 50}, 5, 1);
    numbers offsets, indices;
    std::vector<float> values;
    for (std::uint64_t i = 0; i < rows; ++i) {
        offsets.push_back(indices.size());
        for (std::uint64_t j = 0; j < 50; ++j) indices.push_back(j), values.push_back(float(i));
    }
    offsets.push_back(indices.size());
    auto const part = csr_view<float>::over({rows, 50}, offsets, indices, values).value();
    auto const file = made([&](hurray::writer& out) {
        std::vector<hurray::matrix_part<float, axis::rows>> parts;
        for (std::uint64_t k = 0; k < 3; ++k) parts.push_back({{k * rows, 0}, part});
        out.write_partition<float, axis::rows>("A", parts).value();
    });
    auto* const memory =
        ::mmap(nullptr, file.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    BOOST_REQUIRE(memory != MAP_FAILED);
    std::memcpy(memory, file.data(), file.size());
    std::span const mapped(static_cast<std::byte const*>(memory), file.size());
    auto const view = file_view::parse(mapped).value();
    std::uint64_t hidden = 0;
    auto const hide = [&](std::uint64_t from, std::uint64_t to) {
        from = (from + 4095) / 4096 * 4096;
        to = to / 4096 * 4096;
        if (from >= to) return;
        BOOST_REQUIRE(::mprotect(static_cast<std::byte*>(memory) + from, to - from, PROT_NONE) ==
                      0);
        hidden += to - from;
    };
    for (auto const& name : {"A.0", "A.2"}) {
        auto const where = view.catalog().find(name)->data;
        hide(where.offset, where.end());
    }
    auto const middle = view.describe("A.1").value();
    for (auto const& buffer : middle.buffers) {  // rows 2000 to 2004 of the middle one
        auto const about = buffer.offset + buffer.length / 2;
        hide(buffer.offset, about - 64);
        hide(about + 50 * 8 * 5 + 64, buffer.end());
    }
    BOOST_TEST(hidden > 9 * file.size() / 10);
    auto const a = view.partition<float>("A").value();
    std::uint64_t seen = 0;
    a.rows(rows + 2000, 5, [&](hurray::slice_part<float> const& p) {
         BOOST_TEST(p.entries.size() == 50u);
         for (auto const [index, value] : p.entries) seen += value == float(p.at - rows);
     }).value();
    BOOST_TEST(seen == 250u);
    ::munmap(memory, file.size());
}

BOOST_AUTO_TEST_CASE(a_walk_stops_when_told_and_at_what_is_broken) {
    whole const m({6, 5}, 2, 1);
    auto file = made([&](hurray::writer& out) {
        out.begin_partition<float>("A", m.shape, 2).value();
        write_box<axis::rows>(out, "A.0", m, {0, 0}, {3, 5});
        write_box<axis::rows>(out, "A.1", m, {3, 0}, {3, 5});
    });
    auto const map = map_of(file);
    put_number(file, map.tensors[2].buffers[1].offset + 8 * 7, 0, 8);  // row 4, its third entry
    auto const view = file_view::parse(file).value();
    auto const a = view.partition<float>("A").value();
    std::uint64_t last = 0;
    auto const until = [&](std::uint64_t row) {
        return [&last, row](hurray::slice_part<float> const& p) { return (last = p.at) != row; };
    };
    BOOST_TEST(a.rows(0, 6, until(3)).has_value());
    BOOST_TEST(last == 3u);
    auto const broken = a.rows(0, 6, until(9));
    BOOST_TEST_REQUIRE(!broken.has_value());
    BOOST_TEST((code_of(broken.error()) == errc::indices_not_increasing));
    BOOST_TEST(broken.error().slice == 1u);
    BOOST_TEST(last == 3u);
    BOOST_TEST(a.rows(0, 4, until(9)).has_value());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
    auto const top = shard_of(0, 4), bottom = shard_of(4, 4);
    {
        auto const file = file_with({head(1, 2), top, bottom});
        auto const view = file_view::parse(file).value();
        auto const both = view.partition<float>("t0").value();
        BOOST_TEST(both.members().size() == 2u);
    }
    refused({head(1, 2), top}, errc::torn_composite, 0, true);
    refused({head(1, 2), top, top}, errc::composite_members_disagree, 0);
    refused({head(1, 2), top, shard_of(3, 4)}, errc::composite_members_disagree, 0);  // overlap
    refused({head(1, 2), top, shard_of(5, 3)}, errc::composite_members_disagree, 0);  // a gap
    refused({head(1, 1), top, bottom}, errc::composite_members_disagree, 0);
    refused({head(1, 0)}, errc::composite_members_disagree, 0);
    refused({head(1, 2), top, shard_of(4, 4, {9, 5})}, errc::composite_members_disagree, 2);
    auto other = bottom;
    other.member = hurray::composite_role::correction;
    refused({head(1, 2), top, other}, errc::composite_role_wrong, 2);
    other = bottom;
    other.shard.reset();
    refused({head(1, 2), top, other}, errc::composite_members_disagree, 2);
    other = make::matrix(layout::csr, element_type::float64, 4, 5, 0);
    other.shard = bottom.shard;
    refused({head(1, 2), top, other}, errc::composite_members_disagree, 2);
    other = make::dense(element_type::float32, {4, 5, 1});  // of another rank
    other.shard = hurray::shard{{8, 5, 1}, {4, 0, 0}};
    refused({head(1, 2), top, other}, errc::composite_members_disagree, 2);

    std::vector<descriptor> deep;
    for (int i = 0; i < 9; ++i) {
        deep.push_back(head(1, 1));
        if (i != 0) deep.back().shard = hurray::shard{{8, 5}, {0, 0}};
    }
    deep.push_back(shard_of(0, 8));
    refused(deep, errc::composite_too_deep, 8);
    deep.erase(deep.begin());
    deep[0].shard.reset();
    auto const file = file_with(deep);
    auto const eight = file_view::parse(file).value();
    auto const innermost = eight.partition<float>("t0").value();
    BOOST_TEST(innermost.members().size() == 1u);
    BOOST_TEST(eight.verify().has_value());
}

// what one descriptor breaks is refused before any member is looked at.
BOOST_AUTO_TEST_CASE(descriptors_that_break_a_rule_of_their_own_are_refused) {
    auto const code = [](std::vector<descriptor> const& all, mode how = mode::strict) {
        auto const file = file_with(all);
        auto const view = file_view::parse(file, {.mode = how}).value();
        return code_of(view.partition<float>("t0").error());
    };
    BOOST_TEST((code({head(1, 2), shard_of(0, 4), shard_of(5, 4)}) == errc::shard_outside_parent));
    auto const most = ~std::uint64_t{0};
    BOOST_TEST(
        (code({head(1, 2), shard_of(0, 4), shard_of(most - 3, 4)}) == errc::shard_outside_parent));
    BOOST_TEST((code({head(1, 2), shard_of(0, 4), shard_of(4, 4, {most, 5})}) ==
                errc::dynamic_dimension_in_shard));
    BOOST_TEST((code({head(1, 0xFFFFFFFF)}) == errc::bad_member_count));
    auto combined = head(1, 0, {0, 5});
    combined.fields.composite.combine_op = 1;
    BOOST_TEST((code({combined}) == errc::bad_composite_head));
    BOOST_TEST((code({head(3, 0)}) == errc::not_a_partition));
    BOOST_TEST((code({head(0xF0, 0)}, mode::permissive) == errc::not_a_partition));
    BOOST_TEST((code({head(1, 0, {0, 5, 2})}) == errc::view_not_supported));
    BOOST_TEST((code({shard_of(0, 4)}) == errc::not_a_partition));
}

BOOST_AUTO_TEST_CASE(members_of_every_kind_are_listed) {
    auto dense = make::dense(element_type::float32, {2, 5});
    dense.shard = hurray::shard{{8, 5}, {4, 0}};
    auto quantized = make::dense(element_type::int8, {2, 5});
    quantized.quantization = hurray::quantization{.scheme = hurray::per_tensor_affine{}};
    quantized.shard = hurray::shard{{8, 5}, {6, 0}};
    auto group = head(3, 2, {1, 5});
    group.shard = hurray::shard{{8, 5}, {3, 0}};
    auto const lone = make::dense(element_type::int8, {7});
    auto csc = make::matrix(layout::csc, element_type::float32, 3, 5, 0);
    csc.shard = hurray::shard{{8, 5}, {0, 0}};
    auto const file = file_with({head(1, 4), csc, group, lone, lone, dense, quantized, lone});
    auto const view = file_view::parse(file).value();
    BOOST_TEST(view.verify().has_value());
    auto const all = view.partition<float>("t0").value();
    BOOST_TEST_REQUIRE(all.members().size() == 4u);
    BOOST_TEST(all.csc(0).has_value());
    BOOST_TEST((code_of(all.csr(1).error()) == errc::layout_mismatch));
    BOOST_TEST((all.members()[1].layout == layout::composite));
    BOOST_TEST(all.members()[2].name == "t5");
    BOOST_TEST((code_of(all.csr(3).error()) == errc::layout_mismatch));
    auto const nothing = [](auto const&) {};
    BOOST_TEST((code_of(all.rows(4, 1, nothing).error()) == errc::layout_mismatch));
}

BOOST_AUTO_TEST_CASE(the_writer_takes_a_partition_as_the_reference_does) {
    if (!here()) return;
    auto const original = read_file(golden / "composite_partition.hrry");
    auto const from = file_view::parse(original).value();
    std::vector<hurray::matrix_part<float, axis::rows>> const parts{
        {{0, 0}, from.csr<float>("W.0").value()}, {{4, 0}, from.csr<float>("W.1").value()}};
    auto const ours = made(
        [&](hurray::writer& out) { out.write_partition<float, axis::rows>("W", parts).value(); });
    BOOST_TEST(file_view::parse(ours).value().verify().has_value());
    // the reference pads after the head, and so all that follows lies later by that.
    auto const theirs = map_of(original), mine = map_of(ours);
    auto const end_of_head = mine.tensors[0].descriptor.end();
    auto const padding = theirs.tensors[1].descriptor.offset - mine.tensors[1].descriptor.offset;
    BOOST_TEST(padding != 0u);
    auto expected = original;
    auto const next = theirs.tensors[1].descriptor.offset;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(end_of_head),
                   expected.begin() + static_cast<std::ptrdiff_t>(next));
    bytes descriptors, other;
    for (std::size_t i = 0; i < 3; ++i) {
        auto const take = [i](file_map const& map, bytes const& file, bytes& to) {
            auto const& d = map.tensors[i].descriptor;
            to.insert(to.end(), file.begin() + static_cast<std::ptrdiff_t>(d.offset),
                      file.begin() + static_cast<std::ptrdiff_t>(d.end()));
            for (auto const& b : map.tensors[i].buffers)
                to.insert(to.end(), file.begin() + static_cast<std::ptrdiff_t>(b.offset),
                          file.begin() + static_cast<std::ptrdiff_t>(b.end()));
        };
        take(theirs, original, descriptors);
        take(mine, ours, other);
    }
    BOOST_TEST(difference(descriptors, other) == "");
    auto const copied = made([&](hurray::writer& out) {
        for (auto const& t : from.tensors()) out.copy(from, t.name).value();
    });
    BOOST_TEST(difference(ours, copied) == "");
}

BOOST_AUTO_TEST_CASE(the_writer_refuses_what_a_reader_would) {
    whole const m({8, 5}, 9);
    auto const p = m.cut({0, 0}, {4, 5}, axis::rows);
    auto const view = csr_view<float>::over({4, 5}, p.offsets, p.indices, p.values).value();
    auto const outcome = [&](auto write) {
        memory_sink sink;
        auto out = hurray::writer::onto(sink).value();
        auto const ok = write(out);
        auto const closed = out.close();
        if (ok) return closed ? errc{} : code_of(closed.error());
        BOOST_TEST((!closed && closed.error() == ok.error()));
        return code_of(ok.error());
    };
    auto const begin = [](hurray::writer& out, std::uint32_t members) {
        out.begin_partition<float>("A", {8, 5}, members).value();
    };
    auto const put = [&](hurray::writer& out, std::uint64_t row, extents parent = {8, 5}) {
        static int number = 0;
        return out.write("t" + std::to_string(++number), view,
                         {.shard = shard_at(parent, {row, 0})});
    };
    using w = hurray::writer;
    BOOST_TEST((outcome([&](w& o) { return begin(o, 1), hurray::result<void>(); }) ==
                errc::torn_composite));
    BOOST_TEST((outcome([&](w& o) { return begin(o, 2), put(o, 0); }) == errc::torn_composite));
    BOOST_TEST(
        (outcome([&](w& o) { return begin(o, 2), put(o, 0).value(), put(o, 4); }) == errc{}));
    BOOST_TEST((outcome([&](w& o) { return begin(o, 2), put(o, 0).value(), put(o, 3); }) ==
                errc::composite_members_disagree));
    BOOST_TEST((outcome([&](w& o) { return begin(o, 1), put(o, 0); }) ==
                errc::composite_members_disagree));
    BOOST_TEST((outcome([&](w& o) {
                    return begin(o, 1), put(o, 0, {9, 5});
                }) == errc::composite_members_disagree));
    BOOST_TEST(
        (outcome([&](w& o) { return begin(o, 2), put(o, 5); }) == errc::shard_outside_parent));
    BOOST_TEST((outcome([&](w& o) { return begin(o, 2), o.write("plain", view); }) ==
                errc::composite_members_disagree));
    BOOST_TEST((outcome([&](w& o) {
                    return begin(o, 2), o.begin_partition<float>("A", {8, 5}, 0);
                }) == errc::duplicate_tensor_name));
    BOOST_TEST((outcome([&](w& o) {
                    return o.begin_partition<float>("A", {8, 5}, 0xFFFFFFFF);
                }) == errc::bad_member_count));
    BOOST_TEST((outcome([&](w& o) {
                    return o.begin_partition<float>("A", {~0ull, 5}, 1);
                }) == errc::dynamic_dimension_written));
    BOOST_TEST((outcome([&](w& o) {
                    hurray::result<void> ok;
                    for (int i = 0; i < 9 && ok; ++i) {
                        hurray::tensor_options options;
                        if (i != 0) options.shard = shard_at({8, 5}, {0, 0});
                        ok = o.begin_partition<float>("A" + std::to_string(i), {8, 5}, 1, options);
                    }
                    return ok;
                }) == errc::composite_too_deep));
    std::vector<hurray::matrix_part<float, axis::rows>> const gap{{{0, 0}, view}, {{5, 0}, view}};
    BOOST_TEST((outcome([&](w& o) { return o.write_partition<float, axis::rows>("A", gap); }) ==
                errc::composite_members_disagree));
    std::vector<hurray::matrix_part<float, axis::rows>> const far{{{~0ull - 1, 0}, view}};
    BOOST_TEST((outcome([&](w& o) { return o.write_partition<float, axis::rows>("A", far); }) ==
                errc::shard_outside_parent));
}

// A member whose number of rows is told last is judged last; what does not fit is not published.
BOOST_AUTO_TEST_CASE(members_of_unknown_length_are_judged_when_they_close) {
    for (std::uint64_t const rows : {4u, 3u}) {
        temporary_directory const folder;
        auto out = hurray::writer::create(folder / "a.hrry").value();
        out.begin_partition<float>("A", {4, 5}, 1).value();
        auto member = out.append_csr<float>("A.0", 5, {.shard = shard_at({4, 5}, {0, 0})}).value();
        for (std::uint64_t i = 0; i < rows; ++i) {
            numbers const index{i};
            std::vector<float> const value{float(i)};
            member.append(index, value).value();
        }
        auto const closed = member.close();
        BOOST_TEST(closed.has_value() == (rows == 4));
        if (!closed) BOOST_TEST((code_of(closed.error()) == errc::composite_members_disagree));
        BOOST_TEST(out.close().has_value() == (rows == 4));
        BOOST_TEST(fs::exists(folder / "a.hrry") == (rows == 4));
        if (rows != 4) continue;
        auto const file = hurray::file::open(folder / "a.hrry").value();
        BOOST_TEST(file.verify().has_value());
        BOOST_TEST(walked(file.partition<float>("A").value()).size() == 4u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
