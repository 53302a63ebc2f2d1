#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hurray/element.hpp>

#include "exact_value.hpp"

// Arrays of other formats, read once from front to back.

namespace hurray::tool {

/// The numbers of one array, in order. Each takes at least a byte, also those of type bool.
class number_stream {
public:
    virtual ~number_stream() = default;

    element_type type() const noexcept { return type_; }
    std::uint64_t size() const noexcept { return size_; }
    /// For messages: "indices.npy of FILE".
    std::string const& where() const noexcept { return where_; }
    std::uint64_t bytes_each() const noexcept { return (bits_of(type_) + 7) / 8; }

    /// The next `count` numbers. Throws stop when they are not there.
    virtual void read(std::byte* into, std::uint64_t count) = 0;

protected:
    number_stream(element_type type, std::uint64_t size, std::string where)
        : type_(type), size_(size), where_(std::move(where)) {}

private:
    element_type type_;
    std::uint64_t size_;
    std::string where_;
};

/// Reads whole numbers of any integer type that are not negative.
class index_stream {
public:
    /// Throws stop when the array holds no integers.
    explicit index_stream(std::unique_ptr<number_stream> from);

    std::uint64_t size() const noexcept { return from_->size(); }
    std::string const& where() const noexcept { return from_->where(); }
    /// Fills `into` with the next numbers. Throws stop at a negative one.
    void read(std::span<std::uint64_t> into);

private:
    std::unique_ptr<number_stream> from_;
    std::vector<std::byte> raw_;
};

/// Reads numbers as elements of a type. Floating-point numbers are rounded to it, as those of a
/// text are; whole ones must fit.
class value_stream {
public:
    explicit value_stream(std::unique_ptr<number_stream> from) : from_(std::move(from)) {}

    element_type type() const noexcept { return from_->type(); }
    std::uint64_t size() const noexcept { return from_->size(); }
    std::string const& where() const noexcept { return from_->where(); }

    /// Throws stop at a value that is outside the type.
    template<element T> void read(T* into, std::uint64_t count) {
        if (!packed_element<T> && from_->type() == element_type_of<T>)
            return from_->read(static_cast<std::byte*>(static_cast<void*>(into)), count);
        load(count);
        auto const stored = std::visit(
            [&](auto const& block) {
                std::uint64_t k = 0;
                while (k < block.size() && stored_or_rounded(block[k], into[k])) ++k;
                return k;
            },
            block_);
        if (stored != count) refuse(stored, element_type_of<T>);
        done_ += count;
    }

private:
    template<element T> static bool stored_or_rounded(double from, T& into) {
        if (exact::store(from, into)) return true;
        if constexpr (whole_number<T> || complex_number<T>) return false;
        return rounded(from, into);
    }
    template<element T> static bool stored_or_rounded(std::complex<double> from, T& into) {
        if constexpr (complex_number<T>) {
            typename T::value_type real{}, imaginary{};
            if (!stored_or_rounded(from.real(), real) || !stored_or_rounded(from.imag(), imaginary))
                return false;
            into = T(real, imaginary);
            return true;
        }
        return from.imag() == 0 && stored_or_rounded(from.real(), into);
    }
    template<class Number, element T> static bool stored_or_rounded(Number from, T& into) {
        return exact::store(from, into);
    }
    template<element T> static bool rounded(double from, T& into) {
        if (!from_double(from, into)) return false;
        return std::isfinite(as_double(into)) || !std::isfinite(from);
    }

    void load(std::uint64_t count);
    [[noreturn]] void refuse(std::uint64_t k, element_type type) const;

    std::unique_ptr<number_stream> from_;
    std::vector<std::byte> raw_;
    number_block block_;
    std::uint64_t done_ = 0;
};

}  // namespace hurray::tool
