#include "failure.hpp"

#include <atomic>
#include <csignal>
#include <ctime>

#include "text.hpp"

namespace hurray::tool {
namespace {

std::atomic<int> signal_seen{0};
std::atomic<std::time_t> seen_at{0};
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::time_t>::is_always_lock_free,
              "the signal handler stores to them");

/// The first signal asks for an orderly end, another one ends at once. `timeout` and some shells
/// signal a program and then its group: what comes within a second or two is the first again.
extern "C" void on_interrupt(int signal) {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    if (!was_interrupted()) {
        seen_at.store(now.tv_sec, std::memory_order_relaxed);
        signal_seen.store(signal, std::memory_order_relaxed);
        return;
    }
    if (now.tv_sec - seen_at.load(std::memory_order_relaxed) < 2) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Unless whoever started the program wants the signal ignored.
void watch_for(int signal) noexcept {
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool is_of_the_caller(std::error_code const& code) noexcept { return code == condition::mismatch; }

bool is_of_the_values(std::error_code const& code) noexcept {
    return code == errc::value_does_not_fit || code == errc::duplicate_entry ||
           code == errc::checksum_mismatch || code == errc::bad_checksum_table ||
           code == errc::no_checksums;
}

}  // namespace

void watch_for_interrupt() noexcept {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) watch_for(signal);
    std::signal(SIGPIPE, SIG_DFL);
}

bool was_interrupted() noexcept { return signal_seen.load(std::memory_order_relaxed) != 0; }

int status_of_interrupt() noexcept { return 128 + signal_seen.load(std::memory_order_relaxed); }

status status_of(error const& e) noexcept {
    if (e.code == condition::corrupt || e.code == condition::unsupported) return status::bad_file;
    if (is_of_the_values(e.code)) return status::bad_file;
    if (e.code == errc::too_large_for_memory || e.code == errc::file_changed ||
        e.code == errc::not_a_regular_file)
        return status::system_failed;
    return is_of_the_caller(e.code) ? status::wrong_usage : status::system_failed;
}

std::string explain(std::filesystem::path const& file, std::string_view tensor, error const& e,
                    std::string_view slice_word) {
    auto text = escaped(file.native()) + ": ";
    if (!tensor.empty()) text += "tensor " + in_quotes(tensor) + ": ";
    text += e.code.message();
    if (auto const number = rule(e.code); number != 0) {
        auto digits = std::to_string(number);
        digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
        text += " (R-" + digits + ")";
    }
    auto const add = [&](std::string_view what, std::uint64_t value) {
        if (value != error::nowhere) text.append(what).append(std::to_string(value));
    };
    add(std::string(", ").append(slice_word) + " ", e.slice);
    add(", entry ", e.position);
    add(", byte ", e.offset);
    return text;
}

}  // namespace hurray::tool
