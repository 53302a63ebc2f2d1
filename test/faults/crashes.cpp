// The power goes out, or the process is killed, at every moment of a writer's work. The target is
// then absent, the whole old file, or the whole new one; after close() with full durability, the
// new one.

#define BOOST_TEST_MODULE crashes
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bytes.hpp"
#include "../sampled.hpp"
#include "scenarios.hpp"
#include "shim.hpp"

namespace {

using faults::call;
using faults::operation;
using faults::scenario;
using hurray_test::bytes;
using hurray_test::read_file;

constexpr std::size_t block = 4096;

/// What the disk may hold: files by number, names by path.
struct disk {
    std::map<std::uint64_t, bytes> files;
    std::map<std::string, std::uint64_t> names;
};

void apply_name(disk& d, operation const& o) {
    switch (o.what) {
    case call::open:
        d.names[o.to] = o.file;
        break;
    case call::rename:
        d.names[o.to] = d.names[o.from];
        d.names.erase(o.from);
        break;
    case call::link:
        d.names[o.to] = d.names[o.from];
        break;
    case call::unlink:
        d.names.erase(o.to);
        break;
    default:
        break;
    }
}

bool names_something(operation const& o) {
    return o.what == call::open || o.what == call::rename || o.what == call::link ||
           o.what == call::unlink;
}

/// One block of one file that was written and not synced yet.
struct dirty_block {
    std::uint64_t file;
    std::size_t number;
    friend auto operator<=>(dirty_block const&, dirty_block const&) = default;
};

/// The state after a prefix of the operations: what is safe, what may be lost.
struct crash_point {
    disk safe;  ///< contents as synced, names as synced
    disk all;   ///< as if nothing were lost
    std::set<dirty_block> dirty;
    std::vector<operation> unsynced;  ///< names, in order
};

void write_into(bytes& file, std::uint64_t offset, std::span<std::byte const> from) {
    if (file.size() < offset + from.size()) file.resize(offset + from.size());
    std::copy(from.begin(), from.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

void advance(crash_point& at, operation const& o, std::uint64_t directory) {
    if (names_something(o)) {
        apply_name(at.all, o);
        at.unsynced.push_back(o);
        if (o.what == call::open) at.safe.files[o.file], at.all.files[o.file];
        return;
    }
    if (o.what == call::fsync && o.file == directory) {
        at.safe.names = at.all.names;
        at.unsynced.clear();
        return;
    }
    if (o.what == call::fsync) {
        at.safe.files[o.file] = at.all.files[o.file];
        std::erase_if(at.dirty, [&](dirty_block const& b) { return b.file == o.file; });
        return;
    }
    auto& file = at.all.files[o.file];
    if (o.what == call::ftruncate) {
        file.resize(o.offset);
        at.dirty.insert({o.file, o.offset / block});
        return;
    }
    write_into(file, o.offset, o.bytes);
    for (auto b = o.offset / block; b <= (o.offset + o.bytes.size() - 1) / block; ++b)
        at.dirty.insert({o.file, b});
}

/// The file after a crash in which the blocks of `lost` did not reach the disk, and half of `torn`.
bytes survivor(crash_point const& at, std::uint64_t file, std::set<dirty_block> const& lost,
               dirty_block const* torn) {
    auto now = at.all.files.contains(file) ? at.all.files.at(file) : bytes{};
    auto const& before = at.safe.files.contains(file) ? at.safe.files.at(file) : bytes{};
    auto const restore = [&](std::size_t number, std::size_t from) {
        for (auto i = number * block + from; i < std::min(now.size(), (number + 1) * block); ++i)
            now[i] = i < before.size() ? before[i] : std::byte{};
    };
    for (auto const& b : lost)
        if (b.file == file) restore(b.number, 0);
    if (torn != nullptr && torn->file == file) restore(torn->number, block / 2);
    return now;
}

/// Every state the disk may be in at this point, up to names that were not synced.
template<class Check> void each_state(crash_point const& at, std::mt19937& dice, Check check) {
    std::vector<std::set<dirty_block>> losses{{}, at.dirty};
    for (auto const& one : at.dirty) losses.push_back({one});
    for (int i = 0; i < 64 && at.dirty.size() > 2; ++i) {
        std::set<dirty_block> some;
        for (auto const& one : at.dirty)
            if (dice() % 2 == 0) some.insert(one);
        losses.push_back(std::move(some));
    }
    for (std::size_t names = 0; names <= at.unsynced.size(); ++names) {
        auto d = at.safe;
        for (std::size_t i = 0; i < names; ++i) apply_name(d, at.unsynced[i]);
        for (auto const& lost : losses) check(d, lost, nullptr);
        for (auto const& torn : at.dirty) check(d, {}, &torn);
    }
}

void good_file(std::filesystem::path const& target) {
    faults::write_whole(target, faults::matrix(30, 2)).value();
}

std::uint64_t inode(std::filesystem::path const& path) {
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 ? s.st_ino : 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_power_goes_out) {
    std::mt19937 dice(5);
    std::size_t states = 0;
    for (auto const& s : faults::writers()) {
        hurray_test::temporary_directory const folder;
        auto const target = folder / "a.hrry";
        crash_point at;
        std::optional<bytes> before;
        if (s.replaces) {
            good_file(target);
            before = read_file(target);
            auto const old = inode(target);
            at.safe.files[old] = at.all.files[old] = *before;
            at.safe.names[target.string()] = at.all.names[target.string()] = old;
        }
        faults::record(true);
        auto const outcome = s.run(target);
        faults::record(false);
        BOOST_REQUIRE(outcome.has_value());
        auto const after = read_file(target);
        auto const operations = faults::recorded();
        BOOST_REQUIRE(operations.size() > 3u);

        auto const check = [&](disk const& d, std::set<dirty_block> const& lost,
                               dirty_block const* torn) {
            ++states;
            auto const name = d.names.find(target.string());
            if (name == d.names.end()) {
                BOOST_REQUIRE(!before.has_value());
                return;
            }
            auto const found = survivor(at, name->second, lost, torn);
            bool const old = before && found == *before;
            BOOST_REQUIRE((old || found == after));
        };
        for (auto const& o : operations) {
            BOOST_TEST_CONTEXT(s.name << ", after " << faults::name(o.what)) {
                advance(at, o, inode(folder.path()));
                each_state(at, dice, check);
            }
        }
        // close() returned: nothing may be lost any more.
        BOOST_TEST(at.unsynced.empty());
        auto const name = at.safe.names.find(target.string());
        BOOST_REQUIRE((name != at.safe.names.end()));
        BOOST_TEST((at.safe.files.at(name->second) == after));
    }
    BOOST_TEST(states > 1'000u);
    BOOST_TEST(states < 100'000u);
    BOOST_TEST_MESSAGE(states << " states of the disk");
}

BOOST_AUTO_TEST_CASE(killed_at_each_call) {
    std::size_t kills = 0;
    for (auto const& s : faults::writers()) {
        for (std::uint64_t k = 1;; ++k) {
            hurray_test::temporary_directory const folder;
            auto const target = folder / "a.hrry";
            if (s.replaces) good_file(target);
            auto const before = s.replaces ? read_file(target) : bytes{};
            auto const child = ::fork();
            if (child == 0) {
                faults::arm({.kill_at = k});
                auto const outcome = s.run(target);
                ::_exit(outcome ? 0 : 1);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            BOOST_REQUIRE(WIFEXITED(status));
            auto const code = WEXITSTATUS(status);
            BOOST_REQUIRE((code == 0 || code == 99));
            BOOST_TEST_CONTEXT(s.name << ", killed before call " << k) {
                if (!std::filesystem::exists(target)) {
                    BOOST_REQUIRE(!s.replaces);
                } else if (auto const now = read_file(target); now != before) {
                    auto const file = hurray::file_view::parse(now);
                    BOOST_REQUIRE(file.has_value());
                    BOOST_REQUIRE(file->verify().has_value());
                }
            }
            if (code == 0) break;
            ++kills;
        }
    }
    BOOST_TEST_MESSAGE(kills << " kills");
}

BOOST_AUTO_TEST_CASE(killed_at_random_moments) {
    hurray_test::temporary_directory const folder;
    auto const target = folder / "a.hrry";
    good_file(target);
    std::mt19937 dice(3);
    constexpr int rounds = static_cast<int>(hurray_test::times(1000));
    for (int round = 0; round < rounds; ++round) {
        auto const child = ::fork();
        if (child == 0) {
            faults::matrix const m(200, std::uint64_t(round) + 2);
            for (;;)
                if (!faults::write_whole(target, m, {.durability = hurray::durability::none}))
                    ::_exit(1);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200 + dice() % 3000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        BOOST_REQUIRE(WIFSIGNALED(status));
        auto const file = hurray::file::open(target);
        BOOST_REQUIRE(file.has_value());
        BOOST_REQUIRE(file->verify().has_value());
        for (auto const& name : folder.names())
            if (name != "a.hrry") std::filesystem::remove(folder / name);
    }
    BOOST_TEST_MESSAGE(rounds << " kills");
}

BOOST_AUTO_TEST_CASE(readers_never_see_a_mixture) {
    hurray_test::temporary_directory const folder;
    auto const target = folder / "a.hrry";
    std::vector<bytes> versions;
    std::vector<faults::matrix> matrices;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        matrices.emplace_back(100, seed);
        faults::write_whole(target, matrices.back()).value();
        versions.push_back(read_file(target));
    }
    std::atomic<bool> done = false;
    std::atomic<std::uint64_t> seen = 0, mixtures = 0;
    auto const held = hurray::file::open(target).value();
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&] {
            while (!done) {
                auto const file = hurray::file::open(target);
                if (!file || !file->verify()) {
                    ++mixtures;
                    continue;
                }
                bytes const now(file->bytes().begin(), file->bytes().end());
                if (std::find(versions.begin(), versions.end(), now) == versions.end()) ++mixtures;
                ++seen;
            }
        });
    constexpr auto replacements = hurray_test::times(1000);
    for (std::size_t i = 0; i < replacements; ++i)
        faults::write_whole(target, matrices[i % matrices.size()],
                            {.durability = hurray::durability::none})
            .value();
    done = true;
    for (auto& r : readers) r.join();
    BOOST_TEST(mixtures == 0u);
    BOOST_TEST(seen > 0u);
    BOOST_TEST((bytes(held.bytes().begin(), held.bytes().end()) == versions.back()));
    BOOST_TEST(!held.unchanged().value());
    BOOST_TEST_MESSAGE(seen << " readings of " << replacements << " replacements");
}
