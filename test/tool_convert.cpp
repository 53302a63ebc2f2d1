// hurray convert.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>

#include "tool_run.hpp"

namespace {

using namespace tool_run;

std::filesystem::path shared(char const* folder) {
    return std::filesystem::path(HURRAY_SHARED) / folder;
}

/// the reference leaves the header's key-value flag off; ours says what is there.
std::string with_key_value_flag(std::string bytes) {
    bytes[12] = static_cast<char>(bytes[12] | 1);
    return bytes;
}

std::string market(workplace const& place, std::string const& field, std::string const& entries) {
    return place.write("m.mtx",
                       "%%MatrixMarket matrix coordinate " + field + " general\n" + entries);
}

/// A matrix "A" large enough for every way to transpose.
std::string generated(workplace const& place, char const* type = "float64") {
    auto const path = place.path("big.hrry");
    place.good({"generate", path, "--kind", "uniform", "--rows", "3000", "--columns", "20000",
                "--nnz", "150000", "--name", "A", "--type", type, "--quiet"});
    return path;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_convert)

BOOST_AUTO_TEST_CASE(every_reference_file_is_copied_byte_for_byte) {
    if (!there_is_a_tool()) return;
    if (!std::filesystem::is_directory(shared("golden"))) {
        BOOST_TEST_MESSAGE("not run: no reference files here");
        return;
    }
    workplace const place;
    auto const out = place.path("out.hrry");
    unsigned copied = 0;
    for (auto const& entry : std::filesystem::directory_iterator(shared("golden"))) {
        auto const& path = entry.path();
        if (path.extension() != ".hrry") continue;
        BOOST_TEST_CONTEXT(path) {
            place.good({"convert", path.string(), out, "--quiet"});
            ++copied;
            // Its members are padded, which the format forbids.
            if (path.stem() == "composite_partition") {
                place.good({"verify", out, "--quiet"});
                continue;
            }
            auto const made = content(out);
            auto const theirs = content(path);
            BOOST_TEST((made == theirs || made == with_key_value_flag(theirs)));
        }
    }
    BOOST_TEST(copied > 40u);
    BOOST_TEST_MESSAGE(copied << " reference files copied");
}

BOOST_AUTO_TEST_CASE(there_and_back_in_memory_and_on_disk) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const csc = place.path("csc.hrry"), again = place.path("again.hrry");
    for (auto const* const type : {"float64", "bool", "complex64", "float6_e2m3"}) {
        auto const csr = generated(place, type);
        for (auto const* const memory : {"1G", "64K"})
            for (auto const* const checksums : {"off", "on"}) {
                BOOST_TEST_CONTEXT(type << ' ' << memory << " checksums " << checksums) {
                    place.good({"convert", csr, csc, "--layout", "csc", "--memory", memory,
                                "--checksums", checksums, "--quiet"});
                    place.good({"verify", csc, "--quiet"});
                    BOOST_TEST(contains(place.good({"inspect", csc}), "csc"));
                    place.good({"convert", csc, again, "--layout", "csr", "--memory", memory,
                                "--checksums", "off", "--quiet"});
                    BOOST_TEST((content(again) == content(csr)));
                }
            }
    }
    BOOST_TEST(place.files().size() == 3u);  // nothing temporary is left
}

BOOST_AUTO_TEST_CASE(types_change_exactly_or_not_at_all) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const from = place.path("i.hrry"), to = place.path("o.hrry"), back = place.path("b.hrry");
    place.good({"import", market(place, "integer", "2 3 3\n1 1 -128\n1 3 7\n2 2 127\n"), from,
                "--name", "A", "--type", "int8", "--quiet"});
    for (auto const* const type :
         {"int16", "int64", "float16", "float32", "complex128", "float128"}) {
        place.good({"convert", from, to, "--type", type, "--quiet"});
        place.good({"convert", to, back, "--type", "int8", "--quiet"});
        BOOST_TEST_CONTEXT(type) { BOOST_TEST((content(back) == content(from))); }
    }
    std::filesystem::remove(to);
    for (auto const* const type : {"uint8", "int4", "bool", "float8_e5m2"}) {
        auto const did = place.run({"convert", from, to, "--type", type});
        BOOST_TEST_CONTEXT(type << ": " << did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(contains(did.err, "\"A\": row "));
            BOOST_TEST(!std::filesystem::exists(to));
        }
    }
}

BOOST_AUTO_TEST_CASE(tensors_are_chosen_and_renamed) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const a = place.path("a.hrry"), out = place.path("out.hrry");
    auto const one =
        place.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 0\n");
    auto const two =
        place.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 0\n");
    place.good({"import", one, two, a, "--meta", "k=v", "--quiet"});
    place.good({"convert", a, out, "--only", "two", "--rename", "two", "A", "--alignment", "64K",
                "--quiet"});
    auto const file = hurray::file::open(out).value();
    BOOST_TEST(file.tensors().size() == 1u);
    BOOST_TEST(file.tensors()[0].name == "A");
    BOOST_TEST(file.data_alignment() == 65536u);
    BOOST_TEST(file.metadata().size() == 1u);
    auto const close = place.run({"convert", a, out, "--only", "twoo"});
    BOOST_TEST(close.status == 2);
    BOOST_TEST(contains(close.err, "\"two\""));
    auto const same = place.run({"convert", a, out, "--rename", "two", "one"});
    BOOST_TEST(same.status == 2);
}

BOOST_AUTO_TEST_CASE(a_file_is_replaced_only_when_that_is_asked_for) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = generated(place);
    auto const before = content(path);
    auto const refused = place.run({"convert", path, path, "--layout", "csc"});
    BOOST_TEST(refused.status == 2);
    BOOST_TEST((content(path) == before));
    place.good({"convert", path, "--replace", "--layout", "csc", "--quiet"});
    BOOST_TEST((content(path) != before));
    place.good({"convert", path, "--replace", "--layout", "csr", "--quiet"});
    BOOST_TEST((content(path) == before));
    BOOST_TEST(place.files().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_damaged_is_not_copied) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = generated(place);
    auto const out = place.path("out.hrry");
    auto const summed = place.path("summed.hrry");
    place.good({"convert", path, summed, "--checksums", "on", "--quiet"});
    auto const damage = [](std::string const& file, std::uint64_t at) {
        auto bytes = content(file);
        bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
        std::ofstream(file, std::ios::binary) << bytes;
    };
    auto const whole = hurray::file::open(path).value();
    auto const buffers = whole.describe("A").value().buffers;
    damage(path, buffers[1].offset + 805);    // an index far too large
    damage(summed, buffers[0].offset + 801);  // a value, which nothing but a checksum tells
    for (auto const& file : {path, summed}) {
        auto const did = place.run({"convert", file, out, "--layout", "csc"});
        BOOST_TEST_CONTEXT(did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(!std::filesystem::exists(out));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
