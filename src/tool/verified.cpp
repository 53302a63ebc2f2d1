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

void verify_all(file const& from, std::filesystem::path const& path, unsigned threads, bool quiet) {
    progress shown("checking", quiet, counting::bytes);
    auto const outcome = from.verify(verified_before(shown, threads));
    stop_if_interrupted();
    if (!outcome) need(result<void>(outcome.error()), path);
}

}  // namespace hurray::tool
