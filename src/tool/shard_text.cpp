#include <algorithm>
#include <optional>

#include "file_access.hpp"
#include "set_commands.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

std::string range_text(char const* what, std::uint64_t first, std::uint64_t count) {
    if (count == 1) return std::string(what) + ' ' + std::to_string(first);
    return std::string(what) + "s " + std::to_string(first) + " to " +
           std::to_string(first + count - 1);
}

/// "rows 10 to 19"; "rows 10 to 19, columns 0 to 4" of a whole that is wider.
std::string box_text(extents offset, extents shape, extents whole) {
    bool const all_rows = shape.rows == whole.rows, all_columns = shape.columns == whole.columns;
    auto const rows = range_text("row", offset.rows, shape.rows);
    auto const columns = range_text("column", offset.columns, shape.columns);
    if (all_columns) return rows;
    if (all_rows) return columns;
    return rows + ", " + columns;
}

class fault_text {
public:
    fault_text(shard_set const& set, std::vector<set_file> const& files) : set_(set) {
        for (auto const& shard : set.shards) {
            auto const in = std::find_if(files.begin(), files.end(), [&](set_file const& f) {
                return f.opened.bytes().data() == shard.file.bytes().data();
            });
            paths_.push_back(in == files.end() ? std::filesystem::path() : in->path);
        }
    }

    std::string operator()(shard_fault const& f, extents whole) const {
        switch (f.what) {
        case shard_problem::not_a_shard:
            return who(f.shard) + " is no shard of a matrix";
        case shard_problem::mismatched:
            return who(f.shard) + " (" + kind(f.shard) + ") is not of the same whole as the others";
        case shard_problem::repeated:
            return who(f.shard) + " is one too many: it holds " +
                   box_text(f.offset, f.shape, whole) + ", as does " + who(f.other);
        case shard_problem::overlapping:
            return who(f.shard) + " holds " + box_text(f.offset, f.shape, whole) +
                   ", some of which is in " + who(f.other);
        case shard_problem::missing:
            break;
        }
        return "a shard of " + in_quotes(set_.stem) + " is missing: no file holds " +
               box_text(f.offset, f.shape, whole) + " of " + std::to_string(whole.rows) + " x " +
               std::to_string(whole.columns);
    }

    /// The whole that most shards are of, by one of which nothing is wrong in itself.
    extents whole(std::vector<shard_fault> const& faults) const {
        for (std::size_t i = 0; i < set_.shards.size(); ++i) {
            bool const odd = std::any_of(faults.begin(), faults.end(), [&](shard_fault const& f) {
                return f.shard == i && (f.what == shard_problem::mismatched ||
                                        f.what == shard_problem::not_a_shard);
            });
            auto const d = odd ? std::nullopt : described_as(i);
            if (d) return {d->shard->parent_shape[0], d->shard->parent_shape[1]};
        }
        return {};
    }

private:
    std::optional<descriptor> described_as(std::size_t i) const {
        auto t = set_.shards[i].file.describe(set_.shards[i].name);
        if (!t) return std::nullopt;
        return std::move(t->descriptor);
    }
    std::string who(std::size_t i) const {
        return escaped(paths_[i].native()) + ": " + in_quotes(set_.shards[i].name);
    }
    std::string kind(std::size_t i) const {
        auto const d = described_as(i);
        if (!d) return "?";
        return layout_text(d->layout) + ' ' + type_text(d->element_type) + ", of " +
               shape_text(d->shard->parent_shape);
    }

    shard_set const& set_;
    std::vector<std::filesystem::path> paths_;
};

}  // namespace

std::vector<set_file> open_set(std::vector<std::filesystem::path> const& paths, access how,
                               mode strictness) {
    std::vector<set_file> all;
    for (auto const& path : paths)
        all.push_back({path, open_file(path, how, strictness, checksums::verify)});
    return all;
}

std::vector<shard_set> sets_in(std::vector<set_file> const& files) {
    std::vector<file_view> views;
    for (auto const& f : files) views.push_back(f.opened.view());
    auto found = shards_in(views);
    if (found) return *std::move(found);
    // Which file it was is found by asking each alone.
    for (std::size_t i = 0; i < files.size(); ++i)
        need(shards_in(std::span(views).subspan(i, 1)), files[i].path);
    throw stop(status::bad_file, found.error().message());
}

std::size_t complain_of_faults(shard_set const& set, std::vector<set_file> const& files,
                               std::size_t limit) {
    auto const faults = faults_of(set.shards, limit);
    fault_text const text(set, files);
    auto const whole = text.whole(faults);
    for (auto const& f : faults) complain(text(f, whole));
    return faults.size();
}

}  // namespace hurray::tool
