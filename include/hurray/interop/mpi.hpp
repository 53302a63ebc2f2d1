#pragma once

// For those who have MPI: what the processes of a parallel program need to read and write one file
// together. Nothing else of hurray includes or needs it. POSIX file calls.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
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

/// A file's bytes, mapped: only what is touched is read.
class mapping {
public:
    mapping() = default;
    mapping(mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    mapping& operator=(mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~mapping() {
        if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
    static result<mapping> open(std::string const& path, std::uint64_t expected_size) {
        descriptor_owner const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() < 0) return system_error();
        struct ::stat now {};
        if (::fstat(file.get(), &now) != 0) return system_error();
        if (static_cast<std::uint64_t>(now.st_size) != expected_size) return errc::file_changed;
        auto* const at = ::mmap(nullptr, expected_size, PROT_READ, MAP_SHARED, file.get(), 0);
        if (at == MAP_FAILED) return system_error();
        mapping made;
        made.bytes_ = {static_cast<std::byte const*>(at), expected_size};
        return made;
    }
    std::span<std::byte const> bytes() const noexcept { return bytes_; }

private:
    std::span<std::byte const> bytes_;
};

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
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) return {};
    auto wire = mine ? detail::wire_error{} : detail::encode(mine.error());
    MPI_Bcast(wire.data(), static_cast<int>(wire.size()), MPI_UINT64_T, first, comm);
    return {detail::decode(wire, engine), first};
}

namespace detail {

/// Appends to a region of a file that is this rank's alone, in pieces of a MiB.
class region_writer {
public:
    region_writer(int fd, std::uint64_t offset) : fd_(fd), at_(offset) { pending_.reserve(piece); }

    template<class T> result<void> put(T const& value) {
        auto const bytes = std::as_bytes(std::span(&value, 1));
        pending_.insert(pending_.end(), bytes.begin(), bytes.end());
        return pending_.size() < piece ? result<void>() : flush();
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
        target_ = std::filesystem::is_symlink(target, none)
                      ? std::filesystem::weakly_canonical(target, none)
                      : target;
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
    /// Precondition: every rank has written and synced its rows.
    result<void> publish() {
        if (::rename(path_.c_str(), target_.c_str()) != 0) return system_error();
        path_.clear();
        auto const folder = target_.has_parent_path() ? target_.parent_path().string() : ".";
        descriptor_owner const directory(
            ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (directory.get() < 0) return system_error();
        if (::fsync(directory.get()) != 0 && errno != EINVAL) return system_error();
        return {};
    }

private:
    result<void> create() {
        auto const name = target_.filename().string();
        for (unsigned attempt = 0; attempt < 100; ++attempt) {
            auto path = target_.parent_path() / ("." + name + "." + std::to_string(::getpid()) +
                                                 "." + std::to_string(attempt));
            file_ = descriptor_owner(
                ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
            if (file_.get() >= 0) {
                path_ = path.string();
                return {};
            }
            if (errno != EEXIST) return system_error();
        }
        return system_error();
    }

    std::filesystem::path target_;
    std::string path_;
    descriptor_owner file_;
};

}  // namespace detail

}  // namespace mpi

}  // namespace v0
}  // namespace hurray
