#pragma once

// Every system call of the library goes through here.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include <hurray/options.hpp>
#include <hurray/result.hpp>

namespace hurray::os {

/// Owns a file descriptor.
class handle {
public:
    handle() = default;
    explicit handle(int fd) noexcept : fd_(fd) {}
    handle(handle&& other) noexcept : fd_(other.release()) {}
    handle& operator=(handle&& other) noexcept;
    ~handle();
    int get() const noexcept { return fd_; }
    bool is_open() const noexcept { return fd_ >= 0; }
    int release() noexcept;

private:
    int fd_ = -1;
};

/// What tells one state of one file from another.
struct identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0;  ///< nanoseconds
    std::int64_t changed = 0;   ///< nanoseconds
    std::uint32_t permissions = 0;
    bool directory = false;
    bool regular = false;
    friend bool operator==(identity const&, identity const&) = default;
};

/// Never blocks: a FIFO opens at once and is refused later by what identify() says.
result<handle> open_for_reading(std::filesystem::path const&);
result<identity> identify(handle const&);
result<identity> identify(std::filesystem::path const&);  ///< follows links

/// Fills `into`; file_changed when the file ends before.
result<void> read_at(handle const&, std::uint64_t offset, std::span<std::byte> into);
/// A path that opens the same open file again.
std::filesystem::path path_of(handle const&);
/// Reads of single records will follow: no read-ahead. A hint.
void expect_random_reads(handle const&) noexcept;
/// Starts to fetch the last `size` bytes before `end`, and does not wait. A hint.
void fetch_soon(handle const&, std::uint64_t end, std::uint64_t size) noexcept;

/// Tells the kernel how mapped bytes will be walked. A hint: failures are ignored, but for
/// those of populate that say that touching the bytes would be SIGBUS.
result<void> advise(std::span<std::byte const> mapped, access);

/// Anonymous zeroed memory, in huge pages where the kernel has them.
class memory {
public:
    memory() = default;
    memory(memory&& other) noexcept;
    memory& operator=(memory&&) = delete;
    ~memory();
    static result<memory> allocate(std::uint64_t size);
    std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    std::span<std::byte> bytes_;
};

/// A new file beside `target`, under a name nobody can guess, readable and writable.
/// It goes with its owner unless it was given another name.
class temporary {
public:
    temporary(handle file, std::filesystem::path path) noexcept
        : file_(std::move(file)), path_(std::move(path)) {}
    temporary(temporary&& other) noexcept
        : file_(std::move(other.file_)), path_(std::exchange(other.path_, {})) {}
    temporary& operator=(temporary&&) = delete;
    ~temporary();
    handle const& file() const noexcept { return file_; }
    handle take_file() noexcept { return std::move(file_); }
    std::filesystem::path const& path() const noexcept { return path_; }
    /// The file has another name now.
    void keep() noexcept { path_.clear(); }

private:
    handle file_;
    std::filesystem::path path_;
};
result<temporary> create_beside(std::filesystem::path const& target);
/// A file without a name in the directory of `target`: gone with its handle.
result<handle> create_nameless(std::filesystem::path const& target);
result<void> write_at(handle const&, std::uint64_t offset, std::span<std::byte const> bytes);
/// Room for `size` bytes; not_supported file systems are no error.
result<void> reserve(handle const&, std::uint64_t offset, std::uint64_t size);
/// Starts writing the range back without waiting. A hint.
void start_write_back(handle const&, std::uint64_t offset, std::uint64_t size) noexcept;
result<void> set_size(handle const&, std::uint64_t size);
result<void> set_permissions(handle const&, std::uint32_t permissions);
result<void> sync(handle const&);
/// The names in a directory; a file system that cannot say so is no error.
result<void> sync_directory(handle const&);
/// The directory that holds `path`, for syncing its names.
result<handle> open_directory_of(std::filesystem::path const& path);
result<void> rename(std::filesystem::path const& from, std::filesystem::path const& to);
/// Fails with file_exists, atomically, where the target exists.
result<void> rename_to_new(std::filesystem::path const& from, std::filesystem::path const& to);
void remove(std::filesystem::path const&) noexcept;

}  // namespace hurray::os
