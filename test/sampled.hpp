#pragma once

// With sanitizers everything takes ten times as long: built with HURRAY_TEST_SAMPLED, the tests
// that take longest take fewer of a kind.

#include <complex>
#include <cstdint>
#include <tuple>

#include <hurray/element.hpp>

namespace hurray_test {

constexpr bool sampled = HURRAY_TEST_SAMPLED;

/// How often something is done that is done `all` times otherwise.
constexpr std::uint64_t times(std::uint64_t all) { return sampled ? (all + 9) / 10 : all; }

/// Whether to take the k-th of something of which every third will do.
constexpr bool takes(std::uint64_t k) { return !sampled || k % 3 == 0; }

/// The element types of the tests that take all of them, or one for each size.
#if HURRAY_TEST_SAMPLED
using one_of_each_width = std::tuple<bool, hurray::float16, double>;
using every_element = std::tuple<hurray::float4_e2m1, hurray::float8_e8m0, std::int16_t, float,
                                 std::uint64_t, bool, std::complex<double>>;
#else
using one_of_each_width = std::tuple<bool, hurray::float6_e2m3, std::int8_t, hurray::float16, float,
                                     double, hurray::float128>;
using every_element =
    std::tuple<hurray::float16, hurray::bfloat16, float, double, std::int8_t, std::uint8_t,
               std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
               std::uint64_t, bool, hurray::float8_e4m3, hurray::float8_e5m2, hurray::float8_e8m0,
               hurray::float4_e2m1, hurray::float6_e2m3, hurray::float6_e3m2, hurray::float128,
               hurray::int4, hurray::uint4, hurray::int2, hurray::uint2, std::complex<float>,
               std::complex<double>>;
#endif

}  // namespace hurray_test
