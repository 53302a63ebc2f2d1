#pragma once

// Include <hurray/interop/petsc.hpp>.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <petscmat.h>

#include <hurray/interop/petsc_common.hpp>
#include <hurray/plan.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace petsc {

namespace detail {

/// A row of a matrix for as long as the scope lasts.
class row_of {
public:
    row_of(Mat from, PetscInt row) : from_(from), row_(row) {
        outcome_ = checked(MatGetRow(from_, row_, &count_, &columns_, &values_));
    }
    row_of(row_of const&) = delete;
    row_of& operator=(row_of const&) = delete;
    ~row_of() {
        if (outcome_) MatRestoreRow(from_, row_, &count_, &columns_, &values_);
    }
    result<void> const& outcome() const noexcept { return outcome_; }
    PetscInt size() const noexcept { return count_; }
    PetscInt const* columns() const noexcept { return columns_; }
    PetscScalar const* values() const noexcept { return values_; }

private:
    Mat from_;
    PetscInt row_, count_ = 0;
    PetscInt const* columns_ = nullptr;
    PetscScalar const* values_ = nullptr;
    result<void> outcome_;
};

/// The rows that are this rank's, and the entries before and in them.
struct owned_rows {
    int rank = 0;
    PetscInt first = 0, last = 0;
    std::uint64_t entries_before = 0, entries = 0;
};

inline result<owned_rows> count_rows(Mat from) {
    owned_rows mine;
    if (auto ok = checked(MatGetOwnershipRange(from, &mine.first, &mine.last)); !ok)
        return ok.error();
    PetscBool has_rows = PETSC_FALSE;  // PETSc calls what is not there
    if (auto ok = checked(MatHasOperation(from, MATOP_GET_ROW, &has_rows)); !ok) return ok.error();
    if (has_rows == PETSC_FALSE) return checked(PETSC_ERR_SUP).error();
    for (auto i = mine.first; i < mine.last; ++i) {
        row_of const row(from, i);
        if (!row.outcome()) return row.outcome().error();
        mine.entries += static_cast<std::uint64_t>(row.size());
    }
    return mine;
}

inline result<void> write_rows(Mat from, owned_rows const& mine, store_plan const& plan) {
    mpi::detail::descriptor_owner const file(::open(plan.path.data(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) return mpi::detail::system_error();
    auto total = mine.entries_before;
    auto const first = static_cast<std::uint64_t>(mine.first);
    region_writer values(file.get(), plan.values + total * sizeof(PetscScalar));
    region_writer indices(file.get(), plan.indices + total * 8);
    region_writer offsets(file.get(), plan.offsets + (mine.rank == 0 ? 0 : (first + 1) * 8));
    if (mine.rank == 0)  // the first offset of all is 0; each row then writes the one behind it
        if (auto ok = offsets.put(std::uint64_t{0}); !ok) return ok;
    for (auto i = mine.first; i < mine.last; ++i) {
        row_of const row(from, i);
        if (!row.outcome()) return row.outcome();
        for (PetscInt k = 0; k < row.size(); ++k) {
            if (k > 0 && row.columns()[k] <= row.columns()[k - 1])
                return error{.code = errc::indices_not_increasing,
                             .slice = static_cast<std::uint64_t>(i),
                             .position = static_cast<std::uint64_t>(k)};
            if (auto ok = values.put(row.values()[k]); !ok) return ok;
            if (auto ok = indices.put(static_cast<std::uint64_t>(row.columns()[k])); !ok) return ok;
        }
        total += static_cast<std::uint64_t>(row.size());
        if (auto ok = offsets.put(total); !ok) return ok;
    }
    if (total != mine.entries_before + mine.entries) return errc::sizes_disagree;
    for (auto* const region : {&values, &indices, &offsets})
        if (auto ok = region->flush(); !ok) return ok;
    return ::fsync(file.get()) == 0 ? result<void>() : mpi::detail::system_error();
}

}  // namespace detail

/// Stores an assembled matrix with sorted rows (any AIJ) as CSR matrix `name`, the only one of a
/// file that takes the place of `path` when it is complete. Each rank writes its own rows to its
/// own regions and syncs them; rank 0 writes the rest and then renames. The bytes are those of a
/// writer with the same options, whatever the number of ranks.
/// `options`: data_alignment, metadata, sorted_index, handle_alignment; the rest is not looked at.
/// Errors, on all ranks alike: those of the name and the options, indices_not_increasing, the
/// system's, not_enough_memory, PETSc's. Then the target is as it was, and so it is when a process
/// is killed before all have synced; that may leave a `.hurray-...` behind, as with every writer.
/// An error of the folder's own sync comes after the rename: then the target is the new file.
/// `path` counts on rank 0 alone; that file must be in reach of all.
/// Collective on the matrix. Memory: 3 MiB for each rank, and a row as PETSc copies it.
inline outcome store_mat(Mat from, std::filesystem::path const& path, std::string_view name,
                         write_options const& options = {}) {
    auto const comm = PetscObjectComm(reinterpret_cast<PetscObject>(from));
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    auto mine = detail::count_rows(from);
    if (auto all = detail::agree(comm, mine); !all) return all;
    mine->rank = rank;
    auto const entries = mine->entries;
    MPI_Exscan(&entries, &mine->entries_before, 1, MPI_UINT64_T, MPI_SUM, comm);
    if (rank == 0) mine->entries_before = 0;
    std::uint64_t nnz = entries;
    MPI_Allreduce(MPI_IN_PLACE, &nnz, 1, MPI_UINT64_T, MPI_SUM, comm);
    PetscInt rows = 0, columns = 0;
    auto const sized = detail::checked(MatGetSize(from, &rows, &columns));
    if (auto all = detail::agree(comm, sized); !all) return all;

    mpi::detail::stored_file file;
    mpi::detail::store_plan plan;
    result<void> begun;
    if (rank == 0) {
        begun = detail::guarded([&]() -> result<void> {
            extents const shape{static_cast<std::uint64_t>(rows),
                                static_cast<std::uint64_t>(columns)};
            auto const planned =
                plan_file(name, layout::csr, element_type_of<PetscScalar>, shape, nnz, options);
            return planned ? file.begin(path, *planned, plan) : planned.error();
        });
    }
    if (auto all = detail::agree(comm, begun); !all) return all;
    mpi::detail::broadcast(comm, std::as_writable_bytes(std::span(&plan, 1)));
    auto const written = detail::guarded([&] { return detail::write_rows(from, *mine, plan); });
    if (auto all = detail::agree(comm, written); !all) return all;
    return detail::agree(comm, rank == 0 ? file.publish() : result<void>());
}

}  // namespace petsc

}  // namespace v0
}  // namespace hurray
