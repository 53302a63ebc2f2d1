#pragma once

// For those who have PETSc with 64-bit indices, and MPI. Nothing else of hurray includes or needs
// them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <petscmat.h>

#include <hurray/file.hpp>
#include <hurray/interop/mpi.hpp>
#include <hurray/partition.hpp>
#include <hurray/plan.hpp>

static_assert(sizeof(PetscInt) == 8, "hurray/interop/petsc.hpp needs PETSc with 64-bit indices");

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Matrices of files as PETSc matrices that are spread over the ranks of a communicator.
namespace petsc {

/// Errors of PETSc in an error_code.
inline std::error_category const& error_category() noexcept {
    class category final : public std::error_category {
        char const* name() const noexcept override { return "petsc"; }
        std::string message(int code) const override {
            char const* text = nullptr;
            PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
            return text != nullptr ? text : "PETSc error " + std::to_string(code);
        }
    };
    static category const one;
    return one;
}

using outcome = mpi::outcome;

namespace detail {

using mpi::detail::mapping;
using mpi::detail::region_writer;
using mpi::detail::store_plan;

inline outcome agree(MPI_Comm comm, result<void> const& mine) {
    return mpi::agree(comm, mine, petsc::error_category());
}

inline result<void> checked(PetscErrorCode code) {
    if (code == 0) return {};
    return error{.code = {static_cast<int>(code), petsc::error_category()}};
}

/// Where the arrays of one CSR matrix lie, and where it lies in the whole. All numbers: it travels.
struct piece {
    std::uint64_t first_row, first_column, rows, columns, nnz, values, indices, offsets;
};

/// All that a rank has to know of a file.
struct load_plan {
    std::uint64_t file_size = 0;
    std::uint64_t type = 0;  ///< the tag of the element type
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<piece> pieces{};
};

inline bool is_loadable(element_type type) noexcept {
    return type == element_type_of<PetscScalar> || type == element_type::float32 ||
           type == element_type::float64;
}

inline result<void> add_piece(load_plan& to, hurray::file const& from, std::string_view name,
                              extents offset) {
    auto const t = from.describe(name);
    if (!t) return t.error();
    auto const& d = t->descriptor;
    if (d.layout != layout::csr) return errc::layout_mismatch;
    if (d.element_type != static_cast<element_type>(to.type)) return errc::element_type_mismatch;
    if (auto const seen = from.csr<pattern>(name, lazy); !seen) return seen.error();
    if (t->buffers[2].length == 0) return {};  // no rows, no offsets
    to.pieces.push_back({offset.rows, offset.columns, d.shape[0], d.shape[1], *d.nnz(),
                         t->buffers[0].offset, t->buffers[1].offset, t->buffers[2].offset});
    return {};
}

/// What rank 0 alone reads: the catalog and the descriptors of one matrix or partition.
inline result<load_plan> make_load_plan(std::filesystem::path const& path, std::string_view name) {
    auto const from = hurray::file::open(path, {.access = access::random});
    if (!from) return from.error();
    auto const t = from->describe(name);
    if (!t) return t.error();
    auto const& d = t->descriptor;
    bool const composite = d.layout == layout::composite;
    if (!composite && d.layout != layout::csr) return errc::layout_mismatch;
    if (!is_loadable(d.element_type)) return errc::element_type_mismatch;
    load_plan plan{.file_size = from->size(), .type = static_cast<std::uint64_t>(d.element_type)};
    if (!composite) {
        plan.rows = d.shape[0];
        plan.columns = d.shape[1];
        if (auto ok = add_piece(plan, *from, name, {}); !ok) return ok.error();
    } else {
        auto const parts = from->partition<pattern>(name);
        if (!parts) return parts.error();
        plan.rows = parts->shape().rows;
        plan.columns = parts->shape().columns;
        for (auto const& m : parts->members())
            if (auto ok = add_piece(plan, *from, m.name, m.offset); !ok) return ok.error();
    }
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (plan.rows > most || plan.columns > most) return errc::view_not_supported;
    return plan;
}

/// The plan of rank 0 on every rank.
inline void broadcast(MPI_Comm comm, load_plan& plan) {
    std::array<std::uint64_t, 5> head{plan.file_size, plan.type, plan.rows, plan.columns,
                                      plan.pieces.size()};
    MPI_Bcast(head.data(), static_cast<int>(head.size()), MPI_UINT64_T, 0, comm);
    plan.file_size = head[0];
    plan.type = head[1];
    plan.rows = head[2];
    plan.columns = head[3];
    plan.pieces.resize(head[4]);
    MPI_Datatype one = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(sizeof(piece) / 8), MPI_UINT64_T, &one);
    MPI_Type_commit(&one);
    MPI_Bcast(plan.pieces.data(), static_cast<int>(plan.pieces.size()), one, 0, comm);
    MPI_Type_free(&one);
}

template<class T> partition_view<T> view_of(load_plan const& plan, mapping const& mapped) {
    auto state = std::make_shared<hurray::detail::partition_state>();
    state->shape = {plan.rows, plan.columns};
    state->element_type = element_type_of<T>;
    for (auto const& p : plan.pieces) {
        auto const words = [&](std::uint64_t offset, std::uint64_t count) {
            return hurray::detail::view_as<std::uint64_t>(mapped.bytes().subspan(offset, count * 8),
                                                          count)
                .data();
        };
        state->members.push_back({.name = {},
                                  .layout = layout::csr,
                                  .offset = {p.first_row, p.first_column},
                                  .shape = {p.rows, p.columns},
                                  .nnz = p.nnz});
        hurray::detail::located place{};
        place.structure = {.major = p.rows,
                           .minor = p.columns,
                           .nnz = p.nnz,
                           .offsets = words(p.offsets, p.rows + 1),
                           .indices = words(p.indices, p.nnz),
                           .origin = mapped.bytes().data(),
                           .as_stored = false};
        place.values = mapped.bytes().subspan(p.values, p.nnz * sizeof(T));
        place.layout = layout::csr;
        place.type = element_type_of<T>;
        state->places.emplace_back(place);
    }
    return hurray::detail::partition_access::seen<T>(std::move(state));
}

/// Which rows and columns are this rank's.
struct share {
    PetscInt rows = 0, columns = 0;  ///< how many
    PetscInt first_row = 0, first_column = 0;
};

inline result<share> share_of(MPI_Comm comm, load_plan const& plan, PetscInt wanted_rows) {
    share mine{.rows = wanted_rows, .columns = PETSC_DECIDE};
    auto all_rows = static_cast<PetscInt>(plan.rows);
    auto all_columns = static_cast<PetscInt>(plan.columns);
    if (auto ok = checked(PetscSplitOwnership(comm, &mine.rows, &all_rows)); !ok) return ok.error();
    if (plan.rows == plan.columns)
        mine.columns = mine.rows;
    else if (auto ok = checked(PetscSplitOwnership(comm, &mine.columns, &all_columns)); !ok)
        return ok.error();
    std::array<PetscInt, 2> ends{mine.rows, mine.columns};
    MPI_Scan(MPI_IN_PLACE, ends.data(), 2, MPIU_INT, MPI_SUM, comm);
    mine.first_row = ends[0] - mine.rows;
    mine.first_column = ends[1] - mine.columns;
    return mine;
}

/// Entries of each row in the rank's own columns and in the others. Verifies the rank's rows.
template<class T> result<void> count_entries(partition_view<T> const& from, share const& mine,
                                             std::vector<PetscInt>& own,
                                             std::vector<PetscInt>& other) {
    own.assign(static_cast<std::size_t>(mine.rows), 0);
    other.assign(static_cast<std::size_t>(mine.rows), 0);
    auto const low = static_cast<std::uint64_t>(mine.first_column);
    auto const high = low + static_cast<std::uint64_t>(mine.columns);
    return from.rows(static_cast<std::uint64_t>(mine.first_row),
                     static_cast<std::uint64_t>(mine.rows), [&](slice_part<T> const& part) {
                         auto const all = part.entries.indices();
                         auto const at = [&](std::uint64_t column) {
                             auto const index = column > part.shift ? column - part.shift : 0;
                             return std::lower_bound(all.begin(), all.end(), index);
                         };
                         auto const inside = at(high) - at(low);
                         auto const row = part.at - static_cast<std::uint64_t>(mine.first_row);
                         own[row] += inside;
                         other[row] += static_cast<PetscInt>(all.size()) - inside;
                     });
}

template<class T>
result<void> set_entries(partition_view<T> const& from, share const& mine, Mat to) {
    std::vector<PetscInt> columns;
    std::vector<PetscScalar> values;
    result<void> outcome;
    auto const walked =
        from.rows(static_cast<std::uint64_t>(mine.first_row), static_cast<std::uint64_t>(mine.rows),
                  [&](slice_part<T> const& part) {
                      columns.clear();
                      values.clear();
                      for (auto const [index, value] : part.entries) {
                          columns.push_back(static_cast<PetscInt>(part.shift + index));
                          values.push_back(static_cast<PetscScalar>(value));
                      }
                      auto const row = static_cast<PetscInt>(part.at);
                      outcome =
                          checked(MatSetValues(to, 1, &row, static_cast<PetscInt>(columns.size()),
                                               columns.data(), values.data(), INSERT_VALUES));
                      return outcome.has_value();
                  });
    return walked ? outcome : walked;
}

inline result<void> create(MPI_Comm comm, load_plan const& plan, share const& mine,
                           std::vector<PetscInt> const& own, std::vector<PetscInt> const& other,
                           Mat* made) {
    auto const all_rows = static_cast<PetscInt>(plan.rows);
    auto const all_columns = static_cast<PetscInt>(plan.columns);
    if (auto ok = checked(MatCreate(comm, made)); !ok) return ok;
    if (auto ok = checked(MatSetSizes(*made, mine.rows, mine.columns, all_rows, all_columns)); !ok)
        return ok;
    if (auto ok = checked(MatSetType(*made, MATMPIAIJ)); !ok) return ok;
    if (auto ok = checked(MatMPIAIJSetPreallocation(*made, 0, own.data(), 0, other.data())); !ok)
        return ok;
    // Every rank has only its own rows, so nothing waits to be sent.
    return checked(MatSetOption(*made, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
}

template<class T> outcome load_as(MPI_Comm comm, load_plan const& plan, mapping const& mapped,
                                  PetscInt wanted_rows, Mat* made) {
    auto const from = view_of<T>(plan, mapped);
    auto const mine = share_of(comm, plan, wanted_rows);
    if (auto all = agree(comm, mine ? result<void>() : mine.error()); !all) return all;
    {
        std::vector<PetscInt> own, other;
        auto const counted = count_entries(from, *mine, own, other);
        if (auto all = agree(comm, counted); !all) return all;
        if (auto all = agree(comm, create(comm, plan, *mine, own, other, made)); !all) return all;
    }
    if (auto all = agree(comm, set_entries(from, *mine, *made)); !all) return all;
    auto done = checked(MatAssemblyBegin(*made, MAT_FINAL_ASSEMBLY));
    if (done) done = checked(MatAssemblyEnd(*made, MAT_FINAL_ASSEMBLY));
    return agree(comm, done);
}

}  // namespace detail

/// Makes `*made` the matrix `name` of a file: a CSR matrix, or a composite partition of CSR
/// members, of PetscScalar, double or float. Rank 0 reads the catalog and tells the others where
/// the arrays lie; each rank maps the file and reads and verifies its own rows only, twice: once to
/// count, once to fill a MATMPIAIJ that was preallocated exactly.
/// `local_rows`: how many rows this rank takes; PETSC_DECIDE: about as many as every other.
/// Errors, on all ranks alike: those of file::open() and describe(), layout_mismatch,
/// element_type_mismatch, the rule that a row breaks, PETSc's. Then `*made` is null.
/// Collective on `comm`. Memory beside the matrix: 16 bytes for each row of the rank.
inline outcome load_mat(MPI_Comm comm, std::filesystem::path const& path, std::string_view name,
                        Mat* made, PetscInt local_rows = PETSC_DECIDE) {
    *made = nullptr;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    detail::load_plan plan;
    result<void> read;
    if (rank == 0) {
        auto planned = detail::make_load_plan(path, name);
        if (planned)
            plan = *std::move(planned);
        else
            read = planned.error();
    }
    if (auto all = detail::agree(comm, read); !all) return all;
    detail::broadcast(comm, plan);
    auto const mapped = detail::mapping::open(path.string(), plan.file_size);
    if (auto all = detail::agree(comm, mapped ? result<void>() : mapped.error()); !all) return all;
    auto const type = static_cast<element_type>(plan.type);
    auto const loaded = [&] {
        if (type == element_type::float32)
            return detail::load_as<float>(comm, plan, *mapped, local_rows, made);
        if constexpr (!std::is_same_v<PetscScalar, double>)
            if (type == element_type_of<PetscScalar>)
                return detail::load_as<PetscScalar>(comm, plan, *mapped, local_rows, made);
        return detail::load_as<double>(comm, plan, *mapped, local_rows, made);
    }();
    if (!loaded && *made != nullptr) MatDestroy(made);
    return loaded;
}

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
    PetscInt first = 0, last = 0;
    std::uint64_t entries_before = 0, entries = 0;
};

inline result<owned_rows> count_rows(Mat from) {
    owned_rows mine;
    if (auto ok = checked(MatGetOwnershipRange(from, &mine.first, &mine.last)); !ok)
        return ok.error();
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
    region_writer offsets(file.get(), plan.offsets + (first == 0 ? 0 : (first + 1) * 8));
    if (first == 0)  // the first offset of all is 0; each row then writes the one behind it
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
/// system's, PETSc's. Then, and when a process dies, the target is as it was; a process that dies
/// may leave a file behind whose name begins with a dot.
/// Collective on the matrix. Memory: 3 MiB for each rank.
inline outcome store_mat(Mat from, std::filesystem::path const& path, std::string_view name,
                         write_options const& options = {}) {
    auto const comm = PetscObjectComm(reinterpret_cast<PetscObject>(from));
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    auto mine = detail::count_rows(from);
    if (auto all = detail::agree(comm, mine ? result<void>() : mine.error()); !all) return all;
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
        auto const planned = plan_file(
            name, layout::csr, element_type_of<PetscScalar>,
            {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)}, nnz, options);
        begun = planned ? file.begin(path, *planned, plan) : planned.error();
    }
    if (auto all = detail::agree(comm, begun); !all) return all;
    MPI_Bcast(&plan, static_cast<int>(sizeof plan), MPI_BYTE, 0, comm);
    if (auto all = detail::agree(comm, detail::write_rows(from, *mine, plan)); !all) return all;
    return detail::agree(comm, rank == 0 ? file.publish() : result<void>());
}

}  // namespace petsc

}  // namespace v0
}  // namespace hurray
