// refused: conver(t|sion)
#include <hurray/compressed_view.hpp>

hurray::csc_view<float> good(hurray::csr_view<float> const& a) { return a.transposed(); }

#ifdef OFFENDING
hurray::csr_view<float> bad(hurray::csr_view<float> const& a) { return a.transposed(); }
#endif
