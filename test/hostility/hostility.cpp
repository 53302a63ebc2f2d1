// Metadata made to cost as much as it can: as many entries as fit, the same name everywhere,
// extents on top of each other, the longest names, the deepest nesting. Each file is refused as it
// should be or opened; the heap is counted, and how the work grows. Times are printed, not judged.

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <string>

#include <boost/test/unit_test.hpp>

#include <hurray/file_view.hpp>

#include "sampled.hpp"
#include "samples.hpp"

namespace {

std::atomic<std::uint64_t> held = 0, peak = 0, allocations = 0;

void* counted(std::size_t size) noexcept {
    auto* const place = std::malloc(size == 0 ? 1 : size);
    if (place == nullptr) std::abort();
    ++allocations;
    auto const now = held += malloc_usable_size(place);
    auto most = peak.load();
    while (most < now && !peak.compare_exchange_weak(most, now)) {
    }
    return place;
}
void released(void* place) noexcept {
    held -= malloc_usable_size(place);
    std::free(place);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return counted(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return counted(size); }
void operator delete(void* place) noexcept { released(place); }
void operator delete[](void* place) noexcept { released(place); }
void operator delete(void* place, std::size_t) noexcept { released(place); }
void operator delete[](void* place, std::size_t) noexcept { released(place); }
void operator delete(void* place, std::nothrow_t const&) noexcept { released(place); }
void operator delete[](void* place, std::nothrow_t const&) noexcept { released(place); }

namespace {

using hurray::errc;
using hurray_test::byte_writer;
using hurray_test::bytes;
using hurray_test::file_builder;
namespace make = hurray_test::make;

constexpr std::uint64_t entry_of_four = 34 + 4;  ///< an index entry with a name of four bytes

/// The n-th text of `length` letters.
std::string text_of(std::uint64_t n, std::size_t length) {
    std::string text(length, 'a');
    for (auto at = length; n != 0 && at != 0; n /= 64)
        text[--at] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[n % 64];
    return text;
}

/// A tensor that has no bytes, so that as many as one likes fit in a file.
hurray::descriptor empty_tensor() { return make::dense(hurray::element_type::float32, {0}); }

/// A box of a larger tensor, and nothing in it.
hurray::descriptor box(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> parent,
                       std::vector<std::uint64_t> at) {
    auto d = make::coo();
    d.shape = std::move(shape);
    d.fields = {.nnz = 0, .sorted = true};
    for (auto& b : d.buffers) b.byte_size = 0;
    d.shard = hurray::shard{std::move(parent), std::move(at)};
    return d;
}

bytes many(std::uint64_t size, std::function<std::string(std::uint64_t)> const& name,
           std::function<hurray::descriptor(std::uint64_t)> const& what, std::uint64_t each) {
    file_builder out;
    for (std::uint64_t i = 0; i < size / each; ++i) out.tensor_without_place(name(i), what(i));
    return out.build();
}

std::string four(std::uint64_t i) { return text_of(i, 4); }
hurray::descriptor nothing(std::uint64_t) { return empty_tensor(); }

/// The index of `many`, its numbers changed entry by entry.
bytes with_index(bytes file, std::function<void(bytes&, std::uint64_t fields)> const& change) {
    for (auto const& t : hurray_test::map_of(file).tensors) change(file, t.entry_fields);
    hurray_test::reseal(file);
    return file;
}

bytes key_values(std::uint64_t size, std::uint64_t each,
                 std::function<void(byte_writer&, std::uint64_t)> const& entry) {
    byte_writer out;
    out.u32(size / each);
    for (std::uint64_t i = 0; i < size / each; ++i) entry(out, i);
    return file_builder().metadata(out.take()).build();
}

bytes one_array(unsigned element, std::uint64_t count, std::uint64_t zeros) {
    return hurray_test::file_of_value(7, byte_writer().u8(element).u32(count).zeros(zeros).take());
}

struct hostile {
    char const* what;
    std::function<bytes(std::uint64_t)> of_size;
    std::optional<errc> opening{};    ///< refuses with
    std::optional<errc> verifying{};  ///< refuses with
};

std::vector<hostile> all_of_them() {
    auto const key = [](byte_writer& out, std::uint64_t i) -> byte_writer& {
        return out.u16(3).text(text_of(i, 3));
    };
    return {
        {"as many tensors as fit",
         [](std::uint64_t n) { return many(n, four, nothing, entry_of_four); }},
        {"one name for all of them",
         [](std::uint64_t n) {
             return many(
                 n, [](auto) { return "same"; }, nothing, entry_of_four);
         },
         errc::duplicate_tensor_name},
        {"longest names, alike but for their ends",
         [](std::uint64_t n) {
             return many(
                 n, [](auto i) { return text_of(i, 65535); }, nothing, 34 + 65535);
         }},
        {"long names in falling order",
         [](std::uint64_t n) {
             return many(
                 n, [](auto i) { return text_of(100'000'000 - i, 512); }, nothing, 34 + 512);
         }},
        {"one descriptor for all of them",
         [](std::uint64_t n) {
             return with_index(many(n, four, nothing, entry_of_four),
                               [](bytes& file, std::uint64_t fields) {
                                   hurray_test::put_number(file, fields, 64, 8);
                               });
         },
         errc::descriptor_outside_its_place},
        {"descriptors that reach over all others",
         [](std::uint64_t n) {
             return with_index(many(n, four, nothing, entry_of_four),
                               [](bytes& file, std::uint64_t fields) {
                                   hurray_test::put_number(file, fields + 8, 200'000, 4);
                               });
         },
         errc::descriptor_outside_its_place},
        {"as many key-values as fit",
         [=](std::uint64_t n) {
             return key_values(n, 7, [=](auto& out, auto i) { key(out, i).u8(5).u8(1); });
         }},
        {"one key for all of them",
         [=](std::uint64_t n) {
             return key_values(n, 5, [](auto& out, auto) { out.u16(1).text("k").u8(5).u8(1); });
         },
         errc::duplicate_metadata_key},
        {"keys in falling order",
         [=](std::uint64_t n) {
             return key_values(n, 7, [=](auto& out, auto i) { key(out, 262'143 - i).u8(5).u8(1); });
         }},
        {"empty strings under as many keys as fit",
         [=](std::uint64_t n) {
             return key_values(n, 10, [=](auto& out, auto i) { key(out, i).u8(1).u32(0); });
         }},
        {"empty arrays under as many keys as fit",
         [=](std::uint64_t n) {
             return key_values(n, 11, [=](auto& out, auto i) { key(out, i).u8(7).u8(1).u32(0); });
         }},
        {"an array of empty strings",
         [](std::uint64_t n) { return one_array(1, n / 4, n / 4 * 4); }},
        {"an array of empty bytes", [](std::uint64_t n) { return one_array(6, n / 4, n / 4 * 4); }},
        {"an array of bools", [](std::uint64_t n) { return one_array(5, n, n); }},
        {"an array that says it is longer than its file",
         [](std::uint64_t n) { return one_array(1, 0xFFFFFFFF, n); }, errc::bad_metadata_array},
        {"heads of heads, as many as fit",
         [](std::uint64_t n) {
             return many(
                 n, four, [](auto) { return make::composite(3, 1); }, entry_of_four);
         },
         {},
         errc::composite_too_deep},
        {"a head of as many members as fit",
         [](std::uint64_t n) {
             auto const members = static_cast<std::uint32_t>(n / entry_of_four - 1);
             return many(
                 n, four,
                 [=](auto i) { return i == 0 ? make::composite(3, members) : empty_tensor(); },
                 entry_of_four);
         }},
        {"boxes that cover exactly",
         [](std::uint64_t n) {
             auto const members = n / entry_of_four - 1;
             return many(
                 n, four,
                 [=](auto i) {
                     auto head = make::composite(1, static_cast<std::uint32_t>(members));
                     head.shape = {members, 4};
                     return i == 0 ? head : box({1, 4}, {members, 4}, {members - i, 0});
                 },
                 entry_of_four);
         }},
        {"boxes all on one place",
         [](std::uint64_t n) {
             auto const members = n / entry_of_four - 1;
             return many(
                 n, four,
                 [=](auto i) {
                     auto head = make::composite(1, static_cast<std::uint32_t>(members));
                     head.shape = {members, 4};
                     return i == 0 ? head : box({members / 2, 3}, {members, 4}, {1, 1});
                 },
                 entry_of_four);
         },
         {},
         errc::composite_members_disagree},
    };
}

struct cost {
    std::uint64_t heap = 0, allocations = 0;
    double ms = 0;
};

/// This process's own time, whatever else the machine does.
double milliseconds() {
    timespec now{};
    (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template<class F> cost cost_of(F&& f) {
    auto const before = held.load();
    auto const made = allocations.load();
    peak = before;
    auto const start = milliseconds();
    f();
    return {peak - before, allocations - made, milliseconds() - start};
}

/// 16 times the index and the key-values, and 1 MiB.
std::uint64_t bound_of(bytes const& file) {
    auto const trailer = file.size() - 40;
    return 16 * (hurray_test::number_at(file, trailer + 8, 8) +
                 hurray_test::number_at(file, trailer + 24, 4)) +
           (1u << 20);
}

std::string said(std::optional<hurray::error> const& e) { return e ? e->message() : "accepted"; }

/// Opens and verifies; what each cost, and what each said.
struct run {
    cost open, verify;
    std::optional<hurray::error> opening{}, verifying{};
};

run one_run(bytes const& file, hurray::mode mode) {
    run r;
    std::optional<hurray::file_view> view;
    r.open = cost_of([&] {
        auto opened = hurray::file_view::parse(file, {.mode = mode});
        if (opened)
            view = *std::move(opened);
        else
            r.opening = opened.error();
    });
    if (!view) return r;
    r.verify = cost_of([&] {
        if (auto const done = view->verify(); !done) r.verifying = done.error();
    });
    return r;
}

/// The shortest times of a few runs: the first one waits for memory that the machine has to find.
run best_run(bytes const& file, hurray::mode mode) {
    auto best = one_run(file, mode);
    for (int more = hurray_test::sampled ? 0 : 2; more != 0; --more) {
        auto const again = one_run(file, mode);
        best.open.ms = std::min(best.open.ms, again.open.ms);
        best.verify.ms = std::min(best.verify.ms, again.verify.ms);
    }
    return best;
}

bool is(std::optional<hurray::error> const& e, std::optional<errc> wanted) {
    return wanted ? e && e->code == *wanted : !e;
}

/// Tiles in tiles, `levels` deep.
bytes nested_tiles(unsigned levels) {
    auto d = make::tiled();
    hurray::tile_level level{.tile_shape = {1, 1},
                             .outer = hurray::layout::row_major,
                             .inner = hurray::layout::tiled,
                             .outer_strides = {},
                             .inner_strides = {}};
    std::vector<hurray::tile_level> all(levels, level);
    all.back().inner = hurray::layout::row_major;
    d.fields.tiles = std::move(all);
    return hurray_test::file_of(d);
}

bytes nested_heads(unsigned heads) {
    file_builder out;
    for (unsigned i = 0; i < heads; ++i)
        out.tensor_without_place("h" + std::to_string(i), make::composite(3, 1));
    return out.tensor_without_place("leaf", empty_tensor()).build();
}

std::optional<hurray::error> error_of(bytes const& file) {
    auto const r = one_run(file, hurray::mode::strict);
    return r.opening ? r.opening : r.verifying;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hostility)

BOOST_AUTO_TEST_CASE(a_mebibyte_of_each) {
    constexpr std::uint64_t large = hurray_test::sampled ? 1u << 18 : 1u << 20, small = large / 4;
    auto const title = "index or key-values of " + std::to_string(large >> 10) + " KiB";
    std::printf("%-48s %9s %6s %9s %6s %7s %7s\n", title.c_str(), "open ms", "x4n", "verify ms",
                "x4n", "heap/b", "allocs");
    for (auto const& h : all_of_them())
        for (auto const mode : {hurray::mode::strict, hurray::mode::permissive}) {
            auto const n = h.of_size(small), file = h.of_size(large);
            auto const first = best_run(n, mode), second = best_run(file, mode);
            bool const strict = mode == hurray::mode::strict;
            auto const bound = bound_of(file);
            std::printf("%-48s %9.2f %6.1f %9.2f %6.1f %7.2f %7llu %s\n", h.what, second.open.ms,
                        second.open.ms / first.open.ms, second.verify.ms,
                        second.verify.ms / first.verify.ms,
                        static_cast<double>(second.open.heap) /
                            static_cast<double>(bound - (1u << 20)) * 16,
                        static_cast<unsigned long long>(second.open.allocations),
                        strict ? "" : "permissive");
            if (strict) {
                BOOST_TEST(is(second.opening, h.opening), h.what << ": " << said(second.opening));
                BOOST_TEST(is(second.verifying, h.verifying),
                           h.what << ": " << said(second.verifying));
            }
            BOOST_TEST(second.open.heap <= bound, h.what);
            BOOST_TEST(second.verify.heap <= bound, h.what);
            // Work is counted in allocations, which a machine's load does not change.
            BOOST_TEST(second.open.allocations <= 5 * first.open.allocations + 64, h.what);
            BOOST_TEST(second.verify.allocations <= 5 * first.verify.allocations + 64, h.what);
        }
    std::fflush(stdout);
}

BOOST_AUTO_TEST_CASE(nesting_ends_at_eight) {
    BOOST_TEST(is(error_of(nested_tiles(8)), {}));
    BOOST_TEST(is(error_of(nested_tiles(9)), errc::bad_layout_fields));
    BOOST_TEST(is(error_of(nested_heads(8)), {}));
    BOOST_TEST(is(error_of(nested_heads(9)), errc::composite_too_deep));
}

BOOST_AUTO_TEST_SUITE_END()
