#pragma once

// The one place where the version is written: CMake reads it from here.

/// The version of these headers, for the preprocessor.
#define HURRAY_VERSION_MAJOR 0
#define HURRAY_VERSION_MINOR 1
#define HURRAY_VERSION_PATCH 0

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// A version of this library. As long as `major` is 0, a new `minor` may change the interface.
struct version_number {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned patch = 0;
    friend bool operator==(version_number const&, version_number const&) = default;
};

/// The version of these headers.
inline constexpr version_number header_version{HURRAY_VERSION_MAJOR, HURRAY_VERSION_MINOR,
                                               HURRAY_VERSION_PATCH};

/// The version of the library that was linked: that of the headers, unless something is mixed up.
version_number library_version() noexcept;

}  // namespace v0
}  // namespace hurray
