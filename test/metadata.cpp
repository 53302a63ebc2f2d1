// Key-values: as a container, and as bytes and back. What a reader refuses is in the corruption
// table.

#include <metadata.hpp>
#include <wire.hpp>

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "reference_file.hpp"

namespace {

using namespace hurray_test;
using namespace std::string_literals;
using hurray::metadata_array;
using hurray::metadata_value;
using strings = std::vector<std::string>;

strings keys(hurray::metadata const& m) {
    strings all;
    for (auto const& entry : m) all.push_back(entry.key);
    return all;
}

/// One value of every kind, and the odd ones.
hurray::metadata everything() {
    return {{"string", "na\xC3\xAFve\0 \xE2\x9C\x93"s},
            {"empty", ""s},
            {"int64", std::numeric_limits<std::int64_t>::min()},
            {"uint64", ~std::uint64_t{0}},
            {"float64", -0.0},
            {"infinite", -std::numeric_limits<double>::infinity()},
            {"true", true},
            {"false", false},
            {"bytes", bytes{std::byte{0}, std::byte{0xFF}}},
            {"no bytes", bytes{}},
            {"strings", metadata_array(strings{"", "x", "\xE2\x9C\x93"})},
            {"int64s", metadata_array(std::vector<std::int64_t>{-1, 0, 1})},
            {"uint64s", metadata_array(std::vector<std::uint64_t>{1, ~std::uint64_t{0}})},
            {"float64s", metadata_array(std::vector<double>{0.5, 1e300})},
            {"bools", metadata_array(std::vector<bool>{true, false, true})},
            {"byte strings", metadata_array(std::vector<bytes>{{}, {std::byte{7}}})},
            {"none", metadata_array(std::vector<double>{})},
            {std::string(65535, 'k'), 1.0}};
}

hurray::result<hurray::metadata> decoded(std::span<std::byte const> section,
                                         hurray::mode mode = hurray::mode::strict) {
    std::vector<hurray::error> notes;
    return hurray::format::decode_metadata(section, 0, mode, notes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(metadata)

BOOST_AUTO_TEST_CASE(set_replaces_in_place_and_find_finds) {
    hurray::metadata m{{"b", 1.0}, {"a", std::int64_t{2}}, {"b", true}};
    BOOST_TEST(keys(m) == (strings{"b", "a"}), boost::test_tools::per_element());
    BOOST_TEST((*m.find("b") == metadata_value(true)));  // the last one given
    m.set("c", "x"s);
    m.set("a", "y"s);
    BOOST_TEST(keys(m) == (strings{"b", "a", "c"}), boost::test_tools::per_element());
    BOOST_TEST(std::get<std::string>(*m.find("a")) == "y");
    BOOST_TEST(m.find("A") == nullptr);
    BOOST_TEST(m.find("") == nullptr);
    BOOST_TEST(m.size() == 3u);
    BOOST_TEST(hurray::metadata().empty());
    hurray::metadata many;
    for (int i = 999; i >= 0; --i) many.set(std::to_string(i), std::int64_t{i});
    for (int i = 0; i < 1000; ++i)
        BOOST_TEST(std::get<std::int64_t>(*many.find(std::to_string(i))) == i);
}

BOOST_AUTO_TEST_CASE(assign_takes_all_or_nothing) {
    hurray::metadata m{{"old", 1.0}};
    BOOST_TEST(!m.assign({{"x", 1.0}, {"y", 2.0}, {"x", 3.0}}));
    BOOST_TEST(keys(m) == strings{"old"}, boost::test_tools::per_element());
    BOOST_TEST(m.assign({{"z", 1.0}, {"x", 2.0}, {"y", 3.0}}));
    BOOST_TEST(keys(m) == (strings{"z", "x", "y"}), boost::test_tools::per_element());
    BOOST_TEST(std::get<double>(*m.find("x")) == 2.0);
    BOOST_TEST(m.find("old") == nullptr);
    BOOST_TEST(m.assign({}));
    BOOST_TEST(m.empty());
}

/// Keys of all lengths over few bytes: prefixes of each other, alike for eight bytes and more.
std::vector<hurray::metadata_entry> alike_keys(std::size_t count) {
    std::mt19937_64 random(7);
    constexpr std::string_view letters("\0\x01 az\x7F", 6);
    std::set<std::string> all;
    while (all.size() < count) {
        std::string key = random() % 3 == 0 ? "the same " : "";
        for (auto length = 1 + random() % 12; length != 0; --length)
            key += letters[random() % letters.size()];
        all.insert(key);
    }
    std::vector<hurray::metadata_entry> entries;
    for (auto const& key : all) entries.push_back({key, std::uint64_t{entries.size()}});
    std::shuffle(entries.begin(), entries.end(), random);
    return entries;
}

// Few and many are put in order in different ways.
BOOST_AUTO_TEST_CASE(every_key_is_found_and_the_smallest_repeated_one_refused) {
    for (std::size_t const count : {2u, 255u, 256u, 5000u}) {
        auto entries = alike_keys(count);
        hurray::metadata m;
        BOOST_TEST_REQUIRE(m.assign(entries));
        auto const section = hurray::format::encode_metadata(m).value();
        auto const back = decoded(section).value();
        for (auto const& entry : entries) {
            BOOST_TEST((m.find(entry.key) && *m.find(entry.key) == entry.value), count);
            BOOST_TEST((back.find(entry.key) && *back.find(entry.key) == entry.value), count);
        }
        BOOST_TEST(m.find("the same") == nullptr);

        // Two entries again, behind all others: of the smaller one the second is named.
        auto const [small, large] = std::minmax(entries[0].key, entries[1].key);
        std::string const twice[] = {large, small};
        auto longer = section;
        hurray::wire::appender out(longer);
        std::uint64_t at = 0;
        for (auto const& key : twice) {
            at = longer.size();
            out.number(static_cast<std::uint16_t>(key.size())).bytes(hurray::wire::bytes_of(key));
            out.number(std::uint8_t{5}).number(std::uint8_t{1});
        }
        auto const all = static_cast<std::uint32_t>(count + 2);
        std::memcpy(longer.data(), &all, sizeof all);
        auto const refused = decoded(longer);
        BOOST_TEST_REQUIRE(!refused);
        BOOST_TEST((refused.error().code == hurray::errc::duplicate_metadata_key));
        BOOST_TEST(refused.error().offset == at, count);
    }
}

BOOST_AUTO_TEST_CASE(equality_is_of_entries_in_order) {
    hurray::metadata const a{{"x", 1.0}, {"y", 2.0}}, b{{"y", 2.0}, {"x", 1.0}};
    BOOST_TEST((a == a));
    BOOST_TEST((a != b));
    BOOST_TEST((hurray::metadata{{"x", 1.0}} != hurray::metadata{{"x", std::int64_t{1}}}));
}

BOOST_AUTO_TEST_CASE(R_057_every_kind_goes_to_bytes_and_back) {
    auto const all = everything();
    auto const section = hurray::format::encode_metadata(all).value();
    for (auto const mode : {hurray::mode::strict, hurray::mode::permissive}) {
        auto const back = decoded(section, mode).value();
        BOOST_TEST((back == all));
        BOOST_TEST(std::signbit(std::get<double>(*back.find("float64"))));
    }
    // NaN payloads are kept, though no NaN equals itself.
    auto const nan = std::bit_cast<double>(std::uint64_t{0x7FF8000000001234});
    auto const nans = hurray::format::encode_metadata({{"n", nan}}).value();
    auto const kept = std::get<double>(*decoded(nans)->find("n"));
    BOOST_TEST(std::bit_cast<std::uint64_t>(kept) == 0x7FF8000000001234u);
}

// The bytes as the format's table has them.
BOOST_AUTO_TEST_CASE(R_060_R_062_the_bytes_are_those_of_the_format) {
    reference_bytes expected;
    expected.u32(4);
    expected.u16(1).text("s").u8(1).u32(2).text("hi");
    expected.u16(1).text("i").u8(2).u64(~std::uint64_t{0});
    expected.u16(1).text("b").u8(5).u8(1);
    expected.u16(1).text("a").u8(7).u8(1).u32(2).u32(1).text("x").u32(0);
    hurray::metadata const m{{"s", "hi"s},
                             {"i", std::int64_t{-1}},
                             {"b", true},
                             {"a", metadata_array(strings{"x", ""})}};
    BOOST_TEST(hex(hurray::format::encode_metadata(m).value()) == hex(expected.all()));
    BOOST_TEST((decoded(expected.all()).value() == m));
}

// Counts far above what is there are refused before anything is allocated for them.
BOOST_AUTO_TEST_CASE(R_057_R_062_counts_beyond_the_bytes) {
    reference_bytes entries, elements;
    entries.u32(0xFFFFFFFF).zeros(100);
    BOOST_TEST(decoded(entries.all()).error().code == hurray::errc::metadata_length_mismatch);
    elements.u32(1).u16(1).text("a").u8(7).u8(5).u32(0xFFFFFFFF).zeros(100);
    BOOST_TEST(decoded(elements.all()).error().code == hurray::errc::bad_metadata_array);
}

BOOST_AUTO_TEST_CASE(every_prefix_is_refused) {
    auto const section = hurray::format::encode_metadata(everything()).value();
    for (std::size_t n = 0; n < section.size(); n += n < 1200 ? 1 : 997)
        for (auto const mode : {hurray::mode::strict, hurray::mode::permissive})
            BOOST_TEST(!decoded(std::span(section).first(n), mode).has_value(), n);
}

BOOST_AUTO_TEST_CASE(through_a_file) {
    memory_sink memory;
    auto out = hurray::writer::onto(memory, {.metadata = everything()}).value();
    out.close().value();
    auto const file = hurray::file_view::parse(*memory.got).value();
    BOOST_TEST((file.metadata() == everything()));
    BOOST_TEST(file.notes().empty());
}

BOOST_AUTO_TEST_SUITE_END()
