#pragma once

// Include <hurray/interop/petsc.hpp>.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <petscmat.h>

#include <hurray/file.hpp>
#include <hurray/interop/petsc_common.hpp>
#include <hurray/partition.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace petsc {

namespace detail {

/// Where the arrays of one CSR matrix lie, and where it lies in the whole. All numbers: it travels.
struct piece {
    std::uint64_t first_row, first_column, rows, columns, nnz, values, indices, offsets;

    byte_range values_range(std::uint64_t size) const noexcept { return {values, nnz * size}; }
    byte_range indices_range() const noexcept { return {indices, nnz * 8}; }
    byte_range offsets_range() const noexcept { return {offsets, (rows + 1) * 8}; }
};

/// All that a rank has to know of a file.
struct load_plan {
    fingerprint file{};
    std::uint64_t type = 0;  ///< the tag of the element type
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<piece> pieces{};

    std::uint64_t value_size() const noexcept {
        auto const is_float = static_cast<element_type>(type) == element_type::float32;
        return is_float                                                   ? sizeof(float)
               : static_cast<element_type>(type) == element_type::float64 ? sizeof(double)
                                                                          : sizeof(PetscScalar);
    }
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
    if (d.quantization) return errc::view_not_supported;  // its values mean something else
    if (t->buffers[2].length == 0) return {};             // no rows, no offsets
    if (t->buffers[0].offset % alignof(double) != 0) return errc::misaligned_bytes;
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
    load_plan plan{.file = fingerprint::of(from->bytes()),
                   .type = static_cast<std::uint64_t>(d.element_type)};
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
inline outcome broadcast(MPI_Comm comm, load_plan& plan) {
    struct {
        fingerprint file;
        std::uint64_t type, rows, columns, pieces;
    } head{plan.file, plan.type, plan.rows, plan.columns, plan.pieces.size()};
    mpi::detail::broadcast(comm, std::as_writable_bytes(std::span(&head, 1)));
    plan.file = head.file;
    plan.type = head.type;
    plan.rows = head.rows;
    plan.columns = head.columns;
    auto const made = guarded([&]() -> result<void> {
        plan.pieces.resize(head.pieces);
        return {};
    });
    auto all = agree(comm, made);
    if (all) mpi::detail::broadcast(comm, std::as_writable_bytes(std::span(plan.pieces)));
    return all;
}

/// All arrays of the pieces, mapped as one run. They lie one behind the other in most files.
inline result<mapping> map_pieces(load_plan const& plan, int file) {
    std::uint64_t first = plan.file.size, last = 0;
    for (auto const& p : plan.pieces)
        for (auto const& a :
             {p.values_range(plan.value_size()), p.indices_range(), p.offsets_range()}) {
            first = std::min(first, a.offset);
            last = std::max(last, a.end());
        }
    return mapping::of(file, {first, last > first ? last - first : 0});
}

template<class T> partition_view<T> view_of(load_plan const& plan, mapping const& mapped) {
    auto state = std::make_shared<hurray::detail::partition_state>();
    state->shape = {plan.rows, plan.columns};
    state->element_type = element_type_of<T>;
    for (auto const& p : plan.pieces) {
        auto const words = [&](byte_range range) {
            auto const count = range.length / 8;
            return hurray::detail::view_as<std::uint64_t>(mapped.at(range), count).data();
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
                           .offsets = words(p.offsets_range()),
                           .indices = words(p.indices_range()),
                           .origin = mapped.origin(),
                           .as_stored = false};
        place.values = mapped.at(p.values_range(sizeof(T)));
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
    if (mine.rows < 0 || mine.rows > all_rows) return errc::bad_option;
    return mine;
}

/// Tells each rank where its share begins. Errors: bad_option if the shares are not the whole.
inline result<void> place(MPI_Comm comm, load_plan const& plan, share& mine) {
    std::array<std::uint64_t, 2> const counts{static_cast<std::uint64_t>(mine.rows),
                                              static_cast<std::uint64_t>(mine.columns)};
    auto ends = counts, sums = counts;
    MPI_Scan(MPI_IN_PLACE, ends.data(), 2, MPI_UINT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_UINT64_T, MPI_SUM, comm);
    if (sums != std::array{plan.rows, plan.columns}) return errc::bad_option;
    mine.first_row = static_cast<PetscInt>(ends[0] - counts[0]);
    mine.first_column = static_cast<PetscInt>(ends[1] - counts[1]);
    return {};
}

/// Of a plan what this rank has rows in; of ten thousand pieces that may be one.
inline void forget_others(load_plan& plan, share const& mine) {
    auto const first = static_cast<std::uint64_t>(mine.first_row);
    auto const last = first + static_cast<std::uint64_t>(mine.rows);
    std::erase_if(plan.pieces, [&](piece const& p) {
        return p.first_row >= last || p.first_row + p.rows <= first;
    });
    plan.pieces.shrink_to_fit();
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

/// The matrix without entries. In the first step the ranks talk, the second is each rank's own:
/// there they fail one by one, for want of memory.
inline result<void> create(MPI_Comm comm, load_plan const& plan, share const& mine, Mat* made) {
    auto const all_rows = static_cast<PetscInt>(plan.rows);
    auto const all_columns = static_cast<PetscInt>(plan.columns);
    PetscLayout rows = nullptr, columns = nullptr;
    auto ok = checked(MatCreate(comm, made));
    if (ok) ok = checked(MatSetSizes(*made, mine.rows, mine.columns, all_rows, all_columns));
    if (ok) ok = checked(MatSetType(*made, MATMPIAIJ));
    if (ok) ok = checked(MatGetLayouts(*made, &rows, &columns));
    if (ok) ok = checked(PetscLayoutSetUp(rows));
    if (ok) ok = checked(PetscLayoutSetUp(columns));
    return ok;
}
inline result<void> reserve(std::vector<PetscInt> const& own, std::vector<PetscInt> const& other,
                            Mat made) {
    if (auto ok = checked(MatMPIAIJSetPreallocation(made, 0, own.data(), 0, other.data())); !ok)
        return ok;
    // Every rank has only its own rows, so nothing waits to be sent.
    return checked(MatSetOption(made, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
}

inline result<void> assemble(Mat made) {
    auto ok = checked(MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY));
    if (ok) ok = checked(MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY));
    return ok ? checked(MatSetOption(made, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE)) : ok;
}

/// What f() gives, its error placed in the file.
template<class F> result<void> walk(mapping const& mapped, F f) {
    auto const walked = guarded(f);
    return walked ? walked : mapped.placed(walked.error());
}

/// The ranks agree over `own`, PETSc talks over `comm`.
template<class T> outcome load_as(MPI_Comm comm, MPI_Comm own, load_plan const& plan,
                                  mapping const& mapped, share const& mine, Mat* made) {
    {
        std::vector<PetscInt> inside, outside;
        auto const counted = walk(
            mapped, [&] { return count_entries(view_of<T>(plan, mapped), mine, inside, outside); });
        if (auto all = agree(own, counted); !all) return all;
        if (auto all = agree_after_collective(own, create(comm, plan, mine, made)); !all)
            return all;
        if (auto all = agree(own, reserve(inside, outside, *made)); !all) return all;
    }
    auto const filled =
        walk(mapped, [&] { return set_entries(view_of<T>(plan, mapped), mine, *made); });
    if (auto all = agree(own, filled); !all) return all;
    return agree_after_collective(own, assemble(*made));
}

}  // namespace detail

/// Makes `*made` the matrix `name` of a file: a CSR matrix, or a composite partition of CSR
/// members, of PetscScalar, double or float. Rank 0 reads the catalog and tells the others where
/// the arrays lie; each rank maps the file and reads and verifies its own rows only, twice: once to
/// count, once to fill a MATMPIAIJ that was preallocated exactly.
/// `local_rows`: how many rows this rank takes, on every rank; PETSC_DECIDE on every rank: about as
/// many as every other.
/// Errors, on all ranks alike: those of file::open() and describe(), layout_mismatch,
/// element_type_mismatch, view_not_supported (quantized), bad_option (rows in all that are not
/// those of the matrix), file_changed (the path of a rank leads to another file), the rule that a
/// row breaks, not_enough_memory, PETSc's. Then `*made` is null. Where PETSc fails on one rank
/// while it waits there on another (its communication plan for products, in short memory), nobody
/// can be told: that rank says why on stderr after half a minute and ends the program.
/// Collective on `comm`. Memory beside the matrix: 16 bytes for each row of the rank before any
/// entry is copied, and 64 for each member of a partition.
inline outcome load_mat(MPI_Comm comm, std::filesystem::path const& path, std::string_view name,
                        Mat* made, PetscInt local_rows = PETSC_DECIDE) {
    *made = nullptr;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    mpi::detail::own_communicator const ours(comm);
    auto const own = ours.get();
    if (own == MPI_COMM_NULL) return mpi::detail::broken_communicator(rank);
    detail::load_plan plan;
    result<void> read;
    if (rank == 0) {
        auto planned = detail::guarded([&] { return detail::make_load_plan(path, name); });
        if (planned)
            plan = *std::move(planned);
        else
            read = planned.error();
    }
    if (auto all = detail::agree(own, read); !all) return all;
    if (auto all = detail::broadcast(own, plan); !all) return all;
    auto const file = mpi::detail::open_same(path, plan.file);
    if (auto all = detail::agree(own, file); !all) return all;
    auto mine = detail::share_of(comm, plan, local_rows);
    if (auto all = detail::agree(own, mine); !all) return all;
    if (auto all = detail::agree(own, detail::place(own, plan, *mine)); !all) return all;
    detail::forget_others(plan, *mine);
    auto const mapped = detail::map_pieces(plan, file->get());
    if (auto all = detail::agree(own, mapped); !all) return all;
    auto const type = static_cast<element_type>(plan.type);
    auto const loaded = [&] {
        if (type == element_type::float32)
            return detail::load_as<float>(comm, own, plan, *mapped, *mine, made);
        if constexpr (!std::is_same_v<PetscScalar, double>)
            if (type == element_type_of<PetscScalar>)
                return detail::load_as<PetscScalar>(comm, own, plan, *mapped, *mine, made);
        return detail::load_as<double>(comm, own, plan, *mapped, *mine, made);
    }();
    if (!loaded && *made != nullptr) MatDestroy(made);
    return loaded;
}

}  // namespace petsc

}  // namespace v0
}  // namespace hurray
