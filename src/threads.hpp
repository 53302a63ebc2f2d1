#pragma once

// Threads only when asked, and never a failure for want of one.

#include <cstdint>
#include <thread>
#include <vector>

namespace hurray::threads {

/// Calls `work(share)` once for each share below `count`: share 0 here, the others on threads of
/// their own, or here too if the system gives none. Returns when all are done.
/// Precondition: `work` does not throw.
template<class Work> void run(unsigned count, Work const& work) {
    std::vector<std::thread> others;
    unsigned started = 1;
#if defined(__cpp_exceptions)
    try {
        for (others.reserve(count); started < count; ++started)
            others.emplace_back([&work, share = started] { work(share); });
    } catch (...) {
        // The shares from `started` on are done below.
    }
#else
    for (others.reserve(count); started < count; ++started)
        others.emplace_back([&work, share = started] { work(share); });
#endif
    work(0);
    for (unsigned share = started; share < count; ++share) work(share);
    for (auto& other : others) other.join();
}

/// Where share `share` of `count` shares of `all` things begins. Precondition: share <= count.
inline std::uint64_t share_begin(std::uint64_t all, unsigned share, unsigned count) noexcept {
    // Not all * share / count, which could overflow.
    return all / count * share + all % count * share / count;
}

}  // namespace hurray::threads
