// Files that change while they are open: rewritten by another process under views of them, and cut
// short under their mapping. Wrong numbers are allowed; an access outside the arrays is not.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <numeric>
#include <span>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <hurray/hurray.hpp>

#include "bytes.hpp"
#include "os.hpp"

namespace {

using namespace hurray;
using hurray_test::bytes;

constexpr std::uint64_t slices = 256;
constexpr std::uint64_t minor = 64;

/// A matrix whose rows have 0, 1, 2, ... 7 entries, over and over.
struct arrays {
    std::vector<std::uint64_t> offsets{0}, indices{};
    std::vector<double> values{};
    arrays() {
        for (std::uint64_t i = 0; i < slices; ++i) {
            for (std::uint64_t k = 0; k < i % 8; ++k) indices.push_back(k * 8 + i % 5);
            offsets.push_back(indices.size());
        }
        values.assign(indices.size(), 1.0);
    }
    csr_view<double> view() const {
        return csr_view<double>::over({.rows = slices, .columns = minor}, offsets, indices, values)
            .value();
    }
};

/// A process of its own that does one thing until it is told to stop.
class child {
public:
    explicit child(std::function<void()> const& again_and_again) : id_(::fork()) {
        if (id_ < 0) throw std::runtime_error("cannot fork");
        if (id_ != 0) return;
        for (;;) again_and_again();
    }
    child(child const&) = delete;
    child& operator=(child const&) = delete;
    ~child() {
        (void)::kill(id_, SIGKILL);
        (void)::waitpid(id_, nullptr, 0);
    }

private:
    pid_t id_;
};

/// How a process that does `what` ends, in the terms of wait().
int end_of(std::function<int()> const& what) {
    auto const id = ::fork();
    if (id < 0) throw std::runtime_error("cannot fork");
    if (id == 0) {
        (void)::signal(SIGBUS, SIG_DFL);  // not the test framework's or a sanitizer's
        ::_exit(what());
    }
    int status = 0;
    (void)::waitpid(id, &status, 0);
    return status;
}

std::uint64_t next_random(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/// Numbers that hurt: small, about the size of the arrays, huge.
std::uint64_t hurtful(std::uint64_t& state) {
    auto const r = next_random(state);
    switch (r % 4) {
    case 0:
        return r >> 60;
    case 1:
        return (r >> 8) % 1200;
    case 2:
        return ~std::uint64_t{0} - (r >> 56);
    default:
        return r;
    }
}

/// Memory that two processes share, ending where no page is.
class guarded {
public:
    explicit guarded(std::uint64_t size) : size_(size) {
        auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        room_ = (size + page - 1) / page * page;
        auto* const at =
            ::mmap(nullptr, room_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        base_ = static_cast<std::byte*>(at);
        if (::mmap(base_ + page, room_, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            throw std::bad_alloc();
        begin_ = base_ + page + (room_ - size);
        room_ += 2 * page;
    }
    guarded(guarded const&) = delete;
    guarded& operator=(guarded const&) = delete;
    ~guarded() { (void)::munmap(base_, room_); }

    template<class T> std::span<T> as() const {
        return {static_cast<T*>(static_cast<void*>(begin_)), size_ / sizeof(T)};
    }

private:
    std::uint64_t size_, room_ = 0;
    std::byte* base_ = nullptr;
    std::byte* begin_ = nullptr;
};

struct seen {
    std::uint64_t entries = 0, refused = 0, clamped = 0, outside = 0;
};

template<class View, class Slice> void use(View const& view, Slice const& slice, seen& s) {
    auto const all = view.indices(), part = slice.indices();
    if (!part.empty() &&
        (part.data() < all.data() || part.data() + part.size() > all.data() + all.size()))
        ++s.outside;
    for (auto const [index, value] : slice) {
        s.entries += index < view.minor() || value != 0 ? 1 : 0;
        if (index >= view.minor()) ++s.clamped;
    }
    (void)slice.find(17);
    (void)slice.contains(~std::uint64_t{0});
}

/// Everything a reader does with views whose arrays change meanwhile.
void walk(csr_view<double> const& verified, lazy_csr_view<double> const& lazy, seen& s) {
    for (std::uint64_t i = 0; i < slices; ++i) {
        use(verified, verified.row(i), s);
        (void)verified.find(i, 17);
        auto const row = lazy.row(i);
        if (row)
            use(lazy, *row, s);
        else
            ++s.refused;
        if (auto const stored = lazy.row_as_stored(i))
            for (auto const [index, value] : *stored) s.entries += index + 1 != 0 && value == value;
    }
    if (!lazy.verify()) ++s.refused;
    if (!lazy.verify(slices / 4, slices / 2)) ++s.refused;
    (void)verified.transposed().find(17, 3);
}

/// Goes on until the changes were seen, and a good while after.
void walk_until_seen(csr_view<double> const& verified, lazy_csr_view<double> const& lazy) {
    seen s;
    for (int round = 0; round < 300 || (s.refused == 0 && round < 1'000'000); ++round)
        walk(verified, lazy, s);
    BOOST_TEST(s.outside == 0u);
    BOOST_TEST(s.refused > 0u);  // or nothing was changing
    BOOST_TEST_MESSAGE(s.entries << " entries read, " << s.refused << " refusals, " << s.clamped
                                 << " wrong indices in verified or checked slices");
}

/// The matrix as "m" in a file of its own.
void write_to(std::filesystem::path const& path) {
    arrays const a;
    auto out = writer::create(path, {.durability = durability::none}).value();
    out.write("m", a.view()).value();
    out.close().value();
}

/// The file for writing, and where its indices and offsets lie.
struct writable {
    int fd;
    byte_range indices, offsets;
    explicit writable(std::filesystem::path const& path) : fd(::open(path.c_str(), O_RDWR)) {
        auto const opened = file::open(path).value();
        auto const what = opened.describe("m").value();
        indices = what.buffers[1];
        offsets = what.buffers[2];
    }
    writable(writable const&) = delete;
    writable& operator=(writable const&) = delete;
    ~writable() { (void)::close(fd); }
    void spoil(std::uint64_t& state) const {
        auto const& where = next_random(state) % 2 == 0 ? indices : offsets;
        auto const at = where.offset + next_random(state) % (where.length / 8) * 8;
        auto const value = hurtful(state);
        (void)!::pwrite(fd, &value, sizeof value, static_cast<off_t>(at));
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(changing)

// The three arrays end where the next page does not exist: any access behind them is the end.
BOOST_AUTO_TEST_CASE(R_107_arrays_rewritten_by_another_process) {
    arrays const a;
    guarded const offsets(8 * a.offsets.size()), indices(8 * a.indices.size()),
        values(8 * a.values.size());
    auto const o = offsets.as<std::uint64_t>(), i = indices.as<std::uint64_t>();
    auto const v = values.as<double>();
    std::copy(a.offsets.begin(), a.offsets.end(), o.begin());
    std::copy(a.indices.begin(), a.indices.end(), i.begin());
    std::copy(a.values.begin(), a.values.end(), v.begin());
    constexpr extents shape{.rows = slices, .columns = minor};
    auto const verified = csr_view<double>::over(shape, o, i, v).value();
    auto const lazy = lazy_csr_view<double>::over(shape, o, i, v).value();
    std::uint64_t state = 88172645463325252;
    child const spoiler([&] {
        auto const where = next_random(state) % 2 == 0 ? o : i;
        const_cast<std::uint64_t volatile&>(where[next_random(state) % where.size()]) =
            hurtful(state);
    });
    walk_until_seen(verified, lazy);
}

// What takes a verified view copies it, transposes it, writes it: with the arrays changing too.
BOOST_AUTO_TEST_CASE(R_107_views_used_by_the_library_while_they_change) {
    arrays const a;
    guarded const offsets(8 * a.offsets.size()), indices(8 * a.indices.size());
    auto const o = offsets.as<std::uint64_t>(), i = indices.as<std::uint64_t>();
    std::copy(a.offsets.begin(), a.offsets.end(), o.begin());
    std::copy(a.indices.begin(), a.indices.end(), i.begin());
    constexpr extents shape{.rows = slices, .columns = minor};
    auto const verified = csr_view<double>::over(shape, o, i, a.values).value();
    std::uint64_t state = 88172645463325252;
    child const spoiler([&] {  // wrong for a moment, then right again
        auto const where = next_random(state) % 2 == 0 ? o : i;
        auto volatile& number = where[next_random(state) % where.size()];
        std::uint64_t const was = number;
        number = hurtful(state);
        number = was;
    });
    std::uint64_t written = 0, refused = 0;
    for (int round = 0; round < 300; ++round) {
        hurray_test::memory_sink sink;
        auto out = writer::onto(sink).value();
        ++(out.write("m", verified) && out.close() ? written : refused);
    }
    BOOST_TEST(written + refused == 300u);
    BOOST_TEST_MESSAGE(written << " written, " << refused << " refused");
}

BOOST_AUTO_TEST_CASE(a_mapped_file_rewritten_by_another_process) {
    hurray_test::temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_to(path);
    auto const mapped = file::open(path, {.mode = mode::permissive}).value();
    auto const verified = mapped.csr<double>("m").value();
    auto const lazily = mapped.csr<double>("m", lazy).value();
    writable const target(path);
    std::uint64_t state = 88172645463325252;
    child const spoiler([&] { target.spoil(state); });
    walk_until_seen(verified, lazily);
    (void)mapped.verify();
}

BOOST_AUTO_TEST_CASE(what_was_read_stays_as_it_was) {
    hurray_test::temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_to(path);
    auto const whole = hurray_test::read_file(path);
    auto const held = file::open(path, {.load = load::read}).value();
    BOOST_TEST(held.unchanged().value());
    {
        writable const target(path);
        std::uint64_t state = 88172645463325252;
        child const spoiler([&] { target.spoil(state); });
        while (hurray_test::read_file(path) == whole) {
        }
        for (int round = 0; round < 50; ++round) BOOST_REQUIRE(held.verify().has_value());
    }
    BOOST_REQUIRE(::truncate(path.c_str(), 64) == 0);
    BOOST_TEST(hurray_test::difference(held.bytes(), whole) == "");
    BOOST_TEST(held.csr<double>("m").has_value());
    BOOST_TEST(!held.unchanged().value());
}

BOOST_AUTO_TEST_CASE(a_truncated_mapping_is_SIGBUS) {
    hurray_test::temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_to(path);
    auto const ended = end_of([&] {
        auto const mapped = file::open(path);
        if (!mapped || !mapped->verify()) return 1;
        auto const view = mapped->csr<double>("m");
        if (!view) return 1;
        if (::truncate(path.c_str(), 64) != 0) return 2;
        auto const changed = mapped->unchanged();
        if (!changed || *changed) return 3;  // who asks, knows before
        seen s;
        walk(*view, *view, s);
        return 4;
    });
    BOOST_TEST(WIFSIGNALED(ended));
    BOOST_TEST((WIFSIGNALED(ended) && WTERMSIG(ended) == SIGBUS), "ended with " << ended);
}

// Where the kernel can say it (Linux 5.14), populate tells what a touch would die of.
BOOST_AUTO_TEST_CASE(populating_a_truncated_mapping_reports) {
    hurray_test::temporary_directory const folder;
    auto const path = folder / "a.hrry";
    write_to(path);
    auto const mapped = file::open(path).value();
    BOOST_TEST(os::advise(mapped.bytes(), access::populate).has_value());
    BOOST_REQUIRE(::truncate(path.c_str(), 64) == 0);
    auto const told = os::advise(mapped.bytes(), access::populate);
#if defined(MADV_POPULATE_READ)
    BOOST_REQUIRE(!told);
    BOOST_TEST((told.error().code == std::errc::bad_address));
#else
    BOOST_TEST(told.has_value());
#endif
    for (auto const other : {access::normal, access::sequential, access::random})
        BOOST_TEST(os::advise(mapped.bytes(), other).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
