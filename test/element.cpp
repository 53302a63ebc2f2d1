#include <hurray/element.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using hurray::bytes_for;
using hurray::element_type;

constexpr std::uint64_t largest_count = std::numeric_limits<std::uint64_t>::max();

template<class... T> struct type_list {};
using small_floats =
    type_list<hurray::float16, hurray::bfloat16, hurray::float8_e4m3, hurray::float8_e5m2,
              hurray::float4_e2m1, hurray::float6_e2m3, hurray::float6_e3m2>;
using packed_types = type_list<bool, hurray::int2, hurray::uint2, hurray::int4, hurray::uint4,
                               hurray::float4_e2m1, hurray::float6_e2m3, hurray::float6_e3m2>;

template<class... T, class F> void for_each_type(type_list<T...>, F f) {
    (f(std::type_identity<T>{}), ...);
}

// The table of the format, written down a second time.
struct expected_type {
    unsigned tag;
    unsigned bits;
    std::string_view name;
    char kind;  // f floating, i signed integer, u unsigned integer, b bool, c complex
};
constexpr expected_type expected_types[] = {
    {0x01, 16, "float16", 'f'},    {0x02, 16, "bfloat16", 'f'},    {0x03, 32, "float32", 'f'},
    {0x04, 64, "float64", 'f'},    {0x10, 8, "int8", 'i'},         {0x11, 8, "uint8", 'u'},
    {0x12, 16, "int16", 'i'},      {0x13, 16, "uint16", 'u'},      {0x14, 32, "int32", 'i'},
    {0x15, 32, "uint32", 'u'},     {0x16, 64, "int64", 'i'},       {0x17, 64, "uint64", 'u'},
    {0x20, 1, "bool", 'b'},        {0x40, 8, "float8_e4m3", 'f'},  {0x41, 8, "float8_e5m2", 'f'},
    {0x42, 8, "float8_e8m0", 'f'}, {0x43, 4, "float4_e2m1", 'f'},  {0x44, 6, "float6_e2m3", 'f'},
    {0x45, 6, "float6_e3m2", 'f'}, {0x46, 128, "float128", 'f'},   {0x48, 4, "int4", 'i'},
    {0x49, 4, "uint4", 'u'},       {0x4A, 2, "int2", 'i'},         {0x4B, 2, "uint2", 'u'},
    {0x50, 64, "complex64", 'c'},  {0x51, 128, "complex128", 'c'},
};

// A small floating-point format by the book, independent of the library's own table.
struct book {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    bool has_infinity;
    std::uint32_t largest_finite;
};
template<class T> constexpr book book_of{};
template<> constexpr book book_of<hurray::float16>{5, 10, 15, true, 0x7BFF};
template<> constexpr book book_of<hurray::bfloat16>{8, 7, 127, true, 0x7F7F};
template<> constexpr book book_of<hurray::float8_e4m3>{4, 3, 7, false, 0x7E};
template<> constexpr book book_of<hurray::float8_e5m2>{5, 2, 15, true, 0x7B};
template<> constexpr book book_of<hurray::float4_e2m1>{2, 1, 1, false, 0x7};
template<> constexpr book book_of<hurray::float6_e2m3>{2, 3, 1, false, 0x1F};
template<> constexpr book book_of<hurray::float6_e3m2>{3, 2, 3, false, 0x1F};

constexpr std::uint32_t pattern_count(book b) {
    return 1U << (1 + b.exponent_bits + b.mantissa_bits);
}

double value_by_fields(book b, std::uint32_t magnitude) {
    auto const exponent = static_cast<int>(magnitude >> b.mantissa_bits);
    auto const mantissa = static_cast<int>(magnitude & ((1U << b.mantissa_bits) - 1));
    if (exponent == 0) return std::ldexp(mantissa, 1 - b.bias - b.mantissa_bits);
    return std::ldexp(mantissa + (1 << b.mantissa_bits), exponent - b.bias - b.mantissa_bits);
}

std::vector<double> finite_values(book b) {
    std::vector<double> values;
    for (std::uint32_t magnitude = 0; magnitude <= b.largest_finite; ++magnitude)
        values.push_back(value_by_fields(b, magnitude));
    return values;
}

// Rounds by looking the number up among all values of the format.
std::uint32_t nearest_by_search(book b, std::vector<double> const& values, double value) {
    std::uint32_t const sign = std::signbit(value) ? pattern_count(b) / 2 : 0;
    double const magnitude = std::abs(value);
    auto const above = std::upper_bound(values.begin(), values.end(), magnitude);
    auto const below = static_cast<std::uint32_t>(above - values.begin()) - 1;
    if (above == values.end() && !b.has_infinity) return sign | below;
    double const next = above == values.end() ? value_by_fields(b, below + 1) : *above;
    double const middle = (values[below] + next) / 2;
    bool const up = magnitude > middle || (magnitude == middle && (below & 1) != 0);
    return sign | (up ? below + 1 : below);
}

template<class T> bool is_nan_pattern(std::uint32_t bits) {
    constexpr book b = book_of<T>;
    return (bits & (pattern_count(b) / 2 - 1)) > b.largest_finite + (b.has_infinity ? 1 : 0);
}

template<class T, class From> std::uint32_t rounded(From value) { return T(value).bits(); }

// Every place where rounding decides something: each value, each middle, and their neighbours.
template<class From> std::vector<From> rounding_cases(book b, std::vector<double> const& values) {
    constexpr From infinity = std::numeric_limits<From>::infinity();
    std::vector<From> cases = {0, infinity, std::numeric_limits<From>::max(),
                               std::numeric_limits<From>::denorm_min(),
                               std::numeric_limits<From>::min()};
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        auto const here = static_cast<From>(values[i]);
        auto const middle = static_cast<From>((values[i] + value_by_fields(b, i + 1)) / 2);
        for (From const at : {here, middle}) {
            cases.push_back(at);
            cases.push_back(std::nextafter(at, infinity));
            cases.push_back(std::nextafter(at, From{0}));
        }
    }
    auto const positive = cases.size();
    for (std::size_t i = 0; i < positive; ++i) cases.push_back(-cases[i]);
    return cases;
}

template<class T, class From> void check_rounding() {
    constexpr book b = book_of<T>;
    auto const values = finite_values(b);
    for (From const value : rounding_cases<From>(b, values)) {
        auto const want = nearest_by_search(b, values, static_cast<double>(value));
        auto const got = rounded<T>(value);
        if (got != want)
            BOOST_FAIL(value << " rounds to pattern " << got << " instead of " << want);
    }
}

unsigned bit_of(std::vector<std::byte> const& bytes, std::uint64_t bit) {
    return (std::to_integer<unsigned>(bytes[bit / 8]) >> (bit % 8)) & 1;
}

// An element by its bits, one at a time, as one long row of bits.
template<class E>
std::uint8_t bits_one_by_one(std::vector<std::byte> const& bytes, std::uint64_t i) {
    constexpr unsigned width = hurray::bits_of(hurray::element_type_of<E>);
    unsigned bits = 0;
    for (unsigned k = 0; k < width; ++k) bits |= bit_of(bytes, i * width + k) << k;
    return static_cast<std::uint8_t>(bits);
}

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(count);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0xFF);
    return bytes;
}

// Only the bytes that the elements occupy, without the rest of the last group: reading more
// is then outside the allocation.
template<class E> std::size_t occupied_bytes(std::size_t count) {
    return (count * hurray::bits_of(hurray::element_type_of<E>) + 7) / 8;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(element)

BOOST_AUTO_TEST_CASE(tags_widths_and_kinds_are_those_of_the_format) {
    std::vector<unsigned> widths(256, 0);
    for (auto const& want : expected_types) {
        auto const type = static_cast<element_type>(want.tag);
        widths[want.tag] = want.bits;
        BOOST_TEST_CONTEXT(want.name) {
            BOOST_TEST(hurray::is_packed(type) == (want.bits < 8));
            BOOST_TEST(hurray::is_floating(type) == (want.kind == 'f'));
            BOOST_TEST(hurray::is_complex(type) == (want.kind == 'c'));
            BOOST_TEST(hurray::is_integer(type) == (want.kind == 'i' || want.kind == 'u'));
            bool const has_negatives = (want.kind == 'f' && type != element_type::float8_e8m0) ||
                                       want.kind == 'i' || want.kind == 'c';
            BOOST_TEST(hurray::is_signed(type) == has_negatives);
        }
    }
    for (unsigned tag = 0; tag < 256; ++tag)  // all other tags are nothing
        BOOST_TEST(hurray::bits_of(static_cast<element_type>(tag)) == widths[tag]);
}

BOOST_AUTO_TEST_CASE(the_list_has_every_type_in_the_order_of_the_tags) {
    BOOST_REQUIRE(hurray::element_types.size() == std::size(expected_types));
    for (std::size_t i = 0; i < hurray::element_types.size(); ++i)
        BOOST_TEST(static_cast<unsigned>(hurray::element_types[i]) == expected_types[i].tag);
}

BOOST_AUTO_TEST_CASE(names_and_types_are_inverses) {
    for (auto const& want : expected_types) {
        auto const type = static_cast<element_type>(want.tag);
        BOOST_TEST(hurray::name(type) == want.name);
        BOOST_TEST((hurray::element_type_named(want.name) == type));
    }
    unsigned named = 0;
    for (unsigned tag = 0; tag < 256; ++tag)
        if (!hurray::name(static_cast<element_type>(tag)).empty()) ++named;
    BOOST_TEST(named == 26U);
    for (std::string_view wrong : {"", "float", "FLOAT32", "float32 ", " float32", "boolean"})
        BOOST_TEST(!hurray::element_type_named(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(nothing_else_is_an_element) {
    static_assert(!hurray::element<hurray::pattern>);
    static_assert(!hurray::element<void>);
    static_assert(!hurray::element<std::byte>);
    static_assert(!hurray::element<float const>);
    static_assert(!hurray::element<long double>);
    static_assert(!hurray::element<char>);
    static_assert(!hurray::packed_element<hurray::pattern>);
    static_assert(!hurray::packed_element<std::uint8_t>);
    static_assert(hurray::packed_element<bool>);
    BOOST_TEST((hurray::element_type_of<hurray::pattern> == element_type{}));
}

BOOST_AUTO_TEST_CASE(visiting_gives_the_type_of_the_tag) {
    for (element_type const type : hurray::element_types) {
        hurray::visit_element_type(type, [type]<class T>(std::type_identity<T>) {
            BOOST_TEST((hurray::element_type_of<T> == type));
            unsigned const bits = hurray::bits_of(type);
            BOOST_TEST(sizeof(T) == (bits < 8 ? 1 : bits / 8));
            static_assert(std::is_trivially_copyable_v<T>);
            static_assert(std::is_standard_layout_v<T>);
            static_assert(std::is_trivially_default_constructible_v<T> ||
                          hurray::is_complex(hurray::element_type_of<T>));
            static_assert(alignof(T) <= 64);
        });
    }
}

BOOST_AUTO_TEST_CASE(visiting_returns_what_the_callable_returns) {
    int hits = 0;
    auto count = [&hits](auto) -> int& { return ++hits, hits; };
    static_assert(
        std::is_same_v<decltype(hurray::visit_element_type(element_type::int4, count)), int&>);
    hurray::visit_element_type(element_type::int4, count) += 10;
    BOOST_TEST(hits == 11);
    constexpr auto size = hurray::visit_element_type(
        element_type::float64, []<class T>(std::type_identity<T>) { return sizeof(T); });
    static_assert(size == 8);
}

BOOST_AUTO_TEST_CASE(bytes_for_every_width) {
    for (element_type const type : hurray::element_types) {
        unsigned const bits = hurray::bits_of(type);
        for (std::uint64_t count = 0; count < 70; ++count) {
            // groups of four for six bits; R-098: rounded up to a byte otherwise.
            auto const want = bits == 6 ? (count + 3) / 4 * 3 : (count * bits + 7) / 8;
            BOOST_TEST(bytes_for(type, count).value() == want);
        }
    }
}

BOOST_AUTO_TEST_CASE(R_137_a_started_group_of_six_bit_elements_is_whole) {
    BOOST_TEST(bytes_for(element_type::float6_e2m3, 1).value() == 3U);
    BOOST_TEST(bytes_for(element_type::float6_e2m3, 4).value() == 3U);
    BOOST_TEST(bytes_for(element_type::float6_e3m2, 5).value() == 6U);
}

BOOST_AUTO_TEST_CASE(bytes_for_huge_counts_never_wraps) {
    BOOST_TEST(bytes_for(element_type::boolean, largest_count).value() == 1ULL << 61);
    BOOST_TEST(bytes_for(element_type::int2, largest_count).value() == 1ULL << 62);
    BOOST_TEST(bytes_for(element_type::uint4, largest_count).value() == 1ULL << 63);
    BOOST_TEST(bytes_for(element_type::float6_e2m3, largest_count).value() == 3ULL << 62);
    BOOST_TEST(bytes_for(element_type::uint8, largest_count).value() == largest_count);
    for (element_type const type : hurray::element_types) {
        unsigned const bits = hurray::bits_of(type);
        if (bits <= 8) continue;
        std::uint64_t const most = largest_count / (bits / 8);
        BOOST_TEST(bytes_for(type, most).value() == most * (bits / 8));
        BOOST_TEST(!bytes_for(type, most + 1).has_value());
        BOOST_TEST(!bytes_for(type, largest_count).has_value());
    }
    for (unsigned tag : {0x00U, 0x47U, 0x80U, 0xF0U, 0xFFU}) {
        BOOST_TEST(!bytes_for(static_cast<element_type>(tag), 0).has_value());
        BOOST_TEST(!bytes_for(static_cast<element_type>(tag), 1).has_value());
    }
}

BOOST_AUTO_TEST_CASE(R_134_every_pattern_is_kept) {
    for_each_type(small_floats{}, []<class T>(std::type_identity<T>) {
        for (std::uint32_t i = 0; i < pattern_count(book_of<T>); ++i) {
            auto const bits = static_cast<decltype(T{}.bits())>(i);
            T const number = T::from_bits(bits);
            BOOST_REQUIRE(number.bits() == bits);
            BOOST_REQUIRE((number == T::from_bits(bits)));
            T copy;
            std::memcpy(&copy, &number, sizeof(T));
            BOOST_REQUIRE((copy == number));
            std::remove_const_t<decltype(bits)> in_memory;
            std::memcpy(&in_memory, &number, sizeof(T));
            BOOST_REQUIRE(in_memory == bits);
        }
    });
    for (unsigned i = 0; i < 256; ++i)
        BOOST_REQUIRE(hurray::float8_e8m0::from_bits(static_cast<std::uint8_t>(i)).bits() == i);
}

BOOST_AUTO_TEST_CASE(equality_is_of_bits) {
    using hurray::float16;
    BOOST_TEST((float16::from_bits(0x7E01) == float16::from_bits(0x7E01)));
    BOOST_TEST((float16::from_bits(0x7E01) != float16::from_bits(0x7E00)));
    BOOST_TEST((float16(0.0F) != float16(-0.0F)));
    BOOST_TEST((hurray::float128(0.0) != hurray::float128(-0.0)));
}

BOOST_AUTO_TEST_CASE(patterns_wider_than_the_type_are_cut) {
    BOOST_TEST(hurray::float4_e2m1::from_bits(0xF3).bits() == 0x3);
    BOOST_TEST(hurray::float6_e2m3::from_bits(0xFF).bits() == 0x3F);
    BOOST_TEST(hurray::int4::from_bits(0x18).bits() == 0x8);
    BOOST_TEST(hurray::uint2::from_bits(0xFE).bits() == 0x2);
}

BOOST_AUTO_TEST_CASE(conversion_to_float_is_exact) {
    for_each_type(small_floats{}, []<class T>(std::type_identity<T>) {
        constexpr book b = book_of<T>;
        for (std::uint32_t i = 0; i < pattern_count(b); ++i) {
            T const number = T::from_bits(static_cast<decltype(T{}.bits())>(i));
            auto const value = static_cast<float>(number);
            bool const negative = i >= pattern_count(b) / 2;
            BOOST_REQUIRE(std::signbit(value) == negative);
            BOOST_REQUIRE(std::isnan(value) == is_nan_pattern<T>(i));
            if (std::isnan(value)) continue;
            std::uint32_t const magnitude = i & (pattern_count(b) / 2 - 1);
            double const want = magnitude > b.largest_finite
                                    ? std::numeric_limits<double>::infinity()
                                    : value_by_fields(b, magnitude);
            BOOST_REQUIRE(static_cast<double>(value) == (negative ? -want : want));
            BOOST_REQUIRE(static_cast<double>(number) == static_cast<double>(value));
        }
    });
}

BOOST_AUTO_TEST_CASE(every_pattern_survives_a_trip_through_float) {
    for_each_type(small_floats{}, []<class T>(std::type_identity<T>) {
        for (std::uint32_t i = 0; i < pattern_count(book_of<T>); ++i) {
            T const number = T::from_bits(static_cast<decltype(T{}.bits())>(i));
            BOOST_REQUIRE(rounded<T>(static_cast<float>(number)) == i);
            if (!is_nan_pattern<T>(i)) BOOST_REQUIRE(rounded<T>(static_cast<double>(number)) == i);
        }
    });
}

BOOST_AUTO_TEST_CASE(rounding_is_to_nearest_even) {
    for_each_type(small_floats{}, []<class T>(std::type_identity<T>) {
        check_rounding<T, float>();
        check_rounding<T, double>();
    });
}

BOOST_AUTO_TEST_CASE(rounding_of_random_floats) {
    for_each_type(small_floats{}, []<class T>(std::type_identity<T>) {
        constexpr book b = book_of<T>;
        auto const values = finite_values(b);
        std::mt19937 random(7);
        for (int i = 0; i < 200'000; ++i) {
            auto const value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
            if (std::isnan(value))
                BOOST_REQUIRE(rounded<T>(value) >= b.largest_finite);
            else
                BOOST_REQUIRE(rounded<T>(value) == nearest_by_search(b, values, value));
        }
    });
}

BOOST_AUTO_TEST_CASE(rounding_from_double_happens_once) {
    // Just above the middle of 1 and the next float16; as a float it is the middle itself.
    double const value = 1.0 + 0x1p-11 + 0x1p-40;
    BOOST_TEST(hurray::float16(value).bits() == 0x3C01);
    BOOST_TEST(hurray::float16(static_cast<float>(value)).bits() == 0x3C00);
}

BOOST_AUTO_TEST_CASE(known_values) {
    BOOST_TEST(hurray::float16(1.0F).bits() == 0x3C00);
    BOOST_TEST(hurray::float16(65504.0F).bits() == 0x7BFF);
    BOOST_TEST(hurray::float16(65519.996F).bits() == 0x7BFF);
    BOOST_TEST(hurray::float16(65520.0F).bits() == 0x7C00);
    BOOST_TEST(hurray::float16(0x1p-24F).bits() == 0x0001);
    BOOST_TEST(hurray::float16(0x1p-25F).bits() == 0x0000);
    BOOST_TEST(hurray::float16(-0x1.8p-25F).bits() == 0x8001);
    BOOST_TEST(hurray::bfloat16(3.14159265F).bits() == 0x4049);
    BOOST_TEST(hurray::bfloat16(std::numeric_limits<float>::max()).bits() == 0x7F80);
    BOOST_TEST(static_cast<float>(hurray::float8_e4m3::from_bits(0x7E)) == 448.0F);
    BOOST_TEST(hurray::float8_e4m3(1e9F).bits() == 0x7E);
    BOOST_TEST(static_cast<float>(hurray::float8_e5m2::from_bits(0x7B)) == 57344.0F);
    BOOST_TEST(static_cast<float>(hurray::float4_e2m1::from_bits(0x7)) == 6.0F);
    BOOST_TEST(static_cast<float>(hurray::float6_e2m3::from_bits(0x1F)) == 7.5F);
    BOOST_TEST(static_cast<float>(hurray::float6_e3m2::from_bits(0x1F)) == 28.0F);
    static_assert(hurray::float16(-2.0F).bits() == 0xC000);
    static_assert(static_cast<float>(hurray::bfloat16::from_bits(0x3F80)) == 1.0F);
}

BOOST_AUTO_TEST_CASE(infinity_and_nan_where_a_type_has_them_and_where_not) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float const nan = std::bit_cast<float>(0x7FC0'0000U);
    float const negative_nan = std::bit_cast<float>(0xFFC0'0000U);
    float const low_payload = std::bit_cast<float>(0x7F80'0001U);  // lost by narrowing
    BOOST_TEST(hurray::float16(-infinity).bits() == 0xFC00);
    BOOST_TEST(hurray::float16(nan).bits() == 0x7E00);
    BOOST_TEST(hurray::float16(low_payload).bits() == 0x7E00);
    BOOST_TEST(hurray::bfloat16(negative_nan).bits() == 0xFFC0);
    BOOST_TEST(hurray::bfloat16(low_payload).bits() == 0x7FC0);
    BOOST_TEST(hurray::float8_e5m2(infinity).bits() == 0x7C);
    BOOST_TEST(hurray::float8_e5m2(nan).bits() == 0x7E);
    BOOST_TEST(hurray::float8_e4m3(-infinity).bits() == 0xFE);
    BOOST_TEST(hurray::float8_e4m3(nan).bits() == 0x7F);
    BOOST_TEST(hurray::float8_e4m3(negative_nan).bits() == 0xFF);
    BOOST_TEST(hurray::float4_e2m1(-infinity).bits() == 0xF);
    BOOST_TEST(hurray::float4_e2m1(nan).bits() == 0x7);
    BOOST_TEST(hurray::float6_e2m3(negative_nan).bits() == 0x3F);
    BOOST_TEST(hurray::float6_e3m2(infinity).bits() == 0x1F);
    BOOST_TEST(hurray::float16(std::bit_cast<double>(0xFFF8'0000'0000'0000)).bits() == 0xFE00);
}

#if (defined(__GNUC__) && !defined(__clang__) && defined(__FLT16_MANT_DIG__)) ||                   \
    (defined(__clang__) && __clang_major__ >= 15 && defined(__SSE2__))
BOOST_AUTO_TEST_CASE(float16_agrees_with_the_compiler) {
    for (unsigned i = 0; i < 65536; ++i) {
        auto const bits = static_cast<std::uint16_t>(i);
        auto const want = static_cast<float>(std::bit_cast<_Float16>(bits));
        auto const got = static_cast<float>(hurray::float16::from_bits(bits));
        if (std::isnan(want))
            BOOST_REQUIRE(std::isnan(got));
        else
            BOOST_REQUIRE(std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want));
    }
    std::mt19937 random(11);
    auto cases =
        rounding_cases<float>(book_of<hurray::float16>, finite_values(book_of<hurray::float16>));
    for (int i = 0; i < 500'000; ++i)
        cases.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    for (float const value : cases) {
        if (std::isnan(value)) continue;
        auto const want = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
        BOOST_REQUIRE(hurray::float16(value).bits() == want);
    }
}
#endif

BOOST_AUTO_TEST_CASE(e8m0_is_a_power_of_two) {
    using hurray::float8_e8m0;
    for (int i = 0; i < 255; ++i) {
        auto const number = float8_e8m0::from_bits(static_cast<std::uint8_t>(i));
        float const value = std::ldexp(1.0F, i - 127);
        BOOST_TEST(static_cast<float>(number) == value);
        BOOST_TEST(static_cast<double>(number) == static_cast<double>(value));
        if (i == 0) continue;
        BOOST_TEST(float8_e8m0(value).bits() == i);
        BOOST_TEST(float8_e8m0(static_cast<double>(value)).bits() == i);
        if (i == 254) continue;
        float const middle = value * 1.5F;
        BOOST_TEST(float8_e8m0(std::nextafter(middle, 0.0F)).bits() == i);
        BOOST_TEST(float8_e8m0(middle).bits() == i + 1);
    }
    BOOST_TEST(std::isnan(static_cast<float>(float8_e8m0::from_bits(0xFF))));
    static_assert(float8_e8m0(1.0F).bits() == 127);
}

// no number that a file can hold becomes a pattern that it cannot.
BOOST_AUTO_TEST_CASE(e8m0_outside_its_range) {
    using hurray::float8_e8m0;
    BOOST_TEST(float8_e8m0(0.0F).bits() == 0x01);
    BOOST_TEST(float8_e8m0(-0.0F).bits() == 0x01);
    BOOST_TEST(float8_e8m0(std::numeric_limits<float>::denorm_min()).bits() == 0x01);
    BOOST_TEST(float8_e8m0(std::numeric_limits<double>::denorm_min()).bits() == 0x01);
    BOOST_TEST(float8_e8m0(std::numeric_limits<float>::max()).bits() == 0xFE);
    BOOST_TEST(float8_e8m0(std::numeric_limits<float>::infinity()).bits() == 0xFE);
    BOOST_TEST(float8_e8m0(1e300).bits() == 0xFE);
    BOOST_TEST(float8_e8m0(-1.0F).bits() == 0xFF);
    BOOST_TEST(float8_e8m0(std::numeric_limits<float>::quiet_NaN()).bits() == 0xFF);
}

BOOST_AUTO_TEST_CASE(small_integers) {
    for (int i = -8; i < 8; ++i) {
        BOOST_TEST(static_cast<int>(hurray::int4(i)) == i);
        BOOST_TEST(hurray::int4(i).bits() == (i & 15));
        BOOST_TEST((hurray::int4::from_bits(static_cast<std::uint8_t>(i & 15)) == hurray::int4(i)));
        BOOST_TEST(static_cast<double>(hurray::int4(i)) == i);
    }
    for (int i = 0; i < 16; ++i) {
        BOOST_TEST(static_cast<int>(hurray::uint4(i)) == i);
        BOOST_TEST(hurray::uint4(i).bits() == i);
    }
    for (int i = -2; i < 2; ++i) {
        BOOST_TEST(static_cast<int>(hurray::int2(i)) == i);
        BOOST_TEST(hurray::int2(i).bits() == (i & 3));
    }
    for (int i = 0; i < 4; ++i) BOOST_TEST(static_cast<int>(hurray::uint2(i)) == i);
}

BOOST_AUTO_TEST_CASE(float128_known_values) {
    using hurray::float128;
    struct known {
        double value;
        std::uint64_t high;
        std::uint64_t low;
    };
    known const exact[] = {
        {0.0, 0, 0},
        {-0.0, 0x8000'0000'0000'0000, 0},
        {1.0, 0x3FFF'0000'0000'0000, 0},
        {-2.0, 0xC000'0000'0000'0000, 0},
        {0.1, 0x3FFB'9999'9999'9999, 0xA000'0000'0000'0000},
        {3.141592653589793, 0x4000'921F'B544'42D1, 0x8000'0000'0000'0000},
        {std::numeric_limits<double>::max(), 0x43FE'FFFF'FFFF'FFFF, 0xF000'0000'0000'0000},
        {std::numeric_limits<double>::min(), 0x3C01'0000'0000'0000, 0},
        {std::numeric_limits<double>::denorm_min(), 0x3BCD'0000'0000'0000, 0},
        {0x0.fffffffffffffp-1022, 0x3C00'FFFF'FFFF'FFFF, 0xE000'0000'0000'0000},
        {std::numeric_limits<double>::infinity(), 0x7FFF'0000'0000'0000, 0},
    };
    for (auto const& [value, high, low] : exact) {
        BOOST_TEST((float128(value) == float128::from_bits(low, high)));
        BOOST_TEST((float128(value).bits() == std::array{low, high}));
        auto const back = static_cast<double>(float128::from_bits(low, high));
        BOOST_TEST(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value));
    }
    static_assert(static_cast<double>(float128(-1.5)) == -1.5);
    static_assert(float128::from_bits(float128(7.0).bits()) == float128(7.0));
}

BOOST_AUTO_TEST_CASE(float128_rounds_to_nearest_even) {
    using hurray::float128;
    auto const to_double = [](std::uint64_t high, std::uint64_t low) {
        return static_cast<double>(float128::from_bits(low, high));
    };
    // 1 and a half unit of a double, and one bit of a float128 on either side.
    BOOST_TEST(to_double(0x3FFF'0000'0000'0000, 0x0800'0000'0000'0000) == 1.0);
    BOOST_TEST(to_double(0x3FFF'0000'0000'0000, 0x0800'0000'0000'0001) == 1.0 + 0x1p-52);
    BOOST_TEST(to_double(0x3FFF'0000'0000'0000, 0x07FF'FFFF'FFFF'FFFF) == 1.0);
    BOOST_TEST(to_double(0x3FFF'0000'0000'0000, 0x1800'0000'0000'0000) == 1.0 + 0x1p-51);
    BOOST_TEST(to_double(0x3FFF'FFFF'FFFF'FFFF, 0xFFFF'FFFF'FFFF'FFFF) == 2.0);
    for (int bit = 0; bit < 59; ++bit)  // anything above the half, however little, rounds up
        BOOST_TEST(to_double(0x3FFF'0000'0000'0000, 0x0800'0000'0000'0000 | 1ULL << bit) ==
                   1.0 + 0x1p-52);
    // The end of the range.
    double const infinity = std::numeric_limits<double>::infinity();
    BOOST_TEST(to_double(0x43FE'FFFF'FFFF'FFFF, 0xF800'0000'0000'0000) == infinity);
    BOOST_TEST(to_double(0x43FE'FFFF'FFFF'FFFF, 0xF7FF'FFFF'FFFF'FFFF) ==
               std::numeric_limits<double>::max());
    BOOST_TEST(to_double(0xFFFE'0000'0000'0000, 0) == -infinity);
    // Subnormal results: half of the smallest is a tie with zero.
    double const smallest = std::numeric_limits<double>::denorm_min();
    BOOST_TEST(to_double(0x3BCC'0000'0000'0000, 0) == 0.0);
    BOOST_TEST(to_double(0x3BCC'0000'0000'0000, 1) == smallest);
    BOOST_TEST(to_double(0x3BCB'FFFF'FFFF'FFFF, 0xFFFF'FFFF'FFFF'FFFF) == 0.0);
    BOOST_TEST(to_double(0x3BCD'8000'0000'0000, 0) == 2 * smallest);
    BOOST_TEST(to_double(0x3C00'FFFF'FFFF'FFFF, 0xFFFF'FFFF'FFFF'FFFF) ==
               std::numeric_limits<double>::min());
    // Subnormals of float128 are far below; the sign stays.
    BOOST_TEST(std::signbit(to_double(0x8000'0000'0000'0000, 1)));
    BOOST_TEST(to_double(0x0000'FFFF'FFFF'FFFF, 1) == 0.0);
    // NaN: the upper payload stays, and a NaN never becomes infinity.
    auto const nan_bits = [&](std::uint64_t high, std::uint64_t low) {
        return std::bit_cast<std::uint64_t>(to_double(high, low));
    };
    BOOST_TEST(nan_bits(0x7FFF'8000'0000'0000, 0x1000'0000'0000'0000) == 0x7FF8'0000'0000'0001);
    BOOST_TEST(nan_bits(0xFFFF'0000'0000'0000, 1) == 0xFFF8'0000'0000'0000);
    auto const nan = std::bit_cast<double>(0xFFF8'1234'5678'9ABC);
    BOOST_TEST(std::bit_cast<std::uint64_t>(static_cast<double>(float128(nan))) ==
               0xFFF8'1234'5678'9ABC);
}

#if defined(__SIZEOF_FLOAT128__)
BOOST_AUTO_TEST_CASE(float128_agrees_with_the_compiler) {
    __extension__ typedef __float128 quad;
    std::mt19937_64 random(13);
    for (int i = 0; i < 500'000; ++i) {
        auto const value = std::bit_cast<double>(random());
        if (std::isnan(value)) continue;
        auto const want = std::bit_cast<std::array<std::uint64_t, 2>>(static_cast<quad>(value));
        BOOST_REQUIRE((hurray::float128(value).bits() == want));
    }
    for (int i = 0; i < 500'000; ++i) {
        // Exponents around the range of double, and low words that make ties likely.
        std::uint64_t const exponent = 16383 - 1090 + random() % 2200;
        std::uint64_t const low = (random() & 0xF800'0000'0000'0000) + random() % 3 - 1;
        std::uint64_t const high = (random() & 0x8000'FFFF'FFFF'FFFF) | (exponent << 48);
        std::array<std::uint64_t, 2> const bits{low, high};
        auto const want = static_cast<double>(std::bit_cast<quad>(bits));
        auto const got = static_cast<double>(hurray::float128::from_bits(bits));
        BOOST_REQUIRE(std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(want));
    }
}
#endif

BOOST_AUTO_TEST_CASE(R_135_elements_are_packed_from_the_lowest_bit_up) {
    std::byte const bytes[] = {std::byte{0xB1}, std::byte{0x6C}, std::byte{0x95}};
    hurray::packed_span<bool> const bools(bytes, 8);
    BOOST_TEST((bools[0] && !bools[1] && !bools[2] && !bools[3]));
    BOOST_TEST((bools[4] && bools[5] && !bools[6] && bools[7]));
    hurray::packed_span<hurray::uint2> const twos(bytes, 4);
    BOOST_TEST((twos[0] == 1 && twos[1] == 0 && twos[2] == 3 && twos[3] == 2));
    hurray::packed_span<hurray::int4> const fours(bytes, 4);
    BOOST_TEST((fours[0] == 1 && fours[1] == -5 && fours[2] == -4 && fours[3] == 6));
    hurray::packed_span<hurray::float6_e2m3> const sixes(bytes, 4);
    BOOST_TEST(sixes[0].bits() == 0x31);
    BOOST_TEST(sixes[1].bits() == 0x32);  // two bits of B1 below four bits of 6C
    BOOST_TEST(sixes[2].bits() == 0x16);  // four bits of 6C below two bits of 95
    BOOST_TEST(sixes[3].bits() == 0x25);
}

BOOST_AUTO_TEST_CASE(packed_elements_read_one_by_one_or_through_the_view) {
    for_each_type(packed_types{}, []<class E>(std::type_identity<E>) {
        for (std::size_t count = 0; count < 40; ++count) {
            auto const bytes = random_bytes(occupied_bytes<E>(count), 17);
            hurray::packed_span<E> const view(bytes.data(), count);
            BOOST_REQUIRE(view.size() == count);
            BOOST_REQUIRE(view.empty() == (count == 0));
            std::uint64_t i = 0;
            for (E const value : view) {
                BOOST_REQUIRE(hurray::detail::to_bits(value) == bits_one_by_one<E>(bytes, i));
                BOOST_REQUIRE((value == view[i]));
                ++i;
            }
            BOOST_REQUIRE(i == count);
            if (count == 0) continue;
            BOOST_REQUIRE((view.front() == view[0]));
            BOOST_REQUIRE((view.back() == view[count - 1]));
        }
    });
}

BOOST_AUTO_TEST_CASE(subspans_of_packed_elements_start_inside_a_byte) {
    constexpr std::uint64_t count = 29;
    for_each_type(packed_types{}, []<class E>(std::type_identity<E>) {
        auto const bytes = random_bytes(occupied_bytes<E>(count), 19);
        hurray::packed_span<E> const whole(bytes.data(), count);
        for (std::uint64_t first = 0; first <= count; ++first) {
            for (std::uint64_t size = 0; size <= count - first; ++size) {
                auto const part = whole.subspan(first, size);
                BOOST_REQUIRE(part.size() == size);
                BOOST_REQUIRE(part.first() == first);
                BOOST_REQUIRE(part.bytes() == bytes.data());
                BOOST_REQUIRE(std::equal(part.begin(), part.end(),
                                         whole.begin() + static_cast<std::ptrdiff_t>(first)));
                hurray::packed_span<E> const same(bytes.data(), first, size);
                BOOST_REQUIRE(std::equal(part.begin(), part.end(), same.begin(), same.end()));
                if (size < 2) continue;
                BOOST_REQUIRE((part.subspan(1, size - 1).front() == whole[first + 1]));
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(iterators_of_packed_elements_are_random_access) {
    using view_type = hurray::packed_span<hurray::uint4>;
    static_assert(std::random_access_iterator<view_type::iterator>);
    static_assert(std::sized_sentinel_for<view_type::iterator, view_type::iterator>);
    for_each_type(packed_types{}, []<class E>(std::type_identity<E>) {
        static_assert(std::random_access_iterator<typename hurray::packed_span<E>::iterator>);
        static_assert(
            std::is_same_v<std::iter_reference_t<typename hurray::packed_span<E>::iterator>, E>);
    });

    auto const bytes = random_bytes(10, 23);
    view_type const view(bytes.data(), 3, 15);
    auto at = view.begin();
    BOOST_TEST((*at++ == view[0]));
    BOOST_TEST((*at == view[1]));
    BOOST_TEST((*++at == view[2]));
    BOOST_TEST((*at-- == view[2]));
    BOOST_TEST((*--at == view[0]));
    at += 7;
    BOOST_TEST((*at == view[7]));
    at -= 3;
    BOOST_TEST((*at == view[4]));
    BOOST_TEST((at[-2] == view[2] && at[5] == view[9]));
    BOOST_TEST((*(at + 1) == view[5] && *(1 + at) == view[5] && *(at - 1) == view[3]));
    BOOST_TEST((view.end() - view.begin()) == 15);
    BOOST_TEST((view.begin() - view.end()) == -15);
    BOOST_TEST((view.begin() < at && at > view.begin() && at <= view.end() && at != view.end()));
    BOOST_TEST((view_type::iterator{} == view_type::iterator{}));
    BOOST_TEST((view_type{}.begin() == view_type{}.end()));
    BOOST_TEST(view_type{}.empty());
    BOOST_TEST(std::ranges::count(view, view[3]) >= 1);
}

BOOST_AUTO_TEST_CASE(positions_up_to_the_last_do_not_wrap) {
    using hurray::detail::place_of;
    static_assert(place_of<1>(largest_count).byte == largest_count / 8);
    static_assert(place_of<1>(largest_count).shift == 7);
    static_assert(place_of<2>(largest_count).byte == largest_count / 4);
    static_assert(place_of<4>(largest_count).byte == largest_count / 2);
    static_assert(place_of<6>(largest_count).byte == (largest_count / 4) * 3 + 2);
    static_assert(place_of<6>(largest_count).shift == 2);
    BOOST_TEST(place_of<6>(1).byte == 0U);
    BOOST_TEST(place_of<6>(1).last == 1U);
    BOOST_TEST(place_of<6>(2).last == 2U);
    BOOST_TEST(place_of<6>(3).last == 2U);
}

BOOST_AUTO_TEST_CASE(packing_changes_one_element_and_nothing_else) {
    constexpr std::uint64_t count = 13;
    for_each_type(packed_types{}, []<class E>(std::type_identity<E>) {
        constexpr unsigned width = hurray::bits_of(hurray::element_type_of<E>);
        for (std::uint64_t at = 0; at < count; ++at) {
            for (unsigned pattern = 0; pattern < (1U << width); ++pattern) {
                auto const before = random_bytes(occupied_bytes<E>(count), 29);
                auto after = before;
                auto const value = hurray::detail::from_bits<E>(static_cast<std::uint8_t>(pattern));
                hurray::detail::pack_into(after.data(), at, value);
                for (std::uint64_t bit = 0; bit < before.size() * 8; ++bit) {
                    bool const mine = bit >= at * width && bit < (at + 1) * width;
                    auto const want =
                        mine ? (pattern >> (bit - at * width)) & 1 : bit_of(before, bit);
                    BOOST_REQUIRE(bit_of(after, bit) == want);
                }
                BOOST_REQUIRE((hurray::packed_span<E>(after.data(), count)[at] == value));
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(values_are_spans_or_packed_spans) {
    static_assert(std::is_same_v<hurray::values_span<float>, std::span<float const>>);
    static_assert(std::is_same_v<hurray::values_span<hurray::float8_e8m0>,
                                 std::span<hurray::float8_e8m0 const>>);
    static_assert(std::is_same_v<hurray::values_span<std::complex<double>>,
                                 std::span<std::complex<double> const>>);
    static_assert(std::is_same_v<hurray::values_span<bool>, hurray::packed_span<bool>>);
    static_assert(
        std::is_same_v<hurray::values_span<hurray::int2>, hurray::packed_span<hurray::int2>>);
    for (element_type const type : hurray::element_types)
        hurray::visit_element_type(type, []<class T>(std::type_identity<T>) {
            BOOST_TEST(hurray::values_span<T>{}.empty());
        });
}

BOOST_AUTO_TEST_SUITE_END()
