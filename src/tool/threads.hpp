#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

#include <hurray/callback.hpp>

namespace hurray::tool {

/// The threads to use: as many as asked for, or one per processor.
inline unsigned threads_or_all(unsigned asked) noexcept {
    constexpr unsigned most = 256;
    auto const wanted = asked != 0 ? asked : std::thread::hardware_concurrency();
    return std::clamp(wanted, 1U, most);
}

/// Calls work(0) ... work(count - 1), each in a thread, the first in this one. Throws what the
/// first of them threw.
void in_threads(std::size_t count, callback<void(std::size_t)> const& work);

}  // namespace hurray::tool
