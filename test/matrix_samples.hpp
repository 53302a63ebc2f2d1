#pragma once

// Matrices for tests: shapes that break things, and element data of any type.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <hurray/element.hpp>

#include "bytes.hpp"

namespace hurray_test {

/// The structure of a matrix in either layout.
struct sample {
    std::string name;
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint64_t> indices{};

    sample& add(std::initializer_list<std::uint64_t> slice) {
        indices.insert(indices.end(), slice);
        offsets.push_back(indices.size());
        ++major;
        return *this;
    }
};

/// The shapes that every test of matrices goes through.
inline std::vector<sample> samples() {
    auto const of = [](std::string name, std::uint64_t minor,
                       std::initializer_list<std::initializer_list<std::uint64_t>> slices) {
        sample s{.name = std::move(name), .minor = minor};
        for (auto const& slice : slices) s.add(slice);
        return s;
    };
    std::vector<sample> all{
        of("no slices", 5, {}),
        of("slices of no width", 0, {{}, {}, {}}),
        of("0 x 0", 0, {}),
        of("nnz 0", 5, {{}, {}, {}, {}}),
        of("one element", 1, {{0}}),
        of("empty first", 6, {{}, {}, {1, 5}, {0}}),
        of("empty middle", 6, {{0, 5}, {}, {}, {2, 3, 4}}),
        of("empty last", 6, {{3}, {0, 1, 2, 3, 4, 5}, {}, {}}),
        of("indices above 2^32", (std::uint64_t{1} << 63) + 7,
           {{0, 1, (std::uint64_t{1} << 32) + 5},
            {},
            {std::uint64_t{1} << 33, std::uint64_t{1} << 40, (std::uint64_t{1} << 63) + 6}}),
        of("widest", ~std::uint64_t{0} - 1, {{7, ~std::uint64_t{0} - 2}, {~std::uint64_t{0} - 2}}),
    };
    sample full{.name = "one full slice", .minor = 300};
    full.add({}).add({});
    for (std::uint64_t k = 0; k < full.minor; ++k) full.indices.push_back(k);
    full.offsets.back() = full.indices.size();
    full.add({});
    all.push_back(std::move(full));

    std::mt19937_64 dice(20);
    sample random{.name = "random", .minor = 37};
    for (int i = 0; i < 41; ++i) {
        for (std::uint64_t k = 0; k < random.minor; ++k)
            if (dice() % 5 == 0) random.indices.push_back(k);
        random.add({});
    }
    all.push_back(std::move(random));
    return all;
}

/// The elements of a matrix: as a values buffer holds them, and bit patterns one by one.
struct element_data {
    hurray::element_type type{};
    std::uint64_t count = 0;
    bytes buffer{};
    std::vector<std::uint8_t> patterns{};  ///< of packed types
};

/// Packs patterns as the format says, one bit after another.
inline bytes packed_bytes(std::span<std::uint8_t const> patterns, unsigned bits) {
    auto const size = bits == 6 ? (patterns.size() + 3) / 4 * 3 : (patterns.size() * bits + 7) / 8;
    bytes packed(size);
    for (std::size_t i = 0; i < patterns.size(); ++i)
        for (unsigned b = 0; b < bits; ++b)
            if ((patterns[i] >> b & 1) != 0)
                packed[(i * bits + b) / 8] |= static_cast<std::byte>(1u << (i * bits + b) % 8);
    return packed;
}

/// Any bit pattern that the type allows: NaN payloads, subnormals, negative zeros.
inline element_data random_elements(hurray::element_type type, std::uint64_t count,
                                    std::uint64_t seed = 1) {
    std::mt19937_64 dice(seed);
    element_data e{.type = type, .count = count};
    auto const bits = hurray::bits_of(type);
    if (hurray::is_packed(type)) {
        for (std::uint64_t i = 0; i < count; ++i)
            e.patterns.push_back(static_cast<std::uint8_t>(dice() % (1u << bits)));
        e.buffer = packed_bytes(e.patterns, bits);
        return e;
    }
    bool const e8m0 = type == hurray::element_type::float8_e8m0;  // 00 and FF are no values
    for (std::uint64_t i = 0; i < count * bits / 8; ++i)
        e.buffer.push_back(static_cast<std::byte>(e8m0 ? 1 + dice() % 254 : dice() % 256));
    return e;
}

/// The elements as an array of T in memory that fits exactly: one past it is caught by sanitizers.
template<hurray::element T> class typed_elements {
public:
    explicit typed_elements(element_data const& from)
        : count_(from.count), elements_(std::make_unique<T[]>(from.count)), buffer_(from.buffer) {
        buffer_.shrink_to_fit();
        if constexpr (hurray::packed_element<T>) {
            for (std::uint64_t i = 0; i < count_; ++i)
                elements_[i] = hurray::detail::from_bits<T>(from.patterns[i]);
        } else if (count_ != 0) {
            std::memcpy(static_cast<void*>(elements_.get()), buffer_.data(), buffer_.size());
        }
    }

    /// As a view gives them: packed where T is.
    hurray::values_span<T> values() const {
        if constexpr (hurray::packed_element<T>)
            return {buffer_.data(), count_};
        else
            return {elements_.get(), count_};
    }
    /// One T per element.
    std::span<T const> unpacked() const { return {elements_.get(), count_}; }

private:
    std::uint64_t count_;
    std::unique_ptr<T[]> elements_;
    bytes buffer_;
};

template<hurray::element T> bytes bytes_of_values(hurray::values_span<T> values) {
    if constexpr (hurray::packed_element<T>) {
        std::vector<std::uint8_t> patterns;
        for (auto const v : values) patterns.push_back(hurray::detail::to_bits(v));
        return packed_bytes(patterns, hurray::bits_of(hurray::element_type_of<T>));
    } else {
        auto const all = std::as_bytes(values);
        return {all.begin(), all.end()};
    }
}

}  // namespace hurray_test
