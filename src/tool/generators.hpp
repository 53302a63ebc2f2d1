#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "commands.hpp"

// Matrices made up row by row (or column by column): any size, and memory for one row.

namespace hurray::tool {

/// Numbers that look random and depend on nothing but the seed and the slice.
class slice_random {
public:
    slice_random(std::uint64_t seed, std::uint64_t slice) noexcept
        : state_(mixed(seed + mixed(slice + step))) {}

    std::uint64_t bits() noexcept { return mixed(state_ += step); }
    /// From 0 to 1, both excluded.
    double fraction() noexcept { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

private:
    static constexpr std::uint64_t step = 0x9E37'79B9'7F4A'7C15;
    static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

/// One row of a CSR matrix or one column of a CSC matrix.
struct made_slice {
    std::vector<std::uint64_t> indices;
    std::vector<double> values;  ///< one per index, or none: then they are random
};

class generator {
public:
    virtual ~generator() = default;
    /// Fills slice i, which was cleared. Slices are asked for from 0 upward.
    virtual void fill(std::uint64_t i, slice_random& random, made_slice& into) = 0;

    std::uint64_t slices = 0;
    std::uint64_t bound = 0;  ///< of the indices
    std::optional<std::uint64_t> nnz{};
};

/// The generator of options.kind. Throws stop when options are missing or do not fit.
std::unique_ptr<generator> make_generator(generate_options const& options);

}  // namespace hurray::tool
