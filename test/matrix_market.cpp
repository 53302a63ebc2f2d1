// Matrix Market files in and out of the program: what is imported and exported again is equal, and
// what is wrong is refused with its line.

#include "tool_run.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <sstream>
#include <utility>

#include <hurray/file.hpp>

namespace {

using namespace tool_run;

using position = std::pair<std::uint64_t, std::uint64_t>;
using number = std::complex<long double>;  // holds every 64-bit integer exactly
using entries = std::map<position, number>;

/// A second reader, as plain as can be: it has no thread, no type and no error.
entries read_plainly(std::string const& text) {
    std::istringstream in(text);
    std::string line, word, format, field, symmetry;
    std::getline(in, line);
    std::istringstream(line) >> word >> word >> format >> field >> symmetry;
    do std::getline(in, line);
    while (line.empty() || line[0] == '%');
    std::uint64_t rows = 0, columns = 0;
    std::istringstream(line) >> rows >> columns;
    entries all;
    std::uint64_t row = 0, column = 0;
    auto const lowest = [&] { return symmetry == "general" ? 0 : column; };
    while (std::getline(in, line)) {
        std::istringstream words(line);
        if (format == "coordinate") {
            if (!(words >> row >> column)) continue;
            --row, --column;
        }
        number value = 1;
        if (field != "pattern") {
            std::string real, imaginary = "0";
            words >> real >> imaginary;
            value = {std::strtold(real.c_str(), nullptr), std::strtold(imaginary.c_str(), nullptr)};
        }
        all[{row, column}] = value;
        if (symmetry != "general" && row != column)
            all[{column, row}] = symmetry == "hermitian"        ? std::conj(value)
                                 : symmetry == "skew-symmetric" ? -value
                                                                : value;
        if (format == "array" && ++row == rows) ++column, row = lowest();
    }
    return all;
}

bool same(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(entries const& a, entries const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto const& x, auto const& y) {
        return x.first == y.first && same(x.second.real(), y.second.real()) &&
               same(x.second.imag(), y.second.imag());
    });
}

/// The real matrices, or the one in this repository.
std::vector<std::filesystem::path> real_matrices() {
    auto folder = std::filesystem::path(HURRAY_SHARED) / "matrices";
    if (std::string_view(HURRAY_SHARED).empty() || !std::filesystem::is_directory(folder)) {
        BOOST_TEST_MESSAGE("no ../shared/matrices here: only the matrices of test/data are tried");
        folder = HURRAY_TEST_DATA;
    }
    std::vector<std::filesystem::path> found;
    for (auto const& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".mtx") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    BOOST_REQUIRE(!found.empty());
    return found;
}

bool is_mangled(std::filesystem::path const& path) {
    return contains(path.filename().string(), "mangled");
}

std::string coordinate(std::string const& field, std::string const& body) {
    return "%%MatrixMarket matrix coordinate " + field + '\n' + body;
}

/// The text that comes out when `text` is imported and exported.
std::string there_and_back(workplace const& place, std::string const& text,
                           std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {
        "import", place.write("in.mtx", text), place.path("in.hrry"), "--name", "A", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    place.good(arguments);
    place.good({"verify", place.path("in.hrry")});
    return place.good({"export", place.path("in.hrry"), "A", "-"});
}

outcome import_text(workplace const& place, std::string const& text,
                    std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"import", place.write("in.mtx", text),
                                          place.path("in.hrry")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return place.run(arguments);
}

struct refusal {
    char const* text;
    char const* line;
    char const* reason;
};

/// A large matrix in column order, with its entries, for several threads to read.
std::string many_lines(unsigned count, unsigned wrong_at = 0) {
    auto text = coordinate("integer general", "40000 50000 " + std::to_string(count) + '\n');
    for (unsigned i = 0; i < count; ++i) {
        auto const row = i * 7919U % 40000 + 1, column = i / 8 % 50000 + 1;
        if (i % 1000 == 1) text += "% a comment\n\n";
        text += std::to_string(i == wrong_at && i != 0 ? 40001 : row) + ' ' +
                std::to_string(column) + ' ' + std::to_string(i) + '\n';
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matrix_market)

BOOST_AUTO_TEST_CASE(every_real_matrix_comes_back_equal) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (auto const& path : real_matrices()) {
        if (is_mangled(path)) continue;
        auto const expected = read_plainly(content(path));
        for (std::string const layout : {"csr", "csc"}) {
            BOOST_TEST_CONTEXT(path << ' ' << layout) {
                auto const file = place.path("m.hrry");
                place.good({"import", path.string(), file, "--layout", layout, "--name", "A"});
                place.good({"verify", file});
                auto const back = place.good({"export", file, "A", "-"});
                BOOST_TEST(same(read_plainly(back), expected));
                auto const again = place.write("again.mtx", back);
                place.good(
                    {"import", again, place.path("n.hrry"), "--layout", layout, "--name", "A"});
                BOOST_TEST((content(place / "m.hrry") == content(place / "n.hrry")));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(every_mangled_matrix_is_refused_with_its_line) {
    if (!there_is_a_tool()) return;
    workplace const place;
    unsigned tried = 0;
    for (auto const& path : real_matrices()) {
        if (!is_mangled(path)) continue;
        ++tried;
        auto const did = place.run({"import", path.string(), place.path("m.hrry")});
        BOOST_TEST_CONTEXT(path << ": " << did.err) {
            BOOST_TEST(did.status == 1);
            auto const line = path.filename() == "mangled_int8.mtx" ? "line 8: " : "line 1: ";
            BOOST_TEST(contains(did.err, path.string() + ", " + line));
            BOOST_TEST(place.files().empty());
        }
    }
    if (tried == 0) BOOST_TEST_MESSAGE("no mangled matrices here");
}

BOOST_AUTO_TEST_CASE(the_order_of_entries_does_not_matter) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const a =
        there_and_back(place, coordinate("real general", "2 2 3\n1 1 1\n1 2 2\n2 1 3\n"));
    auto const b =
        there_and_back(place, coordinate("real general", "2 2 3\n2 1 3\n1 2 2\n1 1 1\n"));
    BOOST_TEST(a == b);
    BOOST_TEST(contains(a, "2 2 3\n1 1 1\n1 2 2\n2 1 3\n"));
}

BOOST_AUTO_TEST_CASE(symmetries_are_expanded) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const symmetric =
        there_and_back(place, coordinate("real symmetric", "2 2 2\n1 1 5\n2 1 -3\n"));
    BOOST_TEST(contains(symmetric, "2 2 3\n1 1 5\n1 2 -3\n2 1 -3\n"));
    auto const skew =
        there_and_back(place, coordinate("integer skew-symmetric", "2 2 2\n1 1 0\n2 1 -3\n"));
    BOOST_TEST(contains(skew, "2 2 3\n1 1 0\n1 2 3\n2 1 -3\n"));
    auto const hermitian =
        there_and_back(place, coordinate("complex hermitian", "2 2 2\n1 1 5 0\n2 1 1 2\n"));
    BOOST_TEST(contains(hermitian, "2 2 3\n1 1 5 0\n1 2 1 -2\n2 1 1 2\n"));
    auto const array = there_and_back(place, "%%MatrixMarket matrix array real skew-symmetric\n"
                                             "3 3\n1\n2\n3\n");
    BOOST_TEST(contains(array, "3 3 6\n1 2 -1\n1 3 -2\n2 1 1\n2 3 -3\n3 1 2\n3 2 3\n"));
}

BOOST_AUTO_TEST_CASE(the_field_gives_the_type_unless_something_else_does) {
    if (!there_is_a_tool()) return;
    workplace const place;
    std::string const body = "1 1 1\n1 1 1\n";
    auto const type_line = [&](std::string const& text, std::vector<std::string> options = {}) {
        auto const back = there_and_back(place, text, std::move(options));
        auto const at = back.find('\n') + 1;
        return back[at] == '%' ? back.substr(at, back.find('\n', at) - at) : std::string("-");
    };
    BOOST_TEST(type_line(coordinate("real general", body)) == "-");
    BOOST_TEST(type_line(coordinate("integer general", body)) == "-");
    BOOST_TEST(type_line(coordinate("complex general", "1 1 1\n1 1 1 2\n")) == "-");
    BOOST_TEST(type_line(coordinate("pattern general", "1 1 1\n1 1\n")) ==
               "%%GraphBLAS type uint8_t");
    BOOST_TEST(type_line(coordinate("unsigned-integer general", body)) ==
               "%%GraphBLAS type uint64_t");
    BOOST_TEST(type_line(coordinate("integer general", "%%GraphBLAS type float\n" + body)) ==
               "%%GraphBLAS type float");
    BOOST_TEST(type_line(coordinate("integer general", "%%GraphBLAS type float\n" + body),
                         {"--type", "int4"}) == "%%Hurray type int4");
    BOOST_TEST(type_line(coordinate("real general", body), {"--type", "complex64"}) ==
               "%%GraphBLAS type float complex");
}

BOOST_AUTO_TEST_CASE(values_of_every_type_come_back_to_the_bit) {
    if (!there_is_a_tool()) return;
    // Each line must come back as it is, so every one is written as the program writes it.
    std::vector<std::pair<std::string, std::vector<std::string>>> const types = {
        {"float16", {"65504", "-5.9604645e-08", "0.33325195", "inf", "-inf", "nan", "nan(0xfe00)"}},
        {"bfloat16", {"3.3895314e+38", "-9.1835e-41", "inf", "nan", "nan(0x7f81)"}},
        {"float32", {"3.4028235e+38", "-1e-45", "0.1", "-0", "nan", "nan(0xffc00001)"}},
        {"float64",
         {"1.7976931348623157e+308", "5e-324", "0.1", "-inf", "nan", "nan(0x7ff0000000000001)"}},
        {"int8", {"-128", "127", "0"}},
        {"uint8", {"255", "0"}},
        {"int16", {"-32768", "32767"}},
        {"uint16", {"65535"}},
        {"int32", {"-2147483648", "2147483647"}},
        {"uint32", {"4294967295"}},
        {"int64", {"-9223372036854775808", "9223372036854775807"}},
        {"uint64", {"18446744073709551615"}},
        {"bool", {"0", "1", "1"}},
        {"float8_e4m3", {"448", "-0.001953125", "nan", "nan(0xff)"}},
        {"float8_e5m2", {"57344", "1.5258789e-05", "inf", "nan", "nan(0xfd)"}},
        {"float8_e8m0", {"1.7014118e+38", "1.1754944e-38", "1"}},
        {"float4_e2m1", {"6", "-0.5", "-0"}},
        {"float6_e2m3", {"7.5", "-0.125"}},
        {"float6_e3m2", {"28", "-0.0625"}},
        {"float128",
         {"0.1", "-0", "inf", "nan", "1e-300", "0x1.921fb54442d18469898cc51701b8p1",
          "-0x1.0000000000000000000000000001p-16382", "0x0.0000000000000000000000000001p-16382",
          "0x1.ffffffffffffffffffffffffffffp16383", "nan(0xffff8000000000000000000000000001)"}},
        {"int4", {"-8", "7", "0"}},
        {"uint4", {"15", "0"}},
        {"int2", {"-2", "1"}},
        {"uint2", {"3", "0"}},
        {"complex64", {"0.1 -3.4028235e+38", "nan inf", "-0 0"}},
        {"complex128", {"0.1 5e-324", "nan(0xfff8000000000000) -inf"}},
    };
    BOOST_TEST(types.size() == hurray::element_types.size());
    workplace const place;
    for (auto const& [type, values] : types) {
        std::string const field = contains(type, "complex")                 ? "complex"
                                  : contains(type, "int") || type == "bool" ? "integer"
                                                                            : "real";
        auto body =
            "1 " + std::to_string(values.size()) + ' ' + std::to_string(values.size()) + '\n';
        for (std::size_t i = 0; i < values.size(); ++i)
            body += "1 " + std::to_string(i + 1) + ' ' + values[i] + '\n';
        BOOST_TEST_CONTEXT(type) {
            auto const back = there_and_back(
                place, coordinate(field + " general", "%%Hurray type " + type + '\n' + body));
            BOOST_TEST(back.substr(back.size() - std::min(back.size(), body.size())) == body);
        }
    }
}

BOOST_AUTO_TEST_CASE(reference_files_of_every_type_come_back_to_the_bit) {
    if (!there_is_a_tool()) return;
    auto const folder = std::filesystem::path(HURRAY_SHARED) / "golden";
    if (!std::filesystem::is_directory(folder)) {
        BOOST_TEST_MESSAGE("not run: no reference files here");
        return;
    }
    workplace const place;
    unsigned compared = 0;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        auto const name = entry.path().filename().string();
        if (name.rfind("type_", 0) != 0) continue;
        auto const from = hurray::file::open(entry.path()).value();
        for (auto const& listed : from.tensors()) {
            auto const what = from.describe(listed.name).value();
            BOOST_TEST_CONTEXT(name << ' ' << listed.name) {
                std::string const tensor(listed.name);
                place.good({"export", entry.path().string(), tensor, place.path("a.mtx")});
                place.good({"import", place.path("a.mtx"), place.path("a.hrry"), "--layout",
                            std::string(hurray::name(what.descriptor.layout)), "--name", tensor});
                auto const back = hurray::file::open(place / "a.hrry").value();
                auto const same_what = back.describe(tensor).value();
                BOOST_REQUIRE(what.buffers.size() == same_what.buffers.size());
                for (std::size_t i = 0; i < what.buffers.size(); ++i) {
                    auto const a = what.buffers[i], b = same_what.buffers[i];
                    auto const bytes = from.bytes().subspan(a.offset, a.length);
                    auto const others = back.bytes().subspan(b.offset, b.length);
                    BOOST_TEST(
                        std::equal(bytes.begin(), bytes.end(), others.begin(), others.end()));
                    ++compared;
                }
            }
        }
    }
    BOOST_TEST(compared >= 26 * 3);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_refused_with_its_line) {
    if (!there_is_a_tool()) return;
    std::string const real = "%%MatrixMarket matrix coordinate real general\n";
    auto const table = std::to_array<refusal>({
        {"", "line 1", "empty"},
        {"1 1 1\n", "line 1", "does not begin with %%MatrixMarket"},
        {"%%MatrixMarket matrix coordinate real\n", "line 1", "the banner must read"},
        {"%%MatrixMarket vector coordinate real general\n", "line 1", "\"vector\""},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", "line 1", "hermitian"},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "line 1", "negate"},
        {"%%MatrixMarket matrix coordinate real general\n% only\n", "line 2", "before its size"},
        {"%%MatrixMarket matrix coordinate real general\n\n1 1\n", "line 3",
         "ROWS COLUMNS ENTRIES"},
        {"%%MatrixMarket matrix coordinate real general\n1 x 1\n", "line 2", "\"x\" is not a size"},
        {"%%MatrixMarket matrix coordinate real general\n1 18446744073709551615 0\n", "line 2",
         "too large"},
        {"%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n", "line 2", "as many columns"},
        {"%%MatrixMarket matrix coordinate real general\n%%GraphBLAS type int7_t\n1 1 0\n",
         "line 2", "no type \"int7_t\""},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n% c\n\n3 1 1\n", "line 5",
         "row 3 is outside 1 ... 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 0 1\n", "line 3",
         "column 0 is outside 1 ... 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n-1 1 1\n", "line 3",
         "\"-1\" is not a row number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1\n", "line 3", "no column"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n99999999999999999999 1 1\n",
         "line 3", "is outside 1 ... 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "line 3", "no value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2 3\n", "line 3",
         "\"3\" follows the entry"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 one\n", "line 3",
         "\"one\" is not a number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e400\n", "line 3",
         "outside float64"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n", "line 4",
         "after 2 of 3 entries"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n\n2 2 1\n", "line 5",
         "one entry more than the 1"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 1 1\n", "line 5",
         "was given in line 3"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", "line 4",
         "was given in line 3"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "line 3",
         "not a whole number"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9223372036854775808\n",
         "line 3", "outside int64"},
        {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint8_t\n"
         "1 1 1\n1 1 -1\n",
         "line 4", "outside uint8"},
        {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type bool\n1 1 1\n1 1 2\n",
         "line 4", "outside bool"},
        {"%%MatrixMarket matrix coordinate real general\n%%Hurray type float8_e4m3\n1 1 1\n"
         "1 1 inf\n",
         "line 4", "outside float8_e4m3"},
        {"%%MatrixMarket matrix coordinate real general\n%%Hurray type float8_e8m0\n1 1 1\n"
         "1 1 0\n",
         "line 4", "outside float8_e8m0"},
        {"%%MatrixMarket matrix coordinate real general\n%%Hurray type float16\n1 1 1\n"
         "1 1 65520\n",
         "line 4", "outside float16"},
        {"%%MatrixMarket matrix coordinate complex general\n%%GraphBLAS type double\n1 1 1\n"
         "1 1 1 2\n",
         "line 4", "complex value is outside float64"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n", "line 3",
         "the diagonal of a skew-symmetric matrix is zero"},
        {"%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 1\n", "line 3",
         "the diagonal of a hermitian matrix is real"},
        {"%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type int8_t\n"
         "2 2 1\n2 1 -128\n",
         "line 4", "the negative of this value"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n", "line 3", "after 1 of 2"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", "line 5", "one value more"},
        {"%%MatrixMarket matrix array real general\n4294967296 4294967296\n", "line 2",
         "too many values"},
    });
    workplace const place;
    for (auto const& row : table) {
        auto const did = import_text(place, row.text);
        BOOST_TEST_CONTEXT(row.text << "\ngave: " << did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(contains(did.err, std::string("in.mtx, ") + row.line + ": "));
            BOOST_TEST(contains(did.err, row.reason));
            BOOST_TEST(place.files().size() == 1U);  // nothing beside the input
        }
    }
}

BOOST_AUTO_TEST_CASE(what_people_write_is_understood) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const back = there_and_back(place, "%%matrixmarket MATRIX Coordinate Real General\r\n"
                                            "%\r\n"
                                            "   % indented\r\n"
                                            "\r\n"
                                            " 2\t3  5 \r\n"
                                            "\r\n"
                                            "1 1 +1.5\r\n"
                                            "% between\r\n"
                                            "\t1 2 1.5D+01\r\n"
                                            "1 3 -Infinity\r\n"
                                            "2 1 .25\r\n"
                                            "2 2 1e-400");
    BOOST_TEST(contains(back, "2 3 5\n1 1 1.5\n1 2 15\n1 3 -inf\n2 1 0.25\n2 2 0\n"));
    auto const whole =
        there_and_back(place, coordinate("integer general", "1 3 3\n1 1 1e3\n1 2 +5.0\n1 3 -0\n"));
    BOOST_TEST(contains(whole, "1 1 1000\n1 2 5\n1 3 0\n"));
}

BOOST_AUTO_TEST_CASE(standard_input_and_gzip) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const text = many_lines(1000);
    auto const plain = place.write("m.mtx", text);
    place.good({"import", plain, place.path("a.hrry")});
    auto const piped = place.shell("cat " + in_single_quotes(plain) + " |",
                                   {"import", "-", place.path("b.hrry"), "--name", "m"});
    BOOST_TEST(piped.status == 0);
    BOOST_TEST((content(place / "a.hrry") == content(place / "b.hrry")));
    if (std::system("gzip --version > /dev/null 2>&1") != 0) {
        BOOST_TEST_MESSAGE("not run: there is no gzip here");
        return;
    }
    auto const packed = place.path("m.mtx.gz");
    BOOST_REQUIRE(place
                      .shell("gzip -c " + in_single_quotes(plain) + " > " +
                                 in_single_quotes(packed) + " ; true",
                             {"--version"})
                      .status == 0);
    place.good({"import", packed, place.path("c.hrry")});
    BOOST_TEST((content(place / "a.hrry") == content(place / "c.hrry")));
    auto const whole = content(packed);
    auto const cut = place.write("cut.mtx.gz", whole.substr(0, whole.size() / 2));
    auto const did = place.run({"import", cut, place.path("d.hrry")});
    BOOST_TEST(did.status == 1);
    BOOST_TEST(contains(did.err, "cut.mtx.gz"));
}

BOOST_AUTO_TEST_CASE(matrices_without_rows_columns_or_entries) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (std::string const size : {"0 0 0", "0 5 0", "5 0 0", "3 4 0"})
        for (std::string const layout : {"csr", "csc"}) BOOST_TEST_CONTEXT(size) {
                auto const back = there_and_back(place, coordinate("real general", size + '\n'),
                                                 {"--layout", layout});
                BOOST_TEST(contains(back, '\n' + size + '\n'));
            }
}

BOOST_AUTO_TEST_CASE(duplicates_are_summed_when_asked) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const text = coordinate("integer general", "2 2 5\n1 2 1\n2 1 4\n1 2 2\n2 2 5\n1 2 3\n");
    auto const back = there_and_back(place, text, {"--sum-duplicates"});
    BOOST_TEST(contains(back, "2 2 3\n1 2 6\n2 1 4\n2 2 5\n"));
    auto const small = import_text(place,
                                   coordinate("integer general", "%%GraphBLAS type int8_t\n1 1 2\n"
                                                                 "1 1 100\n1 1 100\n"),
                                   {"--sum-duplicates"});
    BOOST_TEST(small.status == 1);
    BOOST_TEST(contains(small.err, "row 1, column 1 is outside int8"));
}

BOOST_AUTO_TEST_CASE(threads_change_nothing) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = place.write("big.mtx", many_lines(200'000));
    for (std::string const layout : {"csr", "csc"}) {
        place.good({"import", path, place.path("1.hrry"), "--threads", "1", "--layout", layout});
        place.good({"import", path, place.path("4.hrry"), "--threads", "4", "--layout", layout});
        BOOST_TEST((content(place / "1.hrry") == content(place / "4.hrry")));
        auto const back = place.good({"export", place.path("4.hrry"), "big", "-"});
        BOOST_TEST(same(read_plainly(back), read_plainly(content(path))));
    }
}

BOOST_AUTO_TEST_CASE(the_line_is_right_in_every_thread) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (unsigned const at : {5U, 60'000U, 199'999U}) {
        auto const text = many_lines(200'000, at);
        auto const wrong = text.find("\n40001 ");
        auto const line =
            std::count(text.begin(), text.begin() + static_cast<long>(wrong), '\n') + 2;
        auto const did = import_text(place, text, {"--threads", "4"});
        BOOST_TEST(did.status == 1);
        BOOST_TEST(contains(did.err, "line " + std::to_string(line) + ": row 40001 "));
    }
}

BOOST_AUTO_TEST_SUITE_END()
