#include "verified.hpp"

#include "threads.hpp"

namespace hurray::tool {

verify_options verified_before(progress& shown, unsigned threads) {
    return {.threads = threads_or_all(threads),
            .on_progress = [&shown](std::uint64_t done, std::uint64_t total) {
                shown.update(done, total);
                return !was_interrupted();
            }};
}

}  // namespace hurray::tool
