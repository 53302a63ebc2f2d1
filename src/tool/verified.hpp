#pragma once

#include <string>

#include <hurray/compressed_view.hpp>

#include "failure.hpp"
#include "progress.hpp"

namespace hurray::tool {

/// How to verify before the eyes of who waits. Lifetime: that of `shown`.
verify_options verified_before(progress& shown, unsigned threads);

/// The view, verified before the eyes of who waits. Throws `interrupted`.
template<class View>
auto verified(View const& unchecked, unsigned threads, bool quiet, std::string what = "verifying") {
    progress shown(std::move(what), quiet, counting::bytes);
    auto view = unchecked.verify(verified_before(shown, threads));
    stop_if_interrupted();
    return view;
}

}  // namespace hurray::tool
