#include <hurray/transpose.hpp>
#include <hurray/writer.hpp>

#include "commands.hpp"
#include "file_access.hpp"
#include "market_matrix.hpp"
#include "text.hpp"
#include "text_input.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

/// Elements to give the writer at once: Ctrl-C is heard in between.
constexpr std::uint64_t piece_length = std::uint64_t{1} << 20;

struct importing {
    import_options const& options;
    market_header const& header;
    std::string_view text;
    axis major;
    std::string name;
    unsigned threads;
};

std::string position_text(importing const& job, repeated_entry at) {
    if (job.major == axis::columns) std::swap(at.slice, at.index);
    return "row " + std::to_string(at.slice + 1) + ", column " + std::to_string(at.index + 1);
}

[[noreturn]] void refuse_repeated(importing const& job, repeated_entry at) {
    auto const row = job.major == axis::rows ? at.slice : at.index;
    auto const column = job.major == axis::rows ? at.index : at.slice;
    auto const lines = find_repeated(job.header, job.text, row, column);
    throw line_error(lines.line, position_text(job, at) + " was given in line " +
                                     std::to_string(lines.before) +
                                     " already; --sum-duplicates would add the two");
}

market_plan counted(importing const& job) {
    progress shown("counting the entries", job.options.quiet);
    return plan_market(job.header, job.text, job.major, job.threads, shown);
}

template<element T> market_matrix<T> read_matrix(importing const& job) {
    auto plan = counted(job);
    market_matrix<T> matrix{.offsets = std::move(plan.offsets), .indices = {}, .values = {}};
    matrix.indices = huge_array<std::uint64_t>(matrix.nnz());
    matrix.values = huge_array<T>(matrix.nnz());
    {
        progress shown("reading the values", job.options.quiet);
        plan.pieces.front().shown = &shown;
        for_each_piece(plan.pieces, market_placer<T>(job.header, job.major, matrix));
    }
    plan.pieces.clear();

    auto repeated = sort_slices(matrix, job.threads);
    if (!repeated) return matrix;
    if (!job.options.sum_duplicates) refuse_repeated(job, *repeated);
    if (!sum_repeated(matrix, *repeated))
        throw stop(status::bad_file, escaped(job.options.input.native()) +
                                         ": the sum of the entries at " +
                                         position_text(job, *repeated) + " is outside " +
                                         std::string(hurray::name(element_type_of<T>)));
    return matrix;
}

extents shape_of(importing const& job) { return {job.header.rows, job.header.columns}; }

std::span<std::uint64_t const> whole(huge_array<std::uint64_t> const& array) {
    return {array.data(), array.size()};
}

template<class T>
std::span<T const> piece_of(huge_array<T> const& array, std::uint64_t at, std::uint64_t nnz) {
    return {array.data() + at, std::min(piece_length, nnz - at)};
}

/// Elements of a packed type are packed on their way out.
template<element T> std::uint64_t write_as_read(importing const& job, writer& out) {
    auto const matrix = read_matrix<T>(job);
    auto const& path = job.options.output;
    auto const offsets = whole(matrix.offsets);
    auto stream =
        need_begun(job.major == axis::rows ? out.stream_csr<T>(job.name, shape_of(job), offsets)
                                           : out.stream_csc<T>(job.name, shape_of(job), offsets),
                   path, job.name);
    auto const nnz = matrix.nnz();
    for (std::uint64_t at = 0; at < nnz; at += piece_length) {
        stop_if_interrupted();
        need(stream.values(piece_of(matrix.values, at, nnz)), path, job.name);
    }
    for (std::uint64_t at = 0; at < nnz; at += piece_length) {
        stop_if_interrupted();
        need(stream.indices(piece_of(matrix.indices, at, nnz)), path, job.name);
    }
    need(stream.close(), path, job.name);
    return nnz;
}

/// For files that are sorted along the other dimension: they are read along it and transposed,
/// which is quicker than to drop each entry at its place.
template<element T, axis Read> std::uint64_t write_transposed(importing job, writer& out) {
    auto const& path = job.options.output;
    job.major = Read;
    auto const read = [&] {
        auto const matrix = read_matrix<T>(job);
        auto const nnz = matrix.nnz();
        auto const view =
            need(compressed_view<T, Read, trust::verified>::over(
                     shape_of(job), whole(matrix.offsets), {matrix.indices.data(), nnz},
                     std::span<T const>(matrix.values.data(), nnz)),
                 path, job.name);
        return need(transpose(view, {.threads = job.threads}), path, job.name);
    };
    auto const matrix = read();
    stop_if_interrupted();
    need_begun(out.write(job.name, matrix.view()), path, job.name);
    return matrix.nnz();
}

template<element T> std::uint64_t write_matrix(importing const& job, writer& out) {
    if constexpr (!packed_element<T>) {
        auto const order = order_of_market(job.header, job.text);
        if (order == axis::rows && job.major == axis::columns)
            return write_transposed<T, axis::rows>(job, out);
        if (order == axis::columns && job.major == axis::rows)
            return write_transposed<T, axis::columns>(job, out);
    }
    return write_as_read<T>(job, out);
}

/// The file's name without its endings.
std::string name_of_import(import_options const& options) {
    if (!options.name.empty()) return options.name;
    if (options.input == "-") return "matrix";
    auto const stem = options.input.stem();
    return (options.input.extension() == ".gz" ? stem.stem() : stem).native();
}

void report(importing const& job, element_type type, std::uint64_t nnz) {
    if (job.options.quiet) return;
    std::error_code ignored;
    auto const bytes = std::filesystem::file_size(job.options.output, ignored);
    print(escaped(job.options.output.native()) + ": " + in_quotes(job.name) + ", " +
          std::to_string(job.header.rows) + " x " + std::to_string(job.header.columns) + ' ' +
          job.options.layout + ' ' + std::string(hurray::name(type)) + ", " + grouped(nnz) +
          (nnz == 1 ? " entry, " : " entries, ") + human_bytes(bytes) + '\n');
}

void import_market(import_options const& options) {
    auto const input = text_input::open(options.input);
    auto const asked =
        options.type.empty() ? std::nullopt : std::optional(type_named(options.type));
    auto const header = read_market_header(input.text());
    importing const job{.options = options,
                        .header = header,
                        .text = input.text(),
                        .major = major_named(options.layout),
                        .name = name_of_import(options),
                        .threads = threads_or_all(options.threads)};
    auto const type = asked.value_or(header.natural_type());
    auto out = need(writer::create(options.output), options.output);
    auto const nnz = visit_element_type(
        type, [&]<class T>(std::type_identity<T>) { return write_matrix<T>(job, out); });
    need(out.close(), options.output);
    report(job, type, nnz);
}

}  // namespace

status run_import(import_options const& options) {
    try {
        import_market(options);
    } catch (line_error const& e) {
        throw stop(status::bad_file, escaped(options.input.native()) + ", line " +
                                         std::to_string(e.line()) + ": " + e.what());
    }
    return status::good;
}

}  // namespace hurray::tool
