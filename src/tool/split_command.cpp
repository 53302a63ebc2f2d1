#include <sys/resource.h>

#include <algorithm>

#include "file_access.hpp"
#include "file_copy.hpp"
#include "output_file.hpp"
#include "set_commands.hpp"
#include "text.hpp"
#include "verified.hpp"

namespace hurray::tool {
namespace {

/// All parts are open at once, and some systems start with few files.
void allow_many_files() noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
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

    template<class View> result<void> operator()(View const& unchecked) const {
        return cut(by_slices(unchecked), View::major_axis);
    }

private:
    template<element T> result<void> cut(lazy_csr_view<T> const& unchecked, axis major) const {
        auto const view = verified(unchecked, options_.threads, options_.quiet);
        if (!view) return view.error();
        bool const by_rows = options_.by.empty() ? major == axis::rows : options_.by == "rows";
        auto const pieces = split(*view, options_.parts,
                                  by_rows == (major == axis::rows) ? axis::rows : axis::columns);
        if (!pieces) return pieces.error();
        auto const whole = shape_along(major, view->major(), view->minor());
        if (options_.files)
            write_files<T>(pieces->parts(), whole, major);
        else
            write_composite<T>(pieces->parts(), whole, major);
        return {};
    }

    template<element T> using parts_of = std::span<matrix_part<T, axis::rows> const>;

    template<element T> void write_composite(parts_of<T> parts, extents whole, axis major) const {
        auto out = begin_file(options_.output, how_);
        need_begun(out.begin_partition<T>(name_, whole, static_cast<std::uint32_t>(parts.size())),
                   options_.output, name_);
        for (std::size_t k = 0; k < parts.size(); ++k)
            write_part(out, options_.output, parts[k], k, whole, major);
        finish_file(out, options_.output);
    }

    /// No file appears before all are written.
    template<element T> void write_files(parts_of<T> parts, extents whole, axis major) const {
        std::vector<writer> all;
        allow_many_files();
        for (std::size_t k = 0; k < parts.size(); ++k) {
            all.push_back(begin_file(path_of(k), how_));
            write_part(all.back(), path_of(k), parts[k], k, whole, major);
        }
        stop_if_interrupted();
        for (std::size_t k = 0; k < all.size(); ++k) need(all[k].close(), path_of(k));
    }

    template<element T> void write_part(writer& out, std::filesystem::path const& path,
                                        matrix_part<T, axis::rows> const& part, std::size_t k,
                                        extents whole, axis major) const {
        progress shown("writing " + escaped(path.native()), options_.quiet);
        auto const offset = shape_along(major, part.offset.rows, part.offset.columns);
        auto const name = name_ + '.' + std::to_string(k);
        need_begun(
            write_in_pieces(out, name, part.view, major, {.shard = shard_at(whole, offset)}, shown),
            path, name);
    }
    std::filesystem::path path_of(std::uint64_t k) const {
        return file_of_part(options_.output, k, options_.parts);
    }

    split_options const& options_;
    std::string name_;
    write_options how_{};
};

}  // namespace

status run_split(split_options const& options) {
    if (options.parts == 0) throw stop(status::wrong_usage, "--parts must be at least 1");
    if (!options.by.empty() && options.by != "rows" && options.by != "columns")
        throw stop(status::wrong_usage, "--by takes rows or columns, not " + in_quotes(options.by));
    auto const from = open_file(options.input, access::sequential, mode::strict, checksums::verify);
    auto const name = name_or_only(from, options.input, options.name);
    auto const what = described_matrix(from, options.input, name);
    auto const word =
        options.by.empty() ? std::string(slice_word(what.descriptor.layout)) + 's' : options.by;
    auto const slices = what.descriptor.shape[word == "rows" ? 0 : 1];
    if (options.parts > std::max<std::uint64_t>(slices, 1))
        throw stop(status::wrong_usage, escaped(options.input.native()) + ": tensor " +
                                            in_quotes(name) + " has no more than " +
                                            grouped(slices) + ' ' + word + " to cut between");
    if (what.descriptor.shard)
        throw stop(status::wrong_usage, escaped(options.input.native()) + ": tensor " +
                                            in_quotes(name) + " is a shard already");
    need_unquantized(what, options.input);
    for (std::uint64_t k = 0; k < (options.files ? options.parts : 1); ++k)
        need_another_file(options.files ? file_of_part(options.output, k, options.parts)
                                        : options.output,
                          options.input);
    need(visit(from.view(), name, splitter(options, from, name), lazy), options.input, name,
         slice_word(what.descriptor.layout));
    if (options.quiet) return status::good;
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
