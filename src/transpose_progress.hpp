#pragma once

#include <algorithm>
#include <cstdint>

#include <hurray/transpose.hpp>

namespace hurray {

/// Tells how far the transposition is, and hears whether it shall go on.
class transpose_progress {
public:
    explicit transpose_progress(transpose_options const& options) : tell_(options.on_progress) {}

    /// Another pass over so many entries will be made.
    void expect(std::uint64_t entries) noexcept { total_ += entries; }
    /// Errors: cancelled.
    result<void> add(std::uint64_t entries) {
        done_ += entries;
        if (tell_ && !tell_(done_, std::max(done_, total_))) return errc::cancelled;
        return {};
    }

private:
    callback<bool(std::uint64_t, std::uint64_t)> const& tell_;
    std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace hurray
