#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace hurray::tool {

/// Huge pages are for what is used in full and at random places: a small page would cost a miss of
/// the address translation each time. Small ones are for room of which not all will be used.
enum class page_size : std::uint8_t { huge, small };

/// Zeroed elements, which take memory when they are first written.
template<class T> class huge_array {
public:
    huge_array() = default;
    /// Throws bad_alloc.
    explicit huge_array(std::uint64_t count, page_size pages = page_size::huge) : count_(count) {
        if (count == 0) return;
        if (count > most) throw std::bad_alloc();
        auto* const mapped = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        if (pages == page_size::huge) ::madvise(mapped, bytes(), MADV_HUGEPAGE);
        data_ = static_cast<T*>(mapped);
    }
    huge_array(huge_array&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    huge_array& operator=(huge_array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~huge_array() {
        if (data_ != nullptr) ::munmap(data_, bytes());
    }

    std::uint64_t size() const noexcept { return count_; }
    T* data() noexcept { return data_; }
    T const* data() const noexcept { return data_; }
    T& operator[](std::uint64_t i) noexcept { return data_[i]; }
    T const& operator[](std::uint64_t i) const noexcept { return data_[i]; }
    T const& back() const noexcept { return data_[count_ - 1]; }
    T& back() noexcept { return data_[count_ - 1]; }

private:
    static constexpr std::uint64_t most = (std::uint64_t{1} << 62) / sizeof(T);
    std::size_t bytes() const noexcept { return count_ * sizeof(T); }

    T* data_ = nullptr;
    std::uint64_t count_ = 0;
};

}  // namespace hurray::tool
