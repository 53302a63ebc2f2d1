#pragma once

#include <filesystem>

namespace hurray::tool {

/// A name beside a file for what is needed only while the program runs. What has the name in the
/// end is removed.
class scratch_file {
public:
    /// Throws stop when nothing can be written there.
    explicit scratch_file(std::filesystem::path const& beside);
    scratch_file(scratch_file const&) = delete;
    scratch_file& operator=(scratch_file const&) = delete;
    ~scratch_file() { remove(); }

    std::filesystem::path const& path() const noexcept { return path_; }
    /// Takes the name away; who has the file open keeps it.
    void remove() noexcept;

private:
    std::filesystem::path path_;
};

}  // namespace hurray::tool
