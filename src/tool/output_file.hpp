#pragma once

#include <filesystem>

#include <hurray/writer.hpp>

#include "failure.hpp"

// The file that a command writes.

namespace hurray::tool {

/// Begins a Hurray file. Throws stop, also where the path belongs to a file of another kind.
writer begin_file(std::filesystem::path const& path, write_options const& options);

/// Completes it, so that it appears under its name. Throws stop, or `interrupted`.
void finish_file(writer& out, std::filesystem::path const& path);

/// Throws stop if a text or a picture would replace a Hurray file, or its name ends in one of
/// `endings`, which belong to other kinds of files.
void check_foreign_output(std::filesystem::path const& path,
                          std::initializer_list<std::string_view> endings);

}  // namespace hurray::tool
