// refused: deleted
#include <hurray/file.hpp>

auto open() { return hurray::file::open("a.hrry").value(); }

auto good() {
    auto file = open();
    return file.view().size();
}

#ifdef OFFENDING
auto bad() { return open().view().size(); }
#endif
