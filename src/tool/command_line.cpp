#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "text.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

/// Which command was chosen, and with what.
struct chosen {
    import_options import{};
    inspect_options inspect{};
    verify_command_options verify{};
    show_options show{};
    export_options exported{};
    generate_options generate{};
    status outcome = status::good;
};

constexpr char const *layouts = "csr (by rows) or csc (by columns)";

void add_import(CLI::App &app, chosen &to) {
    auto &o = to.import;
    auto &c = *app.add_subcommand("import", "Make a Hurray file of a Matrix Market file");
    c.add_option("IN", o.input, "Matrix Market file, coordinate or array")->required();
    c.add_option("OUT", o.output, "Hurray file to write")->required();
    c.add_option("--layout", o.layout, layouts)->capture_default_str();
    c.add_option("--name", o.name, "name of the tensor; by default, IN without its ending");
    c.add_option("--type", o.type, "element type; by default, what IN says");
    c.add_flag("--sum-duplicates", o.sum_duplicates, "add entries of the same position");
    c.add_option("--threads", o.threads, "threads to use; by default, one per processor");
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Symmetric, skew-symmetric and hermitian matrices are expanded. Stored zeros are kept.\n"
        "A pattern becomes ones of uint8, integer int64, real float64, complex complex128,\n"
        "unless a line \"%%GraphBLAS type T\" or \"%%Hurray type T\" says otherwise.\n"
        "\n"
        "Examples:\n"
        "  hurray import karate.mtx karate.hrry\n"
        "  hurray import big.mtx big.hrry --layout csc --type float32 --name adjacency\n");
    c.callback([&to] { to.outcome = run_import(to.import); });
}

void add_inspect(CLI::App &app, chosen &to) {
    auto &o = to.inspect;
    auto &c = *app.add_subcommand("inspect", "Say what is in a file; reads no data");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_flag("--json", o.json, "print one JSON document");
    c.add_flag("-v,--verbose", o.verbose, "say where each buffer lies");
    c.add_flag("--permissive", o.permissive, "tolerate and list what is not understood");
    c.footer("Examples:\n"
             "  hurray inspect karate.hrry\n"
             "  hurray inspect karate.hrry --json | jq .tensors[0].nnz\n");
    c.callback([&to] { to.outcome = run_inspect(to.inspect); });
}

void add_verify(CLI::App &app, chosen &to) {
    auto &o = to.verify;
    auto &c = *app.add_subcommand("verify", "Check everything in a file, to the last byte");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_flag("--permissive", o.permissive, "tolerate what is not understood");
    c.add_flag("--json", o.json, "print one JSON document");
    c.add_option("--threads", o.threads, "threads to use; by default, one per processor");
    c.add_option("--limit", o.limit, "stop after so many failures")->capture_default_str();
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer("Exit status 0: the file is valid. 1: it is not, and each failure was named with its\n"
             "tensor, rule, row or column, and byte.\n"
             "\n"
             "Examples:\n"
             "  hurray verify karate.hrry\n"
             "  hurray verify big.hrry --threads 2 --limit 100\n");
    c.callback([&to] { to.outcome = run_verify(to.verify); });
}

void add_show(CLI::App &app, chosen &to) {
    auto &o = to.show;
    auto &c = *app.add_subcommand("show", "Print a row, a column or an element");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    auto *const row = c.add_option("--row", o.row, "row to print, from 0");
    auto *const column = c.add_option("--column", o.column, "column to print, from 0");
    auto *const at = c.add_option("--at", o.at, "row and column of an element, from 0");
    at->expected(2)->excludes(row)->excludes(column);
    row->excludes(column);
    c.footer("Rows and columns are counted from 0. What is printed has been checked.\n"
             "\n"
             "Examples:\n"
             "  hurray show karate.hrry karate --row 7\n"
             "  hurray show karate.hrry karate --at 0 33\n");
    c.callback([&to] { to.outcome = run_show(to.show); });
}

void add_export(CLI::App &app, chosen &to) {
    auto &o = to.exported;
    auto &c = *app.add_subcommand("export", "Write a matrix as a Matrix Market file");
    c.add_option("FILE", o.file, "Hurray file")->required();
    c.add_option("NAME", o.name, "name of the tensor")->required();
    c.add_option("OUT", o.output, "Matrix Market file to write; - is standard output")->required();
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer(
        "Values are written so that they read back to the same bits. The element type is named\n"
        "in a comment line where the field does not tell it.\n"
        "\n"
        "Examples:\n"
        "  hurray export karate.hrry karate copy.mtx\n"
        "  hurray export karate.hrry karate - | head\n");
    c.callback([&to] { to.outcome = run_export(to.exported); });
}

void add_generate(CLI::App &app, chosen &to) {
    auto &o = to.generate;
    auto &c = *app.add_subcommand("generate", "Make up a matrix of any size");
    c.add_option("OUT", o.output, "Hurray file to write")->required();
    c.add_option("--kind", o.kind, "uniform, banded, poisson2d, identity or block-diagonal")
        ->required();
    c.add_option("--rows", o.rows, "rows");
    c.add_option("--columns", o.columns, "columns; by default, as many as rows");
    c.add_option("--nnz", o.nnz, "uniform: entries, at random places, as many in every row");
    c.add_option("--bandwidth", o.bandwidth, "banded: diagonals on either side of the main one")
        ->capture_default_str();
    c.add_option("--grid", o.grid, "poisson2d: points along each side of the square");
    c.add_option("--block", o.block, "block-diagonal: rows of each block");
    c.add_option("--seed", o.seed, "the same seed gives the same matrix")->capture_default_str();
    c.add_option("--type", o.type, "element type")->capture_default_str();
    c.add_option("--layout", o.layout, layouts)->capture_default_str();
    c.add_option("--name", o.name, "name of the tensor")->capture_default_str();
    c.add_flag("--quiet", o.quiet, "print nothing when all is well");
    c.footer("Memory does not grow with the matrix.\n"
             "\n"
             "Examples:\n"
             "  hurray generate big.hrry --kind uniform --rows 5000000 --nnz 50000000\n"
             "  hurray generate grid.hrry --kind poisson2d --grid 1000 --layout csc\n");
    c.callback([&to] { to.outcome = run_generate(to.generate); });
}

std::vector<std::string> command_names(CLI::App const &app) {
    std::vector<std::string> names;
    for (auto const *command : app.get_subcommands([](CLI::App const *) { return true; }))
        names.push_back(command->get_name());
    return names;
}

[[noreturn]] void wrong_arguments(CLI::App const &app, CLI::ParseError const &e, int argc,
                                  char const *const *argv) {
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

} // namespace

status run_command_line(int argc, char const *const *argv) {
    CLI::App app("Sparse matrices in Hurray files: make them, look at them, check them.", "hurray");
    chosen to;
    app.require_subcommand(1);
    app.set_version_flag("--version", HURRAY_VERSION);
    app.footer("hurray COMMAND --help tells more, with examples.\n"
               "Exit status: 0 good; 1 the file or its values are bad or not supported; 2 wrong\n"
               "usage, no such tensor, wrong kind of tensor; 3 the system failed.");
    add_import(app, to);
    add_inspect(app, to);
    add_verify(app, to);
    add_show(app, to);
    add_export(app, to);
    add_generate(app, to);
    watch_for_interrupt();
    try {
        app.parse(argc, argv);
    } catch (CLI::Success const &e) {
        app.exit(e);
        return status::good;
    } catch (CLI::ParseError const &e) {
        wrong_arguments(app, e, argc, argv);
    }
    return to.outcome;
}

} // namespace hurray::tool
