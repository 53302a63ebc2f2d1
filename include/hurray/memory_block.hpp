#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <hurray/result.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

/// Bytes that their owner alone frees, aligned to 64; large blocks ask for huge pages.
class memory_block {
public:
    memory_block() = default;
    /// Errors: too_large_for_memory.
    static result<memory_block> uninitialised(std::uint64_t bytes);
    /// Errors: too_large_for_memory.
    static result<memory_block> zeroed(std::uint64_t bytes);

    memory_block(memory_block&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          mapped_(std::exchange(other.mapped_, 0)) {}
    memory_block& operator=(memory_block&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(mapped_, other.mapped_);
        return *this;
    }
    ~memory_block() { release(); }

    std::byte* data() noexcept { return data_; }
    std::byte const* data() const noexcept { return data_; }
    std::uint64_t size() const noexcept { return size_; }

    /// The bytes as an array of T. Precondition: T needs no construction.
    template<class T> T* as() noexcept { return static_cast<T*>(static_cast<void*>(data_)); }
    template<class T> T const* as() const noexcept {
        return static_cast<T const*>(static_cast<void const*>(data_));
    }

    /// Keeps the first `bytes`; whole pages behind them go back to the system.
    /// Precondition: bytes <= size().
    void shrink(std::uint64_t bytes) noexcept;

private:
    void release() noexcept;

    std::byte* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t mapped_ = 0;  ///< bytes of the mapping; 0: from operator new
};

}  // namespace detail

}  // namespace v0
}  // namespace hurray
