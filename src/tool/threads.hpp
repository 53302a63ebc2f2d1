#pragma once

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace hurray::tool {

/// The threads to use: as many as asked for, or one per processor.
inline unsigned threads_or_all(unsigned asked) noexcept {
    constexpr unsigned most = 256;
    auto const wanted = asked != 0 ? asked : std::thread::hardware_concurrency();
    return std::clamp(wanted, 1U, most);
}

/// Calls work(0) ... work(count - 1), each in a thread, the first in this one. Throws what the
/// first of them threw.
template<class Work> void in_threads(std::size_t count, Work const& work) {
    std::vector<std::exception_ptr> failures(count);
    auto const guarded = [&](std::size_t i) {
        try {
            work(i);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(guarded, i);
    if (count != 0) guarded(0);
    for (auto& other : others) other.join();
    for (auto const& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace hurray::tool
