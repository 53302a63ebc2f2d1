// What loading and storing cost as ranks and members grow: scale IN NAME OUT. Rank 0 prints a line.

#include "common.hpp"

#include <array>

namespace {

/// What the ranks said to each other in this way, PETSc's own part of it included.
struct traffic {
    std::uint64_t broadcasts = 0, broadcast_bytes = 0, reductions = 0, reduction_bytes = 0;
} sent;

std::uint64_t size_of(int count, MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}
void note_reduction(int count, MPI_Datatype type) {
    ++sent.reductions;
    sent.reduction_bytes += size_of(count, type);
}

}  // namespace

#undef MPI_Bcast  // PETSc counts calls with macros
#undef MPI_Allreduce
#undef MPI_Iallreduce
#undef MPI_Scan
#undef MPI_Exscan

// MPI's own way to look at what is sent: the same names here, its own behind PMPI_.
extern "C" {
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    ++sent.broadcasts;
    sent.broadcast_bytes += size_of(count, type);
    return PMPI_Bcast(buffer, count, type, root, comm);
}
int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    note_reduction(count, type);
    return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Iallreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
    note_reduction(count, type);
    return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Scan(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    note_reduction(count, type);
    return PMPI_Scan(from, to, count, type, op, comm);
}
int MPI_Exscan(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    note_reduction(count, type);
    return PMPI_Exscan(from, to, count, type, op, comm);
}
}

namespace {

double most(double mine) {
    PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, world);
    return mine;
}

template<class F> double seconds(F f) {
    MPI_Barrier(world);
    auto const begun = MPI_Wtime();
    f();
    return most(MPI_Wtime() - begun);
}

/// Bytes of the file's index and of all its descriptors.
std::array<std::uint64_t, 3> catalog_bytes(char const* path) {
    auto const file = hurray::file::open(path).value();
    std::array<std::uint64_t, 3> sums{file.tensors().size(), 0, 0};
    using kind = hurray::catalog::section::kind;
    for (auto const& part : file.catalog().sections()) {
        if (part.what == kind::index) sums[1] += part.where.length;
        if (part.what == kind::descriptor) sums[2] += part.where.length;
    }
    return sums;
}

void say(char const* what, double took, traffic const& t, watch const& seen) {
    auto const memory = most(static_cast<double>(seen.more_memory()));
    auto const files = most(static_cast<double>(seen.more_files()));
    if (rank_here() != 0) return;
    std::printf(
        "%s: %d ranks, %.3f s, %llu broadcasts of %llu bytes, %llu reductions of %llu bytes, "
        "RssAnon %.1f MiB at most, %.0f files at most\n",
        what, ranks_here(), took, static_cast<unsigned long long>(t.broadcasts),
        static_cast<unsigned long long>(t.broadcast_bytes),
        static_cast<unsigned long long>(t.reductions),
        static_cast<unsigned long long>(t.reduction_bytes), memory / mib, files);
}

void measure(char const* in, char const* name, char const* out) {
    std::uint64_t members = 0;
    if (rank_here() == 0) {
        auto const [tensors, index, descriptors] = catalog_bytes(in);
        petsc::detail::load_plan plan;
        auto const begun = MPI_Wtime();
        plan = petsc::detail::make_load_plan(in, name).value();
        auto const took = MPI_Wtime() - begun;
        members = plan.pieces.size();
        std::printf("catalog: %llu tensors, index %llu bytes, descriptors %llu bytes, read in %.6f "
                    "s\n",
                    static_cast<unsigned long long>(tensors),
                    static_cast<unsigned long long>(index),
                    static_cast<unsigned long long>(descriptors), took);
    }
    PMPI_Bcast(&members, 1, MPI_UINT64_T, 0, world);
    Mat matrix = nullptr;
    sent = {};
    watch loading;
    auto const loaded = seconds([&] { need(petsc::load_mat(world, in, name, &matrix)); });
    loading.stop();
    auto const on_load = sent;
    say("load", loaded, on_load, loading);
    sent = {};
    watch storing;
    auto const stored = seconds([&] { need(petsc::store_mat(matrix, out, "A")); });
    storing.stop();
    auto const on_store = sent;
    say("store", stored, on_store, storing);
    need(MatDestroy(&matrix));
    // What the page on scale computes with.
    if (on_load.broadcast_bytes != 144 + 64 * members) fail("another number of bytes to load");
    if (on_store.broadcast_bytes != 24 + 4096) fail("another number of bytes to store");
}

}  // namespace

int main(int argc, char** argv) {
    if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    if (argc < 4) fail("IN NAME OUT");
    measure(argv[1], argv[2], argv[3]);
    PetscFinalize();
    return 0;
}
