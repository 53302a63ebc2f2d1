// From file to file in little memory: the same bytes as in memory and then written.

#include <hurray/transpose.hpp>

#include <hurray/file.hpp>
#include <hurray/writer.hpp>

#include "random_matrix.hpp"

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using hurray::axis;
using hurray::errc;
using hurray_test::below;
using hurray_test::compressed;
using hurray_test::random_matrix;
using hurray_test::randomness;

constexpr auto no_limit = ~std::uint64_t{0};

/// A folder of its own, gone at the end.
class folder {
public:
    folder()
        : path_(std::filesystem::temp_directory_path() /
                ("hurray-transpose-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    folder(folder const&) = delete;
    ~folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path operator/(char const* name) const { return path_ / name; }
    bool is_empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

std::string content(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

template<class T, axis Major>
auto view_of(compressed const& m, hurray_test::values<T> const& values) {
    auto const shape =
        Major == axis::rows ? hurray::extents{m.major, m.minor} : hurray::extents{m.minor, m.major};
    using view = hurray::compressed_view<T, Major, hurray::trust::verified>;
    return *view::over(shape, m.offsets, m.indices, values.span());
}

hurray::write_options quickly(bool checksums = false) {
    return {.durability = hurray::durability::none, .checksums = checksums};
}

/// The file that the other layout of `view`, made in memory, is written to.
template<class View>
std::string written(View const& view, std::filesystem::path const& path, bool checksums) {
    auto const made = hurray::transpose(view);
    auto out = hurray::writer::create(path, quickly(checksums));
    if (!made || !out || !out->write("a", made->view()) || !out->close()) return "failed";
    return content(path);
}

template<class View>
std::string transposed_to_file(View const& view, std::filesystem::path const& path,
                               hurray::transpose_options const& options, bool checksums) {
    auto out = hurray::writer::create(path, quickly(checksums));
    if (!out) return "not created";
    if (auto ok = hurray::transpose(view, *out, "a", options); !ok)
        return ok.error().code.message();
    if (!out->close()) return "not closed";
    return content(path);
}

template<class T, axis Major> void check(compressed const& m, folder const& in,
                                         std::initializer_list<std::uint64_t> budgets,
                                         bool checksums = false) {
    hurray_test::values<T> const values(m.values);
    auto const view = view_of<T, Major>(m, values);
    auto const wanted = written(view, in / "wanted", checksums);
    BOOST_TEST_REQUIRE(wanted.size() > 100u);
    for (auto const memory : budgets)
        for (auto const threads : {1u, 2u}) {
            auto const got = transposed_to_file(view, in / "got", {threads, memory}, checksums);
            BOOST_TEST((got == wanted), m.major << " x " << m.minor << ", " << m.indices.size()
                                                << " entries, " << memory
                                                << " bytes: " << got.substr(0, 60));
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transpose_file)

BOOST_AUTO_TEST_CASE_TEMPLATE(every_element_in_every_shape, T, hurray_test::every_element) {
    constexpr auto type = hurray::element_type_of<T>;
    folder const in;
    randomness random(1);
    struct shape {
        std::uint64_t major, minor, count;
    };
    for (auto const [major, minor, count] :
         {shape{0, 0, 0}, shape{0, 5, 0}, shape{5, 0, 0}, shape{4, 9, 0}, shape{1, 1, 1},
          shape{1, 7, 4}, shape{7, 1, 4}, shape{300, 20'000, 9'000}, shape{20'000, 300, 9'000}}) {
        auto const m = random_matrix(random, type, major, minor, count);
        check<T, axis::rows>(m, in, {no_limit, 0});
        check<T, axis::columns>(m, in, {0});
    }
}

// Many parts, groups of parts, columns that outgrow the memory, and stretches without entries.
BOOST_AUTO_TEST_CASE(little_memory) {
    folder const in;
    randomness random(2);
    std::uint64_t k = 0;
    for (auto const skew : {1.0, 6.0})
        for (auto const& [rows, columns] : {std::pair{15'000, 3}, std::pair{2'000, 15'000},
                                            std::pair{200, 700'000}, std::pair{3'000, 3'000}}) {
            if (!hurray_test::takes(k++)) continue;
            auto const m = random_matrix(random, hurray::element_type::float64,
                                         static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), 20'000, skew);
            check<double, axis::rows>(m, in, {0, 100'000, 200'000, no_limit});
        }
}

BOOST_AUTO_TEST_CASE(packed_columns_that_outgrow_the_memory) {
    folder const in;
    randomness random(3);
    check<bool, axis::rows>(random_matrix(random, hurray::element_type::boolean, 40'000, 5, 90'000),
                            in, {0, 100'000});
    check<hurray::float6_e2m3, axis::rows>(
        random_matrix(random, hurray::element_type::float6_e2m3, 40'000, 2, 60'000), in,
        {0, 100'000});
}

BOOST_AUTO_TEST_CASE(checksums_are_those_of_a_forward_pass) {
    folder const in;
    randomness random(4);
    check<float, axis::rows>(
        random_matrix(random, hurray::element_type::float32, 3'000, 9'000, 50'000), in,
        {no_limit, 0}, true);
}

BOOST_AUTO_TEST_CASE(indices_above_32_bits) {
    folder const in;
    constexpr auto wide = std::uint64_t{1} << 55;
    // The result is compressed along the short dimension; its indices need not be stored rows.
    compressed m{.major = 3, .minor = hurray_test::times(4'000'000)};
    m.offsets = {0, 2, 2, 4};
    m.indices = {0, m.minor - 1, 5, m.minor / 4 * 3};
    m.values.resize(4);
    check<float, axis::rows>(m, in, {0});

    compressed const tall{.major = 2,
                          .minor = wide,
                          .offsets = {0, 1, 2},
                          .indices = {wide - 1, 7},
                          .values = std::vector<hurray_test::value_bits>(2)};
    hurray_test::values<float> const values(tall.values);
    auto out = hurray::writer::create(in / "tall", quickly());
    BOOST_TEST_REQUIRE(out.has_value());
    // 2^55 columns: no disk holds their offsets, and none is touched in vain.
    BOOST_TEST(
        !hurray::transpose(view_of<float, axis::rows>(tall, values), *out, "a", {.memory = 0}));
}

BOOST_AUTO_TEST_CASE(a_sink_takes_what_fits_the_memory) {
    randomness random(5);
    auto const m = random_matrix(random, hurray::element_type::float32, 100, 200, 900);
    hurray_test::values<float> const values(m.values);
    auto const view = view_of<float, axis::rows>(m, values);
    auto const onto = [&](std::uint64_t memory) {
        auto out = hurray::writer::onto([](auto) { return std::error_code(); });
        return hurray::transpose(view, *out, "a", {.memory = memory});
    };
    BOOST_TEST(onto(no_limit).has_value());
    auto const refused = onto(0);
    BOOST_TEST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == errc::needs_a_path));
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_writer) {
    folder const in;
    randomness random(6);
    auto const m = random_matrix(random, hurray::element_type::float32, 100, 200, 900);
    hurray_test::values<float> const values(m.values);
    auto const view = view_of<float, axis::rows>(m, values);
    for (auto const memory : {std::uint64_t{0}, no_limit}) {
        {
            auto out = hurray::writer::create(in / "twice", quickly());
            BOOST_TEST(hurray::transpose(view, *out, "a", {.memory = memory}).has_value());
            auto const again = hurray::transpose(view, *out, "a", {.memory = memory});
            BOOST_TEST_REQUIRE(!again);
            BOOST_TEST((again.error().code == errc::duplicate_tensor_name));
            BOOST_TEST(!out->close());
        }
        BOOST_TEST(in.is_empty());
    }
}

// Offsets and indices of a file that somebody changes after it was verified.
BOOST_AUTO_TEST_CASE(arrays_that_change_are_refused_or_harmless) {
    folder const in;
    randomness random(7);
    auto m = random_matrix(random, hurray::element_type::float32, 2'000, 3'000, 20'000);
    hurray_test::values<float> const values(m.values);
    auto const view = view_of<float, axis::rows>(m, values);
    auto const last = m.indices.size() - 1;
    auto const refuses = [&] {
        auto out = hurray::writer::create(in / "changed", quickly());
        return !hurray::transpose(view, *out, "a", {.memory = 0});
    };
    auto const changed = [&](std::uint64_t& word, std::uint64_t to) {
        auto const before = std::exchange(word, to);
        auto const refused = refuses();
        word = before;
        return refused;
    };
    BOOST_TEST(changed(m.indices[last], 3'000));
    BOOST_TEST(changed(m.indices[7], ~std::uint64_t{0}));
    BOOST_TEST(changed(m.indices[1], m.indices[0]));
    BOOST_TEST(changed(m.offsets[2'000], 19));
    BOOST_TEST(!refuses());
    BOOST_TEST(!in.is_empty() == false);
}

// More entries come to a part than were counted for it, although the sum of all is right.
BOOST_AUTO_TEST_CASE(entries_that_move_between_the_passes_are_noticed) {
    folder const in;
    constexpr std::uint64_t columns = std::uint64_t{1} << 22, many = 20'000;
    std::vector<std::uint64_t> const offsets{0, many};
    std::vector<std::uint64_t> indices;
    for (std::uint64_t k = 0; k < many; ++k)
        indices.push_back(k < many / 2 ? k : columns - many + k);
    std::vector<float> const values(many, 1.0f);
    auto const view = hurray::csr_view<float>::over({1, columns}, offsets, indices, values).value();
    int told = 0;
    auto const move = [&](std::uint64_t, std::uint64_t) {
        ++told;
        // Where no entries were counted, so that the next pass skips them; then to the last part.
        for (std::uint64_t k = 0; k < many / 2; ++k)
            indices[k] = told == 1 ? columns / 2 + k : columns - 1;
        return true;
    };
    auto out = hurray::writer::create(in / "moved", quickly());
    auto const ok = hurray::transpose(view, *out, "a", {.memory = 0, .on_progress = move});
    BOOST_TEST_REQUIRE(!ok);
    BOOST_TEST((ok.error().code == errc::file_changed));
    BOOST_TEST(told >= 2);
}

BOOST_AUTO_TEST_SUITE_END()
