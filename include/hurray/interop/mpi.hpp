#pragma once

// For those who have MPI: what the processes of a parallel program need to read and write one file
// together. Nothing else of hurray includes or needs it. POSIX file calls.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include <hurray/plan.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace mpi {

/// What all ranks of a communicator agree on: it worked on every one, or where it failed first.
struct outcome {
    error why{};    ///< that of `rank`
    int rank = -1;  ///< the lowest rank that failed; -1: none did

    /// Whether it worked on every rank.
    explicit operator bool() const noexcept { return rank < 0; }
    /// "rank 3: offsets decrease, slice 7, byte 12416"
    std::string message() const {
        return rank < 0 ? "success" : "rank " + std::to_string(rank) + ": " + why.message();
    }
};

namespace detail {

/// An error in numbers that travel.
using wire_error = std::array<std::uint64_t, 5>;

inline wire_error encode(error const& e) {
    std::uint64_t category = 3;
    if (e.code.category() == hurray::error_category()) category = 0;
    if (e.code.category() == std::generic_category()) category = 1;
    if (e.code.category() == std::system_category()) category = 2;
    return {category, static_cast<std::uint64_t>(e.code.value()), e.offset, e.slice, e.position};
}
inline error decode(wire_error const& w, std::error_category const& engine) {
    auto const category = [&]() -> std::error_category const& {
        switch (w[0]) {
        case 0:
            return hurray::error_category();
        case 1:
            return std::generic_category();
        case 2:
            return std::system_category();
        default:
            return engine;
        }
    };
    return {{static_cast<int>(w[1]), category()}, w[2], w[3], w[4]};
}

inline error system_error() { return {.code = {errno, std::system_category()}}; }

/// What f() gives. What it throws for want of memory becomes an error: an exception that left one
/// rank alone would let the others wait for ever.
template<class F> auto guarded(F f) -> decltype(f()) {
#ifdef __cpp_exceptions
    try {
        return f();
    } catch (std::bad_alloc const&) {
    } catch (std::length_error const&) {
    }
    return error{.code = std::make_error_code(std::errc::not_enough_memory)};
#else
    return f();
#endif
}

/// A file that is open until the end of a scope.
class descriptor_owner {
public:
    explicit descriptor_owner(int fd = -1) noexcept : fd_(fd) {}
    descriptor_owner(descriptor_owner&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor_owner& operator=(descriptor_owner&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor_owner() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// What tells one file from another without reading it: its size, its header, and its trailer with
/// the checksum of its index.
struct fingerprint {
    std::uint64_t size = 0;
    std::array<std::byte, 64> head{};
    std::array<std::byte, 40> tail{};

    /// Precondition: a file that opened, so that it has both.
    static fingerprint of(std::span<std::byte const> file) noexcept {
        fingerprint made{.size = file.size()};
        std::memcpy(made.head.data(), file.data(), made.head.size());
        std::memcpy(made.tail.data(), file.last(made.tail.size()).data(), made.tail.size());
        return made;
    }
    friend bool operator==(fingerprint const&, fingerprint const&) = default;
};

/// A part of a file, mapped: only what is touched is read.
class mapping {
public:
    mapping() = default;
    mapping(mapping&& other) noexcept
        : bytes_(std::exchange(other.bytes_, {})), first_(other.first_) {}
    mapping& operator=(mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(first_, other.first_);
        return *this;
    }
    ~mapping() {
        if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
    /// Precondition: the range lies in the file.
    static result<mapping> of(int file, byte_range range) {
        mapping made;
        if (range.length == 0) return made;
        made.first_ = range.offset - range.offset % static_cast<std::uint64_t>(::getpagesize());
        auto const size = range.end() - made.first_;
        auto* const at =
            ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, static_cast<::off_t>(made.first_));
        if (at == MAP_FAILED) return system_error();
        made.bytes_ = {static_cast<std::byte const*>(at), size};
        return made;
    }
    /// Precondition: the range was mapped.
    std::span<std::byte const> at(byte_range range) const noexcept {
        return bytes_.subspan(range.offset - first_, range.length);
    }
    std::byte const* origin() const noexcept { return bytes_.data(); }
    /// An error that counts bytes from origin() counts them from the beginning of the file.
    error placed(error e) const noexcept {
        if (e.offset != error::nowhere) e.offset += first_;
        return e;
    }

private:
    std::span<std::byte const> bytes_;
    std::uint64_t first_ = 0;
};

/// Opens the file of that fingerprint. Errors: file_changed if it is another one.
inline result<descriptor_owner> open_same(std::filesystem::path const& path,
                                          fingerprint const& expected) {
    descriptor_owner file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return system_error();
    struct ::stat now {};
    if (::fstat(file.get(), &now) != 0) return system_error();
    if (static_cast<std::uint64_t>(now.st_size) != expected.size) return errc::file_changed;
    fingerprint seen{.size = expected.size};
    auto const read = [&](std::span<std::byte> to, std::uint64_t at) {
        auto const done = ::pread(file.get(), to.data(), to.size(), static_cast<::off_t>(at));
        return done == static_cast<::ssize_t>(to.size());
    };
    errno = EIO;
    if (!read(seen.head, 0) || !read(seen.tail, seen.size - seen.tail.size()))
        return system_error();
    if (!(seen == expected)) return errc::file_changed;
    return file;
}

}  // namespace detail

namespace detail {

/// MPI's own errors end the program unless the caller asked otherwise. Then this rank says so.
inline outcome broken_communicator(int rank) {
    return {{.code = std::make_error_code(std::errc::connection_aborted)}, rank};
}

/// Tells all ranks what `first` had to say, the lowest rank that failed; `size`: none did.
inline outcome tell(MPI_Comm comm, result<void> const& mine, int first, int size,
                    std::error_category const& engine) {
    if (first == size) return {};
    auto wire = mine ? wire_error{} : encode(mine.error());
    auto const count = static_cast<int>(wire.size());
    if (MPI_Bcast(wire.data(), count, MPI_UINT64_T, first, comm) != MPI_SUCCESS)
        return broken_communicator(first);
    return {decode(wire, engine), first};
}

}  // namespace detail

/// What every rank gives is what all get: success, or the error of the lowest rank that failed.
/// `engine`: the category of errors that are neither this library's nor the system's.
/// Collective: no rank goes on before all have come here.
inline outcome agree(MPI_Comm comm, result<void> const& mine,
                     std::error_category const& engine = std::system_category()) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int first = mine ? size : rank;
    if (MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        return detail::broken_communicator(rank);
    return detail::tell(comm, mine, first, size, engine);
}

/// The same after a step in which ranks wait for each other inside of another library: if that
/// step failed on this rank alone, the others may wait there for what will never come. A rank that
/// failed waits this long for them, then tells why on stderr and ends the program on all ranks.
/// Precondition: that library does not talk over `comm`, or its messages would be taken for ours.
inline outcome agree_within(std::chrono::milliseconds patience, MPI_Comm comm,
                            result<void> const& mine,
                            std::error_category const& engine = std::system_category()) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int const vote = mine ? size : rank;
    int first = vote;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Iallreduce(&vote, &first, 1, MPI_INT, MPI_MIN, comm, &request) != MPI_SUCCESS)
        return detail::broken_communicator(rank);
    auto const deadline = std::chrono::steady_clock::now() + patience;
    int all_came = 0;
    while (!mine && all_came == 0) {
        if (MPI_Test(&request, &all_came, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return detail::broken_communicator(rank);
        if (all_came == 0 && std::chrono::steady_clock::now() > deadline) {
            std::fprintf(stderr, "hurray: %s; the other ranks cannot be told\n",
                         outcome{mine.error(), rank}.message().c_str());
            MPI_Abort(comm, 1);
        }
        ::usleep(1000);
    }
    if (mine && MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return detail::broken_communicator(rank);
    return detail::tell(comm, mine, first, size, engine);
}

namespace detail {

/// A communicator of our own with the same ranks. Collective, as is its end.
class own_communicator {
public:
    explicit own_communicator(MPI_Comm like) {
        if (MPI_Comm_dup(like, &comm_) != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
    }
    own_communicator(own_communicator const&) = delete;
    own_communicator& operator=(own_communicator const&) = delete;
    ~own_communicator() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    MPI_Comm get() const noexcept { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The bytes of rank 0 on every rank. MPI counts with an int: at most `at_once` in one message.
inline void broadcast(MPI_Comm comm, std::span<std::byte> bytes,
                      std::size_t at_once = std::size_t{1} << 30) {
    while (!bytes.empty()) {
        auto const now = std::min(bytes.size(), at_once);
        MPI_Bcast(bytes.data(), static_cast<int>(now), MPI_BYTE, 0, comm);
        bytes = bytes.subspan(now);
    }
}

/// Appends to a region of a file that is this rank's alone, in pieces that end at whole MiB of the
/// file: of what a file system stripes or locks by the MiB, only the ends are another rank's too.
class region_writer {
public:
    region_writer(int fd, std::uint64_t offset) : fd_(fd), at_(offset) { pending_.reserve(piece); }

    template<class T> result<void> put(T const& value) {
        auto const bytes = std::as_bytes(std::span(&value, 1));
        pending_.insert(pending_.end(), bytes.begin(), bytes.end());
        return pending_.size() < piece - at_ % piece ? result<void>() : flush();
    }
    result<void> flush() {
        if (auto ok = write_all(fd_, at_, pending_); !ok) return ok;
        at_ += pending_.size();
        pending_.clear();
        return {};
    }
    static result<void> write_all(int fd, std::uint64_t at, std::span<std::byte const> bytes) {
        while (!bytes.empty()) {
            auto const done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<::off_t>(at));
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return system_error();
            if (done == 0) return error{.code = std::make_error_code(std::errc::io_error)};
            at += static_cast<std::uint64_t>(done);
            bytes = bytes.subspan(static_cast<std::size_t>(done));
        }
        return {};
    }

private:
    static constexpr std::size_t piece = std::size_t{1} << 20;
    int fd_;
    std::uint64_t at_;
    std::vector<std::byte> pending_;
};

/// The places that the ranks are told of.
struct store_plan {
    std::uint64_t values = 0, indices = 0, offsets = 0;
    std::array<char, 4096> path{};  ///< of the file beside the target
};

/// What rank 0 does beside its rows: the file beside the target, all bytes that are in no array,
/// and the target's name. Destroyed before publish(), the file is gone.
class stored_file {
public:
    ~stored_file() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    result<void> begin(std::filesystem::path const& target, file_plan const& plan,
                       store_plan& tell) {
        std::error_code none;
        // The other ranks may stand in other folders.
        target_ = std::filesystem::absolute(target, none);
        if (none) return error{.code = none};
        if (std::filesystem::is_symlink(target_, none))
            target_ = std::filesystem::weakly_canonical(target_, none);
        folder_ = target_.parent_path();
        struct ::stat before {};
        bool const exists = ::stat(target_.c_str(), &before) == 0;
        if (exists && !S_ISREG(before.st_mode)) return errc::not_a_regular_file;
        if (auto ok = create(); !ok) return ok;
        if (exists && ::fchmod(file_.get(), before.st_mode & 07777) != 0) return system_error();
        if (path_.size() >= tell.path.size())
            return error{.code = std::make_error_code(std::errc::filename_too_long)};
        std::copy(path_.begin(), path_.end(), tell.path.begin());
        tell.values = plan.values.offset;
        tell.indices = plan.indices.offset;
        tell.offsets = plan.offsets.offset;
        if (::ftruncate(file_.get(), static_cast<::off_t>(plan.size)) != 0) return system_error();
        for (auto const& run : plan.rest)
            if (auto ok = region_writer::write_all(file_.get(), run.offset, run.bytes); !ok)
                return ok;
        return ::fsync(file_.get()) == 0 ? result<void>() : system_error();
    }
    /// Allocates nothing: it is too late for that to fail.
    /// Precondition: every rank has written and synced its rows.
    result<void> publish() {
        if (::rename(path_.c_str(), target_.c_str()) != 0) return system_error();
        path_.clear();
        descriptor_owner const directory(
            ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (directory.get() < 0) return system_error();
        if (::fsync(directory.get()) != 0 && errno != EINVAL) return system_error();
        return {};
    }

private:
    /// Its name is like those of a writer, and too random to be that of a file that another machine
    /// has in a folder of its own: a rank there that does not share this one finds nothing.
    result<void> create() {
        std::array<unsigned char, 12> dice{};
        if (::getentropy(dice.data(), dice.size()) != 0) return system_error();
        std::string name = ".hurray-";
        for (auto const d : dice) name += "0123456789abcdefghijklmnopqrstuv"[d % 32];
        auto path = (folder_ / name).string();
        file_ =
            descriptor_owner(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file_.get() < 0) return system_error();
        path_ = std::move(path);
        return {};
    }

    std::filesystem::path target_, folder_;
    std::string path_;
    descriptor_owner file_;
};

}  // namespace detail

}  // namespace mpi

}  // namespace v0
}  // namespace hurray
