// refused: no matching|constraint|invalid reference
#include <hurray/compressed_view.hpp>

auto good(hurray::lazy_csr_view<float> const& a) { return a.row_as_stored(0); }

#ifdef OFFENDING
auto bad(hurray::csr_view<float> const& a) { return a.row_as_stored(0); }
#endif
