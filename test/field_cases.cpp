// What people who keep sparse matrices on disk have run into elsewhere, as tests that it does not
// happen here. References are owner/repository#thread of the reports. Proved in other files:
//   counters above 2^32 (scipy/scipy#442)                        file.cpp, round_trip.cpp
//   narrowing that checks (scipy/scipy#5230)                     narrow.cpp
//   concatenation whose sizes overflow (cupy/cupy#8731)          assemble.cpp
//   declared sizes beyond the file (apache/arrow#50054)          corruption.cpp
//   nnz 0, 0 x N, N x 0, empty slices (pytorch/pytorch#56856)    round_trip.cpp
//   sums of duplicates when importing (scipy/scipy#5807)         the tool's tests
//   transposing within a budget (scipy/scipy#9819)               transpose.cpp
//   network file systems (safetensors/safetensors#562)           file.cpp, load::read
//   advice that fails (iree-org/iree#22871)                      file.cpp, all hints
//   looking without loading (ecmwf/earthkit-regrid#45)           catalog.cpp
//   files that shrink under a mapping (python/cpython#148650)    file.cpp
//   a full disk (FirebirdSQL/firebird#8048)                      writer.cpp
//   mapping that fails without a reason (dmlc/xgboost#11440)     file.cpp
//   silently wrong results after a change (milvus-io/milvus#36182) golden.cpp
//   alignment up to 2 MiB and sinks (DrTimothyAldenDavis/GraphBLAS#175) writer.cpp

#include <hurray/hurray.hpp>
#include <hurray/transpose.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.hpp"
#include "matrices.hpp"
#include "reference_file.hpp"

namespace {

using namespace hurray_test;
using hurray::errc;
using hurray::lazy;
using numbers = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

template<class Slice>
concept searchable = requires(Slice s) {
    s.find(0);
}
|| requires(Slice s) { s.contains(0); };
template<class View>
concept has_rows = requires(View v) {
    v.row(0);
};

struct arrays {
    numbers offsets{0, 2, 3, 5, 5};
    numbers indices{0, 3, 2, 1, 4};
    std::vector<float> values{1, 2, 3, 4, 5};
};

/// What each of the three that take a matrix says of these arrays.
struct verdicts {
    hurray::error reader, writer, caller;
};
verdicts judge(arrays const& a) {
    auto const raw = std::as_bytes(std::span(a.values));
    reference_tensor const t{.name = "m",
                             .type_tag = 3,
                             .rows = 4,
                             .columns = 5,
                             .values = {raw.begin(), raw.end()},
                             .indices = a.indices,
                             .offsets = a.offsets};
    auto const all = reference_file({&t, 1});
    auto const read = hurray::file_view::parse(all)->csr<float>("m");
    auto const own = hurray::csr_view<float>::over({4, 5}, a.offsets, a.indices, a.values);
    auto const written = [&]() -> hurray::result<void> {
        auto out = hurray::writer::onto(memory_sink()).value();
        auto m = out.stream_csr<float>("m", {4, 5}, a.offsets);
        if (!m) return m.error();
        if (auto ok = m->values(std::span(a.values)); !ok) return ok;
        if (auto ok = m->indices(a.indices); !ok) return ok;
        return m->close();
    }();
    auto const error_of = [](auto const& r) { return r ? hurray::error{} : r.error(); };
    return {error_of(read), error_of(written), error_of(own)};
}

/// Resident bytes of the mapping of `path`.
std::uint64_t resident(fs::path const& path) {
    std::ifstream in("/proc/self/smaps");
    bool ours = false;
    std::uint64_t kib = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.find('-') < line.find(' ')) ours = line.ends_with(path.string());
        if (ours && line.starts_with("Rss:")) kib += std::stoull(line.substr(4));
    }
    return kib * 1024;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(field_cases)

// scipy/scipy#8778: an out-of-range column crashes its user later.
BOOST_AUTO_TEST_CASE(an_index_out_of_range_is_found_before_its_user) {
    arrays a;
    a.indices[2] = 5;
    BOOST_TEST(judge(a).reader.code == errc::index_exceeds_shape);
    auto const careful =
        hurray::lazy_csr_view<float>::over({4, 5}, a.offsets, a.indices, a.values).value();
    BOOST_TEST(careful.row(1).error().code == errc::index_exceeds_shape);
    BOOST_TEST(careful.row(0).has_value());
}

// scipy/scipy#23784: arrays longer than the last pointer says.
BOOST_AUTO_TEST_CASE(arrays_longer_than_the_last_offset_are_refused) {
    arrays a;
    a.offsets = {0, 2, 3, 4, 4};
    auto const v = judge(a);
    BOOST_TEST(v.reader.code == errc::offsets_not_anchored);
    BOOST_TEST(v.caller.code == errc::offsets_not_anchored);
    BOOST_TEST(v.writer.code == errc::too_many_elements);  // four were announced
}

// sparsemat/sprs#231: what construction checks, deserialising skips.
BOOST_AUTO_TEST_CASE(reader_writer_and_callers_arrays_meet_the_same_checks) {
    struct damage {
        numbers offsets, indices;
        errc code;
    };
    damage const all[] = {
        {{0, 2, 3, 5, 5}, {0, 3, 2, 4, 4}, errc::indices_not_increasing},
        {{0, 2, 3, 5, 5}, {3, 0, 2, 1, 4}, errc::indices_not_increasing},
        {{0, 2, 3, 5, 5}, {0, 3, 2, 1, 5}, errc::index_exceeds_shape},
        {{0, 2, 3, 5, 5}, {0, 3, 7, 1, 4}, errc::index_exceeds_shape},
        {{1, 2, 3, 5, 5}, {0, 3, 2, 1, 4}, errc::offsets_not_anchored},
        {{0, 4, 3, 5, 5}, {0, 1, 2, 3, 4}, errc::offsets_decrease},
    };
    for (auto const& d : all) {
        auto const v = judge({.offsets = d.offsets, .indices = d.indices});
        for (auto const& e : {v.reader, v.writer, v.caller}) {
            BOOST_TEST(e.code == d.code, e.message());
            BOOST_TEST(e.position == v.reader.position);
        }
        BOOST_TEST(v.caller.slice == v.reader.slice);
    }
    auto const fine = judge({});
    for (auto const& e : {fine.reader, fine.writer, fine.caller}) BOOST_TEST(!e.code);
}

// scverse/anndata#1388: nobody knows whether a file is sorted.
BOOST_AUTO_TEST_CASE(only_what_was_proved_sorted_can_be_searched) {
    static_assert(searchable<hurray::slice<float>>);
    static_assert(!searchable<hurray::stored_slice<float>>);
    static_assert(std::same_as<decltype(std::declval<hurray::lazy_csr_view<float>>().row(0)),
                               hurray::result<hurray::slice<float>>>);
    BOOST_TEST(judge({.indices = {3, 0, 2, 1, 4}}).reader.code == errc::indices_not_increasing);
}

// scipy/scipy#5807: duplicates are summed by one reader, and the last wins in another.
BOOST_AUTO_TEST_CASE(duplicates_are_refused_with_row_and_position) {
    auto const e = judge({.indices = {0, 3, 2, 4, 4}}).writer;
    BOOST_TEST(e.code == errc::indices_not_increasing);
    BOOST_TEST((e.slice == 2 && e.position == 1));
}

// scipy/scipy#8678: sorting in place fails on a read-only mapping.
BOOST_AUTO_TEST_CASE(views_never_write) {
    using view = hurray::csr_view<float>;
    static_assert(std::same_as<decltype(std::declval<view>().values()), std::span<float const>>);
    static_assert(
        std::same_as<decltype(std::declval<view>().indices()), std::span<std::uint64_t const>>);
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_file(path, example_file());
    fs::permissions(path, fs::perms::owner_read);
    auto const file = hurray::file::open(path).value();
    BOOST_TEST(file.csr<float>("rows")->transposed().value(4, 2) == 5.f);
    BOOST_TEST(file.verify().has_value());
}

// kokkos/kokkos-kernels#1101: stored zeros vanish.
BOOST_AUTO_TEST_CASE(stored_zeros_are_kept) {
    arrays a;
    a.values = {0, -0.0f, 3, std::numeric_limits<float>::quiet_NaN(), 0};
    auto const from = hurray::csr_view<float>::over({4, 5}, a.offsets, a.indices, a.values).value();
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    out.write("m", from).value();
    out.close().value();
    auto const file = hurray::file_view::parse(*memory.got).value();
    auto const m = file.csr<float>("m").value();
    BOOST_TEST(m.nnz() == 5u);
    BOOST_TEST(m.find(0, 0).value() == 0.f);
    BOOST_TEST(!m.find(0, 1).has_value());
    BOOST_TEST(std::signbit(m.find(0, 3).value()));
    BOOST_TEST(std::isnan(m.value(2, 1)));
    auto const turned = hurray::transpose(m).value();
    BOOST_TEST(turned.view().nnz() == 5u);
    BOOST_TEST(turned.view().find(2, 4).value() == 0.f);
}

// PavlidisLab/Gemma#1400: a CSC file is read as CSR.
BOOST_AUTO_TEST_CASE(layouts_are_not_taken_for_each_other) {
    auto const all = example_file();
    auto const file = hurray::file_view::parse(all).value();
    BOOST_TEST(file.csr<float>("columns").error().code == errc::layout_mismatch);
    BOOST_TEST(file.csc<float>("rows", lazy).error().code == errc::layout_mismatch);
    static_assert(!std::convertible_to<hurray::csc_view<float>, hurray::csr_view<float>>);
    static_assert(has_rows<hurray::csr_view<float>>);
    static_assert(!has_rows<hurray::csc_view<float>>);
}

// scverse/anndata#223: reading a few rows reads everything.
BOOST_AUTO_TEST_CASE(a_few_rows_touch_a_few_pages) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    std::uint64_t const rows = 1000, each = 2000;
    {
        auto out = hurray::writer::create(path, {.durability = hurray::durability::none}).value();
        auto m = out.append_csr<double>("m", {rows, each}, rows * each).value();
        numbers indices(each);
        for (std::uint64_t k = 0; k < each; ++k) indices[k] = k;
        std::vector<double> const values(each, 1.5);
        for (std::uint64_t i = 0; i < rows; ++i) m.append(indices, values).value();
        m.close().value();
        out.close().value();
    }
    auto const file = hurray::file::open(path, {.access = hurray::access::random}).value();
    auto const m = file.csr<double>("m", lazy).value();
    for (std::uint64_t const i : {7u, 500u, 999u}) {
        double sum = 0;
        for (auto const [column, value] : m.row(i).value()) sum += value;
        BOOST_TEST(sum == 1.5 * static_cast<double>(each));
    }
    auto const touched = resident(path);
    BOOST_TEST(file.size() > 30u << 20);
    BOOST_TEST(touched > 0u);
    BOOST_TEST(touched < 4u << 20);
}

// bghira/SimpleTuner#2714: dying half way destroys the good file.
BOOST_AUTO_TEST_CASE(a_writer_that_is_killed_costs_nothing) {
    temporary_directory const folder;
    auto const target = folder / "a.hrry";
    write_file(target, example_file());
    auto const open_before = hurray::file::open(target).value();
    int ready[2];
    BOOST_REQUIRE(::pipe(ready) == 0);
    auto const child = ::fork();
    if (child == 0) {
        auto out = hurray::writer::create(target);
        auto m = out->append_csr<double>("m", 100);
        numbers const indices(1, 3);
        std::vector<double> const values(1, 1.0);
        for (int i = 0; i < 300000; ++i) (void)m->append(indices, values);
        char const done = 'x';
        (void)!::write(ready[1], &done, 1);
        for (;;) ::pause();
    }
    BOOST_REQUIRE(child > 0);
    char got = 0;
    BOOST_TEST(::read(ready[0], &got, 1) == 1);
    ::kill(child, SIGKILL);
    int how = 0;
    BOOST_TEST(::waitpid(child, &how, 0) == child);
    BOOST_TEST((WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL));
    ::close(ready[0]);
    ::close(ready[1]);
    BOOST_TEST(difference(read_file(target), example_file()) == "");
    BOOST_TEST(open_before.unchanged().value());
    BOOST_TEST(open_before.csr<float>("rows")->value(2, 4) == 5.f);
}

// h5py/h5py#879: a truncated download gives an unreadable error.
BOOST_AUTO_TEST_CASE(R_026_a_truncated_file_says_so) {
    auto const all = example_file();
    for (std::size_t size = 104; size < all.size(); size += 97) {
        auto const e = hurray::file_view::parse(std::span(all).first(size)).error();
        BOOST_TEST(e.code == errc::bad_trailer_magic);
        BOOST_TEST(e.offset >= size - 4);
        BOOST_TEST(e.message().find("truncated") != std::string::npos);
    }
    BOOST_TEST(
        hurray::file_view::parse(std::span(all).first(50)).error().message().find("truncated") !=
        std::string::npos);
}

// h5py/h5py#1082: locking breaks read-only and network mounts.
BOOST_AUTO_TEST_CASE(locks_of_others_do_not_matter) {
    temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_file(path, example_file());
    auto const fd = ::open(path.c_str(), O_RDWR);
    BOOST_REQUIRE(::flock(fd, LOCK_EX | LOCK_NB) == 0);
    for (auto const l : {hurray::load::map, hurray::load::read})
        BOOST_TEST(hurray::file::open(path, {.load = l})->csr<float>("rows")->nnz() == 5u);
    auto out = hurray::writer::create(path).value();
    BOOST_TEST(out.close().has_value());
    // And we leave none.
    auto const mine = hurray::file::open(path).value();
    auto const other = ::open(path.c_str(), O_RDWR);
    BOOST_TEST(::flock(other, LOCK_EX | LOCK_NB) == 0);
    ::close(other);
    ::close(fd);
}

BOOST_AUTO_TEST_SUITE_END()
