// refused: conver(t|sion)
#include <hurray/compressed_view.hpp>

hurray::csr_view<hurray::pattern> good(hurray::csr_view<float> const& a) { return a; }

#ifdef OFFENDING
hurray::csr_view<double> bad(hurray::csr_view<float> const& a) { return a; }
#endif
