// refused: deleted
#include <hurray/metadata.hpp>

auto good(hurray::metadata const& metadata) { return metadata.find("key"); }

#ifdef OFFENDING
auto bad() { return hurray::metadata{}.find("key"); }
#endif
