#pragma once

// Slices whose entries came in any order, brought into the order of their indices.

#include <cstddef>
#include <cstdint>

#include <hurray/assemble.hpp>

namespace hurray::slices {

/// Sorts each slice of `arrays`, the values of which are unpacked, and deals with duplicates.
/// Errors: duplicate_entry, value_does_not_fit, both with the slice and with the position that the
/// entry had in it; bad_option, when there is no adder for duplicates to sum; too_large_for_memory.
result<void> sort(detail::owned_arrays& arrays, unsigned width, detail::adder add,
                  assemble_options const& options);

}  // namespace hurray::slices
