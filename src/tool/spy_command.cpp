#include <algorithm>

#include "commands.hpp"
#include "file_access.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "spy_picture.hpp"
#include "spy_shading.hpp"
#include "text.hpp"
#include "text_output.hpp"

namespace hurray::tool {
namespace {

/// As large as a terminal of 80 columns takes, in the proportions of the matrix.
raster raster_for_terminal(extents shape) {
    constexpr std::uint64_t most_down = 160;
    auto const label = std::to_string(shape.rows).size();
    auto const most_across = 2 * std::min<std::uint64_t>(68, 76 - label);
    auto const width = std::clamp<std::uint64_t>(shape.columns, 1, most_across);
    auto const columns = std::max<std::uint64_t>(1, shape.columns);
    auto const ideal =
        static_cast<double>(shape.rows) / static_cast<double>(columns) * static_cast<double>(width);
    auto const height =
        static_cast<std::uint64_t>(std::clamp(ideal, 1.0, static_cast<double>(most_down)));
    return {shape, std::min(height, std::max<std::uint64_t>(1, shape.rows)), width};
}

class spy {
public:
    spy(raster& picture, progress& shown) : picture_(picture), shown_(shown) {}

    template<axis Major>
    result<void> look_at(result<compressed_view<pattern, Major, trust::lazy>> const& of) const {
        if (!of) return of.error();
        auto const& view = *of;
        for (std::uint64_t i = 0; i < view.major(); ++i) {
            if ((i & 0xFFF) == 0) {
                stop_if_interrupted();
                shown_.update(i, view.major());
            }
            auto const slice = view.at(i);
            if (!slice) return slice.error();
            picture_.template add<Major>(i, slice->indices());
        }
        return {};
    }

private:
    raster& picture_;
    progress& shown_;
};

/// Which cells get a dot: those that have entries; where these are most of them, the denser ones,
/// mixed so that many dots look dark.
class dots_of {
public:
    explicit dots_of(raster const& from)
        : from_(from), shades_(from),
          mixed_(shades_.filled() > from.rows().count() * from.columns().count() / 2) {}

    bool has(std::uint64_t y, std::uint64_t x) const {
        if (!from_.has(y, x)) return false;
        if (!mixed_) return true;
        constexpr unsigned order[4][4] = {
            {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
        return shades_.part(from_.density(y, x)) * 16 >= order[y % 4][x % 4];
    }
    std::string text() const {
        return mixed_ ? shades_.text("few dots", "all dots") + '\n' : std::string();
    }

private:
    raster const& from_;
    shading shades_;
    bool mixed_;
};

/// Eight cells in one braille character, U+2800 and up.
void append_braille(std::string& out, dots_of const& from, std::uint64_t y, std::uint64_t x) {
    constexpr unsigned dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned pattern = 0;
    for (unsigned down = 0; down < 4; ++down)
        for (unsigned across = 0; across < 2; ++across)
            if (from.has(y + down, x + across)) pattern |= dots[down][across];
    out += '\xE2';
    out += static_cast<char>(0xA0 | (pattern >> 6));
    out += static_cast<char>(0x80 | (pattern & 0x3F));
}

std::string times(std::string_view what, std::uint64_t count) {
    std::string text;
    for (; count != 0; --count) text += what;
    return text;
}

std::string picture_text(raster const& from, extents shape) {
    constexpr std::string_view horizontal = "\xE2\x94\x80", vertical = "\xE2\x94\x82";
    dots_of const shown(from);
    auto const across = (from.columns().count() + 1) / 2;
    auto const last = std::to_string(shape.columns == 0 ? 0 : shape.columns - 1);
    auto const bottom = std::to_string(shape.rows == 0 ? 0 : shape.rows - 1);
    auto const margin = std::string(bottom.size() + 1, ' ');
    auto const gap = across > last.size() + 1 ? across - last.size() - 1 : 1;
    std::string text = margin + " 0" + std::string(gap, ' ') + last + '\n';
    text += margin + "\xE2\x94\x8C" + times(horizontal, across) + "\xE2\x94\x90\n";
    for (std::uint64_t y = 0; y < from.rows().count(); y += 4) {
        bool const is_last = y + 4 >= from.rows().count();
        auto const label = y == 0 ? std::string("0") : is_last ? bottom : std::string();
        text += std::string(bottom.size() - label.size(), ' ') + label + ' ';
        text += vertical;
        for (std::uint64_t x = 0; x < from.columns().count(); x += 2)
            append_braille(text, shown, y, x);
        text += vertical;
        text += '\n';
    }
    text += margin + "\xE2\x94\x94" + times(horizontal, across) + "\xE2\x94\x98\n";
    auto const about = shown.text();
    return about.empty() ? text : text + margin + ' ' + about;
}

}  // namespace

status run_spy(spy_options const& given) {
    auto options = given;
    auto const from = open_file(options.file, access::sequential);
    options.name = name_or_only(from, options.file, options.name);
    auto const what = described_matrix(from, options.file, options.name);
    check_foreign_output(options.output,
                         {".hrry", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".mtx", ".npz"});
    auto const& d = what.descriptor;
    extents const shape{d.shape[0], d.shape[1]};
    bool const for_people = options.output.empty();
    auto picture = for_people ? raster_for_terminal(shape) : raster_for_picture(shape);
    {
        progress shown("looking", options.quiet);
        spy const all(picture, shown);
        need(d.layout == layout::csr ? all.look_at(from.csr<pattern>(options.name, lazy))
                                     : all.look_at(from.csc<pattern>(options.name, lazy)),
             options.file, options.name, slice_word(d.layout));
    }
    auto const about = shape_text(d.shape) + ' ' + layout_text(d.layout) + ' ' +
                       type_text(d.element_type) + ", " + grouped(d.nnz().value_or(0)) + " entries";
    if (for_people) {
        print(in_quotes(options.name) + ", " + about + '\n' + picture_text(picture, shape));
        return status::good;
    }
    text_output out(options.output);
    out.text() += spy_png(picture, shape, {.name = escaped(options.name), .about = about});
    out.publish();
    if (!options.quiet && options.output != "-")
        print(escaped(options.output.native()) + ": a picture of " + in_quotes(options.name) +
              '\n');
    return status::good;
}

}  // namespace hurray::tool
