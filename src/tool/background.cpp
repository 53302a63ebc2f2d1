#include "background.hpp"

#include <chrono>
#include <cstdlib>
#include <future>

#include "failure.hpp"

namespace hurray::tool {

void run_in_background(callback<void()> const& work, callback<void()> const& give_up,
                       progress& shown) {
    auto done = std::async(std::launch::async, work);
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        shown.wait();
        if (!was_interrupted()) continue;
        give_up();
        shown.clear();
        std::_Exit(status_of_interrupt());
    }
    done.get();
}

}  // namespace hurray::tool
