// The program as a person meets it: what it prints, what it returns, what it leaves behind.

#include "tool_run.hpp"

#include <algorithm>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <hurray/file.hpp>
#include <hurray/writer.hpp>

namespace {

using namespace tool_run;
using tree = boost::property_tree::ptree;

tree json_of(std::string const& text) {
    std::istringstream in(text);
    tree document;
    BOOST_REQUIRE_NO_THROW(boost::property_tree::read_json(in, document));
    return document;
}

constexpr char const* small = "%%MatrixMarket matrix coordinate real general\n"
                              "3 4 4\n1 2 1.5\n1 4 -2\n3 1 0.1\n3 2 7\n";

/// A file with one small matrix, "A".
std::string small_file(workplace const& place, std::string const& layout = "csr") {
    auto const path = place.path("small.hrry");
    place.good({"import", place.write("small.mtx", small), path, "--name", "A", "--layout", layout,
                "--quiet"});
    std::filesystem::remove(place / "small.mtx");
    return path;
}

/// Makes an index of tensor A zero, so that its row is no longer in order. The byte that is wrong.
std::uint64_t spoil(std::string const& path, std::uint64_t entry = 1) {
    std::uint64_t at = 0;
    {
        auto const file = hurray::file::open(path).value();
        at = file.describe("A").value().buffers[1].offset + 8 * entry;
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\0');
    return at;
}

struct call {
    std::vector<std::string> arguments;
    int status;
    char const* says;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tool)

BOOST_AUTO_TEST_CASE(exit_statuses) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = small_file(place);
    auto const mtx = place.write("a.mtx", small);
    auto const out = place.path("out.hrry");
    auto const text = place.write("text", "not to be lost\n");
    std::vector<call> const calls = {
        {{}, 2, "a command is missing. The commands are"},
        {{"improt", mtx, out}, 2, "Did you mean \"import\"?"},
        {{"--verison"}, 2, "Did you mean \"--version\"?"},
        {{"import", mtx}, 2, "OUT is missing"},
        {{"import", mtx, out, "--layuot", "csc"}, 2, "Did you mean \"--layout\"?"},
        {{"import", mtx, out, "--layout", "coo"}, 2, "csr and csc"},
        {{"import", mtx, out, "--layout"}, 2, "--layout takes LAYOUT"},
        {{"import", mtx, out, "--type", "flaot64"}, 2, "Did you mean \"float64\"?"},
        {{"import", mtx, out, "--memory", "2X"}, 2, "--memory takes a number of bytes"},
        {{"import", mtx, out, "--alignment", "5000"}, 2, "a power of two from 4K to 2M"},
        {{"import", mtx, out, "--threads", "-1"}, 2, "--threads takes a number from 0 to"},
        {{"import", mtx, out, "--meta", "key"}, 2, "--meta takes KEY=VALUE"},
        {{"import", mtx, out, "--dataset", "X"}, 2, "is not an HDF5 file"},
        {{"import", mtx, mtx, out}, 2, "two matrices would be called \"a\""},
        {{"import", file, out}, 2, "is a Hurray file already"},
        {{"import", mtx, place.path("new.mtx")}, 2, "OUT comes last"},
        {{"import", mtx, out, "--checksums", "on"}, 2, "takes no \"on\""},
        {{"import", place.path("absent.mtx"), out}, 3, "absent.mtx: cannot be read"},
        {{"import", mtx, place.path("no/folder/out.hrry")}, 3, "no/folder/out.hrry"},
        {{"import", place.path("."), out}, 3, "not a regular file"},
        {{"convert", file}, 2, "hurray convert IN OUT"},
        {{"convert", file, out, "--checksums", "yes"}, 2, "--checksums takes on or off"},
        {{"convert", file, out, "--rename", "A"}, 2, "--rename takes OLD NEW"},
        {{"convert", file, text}, 2, "is there and is no Hurray file"},
        {{"inspect", place.path("absent.hrry")}, 3, "absent.hrry"},
        {{"inspect", "/dev/null"}, 3, "not a regular file"},
        {{"inspect", mtx}, 1, "a.mtx"},
        {{"inspect", file, mtx}, 2, "inspect takes no"},
        {{"verify", mtx}, 1, "a.mtx"},
        {{"show", file, "B", "--row", "0"}, 2, "Did you mean \"A\"?"},
        {{"show", file, "other", "--row", "0"}, 2, "There is \"A\"."},
        {{"show", file, "A"}, 2, "--row"},
        {{"show"}, 2, "FILE is missing"},
        {{"show", file, "A", "--row", "3"}, 2, "rows 0 ... 2"},
        {{"show", file, "A", "--column", "4"}, 2, "columns 0 ... 3"},
        {{"show", file, "A", "--at", "0", "4"}, 2, "columns 0 ... 3"},
        {{"show", file, "A", "--at", "0"}, 2, "--at takes I J"},
        {{"show", file, "A", "--row", "-1"}, 2, "--row takes a number"},
        {{"show", file, "A", "--row", "x"}, 2, "not \"x\""},
        {{"show", file, "A", "--row", "99999999999999999999"}, 2, "--row takes a number"},
        {{"show", file, "A", "--row", "1", "--head"}, 2, "cannot go together"},
        {{"show", file, "A", "--rows", "1-2"}, 2, "--rows takes A:B"},
        {{"export", file, "B", place.path("b.mtx")}, 2, "no tensor \"B\""},
        {{"export", file, "A"}, 2, "OUT is missing"},
        {{"export", file, "A", file}, 2, "not what is written"},
        {{"export", file, "A", place.path("a.mtx.gz")}, 2, "not what is written"},
        {{"export", file, "A", place.path("no/folder/b.mtx")}, 3, "no/folder/b.mtx"},
        {{"spy", file, "A", place.path("a.jpg")}, 2, "not what is written"},
        {{"split", file, out, "--parts", "4"}, 2, "no more than 3 rows"},
        {{"split", file, out}, 2, "--parts N is missing"},
        {{"join", file}, 2, "OUT is missing"},
        {{"generate", out}, 2, "--kind KIND is missing"},
        {{"generate", out, "--kind", "unifrom"}, 2, "Did you mean \"uniform\"?"},
        {{"generate", out, "--kind", "uniform"}, 2, "--rows"},
        {{"generate", out, "--kind", "uniform", "--rows", "9"}, 2, "--nnz is missing"},
        {{"generate", out, "--kind", "banded", "--rows", "9", "--grid", "2"}, 2, "not take --grid"},
        {{"generate", out, "--kind", "uniform", "--rows", "1e20", "--nnz", "1"}, 2, "--rows takes"},
        {{"generate", out, "--kind", "uniform", "--rows", "2", "--nnz", "5"}, 2, "--nnz"},
        {{"generate", out, "--kind", "poisson2d", "--grid", "3", "--type", "uint8"},
         2,
         "uint8 does not have the value"},
    };
    for (auto const& [arguments, status, says] : calls) {
        auto const did = place.run(arguments);
        std::string shown;
        for (auto const& argument : arguments) shown += argument + ' ';
        BOOST_TEST_CONTEXT(shown << "\ngave: " << did.err) {
            BOOST_TEST(did.status == status);
            BOOST_TEST(contains(did.err, says));
            BOOST_TEST(did.out == "");
            for (std::istringstream lines(did.err); std::getline(lines, shown);)
                BOOST_TEST(shown.size() < 300U);
        }
    }
    auto names = place.files();
    std::sort(names.begin(), names.end());
    BOOST_TEST((names == std::vector<std::string>{"a.mtx", "small.hrry", "text"}));
}

BOOST_AUTO_TEST_CASE(version) {
    if (!there_is_a_tool()) return;
    workplace const place;
    BOOST_TEST(place.good({"--version"}).size() > 2U);
}

BOOST_AUTO_TEST_CASE(inspect_in_json) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = small_file(place);
    auto const document = json_of(place.good({"inspect", path, "--json"}));
    BOOST_TEST(document.get<std::uint64_t>("size") == std::filesystem::file_size(path));
    BOOST_TEST(document.get<std::uint64_t>("data_alignment") == 4096U);
    BOOST_TEST(document.count("metadata") == 1U);
    auto const& tensor = document.get_child("tensors").front().second;
    BOOST_TEST(tensor.get<std::string>("name") == "A");
    BOOST_TEST(tensor.get<std::string>("layout") == "csr");
    BOOST_TEST(tensor.get<std::string>("element_type") == "float64");
    BOOST_TEST(tensor.get<std::uint64_t>("nnz") == 4U);
    std::vector<std::uint64_t> shape, bytes;
    for (auto const& [key, size] : tensor.get_child("shape"))
        shape.push_back(size.get_value<std::uint64_t>());
    for (auto const& [key, buffer] : tensor.get_child("buffers")) {
        BOOST_TEST(buffer.get<std::uint64_t>("offset") % 4096 == 0U);
        bytes.push_back(buffer.get<std::uint64_t>("bytes"));
    }
    BOOST_TEST((shape == std::vector<std::uint64_t>{3, 4}));
    BOOST_TEST((bytes == std::vector<std::uint64_t>{32, 32, 32}));
}

BOOST_AUTO_TEST_CASE(inspect_for_people) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = place.path("k.hrry");
    {
        auto out =
            hurray::writer::create(path, {.metadata = {{"origin", std::string("a\x1b[2Jb")}}})
                .value();
        std::vector<std::uint64_t> const offsets{0, 1}, indices{0};
        std::vector<float> const values{2.5F};
        auto const view =
            hurray::csr_view<float>::over({1, 1}, offsets, indices, std::span<float const>(values))
                .value();
        out.write("n\xC3\xA4me\n", view, {.statistics = hurray::statistics{.nnz = 1}}).value();
        out.close().value();
    }
    auto const text = place.good({"inspect", path, "--verbose"});
    BOOST_TEST(contains(text, "1 tensor"));
    BOOST_TEST(!contains(text, "\x1b"));
    BOOST_TEST(contains(text, "\"n\xC3\xA4me\\n\""));
    BOOST_TEST(contains(text, "statistics: 1 non-zero"));
    BOOST_TEST(contains(text, "indices: 8 bytes at byte "));
}

BOOST_AUTO_TEST_CASE(names_are_shown_as_they_are_or_escaped) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const mtx = place.write("m.mtx", small);
    struct shown {
        char const* name;
        char const* as;
    };
    constexpr shown names[] = {
        {"\u77e9\u9635 \u03bb", "\"\u77e9\u9635 \u03bb\""},
        {"\x1b[31mred", "\"\\x1b[31mred\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\u202egnp.exe", "\"\\xe2\\x80\\xaegnp.exe\""},
        {"\u0085", "\"\\xc2\\x85\""},
    };
    for (auto const& [name, as] : names) {
        auto const file = place.path("m.hrry");
        BOOST_TEST_CONTEXT(as) {
            BOOST_TEST(contains(place.good({"import", mtx, file, "--name", name}), as));
            BOOST_TEST(contains(place.good({"inspect", file}), as));
            BOOST_TEST(contains(place.good({"show", file, name, "--row", "0"}), as));
            BOOST_TEST(contains(place.good({"stats", file, name}), as));
            BOOST_TEST(contains(place.run({"show", file, std::string(name) + "x"}).err, "--row"));
            BOOST_TEST(
                contains(place.run({"show", file, std::string(name) + "x", "--row", "0"}).err, as));
        }
    }
    auto const broken = place.run({"import", mtx, place.path("n.hrry"), "--name", "\xff"});
    BOOST_TEST(broken.status == 2);
    BOOST_TEST(contains(broken.err, "\"\\xff\""));
}

BOOST_AUTO_TEST_CASE(a_name_may_be_left_out_where_there_is_one_matrix) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = small_file(place);
    BOOST_TEST(place.good({"show", file, "--row", "0"}) ==
               place.good({"show", file, "A", "--row", "0"}));
    BOOST_TEST(place.good({"stats", file}) == place.good({"stats", file, "A"}));
    BOOST_TEST(place.good({"spy", file}) == place.good({"spy", file, "A"}));
    auto const a = place.write("a.mtx", small), b = place.write("b.mtx", small);
    auto const two = place.path("two.hrry");
    place.good({"import", a, b, two});
    for (std::string const command : {"stats", "spy"}) {
        auto const did = place.run({command, two});
        BOOST_TEST(did.status == 2);
        BOOST_TEST(contains(did.err, "which matrix? There is \"a\" and \"b\""));
    }
}

BOOST_AUTO_TEST_CASE(inspect_fits_80_columns) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const file = place.path("m.hrry");
    std::vector<std::string> const names = {"a", "a_name_of_middle_length", std::string(300, 'n')};
    for (auto const& name : names) {
        place.good({"generate", file, "--kind", "identity", "--rows", "1", "--columns",
                    "123456789012", "--name", name, "--type", "float8_e4m3"});
        for (auto const* const how : {"--permissive", "--verbose"}) {
            std::istringstream lines(place.good({"inspect", file, how}));
            for (std::string line; std::getline(lines, line);)
                if (!line.starts_with('"') && !contains(line, file))
                    BOOST_TEST(line.size() <= 80U, line);
                else if (name.size() < 30)
                    BOOST_TEST(line.size() <= 80U + place.path("").size(), line);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_reference_file_is_inspected) {
    if (!there_is_a_tool()) return;
    auto const folder = std::filesystem::path(HURRAY_SHARED) / "golden";
    if (!std::filesystem::is_directory(folder)) {
        BOOST_TEST_MESSAGE("not run: no reference files here");
        return;
    }
    workplace const place;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".hrry") continue;
        place.good({"inspect", entry.path().string()});
        json_of(place.good({"inspect", entry.path().string(), "--json"}));
        place.good({"verify", entry.path().string()});
    }
}

BOOST_AUTO_TEST_CASE(verify_names_what_is_wrong) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (std::string const layout : {"csr", "csc"}) {
        auto const path = small_file(place, layout);
        auto const well = place.good({"verify", path});
        BOOST_TEST(contains(well, "valid; 1 tensor"));
        spoil(path, layout == "csr" ? 1 : 2);
        auto const did = place.run({"verify", path});
        BOOST_TEST_CONTEXT(did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(did.out == "");
            BOOST_TEST(contains(did.err, path + ": tensor \"A\": "));
            BOOST_TEST(contains(did.err, "(R-104)"));
            BOOST_TEST(contains(did.err, layout == "csr" ? ", row 0, entry 1, byte "
                                                         : ", column 1, entry 1, byte "));
        }
    }
}

BOOST_AUTO_TEST_CASE(verify_in_json) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = small_file(place);
    auto const well = json_of(place.good({"verify", path, "--json"}));
    BOOST_TEST(well.get<bool>("valid"));
    BOOST_TEST(well.get_child("tensors").front().second.get<std::string>("outcome") == "verified");
    auto const at = spoil(path);
    auto const did = place.run({"verify", path, "--json"});
    BOOST_TEST(did.status == 1);
    auto const ill = json_of(did.out);
    BOOST_TEST(!ill.get<bool>("valid"));
    auto const& failure = ill.get_child("failures").front().second;
    BOOST_TEST(failure.get<std::string>("tensor") == "A");
    BOOST_TEST(failure.get<int>("rule") == 104);
    BOOST_TEST(failure.get<std::uint64_t>("row") == 0U);
    BOOST_TEST(failure.get<std::uint64_t>("entry") == 1U);
    BOOST_TEST(failure.get<std::uint64_t>("byte") == at);
}

BOOST_AUTO_TEST_CASE(show_prints_rows_columns_and_elements) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (std::string const layout : {"csr", "csc"}) {
        auto const path = small_file(place, layout);
        auto const row = place.run({"show", path, "A", "--row", "0"});
        BOOST_TEST(row.status == 0);
        BOOST_TEST(contains(row.out, "\n1\t1.5\n3\t-2\n"));
        BOOST_TEST(contains(row.err, "looks through all") == (layout == "csc"));
        auto const column = place.run({"show", path, "A", "--column", "1"});
        BOOST_TEST(column.status == 0);
        BOOST_TEST(contains(column.out, "\n0\t1.5\n2\t7\n"));
        BOOST_TEST(contains(column.err, "looks through all") == (layout == "csr"));
        BOOST_TEST(place.good({"show", path, "A", "--at", "2", "0"}) == "0.1\n");
        BOOST_TEST(place.good({"show", path, "A", "--at", "1", "0"}) == "0\t(not stored)\n");
    }
    auto const path = small_file(place);
    spoil(path);
    auto const did = place.run({"show", path, "A", "--row", "0"});
    BOOST_TEST(did.status == 1);
    BOOST_TEST(contains(did.err, "(R-104), row 0"));
    BOOST_TEST(place.run({"show", path, "A", "--row", "2"}).status == 0);
}

BOOST_AUTO_TEST_CASE(generated_matrices_are_valid_and_depend_on_the_seed_alone) {
    if (!there_is_a_tool()) return;
    workplace const place;
    std::vector<std::vector<std::string>> const kinds = {
        {"--kind", "uniform", "--rows", "100", "--columns", "70", "--nnz", "1234"},
        {"--kind", "uniform", "--rows", "10", "--columns", "7", "--nnz", "70"},
        {"--kind", "banded", "--rows", "50", "--columns", "40", "--bandwidth", "3"},
        {"--kind", "poisson2d", "--grid", "12"},
        {"--kind", "rmat", "--scale", "7", "--nnz", "900"},
        {"--kind", "identity", "--rows", "9", "--columns", "12"},
        {"--kind", "block-diagonal", "--rows", "20", "--block", "6"},
    };
    for (auto const& kind : kinds) {
        for (std::string const layout : {"csr", "csc"}) {
            auto const make = [&](std::string const& name, std::string const& seed) {
                std::vector<std::string> arguments = {"generate", place.path(name), "--seed",
                                                      seed,       "--layout",       layout};
                arguments.insert(arguments.end(), kind.begin(), kind.end());
                place.good(arguments);
                place.good({"verify", place.path(name)});
                return content(place / name);
            };
            auto const first = make("a.hrry", "7");
            BOOST_TEST((make("b.hrry", "7") == first));
            if (kind[1] == "uniform" || kind[1] == "rmat")
                BOOST_TEST((make("c.hrry", "8") != first));
        }
    }
    auto const uniform = json_of([&] {
        place.good({"generate", place.path("u.hrry"), "--kind", "uniform", "--rows", "100", "--nnz",
                    "1234"});
        return place.good({"inspect", place.path("u.hrry"), "--json"});
    }());
    BOOST_TEST(uniform.get_child("tensors").front().second.get<unsigned>("nnz") == 1234U);
}

BOOST_AUTO_TEST_CASE(stats_count_what_is_there) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (std::string const layout : {"csr", "csc"}) {
        auto const path = small_file(place, layout);
        auto const text = place.good({"stats", path, "A"});
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(contains(text, "entries per row: least 0, median 2, most 2; empty rows 1"));
            BOOST_TEST(contains(text, "entries per column: least 0, median 1, most 2; empty "
                                      "columns 1"));
            BOOST_TEST(contains(text, "bandwidth: 2 below the diagonal, 3 above"));
            BOOST_TEST(contains(text, "symmetric: no, not square"));
            BOOST_TEST(contains(text, "values: -2 ... 7; stored zeros 0, NaN 0, infinite 0"));
        }
        auto const copy = place.path("copy.hrry");
        place.good({"stats", path, "A", "--write", copy});
        place.good({"verify", copy});
        auto const tensor =
            json_of(place.good({"inspect", copy, "--json"})).get_child("tensors").front().second;
        BOOST_TEST(tensor.get<double>("statistics.max") == 7.0);
        BOOST_TEST(tensor.get<unsigned>("statistics.nnz") == 4U);
    }
    place.good({"generate", place.path("p.hrry"), "--kind", "poisson2d", "--grid", "5"});
    auto const text = place.good({"stats", place.path("p.hrry"), "matrix"});
    BOOST_TEST(contains(text, "symmetric: yes"));
    BOOST_TEST(contains(text, "bandwidth: 5 below the diagonal, 5 above"));
}

/// Stores the statistics of each matrix in a copy, which must be the same file otherwise.
unsigned describe_every_matrix(workplace const& place, std::string const& path) {
    auto const copy = place.path("copy.hrry"), plain = place.path("plain.hrry");
    auto const file = hurray::file::open(path).value();
    unsigned described = 0;
    for (auto const& entry : file.tensors()) {
        auto const what = file.describe(entry.name).value().descriptor;
        if (what.layout != hurray::layout::csr && what.layout != hurray::layout::csc) continue;
        auto const name = std::string(entry.name);
        BOOST_TEST_CONTEXT(path << ", " << name) {
            place.good({"stats", path, name, "--write", copy, "--quiet"});
            place.good({"verify", copy, "--quiet"});
            auto const made = hurray::file::open(copy).value();
            auto const stored = made.describe(name).value().descriptor.statistics;
            BOOST_REQUIRE(stored.has_value());
            BOOST_TEST(stored->nnz.value() == what.nnz().value());
            BOOST_TEST(made.catalog().file_flags() ==
                       (file.catalog().file_flags() | (made.metadata().empty() ? 0U : 1U)));
            BOOST_REQUIRE(made.tensors().size() == file.tensors().size());
            for (std::size_t i = 0; i < file.tensors().size(); ++i)
                BOOST_TEST(made.tensors()[i].name == file.tensors()[i].name);
            // What it says of the matrices is what the original says.
            for (auto const& one : {path, copy}) {
                auto const out = one == path ? plain : place.path("plain_copy.hrry");
                place.good({"export", one, name, out + ".mtx", "--quiet"});
            }
            BOOST_TEST(content(plain + ".mtx") == content(place.path("plain_copy.hrry.mtx")));
        }
        ++described;
    }
    return described;
}

BOOST_AUTO_TEST_CASE(statistics_are_stored_beside_anything_else) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const data = std::filesystem::path(HURRAY_TEST_DATA);
    BOOST_TEST(describe_every_matrix(place, (data / "sorted.hrry").string()) > 0U);
    auto const whole = place.path("whole.hrry"), parts = place.path("parts.hrry");
    for (std::string const layout : {"csr", "csc"}) {
        place.good({"generate", whole, "--kind", "rmat", "--scale", "6", "--nnz", "300", "--layout",
                    layout, "--quiet"});
        place.good({"split", whole, parts, "--parts", "3", "--quiet"});
        BOOST_TEST(describe_every_matrix(place, parts) == 3U);
        place.good({"join", place.path("copy.hrry"), place.path("again.hrry"), "--quiet"});
        BOOST_TEST(content(place / "again.hrry") == content(whole));
    }
    auto const golden = std::filesystem::path(HURRAY_SHARED) / "golden";
    if (!std::filesystem::is_directory(golden)) {
        BOOST_TEST_MESSAGE("not run: no reference files here");
        return;
    }
    for (auto const* name : {"sorted_index.hrry", "composite_partition.hrry", "shards.hrry",
                             "mixed_layouts.hrry", "statistics.hrry"})
        BOOST_TEST(describe_every_matrix(place, (golden / name).string()) > 0U);
}

BOOST_AUTO_TEST_CASE(spy_draws_the_entries) {
    if (!there_is_a_tool()) return;
    workplace const place;
    place.good({"generate", place.path("i.hrry"), "--kind", "identity", "--rows", "8"});
    auto const text = place.good({"spy", place.path("i.hrry"), "matrix"});
    // Two by two characters of four by two dots each, the diagonal in them.
    BOOST_TEST(contains(text, "\xE2\x94\x82\xE2\xA0\x91\xE2\xA2\x84"));
}

BOOST_AUTO_TEST_CASE(show_prints_several_rows) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (std::string const layout : {"csr", "csc"}) {
        auto const path = small_file(place, layout);
        auto const rows = place.run({"show", path, "A", "--rows", "1:3"});
        BOOST_TEST(rows.status == 0);
        BOOST_TEST(contains(rows.out, "\n2\t0\t0.1\n2\t1\t7\n"));
        BOOST_TEST(!contains(rows.out, "1.5"));
        auto const head = place.good({"show", path, "A", "--head"});
        BOOST_TEST(contains(head, "0\t1\t1.5\n"));
        BOOST_TEST(place.run({"show", path, "A", "--rows", "1:"}).out == rows.out);
        BOOST_TEST(contains(place.run({"show", path, "A", "--rows", ":1"}).out, "0\t1\t1.5\n"));
        BOOST_TEST(place.run({"show", path, "A", "--rows", "2:4"}).status == 2);
        BOOST_TEST(place.run({"show", path, "A", "--rows", "2"}).status == 2);
    }
}

BOOST_AUTO_TEST_CASE(every_type_can_be_generated) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (auto const type : hurray::element_types) {
        BOOST_TEST_CONTEXT(hurray::name(type)) {
            place.good({"generate", place.path("t.hrry"), "--kind", "uniform", "--rows", "20",
                        "--nnz", "77", "--type", std::string(hurray::name(type))});
            place.good({"verify", place.path("t.hrry")});
        }
    }
}

BOOST_AUTO_TEST_CASE(a_failure_leaves_what_was_there) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const good = place.write("good.mtx", small);
    auto const bad =
        place.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 x\n");
    auto const out = place.path("out.hrry");
    place.good({"import", good, out});
    auto const before = content(out);
    BOOST_TEST(place.run({"import", bad, out}).status == 1);
    BOOST_TEST((content(out) == before));
    auto const text = place.write("out.mtx", "mine\n");
    spoil([&] {
        place.good({"import", good, out, "--name", "A"});
        return out;
    }());
    BOOST_TEST(place.run({"export", out, "A", text}).status == 1);
    BOOST_TEST(content(text) == "mine\n");
    BOOST_TEST(place.files().size() == 4U);
}

BOOST_AUTO_TEST_CASE(interrupted_it_leaves_no_trace) {
    if (!there_is_a_tool()) return;
    workplace const place;
    for (auto const& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
        auto const did = place.shell(std::string("timeout --preserve-status -s ") + signal + " 0.3",
                                     {"generate", place.path("big.hrry"), "--kind", "uniform",
                                      "--rows", "5000000", "--nnz", "100000000"});
        BOOST_TEST_CONTEXT(signal) {
            BOOST_TEST(did.status == status);
            BOOST_TEST(did.err == "");
            BOOST_TEST(place.files().empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(every_command_is_interrupted_without_a_trace) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const big = place.path("big.hrry"), out = place.path("out.hrry");
    place.good({"generate", big, "--kind", "uniform", "--rows", "200000", "--nnz", "8000000",
                "--seed", "3", "--quiet"});
    std::vector<std::vector<std::string>> const calls = {
        {"convert", big, out, "--layout", "csc", "--memory", "1G"},
        {"convert", big, out, "--layout", "csc", "--memory", "16M"},
        {"convert", big, out, "--layout", "csc", "--type", "complex128", "--memory", "16M"},
        {"convert", big, "--replace", "--type", "complex128"},
        {"split", big, out, "--parts", "2", "--files"},
        {"split", big, out, "--parts", "2"},
        {"export", big, "matrix", place.path("out.mtx")},
        {"export", big, "matrix", place.path("out.npz")},
        {"stats", big, "--write", out},
        {"spy", big, "matrix", place.path("out.png")},
    };
    auto const before = content(big);
    for (auto const& call : calls) {
        std::string shown;
        for (auto const& argument : call) shown += argument + ' ';
        for (auto const* const after : {"0.02", "0.1", "0.3"}) {
            auto const did =
                place.shell(std::string("timeout --preserve-status -s INT ") + after, call);
            BOOST_TEST_CONTEXT(shown << " after " << after << " s: " << did.err) {
                // It may have been done by then, on a fast machine.
                BOOST_TEST((did.status == 130 || did.status == 0));
                BOOST_TEST(did.err == "");
                if (did.status != 130) break;
                BOOST_TEST((place.files() == std::vector<std::string>{"big.hrry"}));
                BOOST_TEST(holds(big, before));
            }
        }
        for (auto const& name : place.files())
            if (name != "big.hrry") std::filesystem::remove(place / name);
        if (!holds(big, before)) std::ofstream(big, std::ios::binary) << before;
    }
}

BOOST_AUTO_TEST_CASE(a_closed_pipe_is_no_message_and_a_full_disk_is) {
    if (!there_is_a_tool()) return;
    workplace const place;
    auto const path = place.path("g.hrry");
    place.good({"generate", path, "--kind", "poisson2d", "--grid", "300"});
    // Some who start programs have them ignore the signal of a closed pipe.
    for (std::string const before : {"", "trap '' PIPE ;"}) {
        std::vector<std::vector<std::string>> const calls = {
            {"export", path, "matrix", "-"}, {"show", path, "--rows", ":"}, {"help", "import"}};
        for (auto const& call : calls) {
            auto const closed = place.shell(before, call, "| head -n 1");
            BOOST_TEST(closed.err == "");
            BOOST_TEST(closed.out != "");
        }
    }
    if (!std::filesystem::exists("/dev/full")) return;
    auto const full = place.shell({}, {"inspect", path}, "> /dev/full");
    BOOST_TEST(full.status == 3);
    BOOST_TEST(contains(full.err, "cannot write to standard output"));
}

BOOST_AUTO_TEST_CASE(progress_is_for_terminals) {
    if (!there_is_a_tool()) return;
    if (std::system("command -v script > /dev/null") != 0) {
        BOOST_TEST_MESSAGE("not run: there is no script, which makes a terminal");
        return;
    }
    workplace const place;
    auto const line = in_single_quotes(HURRAY_TOOL) + " generate " +
                      in_single_quotes(place.path("big.hrry")) +
                      " --kind uniform --rows 2e6 --nnz 2e8";
    auto const said = [&](std::string const& what) {
        return place.shell_line("script -qec " + in_single_quotes(what) + " /dev/null").out;
    };
    BOOST_TEST(contains(said("timeout -s INT 2 " + line), "hurray: generating "));
    BOOST_TEST(!contains(said("timeout -s INT 2 " + line + " --quiet"), "hurray: "));
}

BOOST_AUTO_TEST_SUITE_END()
