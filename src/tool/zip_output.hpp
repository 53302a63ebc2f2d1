#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/crc.hpp>

#include "text_output.hpp"

namespace hurray::tool {

/// Writes a ZIP archive of stored entries in one forward pass, of any size.
class zip_output {
public:
    explicit zip_output(text_output& out) noexcept : out_(out) {}

    /// Begins an entry, of which `size` bytes will follow.
    void begin(std::string const& name, std::uint64_t size);
    void append(std::string_view bytes);
    /// Precondition: as many bytes were appended as were announced.
    void end();
    /// Writes the list of entries. Nothing may follow.
    void finish();

private:
    struct entry {
        std::string name;
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint32_t crc = 0;
    };
    void put(std::uint64_t value, unsigned bytes);
    void put_text(std::string_view text);
    void put_entry(entry const& one);

    text_output& out_;
    std::uint64_t position_ = 0;
    std::vector<entry> entries_;
    boost::crc_32_type crc_;
};

}  // namespace hurray::tool
