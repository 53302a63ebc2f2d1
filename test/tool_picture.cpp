// The pictures of hurray spy, read back.

#include "tool_run.hpp"

#include <boost/crc.hpp>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>

namespace {

using namespace tool_run;

struct grey_picture {
    std::uint32_t width = 0, height = 0;
    std::string dots;
    unsigned at(std::size_t y, std::size_t x) const {
        return static_cast<unsigned char>(dots[y * (width + 1) + 1 + x]);
    }
    /// The frame's upper left corner: the first row and column with a long black line.
    std::pair<std::size_t, std::size_t> frame() const {
        for (std::size_t y = 0; y + 30 < height; ++y)
            for (std::size_t x = 0; x + 30 < width; ++x) {
                bool line = true;
                for (std::size_t k = 0; k < 30 && line; ++k)
                    line = at(y + k, x) == 0 && at(y, x + k) == 0;
                if (line) return {y, x};
            }
        return {0, 0};
    }
};

std::uint32_t big_endian(std::string const& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
}

grey_picture read_png(std::string const& bytes) {
    grey_picture read;
    BOOST_REQUIRE(bytes.starts_with("\x89PNG\r\n\x1A\n"));
    std::string packed;
    for (std::size_t at = 8; at < bytes.size();) {
        auto const size = big_endian(bytes, at);
        auto const kind = bytes.substr(at + 4, 4), content = bytes.substr(at + 8, size);
        boost::crc_32_type crc;
        crc.process_bytes(bytes.data() + at + 4, size + 4);
        BOOST_TEST(crc.checksum() == big_endian(bytes, at + 8 + size));
        if (kind == "IHDR") {
            read.width = big_endian(content, 0);
            read.height = big_endian(content, 4);
            BOOST_TEST(content.substr(8) == std::string("\x08\0\0\0\0", 5));
        }
        if (kind == "IDAT") packed += content;
        at += 12 + size;
    }
    std::istringstream from(packed);
    boost::iostreams::filtering_istream unpacked;
    unpacked.push(boost::iostreams::zlib_decompressor());
    unpacked.push(from);
    std::ostringstream dots;
    boost::iostreams::copy(unpacked, dots);
    read.dots = dots.str();
    BOOST_REQUIRE(read.dots.size() == (std::size_t{read.width} + 1) * read.height);
    return read;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_picture)

BOOST_AUTO_TEST_CASE(an_identity_is_a_black_diagonal) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = place.path("i.hrry"), png = place.path("i.png");
    for (std::string const layout : {"csr", "csc"}) {
        place.good({"generate", file, "--kind", "identity", "--rows", "8", "--layout", layout});
        BOOST_TEST(contains(place.good({"spy", file, "matrix", png}), "i.png"));
        auto const shown = read_png(content(png));
        auto const [top, left] = shown.frame();
        BOOST_REQUIRE(top != 0U);
        constexpr std::size_t cell = 125;  // 1000 dots for 8 rows
        for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t j = 0; j < 8; ++j)
                BOOST_TEST(shown.at(top + 1 + i * cell + 60, left + 1 + j * cell + 60) ==
                           (i == j ? 0U : 255U));
    }
    place.good({"spy", file, "matrix", png, "--quiet"});
    BOOST_TEST(place.good({"spy", file, "matrix", "-"}) == content(png));
}

BOOST_AUTO_TEST_CASE(any_shape_has_a_picture) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = place.path("m.hrry"), png = place.path("m.png");
    std::vector<std::pair<std::string, std::string>> const shapes = {
        {"0", "0"}, {"0", "9"}, {"1", "1000000000000"}, {"100000", "3"}, {"1", "1"}, {"3000", "17"},
    };
    for (auto const& [rows, columns] : shapes) {
        auto const mtx = place.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n" +
                                                  rows + ' ' + columns + " 0\n");
        place.good({"import", mtx, file, "--layout", rows.size() < 2 ? "csr" : "csc"});
        place.good({"spy", file, "m", png});
        auto const shown = read_png(content(png));
        BOOST_TEST(shown.width > 50U);
        BOOST_TEST(shown.width < 2100U);
        BOOST_TEST(shown.height < 1200U);
        place.good({"spy", file, "m"});
    }
}

BOOST_AUTO_TEST_SUITE_END()
