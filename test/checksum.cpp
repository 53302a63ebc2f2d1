// The checksum table from both sides: what a writer enters, a reader checks, and rot is found.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include <hurray/hurray.hpp>

#include "bytes.hpp"
#include "checksums.hpp"
#include "crc32c.hpp"
#include "sampled.hpp"
#include "trailer.hpp"
#include "wire.hpp"

namespace {

using namespace hurray;
using hurray_test::bytes;

struct example {
    std::vector<std::uint64_t> offsets{0, 2, 3, 5, 5};
    std::vector<std::uint64_t> indices{0, 3, 2, 1, 4};
    std::vector<float> values{1, 2, 3, 4, 5};
    csr_view<float> view() const {
        return csr_view<float>::over({.rows = 4, .columns = 5}, offsets, indices, values).value();
    }
};

bytes write(write_options const& options, auto fill) {
    hurray_test::memory_sink sink;
    auto out = writer::onto(sink, options).value();
    fill(out);
    out.close().value();
    return *sink.got;
}

bytes small_file() {
    example const e;
    return write({.metadata = {{"origin", "example"}}, .checksums = true}, [&](writer& out) {
        out.write("A", e.view()).value();
        bool const bits[5] = {true, false, true, true, true};
        auto b = out.stream_csr<bool>("B", {.rows = 4, .columns = 5}, e.offsets).value();
        b.values(std::span(bits)).value();
        b.indices(e.indices).value();
        b.close().value();
        out.write("empty", csc_view<double>()).value();
    });
}

result<void> open_and_verify(bytes const& file, checksums how) {
    auto const opened = file_view::parse(file, {.checksums = how});
    if (!opened) return opened.error();
    auto const all = opened->verify();
    if (!all) return all.error();
    return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(checksum)

BOOST_AUTO_TEST_CASE(every_single_bit_flip_is_refused) {
    // A sorted file and one of two alignments beside the small one: three whole files.
    example const e;
    auto const sorted = write({.sorted_index = true, .checksums = true}, [&](writer& out) {
        out.write("z", e.view()).value();
        out.write("a", e.view().transposed()).value();
    });
    auto const wide = write({.data_alignment = 8192, .checksums = true},
                            [&](writer& out) { out.write("A", e.view()).value(); });
    for (auto file : {small_file(), sorted, wide}) {
        BOOST_REQUIRE(open_and_verify(file, checksums::require).has_value());
        std::size_t accepted = 0;
        constexpr std::size_t step = hurray_test::sampled ? 11 : 1;
        for (std::size_t i = 0; i < file.size() * 8; i += step) {
            file[i / 8] ^= std::byte(1u << i % 8);
            if (open_and_verify(file, checksums::require)) ++accepted;
            file[i / 8] ^= std::byte(1u << i % 8);
        }
        BOOST_TEST(accepted == 0u);
        BOOST_TEST_MESSAGE("refused all of " << file.size() * 8 / step << " flips");
    }
}

BOOST_AUTO_TEST_CASE(required_but_absent) {
    example const e;
    auto const plain = write({}, [&](writer& out) { out.write("A", e.view()).value(); });
    BOOST_TEST(open_and_verify(plain, checksums::verify).has_value());
    auto const refused = file_view::parse(plain, {.checksums = checksums::require});
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == errc::no_checksums));
    BOOST_TEST(!file_view::parse(plain)->catalog().has_checksums());
    auto const with = small_file();
    BOOST_TEST(file_view::parse(with)->catalog().has_checksums());
}

BOOST_AUTO_TEST_CASE(a_slice_is_checked_when_it_is_taken) {
    auto file = small_file();
    auto const where = file_view::parse(file)->describe("A")->buffers;
    file[where[0].offset + 3] ^= std::byte{1};  // a value of row 0; no invariant sees it
    BOOST_TEST(file_view::parse(file)->verify().has_value());

    auto const opened = file_view::parse(file, {.checksums = checksums::verify}).value();
    auto const row = opened.csr<float>("A", lazy)->row(0);
    BOOST_REQUIRE(!row);
    BOOST_TEST((row.error().code == errc::checksum_mismatch));
    BOOST_TEST(row.error().offset == where[0].offset);
    BOOST_TEST(opened.csr<float>("A", lazy)->row(3).has_value());  // empty: no values under it
    BOOST_TEST(!opened.csr<float>("A").has_value());
    BOOST_TEST(!opened.csr<float>("A", lazy)->verify(0, 1).has_value());
    BOOST_TEST(opened.csr<pattern>("A", lazy)->row(0).has_value());  // the values are not looked at
    BOOST_TEST(opened.csr<bool>("B").has_value());
}

BOOST_AUTO_TEST_CASE(slack_is_summed_with_its_buffer) {
    example const e;
    auto file = write({.checksums = true}, [&](writer& out) { out.write("A", e.view()).value(); });
    auto const as_written = file_view::parse(file).value();
    auto const table = std::get<bytes>(*as_written.metadata().find(checksum_key));
    auto const at = static_cast<std::size_t>(
        std::search(file.begin(), file.end(), table.begin(), table.end()) - file.begin());
    std::span<std::byte const, format::trailer::size> const tail =
        std::span(file).last<format::trailer::size>();
    auto const section = wire::field<std::uint64_t, 16>(tail);
    auto const description = as_written.tensors()[0].descriptor;
    auto const offsets = as_written.describe("A").value().buffers[2];
    auto const enter = [&](std::size_t where, std::uint32_t number) {
        wire::set_field<std::uint32_t, 0>(std::span(file).subspan(where).first<4>(), number);
    };
    auto const sum = [&](std::size_t from, std::size_t to) {
        return detail::crc32c(std::span(file).subspan(from, to - from));
    };
    auto const say_rows = [&](std::uint32_t rows) {
        enter(description.offset + 20, rows);
        enter(at + 24, sum(description.offset, description.end()));
        enter(at + 8, 0);
        enter(at + 8, sum(section, at + table.size()));
    };
    read_options const how{.mode = mode::permissive, .checksums = checksums::verify};
    auto const row_2 = [&]() -> result<void> {
        auto const opened = file_view::parse(file, how).value();
        auto const view = opened.csr<float>("A", lazy);
        if (!view) return view.error();
        auto const row = view->row(2);
        return row ? result<void>() : row.error();
    };
    say_rows(4);
    BOOST_TEST(row_2().has_value());
    say_rows(3);  // one row less, and it was empty: 8 bytes of the offsets are slack
    BOOST_TEST(offsets.length == 40u);
    BOOST_TEST(row_2().has_value());
    file[offsets.offset + 39] ^= std::byte{1};  // in the slack
    BOOST_TEST_REQUIRE(!row_2());
    BOOST_TEST((row_2().error().code == errc::checksum_mismatch));
}

BOOST_AUTO_TEST_CASE(other_readers_see_an_ordinary_file) {
    auto const file = small_file();
    auto const opened = file_view::parse(file).value();
    BOOST_TEST(opened.metadata().size() == 2u);
    BOOST_TEST(
        std::holds_alternative<std::vector<std::byte>>(*opened.metadata().find(checksum_key)));
    BOOST_TEST(opened.notes().empty());
}

BOOST_AUTO_TEST_CASE(the_key_is_the_writers) {
    hurray_test::memory_sink sink;
    auto const taken = writer::onto(
        sink, {.metadata = {{std::string(checksum_key), std::int64_t{1}}}, .checksums = true});
    BOOST_REQUIRE(!taken);
    BOOST_TEST((taken.error().code == errc::bad_option));
}

BOOST_AUTO_TEST_CASE(a_table_that_lies_is_refused) {
    auto const file = small_file();
    auto const at = [&] {
        auto const key = std::as_bytes(std::span(checksum_key));
        auto const found = std::search(file.begin(), file.end(), key.begin(), key.end());
        return static_cast<std::size_t>(found - file.begin()) + key.size() + 5;
    }();
    // block_shift, tensors, buffers of the first tensor, blocks of its first buffer
    for (auto const field : {12u, 16u, 28u, 32u}) {
        auto damaged = file;
        damaged[at + field] = std::byte{0x7F};
        auto const refused = open_and_verify(damaged, checksums::verify);
        BOOST_REQUIRE(!refused);
        BOOST_TEST((refused.error().code == condition::corrupt));
    }
}

BOOST_AUTO_TEST_CASE(blocks_double_and_stay_right) {
    std::mt19937 dice(7);
    std::vector<std::byte> data(1'000'003);
    for (auto& b : data) b = std::byte(dice());
    for (auto const size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{65537},
                            std::size_t{196608}, data.size()}) {
        auto const all = std::span<std::byte const>(data).first(size);
        format::block_sums sums(16);
        for (std::size_t i = 0; i < size;) {  // any chunking
            auto const n = std::min<std::size_t>(size - i, 1 + dice() % 100'000);
            sums.add(all.subspan(i, n));
            i += n;
        }
        sums.finish();
        for (unsigned shift = 16; shift < 24; ++shift, sums.merge()) {
            auto const block = std::size_t{1} << shift;
            BOOST_REQUIRE_EQUAL(sums.blocks(), size / block + (size % block != 0));
            for (std::size_t b = 0; b < sums.blocks(); ++b)
                BOOST_TEST(sums.sums()[b] == detail::crc32c(all.subspan(
                                                 b * block, std::min(block, size - b * block))));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_table_stays_small) {
    // 70,000 blocks of 64 KiB become 35,000 of 128 KiB.
    format::checksum_writer table;
    std::vector<std::byte> const block(65536);
    table.begin_tensor(1);
    for (int i = 0; i < 70'000; ++i)
        table.buffer(0).add(std::span(block).first(i == 0 ? 65536 : 65536));
    table.finish_tensor();
    std::uint32_t const order[] = {0};
    BOOST_TEST(table.encode(order).size() == 24u + 8 + 8 + 4 * 35'000u);
}

BOOST_AUTO_TEST_CASE(every_entry_point_enters_the_same_table) {
    example const e;
    hurray_test::temporary_directory const folder;
    write_options const options{.checksums = true};
    auto const whole = write(options, [&](writer& out) { out.write("A", e.view()).value(); });
    auto const to_path = [&](auto fill) {
        auto const path = folder / "a.hrry";
        auto out = writer::create(path, options).value();
        fill(out);
        out.close().value();
        return hurray_test::read_file(path);
    };
    auto const rows = [&](auto rows_to) {
        for (std::uint64_t i = 0; i < 4; ++i) {
            auto const row = e.view().row(i);
            rows_to.append(row.indices(), row.values()).value();
        }
        rows_to.close().value();
    };
    auto const known = to_path([&](writer& out) {
        rows(out.append_csr<float>("A", {.rows = 4, .columns = 5}, 5).value());
    });
    auto const unknown = to_path([&](writer& out) { rows(out.append_csr<float>("A", 5).value()); });
    auto const source = file_view::parse(whole).value();
    auto const copied = to_path([&](writer& out) { out.copy(source, "A").value(); });
    for (auto const& other : {known, unknown, copied})
        BOOST_TEST(hurray_test::difference(whole, other) == "");
}

BOOST_AUTO_TEST_SUITE_END()
