#include "threads.hpp"

#include <exception>
#include <vector>

namespace hurray::tool {

void in_threads(std::size_t count, callback<void(std::size_t)> const& work) {
    std::vector<std::exception_ptr> failures(count);
    auto const guarded = [&](std::size_t i) {
        try {
            work(i);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    std::size_t started = 1;
    try {
        for (; started < count; ++started) others.emplace_back(guarded, started);
    } catch (...) {
        // What no thread can be had for is done below.
    }
    if (count != 0) guarded(0);
    for (; started < count; ++started) guarded(started);
    for (auto& other : others) other.join();
    for (auto const& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace hurray::tool
