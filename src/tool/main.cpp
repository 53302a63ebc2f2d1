#include <exception>
#include <new>

#include "command_line.hpp"
#include "text.hpp"

namespace {

hurray::tool::status run(int argc, char const* const* argv) {
    using hurray::tool::status;
    try {
        auto const outcome = hurray::tool::run_command_line(argc, argv);
        hurray::tool::flush_output();
        return outcome;
    } catch (hurray::tool::stop const& e) {
        // A system call that Ctrl-C broke off is no failure to speak of.
        if (hurray::tool::was_interrupted()) return status::interrupted;
        hurray::tool::complain(e.what());
        return e.why();
    } catch (hurray::tool::interrupted const&) {
        return status::interrupted;
    } catch (std::bad_alloc const&) {
        hurray::tool::complain("there is not enough memory");
        return status::system_failed;
    } catch (std::exception const& e) {
        hurray::tool::complain(e.what());
        return status::system_failed;
    }
}

}  // namespace

int main(int argc, char** argv) {
    auto const outcome = run(argc, argv);
    if (outcome == hurray::tool::status::interrupted) return hurray::tool::status_of_interrupt();
    return static_cast<int>(outcome);
}
