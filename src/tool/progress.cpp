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

progress::~progress() {
    if (printed_) std::fputs("\r\x1b[K", stderr);
}

void progress::show(std::uint64_t done, std::uint64_t total) {
    auto const now = clock::now();
    if (now < next_ || done == 0 || total == 0) return;
    next_ = now + std::chrono::milliseconds(200);
    std::chrono::duration<double> const took = now - begun_;
    auto const part = static_cast<double>(done) / static_cast<double>(total);
    auto const left = took.count() / part - took.count();
    auto const line = "\r\x1b[Khurray: " + what_ + ' ' +
                      std::to_string(static_cast<int>(part * 100)) + " %" +
                      speed_text(of_, static_cast<double>(done) / took.count()) + ", " +
                      time_text(left > 0 ? left : 0) + " left";
    std::fputs(line.c_str(), stderr);
    printed_ = true;
}

}  // namespace hurray::tool
