// First, so that the header is seen to need nothing before it.
#include <hurray/interop/cholmod.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include <hurray/transpose.hpp>

#include "linear.hpp"

namespace {

using namespace interop_test;
namespace to = hurray::cholmod;

/// CHOLMOD's workspace, and its things, freed in time.
class workspace {
public:
    workspace() {
        cholmod_l_start(&common_);
        common_.print = 0;
    }
    workspace(workspace const&) = delete;
    ~workspace() { cholmod_l_finish(&common_); }
    operator cholmod_common*() noexcept { return &common_; }

    auto own(cholmod_dense* made) {
        return std::shared_ptr<cholmod_dense>(
            made, [this](cholmod_dense* x) { cholmod_l_free_dense(&x, &common_); });
    }
    auto own(cholmod_factor* made) {
        return std::shared_ptr<cholmod_factor>(
            made, [this](cholmod_factor* x) { cholmod_l_free_factor(&x, &common_); });
    }
    auto own(cholmod_sparse* made) {
        return std::shared_ptr<cholmod_sparse>(
            made, [this](cholmod_sparse* x) { cholmod_l_free_sparse(&x, &common_); });
    }

private:
    cholmod_common common_{};
};

cholmod_dense borrow(vector& x) {
    cholmod_dense made{};
    made.nrow = made.nzmax = made.d = x.size();
    made.ncol = 1;
    made.x = x.data();
    made.xtype = CHOLMOD_REAL;
    made.dtype = CHOLMOD_DOUBLE;
    return made;
}

vector as_vector(cholmod_dense const& x) {
    auto const values = static_cast<double const*>(x.x);
    return {values, values + x.nrow};
}

/// Solves L L' x = b by walking the columns of L.
vector substitute(hurray::csc_view<double> const& factor, vector x) {
    for (std::uint64_t j = 0; j < x.size(); ++j) {
        auto const column = factor.column(j);
        x[j] /= column[0].value;
        for (std::uint64_t k = 1; k < column.size(); ++k)
            x[column[k].index] -= column[k].value * x[j];
    }
    for (auto j = x.size(); j-- > 0;) {
        auto const column = factor.column(j);
        for (std::uint64_t k = 1; k < column.size(); ++k)
            x[j] -= column[k].value * x[column[k].index];
        x[j] /= column[0].value;
    }
    return x;
}

/// Factorises a mapped matrix, writes the factor to a file, and solves with what is in the file.
void factorise(hurray::csr_view<double> matrix, double tolerance) {
    on_disk const stored(matrix);
    auto const a = stored.rows();
    auto const n = a.shape().rows;
    auto const known = known_solution(n);
    auto b = times(a, known);

    // Symmetric: its rows are its columns.
    workspace work;
    auto sparse = to::borrow(a.transposed(), to::part::lower).value();
    BOOST_TEST(cholmod_l_check_sparse(&sparse, work));
    auto const factor = work.own(cholmod_l_analyze(&sparse, work));
    BOOST_REQUIRE(factor);
    BOOST_REQUIRE(cholmod_l_factorize(&sparse, factor.get(), work));
    BOOST_REQUIRE(factor->minor == n);  // positive definite
    auto right = borrow(b);
    auto const solved = work.own(cholmod_l_solve(CHOLMOD_A, factor.get(), &right, work));
    auto const theirs = as_vector(*solved);

    BOOST_REQUIRE(
        cholmod_l_change_factor(CHOLMOD_REAL, true, false, true, true, factor.get(), work));
    auto const order = static_cast<std::int64_t const*>(factor->Perm);
    std::vector<std::int64_t> const permutation(order, order + n);
    auto const lower = work.own(cholmod_l_factor_to_sparse(factor.get(), work));
    auto const seen = to::view<double>(*lower).value();
    hurray_test::temporary_directory const folder;
    auto out = hurray::writer::create(folder / "factor.hrry", {.durability = {}}).value();
    out.write("L", seen).value();
    out.close().value();
    auto const file = hurray::file::open(folder / "factor.hrry").value();
    auto const l = file.csc<double>("L").value();

    vector permuted(n), ours(n);
    for (std::size_t i = 0; i < n; ++i) permuted[i] = b[static_cast<std::size_t>(permutation[i])];
    permuted = substitute(l, permuted);
    for (std::size_t i = 0; i < n; ++i)
        ours[static_cast<std::size_t>(permutation[i])] = permuted[i];

    BOOST_TEST_MESSAGE(n << " rows, " << a.nnz() << " entries, " << l.nnz()
                         << " in the factor. CHOLMOD: residual " << residual(a, theirs, b)
                         << "; by columns of the factor in a file: " << residual(a, ours, b)
                         << "; they differ by " << distance(theirs, ours)
                         << ", CHOLMOD's from what is true by " << distance(theirs, known));
    BOOST_TEST(residual(a, theirs, b) < 1e-12);
    BOOST_TEST(residual(a, ours, b) < 1e-12);
    BOOST_TEST(distance(theirs, ours) < tolerance);
    BOOST_TEST(distance(theirs, known) < tolerance);
}

hurray::csc_matrix<double> small() {
    std::vector<std::uint64_t> const rows{0, 2, 1}, columns{0, 0, 2};
    std::vector<double> const values{1, 2, 3};
    return hurray::assemble<double, hurray::axis::columns>({.rows = 3, .columns = 4}, rows, columns,
                                                           values)
        .value();
}

bool is(hurray::error const& e, hurray::errc code) { return e.code == code; }

}  // namespace

BOOST_AUTO_TEST_SUITE(cholmod)

BOOST_AUTO_TEST_CASE(factorisation_of_a_grid) {
    auto const a = poisson(100);
    factorise(a.view(), 1e-10);
}

BOOST_AUTO_TEST_CASE(factorisation_of_a_stiffness_matrix) {
    if (auto const a = market("bcsstk13.mtx")) factorise(a->view(), 1e-4);
}

BOOST_AUTO_TEST_CASE(the_direct_and_the_iterative_solver_agree) {
    auto const made = poisson(40);
    auto const a = made.view();
    auto b = times(a, known_solution(a.shape().rows));
    workspace work;
    auto sparse = to::borrow(a.transposed(), to::part::upper).value();
    auto const factor = work.own(cholmod_l_analyze(&sparse, work));
    BOOST_REQUIRE(cholmod_l_factorize(&sparse, factor.get(), work));
    auto right = borrow(b);
    auto const solved = work.own(cholmod_l_solve(CHOLMOD_A, factor.get(), &right, work));
    BOOST_TEST(distance(as_vector(*solved), conjugate_gradient(a, b, 1e-12, 1000).x) < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_borrowed_matrix_is_the_arrays_of_the_view) {
    auto const made = small();
    auto const a = made.view();
    auto borrowed = to::borrow(a).value();
    BOOST_TEST(borrowed.p == static_cast<void const*>(a.offsets().data()));
    BOOST_TEST(borrowed.i == static_cast<void const*>(a.indices().data()));
    BOOST_TEST(borrowed.x == static_cast<void const*>(a.values().data()));
    workspace work;
    BOOST_TEST(cholmod_l_check_sparse(&borrowed, work));
    BOOST_TEST(cholmod_l_nnz(&borrowed, work) == 3);

    vector x{1, 10, 100, 1000}, y(3);
    auto in = borrow(x), out = borrow(y);
    double one[2] = {1, 0}, none[2] = {0, 0};
    BOOST_TEST(cholmod_l_sdmult(&borrowed, 0, one, none, &in, &out, work));
    auto const by_rows = hurray::transpose(a).value();
    BOOST_TEST(y == times(by_rows.view(), x), boost::test_tools::per_element());

    auto structure = to::borrow<hurray::pattern>(a).value();
    BOOST_TEST(structure.x == nullptr);
    BOOST_TEST(cholmod_l_check_sparse(&structure, work));

    auto const again = to::view<double>(borrowed).value();
    BOOST_TEST(again.values().data() == a.values().data());
    BOOST_TEST((again.shape() == a.shape()));
}

BOOST_AUTO_TEST_CASE(complex_matrices_are_shared_too) {
    std::vector<std::uint64_t> const offsets{0, 1, 2}, indices{1, 0};
    std::vector<std::complex<double>> const values{{1, 2}, {3, 4}};
    auto const a = hurray::csc_view<std::complex<double>>::over({.rows = 2, .columns = 2}, offsets,
                                                                indices, values)
                       .value();
    auto borrowed = to::borrow(a).value();
    workspace work;
    BOOST_TEST(cholmod_l_check_sparse(&borrowed, work));
    BOOST_TEST(cholmod_l_norm_sparse(&borrowed, 0, work) == 5);
    BOOST_TEST((to::view<std::complex<double>>(borrowed).value().value(0, 1) ==
                std::complex<double>(3, 4)));
    BOOST_TEST(is(to::view<double>(borrowed).error(), hurray::errc::element_type_mismatch));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_borrowed_is_refused) {
    auto const made = small();
    BOOST_TEST(is(to::borrow(made.view(), to::part::lower).error(), hurray::errc::sizes_disagree));
    std::vector<std::uint64_t> const none, offsets{0};
    auto const high = hurray::csc_view<double>::over({.rows = std::uint64_t{1} << 63, .columns = 0},
                                                     offsets, none, {})
                          .value();
    BOOST_TEST(is(to::borrow(high).error(), hurray::errc::value_does_not_fit));
}

BOOST_AUTO_TEST_CASE(what_is_no_view_is_refused) {
    workspace work;
    auto const made = small();
    auto const good = to::borrow(made.view()).value();

    auto bad = good;
    bad.itype = CHOLMOD_INT;
    BOOST_TEST(is(to::view<double>(bad).error(), hurray::errc::element_type_mismatch));
    bad = good;
    bad.packed = 0;
    BOOST_TEST(is(to::view<double>(bad).error(), hurray::errc::sizes_disagree));
    bad = good;
    bad.nzmax = 2;
    BOOST_TEST(is(to::view<double>(bad).error(), hurray::errc::sizes_disagree));
    bad = good;
    bad.x = nullptr;
    BOOST_TEST(is(to::view<double>(bad).error(), hurray::errc::sizes_disagree));

    std::vector<std::uint64_t> unsorted{2, 0, 1};
    bad = good;
    bad.i = unsorted.data();
    auto const refused = to::view<double>(bad);
    BOOST_REQUIRE(!refused);
    BOOST_TEST(is(refused.error(), hurray::errc::indices_not_increasing));
    BOOST_TEST(refused.error().slice == 0u);
}

BOOST_AUTO_TEST_CASE(an_empty_matrix_is_one_to_both) {
    hurray::csc_view<double> const nothing;
    auto borrowed = to::borrow(nothing).value();
    workspace work;
    BOOST_TEST(cholmod_l_nnz(&borrowed, work) == 0);
    auto const empty = work.own(cholmod_l_spzeros(3, 2, 0, CHOLMOD_REAL, work));
    auto const seen = to::view<double>(*empty).value();
    BOOST_TEST(seen.nnz() == 0u);
    BOOST_TEST((seen.shape() == hurray::extents{.rows = 3, .columns = 2}));
}

BOOST_AUTO_TEST_SUITE_END()
