#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace hurray::tool {

/// What the numbers given to a progress count.
enum class counting : std::uint8_t { nothing, bytes, entries };

/// A line on the terminal that tells how far a long job is; none where standard error is no
/// terminal, and none in the first second. One thread at a time.
class progress {
public:
    /// `what`: "verifying", "reading values".
    progress(std::string what, bool quiet, counting of = counting::nothing);
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    ~progress();

    void update(std::uint64_t done, std::uint64_t total) {
        if (shown_) show(done, total);
    }
    /// Tells how long it has taken, where that is all that is known.
    void wait() {
        if (shown_) show_time();
    }
    /// Takes the line from the terminal.
    void clear() noexcept;

private:
    using clock = std::chrono::steady_clock;
    void show(std::uint64_t done, std::uint64_t total);
    void show_time();
    void print(std::string const& what, clock::time_point now);

    std::string what_;
    counting of_;
    bool shown_;
    bool printed_ = false;
    clock::time_point begun_;
    clock::time_point next_;
};

}  // namespace hurray::tool
