// refused: no matching|constraint|invalid reference
#include <hurray/compressed_view.hpp>

auto good(hurray::csr_view<hurray::pattern> const& a) { return a.row(0).contains(1); }

#ifdef OFFENDING
auto bad(hurray::csr_view<hurray::pattern> const& a) { return a.value(0, 1); }
#endif
