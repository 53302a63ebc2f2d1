#pragma once

#include <chrono>
#include <cstdlib>
#include <future>

#include "failure.hpp"
#include "progress.hpp"

namespace hurray::tool {

/// Does work that cannot be stopped, in a thread of its own. A signal then ends the program, after
/// give_up(), which must see to it that nothing is left behind and touch nothing that the work
/// uses.
template<class Work, class GiveUp>
auto in_background(Work const& work, GiveUp const& give_up, progress& shown) {
    auto outcome = std::async(std::launch::async, work);
    while (outcome.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        shown.wait();
        if (!was_interrupted()) continue;
        give_up();
        shown.clear();
        std::_Exit(status_of_interrupt());
    }
    return outcome.get();
}

}  // namespace hurray::tool
