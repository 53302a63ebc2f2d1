#include <hurray/partition.hpp>

#include <algorithm>
#include <optional>

#include "byte_source.hpp"
#include "composite.hpp"

namespace hurray {
namespace {

constexpr std::uint8_t partition_rule = 1;

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

extents extents_of(std::vector<std::uint64_t> const& two) { return {two[0], two[1]}; }

/// Boxes lie inside their parents, so this never wraps.
extents sum(extents a, extents b) noexcept { return {a.rows + b.rows, a.columns + b.columns}; }

}  // namespace

inline namespace v0 {
namespace detail {

/// Follows a head through its members.
struct partition_reader {
    file_view const& file;
    partition_state& to;

    /// A head whose members are being read.
    struct level {
        std::uint32_t left = 0;
        extents base{};     ///< where its box begins in the whole
        bool shown = true;  ///< its members are members of the whole
    };

    static result<located> locate(file_view const& file, tensor const& t, bool typed) {
        auto const& d = t.descriptor;
        if (d.layout == layout::composite) return errc::view_not_supported;
        if (d.layout != layout::csr && d.layout != layout::csc) return errc::layout_mismatch;
        return file.locate(t, typed, trust::lazy);
    }

    void add(tensor const& t, extents offset, element_type wanted, std::size_t file_number) const {
        auto const& d = t.descriptor;
        to.members.push_back({.name = t.name,
                              .layout = d.layout,
                              .offset = offset,
                              .shape = extents_of(d.shape),
                              .nnz = d.nnz().value_or(0),
                              .file = file_number});
        bool const typed = wanted != element_type{};
        if (typed && d.element_type != wanted)
            to.places.emplace_back(errc::element_type_mismatch);
        else
            to.places.push_back(locate(file, t, typed));
    }

    result<void> read(index_entry const& entry, tensor const& head, element_type wanted) const {
        format::composite_checker checker;
        if (auto ok = checker.add(head.descriptor, entry.descriptor.offset); !ok) return ok;
        std::vector<level> levels{{head.descriptor.fields.composite.members}};
        auto const all = file.catalog().in_file_order();
        for (auto next = std::find(all.begin(), all.end(), &entry) + 1; checker.depth() != 0;
             ++next) {
            if (next == all.end())
                return fail(errc::torn_composite, entry.descriptor.offset);
            auto const t = file.catalog().describe(byte_source(file.bytes()), **next);
            if (!t) return t.error();
            if (auto ok = checker.add(t->descriptor, (*next)->descriptor.offset); !ok) return ok;
            follow(*t, levels, wanted);
        }
        return {};
    }

    /// One tensor more, which the checker has accepted.
    void follow(tensor const& t, std::vector<level>& levels, element_type wanted) const {
        auto& head = levels.back();
        --head.left;
        auto const& d = t.descriptor;
        auto const offset = head.shown ? sum(head.base, extents_of(d.shard->offset)) : extents{};
        bool const composite = d.layout == layout::composite;
        auto const& inner = d.fields.composite;
        bool const opened = head.shown && composite && inner.rule == partition_rule;
        if (head.shown && !opened) add(t, offset, wanted, 0);
        if (composite) levels.push_back({inner.members, offset, opened});
        while (!levels.empty() && levels.back().left == 0) levels.pop_back();
    }
};

result<std::shared_ptr<partition_state const>>
open_partition(file_view const& file, std::string_view name, element_type wanted) {
    auto const head = file.describe(name);
    if (!head) return head.error();
    auto const& d = head->descriptor;
    if (d.layout != layout::composite || d.fields.composite.rule != partition_rule)
        return errc::not_a_partition;
    if (d.shape.size() != 2) return errc::view_not_supported;
    if (d.has_dynamic_dimension()) return errc::dynamic_dimension;  // no shard is of it
    if (wanted != element_type{} && d.element_type != wanted) return errc::element_type_mismatch;
    auto state = std::make_shared<partition_state>();
    state->shape = extents_of(d.shape);
    state->element_type = d.element_type;
    state->files.push_back(file);
    partition_reader const reader{file, *state};
    if (auto ok = reader.read(*file.catalog().find(name), *head, wanted); !ok) return ok.error();
    return std::shared_ptr<partition_state const>(std::move(state));
}

result<std::shared_ptr<partition_state const>>
gather_partition(std::span<shard_source const> shards, element_type wanted) {
    auto state = std::make_shared<partition_state>();
    std::vector<std::uint64_t> parent;
    std::vector<format::box> boxes;
    for (auto const& [file, name] : shards) {
        auto const t = file.describe(name);
        if (!t) return t.error();
        auto const& d = t->descriptor;
        if (!d.shard || d.shape.size() != 2) return errc::not_a_partition;
        if (boxes.empty()) {
            parent = d.shard->parent_shape;
            state->element_type = d.element_type;
            state->shape = extents_of(parent);
        }
        if (d.shard->parent_shape != parent || d.element_type != state->element_type)
            return errc::not_a_partition;
        boxes.push_back({d.shard->offset, d.shape});
        partition_reader const reader{file, *state};
        reader.add(*t, extents_of(d.shard->offset), wanted, state->files.size());
        state->files.push_back(file);
    }
    if (boxes.empty()) return errc::not_a_partition;
    if (wanted != element_type{} && state->element_type != wanted)
        return errc::element_type_mismatch;
    auto const covered = format::cover_exactly(parent, boxes);
    if (!covered) return covered.error();
    if (!*covered) return errc::not_a_partition;
    return std::shared_ptr<partition_state const>(std::move(state));
}

strip_walk::strip_walk(partition_state const& of, axis major, std::uint64_t first,
                       std::uint64_t count) {
    auto const last = first + count;
    bool const rows = major == axis::rows;
    for (std::size_t i = 0; i < of.members.size(); ++i) {
        auto const& [offset, shape] = std::tie(of.members[i].offset, of.members[i].shape);
        auto const begin = rows ? offset.rows : offset.columns;
        auto const end = begin + (rows ? shape.rows : shape.columns);
        if (begin < last && end > first && begin != end)
            met_.push_back({std::max(begin, first), std::min(end, last),
                            rows ? offset.columns : offset.rows, i});
    }
    std::sort(met_.begin(), met_.end(), [](crossing const& a, crossing const& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.across < b.across;
    });
    for (auto const& m : met_) cuts_.insert(cuts_.end(), {m.begin, m.end});
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

strip const* strip_walk::next() {
    while (passed_ + 1 < cuts_.size()) {
        auto const begin = cuts_[passed_], end = cuts_[++passed_];
        std::erase_if(active_, [&](crossing const& m) { return m.end <= begin; });
        auto const old = static_cast<std::ptrdiff_t>(active_.size());
        for (; begun_ < met_.size() && met_[begun_].begin == begin; ++begun_)
            active_.push_back(met_[begun_]);
        std::inplace_merge(
            active_.begin(), active_.begin() + old, active_.end(),
            [](crossing const& a, crossing const& b) { return a.across < b.across; });
        if (active_.empty()) continue;
        now_.first = begin;
        now_.count = end - begin;
        now_.members.clear();
        for (auto const& m : active_) now_.members.push_back(m.member);
        return &now_;
    }
    return nullptr;
}

}  // namespace detail
}  // namespace v0
}  // namespace hurray
