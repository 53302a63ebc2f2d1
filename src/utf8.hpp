#pragma once

#include <cstddef>
#include <span>

namespace hurray::inline v0::detail {

/// Whether `bytes` are UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::span<std::byte const> bytes) noexcept;

}  // namespace hurray::inline v0::detail
