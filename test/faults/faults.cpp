// Every system call that the library makes fails, once and for ever, at every turn; the disk fills
// after every byte; memory runs out at every allocation. Each time: an error with the system's own
// code, the target old or absent, no temporary left, nothing leaked, no sync tried twice.

#define BOOST_TEST_MODULE faults
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <optional>

#include "../bytes.hpp"
#include "../sampled.hpp"
#include "scenarios.hpp"
#include "shim.hpp"

namespace {

std::uint64_t allocations = 0;
std::uint64_t fail_allocation = 0;  // 0: none
long live = 0;

void* allocate(std::size_t size) {
    ++allocations;
    if (fail_allocation != 0 && allocations == fail_allocation) throw std::bad_alloc();
    auto* const at = std::malloc(size != 0 ? size : 1);
    if (at == nullptr) throw std::bad_alloc();
    ++live;
    return at;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    try {
        return allocate(size);
    } catch (std::bad_alloc const&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size, std::nothrow_t const& quietly) noexcept {
    return operator new(size, quietly);
}
void operator delete(void* at) noexcept {
    if (at != nullptr) --live;
    std::free(at);
}
void operator delete[](void* at) noexcept { ::operator delete(at); }
void operator delete(void* at, std::size_t) noexcept { ::operator delete(at); }
void operator delete[](void* at, std::size_t) noexcept { ::operator delete(at); }

namespace {

using faults::call;
using faults::scenario;
using hurray_test::bytes;
using hurray_test::read_file;

std::size_t open_files() {
    std::size_t n = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        n += entry.path().filename() != "." ? 1 : 0;
    return n;
}

/// One folder with, or without, a good file in it; and what is there after a scenario.
class stage {
public:
    explicit stage(scenario const& s) : scenario_(s) {
        if (!s.replaces) return;
        faults::write_several(target(), faults::matrix(9, 3)).value();
        add_a_matrix();
        before_ = read_file(target());
    }
    std::filesystem::path target() const { return folder_ / "a.hrry"; }

    /// Nothing but the target, which is what it was, or is new where that is allowed.
    std::string after_failure(bool may_be_new, bytes const& fresh, bool may_leave = false) const {
        auto const names = folder_.names();
        bool const there = std::filesystem::exists(target());
        if (!may_leave && names.size() != (there ? 1u : 0u)) return "something else was left";
        if (!there) return before_ ? "the target is gone" : "";
        auto const now = read_file(target());
        if (before_ && now == *before_) return {};
        if (may_be_new && now == fresh) return {};
        return "the target is neither old nor absent";
    }
    void reset() const {
        if (before_)
            hurray_test::write_file(target(), *before_);
        else
            std::filesystem::remove(target());
        for (auto const& name : folder_.names())
            if (name != "a.hrry") std::filesystem::remove(folder_ / name);
    }

private:
    void add_a_matrix() {
        if (!scenario_.writes)
            faults::write_whole(target(), faults::matrix(40), {.checksums = true}).value();
    }
    scenario scenario_;
    hurray_test::temporary_directory folder_;
    std::optional<bytes> before_;
};

/// Calls whose failure the library may shrug off: hints, and what only lets go of something.
bool is_harmless(call c) {
    switch (c) {
    case call::madvise:
    case call::fadvise:
    case call::write_back:
    case call::munmap:
    case call::close:
    case call::unlink:
        return true;
    default:
        return false;
    }
}

bytes fresh_file(scenario const& s) {
    hurray_test::temporary_directory const folder;
    s.run(folder / "fresh.hrry").value();
    return read_file(folder / "fresh.hrry");
}

struct tally {
    std::size_t runs = 0, refused = 0, survived = 0;
};

void fail_each_call(scenario const& s, stage const& on, bytes const& fresh, int error,
                    bool for_ever, tally& t) {
    faults::arm({});
    s.run(on.target()).value();
    faults::disarm();
    std::array<std::uint64_t, faults::calls> made{};
    for (unsigned c = 0; c < faults::calls; ++c) made[c] = faults::count(static_cast<call>(c));
    on.reset();

    for (unsigned c = 0; c < faults::calls; ++c) {
        auto const which = static_cast<call>(c);
        for (std::uint64_t k = 1; k <= made[c]; ++k) {
            auto const files = open_files();
            faults::arm({.which = which, .at = k, .error = error, .for_ever = for_ever});
            auto const outcome = s.run(on.target());
            faults::disarm();
            ++t.runs;
            auto const what = s.name + ": " + faults::name(which) + " " + std::to_string(k) +
                              " fails with " + std::to_string(error);
            BOOST_TEST_CONTEXT(what) {
                BOOST_TEST(open_files() == files);
                if (which == call::fsync)
                    BOOST_TEST(faults::count_after_failure(call::fsync) == 0u);
                if (outcome) {
                    ++t.survived;
                    bool const fine = is_harmless(which) || (error == EINTR && !for_ever);
                    BOOST_TEST(fine);
                    if (s.writes) BOOST_TEST((read_file(on.target()) == fresh));
                } else {
                    ++t.refused;
                    // No room in the address space for a mapping has a code of its own.
                    bool const no_room =
                        error == ENOMEM && outcome.error().code == hurray::errc::file_too_large;
                    std::error_code const expected(error, std::system_category());
                    BOOST_TEST((no_room || outcome.error().code == expected));
                    // The directory is synced when the new file has its name already.
                    bool const named = which == call::fsync && k == made[c];
                    BOOST_TEST(on.after_failure(named || !s.writes, fresh) == "");
                }
            }
            on.reset();
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_call_fails_at_each_turn) {
    tally t;
    for (auto const* const all : {&faults::writers(), &faults::readers()})
        for (auto const& s : *all) {
            stage const on(s);
            auto const fresh = s.writes ? fresh_file(s) : bytes{};
            for (int const error : {EIO, ENOSPC, EDQUOT, EMFILE, ENOMEM, EROFS, EAGAIN})
                for (bool const for_ever : {false, true})
                    fail_each_call(s, on, fresh, error, for_ever, t);
            fail_each_call(s, on, fresh, EINTR, false, t);
        }
    BOOST_TEST_MESSAGE(t.runs << " runs: " << t.refused << " refused, " << t.survived
                              << " went on without a hint");
}

BOOST_AUTO_TEST_CASE(one_byte_at_a_time) {
    for (auto const* const all : {&faults::writers(), &faults::readers()})
        for (auto const& s : *all) {
            stage const on(s);
            faults::arm({.one_byte = true});
            auto const outcome = s.run(on.target());
            faults::disarm();
            BOOST_TEST_CONTEXT(s.name) {
                BOOST_TEST(outcome.has_value());
                if (s.writes) BOOST_TEST((read_file(on.target()) == fresh_file(s)));
            }
        }
}

BOOST_AUTO_TEST_CASE(the_disk_fills_after_each_byte) {
    // Every byte takes minutes; HURRAY_EXHAUSTIVE=1 takes them, else it is every 61st.
    constexpr std::uint64_t usual = hurray_test::sampled ? 607 : 61;
    auto const step = std::getenv("HURRAY_EXHAUSTIVE") != nullptr ? 1 : usual;
    std::size_t runs = 0;
    for (auto const index : {1u, 3u, 4u}) {  // replace, counted rows, spooled rows
        auto const& s = faults::writers()[index];
        stage const on(s);
        auto const fresh = fresh_file(s);
        for (std::uint64_t room = 0;; room += step, ++runs) {
            faults::arm({.room = room});
            auto const outcome = s.run(on.target());
            faults::disarm();
            if (outcome) break;
            BOOST_TEST_CONTEXT(s.name << ", room for " << room) {
                BOOST_REQUIRE((outcome.error().code == std::errc::no_space_on_device));
                BOOST_REQUIRE(on.after_failure(false, fresh) == "");
            }
        }
        BOOST_TEST((read_file(on.target()) == fresh));
    }
    BOOST_TEST_MESSAGE(runs << " full disks");
}

BOOST_AUTO_TEST_CASE(memory_runs_out_at_each_allocation) {
    std::size_t runs = 0;
    auto const m = faults::matrix(40);
    std::vector<scenario> all = faults::writers();
    all.insert(all.end(), faults::readers().begin(), faults::readers().end());
    all.push_back({"transpose", false, true, [&](faults::path const&) -> hurray::result<void> {
                       auto const turned = hurray::transpose(m.view());
                       if (!turned) return turned.error();
                       return {};
                   }});
    for (auto const& s : all) {
        stage const on(s);
        auto const fresh = s.writes ? fresh_file(s) : bytes{};
        for (std::uint64_t k = 1;; ++k, ++runs) {
            auto const before = live;
            auto const files = open_files();
            bool done = false, threw = false;
            allocations = 0;
            fail_allocation = k;
            try {
                done = s.run(on.target()).has_value();
            } catch (std::bad_alloc const&) {
                threw = true;
            }
            fail_allocation = 0;
            auto const leaked = live - before;
            BOOST_TEST_CONTEXT(s.name << ", allocation " << k) {
                BOOST_REQUIRE(leaked == 0);
                BOOST_REQUIRE(open_files() == files);
                if (!done) BOOST_REQUIRE(on.after_failure(!s.writes, fresh) == "");
            }
            on.reset();
            if (done && !threw) break;
        }
    }
    BOOST_TEST_MESSAGE(runs << " failed allocations");
}
