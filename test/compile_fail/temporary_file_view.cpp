// refused: deleted
#include <hurray/file_view.hpp>

auto good(hurray::file_view const& file) { return file.csc<double>("a", hurray::lazy); }

#ifdef OFFENDING
auto bad(hurray::file_view (*parse)()) { return parse().csc<double>("a", hurray::lazy); }
#endif
