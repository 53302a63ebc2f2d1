#include "shim.hpp"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace faults {
namespace {

bool armed = false;
bool recording = false;
plan current;
std::array<std::uint64_t, calls> counts{};
std::array<std::uint64_t, calls> counts_after{};
std::uint64_t total = 0;
bool failed = false;
std::vector<operation> log;

template<class Function> Function* next(char const* symbol) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, symbol));
}

/// Counts the call; true if it is to fail, with errno set.
bool fails(call which) {
    if (!armed) return false;
    auto& n = counts[static_cast<unsigned>(which)];
    ++n;
    ++total;
    if (current.kill_at != 0 && total == current.kill_at) ::_exit(99);
    if (failed) ++counts_after[static_cast<unsigned>(which)];
    if (which != current.which || current.at == 0) return false;
    bool const now = n == current.at || (current.for_ever && n > current.at);
    if (!now) return false;
    failed = true;
    errno = current.error;
    return true;
}

std::uint64_t inode_of(int fd) {
    struct stat s {};
    static auto* const real = next<int(int, struct stat*)>("fstat");
    return real(fd, &s) == 0 ? s.st_ino : 0;
}

void keep(operation o) {
    if (!recording) return;
    recording = false;  // growing the log calls the system too
    log.push_back(std::move(o));
    recording = true;
}

}  // namespace

char const* name(call c) noexcept {
    static constexpr std::array<char const*, calls> names{
        "open",    "fstat",     "stat",   "pread",     "mmap",       "munmap",    "madvise",
        "fadvise", "getrandom", "pwrite", "fallocate", "write_back", "ftruncate", "fchmod",
        "fsync",   "rename",    "link",   "unlink",    "close"};
    return names[static_cast<unsigned>(c)];
}

void arm(plan const& p) {
    current = p;
    counts = {};
    counts_after = {};
    total = 0;
    failed = false;
    armed = true;
}
void disarm() { armed = false; }
std::uint64_t count(call c) noexcept { return counts[static_cast<unsigned>(c)]; }
std::uint64_t count_all() noexcept { return total; }
std::uint64_t count_after_failure(call c) noexcept {
    return counts_after[static_cast<unsigned>(c)];
}
void record(bool on) {
    if (on) log.clear();
    recording = on;
}
std::vector<operation> recorded() { return log; }

}  // namespace faults

using faults::call;
using faults::fails;

extern "C" {

int open(char const* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if (fails(call::open)) return -1;
    static auto* const real = faults::next<int(char const*, int, ...)>("open");
    auto const fd = real(path, flags, mode);
    if (fd >= 0 && (flags & O_CREAT) != 0 && faults::recording)
        faults::keep({.what = call::open, .file = faults::inode_of(fd), .to = path});
    return fd;
}

int fstat(int fd, struct stat* into) noexcept {
    if (fails(call::fstat)) return -1;
    static auto* const real = faults::next<int(int, struct stat*)>("fstat");
    return real(fd, into);
}

int stat(char const* path, struct stat* into) noexcept {
    if (fails(call::stat)) return -1;
    static auto* const real = faults::next<int(char const*, struct stat*)>("stat");
    return real(path, into);
}

ssize_t pread(int fd, void* into, size_t size, off_t offset) {
    if (fails(call::pread)) return -1;
    if (faults::armed && faults::current.one_byte && size > 1) size = 1;
    static auto* const real = faults::next<ssize_t(int, void*, size_t, off_t)>("pread");
    return real(fd, into, size, offset);
}

ssize_t pwrite(int fd, void const* from, size_t size, off_t offset) {
    if (fails(call::pwrite)) return -1;
    if (faults::armed) {
        if (faults::current.one_byte && size > 1) size = 1;
        auto& room = faults::current.room;
        if (room == 0) {
            faults::failed = true;
            errno = ENOSPC;
            return -1;
        }
        if (size > room) size = room;
        if (room != ~0ull) room -= size;
    }
    static auto* const real = faults::next<ssize_t(int, void const*, size_t, off_t)>("pwrite");
    auto const done = real(fd, from, size, offset);
    if (done > 0 && faults::recording) {
        auto const* const bytes = static_cast<std::byte const*>(from);
        faults::keep({.what = call::pwrite,
                      .file = faults::inode_of(fd),
                      .offset = static_cast<std::uint64_t>(offset),
                      .bytes = {bytes, bytes + done}});
    }
    return done;
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
    // The allocator and the loader map too: only what concerns a file, or is large, is counted.
    bool const ours = fd >= 0;
    if (ours && fails(call::mmap)) return MAP_FAILED;
    static auto* const real = faults::next<void*(void*, size_t, int, int, int, off_t)>("mmap");
    return real(at, size, protection, flags, fd, offset);
}

int madvise(void* at, size_t size, int advice) noexcept {
    if (fails(call::madvise)) return -1;
    static auto* const real = faults::next<int(void*, size_t, int)>("madvise");
    return real(at, size, advice);
}

int posix_fadvise(int fd, off_t offset, off_t size, int advice) noexcept {
    if (fails(call::fadvise)) return errno;
    static auto* const real = faults::next<int(int, off_t, off_t, int)>("posix_fadvise");
    return real(fd, offset, size, advice);
}

ssize_t getrandom(void* into, size_t size, unsigned flags) {
    if (fails(call::getrandom)) return -1;
    static auto* const real = faults::next<ssize_t(void*, size_t, unsigned)>("getrandom");
    return real(into, size, flags);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
    if (fails(call::fallocate)) return -1;
    static auto* const real = faults::next<int(int, int, off_t, off_t)>("fallocate");
    return real(fd, mode, offset, size);
}

int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
    if (fails(call::write_back)) return -1;
    static auto* const real = faults::next<int(int, off64_t, off64_t, unsigned)>("sync_file_range");
    return real(fd, offset, size, flags);
}

int ftruncate(int fd, off_t size) noexcept {
    if (fails(call::ftruncate)) return -1;
    static auto* const real = faults::next<int(int, off_t)>("ftruncate");
    auto const done = real(fd, size);
    if (done == 0 && faults::recording)
        faults::keep({.what = call::ftruncate,
                      .file = faults::inode_of(fd),
                      .offset = static_cast<std::uint64_t>(size)});
    return done;
}

int fchmod(int fd, mode_t mode) noexcept {
    if (fails(call::fchmod)) return -1;
    static auto* const real = faults::next<int(int, mode_t)>("fchmod");
    return real(fd, mode);
}

int fsync(int fd) {
    if (fails(call::fsync)) return -1;
    static auto* const real = faults::next<int(int)>("fsync");
    auto const done = real(fd);
    if (done == 0 && faults::recording)
        faults::keep({.what = call::fsync, .file = faults::inode_of(fd)});
    return done;
}

int rename(char const* from, char const* to) noexcept {
    if (fails(call::rename)) return -1;
    static auto* const real = faults::next<int(char const*, char const*)>("rename");
    auto const done = real(from, to);
    if (done == 0 && faults::recording)
        faults::keep({.what = call::rename, .from = from, .to = to});
    return done;
}

int renameat2(int from_at, char const* from, int to_at, char const* to, unsigned flags) noexcept {
    if (fails(call::rename)) return -1;
    static auto* const real =
        faults::next<int(int, char const*, int, char const*, unsigned)>("renameat2");
    auto const done = real(from_at, from, to_at, to, flags);
    if (done == 0 && faults::recording)
        faults::keep({.what = call::rename, .from = from, .to = to});
    return done;
}

int link(char const* from, char const* to) noexcept {
    if (fails(call::link)) return -1;
    static auto* const real = faults::next<int(char const*, char const*)>("link");
    auto const done = real(from, to);
    if (done == 0 && faults::recording) faults::keep({.what = call::link, .from = from, .to = to});
    return done;
}

int unlink(char const* path) noexcept {
    if (fails(call::unlink)) return -1;
    static auto* const real = faults::next<int(char const*)>("unlink");
    auto const done = real(path);
    if (done == 0 && faults::recording) faults::keep({.what = call::unlink, .to = path});
    return done;
}

}  // extern "C"
