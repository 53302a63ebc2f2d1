// refused: deleted
#include <hurray/file.hpp>

auto open() { return hurray::file::open("a.hrry").value(); }

auto good() {
    auto file = open();
    return file.csr<float>("a").value().nnz();
}

#ifdef OFFENDING
auto bad() { return open().csr<float>("a"); }
#endif
