#include "picture.hpp"

#include <algorithm>

#include <boost/crc.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "picture_font.hpp"

namespace hurray::tool {
namespace {

constexpr unsigned glyph_width = 5, glyph_height = 7, zoom = 2;

void append_big_endian(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

void append_chunk(std::string& out, std::string const& kind, std::string const& content) {
    append_big_endian(out, static_cast<std::uint32_t>(content.size()));
    boost::crc_32_type crc;
    crc.process_bytes(kind.data(), kind.size());
    crc.process_bytes(content.data(), content.size());
    out += kind + content;
    append_big_endian(out, static_cast<std::uint32_t>(crc.checksum()));
}

std::string compressed(std::string const& bytes) {
    namespace io = boost::iostreams;
    std::string packed;
    {
        io::filtering_ostream to;
        to.push(io::zlib_compressor());
        to.push(io::back_inserter(packed));
        to.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    return packed;
}

/// Characters, where one of UTF-8 may take several bytes.
bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::uint64_t glyph_of(char c) noexcept {
    auto const code = static_cast<unsigned char>(c);
    bool const known = code >= 0x20 && code < 0x7F;
    return small_font[(known ? code : unsigned{'?'}) - 0x20];
}

}  // namespace

void picture::fill(std::uint32_t left, std::uint32_t top, std::uint32_t width, std::uint32_t height,
                   shade with) noexcept {
    if (left >= width_ || top >= height_) return;
    auto const across = std::min(width, width_ - left);
    auto const last = top + std::min(height, height_ - top);
    for (auto y = top; y < last; ++y)
        std::fill_n(dots_.begin() + static_cast<std::ptrdiff_t>(std::size_t{y} * width_ + left),
                    across, with);
}

void picture::write(std::uint32_t left, std::uint32_t top, std::string_view text) noexcept {
    for (auto const c : text) {
        if (!begins_character(c)) continue;
        auto const glyph = glyph_of(c);
        for (unsigned y = 0; y < glyph_height; ++y)
            for (unsigned x = 0; x < glyph_width; ++x)
                if ((glyph >> (glyph_width * glyph_height - 1 - y * glyph_width - x) & 1) != 0)
                    fill(left + x * zoom, top + y * zoom, zoom, zoom, black);
        left += letter_width;
    }
}

std::uint32_t picture::width_of(std::string_view text) noexcept {
    return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), begins_character)) *
           letter_width;
}

std::string picture::png() const {
    std::string rows;
    rows.reserve((std::size_t{width_} + 1) * height_);
    for (std::size_t y = 0; y < height_; ++y) {
        rows += '\0';  // no filter
        for (std::size_t x = 0; x < width_; ++x) rows += static_cast<char>(dots_[y * width_ + x]);
    }
    std::string head;
    append_big_endian(head, width_);
    append_big_endian(head, height_);
    head += std::string("\x08\0\0\0\0", 5);  // 8 bits of grey, the usual methods, in one go
    std::string out = "\x89PNG\r\n\x1A\n";
    append_chunk(out, "IHDR", head);
    append_chunk(out, "IDAT", compressed(rows));
    append_chunk(out, "IEND", {});
    return out;
}

}  // namespace hurray::tool
