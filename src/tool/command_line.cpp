#include "command_line.hpp"

#include <algorithm>
#include <limits>

#include <CLI/CLI.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "help_format.hpp"
#include "set_commands.hpp"

namespace hurray::tool {
namespace {

/// Which command was chosen, and with what.
struct chosen {
    import_options import{};
    convert_options convert{};
    inspect_options inspect{};
    verify_command_options verify{};
    std::vector<std::filesystem::path> verify_files{};
    bool verify_set = false;
    split_options split{};
    join_options join{};
    show_options show{};
    export_options exported{};
    generate_options generate{};
    stats_options stats{};
    spy_options spy{};
    status outcome = status::good;
};

template<class Number>
CLI::Option* add_count(CLI::App& command, std::string name, Number& into, std::string what) {
    auto* const option = command.add_option(std::move(name), into, std::move(what));
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    if constexpr (std::is_integral_v<Number>) {
        most = std::numeric_limits<Number>::max();
        if (into != 0) option->capture_default_str();
    }
    return option->transform(takes_count(most))->type_name("N");
}

CLI::Option* add_bytes(CLI::App& command, std::string name, std::uint64_t& into, std::string what) {
    return command.add_option(std::move(name), into, std::move(what))
        ->transform(takes_bytes())
        ->type_name("BYTES");
}

template<class Text> CLI::Option* add_text(CLI::App& command, std::string name, Text& into,
                                           std::string what, std::string value) {
    return command.add_option(std::move(name), into, std::move(what))->type_name(std::move(value));
}

/// An option that may be given several times.
template<class Text> CLI::Option* add_each(CLI::App& command, std::string name, Text& into,
                                           std::string what, std::string value) {
    return add_text(command, std::move(name), into, std::move(what), std::move(value))
        ->allow_extra_args(false);
}

CLI::Option* add_file(CLI::App& command, std::filesystem::path& into, std::string name = "FILE") {
    return command.add_option(std::move(name), into, "the Hurray file to read")
        ->required()
        ->type_name("");
}

CLI::Option* add_output(CLI::App& command, std::filesystem::path& into, std::string what) {
    return command.add_option("OUT", into, std::move(what))->type_name("");
}

void add_name(CLI::App& command, std::string& into) {
    command.add_option("NAME", into, "name of the matrix; may be left out if FILE holds only one")
        ->type_name("");
}

void add_threads(CLI::App& command, unsigned& into) {
    add_count(command, "--threads", into, "threads to use; by default, one per processor");
}

void add_quiet(CLI::App& command, bool& into, std::string what = "print nothing when all is well") {
    command.add_flag("-q,--quiet", into, std::move(what));
}

void add_import(CLI::App& app, chosen& to) {
    auto& o = to.import;
    auto& c =
        *app.add_subcommand("import", "Make a Hurray file of Matrix Market, SciPy and HDF5 files");
    c.add_option("FILES", o.files,
                 "the files to read (- is standard input), then the Hurray file to write")
        ->required()
        ->type_name("IN... OUT");
    add_text(c, "--layout", o.layout,
             "csr (by rows) or csc (by columns); by default, as IN, or csr", "LAYOUT");
    add_each(c, "--name", o.names,
             "name of the tensor, once for each IN; by default, IN without folder and ending",
             "NAME");
    add_text(c, "--type", o.type, "element type; by default, what IN says", "TYPE");
    add_each(c, "--dataset", o.datasets,
             "which matrix of an HDF5 file, such as X or layers/counts; may be given several times",
             "PATH");
    add_each(c, "--meta", o.metadata, "text to store; may be given several times", "KEY=VALUE");
    c.add_flag("--checksums", o.checksums, "store checksums of everything");
    add_bytes(c, "--alignment", o.alignment, "of the data, from 4K to 2M; by default, 4K");
    add_bytes(c, "--memory", o.memory, "to sort with, such as 2G; by default, half of all");
    c.add_flag("--sum-duplicates", o.sum_duplicates,
               "add entries of the same position, which are an error otherwise");
    add_threads(c, o.threads);
    add_quiet(c, o.quiet);
    c.footer("Matrix Market: may be packed with gzip. Symmetric, skew-symmetric and hermitian\n"
             "matrices are expanded; stored zeros are kept. A pattern becomes ones of uint8,\n"
             "integer int64, real float64, complex complex128, unless a line\n"
             "\"%%GraphBLAS type T\" or \"%%Hurray type T\" says otherwise. SciPy: csr, csc and\n"
             "coo as save_npz() writes them. HDF5: AnnData (.h5ad) and 10x; a file with\n"
             "several matrices is listed unless --dataset chooses.\n"
             "\n"
             "Examples:\n"
             "  hurray import karate.mtx karate.hrry\n"
             "  zcat web.mtx.gz | hurray import - web.hrry\n"
             "  hurray import big.mtx.gz big.hrry --layout csc --type float32 --name A\n"
             "  hurray import a.mtx b.npz both.hrry --checksums --meta source=survey\n"
             "  hurray import cells.h5ad cells.hrry --dataset layers/counts\n");
    c.callback([&to] { to.outcome = run_import(to.import); });
}

void add_convert(CLI::App& app, chosen& to) {
    auto& o = to.convert;
    auto& c = *app.add_subcommand("convert", "Copy a file, its matrices in another layout or type");
    add_file(c, o.input, "IN");
    add_output(c, o.output, "the Hurray file to write");
    add_text(c, "--layout", o.layout, "csr (by rows) or csc (by columns); by default, as IN",
             "LAYOUT");
    add_text(c, "--type", o.type, "element type; it must have every value exactly", "TYPE");
    add_each(c, "--only", o.only, "take this tensor; may be given several times", "NAME");
    add_each(c, "--rename", o.renamed, "call a tensor otherwise; may be given several times",
             "OLD NEW");
    add_text(c, "--checksums", o.checksums, "on or off; by default, as IN has them", "on|off")
        ->check(takes_on_or_off());
    add_bytes(c, "--alignment", o.alignment,
              "of the data, from 4K to 2M; by default, as IN has it");
    add_bytes(c, "--memory", o.memory, "to work with, such as 2G; by default, half of all");
    add_threads(c, o.threads);
    c.add_flag("--replace", o.replace, "allow OUT to be IN, or leave OUT away: IN is replaced");
    add_quiet(c, o.quiet);
    c.footer("Layout and type are those of csr and csc matrices. All else, other tensors,\n"
             "key-values, statistics and shards, is copied. What does not fit --memory is\n"
             "sorted on disk beside OUT. OUT appears when it is complete; until then IN is\n"
             "not touched, even with --replace.\n"
             "\n"
             "Examples:\n"
             "  hurray convert karate.hrry karate_csc.hrry --layout csc\n"
             "  hurray convert karate.hrry small.hrry --type float32 --checksums on\n"
             "  hurray convert karate.hrry part.hrry --only karate --rename karate club\n"
             "  hurray convert big.hrry --replace --layout csc --memory 2G\n");
    c.callback([&to] { to.outcome = run_convert(to.convert); });
}

void add_inspect(CLI::App& app, chosen& to) {
    auto& o = to.inspect;
    auto& c = *app.add_subcommand("inspect", "Say what is in a file; reads no data");
    add_file(c, o.file);
    c.add_flag("--json", o.json, "print one JSON document");
    c.add_flag("-v,--verbose", o.verbose, "add buffers, statistics, shards, whole values");
    c.add_flag("--permissive", o.permissive, "tolerate and list what is not understood");
    c.footer("Examples:\n"
             "  hurray inspect karate.hrry\n"
             "  hurray inspect karate.hrry --verbose\n"
             "  hurray inspect karate.hrry --json | jq '.tensors[0].nnz'\n");
    c.callback([&to] { to.outcome = run_inspect(to.inspect); });
}

void add_verify(CLI::App& app, chosen& to) {
    auto& o = to.verify;
    auto& c = *app.add_subcommand("verify", "Check everything in a file, to the last byte");
    c.add_option("FILE", to.verify_files, "the Hurray file; several are all the shards of a matrix")
        ->required()
        ->type_name("FILE...");
    auto* const set = c.add_flag("--set", to.verify_set,
                                 "the shards of a single file must make whole matrices, too");
    c.add_flag("--permissive", o.permissive, "tolerate what is not understood");
    c.add_flag("--json", o.json, "print one JSON document; for one file")->excludes(set);
    add_threads(c, o.threads);
    c.add_flag("--require-checksums", o.require_checksums, "a file without checksums fails");
    add_count(c, "--limit", o.limit, "stop after so many failures");
    add_quiet(c, o.quiet);
    c.footer("Exit status 0: the file is valid. 1: it is not, and each failure was named with\n"
             "its tensor, rule, row or column, and byte. Checksums are checked if the file has\n"
             "any. Of layouts other than csr and csc, the structure is checked.\n"
             "\n"
             "Examples:\n"
             "  hurray verify karate.hrry\n"
             "  hurray verify big.hrry --threads 2 --limit 100\n"
             "  hurray verify part.*.hrry\n");
    c.callback([&to] {
        if (to.verify_files.size() == 1 && !to.verify_set) {
            to.verify.file = to.verify_files.front();
            to.outcome = run_verify(to.verify);
            return;
        }
        if (to.verify.json) throw stop(status::wrong_usage, "verify --json takes one file");
        to.outcome = run_verify_set(to.verify, to.verify_files);
    });
}

void add_show(CLI::App& app, chosen& to) {
    auto& o = to.show;
    auto& c = *app.add_subcommand("show", "Print rows, a column or an element");
    add_file(c, o.file);
    add_name(c, o.name);
    auto* const row = add_count(c, "--row", o.row, "the entries of a row")->type_name("I");
    auto* const column =
        add_count(c, "--column", o.column, "the entries of a column")->type_name("J");
    auto* const at = add_count(c, "--at", o.at, "one element")->type_name("I J");
    auto* const rows = add_text(c, "--rows", o.rows,
                                "the rows A to B - 1; from the first, or to the last, if A or B "
                                "is left out",
                                "A:B");
    auto* const head = c.add_flag("--head", o.head, "the first ten rows, or columns of a csc");
    at->expected(2)->excludes(row)->excludes(column)->excludes(rows)->excludes(head);
    row->excludes(column)->excludes(rows)->excludes(head);
    column->excludes(rows)->excludes(head);
    rows->excludes(head);
    c.footer("Rows and columns are counted from 0. What is printed has been checked. A column\n"
             "of a csr matrix, or a row of a csc matrix, is looked for in all of it.\n"
             "\n"
             "Examples:\n"
             "  hurray show karate.hrry karate --row 7\n"
             "  hurray show karate.hrry --rows 10:12\n"
             "  hurray show karate.hrry --at 0 31\n"
             "  hurray show karate.hrry --head\n");
    c.callback([&to] { to.outcome = run_show(to.show); });
}

void add_export(CLI::App& app, chosen& to) {
    auto& o = to.exported;
    auto& c = *app.add_subcommand("export", "Write a matrix as a Matrix Market or SciPy file");
    add_file(c, o.file);
    c.add_option("NAME", o.name, "name of the matrix")->required()->type_name("");
    add_output(c, o.output,
               "the file to write: SciPy's if it ends in .npz, else Matrix Market; - is standard "
               "output")
        ->required();
    add_threads(c, o.threads);
    add_quiet(c, o.quiet);
    c.footer("Matrix Market: values are written so that they read back to the same bits. The\n"
             "element type is named in a comment line where the field does not tell it.\n"
             "SciPy: what scipy.sparse.load_npz() reads, csr or csc as it is; element types\n"
             "that numpy lacks become larger ones that hold the same values.\n"
             "\n"
             "Examples:\n"
             "  hurray export karate.hrry karate copy.mtx\n"
             "  hurray export karate.hrry karate copy.npz\n"
             "  hurray export karate.hrry karate - | gzip > copy.mtx.gz\n");
    c.callback([&to] { to.outcome = run_export(to.exported); });
}

void add_generate(CLI::App& app, chosen& to) {
    auto& o = to.generate;
    auto& c = *app.add_subcommand("generate", "Make up a matrix of any size");
    add_output(c, o.output, "the Hurray file to write")->required();
    add_text(c, "--kind", o.kind, "one of those below", "KIND")->required();
    std::vector<CLI::Option*> const sizes = {
        add_count(c, "--rows", o.rows, "rows"),
        add_count(c, "--columns", o.columns, "columns; by default, as many as rows"),
        add_count(c, "--nnz", o.nnz, "entries; of rmat, edges to draw, some of them twice"),
        add_count(c, "--bandwidth", o.bandwidth, "diagonals on either side of the main one"),
        add_count(c, "--grid", o.grid, "points along each side of the square"),
        add_count(c, "--block", o.block, "rows of each block"),
        add_count(c, "--scale", o.scale, "2^N rows and columns"),
    };
    add_count(c, "--seed", o.seed, "the same seed gives the same matrix");
    add_text(c, "--type", o.type, "element type", "TYPE")->capture_default_str();
    add_text(c, "--layout", o.layout, "csr (by rows) or csc (by columns)", "LAYOUT")
        ->capture_default_str();
    add_text(c, "--name", o.name, "name of the matrix", "NAME")->capture_default_str();
    add_quiet(c, o.quiet);
    c.footer("Kinds:\n"
             "  uniform         as many entries in every row:  --rows --nnz [--columns]\n"
             "  rmat            a power-law graph:             --scale --nnz\n"
             "  banded          full near the diagonal:        --rows [--columns --bandwidth]\n"
             "  poisson2d       the five-point operator:       --grid\n"
             "  identity        ones on the diagonal:          --rows [--columns]\n"
             "  block-diagonal  full squares:                  --rows --block\n"
             "Sizes may be written as 5e6. Memory does not grow with the matrix.\n"
             "\n"
             "Examples:\n"
             "  hurray generate big.hrry --kind uniform --rows 5e6 --nnz 5e7\n"
             "  hurray generate graph.hrry --kind rmat --scale 20 --nnz 16e6\n"
             "  hurray generate grid.hrry --kind poisson2d --grid 1000 --layout csc\n");
    c.callback([&to, sizes] {
        for (auto const* size : sizes)
            if (size->count() != 0) to.generate.sizes.push_back(size->get_name());
        to.outcome = run_generate(to.generate);
    });
}

void add_stats(CLI::App& app, chosen& to) {
    auto& o = to.stats;
    auto& c = *app.add_subcommand("stats", "Describe the entries of a matrix");
    add_file(c, o.file);
    add_name(c, o.name);
    add_text(c, "--write", o.write, "write a copy of the file that stores the statistics, too",
             "OUT");
    add_threads(c, o.threads);
    add_quiet(c, o.quiet, "no progress line, no message about the copy");
    c.footer("Verifies the matrix first, then counts.\n"
             "\n"
             "Examples:\n"
             "  hurray stats karate.hrry\n"
             "  hurray stats karate.hrry karate --write with_statistics.hrry\n");
    c.callback([&to] { to.outcome = run_stats(to.stats); });
}

void add_spy(CLI::App& app, chosen& to) {
    auto& o = to.spy;
    auto& c = *app.add_subcommand("spy", "Draw where the entries of a matrix are");
    add_file(c, o.file);
    add_name(c, o.name);
    add_output(c, o.output, "the PNG picture to write; without it, draws in the terminal");
    add_quiet(c, o.quiet, "no progress line, no message");
    c.footer("In the terminal: braille characters, a dot where there is an entry, or the more\n"
             "dots, the more entries, where they are nearly everywhere. In a picture: the\n"
             "darker, the more entries. One pass, whatever the size.\n"
             "\n"
             "Examples:\n"
             "  hurray spy karate.hrry\n"
             "  hurray spy karate.hrry karate karate.png\n");
    c.callback([&to] { to.outcome = run_spy(to.spy); });
}

void add_split(CLI::App& app, chosen& to) {
    auto& o = to.split;
    auto& c = *app.add_subcommand("split", "Cut a matrix into parts of about as many entries");
    add_file(c, o.input, "IN");
    add_output(c, o.output, "the Hurray file to write")->required();
    add_count(c, "--parts", o.parts, "how many parts")->required();
    c.add_flag("--files", o.files, "a file for each part: OUT.0.hrry, OUT.1.hrry and so on");
    add_text(c, "--by", o.by, "rows or columns; by default, as the layout", "DIRECTION");
    add_text(c, "--name", o.name, "name of the matrix; by default, the only one", "NAME");
    add_threads(c, o.threads);
    add_quiet(c, o.quiet);
    c.footer("Without --files the parts are the members of one composite partition. They keep\n"
             "the layout: a csr matrix --by columns gives csr parts, and a copy of it is made\n"
             "in memory; in the direction of the layout there is none.\n"
             "\n"
             "Examples:\n"
             "  hurray split big.hrry parts.hrry --parts 8\n"
             "  hurray split big.hrry part.hrry --parts 8 --files\n");
    c.callback([&to] { to.outcome = run_split(to.split); });
}

void add_join(CLI::App& app, chosen& to) {
    auto& o = to.join;
    auto& c = *app.add_subcommand("join", "Make one matrix of its parts");
    c.add_option("FILES", o.files, "the Hurray files with the parts, then the one to write")
        ->required()
        ->type_name("IN... OUT");
    add_text(c, "--name", o.name, "the partition, or what the names of its shards begin with",
             "NAME");
    add_quiet(c, o.quiet);
    c.footer("Examples:\n"
             "  hurray join parts.hrry whole.hrry\n"
             "  hurray join part.*.hrry whole.hrry --name matrix\n");
    c.callback([&to] { to.outcome = run_join(to.join); });
}

/// "help" and "help COMMAND" are what --help says.
std::vector<std::string> arguments_of(int argc, char const* const* argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (arguments.empty() || arguments[0] != "help") return arguments;
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
    return arguments;
}

}  // namespace

status run_command_line(int argc, char const* const* argv) {
    CLI::App app("Sparse matrices in Hurray files: make them, look at them, check them.", "hurray");
    chosen to;
    app.formatter(std::make_shared<help_format>());
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "print this");
    app.set_version_flag("--version", HURRAY_VERSION, "print the version");
    app.footer("hurray COMMAND --help tells more, with examples.\n"
               "Exit status: 0 good; 1 the file or its values are bad or not supported; 2 wrong\n"
               "usage, no such tensor, wrong kind of tensor; 3 the system failed.\n");
    add_import(app, to);
    add_export(app, to);
    add_inspect(app, to);
    add_verify(app, to);
    add_show(app, to);
    add_stats(app, to);
    add_spy(app, to);
    add_convert(app, to);
    add_split(app, to);
    add_join(app, to);
    add_generate(app, to);
    watch_for_interrupt();
    auto arguments = arguments_of(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    try {
        app.parse(std::move(arguments));
    } catch (CLI::Success const& e) {
        app.exit(e);
        return status::good;
    } catch (CLI::ParseError const& e) {
        refuse_arguments(app, e);
    }
    return to.outcome;
}

}  // namespace hurray::tool
