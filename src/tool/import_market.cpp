#include <algorithm>

#include <hurray/transpose.hpp>

#include "file_access.hpp"
#include "file_copy.hpp"
#include "import_job.hpp"
#include "market_matrix.hpp"
#include "market_run.hpp"
#include "text.hpp"
#include "text_input.hpp"

namespace hurray::tool {
namespace {

struct importing {
    import_job const& all;
    std::filesystem::path const& input;
    market_header const& header;
    std::string_view text;
    axis major;
    std::string const& name;

    unsigned threads() const noexcept { return all.threads; }
    bool quiet() const noexcept { return all.options.quiet; }
    std::filesystem::path const& output() const noexcept { return all.output; }
};

extents shape_of(importing const& job) { return {job.header.rows, job.header.columns}; }

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

/// Counting takes a number per slice and thread, however few entries there are.
void need_room_for_slices(importing const& job) {
    auto const slices = job.major == axis::rows ? job.header.rows : job.header.columns;
    if (slices < job.all.memory / 8 / (job.threads() + 1)) return;
    throw stop(status::bad_file, escaped(job.input.native()) + ": " + grouped(slices) +
                                     (job.major == axis::rows ? " rows" : " columns") +
                                     " are more than --memory has room for");
}

market_plan counted(importing const& job) {
    need_room_for_slices(job);
    progress shown("counting the entries", job.quiet(), counting::bytes);
    return plan_market(job.header, job.text, job.major, job.threads(), shown);
}

template<element T> market_matrix<T> read_matrix(importing const& job) {
    auto plan = counted(job);
    market_matrix<T> matrix{.offsets = std::move(plan.offsets), .indices = {}, .values = {}};
    matrix.indices = huge_array<std::uint64_t>(matrix.nnz());
    matrix.values = huge_array<T>(matrix.nnz());
    {
        progress shown("reading the values", job.quiet(), counting::bytes);
        plan.pieces.front().shown = &shown;
        for_each_piece(plan.pieces, market_placer<T>(job.header, job.major, matrix));
    }
    plan.pieces.clear();

    auto repeated = sort_slices(matrix, job.threads());
    if (!repeated) return matrix;
    if (!job.all.options.sum_duplicates) refuse_repeated(job, *repeated);
    if (!sum_repeated(matrix, *repeated))
        throw stop(status::bad_file, escaped(job.input.native()) + ": the sum of the entries at " +
                                         position_text(job, *repeated) + " is outside " +
                                         std::string(hurray::name(element_type_of<T>)));
    return matrix;
}

std::span<std::uint64_t const> whole(huge_array<std::uint64_t> const& array) {
    return {array.data(), array.size()};
}

template<element T> market_matrix<T> read_ordered_or_any(importing const& job) {
    if (may_be_in_order(job.header, job.text, job.major)) {
        progress shown("reading", job.quiet());
        auto made = read_ordered_matrix<T>(job.header, job.text, job.major, job.threads(), shown);
        if (made) return *std::move(made);
    }
    return read_matrix<T>(job);
}

/// Elements of a packed type are packed on their way out.
template<element T> std::uint64_t write_as_read(importing const& job, writer& out) {
    auto const matrix = read_matrix<T>(job);
    auto const& path = job.output();
    auto const nnz = matrix.nnz();
    progress shown("writing", job.quiet());
    auto stream = need_begun(
        begin_stream<T>(out, job.name, job.major, shape_of(job), whole(matrix.offsets), {}), path,
        job.name);
    need(for_each_part(nnz, shown, 0, 2 * nnz,
                       [&](auto first, auto count) {
                           return stream.values(
                               std::span<T const>(matrix.values.data() + first, count));
                       }),
         path, job.name);
    need(finish_stream(stream, {matrix.indices.data(), nnz}, shown), path, job.name);
    return nnz;
}

/// Appends a matrix that is in memory, in pieces, so that Ctrl-C is heard.
template<element T>
void append_pieces(market_matrix<T> const& matrix, progress& shown, auto const& append) {
    constexpr std::uint64_t at_once = std::uint64_t{1} << 16;
    for (std::uint64_t slice = 0; slice < matrix.slices(); slice += at_once) {
        stop_if_interrupted();
        shown.update(slice, matrix.slices());
        auto const count = std::min(at_once, matrix.slices() - slice);
        auto const first = matrix.offsets[slice], last = matrix.offsets[slice + count];
        append(whole(matrix.offsets).subspan(slice + 1, count),
               whole(matrix.indices).subspan(first, last - first),
               std::span<T const>(matrix.values.data() + first, last - first));
    }
}

/// For files in the order of the matrix: their entries go to the output as they are read.
template<element T> std::uint64_t write_in_order(importing const& job, writer& out) {
    auto const& path = job.output();
    auto const nnz = job.header.entries;
    auto matrix =
        need_begun(begin_rows<T>(out, job.name, job.major, shape_of(job), nnz), path, job.name);
    auto const append = [&](auto ends, auto indices, std::span<T const> values) {
        need(matrix.append_rows(ends, indices, values), path, job.name);
    };
    progress shown("importing", job.quiet());
    if (!read_in_order<T>(job.header, job.text, job.major, job.threads(), shown, append)) {
        need(matrix.restart(), path, job.name);  // a line is wrong, or in another place
        append_pieces(read_matrix<T>(job), shown, append);
    }
    need(matrix.close(), path, job.name);
    return nnz;
}

/// For files that are sorted along the other dimension: they are read along it and transposed,
/// which is quicker than to drop each entry at its place. What is read counts as rows, whatever it
/// is, so that this is compiled once for both.
template<element T> std::uint64_t write_transposed(importing job, axis read_along, writer& out) {
    auto const& path = job.output();
    job.major = read_along;
    bool const by_rows = read_along == axis::rows;
    auto const read = [&] {
        auto const matrix = read_ordered_or_any<T>(job);
        auto const nnz = matrix.nnz();
        extents const shape{matrix.slices(), by_rows ? job.header.columns : job.header.rows};
        auto const view =
            need(csr_view<T>::over(shape, whole(matrix.offsets), {matrix.indices.data(), nnz},
                                   std::span<T const>(matrix.values.data(), nnz)),
                 path, job.name);
        return need(transpose(view, {.threads = job.threads()}), path, job.name);
    };
    auto const matrix = read();
    stop_if_interrupted();
    auto const view = matrix.view();
    need_begun(by_rows ? out.write(job.name, view) : out.write(job.name, view.transposed()), path,
               job.name);
    return matrix.nnz();
}

template<element T> std::uint64_t write_matrix(importing const& job, writer& out) {
    if constexpr (!packed_element<T>) {
        auto const order = order_of_market(job.header, job.text, job.major);
        if (order == job.major && !job.all.options.sum_duplicates &&
            may_be_in_order(job.header, job.text, job.major))
            return write_in_order<T>(job, out);
        if (order && *order != job.major) return write_transposed<T>(job, *order, out);
    }
    return write_as_read<T>(job, out);
}

imported import_open_market(import_job const& all, std::filesystem::path const& input,
                            std::string const& name) {
    auto const content = text_input::open(input);
    auto const header = read_market_header(content.text());
    auto const major = all.major.value_or(axis::rows);
    importing const job{.all = all,
                        .input = input,
                        .header = header,
                        .text = content.text(),
                        .major = major,
                        .name = name};
    auto const type = all.type.value_or(header.natural_type());
    auto const nnz = visit_element_type(
        type, [&]<class T>(std::type_identity<T>) { return write_matrix<T>(job, all.out); });
    return {name, shape_of(job), major, type, nnz};
}

}  // namespace

imported import_market(import_job const& job, std::filesystem::path const& input,
                       std::string const& name) {
    try {
        return import_open_market(job, input, name);
    } catch (line_error const& e) {
        throw stop(status::bad_file, escaped(input.native()) + ", line " +
                                         std::to_string(e.line()) + ": " + e.what());
    }
}

}  // namespace hurray::tool
