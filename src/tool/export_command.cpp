#include "commands.hpp"
#include "export_npz.hpp"
#include "file_access.hpp"
#include "matrix_market.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "text_output.hpp"

namespace hurray::tool {
namespace {

/// Writes the entries in the order of storage; every row or column is checked as it is taken.
class entry_writer {
public:
    entry_writer(text_output& out, progress& shown) noexcept : out_(out), shown_(shown) {}

    template<class View> result<void> operator()(View const& view) const {
        return write(by_slices(view), View::major_axis == axis::rows);
    }

private:
    template<element T> result<void> write(lazy_csr_view<T> const& view, bool by_rows) const {
        std::uint64_t written = 0;
        for (std::uint64_t i = 0; i < view.major(); ++i) {
            auto const slice = view.at(i);
            if (!slice) return slice.error();
            written += slice->size();
            for (auto const [index, value] : *slice)
                append(by_rows ? i : index, by_rows ? index : i, value);
            out_.spill();
            if ((i & 0xFFF) != 0) continue;
            stop_if_interrupted();
            shown_.update(i, view.major());
        }
        if (written != view.nnz()) return errc::offsets_not_anchored;  // what no slice alone shows
        return {};
    }

    template<element T> void append(std::uint64_t row, std::uint64_t column, T value) const {
        auto& text = out_.text();
        number::append(text, row + 1);
        text += ' ';
        number::append(text, column + 1);
        text += ' ';
        append_number(text, value);
        text += '\n';
    }

    text_output& out_;
    progress& shown_;
};

std::string header_of(tensor const& what) {
    auto const& d = what.descriptor;
    auto const field = market_field_of(d.element_type);
    return "%%MatrixMarket matrix coordinate " + std::string(name(field)) + " general\n" +
           market_type_line(d.element_type, field) + std::to_string(d.shape[0]) + ' ' +
           std::to_string(d.shape[1]) + ' ' + std::to_string(d.nnz().value_or(0)) + '\n';
}

void export_market(export_options const& options, file const& from, tensor const& what) {
    text_output out(options.output);
    out.text() += header_of(what);
    {
        progress shown("exporting", options.quiet);
        need(visit(from.view(), options.name, entry_writer(out, shown), lazy), options.file,
             options.name, slice_word(what.descriptor.layout));
    }
    out.publish();
}

}  // namespace

status run_export(export_options const& options) {
    auto const from = open_file(options.file, access::sequential);
    auto const what = described_matrix(from, options.file, options.name);
    need_unquantized(what, options.file);
    check_foreign_output(options.output, {".hrry", ".gz", ".h5", ".h5ad", ".hdf5", ".png"});
    std::string remark;
    if (options.output.extension() == ".npz")
        remark = export_npz(options, from, what);
    else
        export_market(options, from, what);
    if (!options.quiet && options.output != "-")
        print(escaped(options.output.native()) + ": " + grouped(what.descriptor.nnz().value_or(0)) +
              " entries of " + in_quotes(options.name) + remark + '\n');
    return status::good;
}

}  // namespace hurray::tool
