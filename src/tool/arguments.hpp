#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

// What is typed after a command, and what is wrong with it.

namespace hurray::tool {

/// Takes 5000000 or 5e6, up to `most`.
CLI::Validator takes_count(std::uint64_t most);
/// Takes 65536, 64K or 2G.
CLI::Validator takes_bytes();
/// Takes "on" or "off".
CLI::Validator takes_on_or_off();

/// Says what is wrong with the arguments, and what is close to a name that is not known.
/// Throws stop.
[[noreturn]] void refuse_arguments(CLI::App const& app, CLI::ParseError const& e);

}  // namespace hurray::tool
