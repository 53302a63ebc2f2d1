#define BOOST_TEST_MODULE hurray
#include <boost/test/unit_test.hpp>
