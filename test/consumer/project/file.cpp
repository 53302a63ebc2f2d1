// Paths and mappings, with hurray::hurray.
#include <cstdio>
#include <vector>

#include <hurray/hurray.hpp>

int main() {
    std::vector<std::uint64_t> const offsets{0, 1, 3};
    std::vector<std::uint64_t> const indices{2, 0, 1};
    std::vector<double> const values{1, 2, 3};
    auto const matrix =
        hurray::csc_view<double>::over({.rows = 3, .columns = 2}, offsets, indices, values).value();
    auto out = hurray::writer::create("consumer.hrry").value();
    out.write("a", matrix).value();
    out.close().value();

    auto const file = hurray::file::open("consumer.hrry").value();
    if (file.csc<double>("a", hurray::lazy).value().value(1, 1).value() != 3)
        return std::puts("wrong value"), 1;
    if (!file.verify()) return std::puts("the file is not valid"), 1;

    // An exception of a shared library is caught by its own type.
    try {
        hurray::file::open("does_not_exist.hrry").value();
        return std::puts("opened a file that is not there"), 1;
    } catch (hurray::failure const& failure) {
        if (failure.code() != std::errc::no_such_file_or_directory)
            return std::puts(failure.what()), 1;
    }
    return 0;
}
