#include "shared_library.hpp"

#include <dlfcn.h>

#include "failure.hpp"

namespace hurray::tool {

shared_library::shared_library(char const* file, char const* reads)
    : file_(file), handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
        throw stop(status::system_failed, file_ + " reads " + reads +
                                              " and cannot be loaded; is it installed? (" +
                                              ::dlerror() + ")");
}

void* shared_library::address(char const* name) const {
    auto* const found = ::dlsym(handle_, name);
    if (found == nullptr) throw stop(status::system_failed, file_ + " lacks " + name);
    return found;
}

}  // namespace hurray::tool
