#include <hurray/partition.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

namespace hurray {
namespace {

/// A shard as far as the set is concerned.
struct described {
    std::vector<std::uint64_t> parent;
    element_type type{};
    hurray::layout layout{};
    extents offset{};
    extents shape{};

    auto kind() const { return std::tie(parent, type, layout); }
};

std::optional<described> describe(shard_source const& from) {
    auto const t = from.file.describe(from.name);
    if (!t) return std::nullopt;
    auto const& d = t->descriptor;
    if (!d.shard || d.shape.size() != 2) return std::nullopt;
    auto const& at = d.shard->offset;
    return described{.parent = d.shard->parent_shape,
                     .type = d.element_type,
                     .layout = d.layout,
                     .offset = {at[0], at[1]},
                     .shape = {d.shape[0], d.shape[1]}};
}

/// Finds overlaps and gaps: rows are swept downwards, and the boxes that meet the row at hand are
/// kept by their columns, none overlapping.
class sweep {
public:
    sweep(extents whole, std::vector<shard_fault>& to, std::size_t limit)
        : whole_(whole), to_(to), limit_(limit) {}

    void add(std::size_t shard, extents offset, extents shape) {
        if (shape.rows == 0 || shape.columns == 0) return;
        waiting_.push({offset.rows, offset.rows + shape.rows, offset.columns,
                       offset.columns + shape.columns, shard, offset, shape});
    }

    void run() {
        if (whole_.rows == 0 || whole_.columns == 0) return;
        std::uint64_t row = 0;
        while (row < whole_.rows && to_.size() < limit_) {
            leave(row);
            while (!waiting_.empty() && waiting_.top().begin == row && to_.size() < limit_) {
                auto const next = waiting_.top();
                waiting_.pop();
                enter(next);
            }
            auto const next = next_row();
            if (covered_ != whole_.columns && to_.size() < limit_) name_gaps(row, next);
            row = next;
        }
    }

private:
    struct box {
        std::uint64_t begin, end;   ///< rows that it still has to hold
        std::uint64_t left, right;  ///< columns
        std::size_t shard;
        extents offset, shape;                               ///< as it was
        friend bool operator<(box const& a, box const& b) {  // the topmost comes first
            return std::tie(a.begin, a.left, a.shard) > std::tie(b.begin, b.left, b.shard);
        }
    };
    struct end_of_box {
        std::uint64_t row, left;
        friend bool operator<(end_of_box a, end_of_box b) { return a.row > b.row; }
    };

    void leave(std::uint64_t row) {
        for (; !ends_.empty() && ends_.top().row <= row; ends_.pop()) {
            auto const gone = active_.find(ends_.top().left);
            covered_ -= gone->second.right - gone->second.left;
            active_.erase(gone);
        }
    }

    /// The active box that shares a column with this one.
    box const* in_the_way_of(box const& b) const {
        auto const after = active_.lower_bound(b.left);
        if (after != active_.end() && after->second.left < b.right) return &after->second;
        if (after == active_.begin()) return nullptr;
        auto const& before = std::prev(after)->second;
        return before.right > b.left ? &before : nullptr;
    }

    void enter(box b) {
        auto const* const other = in_the_way_of(b);
        if (other == nullptr) {
            covered_ += b.right - b.left;
            ends_.push({b.end, b.left});
            active_.emplace(b.left, b);
            return;
        }
        bool const same = other->offset == b.offset && other->shape == b.shape;
        to_.push_back({same ? shard_problem::repeated : shard_problem::overlapping, b.shard,
                       other->shard, b.offset, b.shape});
        // What it holds below the other one still counts. Beside it, it does not: then gaps
        // would be named that are none.
        if (b.left < other->left || b.right > other->right) beside_ = true;
        if (b.end <= other->end) return;
        b.begin = other->end;
        waiting_.push(b);
    }

    std::uint64_t next_row() const {
        auto next = whole_.rows;
        if (!waiting_.empty()) next = std::min(next, waiting_.top().begin);
        if (!ends_.empty()) next = std::min(next, ends_.top().row);
        return next;
    }

    void name_gaps(std::uint64_t row, std::uint64_t next) {
        if (beside_) return;
        std::uint64_t column = 0;
        for (auto const& [left, b] : active_) {
            if (left > column) name_gap(row, next, column, left);
            column = b.right;
        }
        if (column < whole_.columns) name_gap(row, next, column, whole_.columns);
    }

    void name_gap(std::uint64_t row, std::uint64_t next, std::uint64_t left, std::uint64_t right) {
        for (auto& f : to_)  // it may go on where an earlier one ended
            if (f.what == shard_problem::missing && f.offset.columns == left &&
                f.shape.columns == right - left && f.offset.rows + f.shape.rows == row) {
                f.shape.rows = next - f.offset.rows;
                return;
            }
        if (to_.size() == limit_) return;
        to_.push_back({.what = shard_problem::missing,
                       .offset = {row, left},
                       .shape = {next - row, right - left}});
    }

    extents whole_;
    std::vector<shard_fault>& to_;
    std::size_t limit_;
    std::priority_queue<box> waiting_;
    std::priority_queue<end_of_box> ends_;
    std::map<std::uint64_t, box> active_;  ///< by their left ends
    std::uint64_t covered_ = 0;            ///< columns, by active boxes
    bool beside_ = false;
};

/// "A" of "A.7"; the name itself where no number follows a dot.
std::string_view stem_of(std::string_view name) noexcept {
    auto const dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return name;
    auto const number = name.substr(dot + 1);
    return number.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, dot)
                                                                            : name;
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

std::vector<shard_fault> faults_of(std::span<shard_source const> shards, std::size_t limit) {
    std::vector<shard_fault> faults;
    std::vector<std::optional<described>> all;
    for (auto const& shard : shards) all.push_back(describe(shard));

    // The kind that most are of is the one that the others should have been of.
    using kind = std::tuple<std::vector<std::uint64_t>, element_type, layout>;
    std::map<kind, std::size_t> kinds;
    for (auto const& d : all)
        if (d) ++kinds[kind(d->kind())];
    auto const most = std::max_element(kinds.begin(), kinds.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });

    for (std::size_t i = 0; i < all.size() && faults.size() < limit; ++i) {
        if (!all[i])
            faults.push_back({.what = shard_problem::not_a_shard, .shard = i});
        else if (kind(all[i]->kind()) != most->first)
            faults.push_back({.what = shard_problem::mismatched,
                              .shard = i,
                              .offset = all[i]->offset,
                              .shape = all[i]->shape});
    }
    if (kinds.empty()) return faults;
    auto const& parent = std::get<0>(most->first);
    sweep rest({parent[0], parent[1]}, faults, limit);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] && kind(all[i]->kind()) == most->first)
            rest.add(i, all[i]->offset, all[i]->shape);
    rest.run();
    return faults;
}

result<std::vector<shard_set>> shards_in(std::span<file_view const> files) {
    std::map<std::string, shard_set, std::less<>> sets;
    for (auto const& file : files) {
        std::uint64_t members = 0;  // of composites that go on
        for (auto const* const entry : file.catalog().in_file_order()) {
            auto const t = file.describe(entry->name);
            if (!t) return t.error();
            bool const free = members == 0;
            if (!free) --members;
            auto const& d = t->descriptor;
            if (d.layout == layout::composite) members += d.fields.composite.members;
            if (!free || !d.shard) continue;
            auto const stem = stem_of(entry->name);
            auto found = sets.find(stem);
            if (found == sets.end())
                found = sets.emplace(stem, shard_set{std::string(stem), {}}).first;
            found->second.shards.push_back({file, entry->name});
        }
    }
    std::vector<shard_set> all;
    for (auto& [stem, set] : sets) all.push_back(std::move(set));
    return all;
}

}  // namespace v0
}  // namespace hurray
