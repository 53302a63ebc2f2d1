// refused: deleted
#include <hurray/matrix.hpp>

auto good(hurray::csr_matrix<float> const& matrix) { return matrix.view(); }

#ifdef OFFENDING
auto bad(hurray::csr_matrix<float> (*make)()) { return make().view(); }
#endif
