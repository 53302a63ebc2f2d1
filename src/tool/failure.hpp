#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <hurray/error.hpp>
#include <hurray/result.hpp>

namespace hurray::tool {

/// What the program returns to the shell.
enum class status : int {
    good = 0,
    bad_file = 1,       ///< the file or its values are bad, or not supported
    wrong_usage = 2,    ///< wrong arguments, no such tensor, a tensor of the wrong kind
    system_failed = 3,  ///< the disk, the memory, the path
    interrupted = 130,  ///< by Ctrl-C; other signals have statuses of their own
};

/// Ends the command: what to say, and what to return.
class stop : public std::runtime_error {
public:
    stop(status why, std::string const& message) : std::runtime_error(message), why_(why) {}
    status why() const noexcept { return why_; }

private:
    status why_;
};

/// Thrown after Ctrl-C, so that destructors clear away what was begun.
struct interrupted {};

/// From now on Ctrl-C, a hang-up and SIGTERM set a flag instead of ending the program; a second
/// one ends it. A closed pipe ends it without a word.
void watch_for_interrupt() noexcept;
/// Whether one of them came.
bool was_interrupted() noexcept;
/// What the program returns then: 128 and the signal's number.
int status_of_interrupt() noexcept;
/// Throws `interrupted` if one of them came.
inline void stop_if_interrupted() {
    if (was_interrupted()) throw interrupted{};
}

/// The status that an error of the library stands for.
status status_of(error const& e) noexcept;

/// "FILE: what was seen, byte 12416". `slice_word`: "row" or "column".
std::string explain(std::filesystem::path const& file, std::string_view tensor, error const& e,
                    std::string_view slice_word = "row or column");

/// The value, or the end of the command with a message that names the file.
template<class T> T need(result<T>&& outcome, std::filesystem::path const& file,
                         std::string_view tensor = {},
                         std::string_view slice_word = "row or column") {
    if (!outcome)
        throw stop(status_of(outcome.error()), explain(file, tensor, outcome.error(), slice_word));
    if constexpr (!std::is_void_v<T>) return *std::move(outcome);
}

/// As need(), for an error of what the caller asked to have written, such as a tensor's name.
template<class T>
T need_begun(result<T>&& outcome, std::filesystem::path const& file, std::string_view tensor) {
    if (outcome || rule(outcome.error().code) == 0) return need(std::move(outcome), file, tensor);
    throw stop(status::wrong_usage, explain(file, tensor, outcome.error()));
}

}  // namespace hurray::tool
