#include "text_input.hpp"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

[[noreturn]] void cannot_read(std::filesystem::path const &path) {
    throw stop(status::system_failed, escaped(path.native()) + ": cannot be read: " +
                                          std::generic_category().message(errno));
}

struct descriptor_guard {
    int number;
    ~descriptor_guard() { ::close(number); }
};

} // namespace

text_input text_input::open(std::filesystem::path const &path) {
    int const number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number < 0) cannot_read(path);
    descriptor_guard const guard{number};
    struct stat what {};
    if (::fstat(number, &what) != 0) cannot_read(path);
    if (!S_ISREG(what.st_mode))
        throw stop(status::system_failed, escaped(path.native()) + ": is not a regular file");
    if (what.st_size == 0) return {nullptr, 0};
    auto const size = static_cast<std::size_t>(what.st_size);
    auto *const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number, 0);
    if (data == MAP_FAILED) cannot_read(path);
    ::madvise(data, size, MADV_SEQUENTIAL);
    return {static_cast<char const *>(data), size};
}

text_input::text_input(text_input &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

text_input::~text_input() {
    if (data_ != nullptr) ::munmap(const_cast<char *>(data_), size_);
}

} // namespace hurray::tool
