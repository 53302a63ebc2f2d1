#pragma once

// Uses everything about a file but its tensors.

#include <hurray/file_view.hpp>

#include <metadata.hpp>

#include "check.hpp"

namespace hurray::fuzz {

inline void add_range(digest& sum, file_view const& file, byte_range where) {
    require(where.within(file.size()), "an accepted range is inside the file");
    sum.add(file.bytes().subspan(where.offset, where.length));
}

/// Looks at all of it. False if it does not pass full verification.
inline bool use_rest(file_view const& file) {
    digest sum;
    for (auto const& entry : file.metadata())
        require(file.metadata().find(entry.key) == &entry.value, "a key finds its value");
    for (auto const& part : file.catalog().sections()) add_range(sum, file, part.where);
    require(file.notes().size() <= 64, "at most 64 notes");
    for (auto const& note : file.notes()) require(!note.message().empty(), "a note has a message");
    auto const all = file.verify({.limit = 100});
    require(!all || all->tensors.size() == file.tensors().size(), "an outcome per tensor");
    return all.has_value();
}

inline byte_vector key_values(file_view const& file) {
    return format::encode_metadata(file.metadata()).value_or(byte_vector{});
}

}  // namespace hurray::fuzz
