#pragma once

// Opening a file in both modes, within the limits, and using all of it.

#include "heap_limit.hpp"
#include "walk.hpp"

namespace hurray::fuzz {

inline void use_file(std::span<std::byte const> file) {
    auto const open = [&](hurray::mode mode) {
        return within_heap_limit(file, [&] { return file_view::parse(file, {.mode = mode}); });
    };
    auto const strict = open(mode::strict), permissive = open(mode::permissive);
    if (!strict && !permissive) return;
    require(permissive.has_value(), "strict implies permissive");
    if (strict) return require_strict_implies_permissive(*strict, *permissive);
    use_tensors(*permissive);
    use_rest(*permissive);
}

}  // namespace hurray::fuzz
