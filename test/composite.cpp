// Heads and the members that follow them: R-170 ... R-176.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include <hurray/hurray.hpp>

#include "composite.hpp"

namespace {

using namespace hurray;
using format::box;
using format::composite_checker;

descriptor head(std::uint8_t rule, std::uint32_t members,
                std::vector<std::uint64_t> shape = {8, 5}) {
    descriptor d;
    d.layout = layout::composite;
    d.element_type = element_type::float32;
    d.shape = std::move(shape);
    d.fields.composite = {.rule = rule, .combine_op = std::uint8_t(rule == 2), .members = members};
    return d;
}

descriptor member(std::vector<std::uint64_t> offset, std::vector<std::uint64_t> shape,
                  std::optional<composite_role> role = {}) {
    descriptor d;
    d.layout = layout::csr;
    d.element_type = element_type::float32;
    d.shape = std::move(shape);
    d.shard = shard{{8, 5}, std::move(offset)};
    d.member = role;
    return d;
}

/// The error of adding these in order; no_error when all is well, finish() included.
errc outcome_of(std::vector<descriptor> const& all) {
    composite_checker checker;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const ok = checker.add(all[i], 64 * i); !ok)
            return static_cast<errc>(ok.error().code.value());
    if (auto const ok = checker.finish(); !ok) return static_cast<errc>(ok.error().code.value());
    return errc{};
}

constexpr auto base = composite_role::base;
constexpr auto correction = composite_role::correction;

}  // namespace

BOOST_AUTO_TEST_SUITE(composite)

BOOST_AUTO_TEST_CASE(partitions) {
    auto const top = member({0, 0}, {4, 5}), bottom = member({4, 0}, {4, 5});
    BOOST_TEST((outcome_of({head(1, 2), top, bottom}) == errc{}));
    BOOST_TEST((outcome_of({head(1, 2), bottom, top}) == errc{}));
    BOOST_TEST((outcome_of({head(1, 0, {0, 5})}) == errc{}));

    BOOST_TEST((outcome_of({head(1, 2), top}) == errc::torn_composite));
    BOOST_TEST((outcome_of({head(1, 2), top, top}) == errc::composite_members_disagree));
    BOOST_TEST((outcome_of({head(1, 1), top}) == errc::composite_members_disagree));  // not covered
    BOOST_TEST((outcome_of({head(1, 0)}) == errc::composite_members_disagree));
    BOOST_TEST((outcome_of({head(1, 2), top, member({4, 0}, {4, 5}, correction)}) ==
                errc::composite_role_wrong));

    auto other_type = bottom;
    other_type.element_type = element_type::float64;
    BOOST_TEST((outcome_of({head(1, 2), top, other_type}) == errc::composite_members_disagree));
    auto quantized = bottom;  // decodes to float32
    quantized.element_type = element_type::int8;
    quantized.quantization = quantization{.scheme = per_tensor_affine{}};
    BOOST_TEST((outcome_of({head(1, 2), top, quantized}) == errc{}));
    auto other_parent = bottom;
    other_parent.shard->parent_shape = {9, 5};
    BOOST_TEST((outcome_of({head(1, 2), top, other_parent}) == errc::composite_members_disagree));
    auto no_shard = bottom;
    no_shard.shard.reset();
    BOOST_TEST((outcome_of({head(1, 2), top, no_shard}) == errc::composite_members_disagree));
}

// A few members split along many dimensions would have more corners than their file has bytes.
BOOST_AUTO_TEST_CASE(partitions_along_many_dimensions) {
    for (std::size_t const rank : {6u, 7u, 23u}) {
        std::vector<std::uint64_t> const whole(rank, 2), ones(rank, 1), zeros(rank, 0);
        auto part = member(zeros, ones);
        part.shard->parent_shape = whole;
        part.layout = layout::row_major;
        BOOST_TEST((outcome_of({head(1, 1, whole), part}) ==
                    (rank == 6 ? errc::composite_members_disagree : errc::view_not_supported)));
    }
}

BOOST_AUTO_TEST_CASE(overlays) {
    auto const whole = member({0, 0}, {8, 5}, base), patch = member({2, 1}, {2, 2}, correction);
    BOOST_TEST((outcome_of({head(2, 3), whole, patch, patch}) == errc{}));
    BOOST_TEST((outcome_of({head(2, 1), member({0, 0}, {8, 5})}) == errc::composite_role_wrong));
    BOOST_TEST((outcome_of({head(2, 1), patch}) == errc::composite_members_disagree));
    BOOST_TEST((outcome_of({head(2, 1), member({0, 0}, {4, 5}, base)}) ==
                errc::composite_members_disagree));
    BOOST_TEST((outcome_of({head(2, 2), whole, whole}) == errc::composite_members_disagree));
}

BOOST_AUTO_TEST_CASE(groups_and_lone_tensors) {
    auto plain = member({0, 0}, {4, 5});
    plain.shard.reset();
    BOOST_TEST((outcome_of({head(3, 2), plain, member({0, 0}, {4, 5})}) == errc{}));
    BOOST_TEST(
        (outcome_of({head(3, 1), member({0, 0}, {4, 5}, base)}) == errc::composite_role_wrong));
    BOOST_TEST((outcome_of({member({0, 0}, {4, 5}, base)}) == errc{}));
    BOOST_TEST((outcome_of({plain, head(3, 1), plain, plain}) == errc{}));
}

BOOST_AUTO_TEST_CASE(nesting) {
    auto const nested = [](std::size_t depth) {
        std::vector<descriptor> all;
        for (std::size_t i = 0; i < depth; ++i) all.push_back(head(3, 1));
        auto leaf = member({0, 0}, {4, 5});
        all.push_back(leaf);
        return outcome_of(all);
    };
    BOOST_TEST((nested(8) == errc{}));
    BOOST_TEST((nested(9) == errc::composite_too_deep));

    // A nested head is one member of the outer one and takes its own members first.
    auto inner = head(1, 2, {4, 5});
    inner.shard = shard{{8, 5}, {0, 0}};
    auto left = member({0, 0}, {4, 2}), right = member({0, 2}, {4, 3});
    left.shard->parent_shape = right.shard->parent_shape = {4, 5};
    BOOST_TEST((outcome_of({head(1, 2), inner, left, right, member({4, 0}, {4, 5})}) == errc{}));
    BOOST_TEST((outcome_of({head(1, 2), inner, left, right}) == errc::torn_composite));
}

BOOST_AUTO_TEST_CASE(exact_cover_agrees_with_counting) {
    std::mt19937 dice(11);
    std::size_t covered = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::uint64_t> const shape{1 + dice() % 4, 1 + dice() % 4, 1 + dice() % 2};
        std::vector<box> boxes;
        std::vector<int> count(shape[0] * shape[1] * shape[2]);
        auto const add = [&](std::vector<std::uint64_t> low, std::vector<std::uint64_t> high) {
            box b;
            for (int k = 0; k < 3; ++k) {
                b.offset.push_back(low[k]);
                b.shape.push_back(high[k] - low[k]);
            }
            for (auto i = low[0]; i < high[0]; ++i)
                for (auto j = low[1]; j < high[1]; ++j)
                    for (auto k = low[2]; k < high[2]; ++k)
                        ++count[(i * shape[1] + j) * shape[2] + k];
            boxes.push_back(std::move(b));
        };
        auto const cut = dice() % (shape[0] + 1);  // two slabs, one cut again: a cover
        auto const cut2 = dice() % (shape[1] + 1);
        add({0, 0, 0}, {cut, shape[1], shape[2]});
        add({cut, 0, 0}, {shape[0], cut2, shape[2]});
        add({cut, cut2, 0}, {shape[0], shape[1], shape[2]});
        if (dice() % 2 == 0) {  // and often something wrong with it
            auto const i = dice() % 3;
            boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(i));
            std::fill(count.begin(), count.end(), 0);
            auto const kept = std::exchange(boxes, {});
            for (auto const& b : kept)
                add(b.offset,
                    {b.offset[0] + b.shape[0], b.offset[1] + b.shape[1], b.offset[2] + b.shape[2]});
            add({0, 0, 0}, {dice() % (shape[0] + 1), dice() % (shape[1] + 1), shape[2]});
        }
        bool const expected = std::all_of(count.begin(), count.end(), [](int n) { return n == 1; });
        BOOST_REQUIRE_EQUAL(format::cover_exactly(shape, boxes).value(), expected);
        covered += expected;
    }
    BOOST_TEST(covered > 5'000u);
    BOOST_TEST(covered < 19'000u);
}

BOOST_AUTO_TEST_CASE(many_boxes_and_huge_ones) {
    std::vector<box> rows;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        rows.push_back({{i, 0}, {1, ~std::uint64_t{0} - 1}});
    std::vector<std::uint64_t> const shape{100'000, ~std::uint64_t{0} - 1};
    BOOST_TEST(format::cover_exactly(shape, rows).value());
    rows.pop_back();
    BOOST_TEST(!format::cover_exactly(shape, rows).value());
}

BOOST_AUTO_TEST_SUITE_END()
