#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace hurray::tool {

/// A text file that appears under its name only when it is complete; "-" is standard output, and
/// what is there and no file, such as a pipe, gets the text as it comes.
/// Destroyed before publish(), it leaves no trace. Throws stop when the system fails.
class text_output {
public:
    explicit text_output(std::filesystem::path const& path);
    text_output(text_output const&) = delete;
    text_output& operator=(text_output const&) = delete;
    ~text_output();

    /// Append to this, then call spill() now and then.
    std::string& text() noexcept { return text_; }
    /// Writes what was appended, if it is much.
    void spill() {
        if (text_.size() >= full_enough) flush();
    }
    /// Writes the rest and gives the file its name.
    void publish();

private:
    static constexpr std::size_t full_enough = std::size_t{1} << 20;
    void flush();
    [[noreturn]] void fail(char const* what) const;

    std::filesystem::path path_;
    std::string temporary_;
    std::string text_;
    int descriptor_ = 1;
};

}  // namespace hurray::tool
