#pragma once

#include <string>

#include <hurray/compressed_view.hpp>

#include "failure.hpp"
#include "progress.hpp"
#include "threads.hpp"

namespace hurray::tool {

/// The view, verified before the eyes of who waits. Throws `interrupted`.
template<class View>
auto verified(View const& unchecked, unsigned threads, bool quiet, std::string what = "verifying") {
    progress shown(std::move(what), quiet, counting::bytes);
    auto view = unchecked.verify({.threads = threads_or_all(threads),
                                  .on_progress = [&](std::uint64_t done, std::uint64_t total) {
                                      shown.update(done, total);
                                      return !was_interrupted();
                                  }});
    stop_if_interrupted();
    return view;
}

}  // namespace hurray::tool
