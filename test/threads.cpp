// Eight threads on one file: opening, describing, verifying, walking. The thread sanitizer says
// whether they race (cmake/check.sh --all); the sums say whether they all see the same.

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdint>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include <hurray/hurray.hpp>

#include "bytes.hpp"

namespace {

using namespace hurray;

constexpr std::uint64_t slices = 3000;
constexpr std::uint64_t minor = 500;

/// The same digest of every entry, however it was come by.
struct digest {
    std::uint64_t entries = 0, sum = 0;
    void add(std::uint64_t slice, std::uint64_t index, double value) {
        ++entries;
        sum += (slice + 1) * (index + 7) ^ static_cast<std::uint64_t>(value);
    }
    friend bool operator==(digest const&, digest const&) = default;
};

/// "m", "t" its transpose, "bits" packed; 200 key-values; checksums when asked.
std::filesystem::path write_in(hurray_test::temporary_directory const& folder, bool checksums) {
    std::vector<std::uint64_t> offsets{0}, indices;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < slices; ++i) {
        for (auto k = i % 7; k < minor; k += 1 + (i * 37 + k) % 41) {
            indices.push_back(k);
            values.push_back(static_cast<double>(i + k));
        }
        offsets.push_back(indices.size());
    }
    metadata keys;
    for (int i = 0; i < 200; ++i) keys.set("key " + std::to_string(i), std::int64_t{i});
    auto const path = folder / "m.hrry";
    auto out = writer::create(
                   path, {.metadata = keys, .durability = durability::none, .checksums = checksums})
                   .value();
    auto const m =
        csr_view<double>::over({.rows = slices, .columns = minor}, offsets, indices, values)
            .value();
    out.write("m", m).value();
    out.write("t", m.transposed()).value();
    std::vector<std::uint8_t> const bits((indices.size() + 7) / 8);
    auto b = out.stream_csr<bool>("bits", {.rows = slices, .columns = minor}, offsets).value();
    b.values({std::as_bytes(std::span(bits)).data(), indices.size()}).value();
    b.indices(indices).value();
    b.close().value();
    out.close().value();
    return path;
}

template<class View> digest walk(View const& view) {
    digest d;
    for (std::uint64_t i = 0; i < view.major(); ++i) {
        auto const slice = view.at(i);
        if constexpr (requires { slice.error(); }) {
            for (auto const [index, value] : slice.value()) d.add(i, index, value);
        } else {
            for (auto const [index, value] : slice) d.add(i, index, value);
        }
    }
    return d;
}

/// One thread's look at an open file: through each door, whatever the others do.
digest look(file const& shared, unsigned who) {
    auto const mine = shared;  // copies share the mapping
    if (mine.describe("t").value().buffers.size() != 3) return {};
    if (mine.metadata().find("key 150") == nullptr) return {};
    if (!mine.verify({.threads = 1 + who % 2})) return {};
    auto const lazily = mine.csr<double>("m", lazy).value();
    if (!lazily.verify(slices / 8 * who, slices / 8)) return {};
    if (!mine.csr<bool>("bits") || !mine.csc<pattern>("t", lazy)) return {};
    auto const lazy_sum = walk(lazily);
    auto const sum = walk(mine.csr<double>("m").value());
    return lazy_sum == sum ? sum : digest{};
}

void eight_threads(read_options const& options, bool checksums, bool each_opens) {
    hurray_test::temporary_directory const folder;
    auto const path = write_in(folder, checksums);
    auto const shared = file::open(path, options).value();
    auto const quiet = file::open(path).value();
    auto const expected = walk(quiet.csr<double>("m").value());
    BOOST_REQUIRE(expected.entries > 10'000u);
    std::vector<digest> got(8);
    std::latch together(8);
    std::vector<std::thread> threads;
    for (unsigned who = 0; who < 8; ++who)
        threads.emplace_back([&, who] {
            together.arrive_and_wait();
            auto const own = each_opens ? file::open(path, options).value() : shared;
            for (int round = 0; round < 3; ++round) got[who] = look(own, who);
        });
    for (auto& t : threads) t.join();
    for (auto const& d : got) BOOST_TEST((d == expected));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(share_a_mapped_file) { eight_threads({}, false, false); }
BOOST_AUTO_TEST_CASE(share_a_file_in_memory) { eight_threads({.load = load::read}, false, false); }
BOOST_AUTO_TEST_CASE(share_what_was_checked_of_checksums) {
    eight_threads({.checksums = checksums::require}, true, false);
}
BOOST_AUTO_TEST_CASE(open_the_same_path) {
    eight_threads({.mode = mode::permissive, .checksums = checksums::verify}, true, true);
}

// Several verifications, each with threads of its own, of one view; one of them is cancelled.
BOOST_AUTO_TEST_CASE(verify_with_threads_of_their_own) {
    hurray_test::temporary_directory const folder;
    auto const path = write_in(folder, false);
    auto const opened = file::open(path).value();
    auto const view = opened.csr<double>("m", lazy).value();
    std::atomic<int> verified = 0, cancelled = 0;
    std::vector<std::thread> threads;
    for (int who = 0; who < 4; ++who)
        threads.emplace_back([&, who] {
            auto const done =
                view.verify({.threads = 2, .on_progress = [&](std::uint64_t, std::uint64_t) {
                                 return who != 0;
                             }});
            if (done)
                ++verified;
            else if (done.error().code == errc::cancelled)
                ++cancelled;
        });
    for (auto& t : threads) t.join();
    BOOST_TEST(verified + cancelled == 4);
    BOOST_TEST(verified >= 3);
}

BOOST_AUTO_TEST_SUITE_END()
