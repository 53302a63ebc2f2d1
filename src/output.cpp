#include "output.hpp"

#include <algorithm>
#include <array>

#include "align.hpp"

namespace hurray {

result<void> output_cursor::sum_and_put(std::span<std::byte const> bytes) {
    if (sums_ != nullptr) sums_->add(bytes);
    return put(bytes);
}

result<void> output_cursor::put(std::span<std::byte const> bytes) {
    // Whole pieces go straight through; what is smaller gathers.
    if (pending_ == 0 && bytes.size() >= piece) {
        if (auto ok = to_->write(flushed_, bytes); !ok) return ok;
        flushed_ += bytes.size();
        return {};
    }
    if (!gathered_) gathered_.reset(new std::byte[piece]);
    auto const fitting = std::min(bytes.size(), piece - pending_);
    gather(bytes.first(fitting));
    if (pending_ < piece) return {};
    if (auto ok = flush(); !ok) return ok;
    return bytes.size() > fitting ? put(bytes.subspan(fitting)) : result<void>();
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
    if (pending_ == 0) return {};
    if (auto ok = to_->write(flushed_, {gathered_.get(), pending_}); !ok) return ok;
    flushed_ += pending_;
    pending_ = 0;
    return {};
}

}  // namespace hurray
