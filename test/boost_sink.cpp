// A file through Boost.Iostreams devices and filters, and through ostreams.

#include <hurray/boost_sink.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/counter.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include "bytes.hpp"
#include "matrices.hpp"

namespace {

using namespace hurray_test;
namespace io = boost::iostreams;

hurray::result<void> write_example(hurray::sink to) {
    example_arrays const example;
    auto out = hurray::writer::onto(std::move(to));
    if (!out) return out.error();
    if (auto ok = out->write("rows", example.csr()); !ok) return ok;
    if (auto ok = out->write("columns", example.csc()); !ok) return ok;
    return out->close();
}

/// Takes a few bytes at a time, and none after `room` bytes.
struct narrow_device {
    using char_type = char;
    using category = io::sink_tag;
    std::string* got;
    std::size_t room;
    std::streamsize write(char const* from, std::streamsize n) {
        auto const left = static_cast<std::streamsize>(room - got->size());
        n = std::min({n, left, std::streamsize{1000}});
        got->append(from, static_cast<std::size_t>(n));
        return n;
    }
};

/// Says what is wrong in its own way.
struct throwing_device {
    using char_type = char;
    using category = io::sink_tag;
    std::streamsize write(char const*, std::streamsize) {
        throw std::ios_base::failure("full", std::make_error_code(std::errc::no_space_on_device));
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(boost_sink)

BOOST_AUTO_TEST_CASE(a_device_gets_the_file) {
    std::string got;
    narrow_device device{&got, std::size_t{1} << 40};
    write_example(hurray::to_device(device)).value();
    BOOST_TEST(difference(to_bytes(got), example_file()) == "");
}

BOOST_AUTO_TEST_CASE(a_device_that_takes_no_more_is_an_io_error) {
    std::string got;
    narrow_device device{&got, 5000};
    BOOST_TEST((write_example(hurray::to_device(device)).error().code == std::errc::io_error));
    BOOST_TEST(got.size() == 5000u);
}

BOOST_AUTO_TEST_CASE(what_a_device_throws_is_the_error) {
    throwing_device device;
    BOOST_TEST(
        (write_example(hurray::to_device(device)).error().code == std::errc::no_space_on_device));
}

BOOST_AUTO_TEST_CASE(a_filtering_stream_gets_the_file) {
    std::string got;
    {
        io::filtering_ostream stream;
        stream.push(io::counter());
        stream.push(io::back_inserter(got));
        write_example(hurray::to_device(stream)).value();
        stream.flush();
        BOOST_TEST(static_cast<std::size_t>(stream.component<io::counter>(0)->characters()) ==
                   example_file().size());
    }
    BOOST_TEST(difference(to_bytes(got), example_file()) == "");
}

BOOST_AUTO_TEST_CASE(an_ostream_gets_the_file) {
    std::ostringstream stream;
    write_example(hurray::to_stream(stream)).value();
    BOOST_TEST(difference(to_bytes(stream.str()), example_file()) == "");
}

BOOST_AUTO_TEST_CASE(an_ostream_that_fails_is_an_io_error) {
    std::ostringstream stream;
    stream.setstate(std::ios::badbit);
    BOOST_TEST((write_example(hurray::to_stream(stream)).error().code == std::errc::io_error));
    std::ostringstream throwing;
    throwing.setstate(std::ios::badbit);
    BOOST_CHECK_THROW(throwing.exceptions(std::ios::badbit), std::ios_base::failure);
    BOOST_TEST(!write_example(hurray::to_stream(throwing)));
    std::ostream nowhere(nullptr);
    BOOST_TEST((write_example(hurray::to_stream(nowhere)).error().code == std::errc::io_error));
}

BOOST_AUTO_TEST_SUITE_END()
