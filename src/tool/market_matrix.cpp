#include "market_matrix.hpp"

#include <algorithm>

namespace hurray::tool {

void order_of(std::uint64_t const* indices, std::uint64_t count, std::vector<placed_index>& order) {
    order.clear();
    auto const in_order = [](std::uint64_t a, std::uint64_t b) { return a > b; };
    if (std::adjacent_find(indices, indices + count, in_order) == indices + count) return;
    for (std::uint64_t i = 0; i < count; ++i) order.push_back({indices[i], i});
    std::sort(order.begin(), order.end(), [](placed_index a, placed_index b) {
        return a.index != b.index ? a.index < b.index : a.place < b.place;
    });
}

}  // namespace hurray::tool
