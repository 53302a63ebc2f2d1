// Matrices that are stored and loaded by several ranks, one job per run: see pairs.sh.

#include "common.hpp"

#include <petscksp.h>

namespace {

/// Every bit of the rank's rows as the file's own view shows them.
void compare(Mat matrix, char const* path, char const* name) {
    auto const file = hurray::file::open(path).value();
    auto const view = file.csr<double>(name, hurray::lazy).value();
    PetscInt first = 0, last = 0, rows = 0, columns = 0;
    need(MatGetOwnershipRange(matrix, &first, &last));
    need(MatGetSize(matrix, &rows, &columns));
    if (view.shape() !=
        hurray::extents{static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)})
        fail("another shape");
    for (auto i = first; i < last; ++i) {
        PetscInt count = 0;
        PetscInt const* indices = nullptr;
        PetscScalar const* values = nullptr;
        need(MatGetRow(matrix, i, &count, &indices, &values));
        auto const row = view.row(static_cast<std::uint64_t>(i)).value();
        auto const size = row.size() * 8;
        if (static_cast<std::uint64_t>(count) != row.size() ||
            std::memcmp(indices, row.indices().data(), size) != 0 ||
            std::memcmp(values, row.values().data(), size) != 0)
            fail("row " + std::to_string(i) + " differs");
        need(MatRestoreRow(matrix, i, &count, &indices, &values));
    }
}

/// Solves A x = A 1 and tells how far x is from 1.
void solve(Mat matrix, double tolerance) {
    Vec x = nullptr, b = nullptr;
    need(MatCreateVecs(matrix, &x, &b));
    need(VecSet(x, 1));
    need(MatMult(matrix, x, b));
    need(VecSet(x, 0));
    KSP solver = nullptr;
    need(KSPCreate(world, &solver));
    need(KSPSetOperators(solver, matrix, matrix));
    need(KSPSetType(solver, KSPCG));
    need(KSPSetTolerances(solver, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
    need(KSPSetFromOptions(solver));
    need(KSPSolve(solver, b, x));
    KSPConvergedReason why{};
    PetscInt steps = 0;
    need(KSPGetConvergedReason(solver, &why));
    need(KSPGetIterationNumber(solver, &steps));
    PetscReal distance = 0;
    need(VecShift(x, -1));
    need(VecNorm(x, NORM_INFINITY, &distance));
    if (rank_here() == 0)
        std::printf("solved in %d steps, at most %.2e from the solution\n", static_cast<int>(steps),
                    static_cast<double>(distance));
    if (why < 0) fail("the solver gave up");
    if (!(distance <= tolerance)) fail("too far from the solution");
    need(KSPDestroy(&solver));
    need(VecDestroy(&x));
    need(VecDestroy(&b));
}

Mat load(char const* path, char const* name) {
    Mat made = nullptr;
    auto const begun = MPI_Wtime();
    need(petsc::load_mat(world, path, name, &made));
    auto const took = MPI_Wtime() - begun;
    if (rank_here() == 0) std::printf("load: %.3f s\n", took);
    return made;
}

void store(Mat matrix, char const* path) {
    auto const begun = MPI_Wtime();
    need(petsc::store_mat(matrix, path, "A", {.durability = hurray::durability::full}));
    auto const took = MPI_Wtime() - begun;
    if (rank_here() == 0) std::printf("store: %.3f s\n", took);
}

constexpr std::uint64_t allowance = std::uint64_t{16} << 20;

/// How much memory PETSc alone takes for a rank's rows goes into a file of the rank's.
std::string share_file(std::string const& stem) { return stem + '.' + std::to_string(rank_here()); }

void measure_alone(PetscInt grid, char const* stem) {
    watch memory;
    auto matrix = poisson(grid);
    memory.stop();
    std::ofstream(share_file(stem)) << memory.more_memory() << '\n';
    need(MatDestroy(&matrix));
}

/// Loading may take what PETSc takes alone and 16 MiB, storing 16 MiB. `clumsy`: as if loading had
/// kept a copy of the entries, to show that this test would see it.
void measure_beside(char const* path, char const* name, char const* stem, bool clumsy) {
    std::uint64_t share = 0;
    if (!(std::ifstream(share_file(stem)) >> share)) fail("nobody measured PETSc alone");
    std::vector<char> copy;
    watch loading;
    auto matrix = load(path, name);
    if (clumsy) {
        MatInfo info;
        need(MatGetInfo(matrix, MAT_LOCAL, &info));
        copy.assign(static_cast<std::size_t>(info.nz_used) * 16, 1);
    }
    loading.stop();
    watch storing;
    store(matrix, "again.hrry");
    storing.stop();
    std::printf("rank %d of %d: PETSc alone %.1f MiB, load_mat %.1f MiB (%+.1f), store_mat %.1f "
                "MiB, %zu and %zu files\n",
                rank_here(), ranks_here(), static_cast<double>(share) / mib,
                static_cast<double>(loading.more_memory()) / mib,
                (static_cast<double>(loading.more_memory()) - static_cast<double>(share)) / mib,
                static_cast<double>(storing.more_memory()) / mib, loading.more_files(),
                storing.more_files());
    if (share < 2 * allowance) fail("the share is too small to show anything");
    if (loading.more_memory() > share + allowance) fail("loading took too much memory");
    if (storing.more_memory() > allowance) fail("storing took too much memory");
    need(MatDestroy(&matrix));
}

int run(int argc, char** argv) {
    std::string const job = argc > 1 ? argv[1] : "";
    if (job == "poisson" && argc >= 4) {  // GRID OUT
        auto matrix = poisson(std::strtoll(argv[2], nullptr, 10));
        store(matrix, argv[3]);
        need(MatDestroy(&matrix));
    } else if (job == "copy" && argc >= 5) {  // IN NAME OUT
        auto matrix = load(argv[2], argv[3]);
        store(matrix, argv[4]);
        need(MatDestroy(&matrix));
    } else if (job == "check" && argc >= 6) {  // IN NAME REFERENCE TOLERANCE
        auto matrix = load(argv[2], argv[3]);
        compare(matrix, argv[4], "A");
        solve(matrix, std::strtod(argv[5], nullptr));
        need(MatDestroy(&matrix));
    } else if (job == "alone" && argc >= 4) {  // GRID STEM
        measure_alone(std::strtoll(argv[2], nullptr, 10), argv[3]);
    } else if ((job == "beside" || job == "clumsy") && argc >= 5) {  // IN NAME STEM
        measure_beside(argv[2], argv[3], argv[4], job == "clumsy");
    } else {
        fail("no such job: " + job);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    int const status = run(argc, argv);
    PetscFinalize();
    return status;
}
