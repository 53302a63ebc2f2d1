#pragma once

#include <string>

#include <hurray/file.hpp>

#include "commands.hpp"

namespace hurray::tool {

/// Writes the matrix as SciPy's save_npz() does, not deflated. What has to be said about its
/// types, or nothing. Throws stop.
std::string export_npz(export_options const& options, file const& from, tensor const& what);

}  // namespace hurray::tool
