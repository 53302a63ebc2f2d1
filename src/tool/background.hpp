#pragma once

#include <optional>
#include <utility>

#include <hurray/callback.hpp>

#include "progress.hpp"

namespace hurray::tool {

/// The same for work that gives nothing.
void run_in_background(callback<void()> const& work, callback<void()> const& give_up,
                       progress& shown);

/// Does work that cannot be stopped, in a thread of its own. A signal then ends the program, after
/// give_up(), which must see to it that nothing is left behind and touch nothing that the work
/// uses.
template<class Work>
auto in_background(Work const& work, callback<void()> const& give_up, progress& shown) {
    std::optional<decltype(work())> made;
    run_in_background([&] { made.emplace(work()); }, give_up, shown);
    return *std::move(made);
}

}  // namespace hurray::tool
