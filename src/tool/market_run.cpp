#include "market_run.hpp"

#include <algorithm>

namespace hurray::tool {

namespace {

/// Otherwise some of them are in the same place.
bool has_places(market_header const& header) noexcept {
    std::uint64_t places = 0;
    return __builtin_mul_overflow(header.rows, header.columns, &places) || header.entries <= places;
}

}  // namespace

bool may_be_in_order(market_header const& header, std::string_view text, axis major) noexcept {
    if (header.dense || header.symmetry != market_symmetry::general) return false;
    constexpr std::uint64_t few_slices = std::uint64_t{1} << 20;
    auto const bytes = std::uint64_t{text.size() - header.body};
    auto const slices = major == axis::rows ? header.rows : header.columns;
    return header.entries <= most_entries(bytes) && slices <= std::max(bytes, few_slices) &&
           has_places(header);
}

}  // namespace hurray::tool
