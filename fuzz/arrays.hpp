#pragma once

// The arrays of a matrix from an input, and the loops that define whether they are legal.

#include <hurray/compressed_view.hpp>
#include <hurray/element.hpp>

#include <compressed.hpp>

#include "check.hpp"

namespace hurray::fuzz {

/// Arrays that need not keep any rule. Owns them; each fits exactly, for sanitizers to see.
struct arrays {
    element_type type{};
    bool by_rows = true;
    std::uint64_t major = 0, minor = 0;
    std::vector<std::uint64_t> offsets, indices;
    byte_vector values;

    /// A few numbers, then offsets and indices, mostly as small steps from the one before, and
    /// values from what is left.
    explicit arrays(std::span<std::byte const> bytes) {
        input in(bytes);
        type = element_types[in.up_to(element_types.size() - 1)];
        by_rows = in.up_to(1) == 0;
        major = in.number<std::uint8_t>();
        minor = in.number<std::uint16_t>();
        auto const nnz = in.number<std::uint16_t>() % 2048u;
        auto const damage = in.up_to(255);
        offsets.resize(major + (damage == 1 ? 0 : damage == 2 ? 2 : 1));
        indices.resize(nnz);
        std::uint64_t at = 0;
        for (auto& offset : offsets) offset = at = step(in, at);
        if (damage < 128 && !offsets.empty()) offsets.back() = nnz;
        if (damage < 64 && !offsets.empty()) offsets.front() = 0;
        at = 0;
        for (auto& index : indices) index = at = step(in, at);
        values.resize(bytes_for(type, nnz).value());
        auto const given = in.take(values.size());
        std::copy(given.begin(), given.end(), values.begin());
    }

    bool sizes_agree() const noexcept { return offsets.size() == major + 1; }
    /// Precondition: sizes_agree().
    detail::structure structure() const noexcept {
        return {.major = major,
                .minor = minor,
                .nnz = indices.size(),
                .offsets = offsets.data(),
                .indices = indices.data()};
    }

private:
    /// 0-239: so much further; else: a jump back, or any word.
    static std::uint64_t step(input& in, std::uint64_t from) noexcept {
        auto const by = in.number<std::uint8_t>();
        if (by < 240) return from + (by < 200 ? by % 8u : by - 200u);
        if (by < 248) return from - (by - 240u);
        return by < 252 ? 0 : in.number<std::uint64_t>();
    }
};

inline error found(errc code, std::uint64_t slice, std::uint64_t position = error::nowhere) {
    return {.code = code, .slice = slice, .position = position};
}

/// The first rule that a slice breaks; an empty error if none.
inline error naive_check_slice(arrays const& a, std::uint64_t i) {
    auto const from = a.offsets[i], to = a.offsets[i + 1];
    if (to < from) return found(errc::offsets_decrease, i);
    if (to > a.indices.size()) return found(errc::offsets_not_anchored, i);
    for (auto k = from; k < to; ++k) {
        if (a.indices[k] >= a.minor) return found(errc::index_exceeds_shape, i, k - from);
        if (k != from && a.indices[k] <= a.indices[k - 1])
            return found(errc::indices_not_increasing, i, k - from);
    }
    return {};
}

inline error naive_check(arrays const& a, std::uint64_t first, std::uint64_t count) {
    if (first == 0 && a.offsets[0] != 0) return found(errc::offsets_not_anchored, 0);
    if (first + count == a.major && a.offsets[a.major] != a.indices.size())
        return found(errc::offsets_not_anchored, a.major == 0 ? 0 : a.major - 1);
    for (auto i = first; i < first + count; ++i)
        if (auto const e = naive_check_slice(a, i); e != error{}) return e;
    return {};
}

/// Arrays that lie in no file have one rule for values: two patterns are no float8_e8m0.
inline bool naive_check_values(arrays const& a, element_type type, std::uint64_t from,
                               std::uint64_t to) {
    if (type != element_type::float8_e8m0) return true;
    for (auto k = from; k < to; ++k)
        if (a.values[k] == std::byte{0} || a.values[k] == std::byte{0xFF}) return false;
    return true;
}

/// A lazy view gives a slice exactly if the naive loop does, or the same error.
template<class View> void require_slices_agree(arrays const& a, View const& view) {
    for (std::uint64_t i = 0; i < a.major; ++i) {
        auto const expected = naive_check_slice(a, i);
        auto const slice = view.at(i);
        if (expected != error{}) {
            require(!slice && slice.error() == expected,
                    "a slice is refused as the naive loop says");
            continue;
        }
        bool const hold = naive_check_values(a, element_type_of<typename View::value_type>,
                                             a.offsets[i], a.offsets[i + 1]);
        require(slice.has_value() == hold, "a slice is accepted as the naive loop says");
    }
}

/// However the work is cut, and whatever instructions do it, the first error is the same.
inline void require_plans_agree(arrays const& a) {
    if (!a.sizes_agree()) return;
    auto const matrix = a.structure();
    auto const last = a.major / 2 + (a.major & 1);
    auto const whole = naive_check(a, 0, a.major), half = naive_check(a, last, a.major - last);
    using detail::instructions;
    detail::check_plan const plans[] = {{.with = instructions::portable, .part = 1, .block = 1},
                                        {.with = instructions::portable, .part = 100, .block = 16},
                                        {.part = 7, .block = 4},
                                        {.part = 1000}};
    for (auto const& plan : plans) {
        auto const check = [&](std::uint64_t first, std::uint64_t count) {
            auto const ok = detail::check_slices(matrix, first, count, {}, plan);
            return ok ? error{} : ok.error();
        };
        require(check(0, a.major) == whole, "a plan finds the same error");
        require(check(last, a.major - last) == half, "a plan finds the same error in a part");
    }
}

}  // namespace hurray::fuzz
