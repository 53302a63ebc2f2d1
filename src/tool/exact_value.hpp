#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <hurray/compressed_view.hpp>
#include <hurray/element.hpp>

#include "number_text.hpp"

// Elements of one type as elements of another, where the other type has exactly their values.

namespace hurray::tool {

/// Elements in a form that loses nothing: whole numbers, doubles (which hold all the small types),
/// complex numbers, or quadruple precision.
using number_block = std::variant<std::vector<number::whole>, std::vector<double>,
                                  std::vector<std::complex<double>>, std::vector<float128>>;

namespace exact {

inline number::whole whole_of(std::int64_t value) noexcept {
    auto const bits = static_cast<std::uint64_t>(value);
    return value < 0 ? number::whole{true, 0 - bits} : number::whole{false, bits};
}

/// The double that is this number, if there is one.
bool to_double(number::whole from, double& into) noexcept;
bool to_double(float128 from, double& into) noexcept;
bool to_whole(float128 from, number::whole& into) noexcept;
float128 to_float128(number::whole from) noexcept;

template<whole_number T> bool store(number::whole from, T& into) noexcept {
    if (from.magnitude > number::largest_magnitude<T>(from.negative)) return false;
    auto const bits = from.negative ? 0 - from.magnitude : from.magnitude;
    if constexpr (std::integral<T>)
        into = static_cast<T>(bits);
    else
        into = T(static_cast<int>(bits));
    return true;
}

template<element T> bool store(double from, T& into) noexcept {
    if constexpr (complex_number<T>) {
        typename T::value_type real{};
        if (!store(from, real)) return false;
        into = T(real, 0);
        return true;
    } else if constexpr (std::same_as<T, double> || std::same_as<T, float128>) {
        into = T(from);
        return true;
    } else if constexpr (whole_number<T>) {
        return from_double(from, into);
    } else {
        if constexpr (small_floating<T>)
            if (!number::has_value<T>(from)) return false;
        into = T(static_cast<T>(from));
        return std::isnan(from) || static_cast<double>(into) == from;
    }
}

template<element T>
requires(!whole_number<T>) bool store(number::whole from, T& into) noexcept {
    if constexpr (std::same_as<T, float128>) {
        into = to_float128(from);
        return true;
    } else {
        double value = 0;
        return to_double(from, value) && store(value, into);
    }
}

template<element T> bool store(std::complex<double> from, T& into) noexcept {
    if constexpr (complex_number<T>) {
        typename T::value_type real{}, imaginary{};
        if (!store(from.real(), real) || !store(from.imag(), imaginary)) return false;
        into = T(real, imaginary);
        return true;
    } else {
        return from.imag() == 0 && store(from.real(), into);
    }
}

template<element T> bool store(float128 from, T& into) noexcept {
    if constexpr (std::same_as<T, float128>) {
        into = from;
        return true;
    } else {
        if constexpr (whole_number<T>) {
            number::whole whole;
            return to_whole(from, whole) && store(whole, into);
        }
        double value = 0;
        return to_double(from, value) && store(value, into);
    }
}

}  // namespace exact

/// Appends `count` elements from element `first` on to the block, after clearing it.
template<element T> void load_block(values_span<T> values, std::uint64_t first, std::uint64_t count,
                                    number_block& into) {
    auto const fill = [&]<class Number>(std::type_identity<Number>, auto&& convert) {
        if (!std::holds_alternative<std::vector<Number>>(into)) into = std::vector<Number>();
        auto& block = *std::get_if<std::vector<Number>>(&into);
        block.clear();
        for (std::uint64_t k = first; k < first + count; ++k) block.push_back(convert(values[k]));
    };
    if constexpr (std::same_as<T, std::uint64_t> || std::same_as<T, bool>)
        fill(std::type_identity<number::whole>{}, [](T v) { return number::whole{false, v}; });
    else if constexpr (whole_number<T>)
        fill(std::type_identity<number::whole>{},
             [](T v) { return exact::whole_of(static_cast<std::int64_t>(v)); });
    else if constexpr (complex_number<T>)
        fill(std::type_identity<std::complex<double>>{},
             [](T v) { return std::complex<double>(v); });
    else if constexpr (std::same_as<T, float128>)
        fill(std::type_identity<float128>{}, [](T v) { return v; });
    else
        fill(std::type_identity<double>{}, [](T v) { return static_cast<double>(v); });
}

/// Stores the block's elements. How many were stored: fewer than there are if the next one is no
/// value of T.
template<element T> std::uint64_t store_block(number_block const& from, T* into) {
    return std::visit(
        [&](auto const& block) {
            std::uint64_t k = 0;
            while (k < block.size() && exact::store(block[k], into[k])) ++k;
            return k;
        },
        from);
}

/// Elements of a type that is known to whoever made this.
struct number_source {
    std::uint64_t count = 0;
    std::function<void(std::uint64_t first, std::uint64_t count, number_block& into)> load{};
    std::function<std::string(std::uint64_t)> text{};
};

/// Lifetime: that of the elements.
template<element T> number_source numbers_of(values_span<T> values) {
    return {.count = values.size(),
            .load = [values](std::uint64_t first, std::uint64_t count,
                             number_block& into) { load_block<T>(values, first, count, into); },
            .text =
                [values](std::uint64_t k) {
                    std::string text;
                    append_number(text, T(values[k]));
                    return text;
                }};
}

}  // namespace hurray::tool
