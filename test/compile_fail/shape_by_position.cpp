// refused: no matching
#include <hurray/compressed_view.hpp>

auto good(std::span<std::uint64_t const> array) {
    return hurray::csr_view<hurray::pattern>::over({.rows = 2, .columns = 3}, array, array);
}

#ifdef OFFENDING
auto bad(std::span<std::uint64_t const> array) {
    return hurray::csr_view<hurray::pattern>::over(2, 3, array, array);
}
#endif
