#include "spy_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "picture.hpp"
#include "spy_shading.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

constexpr std::uint32_t longest = 1000, shortest = 40;
constexpr std::uint32_t gap = 8, tick_length = 6, line = picture::letter_height + gap;

/// Dots for the longer and the shorter side, in proportion as far as it goes.
struct plot_size {
    std::uint32_t height, width;
};

plot_size plot_size_of(extents shape) {
    auto const rows = static_cast<double>(std::max<std::uint64_t>(1, shape.rows));
    auto const columns = static_cast<double>(std::max<std::uint64_t>(1, shape.columns));
    auto const unit = longest / std::max(rows, columns);
    auto const dots = [&](double size) {
        return std::max(shortest, static_cast<std::uint32_t>(std::lround(size * unit)));
    };
    return {dots(rows), dots(columns)};
}

/// Dots per cell, all of the same size.
std::uint32_t dots_per_cell(std::uint32_t dots, std::uint64_t count) {
    return count == 0 ? 1 : std::max(1U, dots / static_cast<std::uint32_t>(count));
}

/// 1, 2 or 5 times a power of ten: at most six of them up to `size`.
std::uint64_t tick_step(std::uint64_t size) {
    std::uint64_t step = 1;
    for (unsigned k = 0; size / step > 5 && k < 57; ++k)
        step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

/// How many multiples of the step are below the size.
std::uint64_t ticks(std::uint64_t size, std::uint64_t step) noexcept {
    return size == 0 ? 0 : (size - 1) / step + 1;
}

/// "0", "500", "20k", "3M", in one unit for the whole axis.
std::string tick_text(std::uint64_t at, std::uint64_t step) {
    struct unit {
        std::uint64_t size;
        char letter;
    };
    constexpr std::array units = {unit{1'000'000'000'000, 'T'}, unit{1'000'000'000, 'G'},
                                  unit{1'000'000, 'M'}, unit{1000, 'k'}};
    for (auto const& [size, letter] : units)
        if (at != 0 && step % size == 0) return std::to_string(at / size) + letter;
    return std::to_string(at);
}

class plotter {
public:
    plotter(raster const& from, extents shape, spy_caption const& caption)
        : from_(from), shape_(shape), caption_(caption), shades_(from) {
        auto const dots = plot_size_of(shape);
        cell_height_ = dots_per_cell(dots.height, from.rows().count());
        cell_width_ = dots_per_cell(dots.width, from.columns().count());
        height_ = std::max(1U, cell_height_ * static_cast<std::uint32_t>(from.rows().count()));
        width_ = std::max(1U, cell_width_ * static_cast<std::uint32_t>(from.columns().count()));
        left_ = gap + picture::width_of("rows") + gap + widest_row_label() + gap + tick_length;
        top_ = gap + 4 * line + tick_length;
    }

    std::string png() {
        auto const foot = shades_.text("grey", "black");
        auto const widest = std::max({picture::width_of(caption_.name),
                                      picture::width_of(caption_.about), picture::width_of(foot)});
        picture out(std::max(left_ + width_ + 4 * gap, gap + std::min(widest, 2 * longest) + gap),
                    top_ + height_ + gap + line);
        out.write(gap, gap, caption_.name);
        out.write(gap, gap + line, caption_.about);
        draw_frame(out);
        draw_cells(out);
        label_columns(out);
        label_rows(out);
        out.write(left_, top_ + height_ + gap, foot);
        return out.png();
    }

private:
    std::uint32_t widest_row_label() const {
        std::uint32_t widest = 0;
        auto const step = tick_step(shape_.rows);
        for (std::uint64_t k = 0; k < ticks(shape_.rows, step); ++k)
            widest = std::max(widest, picture::width_of(tick_text(k * step, step)));
        return widest;
    }

    void draw_frame(picture& out) const {
        out.fill(left_ - 1, top_ - 1, width_ + 2, height_ + 2, picture::black);
        out.fill(left_, top_, width_, height_, picture::white);
    }
    picture::shade shade_of(double density) const {
        constexpr double palest = 0.25;
        auto const ink = palest + (1 - palest) * shades_.part(density);
        return static_cast<picture::shade>(std::lround(255 * (1 - ink)));
    }
    void draw_cells(picture& out) const {
        for (std::uint32_t y = 0; y < from_.rows().count(); ++y)
            for (std::uint32_t x = 0; x < from_.columns().count(); ++x)
                if (from_.count(y, x) != 0)
                    out.fill(left_ + x * cell_width_, top_ + y * cell_height_, cell_width_,
                             cell_height_, shade_of(from_.density(y, x)));
    }

    /// The middle of the place on an axis of that many dots.
    static std::uint32_t dot_of(std::uint64_t at, std::uint64_t size, std::uint32_t dots) {
        return static_cast<std::uint32_t>((static_cast<double>(at) + 0.5) /
                                          static_cast<double>(size) * static_cast<double>(dots));
    }

    void label_columns(picture& out) const {
        auto const label_top = top_ - tick_length - line;
        out.write(left_, label_top - line, "columns");
        auto const step = tick_step(shape_.columns);
        std::uint32_t free_from = 0;
        for (std::uint64_t k = 0; k < ticks(shape_.columns, step); ++k) {
            auto const at = k * step;
            auto const x = left_ + dot_of(at, shape_.columns, width_);
            auto const text = tick_text(at, step);
            auto const half = picture::width_of(text) / 2;
            out.fill(x, top_ - tick_length, 1, tick_length, picture::black);
            if (x < free_from + half) continue;
            out.write(x - half, label_top, text);
            free_from = x + half + gap;
        }
    }
    void label_rows(picture& out) const {
        out.write(gap, top_, "rows");
        auto const step = tick_step(shape_.rows);
        std::uint32_t free_from = 0;
        for (std::uint64_t k = 0; k < ticks(shape_.rows, step); ++k) {
            auto const at = k * step;
            auto const y = top_ + dot_of(at, shape_.rows, height_);
            auto const text = tick_text(at, step);
            constexpr auto half = picture::letter_height / 2;
            out.fill(left_ - tick_length, y, tick_length, 1, picture::black);
            if (y < free_from + half) continue;
            out.write(left_ - tick_length - gap / 2 - picture::width_of(text), y - half, text);
            free_from = y + half + gap / 2;
        }
    }

    raster const& from_;
    extents shape_;
    spy_caption const& caption_;
    shading shades_;
    std::uint32_t cell_height_ = 1, cell_width_ = 1, height_ = 1, width_ = 1, left_ = 0, top_ = 0;
};

}  // namespace

raster raster_for_picture(extents shape) {
    auto const dots = plot_size_of(shape);
    return {shape, dots.height, dots.width};
}

std::string spy_png(raster const& from, extents shape, spy_caption const& caption) {
    return plotter(from, shape, caption).png();
}

}  // namespace hurray::tool
