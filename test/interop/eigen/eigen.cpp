// First, so that the header is seen to need nothing before it.
#include <hurray/interop/eigen.hpp>

#include <boost/test/unit_test.hpp>

#include <Eigen/IterativeLinearSolvers>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>

#include "linear.hpp"

namespace {

using namespace interop_test;
using eigen_vector = Eigen::VectorXd;
namespace to = hurray::eigen;

vector as_vector(eigen_vector const& x) { return {x.begin(), x.end()}; }
eigen_vector as_eigen(vector const& x) {
    return eigen_vector::Map(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// What was written comes back: a file of its own, opened again.
template<class Write> struct written {
    explicit written(Write write) {
        hurray_test::memory_sink memory;
        auto out = hurray::writer::onto(memory).value();
        status = write(out);
        if (status) out.close().value();
        words.resize(memory.got->size() / 8 + 1);
        std::copy(memory.got->begin(), memory.got->end(),
                  std::as_writable_bytes(std::span(words)).begin());
        size = memory.got->size();
    }
    hurray::file_view file() const {
        return hurray::file_view::parse(std::as_bytes(std::span(words)).first(size)).value();
    }
    std::vector<std::uint64_t> words;
    std::size_t size = 0;
    hurray::result<void> status;
};

/// A 3 x 4 matrix: . 1 . 2 / empty / 3 . 4 .
template<class Matrix> Matrix small() {
    Matrix made(3, 4);
    made.insert(2, 2) = 4;
    made.insert(0, 3) = 2;
    made.insert(0, 1) = 1;
    made.insert(2, 0) = 3;
    return made;
}

template<class View, class Matrix> void check_same(View const& view, Matrix const& matrix) {
    BOOST_TEST(view.shape().rows == static_cast<std::uint64_t>(matrix.rows()));
    BOOST_TEST(view.shape().columns == static_cast<std::uint64_t>(matrix.cols()));
    BOOST_TEST(view.nnz() == static_cast<std::uint64_t>(matrix.nonZeros()));
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
        for (Eigen::Index j = 0; j < matrix.cols(); ++j)
            BOOST_TEST((view.value(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) ==
                        matrix.coeff(i, j)));
}

void solve(hurray::csr_view<double> matrix, double tolerance, int most, double agreement) {
    on_disk const stored(matrix);
    auto const a = stored.rows();
    auto const b = times(a, known_solution(a.shape().rows));

    auto const ours = conjugate_gradient(a, b, tolerance, most);

    auto const mapped = to::map(a).value();
    Eigen::ConjugateGradient<to::matrix<double>, Eigen::Lower | Eigen::Upper> solver;
    solver.setTolerance(tolerance);
    solver.setMaxIterations(most);
    solver.compute(mapped);
    auto const theirs = as_vector(solver.solve(as_eigen(b)));

    auto const left = residual(a, theirs, b), left_by_rows = residual(a, ours.x, b);
    auto const apart = distance(theirs, ours.x);
    auto const off = distance(theirs, known_solution(a.shape().rows));
    BOOST_TEST_MESSAGE(a.shape().rows
                       << " rows, " << a.nnz() << " entries. Eigen: " << solver.iterations()
                       << " iterations, residual " << left << "; by rows: " << ours.iterations
                       << ", " << left_by_rows << "; they differ by " << apart
                       << ", Eigen's from what is true by " << off);
    BOOST_TEST((solver.info() == Eigen::Success));
    BOOST_TEST(ours.iterations < most);
    BOOST_TEST(left < 10 * tolerance);
    BOOST_TEST(left_by_rows < 10 * tolerance);
    BOOST_TEST(apart < agreement);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(eigen)

BOOST_AUTO_TEST_CASE(conjugate_gradient_on_a_grid) {
    auto const a = poisson(100);
    solve(a.view(), 1e-10, 1000, 1e-7);
}

BOOST_AUTO_TEST_CASE(conjugate_gradient_on_a_stiffness_matrix) {
    if (auto const a = market("bcsstk13.mtx")) solve(a->view(), 1e-8, 20000, 1e-3);
}

BOOST_AUTO_TEST_CASE(a_map_is_the_arrays_of_the_file) {
    auto const made = poisson(3);
    on_disk const stored(made.view());
    auto const a = stored.rows();
    auto const mapped = to::map(a).value();
    BOOST_TEST(static_cast<void const*>(mapped.valuePtr()) == a.values().data());
    BOOST_TEST(static_cast<void const*>(mapped.innerIndexPtr()) == a.indices().data());
    BOOST_TEST(static_cast<void const*>(mapped.outerIndexPtr()) == a.offsets().data());
    check_same(a, mapped);

    // What Eigen's solvers hold is the same arrays too.
    Eigen::Ref<to::matrix<double> const> const held(mapped);
    BOOST_TEST(static_cast<void const*>(held.valuePtr()) == a.values().data());

    auto const columns = a.transposed();
    check_same(columns, to::map(columns).value());
    BOOST_TEST(!bool(to::map(columns)->IsRowMajor));
}

BOOST_AUTO_TEST_CASE(narrow_indices_share_the_values) {
    auto const made = poisson(5);
    auto const a = made.view();
    auto const half = hurray::narrow<std::int32_t>(a).value();
    auto const mapped = to::map(half).value();
    static_assert(std::is_same_v<decltype(mapped)::StorageIndex, std::int32_t>);
    BOOST_TEST(static_cast<void const*>(mapped.valuePtr()) == a.values().data());
    check_same(a, mapped);
    auto const x = known_solution(a.shape().columns);
    BOOST_TEST(distance(as_vector(mapped * as_eigen(x)), times(a, x)) == 0);
}

BOOST_AUTO_TEST_CASE(a_map_of_nothing) {
    hurray::csr_view<float> const nothing;
    auto const mapped = to::map(nothing).value();
    BOOST_TEST(mapped.rows() == 0);
    BOOST_TEST(mapped.nonZeros() == 0);
}

BOOST_AUTO_TEST_CASE(a_shape_beyond_signed_counts_is_refused) {
    std::vector<std::uint64_t> const none, offsets{0};
    auto const wide = hurray::csr_view<double>::over({.rows = 0, .columns = std::uint64_t{1} << 63},
                                                     offsets, none, {})
                          .value();
    BOOST_TEST((to::map(wide).error().code == hurray::errc::value_does_not_fit));
}

BOOST_AUTO_TEST_CASE(an_eigen_matrix_seen_in_place) {
    auto rows = small<to::matrix<float>>();
    BOOST_TEST((to::view(rows).error().code == hurray::errc::sizes_disagree));
    rows.makeCompressed();
    auto const seen = to::view(rows).value();
    BOOST_TEST(seen.values().data() == rows.valuePtr());
    check_same(seen, rows);

    auto columns = small<to::matrix<std::complex<double>, hurray::axis::columns>>();
    columns.makeCompressed();
    hurray::csc_view<std::complex<double>> const other = to::view(columns).value();
    check_same(other, columns);

    // Round and round: a Map is viewed like the matrix it shows.
    auto const mapped = to::map(seen).value();
    BOOST_TEST(to::view(mapped).value().values().data() == rows.valuePtr());
}

BOOST_AUTO_TEST_CASE(a_broken_eigen_matrix_is_refused) {
    auto rows = small<to::matrix<float>>();
    rows.makeCompressed();
    std::swap(rows.innerIndexPtr()[0], rows.innerIndexPtr()[1]);
    auto const bad = to::view(rows);
    BOOST_REQUIRE(!bad);
    BOOST_TEST((bad.error().code == hurray::errc::indices_not_increasing));
    BOOST_TEST(bad.error().slice == 0u);
    rows.innerIndexPtr()[0] = -1;
    BOOST_TEST(!to::view(rows));
}

BOOST_AUTO_TEST_CASE(eigen_matrices_of_every_kind_are_written) {
    auto wide = small<to::matrix<double>>();
    wide.makeCompressed();
    auto const loose = small<to::matrix<double>>();
    auto narrow = small<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    narrow.makeCompressed();
    auto const loose_columns = small<Eigen::SparseMatrix<float>>();
    Eigen::SparseMatrix<int> const empty(2, 3);

    written const stored([&](hurray::writer& out) -> hurray::result<void> {
        to::write(out, "wide", wide).value();
        to::write(out, "loose", loose).value();
        to::write(out, "narrow", narrow).value();
        to::write(out, "loose columns", loose_columns).value();
        to::write(out, "empty", empty).value();
        to::write(out, "row", narrow.middleRows(2, 1)).value();
        return {};
    });
    auto const file = stored.file();
    check_same(file.csr<double>("wide").value(), wide);
    check_same(file.csr<double>("loose").value(), wide);
    check_same(file.csr<double>("narrow").value(), narrow);
    check_same(file.csc<float>("loose columns").value(), loose_columns);
    check_same(file.csc<std::int32_t>("empty").value(), empty);
    BOOST_TEST(file.csr<double>("row").value().value(0, 2) == 4);
    BOOST_TEST(file.csr<double>("row").value().nnz() == 2u);
}

BOOST_AUTO_TEST_CASE(many_narrow_indices_are_written_in_pieces) {
    auto const made = poisson(100);
    auto const a = made.view();
    auto const half = hurray::narrow<std::int32_t>(a).value();
    auto const mapped = to::map(half).value();
    written const stored([&](hurray::writer& out) { return to::write(out, "A", mapped); });
    stored.status.value();
    auto const file = stored.file();
    auto const b = file.csr<double>("A").value();
    BOOST_TEST(
        std::equal(a.indices().begin(), a.indices().end(), b.indices().begin(), b.indices().end()));
    BOOST_TEST(
        std::equal(a.offsets().begin(), a.offsets().end(), b.offsets().begin(), b.offsets().end()));
}

BOOST_AUTO_TEST_CASE(a_broken_narrow_matrix_is_refused) {
    auto narrow = small<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    narrow.makeCompressed();
    narrow.innerIndexPtr()[1] = -7;
    written const stored([&](hurray::writer& out) { return to::write(out, "A", narrow); });
    BOOST_REQUIRE(!stored.status);
    BOOST_TEST((stored.status.error().code == hurray::errc::index_exceeds_shape));
}

BOOST_AUTO_TEST_SUITE_END()
