#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace hurray::tool {

/// The whole text of a file, paged in as it is looked at. Owns the mapping. What cannot be read
/// twice, standard input ("-") and gzip, is first unpacked to a temporary file without a name.
class text_input {
public:
    /// Throws stop when the file cannot be read.
    static text_input open(std::filesystem::path const& path);

    text_input(text_input&& other) noexcept;
    text_input& operator=(text_input&&) = delete;
    ~text_input();

    std::string_view text() const noexcept { return {data_, size_}; }

private:
    text_input(char const* data, std::size_t size) noexcept : data_(data), size_(size) {}
    char const* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace hurray::tool
