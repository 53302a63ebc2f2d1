#pragma once

// Matrices to measure on, the same ones in every run.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace bench {

/// splitmix64
class randomness {
public:
    explicit randomness(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        auto z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// Below `bound`, which is below 2^32.
    std::uint64_t below(std::uint64_t bound) { return ((*this)() >> 32) * bound >> 32; }
    double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

struct arrays {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<std::uint64_t> offsets{};
    std::vector<std::uint64_t> indices{};
    std::vector<double> values{};
};

/// The arrays of a matrix that somebody else owns.
struct seen {
    std::uint64_t rows, columns, nnz;
    std::uint64_t const* offsets;
    std::uint64_t const* indices;
    double const* values;
};

/// Lengths of rows that sum to `nnz`: all alike, or most of them short and a few long.
inline std::vector<std::uint64_t> row_ends(std::uint64_t rows, std::uint64_t nnz, bool skewed,
                                           std::uint64_t columns) {
    std::vector<std::uint64_t> offsets(rows + 1);
    randomness random(1);
    auto const mean = static_cast<double>(nnz) / static_cast<double>(rows);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
        double length = mean;
        if (skewed) {  // a Pareto distribution of this mean
            constexpr double shape = 1.5;
            length = mean * (shape - 1) / shape / std::pow(1 - random.unit(), 1 / shape);
        }
        at += std::min<std::uint64_t>(static_cast<std::uint64_t>(std::lround(length)), columns / 2);
        offsets[i + 1] = std::min(at, nnz);
    }
    return offsets;
}

/// Rows whose indices rise by random steps.
inline arrays stepped(std::uint64_t rows, std::uint64_t columns, std::uint64_t nnz, bool skewed) {
    arrays made{.rows = rows, .columns = columns, .offsets = row_ends(rows, nnz, skewed, columns)};
    made.indices.resize(made.offsets.back());
    randomness random(2);
    for (std::uint64_t i = 0; i < rows; ++i) {
        auto const begin = made.offsets[i];
        auto const count = made.offsets[i + 1] - begin;
        if (count == 0) continue;
        auto const step = columns / count;
        for (std::uint64_t k = 0; k < count; ++k)
            made.indices[begin + k] = k * step + random.below(step);
    }
    return made;
}

/// As stepped(), or with columns of which few get most entries: index = columns * u^4.
inline arrays with_values(std::uint64_t rows, std::uint64_t columns, std::uint64_t nnz,
                          bool power_law) {
    auto made = stepped(rows, columns, nnz, false);
    randomness random(3);
    if (power_law)
        for (std::uint64_t i = 0; i < rows; ++i) {
            auto const begin = made.offsets[i];
            auto const end = made.offsets[i + 1];
            std::uint64_t least = 0;
            for (auto k = begin; k < end; ++k) {
                auto const u = (static_cast<double>(k - begin) + random.unit()) /
                               static_cast<double>(end - begin);
                auto const skewed =
                    static_cast<std::uint64_t>(static_cast<double>(columns) * u * u * u * u);
                // Strictly increasing, and room left for those that follow.
                made.indices[k] = std::min(std::max(skewed, least), columns - (end - k));
                least = made.indices[k] + 1;
            }
        }
    made.values.resize(made.indices.size());
    for (auto& value : made.values) value = random.unit();
    return made;
}

}  // namespace bench
