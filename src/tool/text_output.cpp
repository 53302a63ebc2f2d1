#include "text_output.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// Those of the file that is replaced, or what the process lets new files be.
mode_t permissions_of(std::filesystem::path const& path) noexcept {
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0) return there.st_mode & 07777;
    auto const mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

text_output::text_output(std::filesystem::path const& path) : path_(path) {
    if (path == "-") return;
    std::error_code ignored;
    if (auto const there = std::filesystem::status(path, ignored);
        std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail("cannot be written");
        return;
    }
    // A link stays a link: what it names is replaced.
    if (std::filesystem::is_symlink(path, ignored))
        path_ = std::filesystem::weakly_canonical(path, ignored);
    temporary_ = path_.native() + ".XXXXXX";
    descriptor_ = ::mkstemp(temporary_.data());
    if (descriptor_ < 0) {
        temporary_.clear();
        fail("cannot be written");
    }
    ::fchmod(descriptor_, permissions_of(path_));
}

text_output::~text_output() {
    if (descriptor_ > STDOUT_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void text_output::publish() {
    flush();
    if (temporary_.empty()) return;
    if (::fsync(descriptor_) != 0) fail("cannot be written");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced");
    temporary_.clear();
}

void text_output::flush() {
    stop_if_interrupted();
    std::string_view left = text_;
    while (!left.empty()) {
        auto const written = ::write(descriptor_, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            stop_if_interrupted();
        else if (written < 0)
            fail("cannot be written");
        else
            left.remove_prefix(static_cast<std::size_t>(written));
    }
    text_.clear();
}

void text_output::fail(char const* what) const {
    auto const why = std::generic_category().message(errno);
    throw stop(status::system_failed, escaped(path_.native()) + ": " + what + ": " + why);
}

}  // namespace hurray::tool
