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

}  // namespace

progress::progress(std::string what, bool quiet)
    : what_(std::move(what)), shown_(!quiet && ::isatty(STDERR_FILENO) == 1), begun_(clock::now()),
      next_(begun_ + std::chrono::seconds(1)) {}

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
                      std::to_string(static_cast<int>(part * 100)) + " %, " +
                      time_text(left > 0 ? left : 0) + " left";
    std::fputs(line.c_str(), stderr);
    printed_ = true;
}

}  // namespace hurray::tool
