// refused: deleted
#include <hurray/file.hpp>

auto good() {
    auto file = hurray::file::open("a.hrry").value();
    return file.tensors().size();
}

#ifdef OFFENDING
auto bad() { return hurray::file::open("a.hrry").value().tensors(); }
#endif
