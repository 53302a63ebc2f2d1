#include <hurray/version.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(version)

BOOST_AUTO_TEST_CASE(headers_and_library_are_of_the_version_that_cmake_builds) {
    auto const expected = hurray::version_number{HURRAY_TEST_VERSION};
    BOOST_TEST((hurray::header_version == expected));
    BOOST_TEST((hurray::library_version() == expected));
}

BOOST_AUTO_TEST_SUITE_END()
