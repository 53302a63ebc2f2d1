// What a catalog fetches, and from whom.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include <malloc.h>

#include "bytes.hpp"
#include "matrices.hpp"
#include "sanitizers.hpp"

namespace {

/// Bytes that operator new gave out and nobody has given back, and the most there were.
std::atomic<std::int64_t> heap_now = 0;
std::atomic<std::int64_t> heap_peak = 0;

[[maybe_unused]] void* counted(std::size_t size) {
    auto* const p = std::malloc(std::max<std::size_t>(size, 1));
    if (p == nullptr) throw std::bad_alloc();
    auto const now = heap_now += static_cast<std::int64_t>(::malloc_usable_size(p));
    auto peak = heap_peak.load();
    while (now > peak && !heap_peak.compare_exchange_weak(peak, now)) {
    }
    return p;
}
[[maybe_unused]] void release(void* p) noexcept {
    if (p != nullptr) heap_now -= static_cast<std::int64_t>(::malloc_usable_size(p));
    std::free(p);
}

}  // namespace

#if !HURRAY_TEST_UNDER_TSAN  // which has its own, and cannot be linked with these
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    try {
        return counted(size);
    } catch (std::bad_alloc const&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size, std::nothrow_t const& quietly) noexcept {
    return operator new(size, quietly);
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
#endif

namespace {

using namespace hurray_test;
using hurray::byte_range;
using hurray::errc;
using hurray::result;

/// Bytes in memory that remember who read what, and fail when told to.
class scripted_source final : public hurray::source {
public:
    explicit scripted_source(bytes all) : all_(std::move(all)), times_(all_.size()) {}

    std::uint64_t size() const noexcept override {
        ++sizes_asked;
        return all_.size();
    }
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        ++reads;
        BOOST_REQUIRE((byte_range{offset, into.size()}.within(all_.size())));
        if (reads == fails_at) return why;
        for (std::size_t i = 0; i < into.size(); ++i) {
            ++times_[offset + i];
            into[i] = all_[offset + i];
        }
        return {};
    }

    int most_in(byte_range r) const {
        auto const from = times_.begin() + static_cast<std::ptrdiff_t>(r.offset);
        auto const to = from + static_cast<std::ptrdiff_t>(r.length);
        return from == to ? 0 : *std::max_element(from, to);
    }
    int least_in(byte_range r) const {
        auto const from = times_.begin() + static_cast<std::ptrdiff_t>(r.offset);
        auto const to = from + static_cast<std::ptrdiff_t>(r.length);
        return from == to ? 0 : *std::min_element(from, to);
    }

    int fails_at = 0;
    hurray::error why{.code = std::make_error_code(std::errc::connection_reset), .offset = 5};
    mutable int reads = 0;
    mutable int sizes_asked = 0;

private:
    bytes all_;
    mutable std::vector<int> times_;
};

hurray::write_options const with_metadata{.metadata = {{"k", std::string("v")}, {"n", 1.0}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(catalog)

BOOST_AUTO_TEST_CASE(each_byte_of_the_metadata_is_fetched_once_and_no_data) {
    scripted_source const source(example_file(with_metadata));
    auto const c = hurray::catalog::read(source).value();
    BOOST_TEST(source.sizes_asked == 1);
    BOOST_TEST(source.reads <= 4);  // header, trailer, index, key-values
    for (auto const& part : c.sections()) {
        using kind = hurray::catalog::section::kind;
        bool const read = part.what != kind::descriptor && part.what != kind::data;
        BOOST_TEST(source.most_in(part.where) == (read ? 1 : 0));
        BOOST_TEST(source.least_in(part.where) == (read ? 1 : 0));
    }
    for (auto const& entry : c.tensors()) {
        auto const before = source.reads;
        auto const t = c.describe(source, entry).value();
        BOOST_TEST(source.reads == before + 1);
        BOOST_TEST(source.most_in(entry.descriptor) == 1);
        BOOST_TEST(source.least_in(entry.descriptor) == 1);
        BOOST_TEST(source.most_in(entry.data) == 0);
        BOOST_TEST(t.buffers.size() == 3u);
    }
    BOOST_TEST(source.most_in({0, c.file_size()}) == 1);
    BOOST_TEST(source.sizes_asked == 1);
}

BOOST_AUTO_TEST_CASE(what_it_says) {
    scripted_source const source(example_file(with_metadata));
    auto const c = hurray::catalog::read(source, {.mode = hurray::mode::permissive}).value();
    BOOST_TEST(c.data_alignment() == 4096u);
    BOOST_TEST(c.file_flags() == 5u);
    BOOST_TEST((c.mode() == hurray::mode::permissive));
    BOOST_TEST((c.metadata() == with_metadata.metadata));
    BOOST_TEST(c.notes().empty());
    BOOST_TEST(c.tensors().size() == 2u);
    BOOST_TEST(c.find("rows") == &c.tensors()[0]);
    BOOST_TEST(c.find("columns") == &c.tensors()[1]);
    BOOST_TEST(c.find("Rows") == nullptr);
    BOOST_TEST(c.find("") == nullptr);
    BOOST_TEST(c.describe(source, "none").error().code == errc::no_such_tensor);
    // Sections come in file order and do not overlap.
    auto const parts = c.sections();
    BOOST_TEST(parts.size() == 2u + 2 * 2 + 2);
    for (std::size_t i = 1; i < parts.size(); ++i)
        BOOST_TEST(parts[i - 1].where.end() <= parts[i].where.offset);
    BOOST_TEST(parts.back().where.end() == c.file_size());
    // Copies share, and outlive the first.
    auto copy = std::optional(c);
    auto const again = *copy;
    copy.reset();
    BOOST_TEST(again.tensors().data() == c.tensors().data());
}

BOOST_AUTO_TEST_CASE(what_the_source_fails_with_is_passed_on) {
    auto const all = example_file(with_metadata);
    scripted_source const whole(all);
    auto const c = hurray::catalog::read(whole).value();
    for (int n = 1; n <= whole.reads; ++n) {
        scripted_source broken(all);
        broken.fails_at = n;
        auto const got = hurray::catalog::read(broken);
        BOOST_REQUIRE(!got.has_value());
        BOOST_TEST((got.error() == broken.why));
        BOOST_TEST(broken.reads == n);  // nothing is tried again
    }
    scripted_source broken(all);
    broken.fails_at = 1;
    BOOST_TEST((c.describe(broken, "rows").error() == broken.why));
}

// An engine with its own I/O: metadata through the catalog, arrays through its own reads.
BOOST_AUTO_TEST_CASE(views_over_ranges_that_an_engine_read_itself) {
    scripted_source const source(example_file());
    auto const c = hurray::catalog::read(source).value();
    auto const t = c.describe(source, "rows").value();
    auto const fetch = [&]<class T>(std::size_t buffer, T) {
        std::vector<T> into(t.buffers[buffer].length / sizeof(T));
        source.read(t.buffers[buffer].offset, std::as_writable_bytes(std::span(into))).value();
        return into;
    };
    auto const values = fetch(0, float());
    auto const indices = fetch(1, std::uint64_t());
    auto const offsets = fetch(2, std::uint64_t());
    auto const& shape = t.descriptor.shape;
    auto const view =
        hurray::csr_view<float>::over({shape[0], shape[1]}, offsets, indices, values).value();
    BOOST_TEST(view.value(2, 4) == 5.f);
    BOOST_TEST(view.value(3, 4) == 0.f);
}

// At most 16 times the bytes of index and key-values, and 1 MiB.
BOOST_AUTO_TEST_CASE(memory_is_bounded_by_the_metadata) {
    memory_sink memory;
    hurray::write_options options;
    std::vector<hurray::metadata_entry> entries;
    for (int i = 0; i < 20000; ++i) entries.push_back({std::to_string(i), i % 2 == 0});
    BOOST_REQUIRE(options.metadata.assign(std::move(entries)));
    auto out = hurray::writer::onto(memory, options).value();
    for (int i = 0; i < 2000; ++i)
        out.write("t" + std::to_string(i), hurray::csr_view<float>()).value();
    out.close().value();
    scripted_source const source(*memory.got);
    auto const before = heap_now.load();
    heap_peak = before;
    auto const c = hurray::catalog::read(source).value();
    auto const used = heap_peak.load() - before;
    std::int64_t metadata = 0;
    for (auto const& part : c.sections()) {
        using kind = hurray::catalog::section::kind;
        if (part.what == kind::index || part.what == kind::metadata)
            metadata += static_cast<std::int64_t>(part.where.length);
    }
    BOOST_TEST(c.tensors().size() == 2000u);
    BOOST_TEST(used > 0);
    BOOST_TEST(used <= 16 * metadata + (1 << 20),
               used << " bytes for " << metadata << " of metadata");
}

BOOST_AUTO_TEST_SUITE_END()
