#pragma once

// Anonymous memory of a process, as the kernel counts it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <sys/types.h>

namespace bench {

/// Bytes of RssAnon; 0 when the process is gone.
inline std::uint64_t anonymous_bytes(std::string const& process) {
    auto* const file = std::fopen(("/proc/" + process + "/status").c_str(), "r");
    if (file == nullptr) return 0;
    char line[256];
    std::uint64_t kilobytes = 0;
    while (std::fgets(line, sizeof line, file) != nullptr)
        if (std::strncmp(line, "RssAnon:", 8) == 0)
            kilobytes = std::strtoull(line + 8, nullptr, 10);
    std::fclose(file);
    return kilobytes * 1024;
}

/// Looks at a process every half millisecond and remembers the most.
class memory_watch {
public:
    explicit memory_watch(std::string process)
        : thread_([this, process = std::move(process)] {
              while (!stop_) {
                  auto const now = anonymous_bytes(process);
                  if (now > most_) most_ = now;
                  std::this_thread::sleep_for(std::chrono::microseconds(500));
              }
          }) {}
    memory_watch(memory_watch const&) = delete;
    ~memory_watch() { stop(); }
    std::uint64_t most() {
        stop();
        return most_;
    }

private:
    void stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    std::atomic<bool> stop_ = false;
    std::atomic<std::uint64_t> most_ = 0;
    std::thread thread_;
};

}  // namespace bench
