// What the ranks of a test do, one job per run: see pairs.sh. Every rank prints what it finds; any
// rank that finds something wrong ends all of them with status 1.

#include <hurray/interop/petsc.hpp>

#include <petscksp.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/resource.h>

namespace {

namespace petsc = hurray::petsc;
MPI_Comm const world = MPI_COMM_WORLD;

int rank_here() {
    int rank = 0;
    MPI_Comm_rank(world, &rank);
    return rank;
}

[[noreturn]] void fail(std::string const& what) {
    std::fprintf(stderr, "rank %d: %s\n", rank_here(), what.c_str());
    std::fflush(nullptr);
    MPI_Abort(world, 1);
    std::abort();
}

void need(PetscErrorCode code) {
    if (code != 0) fail("PETSc error " + std::to_string(code));
}
void need(petsc::outcome const& all) {
    if (!all) fail(all.message());
}

/// Bytes of memory that no file backs.
std::uint64_t anonymous_memory() {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("RssAnon:"))
            return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
    fail("there is no RssAnon");
}

/// The memory of a rank since `before`, which may be its share of the matrix and 16 MiB more.
void check_memory(char const* what, std::uint64_t before, Mat matrix) {
    MatInfo info;
    need(MatGetInfo(matrix, MAT_LOCAL, &info));
    auto const now = anonymous_memory();
    auto const more = now > before ? now - before : 0;
    // Values and indices, and what PETSc keeps for each row of the two parts of an AIJ matrix.
    PetscInt first = 0, last = 0;
    need(MatGetOwnershipRange(matrix, &first, &last));
    auto const share = static_cast<std::uint64_t>(info.nz_used) * 16 +
                       static_cast<std::uint64_t>(last - first) * 48;
    std::printf("%s: rank %d, RssAnon %+.1f MiB, share %.1f MiB\n", what, rank_here(),
                static_cast<double>(more) / 1048576, static_cast<double>(share) / 1048576);
    if (more > share + (std::uint64_t{16} << 20)) fail("too much memory");
}

/// The Laplacian of a grid of n x n points.
Mat poisson(PetscInt n) {
    Mat made = nullptr;
    need(MatCreateAIJ(world, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, nullptr, 4, nullptr,
                      &made));
    PetscInt first = 0, last = 0;
    need(MatGetOwnershipRange(made, &first, &last));
    for (auto i = first; i < last; ++i) {
        auto const put = [&](bool there, PetscInt column, double value) {
            if (there) need(MatSetValue(made, i, column, value, INSERT_VALUES));
        };
        put(true, i, 4);
        put(i % n > 0, i - 1, -1);
        put(i % n < n - 1, i + 1, -1);
        put(i / n > 0, i - n, -1);
        put(i / n < n - 1, i + n, -1);
    }
    need(MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY));
    need(MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY));
    return made;
}

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
    auto const before = anonymous_memory();
    auto const begun = MPI_Wtime();
    need(petsc::load_mat(world, path, name, &made));
    auto const took = MPI_Wtime() - begun;
    if (rank_here() == 0) std::printf("load: %.3f s\n", took);
    check_memory("load", before, made);
    return made;
}

void store(Mat matrix, char const* path) {
    auto const before = anonymous_memory();
    auto const begun = MPI_Wtime();
    need(petsc::store_mat(matrix, path, "A", {.durability = hurray::durability::full}));
    auto const took = MPI_Wtime() - begun;
    if (rank_here() == 0) std::printf("store: %.3f s\n", took);
    auto const more = anonymous_memory();
    if (more > before + (std::uint64_t{16} << 20)) fail("storing took too much memory");
}

/// From now on a write past 64 KiB of a file fails with EFBIG on this rank, or kills it.
void limit_files(bool kill) {
    std::signal(SIGXFSZ, kill ? SIG_DFL : SIG_IGN);
    ::rlimit const no_core{0, 0}, small{65536, 65536};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &small);
}

/// All ranks must hear of the error, and of the rank that had it.
template<class Code> void expect(petsc::outcome const& all, int rank, Code code) {
    if (all) fail("no error");
    std::printf("rank %d heard: %s\n", rank_here(), all.message().c_str());
    if (all.rank != rank || !(all.why.code == code)) fail("another error than expected");
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
    } else if ((job == "kill" || job == "full") && argc >= 6) {  // IN NAME TARGET RANK
        auto const victim = std::atoi(argv[5]);
        auto matrix = load(argv[2], argv[3]);
        if (rank_here() == victim) limit_files(job == "kill");
        expect(petsc::store_mat(matrix, argv[4], "A"), victim, std::errc::file_too_large);
        need(MatDestroy(&matrix));
    } else if (job == "refuse" && argc >= 6) {  // IN NAME RANK CODE
        Mat matrix = nullptr;
        auto const code = static_cast<hurray::errc>(std::atoi(argv[5]));
        expect(petsc::load_mat(world, argv[2], argv[3], &matrix), std::atoi(argv[4]), code);
        if (matrix != nullptr) fail("there is a matrix");
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
