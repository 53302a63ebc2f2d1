#include "text_input.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

std::string name_of(std::filesystem::path const& path) {
    return path == "-" ? "standard input" : escaped(path.native());
}

[[noreturn]] void fail(std::filesystem::path const& path, char const* what) {
    throw stop(status::system_failed,
               name_of(path) + ": " + what + ": " + std::generic_category().message(errno));
}

/// An open file.
class descriptor_guard {
public:
    explicit descriptor_guard(int number) noexcept : number_(number) {}
    descriptor_guard(descriptor_guard const&) = delete;
    descriptor_guard& operator=(descriptor_guard const&) = delete;
    ~descriptor_guard() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const noexcept { return number_; }

private:
    int number_;
};

/// A file without a name, gone when it is closed.
int open_nameless(std::filesystem::path const& source) {
    auto name = (std::filesystem::temp_directory_path() / "hurray.XXXXXX").native();
    int const number = ::mkstemp(name.data());
    if (number < 0) fail(source, "cannot be unpacked to the folder for temporary files");
    ::unlink(name.c_str());
    return number;
}

void write_all(int number, std::string_view bytes, std::filesystem::path const& source) {
    while (!bytes.empty()) {
        auto const written = ::write(number, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            stop_if_interrupted();
        else if (written < 0)
            fail(source, "cannot be unpacked to the folder for temporary files");
        else
            bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Copies a stream to a file that can be read twice.
int spool(std::istream& from, std::filesystem::path const& source) {
    descriptor_guard const into(open_nameless(source));
    std::vector<char> block(std::size_t{1} << 20);
    while (from) {
        stop_if_interrupted();
        from.read(block.data(), static_cast<std::streamsize>(block.size()));
        auto const got = static_cast<std::size_t>(from.gcount());
        write_all(into.number(), {block.data(), got}, source);
    }
    return ::dup(into.number());
}

/// The first two bytes of a gzip file are these; a text cannot begin so.
bool is_packed(std::istream& from) {
    constexpr int first = 0x1F;
    return from.peek() == first;
}

int spool_stream(std::istream& from, std::filesystem::path const& source) {
    if (!is_packed(from)) return spool(from, source);
    namespace io = boost::iostreams;
    io::filtering_istream unpacked;
    unpacked.push(io::gzip_decompressor());
    unpacked.push(from);
    unpacked.exceptions(std::ios::badbit);
    try {
        return spool(unpacked, source);
    } catch (std::ios::failure const&) {
        throw stop(status::bad_file,
                   name_of(source) + ": the gzip data are damaged or end too early");
    }
}

int open_readable(std::filesystem::path const& path) {
    if (path == "-") return spool_stream(std::cin, path);
    descriptor_guard const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) fail(path, "cannot be read");
    struct stat what {};
    if (::fstat(file.number(), &what) != 0) fail(path, "cannot be read");
    if (S_ISDIR(what.st_mode))
        throw stop(status::system_failed, name_of(path) + ": is a folder, not a regular file");
    unsigned char start = 0;
    bool const plain =
        S_ISREG(what.st_mode) && (::pread(file.number(), &start, 1, 0) != 1 || start != 0x1F);
    if (plain) return ::dup(file.number());
    std::ifstream stream(path, std::ios::binary);
    return spool_stream(stream, path);
}

}  // namespace

text_input text_input::open(std::filesystem::path const& path) {
    descriptor_guard const file(open_readable(path));
    struct stat what {};
    if (file.number() < 0 || ::fstat(file.number(), &what) != 0) fail(path, "cannot be read");
    if (what.st_size == 0) return {nullptr, 0};
    auto const size = static_cast<std::size_t>(what.st_size);
    auto* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (data == MAP_FAILED) fail(path, "cannot be read");
    ::madvise(data, size, MADV_SEQUENTIAL);
    return {static_cast<char const*>(data), size};
}

text_input::text_input(text_input&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

text_input::~text_input() {
    if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace hurray::tool
