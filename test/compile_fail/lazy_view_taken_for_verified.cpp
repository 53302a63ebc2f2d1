// refused: conver(t|sion)
#include <hurray/compressed_view.hpp>

hurray::lazy_csr_view<float> good(hurray::csr_view<float> const& a) { return a; }

#ifdef OFFENDING
hurray::csr_view<float> bad(hurray::lazy_csr_view<float> const& a) { return a; }
#endif
