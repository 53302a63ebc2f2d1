#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hurray::tool {

/// The text with control characters written as \n, \t or \x1b; UTF-8 stays as it is.
std::string escaped(std::string_view text);
/// The escaped text in double quotes.
std::string in_quotes(std::string_view text);
/// The columns of a terminal that the text takes; no control characters, but any UTF-8.
std::size_t columns_of(std::string_view text) noexcept;
/// The beginning of the text, and "..." if it takes more than so many columns.
std::string shortened(std::string const& text, std::size_t columns);
/// "512 bytes", "3.9 KiB", "72.0 GiB".
std::string human_bytes(std::uint64_t bytes);
/// "50,000,000".
std::string grouped(std::uint64_t number);
/// "12.3 ms", "1.50 s", "2.5 min".
std::string duration_text(double seconds);
/// "0.12 %"; "-" when there are no cells.
std::string percent(double ratio);

/// The candidates that a person who typed `wanted` may have meant, nearest first, at most three.
std::vector<std::string> close_names(std::string_view wanted,
                                     std::vector<std::string> const& candidates);
/// " Did you mean "a" or "b"?", or nothing.
std::string did_you_mean(std::string_view wanted, std::vector<std::string> const& candidates);

/// Writes to standard output. Throws stop when that fails.
void print(std::string_view text);
/// Makes sure that all of it arrived. Throws stop when it did not.
void flush_output();
/// Writes "hurray: text" and a line end to standard error.
void complain(std::string_view text);

}  // namespace hurray::tool
