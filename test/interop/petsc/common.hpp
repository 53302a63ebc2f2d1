#pragma once

// What the programmes of these tests share. Every rank prints what it finds; any rank that finds
// something wrong ends all of them with status 1.

#include <hurray/interop/petsc.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace petsc = hurray::petsc;
inline MPI_Comm const world = MPI_COMM_WORLD;
constexpr double mib = 1048576;

inline int rank_here() {
    int rank = 0;
    MPI_Comm_rank(world, &rank);
    return rank;
}
inline int ranks_here() {
    int size = 0;
    MPI_Comm_size(world, &size);
    return size;
}

[[noreturn]] inline void fail(std::string const& what) {
    std::fprintf(stderr, "rank %d: %s\n", rank_here(), what.c_str());
    std::fflush(nullptr);
    MPI_Abort(world, 1);
    std::abort();
}

inline void need(PetscErrorCode code) {
    if (code != 0) fail("PETSc error " + std::to_string(code));
}
inline void need(petsc::outcome const& all) {
    if (!all) fail(all.message());
}

/// All ranks must hear of the error, and of the rank that had it.
template<class Code> void expect(petsc::outcome const& all, int rank, Code code) {
    if (all) fail("no error");
    std::printf("rank %d heard: %s\n", rank_here(), all.message().c_str());
    if (all.rank != rank || !(all.why.code == code)) fail("another error than expected");
}

/// Bytes of memory that no file backs.
inline std::uint64_t anonymous_memory() {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("RssAnon:"))
            return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
    fail("there is no RssAnon");
}

/// Looks every 2 ms at how much memory that no file backs and how many files this process has.
class watch {
public:
    watch() : before_(anonymous_memory()), files_(open_files()), thread_([this] { look(); }) {}
    watch(watch const&) = delete;
    watch& operator=(watch const&) = delete;
    ~watch() { stop(); }

    void stop() {
        if (!thread_.joinable()) return;
        done_ = true;
        thread_.join();
        peak_ = std::max(peak_, anonymous_memory());
    }
    /// The most that there was since the beginning beyond what there was then.
    std::uint64_t more_memory() const { return peak_ > before_ ? peak_ - before_ : 0; }
    std::size_t more_files() const { return most_files_ > files_ ? most_files_ - files_ : 0; }

private:
    static std::size_t open_files() {
        std::error_code none;
        std::size_t count = 0;
        for (std::filesystem::directory_iterator at("/proc/self/fd", none), end; at != end;
             at.increment(none))
            ++count;
        return count;
    }
    void look() {
        while (!done_) {
            peak_ = std::max(peak_, anonymous_memory());
            most_files_ = std::max(most_files_, open_files());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    std::uint64_t before_, peak_ = 0;
    std::size_t files_, most_files_ = 0;
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

/// The Laplacian of a grid of n x n points, made by PETSc alone with what each row needs reserved.
inline Mat poisson(PetscInt n) {
    Mat made = nullptr;
    need(MatCreate(world, &made));
    need(MatSetSizes(made, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
    need(MatSetType(made, MATMPIAIJ));
    PetscLayout rows = nullptr;
    need(MatGetLayouts(made, &rows, nullptr));
    need(PetscLayoutSetUp(rows));
    PetscInt first = 0, last = 0;
    need(PetscLayoutGetRange(rows, &first, &last));
    auto const each_in = [&](PetscInt i, auto put) {
        put(i, 4.0);
        if (i % n > 0) put(i - 1, -1.0);
        if (i % n < n - 1) put(i + 1, -1.0);
        if (i / n > 0) put(i - n, -1.0);
        if (i / n < n - 1) put(i + n, -1.0);
    };
    {
        std::vector<PetscInt> own(static_cast<std::size_t>(last - first)), other(own.size());
        for (auto i = first; i < last; ++i)
            each_in(i, [&](PetscInt column, double) {
                auto& there = column >= first && column < last ? own : other;
                ++there[static_cast<std::size_t>(i - first)];
            });
        need(MatMPIAIJSetPreallocation(made, 0, own.data(), 0, other.data()));
    }
    for (auto i = first; i < last; ++i)
        each_in(i, [&](PetscInt column, double value) {
            need(MatSetValue(made, i, column, value, INSERT_VALUES));
        });
    need(MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY));
    need(MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY));
    return made;
}
