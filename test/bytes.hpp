#pragma once

// Bytes, files and folders for tests.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hurray_test {

using bytes = std::vector<std::byte>;

inline bytes read_file(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot open " + path.string());
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    auto const all = std::as_bytes(std::span(text));
    return {all.begin(), all.end()};
}

inline void write_file(std::filesystem::path const& path, std::span<std::byte const> what) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    for (auto const b : what) out.put(std::to_integer<char>(b));
    if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

inline bytes to_bytes(std::string_view text) {
    auto const all = std::as_bytes(std::span(text));
    return {all.begin(), all.end()};
}

inline std::string hex(std::span<std::byte const> what) {
    std::string text;
    for (auto const b : what) {
        text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
        text += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
    }
    return text;
}

/// Empty where both are the same; else where they begin to differ.
inline std::string difference(std::span<std::byte const> a, std::span<std::byte const> b) {
    auto const [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (at == a.end() && other == b.end()) return {};
    return "differ from byte " + std::to_string(at - a.begin()) + " of " +
           std::to_string(a.size()) + " and " + std::to_string(b.size());
}

/// A sink that keeps what it gets; copies keep it together.
struct memory_sink {
    std::shared_ptr<bytes> got = std::make_shared<bytes>();
    std::error_code operator()(std::span<std::byte const> piece) const {
        got->insert(got->end(), piece.begin(), piece.end());
        return {};
    }
};

/// A folder of its own, gone at the end.
class temporary_directory {
public:
    temporary_directory() {
        auto name = (std::filesystem::temp_directory_path() / "hurray_test.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    temporary_directory(temporary_directory const&) = delete;
    temporary_directory& operator=(temporary_directory const&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::filesystem::path const& path() const noexcept { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// The names in it, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const& entry : std::filesystem::directory_iterator(path_))
            all.push_back(entry.path().filename().string());
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    std::filesystem::path path_;
};

}  // namespace hurray_test
