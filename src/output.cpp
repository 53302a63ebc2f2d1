#include "output.hpp"

#include <algorithm>
#include <array>

#include "align.hpp"

namespace hurray {

result<void> output_cursor::append(std::span<std::byte const> bytes) {
    if (sums_ != nullptr) sums_->add(bytes);
    return put(bytes);
}

result<void> output_cursor::put(std::span<std::byte const> bytes) {
    // Whole pieces go straight through; what is smaller gathers.
    if (pending_.empty() && bytes.size() >= piece) {
        if (auto ok = to_->write(flushed_, bytes); !ok) return ok;
        flushed_ += bytes.size();
        return {};
    }
    if (pending_.capacity() == 0) pending_.reserve(piece);
    auto const room = std::min(bytes.size(), piece - pending_.size());
    pending_.insert(pending_.end(), bytes.begin(),
                    bytes.begin() + static_cast<std::ptrdiff_t>(room));
    if (pending_.size() < piece) return {};
    if (auto ok = flush(); !ok) return ok;
    return bytes.size() > room ? put(bytes.subspan(room)) : result<void>();
}

result<void> output_cursor::pad_to(std::uint64_t alignment) {
    static constexpr std::array<std::byte, 4096> zeros{};
    auto const next = wire::align_up(position(), alignment);
    if (!next) return errc::bad_option;
    while (position() != *next) {
        auto const left = *next - position();
        if (auto ok = put(std::span(zeros).first(std::min<std::uint64_t>(left, zeros.size()))); !ok)
            return ok;
    }
    return {};
}

result<void> output_cursor::flush() {
    if (pending_.empty()) return {};
    if (auto ok = to_->write(flushed_, pending_); !ok) return ok;
    flushed_ += pending_.size();
    pending_.clear();
    return {};
}

}  // namespace hurray
