// Opening files: what is no file, where the bytes are, and files too large for memory.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.hpp"
#include "matrices.hpp"
#include "reference_file.hpp"
#include "sanitizers.hpp"

namespace {

using namespace hurray_test;
using hurray::condition;
using hurray::errc;
using hurray::load;
namespace fs = std::filesystem;

void check_refused(fs::path const& path, std::error_code expected) {
    for (auto const l : {load::map, load::read}) {
        auto const got = hurray::file::open(path, {.load = l});
        BOOST_REQUIRE(!got.has_value());
        BOOST_TEST(got.error().code == expected, got.error().message());
    }
}
void check_refused(fs::path const& path, std::errc expected) {
    for (auto const l : {load::map, load::read}) {
        auto const got = hurray::file::open(path, {.load = l});
        BOOST_REQUIRE(!got.has_value());
        BOOST_TEST((got.error().code == expected), got.error().message());
        BOOST_TEST(hurray::rule(got.error().code) == 0);
    }
}

/// A number of /proc/self/status, in bytes.
std::uint64_t status(std::string const& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1)) * 1024;
    return 0;
}

std::string mappings() {
    std::ifstream in("/proc/self/maps");
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A file of mostly holes: a CSR matrix "m" of doubles, 3 x 2^40, with more than 2^32 entries. Its
/// first and last rows are there; the middle one is a hole of zeros.
class file_with_holes {
public:
    static constexpr std::uint64_t nnz = (std::uint64_t{1} << 32) + 600'000'000;

    /// Whether the file system takes a file of this size.
    bool make(fs::path const& path) {
        auto const fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0) return false;
        bool const good = write(fd);
        ::close(fd);
        return good;
    }
    std::uint64_t size = 0;

private:
    static std::uint64_t align(std::uint64_t n) { return (n + 4095) / 4096 * 4096; }

    bool write(int fd) {
        constexpr std::uint64_t length = 20 + 16 + 8 + 16 + 1 + 48;
        std::uint64_t const values = 4096;
        std::uint64_t const indices = align(values + 8 * nnz);
        std::uint64_t const offsets = align(indices + 8 * nnz);
        std::uint64_t const end = offsets + 8 * 4;
        reference_bytes head, first, last, tail;
        head.text("HRRYFILE").u8(1).u8(0).zeros(2).u32(4).u32(4096).u64(64);
        head.u64(~std::uint64_t{0}).zeros(28);
        head.text("HRRY")
            .u8(1)
            .u8(0)
            .u32(length)
            .u32(0)
            .u8(4)
            .u8(7)
            .u32(2)
            .u64(3)
            .u64(std::uint64_t{1} << 40)
            .u64(0);
        head.u64(nnz).zeros(8).u8(3);
        for (std::uint64_t const bytes : {8 * nnz, 8 * nnz, std::uint64_t{32}})
            head.u64(bytes).u32(64).zeros(4);
        first.u64(1).u64(4).u64(9);
        last.u64(2).u64(7);
        tail.u64(0).u64(3).u64(nnz - 2).u64(nnz);
        reference_bytes index;
        index.u64(1).u16(1).text("m").u64(64).u32(length).u64(values).u64(end - values).u32(0);
        tail.put(index.all().data(), index.size());
        tail.u64(end).u64(index.size()).u64(0).u32(0).u32(reference_crc32c(index.all()));
        tail.zeros(4).text("HRRY");
        size = offsets + tail.size();
        double const number = 0.5;
        return ::ftruncate(fd, static_cast<off_t>(size)) == 0 && put(fd, 0, head) &&
               put(fd, indices, first) && put(fd, indices + 8 * (nnz - 2), last) &&
               put(fd, offsets, tail) &&
               ::pwrite(fd, &number, 8, static_cast<off_t>(values + 8 * (nnz - 1))) == 8;
    }
    static bool put(int fd, std::uint64_t at, reference_bytes const& what) {
        return ::pwrite(fd, what.all().data(), what.size(), static_cast<off_t>(at)) ==
               static_cast<ssize_t>(what.size());
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(what_is_no_file) {
    temporary_directory const folder;
    check_refused(folder.path(), std::errc::is_a_directory);
    check_refused(folder / "missing", std::errc::no_such_file_or_directory);
    write_file(folder / "a", to_bytes("x"));
    check_refused(folder / "a" / "b", std::errc::not_a_directory);
    fs::create_symlink("loop", folder / "loop");
    check_refused(folder / "loop", std::errc::too_many_symbolic_link_levels);
    BOOST_REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    check_refused(folder / "fifo", errc::not_a_regular_file);  // and nobody waits for a writer
    check_refused("/dev/zero", errc::not_a_regular_file);
    check_refused("/dev/null", errc::not_a_regular_file);
    // Each says something of its own.
    BOOST_TEST(hurray::file::open("/dev/zero").error().message() !=
               hurray::file::open(folder.path()).error().message());
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_read) {
    if (::geteuid() == 0) {
        std::cout << "file: root may read everything; a file without permission is not tested\n";
        return;
    }
    temporary_directory const folder;
    write_file(folder / "a.hrry", example_file());
    ::chmod((folder / "a.hrry").c_str(), 0);
    check_refused(folder / "a.hrry", std::errc::permission_denied);
}

BOOST_AUTO_TEST_CASE(R_003_files_too_short) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    auto const smallest = [] {
        memory_sink memory;
        hurray::writer::onto(memory).value().close().value();
        return *memory.got;
    }();
    BOOST_REQUIRE(smallest.size() == 112u);
    for (std::size_t size = 0; size < 112; ++size) {
        write_file(path, std::span(smallest).first(size));
        check_refused(path, size < 104 ? errc::file_too_small : errc::bad_trailer_magic);
    }
    write_file(path, {});
    BOOST_TEST(hurray::file::open(path).error().offset == 0u);
    write_file(path, bytes(111));
    check_refused(path, errc::bad_file_magic);
    write_file(path, smallest);
    BOOST_TEST(hurray::file::open(path)->tensors().empty());
}

BOOST_AUTO_TEST_CASE(mapped_and_read_files_show_the_same) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    auto const all = example_file({.metadata = {{"k", 1.0}}});
    write_file(path, all);
    for (auto const l : {load::map, load::read})
        for (auto const a : {hurray::access::normal, hurray::access::sequential,
                             hurray::access::random, hurray::access::populate}) {
            auto const file = hurray::file::open(path, {.load = l, .access = a}).value();
            BOOST_TEST(difference(file.bytes(), all) == "");
            BOOST_TEST(file.size() == all.size());
            BOOST_TEST(file.csr<float>("rows")->value(2, 4) == 5.f);
            BOOST_TEST(file.csc<float>("columns", hurray::lazy)->value(2, 4).value() == 5.f);
            BOOST_TEST(file.metadata().size() == 1u);
            BOOST_TEST(file.verify().has_value());
            BOOST_TEST(visit(file, "rows", [](auto const& v) { return v.nnz(); }).value() == 5u);
            // map maps, and read does not.
            bool const mapped = mappings().find(path.string()) != std::string::npos;
            BOOST_TEST(mapped == (l == load::map));
        }
    BOOST_TEST(mappings().find(path.string()) == std::string::npos);  // all let go
}

BOOST_AUTO_TEST_CASE(what_was_read_survives_what_happens_to_the_file) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_file(path, example_file());
    auto const file = hurray::file::open(path, {.load = load::read}).value();
    auto const rows = file.csr<float>("rows").value();
    fs::resize_file(path, 10);
    BOOST_TEST(rows.value(2, 4) == 5.f);
    BOOST_TEST(file.verify().has_value());
    BOOST_TEST(!file.unchanged().value());
}

BOOST_AUTO_TEST_CASE(unchanged_sees_what_happened) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    auto const opened = [&] {
        write_file(path, example_file());
        auto file = hurray::file::open(path).value();
        BOOST_TEST(file.unchanged().value());
        BOOST_TEST(file.unchanged().value());
        return file;
    };
    {
        auto const file = opened();  // rewritten in place
        std::fstream(path, std::ios::in | std::ios::out).write("H", 1);
        BOOST_TEST(!file.unchanged().value());
    }
    {
        auto const file = opened();  // another file of the same size and bytes
        write_file(folder / "b.hrry", example_file());
        fs::rename(folder / "b.hrry", path);
        BOOST_TEST(!file.unchanged().value());
        BOOST_TEST(file.csr<float>("rows")->nnz() == 5u);
    }
    {
        auto const file = opened();  // longer
        std::ofstream(path, std::ios::app).put('x');
        BOOST_TEST(!file.unchanged().value());
    }
    auto const file = opened();
    fs::remove(path);
    BOOST_TEST((file.unchanged().error().code == std::errc::no_such_file_or_directory));
    BOOST_TEST(file.csr<float>("rows")->nnz() == 5u);
}

BOOST_AUTO_TEST_CASE(copies_and_keep_alive_hold_the_mapping) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_file(path, example_file());
    std::shared_ptr<void const> kept;
    hurray::csr_view<float> rows;
    {
        auto file = std::optional(hurray::file::open(path).value());
        auto const copy = *file;
        BOOST_TEST(copy.bytes().data() == file->bytes().data());
        BOOST_TEST(copy.keep_alive() == file->keep_alive());
        rows = copy.csr<float>("rows").value();
        file.reset();
        BOOST_TEST(rows.value(2, 4) == 5.f);
        auto const moved = copy;
        kept = moved.keep_alive();
    }
    BOOST_TEST(rows.value(2, 4) == 5.f);
    BOOST_TEST(mappings().find(path.string()) != std::string::npos);
    kept.reset();
    BOOST_TEST(mappings().find(path.string()) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_path_may_be_relative_or_odd) {
    temporary_directory const folder;
    auto const odd = folder / "a b\n\xCE\xBB'\"%s.hrry";
    write_file(odd, example_file());
    BOOST_TEST(hurray::file::open(odd)->tensors().size() == 2u);
    fs::create_symlink(odd, folder / "link");
    BOOST_TEST(hurray::file::open(folder / "link")->tensors().size() == 2u);
    auto const before = fs::current_path();
    fs::current_path(folder.path());
    BOOST_TEST(hurray::file::open("link")->tensors().size() == 2u);
    fs::current_path(before);
}

// nnz above 2^32, in a file of 72 GB that is mostly holes.
BOOST_AUTO_TEST_CASE(more_than_2_to_the_32_entries) {
    temporary_directory const folder;
    auto const path = folder / "holes.hrry";
    file_with_holes holes;
    if (!holes.make(path)) {
        std::cout << "file: no sparse file of 72 GB can be made in " << folder.path() << "\n";
        return;
    }
    BOOST_REQUIRE(holes.size > std::uint64_t{72} * 1000 * 1000 * 1000);
    auto const before = status("RssAnon");
    auto const file = hurray::file::open(path, {.access = hurray::access::random}).value();
    BOOST_TEST(file.size() == holes.size);
    auto const d = file.describe("m").value().descriptor;
    BOOST_TEST(d.nnz().value() == holes.nnz);
    auto const m = file.csr<double>("m", hurray::lazy).value();
    BOOST_TEST(m.nnz() == holes.nnz);
    auto const first = m.row(0).value();
    BOOST_REQUIRE(first.size() == 3u);
    BOOST_TEST(first[2].index == 9u);
    auto const last = m.row(2).value();
    BOOST_REQUIRE(last.size() == 2u);
    BOOST_TEST(last[1].index == 7u);
    BOOST_TEST(last[1].value == 0.5);
    BOOST_TEST(m.value(2, 7).value() == 0.5);
    BOOST_TEST(m.row(3).error().code == errc::slice_does_not_exist);
    auto const after = status("RssAnon");
    BOOST_TEST(after - std::min(after, before) < 20u << 20);
}

BOOST_AUTO_TEST_CASE(a_file_larger_than_the_address_space) {
#if HURRAY_TEST_UNDER_ASAN
    std::cout << "file: the sanitizer needs the address space; a limit on it is not tested\n";
#else
    temporary_directory const folder;
    auto const path = folder / "holes.hrry";
    file_with_holes holes;
    if (!holes.make(path)) {
        std::cout << "file: no sparse file of 72 GB can be made in " << folder.path() << "\n";
        return;
    }
    rlimit unlimited{};
    ::getrlimit(RLIMIT_AS, &unlimited);
    rlimit const limited{status("VmSize") + (std::uint64_t{1} << 30), unlimited.rlim_max};
    ::setrlimit(RLIMIT_AS, &limited);
    auto const mapped = hurray::file::open(path);
    auto const read = hurray::file::open(path, {.load = load::read});
    ::setrlimit(RLIMIT_AS, &unlimited);
    BOOST_REQUIRE((!mapped.has_value() && !read.has_value()));
    BOOST_TEST(mapped.error().code == errc::file_too_large);
    BOOST_TEST(read.error().code == errc::too_large_for_memory);
    BOOST_TEST((mapped.error().code == condition::unsupported));
#endif
}

BOOST_AUTO_TEST_SUITE_END()
