// What goes wrong on one rank, one job per run: see pairs.sh.

#include "common.hpp"

#include <cerrno>
#include <csignal>
#include <new>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// Counts down to the event that fails or kills; 0: none does.
struct countdown {
    long left = 0;
    bool fired = false;
    void arm(long n) { left = n, fired = false; }
    bool due() {
        if (left == 0 || --left != 0) return false;
        return fired = true;
    }
};
countdown allocations, engine_allocations, writes, syncs, renames;

void die() { ::kill(::getpid(), SIGKILL); }

}  // namespace

// The library's calls come here: it looks for these names in the program first.
extern "C" {
ssize_t pwrite(int fd, void const* from, size_t size, off_t at) {
    if (writes.due()) die();
    return ::syscall(SYS_pwrite64, fd, from, size, at);
}
int fsync(int fd) {
    if (syncs.due()) die();
    return static_cast<int>(::syscall(SYS_fsync, fd));
}
int rename(char const* from, char const* to) noexcept {
    if (renames.due()) die();
    return static_cast<int>(::syscall(SYS_rename, from, to));
}
}

[[gnu::noinline]] void* operator new(std::size_t size) {
    if (!allocations.due())
        if (auto* const made = std::malloc(size != 0 ? size : 1)) return made;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept { std::free(made); }

namespace {

PetscErrorCode engine_allocate(size_t size, PetscBool clear, int, char const*, char const*,
                               void** made) {
    *made = nullptr;
    if (size == 0) return 0;
    if (engine_allocations.due()) return PETSC_ERR_MEM;
    *made = clear ? std::calloc(1, size) : std::malloc(size);
    return *made != nullptr ? 0 : PETSC_ERR_MEM;
}
PetscErrorCode engine_free(void* made, int, char const*, char const*) {
    std::free(made);
    return 0;
}
PetscErrorCode engine_reallocate(size_t size, int, char const*, char const*, void** made) {
    auto* const moved = std::realloc(*made, size);
    if (moved == nullptr) return PETSC_ERR_MEM;
    *made = moved;
    return 0;
}

void need_here(hurray::result<void> const& ok) {
    if (!ok) fail(ok.error().message());
}

// ---- small and odd shapes

struct shape {
    PetscInt rows, columns;
};
bool is_stored(PetscInt i, PetscInt j) { return i % 3 != 1 && (i * 7 + j * 5) % 4 != 0; }
double value_at(PetscInt i, PetscInt j) {
    return static_cast<double>(i) * 1000 + static_cast<double>(j) + 0.5;
}

Mat make(shape s) {
    Mat made = nullptr;
    need(MatCreate(world, &made));
    need(MatSetSizes(made, PETSC_DECIDE, PETSC_DECIDE, s.rows, s.columns));
    need(MatSetType(made, MATMPIAIJ));
    need(MatMPIAIJSetPreallocation(made, s.columns, nullptr, s.columns, nullptr));
    need(MatSetOption(made, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first = 0, last = 0;
    need(MatGetOwnershipRange(made, &first, &last));
    for (auto i = first; i < last; ++i)
        for (PetscInt j = 0; j < s.columns; ++j)
            if (is_stored(i, j)) need(MatSetValue(made, i, j, value_at(i, j), INSERT_VALUES));
    need(MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY));
    need(MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY));
    return made;
}

/// Every entry of the rank's rows, and no other.
void check(Mat matrix, shape s) {
    PetscInt rows = 0, columns = 0, first = 0, last = 0;
    need(MatGetSize(matrix, &rows, &columns));
    if (rows != s.rows || columns != s.columns) fail("another shape");
    need(MatGetOwnershipRange(matrix, &first, &last));
    for (auto i = first; i < last; ++i) {
        PetscInt count = 0, k = 0;
        PetscInt const* indices = nullptr;
        PetscScalar const* values = nullptr;
        need(MatGetRow(matrix, i, &count, &indices, &values));
        for (PetscInt j = 0; j < s.columns; ++j) {
            if (!is_stored(i, j)) continue;
            if (k >= count || indices[k] != j || values[k] != value_at(i, j))
                fail("row " + std::to_string(i) + " differs");
            ++k;
        }
        if (k != count) fail("row " + std::to_string(i) + " has more");
        need(MatRestoreRow(matrix, i, &count, &indices, &values));
    }
}

void check_edges(std::string const& stem) {
    auto const rank = rank_here(), ranks = ranks_here();
    int number = 0;
    for (auto const s : {shape{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 7}, {7, 2}, {3, 3}, {41, 40}}) {
        auto const path = stem + '.' + std::to_string(number++);
        auto matrix = make(s);
        need(petsc::store_mat(matrix, path, "A"));
        need(MatDestroy(&matrix));
        if (auto const file = hurray::file::open(path).value(); !file.csr<double>("A"))
            fail("the stored file is bad");
        PetscInt const all_first = rank == 0 ? s.rows : 0;
        PetscInt const all_last = rank == ranks - 1 ? s.rows : 0;
        for (auto const local : {PetscInt{PETSC_DECIDE}, all_first, all_last}) {
            need(petsc::load_mat(world, path, "A", &matrix, local));
            check(matrix, s);
            need(MatDestroy(&matrix));
        }
    }
}

// ---- memory that is not there

hurray::result<void> refuse_file(char const* target) {
    std::error_code none;
    if (std::filesystem::exists(target, none)) return hurray::errc::file_changed;
    return {};
}

/// Each allocation of C++ in load_mat and store_mat fails once, on each rank.
void fail_allocations(char const* path, char const* name, char const* target) {
    Mat whole = nullptr;
    need(petsc::load_mat(world, path, name, &whole));
    std::filesystem::path const from = path, to = target;
    auto const until_it_works = [&](char const* what, int victim, auto step) {
        for (long n = 1;; ++n) {
            if (rank_here() == victim) allocations.arm(n);
            petsc::outcome const all = step();
            int fired = allocations.fired;
            allocations.arm(0);
            MPI_Bcast(&fired, 1, MPI_INT, victim, world);
            if (fired == 0) {
                need(all);
                if (rank_here() == 0)
                    std::printf("%s, rank %d: %ld allocations failed\n", what, victim, n - 1);
                if (n == 1) fail("nothing was tried");
                return;
            }
            if (all.rank != victim) fail("another rank than the victim failed");
            if (!(all.why.code == std::errc::not_enough_memory) &&
                !(all.why.code == hurray::errc::too_large_for_memory))
                fail("another error: " + all.message());
        }
    };
    for (int victim = 0; victim < ranks_here(); ++victim) {
        Mat made = nullptr;
        until_it_works("load_mat", victim, [&] {
            auto const all = petsc::load_mat(world, from, name, &made);
            if (!all && made != nullptr) fail("there is a matrix");
            return all;
        });
        need(MatDestroy(&made));
        until_it_works("store_mat", victim, [&] {
            auto const all = petsc::store_mat(whole, to, "A");
            if (!all) need_here(refuse_file(target));
            MPI_Barrier(world);
            if (rank_here() == 0) std::filesystem::remove(to);
            MPI_Barrier(world);
            return all;
        });
    }
    need(MatDestroy(&whole));
}

/// PETSc's own allocations fail on the last rank, from number n on, until one ends the program or
/// none is left.
void fail_engine(char const* path, char const* name, long n) {
    petsc::detail::patience = std::chrono::milliseconds(500);
    auto const victim = ranks_here() - 1;
    for (;; ++n) {
        if (rank_here() == 0) {
            std::printf("allocation %ld\n", n);
            std::fflush(stdout);
        }
        MPI_Comm fresh = MPI_COMM_NULL;
        MPI_Comm_dup(world, &fresh);
        Mat made = nullptr;
        if (rank_here() == victim) engine_allocations.arm(n);
        auto const all = petsc::load_mat(fresh, path, name, &made);
        int fired = engine_allocations.fired;
        engine_allocations.arm(0);
        MPI_Bcast(&fired, 1, MPI_INT, victim, world);
        if (fired == 0) {
            need(all);
            if (rank_here() == 0) std::printf("no allocation is left\n");
            need(MatDestroy(&made));
            return;
        }
        // Which error PETSc makes of it is its own affair: mostly PETSC_ERR_MEM, not always.
        if (all.rank != victim || all.why.code.category() != petsc::error_category())
            fail("another error: " + all.message());
        if (made != nullptr) fail("there is a matrix");
    }
}

// ---- ranks that do not say the same

void check_shares(char const* path, char const* name) {
    Mat made = nullptr;
    auto const rank = rank_here();
    using hurray::errc;
    expect(petsc::load_mat(world, path, name, &made, rank == 1 ? -5 : PETSC_DECIDE), 1,
           errc::bad_option);
    expect(petsc::load_mat(world, path, name, &made, 7), 0, errc::bad_option);
    expect(petsc::load_mat(world, path, name, &made, PetscInt{1} << 62), 0, errc::bad_option);
    expect(petsc::load_mat(world, path, name, &made, rank == 1 ? 0 : PETSC_DECIDE), 0,
           errc::bad_option);
    if (made != nullptr) fail("there is a matrix");
}

/// Rank 1 finds `other` under the path.
void check_elsewhere(char const* path, char const* name, char const* other) {
    Mat made = nullptr;
    auto const all = petsc::load_mat(world, rank_here() == 1 ? other : path, name, &made);
    if (std::filesystem::exists(other))
        expect(all, 1, hurray::errc::file_changed);
    else
        expect(all, 1, std::errc::no_such_file_or_directory);
    if (made != nullptr) fail("there is a matrix");
}

/// A relative path, and ranks in different folders: rank 0's counts.
void check_folders(char const* path, char const* name, char const* target) {
    Mat made = nullptr;
    need(petsc::load_mat(world, path, name, &made));
    if (rank_here() != 0 && ::chdir("/") != 0) fail("cannot change the folder");
    need(petsc::store_mat(made, target, "A"));
    need(MatDestroy(&made));
    expect(petsc::load_mat(world, path, name, &made), 1, std::errc::no_such_file_or_directory);
}

// ---- errors of PETSc's

void check_misuse(char const* path, char const* name, char const* target) {
    auto const expect_petsc = [&](petsc::outcome const& all, int rank) {
        if (all) fail("no error");
        std::printf("rank %d heard: %s\n", rank_here(), all.message().c_str());
        if (all.rank != rank || all.why.code.category() != petsc::error_category())
            fail("another error than expected");
    };
    Mat shell = nullptr;
    need(MatCreateShell(world, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &shell));
    expect_petsc(petsc::store_mat(shell, target, "A"), 0);
    need(MatDestroy(&shell));

    Mat raw = nullptr;
    need(MatCreateAIJ(world, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 1, nullptr, &raw));
    expect_petsc(petsc::store_mat(raw, target, "A"), 0);
    need(MatDestroy(&raw));

    Mat made = nullptr;
    need(petsc::load_mat(world, path, name, &made));
    PetscInt first = 0, last = 0, count = 0;
    PetscInt const* indices = nullptr;
    need(MatGetOwnershipRange(made, &first, &last));
    if (rank_here() == 1) need(MatGetRow(made, first, &count, &indices, nullptr));
    expect_petsc(petsc::store_mat(made, target, "A"), 1);
    if (rank_here() == 1) need(MatRestoreRow(made, first, &count, &indices, nullptr));
    need(MatDestroy(&made));
}

/// Rank 1 fails in a step in which all others wait for it.
[[noreturn]] void be_lonely() {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(world, &other);
    if (rank_here() == 1)
        hurray::mpi::agree_within(std::chrono::milliseconds(500), world,
                                  hurray::errc::sizes_disagree);
    MPI_Barrier(other);
    fail("nobody ended the program");
}

// ---- more than MPI can count

std::byte byte_at(std::size_t i) { return static_cast<std::byte>(i * 2654435761u >> 13); }

void check_messages(std::size_t size, std::size_t at_once) {
    std::vector<std::byte> bytes(size);
    if (rank_here() == 0)
        for (std::size_t i = 0; i < size; ++i) bytes[i] = byte_at(i);
    hurray::mpi::detail::broadcast(world, bytes, at_once);
    for (std::size_t i = 0; i < size; ++i)
        if (bytes[i] != byte_at(i)) fail("byte " + std::to_string(i) + " differs");
    if (rank_here() != 0) return;
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) fail("no temporary file");
    need_here(hurray::mpi::detail::region_writer::write_all(::fileno(file), 3, bytes));
    std::byte last{};
    if (::pread(::fileno(file), &last, 1, static_cast<off_t>(size + 2)) != 1 ||
        last != bytes.back())
        fail("not all was written");
    std::fclose(file);
}

/// From now on a write past 64 KiB of a file fails with EFBIG on this rank.
void limit_files() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::rlimit const small{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &small);
}

int run(int argc, char** argv) {
    std::string const job = argc > 1 ? argv[1] : "";
    if (job == "full" && argc >= 6) {  // IN NAME TARGET RANK
        Mat matrix = nullptr;
        need(petsc::load_mat(world, argv[2], argv[3], &matrix));
        auto const victim = std::atoi(argv[5]);
        if (rank_here() == victim) limit_files();
        expect(petsc::store_mat(matrix, argv[4], "A"), victim, std::errc::file_too_large);
        need(MatDestroy(&matrix));
    } else if (job == "kill" && argc >= 8) {  // IN NAME TARGET RANK EVENT NUMBER
        Mat matrix = nullptr;
        need(petsc::load_mat(world, argv[2], argv[3], &matrix));
        std::string const event = argv[6];
        auto& what = event == "write" ? writes : event == "sync" ? syncs : renames;
        if (rank_here() == std::atoi(argv[5])) what.arm(std::atol(argv[7]));
        need(petsc::store_mat(matrix, argv[4], "A"));
        fail("nobody died");
    } else if (job == "refuse" && argc >= 6) {  // IN NAME RANK CODE
        Mat matrix = nullptr;
        auto const code = static_cast<hurray::errc>(std::atoi(argv[5]));
        expect(petsc::load_mat(world, argv[2], argv[3], &matrix), std::atoi(argv[4]), code);
        if (matrix != nullptr) fail("there is a matrix");
    } else if (job == "edges" && argc >= 3) {  // STEM
        check_edges(argv[2]);
    } else if (job == "allocations" && argc >= 5) {  // IN NAME TARGET
        fail_allocations(argv[2], argv[3], argv[4]);
    } else if (job == "engine" && argc >= 5) {  // IN NAME NUMBER
        fail_engine(argv[2], argv[3], std::atol(argv[4]));
    } else if (job == "shares" && argc >= 4) {  // IN NAME
        check_shares(argv[2], argv[3]);
    } else if (job == "elsewhere" && argc >= 5) {  // IN NAME OTHER
        check_elsewhere(argv[2], argv[3], argv[4]);
    } else if (job == "folders" && argc >= 5) {  // IN NAME TARGET
        check_folders(argv[2], argv[3], argv[4]);
    } else if (job == "misuse" && argc >= 5) {  // IN NAME TARGET
        check_misuse(argv[2], argv[3], argv[4]);
    } else if (job == "lonely") {
        be_lonely();
    } else if (job == "messages" && argc >= 4) {  // BYTES AT_ONCE
        check_messages(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
    } else {
        fail("no such job: " + job);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (PetscMallocSet(engine_allocate, engine_free, engine_reallocate) != 0) return 1;
    if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    int const status = run(argc, argv);
    PetscFinalize();
    return status;
}
