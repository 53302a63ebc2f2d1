#pragma once

#include "verify_kernel.hpp"

namespace hurray::inline v0::detail {

/// How check_slices() goes about it; no choice changes what it finds.
struct check_plan {
    instructions with = best_instructions();
    std::uint64_t part = 0;      ///< boundaries and entries at a time; 0 chooses
    std::uint64_t block = 1024;  ///< entries checked while the next ones are on their way
};

result<void> check_slices(structure const&, std::uint64_t first, std::uint64_t count,
                          verify_options const&, check_plan const&);

}  // namespace hurray::inline v0::detail
