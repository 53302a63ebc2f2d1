#pragma once

#include <array>
#include <compare>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <hurray/small_float.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// What one element of a tensor is; the enumerator is the tag in the file.
enum class element_type : std::uint8_t {
    float16 = 0x01,
    bfloat16 = 0x02,
    float32 = 0x03,
    float64 = 0x04,
    int8 = 0x10,
    uint8 = 0x11,
    int16 = 0x12,
    uint16 = 0x13,
    int32 = 0x14,
    uint32 = 0x15,
    int64 = 0x16,
    uint64 = 0x17,
    boolean = 0x20,
    float8_e4m3 = 0x40,
    float8_e5m2 = 0x41,
    float8_e8m0 = 0x42,
    float4_e2m1 = 0x43,
    float6_e2m3 = 0x44,
    float6_e3m2 = 0x45,
    float128 = 0x46,
    int4 = 0x48,
    uint4 = 0x49,
    int2 = 0x4A,
    uint2 = 0x4B,
    complex64 = 0x50,
    complex128 = 0x51,
};

/// Every element type, in the order of the tags.
inline constexpr std::array<element_type, 26> element_types = {
    element_type::float16,     element_type::bfloat16,    element_type::float32,
    element_type::float64,     element_type::int8,        element_type::uint8,
    element_type::int16,       element_type::uint16,      element_type::int32,
    element_type::uint32,      element_type::int64,       element_type::uint64,
    element_type::boolean,     element_type::float8_e4m3, element_type::float8_e5m2,
    element_type::float8_e8m0, element_type::float4_e2m1, element_type::float6_e2m3,
    element_type::float6_e3m2, element_type::float128,    element_type::int4,
    element_type::uint4,       element_type::int2,        element_type::uint2,
    element_type::complex64,   element_type::complex128,
};

/// The width in bits, 0 for a tag that names no type.
constexpr unsigned bits_of(element_type type) noexcept {
    switch (type) {
    case element_type::boolean:
        return 1;
    case element_type::int2:
    case element_type::uint2:
        return 2;
    case element_type::float4_e2m1:
    case element_type::int4:
    case element_type::uint4:
        return 4;
    case element_type::float6_e2m3:
    case element_type::float6_e3m2:
        return 6;
    case element_type::int8:
    case element_type::uint8:
    case element_type::float8_e4m3:
    case element_type::float8_e5m2:
    case element_type::float8_e8m0:
        return 8;
    case element_type::float16:
    case element_type::bfloat16:
    case element_type::int16:
    case element_type::uint16:
        return 16;
    case element_type::float32:
    case element_type::int32:
    case element_type::uint32:
        return 32;
    case element_type::float64:
    case element_type::int64:
    case element_type::uint64:
    case element_type::complex64:
        return 64;
    case element_type::float128:
    case element_type::complex128:
        return 128;
    }
    return 0;
}

/// Whether elements are narrower than a byte and share bytes.
constexpr bool is_packed(element_type type) noexcept {
    unsigned const bits = bits_of(type);
    return bits != 0 && bits < 8;
}

constexpr bool is_complex(element_type type) noexcept {
    return type == element_type::complex64 || type == element_type::complex128;
}

/// Whether the type is a whole number; bool is not one.
constexpr bool is_integer(element_type type) noexcept {
    return (type >= element_type::int8 && type <= element_type::uint64) ||
           (type >= element_type::int4 && type <= element_type::uint2);
}

/// Whether the type is a real floating-point number.
constexpr bool is_floating(element_type type) noexcept {
    return (type >= element_type::float16 && type <= element_type::float64) ||
           (type >= element_type::float8_e4m3 && type <= element_type::float128);
}

/// Whether the type has negative values.
constexpr bool is_signed(element_type type) noexcept {
    if (is_integer(type)) return (static_cast<unsigned>(type) & 1) == 0;  // signed tags are even
    return is_complex(type) || (is_floating(type) && type != element_type::float8_e8m0);
}

/// The bytes that `count` elements take, or nothing if `type` names no type or the number
/// does not fit.
constexpr std::optional<std::uint64_t> bytes_for(element_type type, std::uint64_t count) noexcept {
    unsigned const bits = bits_of(type);
    if (bits == 0) return std::nullopt;
    // four elements of six bits fill three bytes, and a started group is whole.
    if (bits == 6) return (count / 4 + (count % 4 != 0 ? 1 : 0)) * 3;
    if (bits < 8) {
        unsigned const per_byte = 8 / bits;
        return count / per_byte + (count % per_byte != 0 ? 1 : 0);
    }
    unsigned const width = bits / 8;
    if (count > std::numeric_limits<std::uint64_t>::max() / width) return std::nullopt;
    return count * width;
}

/// The name of the type, such as "float32", "bool" or "float8_e4m3"; empty for a tag that names
/// no type.
std::string_view name(element_type type) noexcept;

/// The type that has this name, exactly as `name` gives it.
std::optional<element_type> element_type_named(std::string_view name) noexcept;

/// The element type that `T` stands for; tag 0, which names no type, if there is none.
template<class T> inline constexpr element_type element_type_of{};
template<> inline constexpr element_type element_type_of<float16> = element_type::float16;
template<> inline constexpr element_type element_type_of<bfloat16> = element_type::bfloat16;
template<> inline constexpr element_type element_type_of<float> = element_type::float32;
template<> inline constexpr element_type element_type_of<double> = element_type::float64;
template<> inline constexpr element_type element_type_of<std::int8_t> = element_type::int8;
template<> inline constexpr element_type element_type_of<std::uint8_t> = element_type::uint8;
template<> inline constexpr element_type element_type_of<std::int16_t> = element_type::int16;
template<> inline constexpr element_type element_type_of<std::uint16_t> = element_type::uint16;
template<> inline constexpr element_type element_type_of<std::int32_t> = element_type::int32;
template<> inline constexpr element_type element_type_of<std::uint32_t> = element_type::uint32;
template<> inline constexpr element_type element_type_of<std::int64_t> = element_type::int64;
template<> inline constexpr element_type element_type_of<std::uint64_t> = element_type::uint64;
template<> inline constexpr element_type element_type_of<bool> = element_type::boolean;
template<> inline constexpr element_type element_type_of<float8_e4m3> = element_type::float8_e4m3;
template<> inline constexpr element_type element_type_of<float8_e5m2> = element_type::float8_e5m2;
template<> inline constexpr element_type element_type_of<float8_e8m0> = element_type::float8_e8m0;
template<> inline constexpr element_type element_type_of<float4_e2m1> = element_type::float4_e2m1;
template<> inline constexpr element_type element_type_of<float6_e2m3> = element_type::float6_e2m3;
template<> inline constexpr element_type element_type_of<float6_e3m2> = element_type::float6_e3m2;
template<> inline constexpr element_type element_type_of<float128> = element_type::float128;
template<> inline constexpr element_type element_type_of<int4> = element_type::int4;
template<> inline constexpr element_type element_type_of<uint4> = element_type::uint4;
template<> inline constexpr element_type element_type_of<int2> = element_type::int2;
template<> inline constexpr element_type element_type_of<uint2> = element_type::uint2;
template<> inline constexpr element_type element_type_of<std::complex<float>> =
    element_type::complex64;
template<> inline constexpr element_type element_type_of<std::complex<double>> =
    element_type::complex128;

/// A C++ type that stands for an element type of the format.
template<class T>
concept element = element_type_of<T>
!= element_type{};

/// An element narrower than a byte.
template<class T>
concept packed_element = element<T> && bits_of(element_type_of<T>)
< 8;

/// Stands where an element type is asked for and only the structure is wanted. Not an element.
struct pattern {};

/// What `f(std::type_identity<T>{})` gives, where `T` is the C++ type of `type`.
/// Precondition: `bits_of(type) != 0`; `f` returns the same type for every `T`.
template<class F> constexpr decltype(auto) visit_element_type(element_type type, F&& f) {
    auto const call = [&f]<class T>(std::type_identity<T> tag) -> decltype(auto) {
        return std::forward<F>(f)(tag);
    };
    switch (type) {
    case element_type::float16:
        return call(std::type_identity<float16>{});
    case element_type::bfloat16:
        return call(std::type_identity<bfloat16>{});
    case element_type::float32:
        return call(std::type_identity<float>{});
    case element_type::float64:
        return call(std::type_identity<double>{});
    case element_type::int8:
        return call(std::type_identity<std::int8_t>{});
    case element_type::uint8:
        return call(std::type_identity<std::uint8_t>{});
    case element_type::int16:
        return call(std::type_identity<std::int16_t>{});
    case element_type::uint16:
        return call(std::type_identity<std::uint16_t>{});
    case element_type::int32:
        return call(std::type_identity<std::int32_t>{});
    case element_type::uint32:
        return call(std::type_identity<std::uint32_t>{});
    case element_type::int64:
        return call(std::type_identity<std::int64_t>{});
    case element_type::uint64:
        return call(std::type_identity<std::uint64_t>{});
    case element_type::boolean:
        return call(std::type_identity<bool>{});
    case element_type::float8_e4m3:
        return call(std::type_identity<float8_e4m3>{});
    case element_type::float8_e5m2:
        return call(std::type_identity<float8_e5m2>{});
    case element_type::float8_e8m0:
        return call(std::type_identity<float8_e8m0>{});
    case element_type::float4_e2m1:
        return call(std::type_identity<float4_e2m1>{});
    case element_type::float6_e2m3:
        return call(std::type_identity<float6_e2m3>{});
    case element_type::float6_e3m2:
        return call(std::type_identity<float6_e3m2>{});
    case element_type::float128:
        return call(std::type_identity<float128>{});
    case element_type::int4:
        return call(std::type_identity<int4>{});
    case element_type::uint4:
        return call(std::type_identity<uint4>{});
    case element_type::int2:
        return call(std::type_identity<int2>{});
    case element_type::uint2:
        return call(std::type_identity<uint2>{});
    case element_type::complex64:
        return call(std::type_identity<std::complex<float>>{});
    case element_type::complex128:
        return call(std::type_identity<std::complex<double>>{});
    }
    __builtin_unreachable();
}

namespace detail {

/// The pattern of `value`, in the low bits.
template<packed_element E> constexpr std::uint8_t to_bits(E value) noexcept {
    if constexpr (std::is_same_v<E, bool>)
        return value ? 1 : 0;
    else
        return value.bits();
}

/// The element with this pattern; bits above its width are dropped.
template<packed_element E> constexpr E from_bits(std::uint8_t bits) noexcept {
    if constexpr (std::is_same_v<E, bool>)
        return (bits & 1) != 0;
    else
        return E::from_bits(bits);
}

/// Where element `position` of packed elements of `Width` bits lies: from bit `shift` of byte
/// `byte` upward, and on into byte `last`.
struct packed_place {
    std::uint64_t byte;
    std::uint64_t last;
    unsigned shift;
};

// The multiplications are of small remainders, so no position overflows.
template<unsigned Width> constexpr packed_place place_of(std::uint64_t position) noexcept {
    if constexpr (Width == 6) {
        auto const bit = static_cast<unsigned>(position % 4) * 6;
        std::uint64_t const group = position / 4 * 3;
        return {group + bit / 8, group + (bit + 5) / 8, bit % 8};
    } else {
        constexpr unsigned per_byte = 8 / Width;
        std::uint64_t const byte = position / per_byte;
        return {byte, byte, static_cast<unsigned>(position % per_byte) * Width};
    }
}

/// elements fill a byte from its low bit up.
template<packed_element E>
constexpr E unpack_from(std::byte const* bytes, std::uint64_t position) noexcept {
    constexpr unsigned width = bits_of(element_type_of<E>);
    auto const place = place_of<width>(position);
    unsigned bits = std::to_integer<unsigned>(bytes[place.byte]) >> place.shift;
    // Without a branch: an element inside one byte reads it twice, and the second copy lies
    // above the element's bits.
    if constexpr (width == 6)
        bits |= std::to_integer<unsigned>(bytes[place.last]) << (8 - place.shift);
    return from_bits<E>(static_cast<std::uint8_t>(bits));
}

/// Stores `value` as element `position` of the packed elements at `bytes`, keeping all other bits.
template<packed_element E>
constexpr void pack_into(std::byte* bytes, std::uint64_t position, E value) noexcept {
    constexpr unsigned width = bits_of(element_type_of<E>);
    auto const place = place_of<width>(position);
    unsigned const mask = ((1U << width) - 1) << place.shift;
    unsigned const bits = static_cast<unsigned>(to_bits(value)) << place.shift;
    auto const store = [](std::byte& byte, unsigned within, unsigned what) {
        byte =
            (byte & static_cast<std::byte>(~within & 0xFF)) | static_cast<std::byte>(what & 0xFF);
    };
    store(bytes[place.byte], mask, bits);
    if (place.last != place.byte) store(bytes[place.last], mask >> 8, bits >> 8);
}

}  // namespace detail

/// A read-only view of packed elements, lowest bits first. Elements are given by value.
/// Reads only the bytes that its elements occupy.
/// Lifetime: the bytes belong to the caller and outlive the view and its iterators.
template<packed_element E> class packed_span {
public:
    using value_type = E;
    using size_type = std::uint64_t;

    class iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag;  // elements are not references
        using value_type = E;
        using difference_type = std::ptrdiff_t;
        using reference = E;
        using pointer = void;

        constexpr iterator() noexcept = default;

        constexpr E operator*() const noexcept { return detail::unpack_from<E>(bytes_, position_); }
        constexpr E operator[](difference_type n) const noexcept { return *(*this + n); }

        constexpr iterator& operator+=(difference_type n) noexcept {
            position_ += static_cast<std::uint64_t>(n);
            return *this;
        }
        constexpr iterator& operator-=(difference_type n) noexcept {
            position_ -= static_cast<std::uint64_t>(n);
            return *this;
        }
        constexpr iterator& operator++() noexcept { return *this += 1; }
        constexpr iterator& operator--() noexcept { return *this -= 1; }
        constexpr iterator operator++(int) noexcept {
            auto const before = *this;
            ++*this;
            return before;
        }
        constexpr iterator operator--(int) noexcept {
            auto const before = *this;
            --*this;
            return before;
        }
        friend constexpr iterator operator+(iterator at, difference_type n) noexcept {
            return at += n;
        }
        friend constexpr iterator operator+(difference_type n, iterator at) noexcept {
            return at += n;
        }
        friend constexpr iterator operator-(iterator at, difference_type n) noexcept {
            return at -= n;
        }
        friend constexpr difference_type operator-(iterator a, iterator b) noexcept {
            return static_cast<difference_type>(a.position_ - b.position_);
        }
        friend constexpr bool operator==(iterator a, iterator b) noexcept {
            return a.position_ == b.position_;
        }
        friend constexpr std::strong_ordering operator<=>(iterator a, iterator b) noexcept {
            return a.position_ <=> b.position_;
        }

    private:
        friend packed_span;
        constexpr iterator(std::byte const* bytes, std::uint64_t position) noexcept
            : bytes_(bytes), position_(position) {}

        std::byte const* bytes_ = nullptr;
        std::uint64_t position_ = 0;
    };
    using const_iterator = iterator;

    constexpr packed_span() noexcept = default;
    /// The first `count` elements at `bytes`.
    constexpr packed_span(std::byte const* bytes, std::uint64_t count) noexcept
        : packed_span(bytes, 0, count) {}
    /// `count` of the elements at `bytes`, from element `first` on.
    /// Precondition: `first + count` fits.
    constexpr packed_span(std::byte const* bytes, std::uint64_t first, std::uint64_t count) noexcept
        : bytes_(bytes), first_(first), count_(count) {}

    constexpr std::uint64_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    /// Where the elements are packed; element 0 of the view is element `first()` there.
    constexpr std::byte const* bytes() const noexcept { return bytes_; }
    constexpr std::uint64_t first() const noexcept { return first_; }

    /// Precondition: `i < size()`.
    constexpr E operator[](std::uint64_t i) const noexcept {
        return detail::unpack_from<E>(bytes_, first_ + i);
    }
    /// Precondition: not empty.
    constexpr E front() const noexcept { return (*this)[0]; }
    /// Precondition: not empty.
    constexpr E back() const noexcept { return (*this)[count_ - 1]; }

    constexpr iterator begin() const noexcept { return {bytes_, first_}; }
    constexpr iterator end() const noexcept { return {bytes_, first_ + count_}; }

    /// Precondition: `first <= size()` and `count <= size() - first`.
    constexpr packed_span subspan(std::uint64_t first, std::uint64_t count) const noexcept {
        return {bytes_, first_ + first, count};
    }

private:
    std::byte const* bytes_ = nullptr;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
};

namespace detail {

template<element T> struct values_span_of { using type = std::span<T const>; };
template<packed_element T> struct values_span_of<T> { using type = packed_span<T>; };

}  // namespace detail

/// A view of elements where they lie: `packed_span<T>` under a byte, else `std::span<T const>`.
template<element T> using values_span = typename detail::values_span_of<T>::type;

}  // namespace v0
}  // namespace hurray
