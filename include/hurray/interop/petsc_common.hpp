#pragma once

// What loading and storing share. Include <hurray/interop/petsc.hpp>.

#include <chrono>
#include <string>
#include <system_error>

#include <petscsys.h>

#include <hurray/interop/mpi.hpp>

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

/// What all ranks agree on.
using outcome = mpi::outcome;

namespace detail {

using mpi::detail::fingerprint;
using mpi::detail::guarded;
using mpi::detail::mapping;
using mpi::detail::region_writer;
using mpi::detail::store_plan;

/// How long a rank whose PETSc failed waits for the others, which may wait for it in PETSc.
inline std::chrono::milliseconds patience{30'000};

inline outcome agree(MPI_Comm comm, result<void> const& mine) {
    return mpi::agree(comm, mine, petsc::error_category());
}
inline outcome agree_after_collective(MPI_Comm comm, result<void> const& mine) {
    return mpi::agree_within(patience, comm, mine, petsc::error_category());
}
/// The same of a result with something in it.
template<class T> outcome agree(MPI_Comm comm, result<T> const& mine) {
    return detail::agree(comm, mine ? result<void>() : mine.error());
}

inline result<void> checked(PetscErrorCode code) {
    if (code == 0) return {};
    return error{.code = {static_cast<int>(code), petsc::error_category()}};
}

}  // namespace detail

}  // namespace petsc

}  // namespace v0
}  // namespace hurray
