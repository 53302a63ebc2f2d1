#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "set_commands.hpp"
#include "text.hpp"
#include "type_names.hpp"

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

constexpr char const* layouts = "csr (by rows) or csc (by columns)";

/// An option that is a number, which a minus sign would otherwise wrap around.
template<class Number>
CLI::Option* add_count(CLI::App& command, std::string name, Number& into, std::string what) {
    auto* const option = command.add_option(std::move(name), into, std::move(what));
    if constexpr (std::is_integral_v<Number>)
        if (into != 0) option->capture_default_str();
    return option->check(CLI::NonNegativeNumber);
}

/// A number of bytes: 65536, 64K, 2G.
CLI::Option* add_bytes(CLI::App& command, std::string name, std::uint64_t& into, std::string what) {
    return command.add_option(std::move(name), into, std::move(what))
        ->transform(CLI::AsSizeValue(false).description(""))
        ->type_name("BYTES");
}

void add_import(CLI::App& app, chosen& to) {
    auto& o = to.import;
    auto& c = *app.add_subcommand("import",
                                  "Make a Hurray file of Matrix Market, SciPy .npz and HDF5 files");
    c.add_option("FILES", o.files,
                 "IN... OUT: the files to read (- is standard input, and Matrix Market may be "
                 "packed with gzip), then the Hurray file to write")
        ->required()
        ->type_name("");
    c.add_option("--layout", o.layout, layouts + std::string("; by default, as IN, or csr"));
    c.add_option("--name", o.names,
                 "name of the tensor, once for each IN; by default, IN without "
                 "folder and ending")
        ->allow_extra_args(false);
    c.add_option("--type", o.type, "element type; by default, what IN says");
    c.add_option("--dataset", o.datasets,
                 "which matrix of an HDF5 file, such as X or layers/counts; may be given several "
                 "times")
        ->allow_extra_args(false);
    c.add_option("--meta", o.metadata, "KEY=VALUE, text to store; may be given several times")
        ->allow_extra_args(false);
    c.add_flag("--checksums", o.checksums, "store checksums of everything");
    add_bytes(c, "--alignment", o.alignment, "of the data, from 4K (the usual one) to 2M");
    add_bytes(c, "--memory", o.memory, "to sort with, such as 2G; by default, half of all");
    c.add_flag("--sum-duplicates", o.sum_duplicates, "add entries of the same position");
    add_count(c, "--threads", o.threads, "threads to use; by default, one per processor");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Matrix Market: symmetric, skew-symmetric and hermitian matrices are expanded. Stored\n"
        "zeros are kept. A pattern becomes ones of uint8, integer int64, real float64, complex\n"
        "complex128, unless a line \"%%GraphBLAS type T\" or \"%%Hurray type T\" says otherwise.\n"
        "SciPy: csr, csc and coo. HDF5: AnnData (.h5ad) and 10x; a file with several matrices is\n"
        "listed unless --dataset chooses.\n"
        "\n"
        "Examples:\n"
        "  hurray import karate.mtx karate.hrry\n"
        "  zcat web.mtx.gz | hurray import - web.hrry\n"
        "  hurray import big.mtx.gz big.hrry --layout csc --type float32 --name adjacency\n"
        "  hurray import a.mtx b.npz both.hrry --checksums --meta source=survey\n"
        "  hurray import cells.h5ad cells.hrry --dataset layers/counts\n");
    c.callback([&to] { to.outcome = run_import(to.import); });
}

void add_convert(CLI::App& app, chosen& to) {
    auto& o = to.convert;
    auto& c = *app.add_subcommand("convert", "Copy a file, its matrices in another layout or type");
    c.add_option("IN", o.input, "Hurray file to read")->required();
    c.add_option("OUT", o.output, "Hurray file to write");
    c.add_option("--layout", o.layout, layouts);
    c.add_option("--type", o.type, "element type; it must have every value exactly");
    c.add_option("--only", o.only, "take this tensor; may be given several times")
        ->type_name("NAME")
        ->allow_extra_args(false);
    c.add_option("--rename", o.renamed, "call tensor OLD NEW; may be given several times")
        ->type_name("OLD NEW")
        ->allow_extra_args(false);
    c.add_option("--checksums", o.checksums, "on or off; by default, as IN has them")
        ->check(CLI::IsMember({"on", "off"}));
    add_bytes(c, "--alignment", o.alignment,
              "of the data, from 4K to 2M; by default, as IN has it");
    add_bytes(c, "--memory", o.memory, "to work with, such as 2G; by default, half of all");
    add_count(c, "--threads", o.threads, "threads to use; by default, one per processor");
    c.add_flag("--replace", o.replace, "allow OUT to be IN, or leave OUT away: IN is replaced");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Layout and type are those of csr and csc matrices. All else, other tensors, key-values,\n"
        "statistics and shards, is copied. What does not fit --memory is sorted on disk beside\n"
        "OUT. OUT appears when it is complete; until then IN is not touched, even with --replace.\n"
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
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_flag("--json", o.json, "print one JSON document");
    c.add_flag("-v,--verbose", o.verbose, "say where each buffer lies");
    c.add_flag("--permissive", o.permissive, "tolerate and list what is not understood");
    c.footer("Examples:\n"
             "  hurray inspect karate.hrry\n"
             "  hurray inspect karate.hrry --json | jq .tensors[0].nnz\n");
    c.callback([&to] { to.outcome = run_inspect(to.inspect); });
}

void add_verify(CLI::App& app, chosen& to) {
    auto& o = to.verify;
    auto& c = *app.add_subcommand("verify", "Check everything in a file, to the last byte");
    c.add_option("FILE", to.verify_files, "Hurray file; more than one: all the shards of a set")
        ->required();
    auto* const set = c.add_flag("--set", to.verify_set, "a single file is a complete set, too");
    c.add_flag("--permissive", o.permissive, "tolerate what is not understood");
    c.add_flag("--json", o.json, "print one JSON document; for one file")->excludes(set);
    add_count(c, "--threads", o.threads, "threads to use; by default, one per processor");
    c.add_flag("--require-checksums", o.require_checksums, "a file without checksums fails");
    add_count(c, "--limit", o.limit, "stop after so many failures");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer("Exit status 0: the file is valid. 1: it is not, and each failure was named with its\n"
             "tensor, rule, row or column, and byte. Checksums are checked if the file has any.\n"
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
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    auto* const row = add_count(c, "--row", o.row, "row to print, from 0");
    auto* const column = add_count(c, "--column", o.column, "column to print, from 0");
    auto* const at = add_count(c, "--at", o.at, "row and column of an element, from 0");
    auto* const rows = c.add_option("--rows", o.rows, "A:B, the rows A to B - 1");
    auto* const head = c.add_flag("--head", o.head, "the first ten rows, or columns of a csc");
    at->expected(2)->excludes(row)->excludes(column)->excludes(rows)->excludes(head);
    row->excludes(column)->excludes(rows)->excludes(head);
    column->excludes(rows)->excludes(head);
    rows->excludes(head);
    c.footer("Rows and columns are counted from 0. What is printed has been checked.\n"
             "\n"
             "Examples:\n"
             "  hurray show karate.hrry karate --row 7\n"
             "  hurray show karate.hrry karate --rows 10:12\n"
             "  hurray show karate.hrry karate --at 0 33\n");
    c.callback([&to] { to.outcome = run_show(to.show); });
}

void add_export(CLI::App& app, chosen& to) {
    auto& o = to.exported;
    auto& c = *app.add_subcommand("export", "Write a matrix as a Matrix Market or SciPy .npz file");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    c.add_option("OUT", o.output,
                 "file to write: SciPy's if it ends in .npz, else Matrix Market; - is standard "
                 "output")
        ->required();
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Matrix Market: values are written so that they read back to the same bits. The element\n"
        "type is named in a comment line where the field does not tell it. SciPy: what\n"
        "scipy.sparse.load_npz() reads, csr or csc as it is; element types that numpy lacks "
        "become\n"
        "larger ones that hold the same values.\n"
        "\n"
        "Examples:\n"
        "  hurray export karate.hrry karate copy.mtx\n"
        "  hurray export karate.hrry karate copy.npz\n"
        "  hurray export karate.hrry karate - | head\n");
    c.callback([&to] { to.outcome = run_export(to.exported); });
}

void add_generate(CLI::App& app, chosen& to) {
    auto& o = to.generate;
    auto& c = *app.add_subcommand("generate", "Make up a matrix of any size");
    c.add_option("OUT", o.output, "Hurray file to write")->required();
    c.add_option("--kind", o.kind, "uniform, banded, poisson2d, identity, block-diagonal or rmat")
        ->required();
    add_count(c, "--rows", o.rows, "rows");
    add_count(c, "--columns", o.columns, "columns; by default, as many as rows");
    add_count(c, "--nnz", o.nnz, "uniform: entries, as many in every row; rmat: edges to draw");
    add_count(c, "--bandwidth", o.bandwidth, "banded: diagonals on either side of the main one");
    add_count(c, "--grid", o.grid, "poisson2d: points along each side of the square");
    add_count(c, "--block", o.block, "block-diagonal: rows of each block");
    add_count(c, "--scale", o.scale, "rmat: the matrix has 2^SCALE rows and columns");
    add_count(c, "--seed", o.seed, "the same seed gives the same matrix");
    c.add_option("--type", o.type, "element type")->capture_default_str();
    c.add_option("--layout", o.layout, layouts)->capture_default_str();
    c.add_option("--name", o.name, "name of the tensor")->capture_default_str();
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer("Memory does not grow with the matrix.\n"
             "\n"
             "Examples:\n"
             "  hurray generate big.hrry --kind uniform --rows 5000000 --nnz 50000000\n"
             "  hurray generate graph.hrry --kind rmat --scale 20 --nnz 16000000\n"
             "  hurray generate grid.hrry --kind poisson2d --grid 1000 --layout csc\n");
    c.callback([&to] { to.outcome = run_generate(to.generate); });
}

void add_stats(CLI::App& app, chosen& to) {
    auto& o = to.stats;
    auto& c = *app.add_subcommand("stats", "Describe the entries of a matrix");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    c.add_option("--write", o.write, "store the statistics in a copy of the file, under this name");
    add_count(c, "--threads", o.threads, "threads to verify with; by default, one per processor");
    c.add_flag("--quiet", o.quiet, "no progress line, no message about the copy");
    c.footer("Verifies the matrix first, then counts.\n"
             "\n"
             "Examples:\n"
             "  hurray stats karate.hrry karate\n"
             "  hurray stats karate.hrry karate --write with_statistics.hrry\n");
    c.callback([&to] { to.outcome = run_stats(to.stats); });
}

void add_spy(CLI::App& app, chosen& to) {
    auto& o = to.spy;
    auto& c = *app.add_subcommand("spy", "Draw where the entries of a matrix are");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    c.add_option("OUT", o.output, "PNG picture to write; by default, draws in the terminal");
    c.add_flag("--quiet", o.quiet, "no progress line, no message");
    c.footer(
        "In the terminal: braille characters, a dot where there is an entry. In a picture: the\n"
        "darker, the more entries. One pass, whatever the size.\n"
        "\n"
        "Examples:\n"
        "  hurray spy karate.hrry karate\n"
        "  hurray spy karate.hrry karate karate.png\n");
    c.callback([&to] { to.outcome = run_spy(to.spy); });
}

void add_split(CLI::App& app, chosen& to) {
    auto& o = to.split;
    auto& c = *app.add_subcommand("split", "Cut a matrix into parts of about as many entries");
    c.add_option("IN", o.input, "Hurray file")->required();
    c.add_option("OUT", o.output, "Hurray file to write")->required();
    add_count(c, "--parts", o.parts, "how many parts")->required();
    c.add_flag("--files", o.files, "a file for each part: OUT.0.hrry, OUT.1.hrry and so on");
    c.add_option(
         "--by", o.by,
         "what the parts are runs of; by default, rows of a csr and columns of a csc matrix")
        ->check(CLI::IsMember({"rows", "columns"}));
    c.add_option("--name", o.name, "name of the matrix; by default, the only one");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Without --files the parts are the members of one composite partition. The parts keep\n"
        "the layout: a csr matrix --by columns gives csr parts, and a copy of it is made in\n"
        "memory; in the direction of the layout there is none.\n"
        "\n"
        "Examples:\n"
        "  hurray split big.hrry parts.hrry --parts 8\n"
        "  hurray split big.hrry part.hrry --parts 8 --files && hurray verify part.*.hrry\n");
    c.callback([&to] { to.outcome = run_split(to.split); });
}

void add_join(CLI::App& app, chosen& to) {
    auto& o = to.join;
    auto& c = *app.add_subcommand("join", "Make one matrix of its parts");
    c.add_option("FILE", o.files, "IN... OUT: Hurray files with the parts, then the file to write")
        ->required();
    c.add_option("--name", o.name, "the partition, or what the names of its shards begin with");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer("Examples:\n"
             "  hurray join parts.hrry whole.hrry\n"
             "  hurray join part.*.hrry whole.hrry --name A\n");
    c.callback([&to] { to.outcome = run_join(to.join); });
}

std::vector<std::string> command_names(CLI::App const& app) {
    std::vector<std::string> names;
    for (auto const* command : app.get_subcommands([](CLI::App const*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

[[noreturn]] void wrong_arguments(CLI::App const& app, CLI::ParseError const& e, int argc,
                                  char const* const* argv) {
    auto const names = command_names(app);
    auto const first = argc > 1 ? std::string(argv[1]) : std::string();
    bool const known = std::find(names.begin(), names.end(), first) != names.end();
    if (!known && !first.empty() && first[0] != '-')
        throw stop(status::wrong_usage, "there is no command " + in_quotes(first) + '.' +
                                            did_you_mean(first, names) +
                                            " See hurray --help for the commands.");
    throw stop(status::wrong_usage,
               std::string(e.what()) + "\nSee hurray " + (known ? first + ' ' : "") + "--help");
}

}  // namespace

status run_command_line(int argc, char const* const* argv) {
    CLI::App app("Sparse matrices in Hurray files: make them, look at them, check them.", "hurray");
    chosen to;
    app.require_subcommand(1);
    app.set_version_flag("--version", HURRAY_VERSION);
    app.footer("hurray COMMAND --help tells more, with examples.\n"
               "Exit status: 0 good; 1 the file or its values are bad or not supported; 2 wrong\n"
               "usage, no such tensor, wrong kind of tensor; 3 the system failed.");
    add_import(app, to);
    add_convert(app, to);
    add_inspect(app, to);
    add_verify(app, to);
    add_show(app, to);
    add_export(app, to);
    add_generate(app, to);
    add_stats(app, to);
    add_spy(app, to);
    add_split(app, to);
    add_join(app, to);
    watch_for_interrupt();
    try {
        app.parse(argc, argv);
    } catch (CLI::Success const& e) {
        app.exit(e);
        return status::good;
    } catch (CLI::ParseError const& e) {
        wrong_arguments(app, e, argc, argv);
    }
    return to.outcome;
}

}  // namespace hurray::tool
