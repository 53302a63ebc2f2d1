#pragma once

#include <cstdint>

#include <hurray/result.hpp>
#include <hurray/writer.hpp>

#include "output.hpp"

namespace hurray {

/// Turns elements that arrive in any chunking into a values buffer. Carries what does not fill a
/// byte from one chunk to the next.
class element_packer {
public:
    explicit element_packer(element_type type) noexcept : type_(type) {}

    /// Packed elements go through bit by bit, or byte by byte where they line up; others as are.
    result<void> append(output_cursor& to, detail::element_run const& run);
    /// Packed elements given as one byte each, their value in its low bits.
    result<void> append_unpacked(output_cursor& to, std::span<std::byte const> elements);
    /// Writes the last, partly filled group. The unused bits are zero.
    result<void> finish(output_cursor& to);
    std::uint64_t count() const noexcept { return count_; }

private:
    template<class Element>
    result<void> pack(output_cursor& to, std::uint64_t count, Element element);

    element_type type_;
    std::uint64_t count_ = 0;  ///< elements so far
    std::uint32_t carry_ = 0;  ///< bits that do not fill a byte yet
    unsigned carried_ = 0;     ///< how many
};

}  // namespace hurray
