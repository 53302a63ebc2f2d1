// First, so that the header is seen to need nothing before it.
#include <hurray/interop/graphblas.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/transpose.hpp>

#include "linear.hpp"

namespace {

using namespace interop_test;
namespace to = hurray::graphblas;

void need(GrB_Info info) {
    if (info != GrB_SUCCESS) throw std::runtime_error("GraphBLAS says " + std::to_string(info));
}

struct started {
    started() { need(GrB_init(GrB_NONBLOCKING)); }
    ~started() { GrB_finalize(); }
};

struct free_vector {
    void operator()(GrB_Vector held) const { GrB_Vector_free(&held); }
};
using grb_vector = std::unique_ptr<std::remove_pointer_t<GrB_Vector>, free_vector>;

grb_vector new_vector(GrB_Type type, std::uint64_t size) {
    GrB_Vector made = nullptr;
    need(GrB_Vector_new(&made, type, size));
    return grb_vector(made);
}

constexpr std::int64_t unreached = -1;
using levels = std::vector<std::int64_t>;

/// How many steps each vertex is from `source`, by walking rows.
levels walk(hurray::csr_view<hurray::pattern> const& graph, std::uint64_t source) {
    levels level(graph.shape().rows, unreached);
    std::vector<std::uint64_t> frontier{source}, next;
    level[source] = 0;
    for (std::int64_t depth = 1; !frontier.empty(); ++depth) {
        next.clear();
        for (auto const vertex : frontier)
            for (auto const [neighbour] : graph.row(vertex))
                if (level[neighbour] == unreached) {
                    level[neighbour] = depth;
                    next.push_back(neighbour);
                }
        frontier.swap(next);
    }
    return level;
}

/// The same in the language of linear algebra: a frontier times the matrix, except where one was.
levels search(GrB_Matrix graph, std::uint64_t size, std::uint64_t source) {
    auto const level = new_vector(GrB_INT64, size);
    auto const frontier = new_vector(GrB_BOOL, size);
    need(GrB_Vector_setElement_BOOL(frontier.get(), true, source));
    for (std::int64_t depth = 0;; ++depth) {
        need(GrB_Vector_assign_INT64(level.get(), frontier.get(), nullptr, depth, GrB_ALL, size,
                                     GrB_DESC_S));
        need(GrB_vxm(frontier.get(), level.get(), nullptr, GxB_ANY_PAIR_BOOL, frontier.get(), graph,
                     GrB_DESC_RSC));
        GrB_Index reached = 0;
        need(GrB_Vector_nvals(&reached, frontier.get()));
        if (reached == 0) break;
    }
    levels found(size, unreached);
    for (std::uint64_t i = 0; i < size; ++i)
        if (auto const info = GrB_Vector_extractElement_INT64(&found[i], level.get(), i);
            info != GrB_NO_VALUE)
            need(info);
    return found;
}

void breadth_first(std::string_view what, hurray::csr_view<double> matrix) {
    on_disk const stored(matrix);
    hurray::csr_view<hurray::pattern> const graph = stored.rows();
    auto const copied = to::copy(graph).value();
    auto const size = graph.shape().rows;
    for (std::uint64_t const source : {std::uint64_t{0}, size / 2, size - 1}) {
        auto const ours = walk(graph, source);
        auto const theirs = search(copied.get(), size, source);
        BOOST_TEST_MESSAGE(what << " from " << source << ": "
                                << size - static_cast<std::uint64_t>(
                                              std::count(ours.begin(), ours.end(), unreached))
                                << " of " << size << " vertices reached, the farthest in "
                                << *std::max_element(ours.begin(), ours.end()) << " steps");
        BOOST_TEST(theirs == ours, boost::test_tools::per_element());
    }
}

template<class A, class B> bool same(A const& a, B const& b) {
    return a.shape() == b.shape() && std::ranges::equal(a.offsets(), b.offsets()) &&
           std::ranges::equal(a.indices(), b.indices()) &&
           std::ranges::equal(a.values(), b.values());
}

GrB_Index entries(to::matrix const& m) {
    GrB_Index count = 0;
    need(GrB_Matrix_nvals(&count, m.get()));
    return count;
}

/// A 3 x 4 matrix: . 1 . 2 / empty / 3 . 4 .
template<class T> hurray::csr_matrix<T> small() {
    std::vector<std::uint64_t> const rows{0, 0, 2, 2}, columns{1, 3, 0, 2};
    std::vector<T> const values{1, 2, 3, 4};
    return hurray::assemble<T>({.rows = 3, .columns = 4}, rows, columns, values).value();
}

template<class T> void there_and_back() {
    auto const made = small<T>();
    auto const rows = made.view();
    auto const copied = to::copy(rows).value();
    T value{};
    if constexpr (std::is_same_v<T, float>)
        need(GrB_Matrix_extractElement_FP32(&value, copied.get(), 2, 2));
    else
        value = 4;
    BOOST_TEST(value == T{4});
    BOOST_TEST(to::lend<T>(copied.get(), [&](auto view) { return same(view, rows); }).value());

    // By columns, in and out.
    auto const other = hurray::transpose(rows).value();
    auto const columns = to::copy(other.view()).value();
    BOOST_TEST((to::lend<T, hurray::axis::columns>(columns.get(), [&](auto view) {
                    return same(view, other.view());
                }).value()));
    // What is held by columns is had by rows as well, and the other way round.
    BOOST_TEST(to::lend<T>(columns.get(), [&](auto view) { return same(view, rows); }).value());
    BOOST_TEST(entries(columns) == 4u);
}

bool is(hurray::error const& e, hurray::errc code) { return e.code == code; }

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(started);

BOOST_AUTO_TEST_SUITE(graphblas)

BOOST_AUTO_TEST_CASE(breadth_first_search_of_a_grid) {
    auto const a = poisson(100);
    breadth_first("grid", a.view());
}

BOOST_AUTO_TEST_CASE(breadth_first_search_of_a_social_network) {
    if (auto const a = market("karate.mtx")) breadth_first("karate", a->view());
}

// Not symmetric: whoever mixes up rows and columns is found out.
BOOST_AUTO_TEST_CASE(breadth_first_search_along_directed_edges) {
    if (auto const a = market("west0067.mtx")) {
        breadth_first("west0067", a->view());
        auto const columns = hurray::transpose(*a).value();
        BOOST_TEST((walk(a->view(), 0) != walk(columns.view().transposed(), 0)));
    }
}

BOOST_AUTO_TEST_CASE(every_type_goes_there_and_back) {
    there_and_back<float>();
    there_and_back<double>();
    there_and_back<std::int8_t>();
    there_and_back<std::int16_t>();
    there_and_back<std::int32_t>();
    there_and_back<std::int64_t>();
    there_and_back<std::uint8_t>();
    there_and_back<std::uint16_t>();
    there_and_back<std::uint32_t>();
    there_and_back<std::uint64_t>();
}

BOOST_AUTO_TEST_CASE(a_product_of_graphblas_goes_to_a_file_as_it_is) {
    auto const made = poisson(30);
    auto const a = made.view();
    auto const copied = to::copy(a).value();
    GrB_Matrix square = nullptr;
    need(GrB_Matrix_new(&square, GrB_FP64, a.shape().rows, a.shape().columns));
    to::matrix const owner(square);
    need(GrB_mxm(square, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, copied.get(), copied.get(),
                 nullptr));

    hurray_test::temporary_directory const folder;
    auto out = hurray::writer::create(folder / "square.hrry", {.durability = {}}).value();
    to::lend<double>(square, [&](auto view) { return out.write("square", view); }).value();
    out.close().value();

    auto const file = hurray::file::open(folder / "square.hrry").value();
    auto const stored = file.csr<double>("square").value();
    auto const x = known_solution(a.shape().rows);
    BOOST_TEST(distance(times(stored, x), times(a, times(a, x))) < 1e-14);
    BOOST_TEST(entries(owner) == stored.nnz());  // it is all back
}

BOOST_AUTO_TEST_CASE(a_structure_takes_no_values_along) {
    auto const made = small<float>();
    hurray::csr_view<hurray::pattern> const structure = made.view();
    auto const copied = to::copy(structure).value();
    bool iso = false;
    need(GxB_Matrix_iso(&iso, copied.get()));
    BOOST_TEST(iso);
    to::lend<hurray::pattern>(copied.get(), [&](auto view) {
        BOOST_TEST(std::ranges::equal(view.indices(), structure.indices()));
    }).value();
    need(GxB_Matrix_iso(&iso, copied.get()));
    BOOST_TEST(iso);  // nothing was written out
    BOOST_TEST(entries(copied) == 4u);
}

BOOST_AUTO_TEST_CASE(one_value_for_all_is_written_out) {
    GrB_Matrix full = nullptr;
    need(GrB_Matrix_new(&full, GrB_FP64, 3, 2));
    to::matrix const owner(full);
    need(GrB_Matrix_assign_FP64(full, nullptr, nullptr, 7, GrB_ALL, 3, GrB_ALL, 2, nullptr));
    to::lend<double>(full, [](auto view) {
        BOOST_TEST(view.nnz() == 6u);
        for (std::uint64_t i = 0; i < 3; ++i)
            for (auto const [column, value] : view.row(i)) BOOST_TEST(value == 7);
    }).value();
    BOOST_TEST(entries(owner) == 6u);
}

BOOST_AUTO_TEST_CASE(another_type_is_refused_and_nothing_is_lost) {
    auto const made = small<float>();
    auto const copied = to::copy(made.view()).value();
    auto const refused = to::lend<double>(copied.get(), [](auto) {});
    BOOST_REQUIRE(!refused);
    BOOST_TEST(is(refused.error(), hurray::errc::element_type_mismatch));
    BOOST_TEST(entries(copied) == 4u);
}

BOOST_AUTO_TEST_CASE(what_was_lent_comes_back_whatever_happens) {
    auto const made = small<float>();
    auto const copied = to::copy(made.view()).value();
    BOOST_CHECK_THROW(
        static_cast<void>(to::lend<float>(copied.get(), [](auto) { throw std::logic_error("x"); })),
        std::logic_error);
    BOOST_TEST(entries(copied) == 4u);
    auto const failed = to::lend<float>(
        copied.get(), [](auto) -> hurray::result<int> { return hurray::errc::cancelled; });
    BOOST_TEST(is(failed.error(), hurray::errc::cancelled));
    BOOST_TEST(to::lend<float>(copied.get(), [&](auto v) { return same(v, made.view()); }).value());
}

BOOST_AUTO_TEST_CASE(a_matrix_without_entries) {
    std::vector<std::uint64_t> const none, offsets{0, 0, 0};
    auto const empty =
        hurray::csr_view<double>::over({.rows = 2, .columns = 5}, offsets, none, {}).value();
    auto const copied = to::copy(empty).value();
    BOOST_TEST(entries(copied) == 0u);
    BOOST_TEST(
        to::lend<double>(copied.get(), [&](auto view) { return same(view, empty); }).value());
}

BOOST_AUTO_TEST_CASE(a_dimension_beyond_what_graphblas_counts_is_refused) {
    std::vector<std::uint64_t> const none, offsets{0};
    auto const wide = hurray::csr_view<double>::over({.rows = 0, .columns = std::uint64_t{1} << 61},
                                                     offsets, none, {})
                          .value();
    BOOST_TEST(is(to::copy(wide).error(), hurray::errc::value_does_not_fit));
}

BOOST_AUTO_TEST_SUITE_END()
