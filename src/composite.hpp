#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

namespace hurray::format {

/// A box of a larger tensor: where it begins, and how far it goes.
struct box {
    std::vector<std::uint64_t> offset;
    std::vector<std::uint64_t> shape;
};

/// Whether boxes cover a shape exactly: every element once. Boxes lie inside the shape.
/// Complexity: n log n for n boxes, times two to the number of dimensions that are split.
/// Errors: view_not_supported when more than six are split, or that is above 2^24.
result<bool> cover_exactly(std::span<std::uint64_t const> shape, std::span<box const> boxes);

/// Follows the tensors of a file in the order of their descriptors and keeps the rules that need
/// more than one of them: heads and the members that follow them (R-170 ... R-176).
class composite_checker {
public:
    static constexpr std::size_t deepest = 8;

    /// The next tensor. `offset` is where its descriptor begins, for errors.
    result<void> add(descriptor const& d, std::uint64_t offset);
    /// No tensor follows. Errors: torn_composite.
    result<void> finish() const;
    /// Heads that wait for members.
    std::size_t depth() const noexcept { return heads_.size(); }

private:
    struct head {
        std::uint64_t offset = 0;
        std::vector<std::uint64_t> shape;
        element_type type{};
        composite_fields fields;
        std::uint32_t seen = 0;
        std::vector<box> boxes;  ///< of a partition
    };
    static result<void> check_member(head const& parent, descriptor const& d, std::uint64_t offset);
    result<void> close_full_heads();

    std::vector<head> heads_;  ///< outermost first
};

}  // namespace hurray::format
