#include "os.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hurray::os {
namespace {

error last_error() noexcept { return {.code = {errno, std::system_category()}}; }

/// Calls again when a signal came between.
template<class Call> auto retried(Call call) noexcept {
    auto got = call();
    while (got < 0 && errno == EINTR) got = call();
    return got;
}

constexpr std::size_t largest_transfer = std::size_t{1} << 30;

std::filesystem::path directory_of(std::filesystem::path const& path) {
    auto const parent = path.parent_path();
    return parent.empty() ? "." : parent;
}

identity identity_of(struct stat const& s) noexcept {
    auto const nanoseconds = [](timespec const& t) {
        return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    };
    return {.device = s.st_dev,
            .inode = s.st_ino,
            .size = static_cast<std::uint64_t>(s.st_size),
            .modified = nanoseconds(s.st_mtim),
            .changed = nanoseconds(s.st_ctim),
            .permissions = s.st_mode & 07777u,
            .directory = S_ISDIR(s.st_mode),
            .regular = S_ISREG(s.st_mode)};
}

}  // namespace

handle& handle::operator=(handle&& other) noexcept {
    if (this != &other) {
        if (is_open()) ::close(fd_);
        fd_ = other.release();
    }
    return *this;
}
handle::~handle() {
    if (is_open()) ::close(fd_);
}
int handle::release() noexcept { return std::exchange(fd_, -1); }

result<handle> open_for_reading(std::filesystem::path const& path) {
    auto const fd =
        retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
    if (fd < 0) return last_error();
    return handle(fd);
}

result<identity> identify(handle const& file) {
    struct stat s {};
    if (::fstat(file.get(), &s) != 0) return last_error();
    return identity_of(s);
}

result<identity> identify(std::filesystem::path const& path) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) return last_error();
    return identity_of(s);
}

result<void> read_at(handle const& file, std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        auto const wanted = std::min(into.size(), largest_transfer);
        auto const got = retried(
            [&] { return ::pread(file.get(), into.data(), wanted, static_cast<off_t>(offset)); });
        if (got < 0) return last_error();
        if (got == 0) return error{.code = errc::file_changed, .offset = offset};
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

std::filesystem::path path_of(handle const& file) {
    return "/proc/self/fd/" + std::to_string(file.get());
}

void expect_random_reads(handle const& file) noexcept {
    (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
}

void fetch_soon(handle const& file, std::uint64_t end, std::uint64_t size) noexcept {
    auto const first = end - std::min(end, size);
    (void)::posix_fadvise(file.get(), static_cast<off_t>(first), static_cast<off_t>(end - first),
                          POSIX_FADV_WILLNEED);
}

result<void> advise(std::span<std::byte const> mapped, access how) {
    auto const advice = [&] {
        switch (how) {
        case access::sequential:
            return MADV_SEQUENTIAL;
        case access::random:
            return MADV_RANDOM;
#if defined(MADV_POPULATE_READ)
        case access::populate:
            return MADV_POPULATE_READ;
#else
        case access::populate:
            return MADV_WILLNEED;
#endif
        case access::normal:
            break;
        }
        return MADV_NORMAL;
    }();
    if (how == access::normal || mapped.empty()) return {};
    auto const got = ::madvise(const_cast<std::byte*>(mapped.data()), mapped.size(), advice);
    if (how == access::populate && got != 0 && errno == EFAULT) return last_error();
    return {};
}

memory::memory(memory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
memory::~memory() {
    if (!bytes_.empty()) (void)::munmap(bytes_.data(), bytes_.size());
}
result<memory> memory::allocate(std::uint64_t size) {
    memory m;
    if (size == 0) return m;
    auto* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return last_error();
    m.bytes_ = {static_cast<std::byte*>(at), size};
    (void)::madvise(at, size, MADV_HUGEPAGE);
    return m;
}

temporary::~temporary() {
    if (!path_.empty()) os::remove(path_);
}

result<temporary> create_beside(std::filesystem::path const& target) {
    for (int attempt = 0; attempt < 16; ++attempt) {
        std::array<unsigned char, 12> dice{};
        auto const got = retried([&] { return ::getrandom(dice.data(), dice.size(), 0); });
        if (got < 0) return last_error();
        std::string name = ".hurray-";
        for (auto const d : dice) name += "0123456789abcdefghijklmnopqrstuv"[d % 32];
        auto path = directory_of(target) / name;
        auto const fd = retried(
            [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
        if (fd >= 0) return temporary{handle(fd), std::move(path)};
        if (errno != EEXIST) return last_error();
    }
    return last_error();
}

result<handle> create_nameless(std::filesystem::path const& target) {
    auto const directory = directory_of(target);
    auto const fd =
        retried([&] { return ::open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600); });
    if (fd >= 0) return handle(fd);
    if (errno != EOPNOTSUPP && errno != EISDIR) return last_error();
    auto made = create_beside(target);  // a file system without nameless files
    if (!made) return made.error();
    return made->take_file();  // its name goes with `made`
}

result<void> write_at(handle const& file, std::uint64_t offset, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const wanted = std::min(bytes.size(), largest_transfer);
        auto const done = retried(
            [&] { return ::pwrite(file.get(), bytes.data(), wanted, static_cast<off_t>(offset)); });
        if (done < 0) return last_error();
        if (done == 0) return error{.code = std::make_error_code(std::errc::io_error)};
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
    return {};
}

result<void> reserve(handle const& file, std::uint64_t offset, std::uint64_t size) {
    if (size == 0) return {};
    auto const got = retried([&] {
        return ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                           static_cast<off_t>(size));
    });
    if (got == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return {};
    return last_error();
}

void start_write_back(handle const& file, std::uint64_t offset, std::uint64_t size) noexcept {
    (void)::sync_file_range(file.get(), static_cast<off_t>(offset), static_cast<off_t>(size),
                            SYNC_FILE_RANGE_WRITE);
}

result<void> set_size(handle const& file, std::uint64_t size) {
    auto const got = retried([&] { return ::ftruncate(file.get(), static_cast<off_t>(size)); });
    if (got != 0) return last_error();
    return {};
}

result<void> set_permissions(handle const& file, std::uint32_t permissions) {
    if (::fchmod(file.get(), permissions) != 0) return last_error();
    return {};
}

result<void> sync(handle const& file) {
    // A failed sync is final: the kernel may have dropped the pages, and a second one may lie.
    if (::fsync(file.get()) != 0) return last_error();
    return {};
}

result<void> sync_directory(handle const& directory) {
    if (::fsync(directory.get()) != 0 && errno != EINVAL) return last_error();
    return {};
}

result<handle> open_directory_of(std::filesystem::path const& path) {
    auto const directory = directory_of(path);
    auto const fd =
        retried([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return last_error();
    return handle(fd);
}

result<void> rename(std::filesystem::path const& from, std::filesystem::path const& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return last_error();
    return {};
}

result<void> rename_to_new(std::filesystem::path const& from, std::filesystem::path const& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EINVAL && errno != ENOSYS) return last_error();
    if (::link(from.c_str(), to.c_str()) != 0) return last_error();  // an older file system
    os::remove(from);
    return {};
}

void remove(std::filesystem::path const& path) noexcept { (void)::unlink(path.c_str()); }

}  // namespace hurray::os
