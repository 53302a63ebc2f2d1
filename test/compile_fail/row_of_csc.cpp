// refused: no matching|constraint|invalid reference
#include <hurray/compressed_view.hpp>

auto good(hurray::csc_view<float> const& a) { return a.column(0); }

#ifdef OFFENDING
auto bad(hurray::csc_view<float> const& a) { return a.row(0); }
#endif
