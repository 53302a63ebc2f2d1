#include "composite.hpp"

#include <algorithm>
#include <numeric>

namespace hurray::format {
namespace {

constexpr std::uint8_t partition = 1, overlay = 2, group = 3;

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

/// What a member's values are once they are read: quantized ones become float32.
element_type decoded_type(descriptor const& d) noexcept {
    return d.quantization ? element_type::float32 : d.element_type;
}

/// Dimensions along which some box is not the whole.
std::vector<std::size_t> split_dimensions(std::span<std::uint64_t const> shape,
                                          std::span<box const> boxes) {
    std::vector<std::size_t> split;
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (std::any_of(boxes.begin(), boxes.end(),
                        [&](box const& b) { return b.offset[k] != 0 || b.shape[k] != shape[k]; }))
            split.push_back(k);
    return split;
}

/// The signed corners of boxes. The sum of the boxes' indicator functions is determined by them:
/// a corner counts minus one for each of its coordinates that is an upper end. Equal sums of
/// corners mean equal coverage, so no pair of boxes need ever be compared.
class corner_sum {
public:
    explicit corner_sum(std::size_t dimensions) : dimensions_(dimensions) {}

    template<class Low, class High> void add(std::int64_t weight, Low low, High high) {
        for (std::size_t which = 0; which < std::size_t{1} << dimensions_; ++which) {
            auto sign = weight;
            for (std::size_t k = 0; k < dimensions_; ++k) {
                bool const upper = (which >> k & 1) != 0;
                at_.push_back(upper ? high(k) : low(k));
                if (upper) sign = -sign;
            }
            sign_.push_back(sign);
        }
    }

    bool is_zero() const {
        std::vector<std::size_t> order(sign_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
        for (std::size_t i = 0; i < order.size();) {
            std::int64_t sum = 0;
            auto const first = order[i];
            for (; i < order.size() && compare(order[i], first) == 0; ++i) sum += sign_[order[i]];
            if (sum != 0) return false;
        }
        return true;
    }

private:
    int compare(std::size_t a, std::size_t b) const noexcept {
        for (std::size_t k = 0; k < dimensions_; ++k) {
            auto const x = at_[a * dimensions_ + k], y = at_[b * dimensions_ + k];
            if (x != y) return x < y ? -1 : 1;
        }
        return 0;
    }
    std::size_t dimensions_;
    std::vector<std::uint64_t> at_;
    std::vector<std::int64_t> sign_;
};

}  // namespace

result<bool> cover_exactly(std::span<std::uint64_t const> shape, std::span<box const> boxes) {
    if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return true;  // nothing to cover
    auto const split = split_dimensions(shape, boxes);
    // A box has 2^k corners of k numbers: up to six they are in proportion to its descriptor.
    constexpr std::size_t most_split = 6, most_corners = std::size_t{1} << 24;
    if (split.size() > most_split || boxes.size() >= most_corners >> split.size())
        return errc::view_not_supported;
    corner_sum corners(split.size());
    for (auto const& b : boxes) {
        if (std::find(b.shape.begin(), b.shape.end(), 0u) != b.shape.end()) continue;
        corners.add(
            1, [&](std::size_t k) { return b.offset[split[k]]; },
            [&](std::size_t k) { return b.offset[split[k]] + b.shape[split[k]]; });
    }
    corners.add(
        -1, [](std::size_t) { return std::uint64_t{0}; },
        [&](std::size_t k) { return shape[split[k]]; });
    return corners.is_zero();
}

result<void> composite_checker::check_member(head const& parent, descriptor const& d,
                                             std::uint64_t offset) {
    auto const rule = parent.fields.rule;
    if (rule != partition && rule != overlay && rule != group) return {};  // private, permissive
    if (d.member.has_value() != (rule == overlay))
        return fail(errc::composite_role_wrong, offset);
    if (rule == group) return {};
    bool const fits = d.shard && d.shard->parent_shape == parent.shape;
    if (!fits || decoded_type(d) != parent.type)
        return fail(errc::composite_members_disagree, offset);
    if (rule == partition) return {};
    auto const due = parent.seen == 0 ? composite_role::base : composite_role::correction;
    bool const whole = d.shape == parent.shape;            // the offset is then zero
    if (*d.member != due || (parent.seen == 0 && !whole))
        return fail(errc::composite_members_disagree, offset);
    return {};
}

result<void> composite_checker::close_full_heads() {
    while (!heads_.empty() && heads_.back().seen == heads_.back().fields.members) {
        auto const& full = heads_.back();
        if (full.fields.rule == partition) {
            auto const covered = cover_exactly(full.shape, full.boxes);
            if (!covered) return covered.error();
            if (!*covered) return fail(errc::composite_members_disagree, full.offset);
        }
        heads_.pop_back();
    }
    return {};
}

result<void> composite_checker::add(descriptor const& d, std::uint64_t offset) {
    if (!heads_.empty()) {
        auto& parent = heads_.back();
        if (auto ok = check_member(parent, d, offset); !ok) return ok;
        ++parent.seen;
        if (parent.fields.rule == partition) parent.boxes.push_back({d.shard->offset, d.shape});
    }
    if (d.layout == layout::composite) {
        if (heads_.size() == deepest) return fail(errc::composite_too_deep, offset);
        heads_.push_back({offset, d.shape, d.element_type, d.fields.composite, 0, {}});
    }
    return close_full_heads();
}

result<void> composite_checker::finish() const {
    if (heads_.empty()) return {};
    return fail(errc::torn_composite, heads_.front().offset);
}

}  // namespace hurray::format
