#include "file_copy.hpp"

#include <algorithm>
#include <bit>

#include <unistd.h>

#include <hurray/checksum.hpp>

namespace hurray::tool {

metadata own_metadata(file const& from) {
    std::vector<metadata_entry> entries;
    for (auto const& entry : from.metadata())
        if (entry.key != checksum_key) entries.push_back(entry);
    metadata rest;
    rest.assign(std::move(entries));
    return rest;
}

write_options options_like(file const& from) {
    constexpr unsigned sorted = 1U << 1;
    return {.data_alignment = from.data_alignment(),
            .metadata = own_metadata(from),
            .sorted_index = (from.catalog().file_flags() & sorted) != 0,
            .checksums = from.catalog().has_checksums()};
}

tensor_options carried_by(descriptor const& what) {
    return {.statistics = what.statistics, .shard = what.shard};
}

std::uint32_t alignment_named(std::uint64_t bytes) {
    constexpr std::uint64_t least = 4096, most = std::uint64_t{2} << 20;
    if (std::has_single_bit(bytes) && bytes >= least && bytes <= most)
        return static_cast<std::uint32_t>(bytes);
    throw stop(status::wrong_usage, "--alignment takes a power of two from 4K to 2M");
}

std::uint64_t memory_or_half(std::uint64_t asked) noexcept {
    if (asked != 0) return asked;
    auto const pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return std::uint64_t{1} << 30;
    return static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(bytes);
}

}  // namespace hurray::tool
