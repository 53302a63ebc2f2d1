#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace hurray::tool {

/// What --help prints: 80 columns, values by the names they are explained with.
class help_format : public CLI::Formatter {
public:
    std::string make_help(CLI::App const* command, std::string name,
                          CLI::AppFormatMode mode) const override;
};

/// "--rows A:B", "IN... OUT": an option or argument as it is typed.
std::string typed(CLI::Option const& option);

}  // namespace hurray::tool
