// Matrices from coordinates, against the slow and obvious way.

#include <hurray/assemble.hpp>

#include "random_matrix.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <thread>
#include <type_traits>

namespace {

using hurray::axis;
using hurray::duplicates;
using hurray::errc;
using hurray::error;
using hurray_test::compressed;
using hurray_test::randomness;
using numbers = std::vector<std::uint64_t>;

/// Coordinates in the order in which they are given.
struct coordinates {
    numbers slice;
    numbers index;
    std::vector<hurray_test::value_bits> values;

    static coordinates of(std::vector<hurray_test::entry> const& entries) {
        coordinates made;
        for (auto const& e : entries) {
            made.slice.push_back(e.slice);
            made.index.push_back(e.index);
            made.values.push_back(e.value);
        }
        return made;
    }
};

template<class T, axis Major> auto assembled(std::uint64_t major, std::uint64_t minor,
                                             coordinates const& given,
                                             hurray::assemble_options const& options = {}) {
    hurray_test::values<T> const values(given.values);
    if constexpr (Major == axis::rows)
        return hurray::assemble<T>({major, minor}, given.slice, given.index, values.span(),
                                   options);
    else
        return hurray::assemble<T, axis::columns>({minor, major}, given.index, given.slice,
                                                  values.span(), options);
}

template<class T, axis Major> auto build(std::uint64_t major, std::uint64_t minor,
                                         coordinates const& given,
                                         hurray::assemble_options const& options = {}) {
    auto const shape =
        Major == axis::rows ? hurray::extents{major, minor} : hurray::extents{minor, major};
    auto builder = *hurray::matrix_builder<T, Major>::create(shape);
    for (auto const slice : given.slice) builder.count(slice);
    builder.start_placing().value();
    for (std::size_t k = 0; k < given.slice.size(); ++k)
        builder.place(given.slice[k], given.index[k], hurray_test::value_of<T>(given.values[k]));
    return std::move(builder).finish(options);
}

template<class T> void check(compressed const& wanted, randomness& random) {
    auto entries = wanted.entries();
    std::shuffle(entries.begin(), entries.end(), random);
    auto const given = coordinates::of(entries);
    for (auto const threads : {0u, 1u, 2u, 3u}) {
        auto const made =
            assembled<T, axis::rows>(wanted.major, wanted.minor, given, {.threads = threads});
        BOOST_CHECK((made && hurray_test::shows(made->view(), wanted)));
    }
    auto const csc = assembled<T, axis::columns>(wanted.major, wanted.minor, given);
    BOOST_CHECK((csc && hurray_test::shows(csc->view(), wanted)));
    auto const built = build<T, axis::rows>(wanted.major, wanted.minor, given);
    BOOST_CHECK((built && hurray_test::shows(built->view(), wanted)));
}

template<class Result>
void check_error(Result const& made, errc code, std::uint64_t slice, std::uint64_t position) {
    BOOST_TEST_REQUIRE(!made.has_value());
    BOOST_CHECK_MESSAGE((made.error() == error{.code = code, .slice = slice, .position = position}),
                        made.error().message());
}

/// The duplicate that is to be reported: of the lowest slice with one, the first repetition.
std::optional<error> first_duplicate(coordinates const& given, bool within_slice) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> seen;
    std::map<std::uint64_t, std::uint64_t> in_slice;
    std::optional<error> found;
    for (std::size_t k = 0; k < given.slice.size(); ++k) {
        auto const slice = given.slice[k];
        auto const position = in_slice[slice]++;
        if (seen[{slice, given.index[k]}]++ != 0 && (!found || slice < found->slice))
            found = error{.code = errc::duplicate_entry,
                          .slice = slice,
                          .position = within_slice ? position : k};
    }
    return found;
}

template<class T> coordinates random_coordinates(randomness& random, std::uint64_t major,
                                                 std::uint64_t minor, std::uint64_t count) {
    std::vector<hurray_test::entry> entries;
    for (std::uint64_t k = 0; k < count; ++k)
        entries.push_back({hurray_test::below(random, major), hurray_test::below(random, minor),
                           hurray_test::bits_of_value<T>(
                               static_cast<T>(static_cast<std::uint8_t>(random() % 4)))});
    return coordinates::of(entries);
}

template<class T>
compressed summed(std::uint64_t major, std::uint64_t minor, coordinates const& given) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, T> sums;
    for (std::size_t k = 0; k < given.slice.size(); ++k) {
        auto& sum = sums[{given.slice[k], given.index[k]}];
        sum = static_cast<T>(sum + hurray_test::value_of<T>(given.values[k]));
    }
    std::vector<hurray_test::entry> entries;
    for (auto const& [place, sum] : sums)
        entries.push_back({place.first, place.second, hurray_test::bits_of_value<T>(sum)});
    return compressed::of(major, minor, std::move(entries));
}

using summable_elements = std::tuple<float, double, std::int8_t, std::uint8_t, std::int16_t,
                                     std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                                     std::uint64_t, std::complex<float>, std::complex<double>>;

using integers = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                            std::uint32_t, std::int64_t, std::uint64_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(assemble)

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
            check<T>(hurray_test::random_matrix(random, type, major, minor, count), random);
    check<T>(hurray_test::random_matrix(random, type, 4'000, 3'000, 70'000), random);
}

BOOST_AUTO_TEST_CASE(indices_up_to_the_largest) {
    constexpr auto most = ~std::uint64_t{0} - 1;
    randomness random(2);
    for (auto const major : numbers{1, 40, 5'000, 20'000})
        for (auto const minor : {std::uint64_t{1} << 33, std::uint64_t{1} << 52, most}) {
            std::vector<hurray_test::entry> entries;
            for (std::uint64_t i = 0; i < major; ++i) {
                entries.push_back({i, minor - 1, {i, 0}});
                for (auto const offset : {0u, 1u, 2u})
                    entries.push_back({i, minor / 3 * offset + i, {random(), 0}});
            }
            check<double>(compressed::of(major, minor, entries), random);
        }
    // The other way round there are as many offsets.
    auto const made = assembled<double, axis::rows>(most, 5, {});
    BOOST_TEST_REQUIRE(!made.has_value());
    BOOST_CHECK((made.error().code == errc::too_large_for_memory));
    auto const builder = hurray::matrix_builder<double, axis::rows>::create({most, 5});
    BOOST_TEST_REQUIRE(!builder.has_value());
    BOOST_CHECK((builder.error().code == errc::too_large_for_memory));
}

BOOST_AUTO_TEST_CASE(duplicates_are_refused_where_they_are) {
    randomness random(3);
    for (int round = 0; round < 200; ++round) {
        auto const major = 1 + hurray_test::below(random, 20);
        auto const given =
            random_coordinates<float>(random, major, 50, hurray_test::below(random, 40));
        auto const wanted = first_duplicate(given, false);
        auto const made = assembled<float, axis::rows>(major, 50, given);
        BOOST_TEST(made.has_value() == !wanted.has_value());
        if (wanted) BOOST_CHECK((made.error() == *wanted));
        auto const in_slice = first_duplicate(given, true);
        auto const built = build<float, axis::columns>(major, 50, given);
        BOOST_TEST(built.has_value() == !in_slice.has_value());
        if (in_slice) BOOST_CHECK((built.error() == *in_slice));
    }
    auto const large = random_coordinates<float>(random, 9'000, 400, 100'000);
    for (auto const threads : {1u, 2u, 3u}) {
        auto const made = assembled<float, axis::columns>(9'000, 400, large, {.threads = threads});
        BOOST_TEST_REQUIRE(!made.has_value());
        BOOST_CHECK((made.error() == *first_duplicate(large, false)));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(duplicates_are_summed, T, summable_elements) {
    randomness random(4);
    for (std::uint64_t round = 0; round < hurray_test::times(30); ++round) {
        auto const given = random_coordinates<T>(random, 7, 9, hurray_test::below(random, 100));
        auto const wanted = summed<T>(7, 9, given);
        auto const made = assembled<T, axis::rows>(7, 9, given, {.duplicates = duplicates::sum});
        BOOST_CHECK((made && hurray_test::shows(made->view(), wanted)));
        auto const built = build<T, axis::columns>(7, 9, given, {.duplicates = duplicates::sum});
        BOOST_CHECK((built && hurray_test::shows(built->view(), wanted)));
    }
    auto const large = random_coordinates<T>(random, 3'000, 100, 100'000);
    auto const wanted = summed<T>(3'000, 100, large);
    for (auto const threads : {3u, 1u, 2u}) {
        if (hurray_test::sampled && threads != 3) break;
        auto const made = assembled<T, axis::rows>(3'000, 100, large, {duplicates::sum, threads});
        BOOST_CHECK((made && hurray_test::shows(made->view(), wanted)));
    }
}

BOOST_AUTO_TEST_CASE(sums_are_taken_in_the_order_given) {
    // (1e16 + 1) + 1 stays 1e16, and 1 + 1 + 1e16 does not.
    for (bool const large_first : {true, false}) {
        std::vector<double> const values =
            large_first ? std::vector{1e16, 1.0, 1.0} : std::vector{1.0, 1.0, 1e16};
        auto const made = hurray::assemble<double>({1, 1}, numbers{0, 0, 0}, numbers{0, 0, 0},
                                                   values, {.duplicates = duplicates::sum});
        BOOST_TEST_REQUIRE(made.has_value());
        BOOST_TEST(made->view().value(0, 0) == (large_first ? 1e16 : 1e16 + 2));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(sums_that_overflow_are_refused, T, integers) {
    constexpr auto largest = std::numeric_limits<T>::max();
    std::vector<T> const values{largest, 5, 0, 1, 7};
    numbers const rows{2, 0, 2, 2, 1};
    numbers const columns{1, 0, 1, 1, 1};
    hurray::assemble_options const sum{.duplicates = duplicates::sum};
    check_error(hurray::assemble<T>({3, 3}, rows, columns, values, sum), errc::value_does_not_fit,
                2, 3);
    auto fits = values;
    fits[0] = static_cast<T>(largest - 1);
    auto const made = hurray::assemble<T>({3, 3}, rows, columns, fits, sum);
    BOOST_TEST_REQUIRE(made.has_value());
    BOOST_CHECK((made->view().value(2, 1) == largest));
    BOOST_TEST(made->nnz() == 3u);
    if constexpr (std::is_signed_v<T>) {
        std::vector<T> const low{std::numeric_limits<T>::min(), -1};
        check_error(hurray::assemble<T>({1, 1}, numbers{0, 0}, numbers{0, 0}, low, sum),
                    errc::value_does_not_fit, 0, 1);
    }
}

BOOST_AUTO_TEST_CASE(entries_outside_the_shape_are_refused) {
    std::vector<float> const values{1, 2, 3};
    numbers const rows{0, 3, 9};
    numbers const columns{0, 1, 2};
    check_error(hurray::assemble<float>({3, 3}, rows, columns, values), errc::index_exceeds_shape,
                error::nowhere, 1);
    check_error(hurray::assemble<float, axis::columns>({10, 2}, rows, columns, values),
                errc::index_exceeds_shape, error::nowhere, 2);
    check_error(hurray::assemble<float>({0, 0}, rows, columns, values), errc::index_exceeds_shape,
                error::nowhere, 0);
    check_error(hurray::assemble<hurray::pattern>({10, 2}, rows, columns),
                errc::index_exceeds_shape, error::nowhere, 2);
}

BOOST_AUTO_TEST_CASE(sizes_and_options_that_make_no_sense) {
    std::vector<float> const values{1, 2};
    numbers const three{0, 1, 2};
    numbers const two{0, 1};
    check_error(hurray::assemble<float>({3, 3}, three, three, values), errc::sizes_disagree,
                error::nowhere, error::nowhere);
    check_error(hurray::assemble<float>({3, 3}, two, three, values), errc::sizes_disagree,
                error::nowhere, error::nowhere);
    std::vector<hurray::float16> const halves(2, hurray::float16(1.0f));
    check_error(hurray::assemble<hurray::float16>({3, 3}, two, two, halves,
                                                  {.duplicates = duplicates::sum}),
                errc::bad_option, error::nowhere, error::nowhere);
}

BOOST_AUTO_TEST_CASE(R_138_forbidden_e8m0_values_are_refused) {
    using hurray::float8_e8m0;
    for (auto const bits : {std::uint8_t{0x00}, std::uint8_t{0xFF}}) {
        std::vector<float8_e8m0> const values{float8_e8m0(1.0f), float8_e8m0::from_bits(bits)};
        check_error(hurray::assemble<float8_e8m0>({2, 2}, numbers{1, 0}, numbers{0, 0}, values),
                    errc::forbidden_e8m0_value, error::nowhere, 1);
        auto builder = *hurray::matrix_builder<float8_e8m0, axis::rows>::create({2, 2});
        BOOST_TEST(builder.count(1));
        BOOST_TEST_REQUIRE(builder.start_placing().has_value());
        BOOST_TEST(!builder.place(1, 0, values[1]));
        check_error(std::move(builder).finish(), errc::forbidden_e8m0_value, 1, error::nowhere);
    }
}

BOOST_AUTO_TEST_CASE(patterns) {
    numbers const rows{2, 0, 2, 2};
    numbers const columns{1, 0, 0, 1};
    check_error(hurray::assemble<hurray::pattern>({3, 3}, rows, columns), errc::duplicate_entry, 2,
                3);
    auto const made =
        hurray::assemble<hurray::pattern>({3, 3}, rows, columns, {.duplicates = duplicates::sum});
    auto const wanted = compressed{
        .major = 3, .minor = 3, .offsets = {0, 1, 1, 3}, .indices = {0, 0, 1}, .values = {}};
    BOOST_CHECK((made && hurray_test::shows(made->view(), wanted)));

    auto builder = *hurray::matrix_builder<hurray::pattern, axis::columns>::create({3, 3});
    for (auto const row : rows) BOOST_TEST(builder.count(row));
    BOOST_TEST_REQUIRE(builder.start_placing().has_value());
    for (std::size_t k = 0; k < rows.size(); ++k) BOOST_TEST(builder.place(rows[k], columns[k]));
    auto const built = std::move(builder).finish({.duplicates = duplicates::sum});
    BOOST_CHECK((built && hurray_test::shows(built->view(), wanted)));
}

BOOST_AUTO_TEST_CASE(a_builder_refuses_what_was_not_counted) {
    auto const make = [] {
        auto builder = *hurray::matrix_builder<float, axis::rows>::create({3, 4});
        for (auto const row : {0u, 2u, 2u}) BOOST_TEST(builder.count(row));
        BOOST_TEST_REQUIRE(builder.start_placing().has_value());
        return builder;
    };
    {
        auto builder = make();
        BOOST_TEST(builder.place(2, 3, 1));
        BOOST_TEST(builder.place(0, 0, 1));
        check_error(std::move(builder).finish(), errc::sizes_disagree, error::nowhere,
                    error::nowhere);
    }
    {
        auto builder = make();
        BOOST_TEST(!builder.place(1, 0, 1));  // none was counted
        check_error(std::move(builder).finish(), errc::sizes_disagree, 1, error::nowhere);
    }
    {
        auto builder = make();
        BOOST_TEST(builder.place(0, 0, 1));
        BOOST_TEST(!builder.place(0, 1, 1));  // one more than counted
        BOOST_TEST(!builder.place(3, 0, 1));  // no such row, and not the first refusal
        check_error(std::move(builder).finish(), errc::sizes_disagree, 0, error::nowhere);
    }
    {
        auto builder = make();
        BOOST_TEST(!builder.place(0, 4, 1));
        check_error(std::move(builder).finish(), errc::index_exceeds_shape, 0, error::nowhere);
    }
    {
        auto builder = *hurray::matrix_builder<float, axis::rows>::create({3, 4});
        BOOST_TEST(!builder.count(3));
        check_error(std::move(builder).finish(), errc::index_exceeds_shape, 3, error::nowhere);
    }
    {
        auto builder = *hurray::matrix_builder<float, axis::rows>::create({3, 4});
        BOOST_TEST(builder.count(1));
        BOOST_TEST(!builder.place(1, 0, 1));  // before its time
        check_error(std::move(builder).finish(), errc::sizes_disagree, 1, error::nowhere);
    }
    {
        auto const made =
            std::move(*hurray::matrix_builder<float, axis::rows>::create({3, 4})).finish();
        BOOST_CHECK((made && made->nnz() == 0 && made->view().offsets().size() == 4));
    }
}

BOOST_AUTO_TEST_CASE(many_threads_place_at_once) {
    randomness random(5);
    auto const wanted =
        hurray_test::random_matrix(random, hurray::element_type::float64, 300, 5'000, 100'000);
    auto entries = wanted.entries();
    std::shuffle(entries.begin(), entries.end(), random);
    auto builder = *hurray::matrix_builder<double, axis::rows>::create({300, 5'000});
    auto const from_all = [&](auto const& work) {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (auto k = t; k < entries.size(); k += 4) work(entries[k]);
            });
        for (auto& thread : threads) thread.join();
    };
    from_all([&](auto const& e) { builder.count_concurrently(e.slice); });
    BOOST_TEST_REQUIRE(builder.start_placing().has_value());
    from_all([&](auto const& e) {
        builder.place_concurrently(e.slice, e.index, hurray_test::value_of<double>(e.value));
    });
    auto const made = std::move(builder).finish({.threads = 2});
    BOOST_CHECK((made && hurray_test::shows(made->view(), wanted)));
}

BOOST_AUTO_TEST_SUITE_END()
