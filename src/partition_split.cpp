#include <hurray/partition.hpp>

#include <algorithm>

#include "align.hpp"

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

std::vector<std::uint64_t> balanced_cuts(std::span<std::uint64_t const> offsets,
                                         std::uint64_t parts) {
    auto const slices = offsets.size() - 1;
    auto const nnz = offsets.back();
    std::vector<std::uint64_t> cuts{0};
    for (std::uint64_t k = 1; k < parts; ++k) {
        auto const share = [&](std::uint64_t of) {
            return static_cast<std::uint64_t>(wire::uint128{of} * k / parts);
        };
        // By entries; where there are none, nothing but slices can be shared out.
        auto const at = nnz == 0
                            ? share(slices)
                            : static_cast<std::uint64_t>(
                                  std::lower_bound(offsets.begin(), offsets.end(), share(nnz)) -
                                  offsets.begin());
        cuts.push_back(std::max(cuts.back(), std::min<std::uint64_t>(at, slices)));
    }
    cuts.push_back(slices);
    return cuts;
}

namespace detail {

result<memory_block> rebased_offsets(std::span<std::uint64_t const> offsets, std::uint64_t first,
                                     std::uint64_t count) {
    auto made = memory_block::uninitialised((count + 1) * 8);
    if (!made) return made.error();
    auto* const to = made->as<std::uint64_t>();
    for (std::uint64_t i = 0; i <= count; ++i) to[i] = offsets[first + i] - offsets[first];
    return made;
}

std::vector<std::uint64_t> balanced_index_cuts(std::span<std::uint64_t const> indices,
                                               std::uint64_t bound, std::uint64_t parts) {
    // Counts by groups of neighbouring indices: a bound of any size takes little memory.
    constexpr std::uint64_t most_groups = std::uint64_t{1} << 22;
    unsigned shift = 0;
    while (bound >> shift > most_groups) ++shift;
    auto const groups = bound == 0 ? 0 : ((bound - 1) >> shift) + 1;
    std::vector<std::uint64_t> sums(groups + 1);
    for (auto const i : indices) ++sums[(i >> shift) + 1];
    for (std::uint64_t g = 0; g < groups; ++g) sums[g + 1] += sums[g];
    auto cuts = balanced_cuts(sums, parts);
    for (auto& cut : cuts) cut = cut == groups ? bound : cut << shift;
    return cuts;
}

bool joining::end_slices(std::uint64_t before) {
    for (; slice_ < before && outcome_; ++slice_)
        outcome_ = to_.part_of_slice({}, {.type = type_}, true);
    return outcome_.has_value();
}

bool joining::put(std::uint64_t at, std::uint64_t shift, std::span<std::uint64_t const> indices,
                  element_run const& values) {
    if (!end_slices(at)) return false;
    if (shift != 0) {
        shifted_.resize(indices.size());
        for (std::size_t k = 0; k < indices.size(); ++k) shifted_[k] = indices[k] + shift;
        indices = shifted_;
    }
    outcome_ = to_.part_of_slice(indices, values, false);
    return outcome_.has_value();
}

result<void> joining::finish(std::uint64_t slices) {
    if (!end_slices(slices)) return outcome_;
    return to_.close();
}

}  // namespace detail
}  // namespace v0
}  // namespace hurray
