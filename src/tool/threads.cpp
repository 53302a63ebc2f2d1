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
    for (std::size_t i = 1; i < count; ++i) others.emplace_back(guarded, i);
    if (count != 0) guarded(0);
    for (auto& other : others) other.join();
    for (auto const& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace hurray::tool
