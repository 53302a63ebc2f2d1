// Handle a file that is not what it should be, without an exception.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

namespace {

void tell(char const* what, hurray::error const& e) {
    std::cout << what << ": " << e.message() << '\n';
    if (e.code == hurray::condition::corrupt) std::cout << "  the file is damaged: restore it\n";
    if (e.code == hurray::condition::unsupported) std::cout << "  a newer program may read it\n";
    if (e.code == hurray::condition::mismatch)
        std::cout << "  the question was wrong, not the file\n";
}

void damage(char const* path, std::uint64_t at, char with) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(with);
}

}  // namespace

int main() {
    std::vector<std::uint64_t> const offsets{0, 2, 3}, columns{0, 3, 2};
    std::vector<float> const values{1, 2, 3};
    auto const a =
        hurray::csr_view<float>::over({.rows = 2, .columns = 4}, offsets, columns, values).value();
    auto out = hurray::writer::create("bad.hrry").value();
    out.write("A", a).value();
    out.close().value();

    if (auto const file = hurray::file::open("absent.hrry"); !file) tell("open", file.error());

    std::uint64_t indices = 0;
    {
        auto const file = hurray::file::open("bad.hrry").value();
        if (auto const view = file.csr<double>("A"); !view) tell("csr<double>", view.error());
        indices = file.describe("A").value().buffers[1].offset;
    }

    // The column of the first entry becomes 7, of 4. The file opens: only metadata is read by that.
    damage("bad.hrry", indices, 7);
    {
        auto const file = hurray::file::open("bad.hrry").value();
        if (auto const view = file.csr<float>("A"); !view) tell("csr<float>", view.error());
        // Row 1 is as good as it was.
        auto const lazy = file.csr<float>("A", hurray::lazy).value();
        if (auto const row = lazy.row(0); !row) tell("row 0", row.error());
        if (auto const row = lazy.row(1)) std::cout << "row 1: " << row->size() << " entry\n";
    }

    std::filesystem::resize_file("bad.hrry", indices);
    if (auto const file = hurray::file::open("bad.hrry"); !file) tell("open", file.error());
}
