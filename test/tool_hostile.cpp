// Inputs and outputs of the program that are not what they seem: nothing is lost, nothing is
// passed on that is wrong.

#include "tool_run.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <hurray/file.hpp>
#include <hurray/writer.hpp>

#include "bytes.hpp"
#include "samples.hpp"

namespace {

using namespace tool_run;

/// A file with matrices "A" and "B" and a checksum of everything.
std::string summed_file(workplace const& place) {
    auto const mtx = place.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                          "3 4 4\n1 2 1.5\n1 4 -2\n3 1 0.1\n3 2 7\n");
    auto const file = place.path("a.hrry");
    std::filesystem::copy_file(mtx, place / "B.mtx");
    place.good({"import", mtx, place.path("B.mtx"), file, "--checksums", "--quiet"});
    return file;
}

void flip(std::string const& path, std::string const& tensor, std::size_t buffer,
          std::uint64_t byte) {
    std::uint64_t at = 0;
    {
        auto const file = hurray::file::open(path).value();
        at = file.describe(tensor).value().buffers[buffer].offset + byte;
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    auto const before = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(before ^ 1));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_hostile)

BOOST_AUTO_TEST_CASE(rot_gets_no_new_checksums) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = summed_file(place), out = place.path("out.hrry");
    place.good({"split", file, out, "--name", "A", "--parts", "2"});
    place.good({"stats", file, "A", "--write", place.path("stats.hrry")});
    auto const part = place.path("part.hrry");
    place.good({"split", file, part, "--name", "A", "--parts", "2", "--files"});
    flip(place.path("part.1.hrry"), "A.1", 0, 1);
    flip(file, "B", 0, 1);
    BOOST_TEST(place.run({"verify", file}).status == 1);
    // Of one matrix, the other is whole; a copy of both is refused.
    place.good({"split", file, out, "--name", "A", "--parts", "2"});
    BOOST_TEST(place.run({"stats", file, "A", "--write", place.path("s.hrry")}).status == 1);
    BOOST_TEST(
        place.run({"split", file, place.path("s.hrry"), "--name", "B", "--parts", "2"}).status ==
        1);
    BOOST_TEST(place
                   .run({"join", place.path("part.0.hrry"), place.path("part.1.hrry"),
                         place.path("s.hrry")})
                   .status == 1);
    BOOST_TEST(!std::filesystem::exists(place / "s.hrry"));
}

BOOST_AUTO_TEST_CASE(what_is_read_is_not_written) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = summed_file(place);
    auto const before = content(file);
    BOOST_TEST(place.run({"split", file, file, "--name", "A", "--parts", "2"}).status == 2);
    std::filesystem::rename(file, place / "x.1.hrry");
    auto const named = place.path("x.1.hrry");
    BOOST_TEST(
        place.run({"split", named, place.path("x.hrry"), "--name", "A", "--parts", "2", "--files"})
            .status == 2);
    BOOST_TEST(!std::filesystem::exists(place / "x.0.hrry"));
    BOOST_TEST(content(named) == before);
    auto const whole = place.path("whole.hrry");
    place.good({"split", named, whole, "--name", "A", "--parts", "2"});
    auto const parts = content(whole);
    BOOST_TEST(place.run({"join", whole, whole}).status == 2);
    BOOST_TEST(content(whole) == parts);
}

BOOST_AUTO_TEST_CASE(numbers_of_quantized_matrices_are_not_passed_on) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto d = hurray_test::make::matrix(hurray::layout::csr, hurray::element_type::int8, 2, 3, 2);
    d.quantization = hurray::quantization{hurray::per_tensor_affine{0.5f, -3}};
    auto const values = hurray_test::byte_writer().u8(1).u8(2).take();
    auto const all = hurray_test::file_builder()
                         .tensor("t", d,
                                 {values, hurray_test::byte_writer().u64(0).u64(1).take(),
                                  hurray_test::byte_writer().u64(0).u64(1).u64(2).take()})
                         .build();
    hurray_test::write_file(place / "q.hrry", all);
    auto const file = place.path("q.hrry");
    place.good({"verify", file});
    place.good({"convert", file, place.path("copy.hrry")});
    for (auto const& call :
         {std::vector<std::string>{"split", file, place.path("o.hrry"), "--parts", "2"},
          {"export", file, "t", place.path("o.mtx")},
          {"export", file, "t", place.path("o.npz")}}) {
        auto const did = place.run(call);
        BOOST_TEST(did.status == 1);
        BOOST_TEST(contains(did.err, "quantized"));
    }
}

BOOST_AUTO_TEST_CASE(an_entry_that_no_row_has_is_missed) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = summed_file(place);
    place.good({"convert", file, place.path("plain.hrry"), "--checksums", "off"});
    flip(place.path("plain.hrry"), "A", 2, 0);  // the first row begins at entry 1
    auto const did = place.run({"export", place.path("plain.hrry"), "A", place.path("a.mtx")});
    BOOST_TEST(did.status == 1);
    BOOST_TEST(contains(did.err, "R-102"));
    BOOST_TEST(!std::filesystem::exists(place / "a.mtx"));
}

BOOST_AUTO_TEST_CASE(a_pipe_stays_a_pipe) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = summed_file(place), pipe = place.path("pipe");
    auto const did =
        place.shell("mkfifo " + in_single_quotes(pipe) + "; cat " + in_single_quotes(pipe) + " & ",
                    {"export", file, "A", pipe, "--quiet"}, "; wait");
    BOOST_TEST(did.err == "");
    BOOST_TEST(contains(did.out, "3 4 4\n"));
    BOOST_TEST(std::filesystem::is_fifo(pipe));
    auto const in = place.shell("cat " + in_single_quotes(place.path("A.mtx")) + " > " +
                                    in_single_quotes(pipe) + " & timeout 20",
                                {"import", pipe, place.path("b.hrry"), "--name", "A"});
    BOOST_TEST(in.status == 0, in.err);
    BOOST_TEST(hurray::file::open(place.path("b.hrry"))->csr<double>("A")->value(2, 1) == 7);
}

BOOST_AUTO_TEST_CASE(permissions_of_what_is_replaced_stay) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = summed_file(place), text = place.write("a.mtx", "mine\n");
    auto const mine = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    std::filesystem::permissions(text, mine);
    place.good({"export", file, "A", text});
    BOOST_TEST(contains(content(text), "3 4 4\n"));
    BOOST_TEST((std::filesystem::status(text).permissions() == mine));
}

BOOST_AUTO_TEST_CASE(sizes_alone_take_neither_memory_nor_time) {
    if (!there_is_a_tool()) return;
    workplace const place;
    std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
    auto const limited = std::string("ulimit -v 4000000; timeout 20");
    auto const tall = place.write("tall.mtx", banner + "100000000000 1 0\n");
    auto const refused = place.shell(limited, {"import", tall, place.path("o.hrry")});
    BOOST_TEST(refused.status == 1);
    BOOST_TEST(contains(refused.err, "more than --memory has room for"));
    auto const wide = place.write("wide.mtx", banner + "1 18446744073709551613 0\n");
    auto const file = place.path("wide.hrry");
    place.good({"import", wide, file, "--quiet"});
    BOOST_TEST(place.shell(limited, {"spy", file, "wide", place.path("o.png")}).status == 0);
    BOOST_TEST(place.shell(limited, {"stats", file, "wide"}).status == 1);
}

BOOST_AUTO_TEST_CASE(the_imaginary_part_of_a_diagonal_counts) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const skew = place.write(
        "s.mtx", "%%MatrixMarket matrix coordinate complex skew-symmetric\n1 1 1\n1 1 0 5\n");
    auto const did = place.run({"import", skew, place.path("o.hrry")});
    BOOST_TEST(did.status == 1);
    BOOST_TEST(contains(did.err, "line 3"));
}

BOOST_AUTO_TEST_SUITE_END()
