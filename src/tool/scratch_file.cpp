#include "scratch_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {

scratch_file::scratch_file(std::filesystem::path const& beside) {
    auto name = beside.native() + ".XXXXXX";
    int const descriptor = ::mkstemp(name.data());
    if (descriptor < 0)
        throw stop(status::system_failed, escaped(beside.native()) +
                                              ": nothing can be written beside it: " +
                                              std::generic_category().message(errno));
    ::close(descriptor);
    path_ = name;
}

void scratch_file::remove() noexcept {
    if (path_.empty()) return;
    ::unlink(path_.c_str());
    path_.clear();
}

}  // namespace hurray::tool
