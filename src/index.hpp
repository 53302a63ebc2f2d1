#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hurray/catalog.hpp>
#include <hurray/result.hpp>

#include "file_header.hpp"

namespace hurray::format {

/// The index section: which tensors there are, and where.
struct index {
    std::vector<index_entry> entries;    ///< in file order; names point into the decoded bytes
    std::vector<std::uint32_t> by_name;  ///< positions in entries, sorted by name

    /// Decodes the whole section, which lies at `offset` in the file and must outlive the index.
    /// Errors carry offsets in the file. Complexity: n log n; allocates 52 bytes an entry.
    static result<index> decode(std::span<std::byte const> bytes, std::uint64_t offset,
                                bool claims_sorted, mode, std::vector<error>& notes);
    index_entry const* find(std::string_view name) const noexcept;
};

/// One entry of the writer's side; the name is owned.
struct written_entry {
    std::string name;
    byte_range descriptor;
    byte_range data;
};

std::vector<std::byte> encode_index(std::span<written_entry const> entries);

/// R-035 ... R-036 for a name that is about to be written.
result<void> check_name(std::string_view name);

}  // namespace hurray::format
