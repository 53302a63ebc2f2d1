// Bytes in memory, with hurray::core alone.
#include <cstdio>
#include <vector>

#include <hurray/file_view.hpp>
#include <hurray/writer.hpp>

int main() {
    std::vector<std::uint64_t> const offsets{0, 1, 3};
    std::vector<std::uint64_t> const indices{2, 0, 1};
    std::vector<float> const values{1, 2, 3};
    auto const matrix =
        hurray::csr_view<float>::over({.rows = 2, .columns = 3}, offsets, indices, values).value();

    // Words, so that the bytes are aligned as a view needs them.
    std::vector<std::uint64_t> words;
    std::size_t size = 0;
    auto const sink = [&](std::span<std::byte const> bytes) {
        words.resize((size + bytes.size() + 7) / 8);
        auto const all = std::as_writable_bytes(std::span(words));
        for (auto const byte : bytes) all[size++] = byte;
        return std::error_code{};
    };
    auto out = hurray::writer::onto(sink).value();
    out.write("a", matrix).value();
    out.close().value();

    auto const bytes = std::as_bytes(std::span(words)).first(size);
    auto const file = hurray::file_view::parse(bytes).value();
    if (file.csr<float>("a").value().value(1, 1) != 3) return std::puts("wrong value"), 1;

    // Errors keep their identity whatever library they come from.
    auto const missing = file.csr<float>("b");
    if (missing || missing.error().code != hurray::condition::mismatch)
        return std::puts("wrong error"), 1;
    return 0;
}
