// refused: ignoring return
#include <hurray/compressed_view.hpp>

bool good(hurray::lazy_csr_view<float> const& a) { return a.verify().has_value(); }

#ifdef OFFENDING
void bad(hurray::lazy_csr_view<float> const& a) { a.verify(); }
#endif
