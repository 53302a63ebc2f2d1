#pragma once

#include <zip.h>

#include "shared_library.hpp"

namespace hurray::tool {

/// What is used of libzip.
struct zip_library {
    shared_library library{HURRAY_LIBZIP, ".npz"};
    HURRAY_LOADED(zip_discard);
    HURRAY_LOADED(zip_error_fini);
    HURRAY_LOADED(zip_error_init_with_code);
    HURRAY_LOADED(zip_error_strerror);
    HURRAY_LOADED(zip_fclose);
    HURRAY_LOADED(zip_file_strerror);
    HURRAY_LOADED(zip_fopen);
    HURRAY_LOADED(zip_fread);
    HURRAY_LOADED(zip_name_locate);
    HURRAY_LOADED(zip_open);
    HURRAY_LOADED(zip_stat);
    HURRAY_LOADED(zip_stat_init);
};

/// Throws stop when it cannot be loaded.
inline zip_library const& zip() {
    static zip_library const loaded;
    return loaded;
}

}  // namespace hurray::tool
