#include "progress.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "text.hpp"

namespace hurray::tool {
namespace {

std::string time_text(double seconds) {
    std::array<char, 32> text{};
    if (seconds < 100)
        std::snprintf(text.data(), text.size(), "%.0f s", seconds);
    else
        std::snprintf(text.data(), text.size(), "%.0f min", seconds / 60);
    return text.data();
}

/// ", 120.0 MiB/s"
std::string speed_text(counting of, double per_second) {
    if (of == counting::nothing) return {};
    if (of == counting::bytes)
        return ", " + human_bytes(static_cast<std::uint64_t>(per_second)) + "/s";
    std::array<char, 48> text{};
    if (per_second < 1e6)
        std::snprintf(text.data(), text.size(), ", %.0f thousand entries/s", per_second / 1e3);
    else
        std::snprintf(text.data(), text.size(), ", %.1f million entries/s", per_second / 1e6);
    return text.data();
}

}  // namespace

progress::progress(std::string what, bool quiet, counting of)
    : what_(std::move(what)), of_(of), shown_(!quiet && ::isatty(STDERR_FILENO) == 1),
      begun_(clock::now()), next_(begun_ + std::chrono::seconds(1)) {}

progress::~progress() { clear(); }

void progress::clear() noexcept {
    if (printed_) std::fputs("\r\x1b[K", stderr);
    printed_ = false;
}

void progress::print(std::string const& what, clock::time_point now) {
    next_ = now + std::chrono::milliseconds(200);
    auto const line = "\r\x1b[Khurray: " + shortened(what, 69);  // and stays on one line
    std::fputs(line.c_str(), stderr);
    printed_ = true;
}

void progress::show_time() {
    auto const now = clock::now();
    if (now < next_) return;
    std::chrono::duration<double> const took = now - begun_;
    print(what_ + ", " + time_text(took.count()) + " so far", now);
}

void progress::show(std::uint64_t done, std::uint64_t total) {
    auto const now = clock::now();
    if (now < next_ || done == 0 || total == 0) return;
    std::chrono::duration<double> const took = now - begun_;
    auto const part = static_cast<double>(done) / static_cast<double>(total);
    auto const left = took.count() / part - took.count();
    auto const state = ' ' + std::to_string(static_cast<int>(part * 100)) + " %" +
                       speed_text(of_, static_cast<double>(done) / took.count()) + ", " +
                       time_text(left > 0 ? left : 0) + " left";
    print(shortened(what_, 69 - state.size()) + state, now);
}

}  // namespace hurray::tool
