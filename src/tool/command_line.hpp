#pragma once

#include "failure.hpp"

namespace hurray::tool {

/// Understands the arguments and runs the command. Throws stop.
status run_command_line(int argc, char const* const* argv);

}  // namespace hurray::tool
