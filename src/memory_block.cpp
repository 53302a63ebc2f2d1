#include <hurray/memory_block.hpp>

#include <cassert>
#include <cstring>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
constexpr std::uint64_t worth_mapping = 2 * huge_page;
// More than any address space holds; below it, rounding up cannot overflow.
constexpr std::uint64_t out_of_reach = std::uint64_t{1} << 62;
constexpr std::align_val_t line{64};

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t to) noexcept {
    return (bytes + to - 1) / to * to;
}

/// A mapping that starts on a huge page, for otherwise its first and last ones are small.
void* map_aligned(std::uint64_t bytes) noexcept {
    auto const asked = bytes + huge_page;
    void* const got =
        mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) return nullptr;
    auto* const from = static_cast<std::byte*>(got);
    void* at = got;
    auto room = static_cast<std::size_t>(asked);
    at = std::align(huge_page, bytes, at, room);
    auto* const first = static_cast<std::byte*>(at);
    auto const before = static_cast<std::uint64_t>(first - from);
    if (before != 0) munmap(from, before);
    munmap(first + bytes, asked - before - bytes);
    // A hint: without it everything works, with more page faults and TLB misses.
    madvise(first, bytes, MADV_HUGEPAGE);
    return first;
}

}  // namespace

result<memory_block> memory_block::uninitialised(std::uint64_t bytes) {
    memory_block block;
    if (bytes == 0) return block;
    if (bytes >= out_of_reach) return errc::too_large_for_memory;
    if (bytes >= worth_mapping) {
        auto const mapped = rounded_up(bytes, page);
        block.data_ = static_cast<std::byte*>(map_aligned(mapped));
        if (block.data_ != nullptr) block.mapped_ = mapped;
    } else {
        block.data_ = static_cast<std::byte*>(::operator new(bytes, line, std::nothrow));
    }
    if (block.data_ == nullptr) return errc::too_large_for_memory;
    block.size_ = bytes;
    return block;
}

result<memory_block> memory_block::zeroed(std::uint64_t bytes) {
    auto block = uninitialised(bytes);
    if (block && block->size_ != 0 && block->mapped_ == 0) std::memset(block->data_, 0, bytes);
    return block;
}

void memory_block::shrink(std::uint64_t bytes) noexcept {
    assert(bytes <= size_);
    if (bytes == 0) {
        release();
        return;
    }
    size_ = bytes;
    auto const kept = rounded_up(bytes, page);
    if (kept >= mapped_) return;
    munmap(data_ + kept, mapped_ - kept);
    mapped_ = kept;
}

void memory_block::release() noexcept {
    if (mapped_ != 0)
        munmap(data_, mapped_);
    else
        ::operator delete(data_, line);
    data_ = nullptr;
    size_ = 0;
    mapped_ = 0;
}

}  // namespace detail

}  // namespace v0
}  // namespace hurray
