#pragma once

// Entries of any element type, at random, and matrices made of them the slow and obvious way.
// Values are carried as bits, so that all but the making of a view is compiled once.

#include <hurray/compressed_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sampled.hpp"

namespace hurray_test {

using randomness = std::mt19937_64;
using value_bits = std::array<std::uint64_t, 2>;

inline std::uint64_t below(randomness& random, std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random);
}

/// Any pattern that a file may hold.
inline value_bits random_value(randomness& random, hurray::element_type type) {
    if (type == hurray::element_type::float8_e8m0) return {1 + below(random, 254), 0};
    auto const bits = hurray::bits_of(type);
    if (bits == 128) return {random(), random()};
    return {random() >> (64 - bits), 0};
}

template<hurray::element T> T value_of(value_bits const& bits) {
    if constexpr (hurray::packed_element<T>) {
        return hurray::detail::from_bits<T>(static_cast<std::uint8_t>(bits[0] & 0xFF));
    } else {
        T value;
        std::memcpy(static_cast<void*>(&value), bits.data(), sizeof value);
        return value;
    }
}

template<hurray::element T> value_bits bits_of_value(T const& value) {
    value_bits bits{};
    if constexpr (hurray::packed_element<T>)
        bits[0] = hurray::detail::to_bits(value);
    else
        std::memcpy(bits.data(), static_cast<void const*>(&value), sizeof value);
    return bits;
}

struct entry {
    std::uint64_t slice;
    std::uint64_t index;
    value_bits value;
};

/// The three arrays of a matrix.
struct compressed {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint64_t> indices{};
    std::vector<value_bits> values{};

    /// Precondition: no two entries at one place.
    static compressed of(std::uint64_t major, std::uint64_t minor, std::vector<entry> entries) {
        std::sort(entries.begin(), entries.end(), [](entry const& a, entry const& b) {
            return std::tie(a.slice, a.index) < std::tie(b.slice, b.index);
        });
        compressed made{.major = major, .minor = minor};
        made.offsets.assign(major + 1, 0);
        for (auto const& e : entries) {
            ++made.offsets[e.slice + 1];
            made.indices.push_back(e.index);
            made.values.push_back(e.value);
        }
        std::partial_sum(made.offsets.begin(), made.offsets.end(), made.offsets.begin());
        return made;
    }

    std::vector<entry> entries() const {
        std::vector<entry> all;
        for (std::uint64_t i = 0; i < major; ++i)
            for (auto k = offsets[i]; k < offsets[i + 1]; ++k)
                all.push_back({i, indices[k], values[k]});
        return all;
    }

    /// The same matrix along its other dimension.
    compressed across() const {
        auto all = entries();
        for (auto& e : all) std::swap(e.slice, e.index);
        return of(minor, major, std::move(all));
    }
};

/// About `count` entries, at most one per place. `skew` 1: uniform; larger: the low indices get
/// most of them.
inline compressed random_matrix(randomness& random, hurray::element_type type, std::uint64_t major,
                                std::uint64_t minor, std::uint64_t count, double skew = 1) {
    auto const pick = [&](std::uint64_t bound, double power) {
        auto const u = std::uniform_real_distribution<double>(0, 1)(random);
        return std::min(static_cast<std::uint64_t>(std::pow(u, power) * static_cast<double>(bound)),
                        bound - 1);
    };
    std::vector<entry> entries;
    if (major != 0 && minor != 0)
        for (std::uint64_t k = 0; k < count; ++k) {
            auto const slice = pick(major, 1);
            entries.push_back({slice, pick(minor, skew), random_value(random, type)});
        }
    std::sort(entries.begin(), entries.end(), [](entry const& a, entry const& b) {
        return std::tie(a.slice, a.index) < std::tie(b.slice, b.index);
    });
    auto const last =
        std::unique(entries.begin(), entries.end(), [](entry const& a, entry const& b) {
            return a.slice == b.slice && a.index == b.index;
        });
    entries.erase(last, entries.end());
    return compressed::of(major, minor, std::move(entries));
}

/// Owns values and shows them as the library takes them. Packed ones start inside a byte, between
/// bits that are all ones.
template<hurray::element T> class values {
public:
    values() = default;
    explicit values(std::vector<value_bits> const& of) : count_(of.size()) {
        if constexpr (hurray::packed_element<T>) {
            elements_.assign(*hurray::bytes_for(hurray::element_type_of<T>, count_ + 8),
                             std::byte{0xFF});
            for (std::uint64_t k = 0; k < count_; ++k)
                hurray::detail::pack_into<T>(elements_.data(), first + k, value_of<T>(of[k]));
        } else {
            for (auto const& bits : of) elements_.push_back(value_of<T>(bits));
        }
    }
    hurray::values_span<T> span() const {
        if constexpr (hurray::packed_element<T>)
            return {elements_.data(), first, count_};
        else
            return {elements_.data(), count_};
    }

private:
    static constexpr std::uint64_t first = 3;
    std::uint64_t count_ = 0;
    std::vector<std::conditional_t<hurray::packed_element<T>, std::byte, T>> elements_;
};

inline bool same_structure(std::uint64_t major, std::uint64_t minor,
                           std::span<std::uint64_t const> offsets,
                           std::span<std::uint64_t const> indices, compressed const& wanted) {
    return major == wanted.major && minor == wanted.minor &&
           std::equal(offsets.begin(), offsets.end(), wanted.offsets.begin(),
                      wanted.offsets.end()) &&
           std::equal(indices.begin(), indices.end(), wanted.indices.begin(), wanted.indices.end());
}

/// Whether a view shows exactly this, and holds every invariant.
template<class View> bool shows(View const& view, compressed const& wanted) {
    using T = typename View::value_type;
    if (!same_structure(view.major(), view.minor(), view.offsets(), view.indices(), wanted))
        return false;
    typename View::lazy_view const lazy = view;
    if (!lazy.verify()) return false;
    if constexpr (hurray::element<T>) {
        auto const values = view.values();
        if (values.size() != wanted.values.size()) return false;
        for (std::uint64_t k = 0; k < wanted.values.size(); ++k)
            if (bits_of_value<T>(values[k]) != wanted.values[k]) return false;
    }
    return true;
}

}  // namespace hurray_test
