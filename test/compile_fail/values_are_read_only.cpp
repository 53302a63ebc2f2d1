// refused: read-only|cannot assign|not assignable
#include <hurray/compressed_view.hpp>

float good(hurray::csr_view<float> const& a) { return a.values()[0]; }

#ifdef OFFENDING
void bad(hurray::csr_view<float> const& a) { a.values()[0] = 1; }
#endif
