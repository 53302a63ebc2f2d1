#include <functional>

#include "file_access.hpp"
#include "set_commands.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// The matrix to split: the one that was named, or the only one.
std::string matrix_of(file const& from, split_options const& options) {
    if (!options.name.empty()) {
        described_matrix(from, options.input, options.name);
        return options.name;
    }
    std::vector<std::string> matrices;
    for (auto const& entry : from.tensors()) {
        auto const t = need(from.describe(entry.name), options.input, entry.name);
        if (t.descriptor.layout == layout::csr || t.descriptor.layout == layout::csc)
            matrices.emplace_back(entry.name);
    }
    if (matrices.size() == 1) return matrices.front();
    throw stop(status::wrong_usage, escaped(options.input.native()) + ": there are " +
                                        grouped(matrices.size()) +
                                        " matrices; say which one with --name");
}

/// OUT.hrry and 3: OUT.3.hrry, as wide as the last one so that the names sort.
std::filesystem::path file_of_part(std::filesystem::path const& out, std::uint64_t k,
                                   std::uint64_t parts) {
    auto number = std::to_string(k);
    auto const width = std::to_string(parts - 1).size();
    number.insert(0, width - number.size(), '0');
    auto path = out;
    path.replace_extension();
    path += '.' + number;
    path += out.extension();
    return path;
}

class splitter {
public:
    splitter(split_options const& options, file const& from, std::string name)
        : options_(options), name_(std::move(name)) {
        how_.metadata = own_metadata(from);
        how_.checksums = from.catalog().has_checksums();
    }

    template<class View> result<void> operator()(View const& view) const {
        auto const own = View::major_axis;
        auto const along = options_.by.empty()     ? own
                           : options_.by == "rows" ? axis::rows
                                                   : axis::columns;
        auto const pieces = split(view, options_.parts, along);
        if (!pieces) return pieces.error();
        if (options_.files) return write_files(pieces->parts(), pieces->shape());
        auto out = writer::create(options_.output, how_);
        if (!out) return out.error();
        if (auto ok = out->write_partition(name_, pieces->parts()); !ok) return ok;
        return out->close();
    }

private:
    /// No file appears before all are written.
    template<class Parts> result<void> write_files(Parts const& parts, extents whole) const {
        std::vector<writer> all;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            stop_if_interrupted();
            auto out = writer::create(file_of_part(options_.output, k, parts.size()), how_);
            if (!out) return out.error();
            tensor_options const place{.shard = shard_at(whole, parts[k].offset)};
            auto const name = name_ + '.' + std::to_string(k);
            if (auto ok = out->write(name, parts[k].view, place); !ok) return ok;
            all.push_back(*std::move(out));
        }
        for (auto& out : all)
            if (auto ok = out.close(); !ok) return ok;
        return {};
    }

    split_options const& options_;
    std::string name_;
    write_options how_{};
};

}  // namespace

status run_split(split_options const& options) {
    if (options.parts == 0) throw stop(status::wrong_usage, "--parts must be at least 1");
    auto const from = open_file(options.input, access::sequential);
    auto const name = matrix_of(from, options);
    auto const what = described_matrix(from, options.input, name);
    if (what.descriptor.shard)
        throw stop(status::wrong_usage, escaped(options.input.native()) + ": tensor " +
                                            in_quotes(name) + " is a shard already");
    need(visit(from.view(), name, splitter(options, from, name)), options.input, name,
         slice_word(what.descriptor.layout));
    if (options.quiet) return status::good;
    auto const word =
        options.by.empty() ? std::string(slice_word(what.descriptor.layout)) + 's' : options.by;
    auto text = escaped(
        (options.files ? file_of_part(options.output, 0, options.parts) : options.output).native());
    if (options.files && options.parts > 1)
        text += " to " +
                escaped(file_of_part(options.output, options.parts - 1, options.parts).native());
    print(text + ": " + in_quotes(name) + ", " + shape_text(what.descriptor.shape) + ", in " +
          grouped(options.parts) + (options.parts == 1 ? " part of " : " parts of ") + word + '\n');
    return status::good;
}

}  // namespace hurray::tool
