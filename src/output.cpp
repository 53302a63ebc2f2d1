#include "output.hpp"

#include <algorithm>
#include <array>

#include "align.hpp"

namespace hurray {

result<void> output_cursor::append(std::span<std::byte const> bytes) {
    // Whole pieces go straight through; what is smaller gathers.
    if (pending_.empty() && bytes.size() >= piece) {
        if (auto ok = to_->write(flushed_, bytes); !ok) return ok;
        flushed_ += bytes.size();
        return {};
    }
    if (pending_.capacity() == 0) pending_.reserve(piece);
    auto const room = std::min(bytes.size(), piece - pending_.size());
    pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(room));
    if (pending_.size() < piece) return {};
    if (auto ok = flush(); !ok) return ok;
    return bytes.size() > room ? append(bytes.subspan(room)) : result<void>();
}

result<void> output_cursor::append_zeros(std::uint64_t count) {
    static constexpr std::array<std::byte, 4096> zeros{};
    while (count != 0) {
        auto const n = std::min<std::uint64_t>(count, zeros.size());
        if (auto ok = append(std::span(zeros).first(n)); !ok) return ok;
        count -= n;
    }
    return {};
}

result<void> output_cursor::pad_to(std::uint64_t alignment) {
    auto const next = wire::align_up(position(), alignment);
    if (!next) return errc::bad_option;
    return append_zeros(*next - position());
}

result<void> output_cursor::flush() {
    if (pending_.empty()) return {};
    if (auto ok = to_->write(flushed_, pending_); !ok) return ok;
    flushed_ += pending_.size();
    pending_.clear();
    return {};
}

}  // namespace hurray
