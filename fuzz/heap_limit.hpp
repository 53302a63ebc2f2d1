#pragma once

// Counts what the heap holds. This replaces the global operators, so it belongs in a target's own
// source and nowhere else.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "model.hpp"

namespace hurray::fuzz {

inline std::atomic<std::uint64_t> heap_held = 0;
inline std::atomic<std::uint64_t> heap_peak = 0;

inline void* count_allocation(std::size_t size) {
    auto* const place = std::malloc(size == 0 ? 1 : size);
    if (place == nullptr) std::abort();
    auto const held = heap_held += malloc_usable_size(place);
    auto peak = heap_peak.load();
    while (peak < held && !heap_peak.compare_exchange_weak(peak, held)) {
    }
    return place;
}

inline void count_release(void* place) noexcept {
    heap_held -= malloc_usable_size(place);
    std::free(place);
}

/// Calls f and requires that the heap grew by no more than opening the file may take:
/// 16 x (index + key-values) + 1 MiB.
template<class F> auto within_heap_limit(std::span<std::byte const> file, F&& f) {
    std::uint64_t limit = std::uint64_t{1} << 20;
    if (auto const frame = frame_of(file))
        limit += 16 * (frame->index.size() + frame->metadata.size());
    auto const before = heap_held.load();
    heap_peak = before;
    auto given = f();
    require(heap_peak - before <= limit, "heap at most 16 x (index + key-values) + 1 MiB");
    return given;
}

}  // namespace hurray::fuzz

void* operator new(std::size_t size) { return hurray::fuzz::count_allocation(size); }
void* operator new[](std::size_t size) { return hurray::fuzz::count_allocation(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    return hurray::fuzz::count_allocation(size);
}
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept {
    return hurray::fuzz::count_allocation(size);
}
void operator delete(void* place) noexcept { hurray::fuzz::count_release(place); }
void operator delete[](void* place) noexcept { hurray::fuzz::count_release(place); }
void operator delete(void* place, std::size_t) noexcept { hurray::fuzz::count_release(place); }
void operator delete[](void* place, std::size_t) noexcept { hurray::fuzz::count_release(place); }
