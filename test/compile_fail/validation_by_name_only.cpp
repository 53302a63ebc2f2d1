// refused: no matching
#include <hurray/file_view.hpp>

auto good(hurray::file_view const& file) { return file.csr<float>("a", hurray::lazy); }

#ifdef OFFENDING
auto bad(hurray::file_view const& file) { return file.csr<float>("a", true); }
#endif
