#include "text_output.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "failure.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// What the process lets new files be.
mode_t permissions_of_new_files() noexcept {
    auto const mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

text_output::text_output(std::filesystem::path const& path) : path_(path) {
    if (path == "-") return;
    std::error_code ignored;
    // A link stays a link: what it names is replaced.
    if (std::filesystem::is_symlink(path, ignored))
        path_ = std::filesystem::weakly_canonical(path, ignored);
    temporary_ = path_.native() + ".XXXXXX";
    descriptor_ = ::mkstemp(temporary_.data());
    if (descriptor_ < 0) {
        temporary_.clear();
        fail("cannot be written");
    }
    ::fchmod(descriptor_, permissions_of_new_files());
}

text_output::~text_output() {
    if (temporary_.empty()) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void text_output::publish() {
    flush();
    if (temporary_.empty()) return;
    if (::fsync(descriptor_) != 0) fail("cannot be written");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced");
    ::close(descriptor_);
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
