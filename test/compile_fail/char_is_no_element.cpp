// refused: constraint
#include <hurray/compressed_view.hpp>

hurray::csr_view<std::int8_t> good;

#ifdef OFFENDING
hurray::csr_view<char> bad;
#endif
