#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <hurray/result.hpp>
#include <hurray/writer.hpp>

#include "checksums.hpp"

namespace hurray {

/// Takes bytes at offsets.
class byte_target {
public:
    virtual ~byte_target() = default;
    virtual result<void> write(std::uint64_t offset, std::span<std::byte const> bytes) = 0;
};

/// What must wait until its place is known: written in order, then read back.
class spool : public byte_target {
public:
    virtual result<void> read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

/// Where a writer's bytes go. Destroyed before publish(), it leaves no trace.
class output : public byte_target {
public:
    /// Whether bytes may come in any order. If not, each write starts where the last one ended.
    virtual bool any_order() const noexcept = 0;
    /// `size` bytes from `offset` will come.
    virtual result<void> reserve(std::uint64_t /*offset*/, std::uint64_t /*size*/) { return {}; }
    virtual result<std::unique_ptr<spool>> make_spool() { return errc::needs_a_path; }
    /// All `size` bytes were written: make them durable and give them their name.
    virtual result<void> publish(std::uint64_t size) = 0;
};

/// A place in a target where bytes are appended; gathers small pieces.
class output_cursor {
public:
    static constexpr std::size_t piece = std::size_t{1} << 18;

    output_cursor(byte_target& to, std::uint64_t position) noexcept
        : to_(&to), flushed_(position) {}

    std::uint64_t position() const noexcept { return flushed_ + pending_; }
    result<void> append(std::span<std::byte const> bytes) {
        // A short row is its own few bytes and nothing else.
        if (sums_ == nullptr && gathered_ && bytes.size() < piece - pending_)
            return gather(bytes), result<void>();
        return sum_and_put(bytes);
    }
    /// Zeros, which belong to no buffer, up to a multiple of `alignment`.
    result<void> pad_to(std::uint64_t alignment);
    result<void> flush();
    /// What is appended from now on is a buffer, summed here; null: it is none.
    void sum_into(format::block_sums* sums) noexcept { sums_ = sums; }
    /// Goes on elsewhere. Precondition: flushed.
    void move_to(std::uint64_t position) noexcept { flushed_ = position; }

private:
    /// Precondition: they fit.
    void gather(std::span<std::byte const> bytes) noexcept {
        if (!bytes.empty()) std::memcpy(gathered_.get() + pending_, bytes.data(), bytes.size());
        pending_ += bytes.size();
    }
    result<void> sum_and_put(std::span<std::byte const> bytes);
    result<void> put(std::span<std::byte const> bytes);

    byte_target* to_;
    format::block_sums* sums_ = nullptr;
    std::uint64_t flushed_;
    std::unique_ptr<std::byte[]> gathered_;  ///< a piece, once it is needed
    std::size_t pending_ = 0;                ///< bytes of it that wait
};

}  // namespace hurray
