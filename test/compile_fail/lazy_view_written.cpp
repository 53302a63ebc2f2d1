// refused: no matching
#include <hurray/writer.hpp>

auto good(hurray::writer& out, hurray::csr_view<float> const& a) { return out.write("a", a); }

#ifdef OFFENDING
auto bad(hurray::writer& out, hurray::lazy_csr_view<float> const& a) { return out.write("a", a); }
#endif
