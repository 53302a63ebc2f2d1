#pragma once

// The one header that shows Boost: for those who write through a Boost.Iostreams device or filter.

#include <ios>
#include <memory>
#include <ostream>
#include <span>
#include <system_error>
#include <utility>

#include <boost/iostreams/write.hpp>

#include <hurray/writer.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {
/// What `write` gives, or the error that it throws as iostreams do.
template<class Write> std::error_code without_exceptions(Write const& write) {
#if defined(__cpp_exceptions)
    try {
        return write();
    } catch (std::ios_base::failure const& failure) {
        return failure.code();
    }
#else
    return write();
#endif
}
}  // namespace detail

/// A sink that writes to a Boost.Iostreams device or filtering stream.
/// Lifetime: `device` must outlive the writer.
template<class Device> sink to_device(Device& device) {
    return [&device](std::span<std::byte const> bytes) -> std::error_code {
        auto const chars = static_cast<char const*>(static_cast<void const*>(bytes.data()));
        auto const size = static_cast<std::streamsize>(bytes.size());
        return detail::without_exceptions([&]() -> std::error_code {
            for (std::streamsize done = 0; done < size;) {
                auto const n = boost::iostreams::write(device, chars + done, size - done);
                if (n <= 0) return std::make_error_code(std::errc::io_error);
                done += n;
            }
            return {};
        });
    };
}

/// A sink that writes to a std::ostream. Lifetime: `stream` must outlive the writer.
inline sink to_stream(std::ostream& stream) {
    return [&stream](std::span<std::byte const> bytes) -> std::error_code {
        return detail::without_exceptions([&] {
            stream.write(static_cast<char const*>(static_cast<void const*>(bytes.data())),
                         static_cast<std::streamsize>(bytes.size()));
            return stream.good() ? std::error_code{} : std::make_error_code(std::errc::io_error);
        });
    };
}

}  // namespace v0
}  // namespace hurray
