// refused: deleted
#include <hurray/catalog.hpp>

auto good(hurray::catalog const& catalog) { return catalog.find("a"); }

#ifdef OFFENDING
auto bad(hurray::catalog (*read)()) { return read().find("a"); }
#endif
