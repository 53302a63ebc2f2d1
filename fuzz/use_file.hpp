#pragma once

#include <cstddef>
#include <span>

namespace hurray::fuzz {

/// Opens the file in both modes, within the limits, and uses all of it.
void use_file(std::span<std::byte const> file);

}  // namespace hurray::fuzz
