// Offsets and indices for libraries with other integers.

#include <hurray/narrow.hpp>

#include "random_matrix.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

namespace {

using hurray::errc;
using hurray::error;
using indices_types = std::tuple<std::int32_t, std::uint32_t, std::int64_t>;
using numbers = std::vector<std::uint64_t>;

template<class Narrow> bool equal(std::span<Narrow const> a, std::span<std::uint64_t const> b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (static_cast<std::uint64_t>(a[k]) != b[k]) return false;
    return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(narrow)

BOOST_AUTO_TEST_CASE_TEMPLATE(what_fits_is_copied, Index, indices_types) {
    hurray_test::randomness random(1);
    for (auto const count : numbers{0, 1, 900, 20'000}) {
        auto const m =
            hurray_test::random_matrix(random, hurray::element_type::float6_e2m3, 300, 700, count);
        hurray_test::values<hurray::float6_e2m3> const values(m.values);
        auto const view = *hurray::csc_view<hurray::float6_e2m3>::over({700, 300}, m.offsets,
                                                                       m.indices, values.span());
        auto const made = hurray::narrow<Index>(view);
        BOOST_TEST_REQUIRE(made.has_value());
        BOOST_TEST((made->shape() == view.shape()));
        BOOST_TEST(made->nnz() == view.nnz());
        BOOST_TEST(equal<Index>(made->offsets(), m.offsets));
        BOOST_TEST(equal<Index>(made->indices(), m.indices));
        BOOST_TEST((made->values().bytes() == view.values().bytes()));
        BOOST_TEST(made->values().size() == view.nnz());
    }
    auto const none = hurray::narrow<Index>(hurray::csr_view<hurray::pattern>());
    BOOST_TEST_REQUIRE(none.has_value());
    BOOST_TEST(none->offsets().size() == 1u);
    BOOST_TEST(none->offsets()[0] == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_largest_fits_and_the_next_does_not, Index, indices_types) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    numbers offsets{0, 1, 1};
    numbers indices{0};
    // 5000 entries before the last row, so that what does not fit lies in a later block.
    for (std::uint64_t k = 1; k <= 5'000; ++k) indices.push_back(k);
    offsets.back() = indices.size();
    offsets.push_back(offsets.back() + 3);
    for (auto const last : {most, most + 1}) {
        auto all = indices;
        all.insert(all.end(), {7, last - 1, last});
        auto const view =
            *hurray::csr_view<hurray::pattern>::over({3, ~std::uint64_t{0} - 1}, offsets, all);
        auto const made = hurray::narrow<Index>(view);
        BOOST_TEST(made.has_value() == (last == most));
        if (made)
            BOOST_TEST(equal<Index>(made->indices(), all));
        else
            BOOST_TEST((made.error() ==
                        error{.code = errc::value_does_not_fit, .slice = 2, .position = 2}));
    }
}

// Offsets above 2^31 need as many indices; the loop that copies both is asked directly.
BOOST_AUTO_TEST_CASE_TEMPLATE(the_first_that_does_not_fit_is_named, Index, indices_types) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    for (auto const count : numbers{1, 2, 4095, 4096, 4097, 10'000})
        for (std::uint64_t const at : {std::uint64_t{0}, count / 2, count - 1}) {
            numbers from(count, most);
            std::vector<Index> to(count);
            BOOST_TEST(hurray::detail::copy_narrowed(from.data(), count, to.data()) == count);
            from[at] = most + 1;
            from[count - 1] = ~std::uint64_t{0};
            BOOST_TEST(hurray::detail::copy_narrowed(from.data(), count, to.data()) == at);
        }
}

BOOST_AUTO_TEST_SUITE_END()
