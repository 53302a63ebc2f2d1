#include "number_stream.hpp"

#include <cstring>

#include "failure.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

template<class T> T number_at(std::byte const* bytes, std::uint64_t k) noexcept {
    T value;
    std::memcpy(&value, bytes + k * sizeof(T), sizeof(T));
    return value;
}

/// Where the first number that is negative stands, or `count`.
template<class T>
std::uint64_t widen(std::byte const* bytes, std::span<std::uint64_t> into) noexcept {
    for (std::uint64_t k = 0; k < into.size(); ++k) {
        auto const value = number_at<T>(bytes, k);
        if constexpr (std::signed_integral<T>)
            if (value < 0) return k;
        into[k] = static_cast<std::uint64_t>(value);
    }
    return into.size();
}

template<class Number> std::vector<Number>& cleared(number_block& block) {
    if (!std::holds_alternative<std::vector<Number>>(block)) block = std::vector<Number>();
    auto& numbers = *std::get_if<std::vector<Number>>(&block);
    numbers.clear();
    return numbers;
}

template<class T> void take(std::byte const* raw, std::uint64_t count, number_block& into) {
    if constexpr (std::same_as<T, bool>) {
        auto& block = cleared<number::whole>(into);
        for (std::uint64_t k = 0; k < count; ++k)
            block.push_back({false, raw[k] == std::byte{0} ? 0U : 1U});
    } else if constexpr (std::unsigned_integral<T>) {
        auto& block = cleared<number::whole>(into);
        for (std::uint64_t k = 0; k < count; ++k) block.push_back({false, number_at<T>(raw, k)});
    } else if constexpr (std::signed_integral<T>) {
        auto& block = cleared<number::whole>(into);
        for (std::uint64_t k = 0; k < count; ++k)
            block.push_back(exact::whole_of(number_at<T>(raw, k)));
    } else if constexpr (complex_number<T>) {
        auto& block = cleared<std::complex<double>>(into);
        for (std::uint64_t k = 0; k < count; ++k)
            block.push_back(std::complex<double>(number_at<T>(raw, k)));
    } else if constexpr (!packed_element<T> && !std::same_as<T, float128>) {
        auto& block = cleared<double>(into);
        for (std::uint64_t k = 0; k < count; ++k)
            block.push_back(static_cast<double>(number_at<T>(raw, k)));
    }
}

}  // namespace

index_stream::index_stream(std::unique_ptr<number_stream> from) : from_(std::move(from)) {
    if (!is_integer(from_->type()) || is_packed(from_->type()))
        throw stop(status::bad_file, where() + " holds " + std::string(name(from_->type())) +
                                         "; integers belong there");
}

void index_stream::read(std::span<std::uint64_t> into) {
    raw_.resize(into.size() * from_->bytes_each());
    from_->read(raw_.data(), into.size());
    auto const good = visit_element_type(from_->type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
            return widen<T>(raw_.data(), into);
        else
            return std::uint64_t{0};
    });
    if (good != into.size()) throw stop(status::bad_file, where() + " holds a negative number");
}

void value_stream::load(std::uint64_t count) {
    raw_.resize(count * from_->bytes_each());
    from_->read(raw_.data(), count);
    visit_element_type(from_->type(), [&]<class T>(std::type_identity<T>) {
        take<T>(raw_.data(), count, block_);
    });
}

void value_stream::refuse(std::uint64_t k, element_type type) const {
    auto const text = std::visit(
        [&](auto const& block) {
            std::string shown;
            using entry = typename std::remove_cvref_t<decltype(block)>::value_type;
            if constexpr (std::same_as<entry, number::whole>)
                shown = (block[k].negative ? "-" : "") + std::to_string(block[k].magnitude);
            else
                append_number(shown, block[k]);
            return shown;
        },
        block_);
    throw stop(status::bad_file, where() + ", number " + std::to_string(done_ + k) + " (from 0): " +
                                     text + " is outside " + std::string(name(type)));
}

}  // namespace hurray::tool
