#include "holes.hpp"
#include "jobs.hpp"

#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bench {
namespace {

void need(bool good) {
    if (!good) throw std::runtime_error("a system call failed");
}

/// Ours: open, one row that is checked, close.
double open_and_take(std::filesystem::path const& path, std::uint64_t i) {
    auto const file = hurray::file::open(path, {.access = hurray::access::random}).value();
    auto const view = file.csr<double>("a", hurray::lazy).value();
    auto const row = view.row(i).value();
    return row.empty() ? 0 : row.values().front() + static_cast<double>(row.indices().back());
}

/// Where the bytes of a row lie.
struct places {
    std::uint64_t offset, index, value;
};
places places_of(std::filesystem::path const& path, std::uint64_t i) {
    auto const file = hurray::file::open(path).value();
    auto const view = file.csr<double>("a", hurray::lazy).value();
    auto const buffers = file.describe("a").value().buffers;
    auto const first = view.offsets()[i];
    return {buffers[2].offset + i * 8, buffers[1].offset + first * 8,
            buffers[0].offset + first * 8};
}

/// The limit: open, map, touch three pages, unmap.
unsigned touch(std::filesystem::path const& path, places const& at) {
    auto const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    need(file >= 0);
    struct stat s {};
    need(::fstat(file, &s) == 0);
    auto const size = static_cast<std::size_t>(s.st_size);
    auto* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    need(mapped != MAP_FAILED);
    auto const* const bytes = static_cast<unsigned char const volatile*>(mapped);
    unsigned const sum = bytes[at.offset] + bytes[at.index] + bytes[at.value];
    ::munmap(mapped, size);
    ::close(file);
    return sum;
}

/// Puts the file on disk and takes it out of the page cache.
void evict(std::filesystem::path const& path) {
    auto const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    need(file >= 0 && ::fsync(file) == 0);
    need(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0);
    ::close(file);
}

}  // namespace

void open_jobs(context& c) {
    struct sized {
        char const* size;
        hurray::extents shape;
        std::uint64_t nnz;
    };
    unsigned const times = c.divisor == 1 ? 500 : 5;
    std::vector<side> ours, limits;
    std::vector<std::filesystem::path> paths;
    std::vector<side*> all;
    sized const sizes[] = {{"1 MB", {4096, 1'000'000}, 62'000},
                           {"100 GB", {100'000'000, 1'000'000}, 6'200'000'000}};
    ours.reserve(2);
    limits.reserve(2);
    for (auto const& [size, shape, nnz] : sizes) {
        auto const path = c.file("open_" + std::to_string(paths.size()) + ".hrry");
        auto const i = shape.rows / 2;
        write_holes(path, shape, nnz, i, 10);
        paths.push_back(path);
        auto const at = places_of(path, i);
        ours.push_back(
            {size, [=] { return repeated(times, [&] { keep(open_and_take(path, i)); }); }});
        limits.push_back({"open, map, touch, unmap",
                          [=] { return repeated(times, [&] { keep(touch(path, at)); }); }});
    }
    alternate({&ours[0], &limits[0], &ours[1], &limits[1]}, c.of(25));
    for (unsigned k = 0; k < 2; ++k)
        c.results.add("open + one row, warm, lazy, " + ours[k].name, ours[k], &limits[k], {},
                      {2.0, true});
    ours[0].name = "1 MB";
    c.results.add("the same, 100 GB beside 1 MB", ours[1], &ours[0], {}, {1.25, true});
    for (auto const& path : paths) std::filesystem::remove(path);
}

void cold_jobs(context& c) {
    auto const path = c.file("cold.hrry");
    auto const other = c.file("cold.h5");
    side us{"ours", {}}, hdf5{"HDF5", {}};
    std::uint64_t row = 0;
    {
        auto const a = with_values(c.scaled(6'000'000), 5'000'000, c.scaled(60'000'000), false);
        row = a.rows / 2;
        write_file(path, view_of(a));
        if (c.peers && hdf5_write(other, look_at(a)))
            hdf5.run = hdf5_row(other, row, [other] { return evict(other), 0.0; });
    }
    us.run = [&] {
        evict(path);
        return seconds_of([&] { keep(open_and_take(path, row)); });
    };
    alternate({&us, &hdf5}, c.of(15));
    c.results.add("open + one row, cold, 1 GB", us, nullptr, {&hdf5}, {3.0});
    std::filesystem::remove(path);
    std::filesystem::remove(other);
}

}  // namespace bench
