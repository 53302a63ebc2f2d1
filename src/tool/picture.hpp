#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hurray::tool {

/// A picture in shades of grey, white at first. What is drawn outside of it is lost.
class picture {
public:
    using shade = std::uint8_t;
    static constexpr shade black = 0, white = 255;
    static constexpr std::uint32_t letter_width = 12, letter_height = 14;

    picture(std::uint32_t width, std::uint32_t height)
        : width_(width), height_(height), dots_(std::size_t{width} * height, white) {}

    std::uint32_t width() const noexcept { return width_; }
    std::uint32_t height() const noexcept { return height_; }

    void fill(std::uint32_t left, std::uint32_t top, std::uint32_t width, std::uint32_t height,
              shade with) noexcept;
    /// Writes text whose upper left corner is there; characters other than ASCII become "?".
    void write(std::uint32_t left, std::uint32_t top, std::string_view text) noexcept;
    static std::uint32_t width_of(std::string_view text) noexcept;

    /// The picture as a PNG file.
    std::string png() const;

private:
    std::uint32_t width_, height_;
    std::vector<shade> dots_;
};

}  // namespace hurray::tool
