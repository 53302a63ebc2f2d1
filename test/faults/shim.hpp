#pragma once

// The system calls that the library makes, with a hand in between: they can be counted, made to
// fail, cut short, recorded, or made the last thing the process does. Linked into the program that
// uses it, it stands before the C library for everything in the process.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace faults {

enum class call : unsigned {
    open,
    fstat,
    stat,
    pread,
    mmap,
    munmap,
    madvise,
    fadvise,
    getrandom,
    pwrite,
    fallocate,
    write_back,
    ftruncate,
    fchmod,
    fsync,
    rename,
    link,
    unlink,
    close,
    count_
};
inline constexpr unsigned calls = static_cast<unsigned>(call::count_);
char const* name(call) noexcept;

/// What to do, from the moment it is armed on.
struct plan {
    call which = call::count_;
    std::uint64_t at = 0;        ///< the at-th call of this kind, from 1; 0: none
    int error = 0;               ///< what it fails with
    bool for_ever = false;       ///< and every later one of its kind
    bool one_byte = false;       ///< pwrite and pread move one byte a time instead
    std::uint64_t room = ~0ull;  ///< bytes that pwrite may still write before the disk is full
    std::uint64_t kill_at = 0;   ///< the process ends before this call of any kind, from 1; 0: not
};

/// One thing that was done to a file, for replaying.
struct operation {
    call what{};
    std::uint64_t file = 0;  ///< its inode
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes{};
    std::string from{}, to{};
};

void arm(plan const&);
void disarm();
/// Calls of a kind since arm(), and after the one that failed.
std::uint64_t count(call) noexcept;
std::uint64_t count_all() noexcept;
std::uint64_t count_after_failure(call) noexcept;

void record(bool on);
std::vector<operation> recorded();

}  // namespace faults
