#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <hurray/callback.hpp>
#include <hurray/error.hpp>
#include <hurray/metadata.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// What to do with content that the format lets a reader tolerate.
enum class mode : std::uint8_t {
    strict,      ///< refuse it
    permissive,  ///< list it, note it, and never interpret bytes that are not understood
};

/// Where the bytes of an opened file are.
enum class load : std::uint8_t {
    map,   ///< mapped: nothing is copied, and touching what a truncation took away is SIGBUS
    read,  ///< in memory that the process owns: immune to what happens to the file afterwards
};

/// How the data will be walked. A hint: no kernel that knows less makes an open fail.
enum class access : std::uint8_t {
    normal,
    sequential,  ///< all of it, front to back
    random,      ///< a few rows: no read-ahead
    populate,    ///< all of it soon: fault everything in now; file_changed if it was truncated
};

/// What to do with the checksums that a file may carry (checksum.hpp).
enum class checksums : std::uint8_t {
    ignore,
    verify,   ///< check what is read against them, where there are any
    require,  ///< and refuse a file without
};

struct read_options {
    hurray::mode mode = hurray::mode::strict;
    hurray::load load = hurray::load::map;
    hurray::access access = hurray::access::normal;
    /// Unless ignored: the metadata is checked at open, a descriptor when it is read, the blocks
    /// under a slice when it is taken (each block once), all of them by verify(). Views then refer
    /// to the catalog too, and must not outlive the file or file_view they came from.
    hurray::checksums checksums = hurray::checksums::ignore;
};

/// How far verify() goes, and what it tells on the way.
struct verify_options {
    /// Threads to use; 0 and 1 mean the calling thread alone.
    unsigned threads = 1;
    /// How many failures to collect before stopping; at least one. For whole files: a view stops
    /// at its first.
    std::uint64_t limit = 1;
    /// Called for each failure in a file, with the tensor's name (empty: the file's own parts); a
    /// view gives its failure as the result alone. False stops.
    callback<bool(std::string_view tensor, error const&)> on_failure{};
    /// Called now and then, from the calling thread, with bytes done and bytes in all.
    /// False cancels: verify() then fails with errc::cancelled.
    callback<bool(std::uint64_t done, std::uint64_t total)> on_progress{};
};

/// What close() waits for.
enum class durability : std::uint8_t {
    none,  ///< the kernel has the bytes
    data,  ///< the file's bytes are on disk
    full,  ///< and so is its name
};

struct write_options {
    /// A power of two from 4096 to 2 MiB: every buffer starts on a multiple of it.
    std::uint32_t data_alignment = 4096;
    /// Given now, not at close(): the header announces it, and the writer never seeks.
    hurray::metadata metadata{};
    /// Index entries by name instead of in the order of writing.
    bool sorted_index = false;
    /// The alignment that each buffer's handle declares; from 64 to data_alignment.
    std::uint32_t handle_alignment = 64;
    hurray::durability durability = hurray::durability::full;
    /// Adds a table of checksums of everything (checksum.hpp) to the key-values.
    bool checksums = false;
    /// False: close() fails when the target exists, atomically.
    bool replace = true;
};

}  // namespace v0
}  // namespace hurray
