#pragma once

// For those who have PETSc with 64-bit indices, and MPI. Nothing else of hurray includes or needs
// them.

#include <hurray/interop/petsc_load.hpp>
#include <hurray/interop/petsc_store.hpp>
