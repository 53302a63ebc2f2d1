// CSR to CSC and back, against the slow and obvious way.

#include <hurray/transpose.hpp>

#include <bucket_sort.hpp>

#include "random_matrix.hpp"

#include <boost/test/unit_test.hpp>

#include <numeric>
#include <type_traits>

namespace {

using hurray::axis;
using hurray::errc;
using hurray_test::compressed;
using hurray_test::random_matrix;
using hurray_test::randomness;
using numbers = std::vector<std::uint64_t>;

template<class T, axis Major>
auto view_of(compressed const& m, hurray_test::values<T> const& values) {
    auto const shape =
        Major == axis::rows ? hurray::extents{m.major, m.minor} : hurray::extents{m.minor, m.major};
    using view = hurray::compressed_view<T, Major, hurray::trust::verified>;
    return *view::over(shape, m.offsets, m.indices, values.span());
}

/// Whether the other layout of `m` is made, and is `wanted`.
template<class T, axis Major>
bool transposes(compressed const& m, hurray_test::values<T> const& values, compressed const& wanted,
                hurray::transpose_options const& options) {
    auto const view = view_of<T, Major>(m, values);
    auto const made = hurray::transpose(view, options);
    using other = hurray::compressed_matrix<T, Major == axis::rows ? axis::columns : axis::rows>;
    static_assert(std::is_same_v<decltype(made), hurray::result<other> const>);
    return made && hurray_test::shows(made->view(), wanted) && made->shape() == view.shape() &&
           made->nnz() == m.indices.size();
}

template<class T> void check(compressed const& m) {
    auto const wanted = m.across();
    hurray_test::values<T> const values(m.values);
    for (auto const threads : {0u, 1u, 2u, 3u})
        for (auto const memory : {~std::uint64_t{0}, std::uint64_t{400'000}, std::uint64_t{0}})
            BOOST_CHECK_MESSAGE((transposes<T, axis::rows>(m, values, wanted, {threads, memory})),
                                m.major << " x " << m.minor << ", " << threads << ", " << memory);
    BOOST_CHECK((transposes<T, axis::columns>(m, values, wanted, {})));
}

compressed full(hurray::element_type type, std::uint64_t major, std::uint64_t minor) {
    randomness random(7);
    std::vector<hurray_test::entry> entries;
    for (std::uint64_t i = 0; i < major; ++i)
        for (std::uint64_t j = 0; j < minor; ++j)
            entries.push_back({i, j, hurray_test::random_value(random, type)});
    return compressed::of(major, minor, std::move(entries));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transpose)

BOOST_AUTO_TEST_CASE_TEMPLATE(every_element_in_every_shape, T, hurray_test::every_element) {
    constexpr auto type = hurray::element_type_of<T>;
    randomness random(1);
    struct shape {
        std::uint64_t major, minor;
    };
    for (auto const [major, minor] :
         {shape{0, 0}, shape{0, 5}, shape{5, 0}, shape{1, 1}, shape{1, 7}, shape{7, 1}, shape{9, 4},
          shape{40, 3000}, shape{3000, 40}})
        for (auto const count : numbers{0, 1, 2, 3, 17, 500})
            check<T>(random_matrix(random, type, major, minor, count));
    check<T>(full(type, 1, 100));
    check<T>(full(type, 100, 1));
    check<T>(full(type, 1, 5000));
    check<T>(full(type, 3, 2500));
}

// Enough entries for threads, enough slices for buckets, and columns so full that theirs is heavy.
BOOST_AUTO_TEST_CASE_TEMPLATE(buckets_of_every_width, T, hurray_test::one_of_each_width) {
    randomness random(2);
    for (auto const skew : {1.0, 12.0}) {
        auto const m = random_matrix(random, hurray::element_type_of<T>, 30'000, 20'011,
                                     hurray_test::sampled ? 100'000 : 300'000, skew);
        hurray_test::values<T> const values(m.values);
        auto const wanted = m.across();
        std::uint64_t k = skew > 1 ? 1 : 0;
        for (auto const threads : {1u, 2u, 3u})
            for (auto const memory : {~std::uint64_t{0}, std::uint64_t{3'000'000},
                                      std::uint64_t{700'000}, std::uint64_t{1}})
                if (hurray_test::takes(k++))
                    BOOST_CHECK_MESSAGE(
                        (transposes<T, axis::rows>(m, values, wanted, {threads, memory})),
                        skew << ", " << threads << ", " << memory);
    }
}

BOOST_AUTO_TEST_CASE(one_column_holds_everything) {
    std::vector<hurray_test::entry> entries;
    for (std::uint64_t i = 0; i < 200'000; ++i) entries.push_back({i, 4321, {i, 0}});
    for (std::uint64_t j = 4322; j < 9000; ++j) entries.push_back({199'999, j, {j, 0}});
    auto const m = compressed::of(200'000, 9000, entries);
    auto const wanted = m.across();
    hurray_test::values<double> const values(m.values);
    for (auto const threads : {1u, 2u, 3u})
        BOOST_CHECK((transposes<double, axis::rows>(m, values, wanted, {.threads = threads})));
}

BOOST_AUTO_TEST_CASE(many_more_columns_than_entries) {
    randomness random(4);
    auto const m = random_matrix(random, hurray::element_type::float32, 3, 5'000'000, 100);
    auto const wanted = m.across();
    hurray_test::values<float> const values(m.values);
    BOOST_CHECK((transposes<float, axis::rows>(m, values, wanted, {})));
    BOOST_CHECK((transposes<float, axis::rows>(m, values, wanted, {.threads = 2})));
    BOOST_CHECK((transposes<float, axis::columns>(m, values, wanted, {.memory = 0})));
    hurray_test::values<float> const back(wanted.values);
    BOOST_CHECK((transposes<float, axis::columns>(wanted, back, m, {})));
}

BOOST_AUTO_TEST_CASE(offsets_that_no_memory_holds) {
    std::array<std::uint64_t, 2> const offsets{0, 2};
    for (auto const columns : {~std::uint64_t{0} - 1, std::uint64_t{1} << 60,
                               (std::uint64_t{1} << 58) - 1, std::uint64_t{1} << 45}) {
        std::array<std::uint64_t, 2> const indices{0, columns - 1};
        std::array<double, 2> const values{1, 2};
        auto const view = hurray::csr_view<double>::over({1, columns}, offsets, indices, values);
        BOOST_TEST_REQUIRE(view.has_value());
        auto const made = hurray::transpose(*view);
        BOOST_TEST_REQUIRE(!made.has_value());
        BOOST_CHECK((made.error().code == errc::too_large_for_memory));
    }
}

BOOST_AUTO_TEST_CASE(patterns_and_default_views) {
    randomness random(5);
    for (auto const count : numbers{0, 30, 90'000}) {
        auto const m = random_matrix(random, hurray::element_type::boolean, 8'000, 9'000, count);
        auto const wanted = m.across();
        auto const view =
            hurray::csr_view<hurray::pattern>::over({m.major, m.minor}, m.offsets, m.indices);
        for (auto const threads : {1u, 2u}) {
            auto const made = hurray::transpose(*view, {.threads = threads});
            BOOST_TEST_REQUIRE(made.has_value());
            BOOST_TEST(hurray_test::shows(made->view(), wanted));
        }
    }
    auto const none = hurray::transpose(hurray::csr_view<double>());
    BOOST_TEST_REQUIRE(none.has_value());
    BOOST_TEST(none->nnz() == 0u);
    BOOST_TEST(none->view().offsets().size() == 1u);
}

BOOST_AUTO_TEST_CASE(there_and_back_is_where_it_began) {
    randomness random(6);
    auto const m = random_matrix(random, hurray::element_type::float64, 5'000, 7'000, 60'000, 3);
    hurray_test::values<double> const values(m.values);
    auto const there = hurray::transpose(view_of<double, axis::rows>(m, values));
    auto const back = hurray::transpose(*there);
    BOOST_TEST_REQUIRE(back.has_value());
    BOOST_TEST(hurray_test::shows(back->view(), m));
    // In the layout it had, the transpose.
    BOOST_TEST(hurray_test::shows(there->view().transposed(), m.across()));
}

BOOST_AUTO_TEST_CASE(a_matrix_moves_and_leaves_nothing_behind) {
    randomness random(8);
    auto const m = random_matrix(random, hurray::element_type::float64, 50, 70, 600);
    hurray_test::values<double> const values(m.values);
    auto made = *hurray::transpose(view_of<double, axis::rows>(m, values));
    static_assert(!std::is_copy_constructible_v<decltype(made)>);
    auto moved = std::move(made);
    BOOST_TEST(hurray_test::shows(moved.view(), m.across()));
    BOOST_CHECK((made.shape() == hurray::extents{}));
    BOOST_TEST(made.view().offsets().size() == 1u);
    made = std::move(moved);
    BOOST_TEST(hurray_test::shows(made.view(), m.across()));
    BOOST_TEST(moved.nnz() == 0u);
}

namespace {

struct sorted_entries {
    std::vector<std::uint64_t> offsets;
    hurray::detail::memory_block indices;
    hurray::detail::memory_block values;
    hurray::buckets::target target;

    sorted_entries(std::uint64_t slices, std::uint64_t nnz)
        : offsets(slices + 1), indices(*hurray::detail::memory_block::zeroed(nnz * 8)),
          values(*hurray::detail::memory_block::zeroed(nnz * 8)), target{
                                                                      slices, nnz, offsets.data(),
                                                                      indices.as<std::uint64_t>(),
                                                                      values.data()} {}
};

// What a file of more than 2^32 slices would give, without the file.
struct far_entries {
    std::vector<std::uint64_t> const& slices;
    std::uint64_t first_other;
    std::byte const* values;

    std::uint64_t slice(std::uint64_t k) const noexcept { return slices[k]; }
    template<class F> bool each(std::uint64_t first, std::uint64_t last, F f) const noexcept {
        for (auto k = first; k < last; ++k)
            if (!f(slices[k], first_other + k, k)) return false;
        return true;
    }
};

// Entries that differ from one pass to the next.
struct changing_entries {
    std::vector<std::uint64_t> const& before;
    std::vector<std::uint64_t> const& after;
    std::byte const* values;

    std::uint64_t slice(std::uint64_t k) const noexcept { return before[k]; }
    template<class F> bool each(std::uint64_t first, std::uint64_t last, F f) const noexcept {
        for (auto k = first; k < last; ++k)
            if (!f(after[k], k, k)) return false;
        return true;
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(other_indices_above_2_to_the_32) {
    randomness random(9);
    constexpr std::uint64_t nnz = 100'000;
    for (auto const slices : {std::uint64_t{5}, std::uint64_t{3'000}, std::uint64_t{100'000}}) {
        std::vector<std::uint64_t> in(nnz);
        for (auto& s : in) s = hurray_test::below(random, slices);
        numbers ordinals(nnz);
        std::iota(ordinals.begin(), ordinals.end(), std::uint64_t{0});
        for (auto const bits : {33u, 40u, 52u, 60u, 64u})
            for (auto const threads : {1u, 2u, 3u}) {
                auto const first = (bits == 64 ? 0 : std::uint64_t{1} << bits) - 2 * nnz;
                sorted_entries to(slices, nnz);
                far_entries const from{in, first, std::as_bytes(std::span(ordinals)).data()};
                BOOST_TEST_REQUIRE(
                    hurray::buckets::sort(from, to.target, bits, 8, {.threads = threads})
                        .has_value());
                bool good = to.offsets.back() == nnz;
                for (std::uint64_t i = 0; i < slices; ++i)
                    for (auto at = to.offsets[i]; at < to.offsets[i + 1]; ++at) {
                        auto const k = to.target.indices[at] - first;
                        good = good && k < nnz && in[k] == i &&
                               to.values.as<std::uint64_t>()[at] == k &&
                               (at == to.offsets[i] ||
                                to.target.indices[at] > to.target.indices[at - 1]);
                    }
                BOOST_TEST(good);
            }
    }
}

BOOST_AUTO_TEST_CASE(entries_that_change_meanwhile_end_it) {
    randomness random(10);
    constexpr std::uint64_t nnz = 300'000;
    std::vector<double> const values(nnz);
    for (auto const& [slices, heavy] : {std::pair{20'000u, false}, {20'000u, true}}) {
        std::vector<std::uint64_t> before(nnz);
        for (auto& s : before)
            s = heavy && (random() & 1) != 0 ? hurray_test::below(random, 3)
                                             : hurray_test::below(random, slices);
        for (int change = 0; change < 12; ++change) {
            auto after = before;
            auto const at = hurray_test::below(random, nnz);
            if (change < 3)
                after[at] = slices + hurray_test::below(random, 1'000'000);
            else if (change == 3)
                after.assign(nnz, slices - 1);
            else if (change == 4)
                after.assign(nnz, 0);
            else
                after[at] = (after[at] + 1 + hurray_test::below(random, slices - 1)) % slices;
            for (auto const threads : {1u, 2u, 3u}) {
                sorted_entries to(slices, nnz);
                changing_entries const from{before, after, std::as_bytes(std::span(values)).data()};
                auto const done =
                    hurray::buckets::sort(from, to.target, 20, 8, {.threads = threads});
                // Moved within its bucket, an entry is not missed, and does no harm.
                auto const within = change > 4 && after[at] >> 5 == before[at] >> 5;
                BOOST_CHECK((within || !done.has_value()));
                if (!done) BOOST_CHECK((done.error().code == errc::file_changed));
            }
            // One by one, it may go unnoticed here, but never out of bounds.
            sorted_entries to(slices, nnz);
            changing_entries const from{before, after, std::as_bytes(std::span(values)).data()};
            (void)hurray::buckets::sort(from, to.target, 20, 8, {.memory = 0});
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
