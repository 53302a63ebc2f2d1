#pragma once

#include <filesystem>
#include <string>

#include <hurray/file.hpp>

#include "failure.hpp"
#include "progress.hpp"

namespace hurray::tool {

/// How to verify before the eyes of who waits. Lifetime: that of `shown`.
verify_options verified_before(progress& shown, unsigned threads);

/// Verifies the whole file in the same way: new checksums over bytes that were never compared with
/// the old ones would hide damage. Throws stop, or `interrupted`.
void verify_all(file const& from, std::filesystem::path const& path, unsigned threads, bool quiet);

/// The view, verified before the eyes of who waits. Throws `interrupted`.
template<class View>
auto verified(View const& unchecked, unsigned threads, bool quiet, std::string what = "verifying") {
    progress shown(std::move(what), quiet, counting::bytes);
    auto view = unchecked.verify(verified_before(shown, threads));
    stop_if_interrupted();
    return view;
}

}  // namespace hurray::tool
