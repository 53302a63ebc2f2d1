#include "commands.hpp"
#include "file_access.hpp"
#include "number_text.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

constexpr std::size_t full_enough = std::size_t{1} << 16;

/// Collects lines and prints them by the block.
class listing {
public:
    template<viewable T> void add(std::uint64_t index, T value) {
        number::append(text_, index);
        text_ += '\t';
        append_number(text_, value);
        text_ += '\n';
        if (text_.size() >= full_enough) flush();
    }
    void add_line(std::string const &line) { text_ += line + '\n'; }
    void flush() {
        print(text_);
        text_.clear();
    }

private:
    std::string text_;
};

/// One row or column of a matrix whose every slice is checked when it is taken.
class shower {
public:
    shower(show_options const &options, tensor const &what)
        : options_(options), word_(slice_word(what.descriptor.layout)), what_(what) {}

    template<class View> result<void> operator()(View const &view) {
        auto const shape = view.shape();
        if (!options_.at.empty()) return element_at(view);
        if (options_.row) {
            check(*options_.row, shape.rows, "row");
            return line(view, *options_.row, View::major_axis == axis::rows, "row");
        }
        check(*options_.column, shape.columns, "column");
        return line(view, *options_.column, View::major_axis == axis::columns, "column");
    }

private:
    void check(std::uint64_t index, std::uint64_t bound, std::string_view what) const {
        if (index < bound) return;
        auto text = escaped(options_.file.native()) + ": tensor " + in_quotes(options_.name) +
                    " has no " + std::string(what) + ' ' + std::to_string(index) + "; it has ";
        text += bound == 0 ? "none" : std::string(what) + "s 0 ... " + std::to_string(bound - 1);
        throw stop(status::wrong_usage, text);
    }

    std::string title(std::string_view what, std::uint64_t index) const {
        auto const &d = what_.descriptor;
        return "# " + std::string(what) + ' ' + std::to_string(index) + " of " +
               in_quotes(options_.name) + ", " + shape_text(d.shape) + ' ' + layout_text(d.layout) +
               ' ' + type_text(d.element_type);
    }

    template<class View> result<void> element_at(View const &view) const {
        auto const row = options_.at[0], column = options_.at[1];
        check(row, view.shape().rows, "row");
        check(column, view.shape().columns, "column");
        auto const found = view.find(row, column);
        if (!found) return found.error();
        std::string text;
        using number = typename View::value_type;
        append_number(text, found->value_or(number{}));
        print(text + (*found ? "" : "\t(not stored)") + '\n');
        return {};
    }

    template<class View> result<void> line(View const &view, std::uint64_t index, bool stored_so,
                                           std::string_view what) {
        listing lines;
        if (stored_so) {
            auto const slice = view.at(index);
            if (!slice) return slice.error();
            lines.add_line(title(what, index) + ", " + grouped(slice->size()) +
                           (slice->size() == 1 ? " entry" : " entries"));
            for (auto const [at, value] : *slice) lines.add(at, value);
        } else {
            lines.add_line(title(what, index) + ", found by looking through every " +
                           std::string(word_));
            if (auto ok = scan(view, index, lines); !ok) return ok;
        }
        lines.flush();
        return {};
    }

    template<class View>
    static result<void> scan(View const &view, std::uint64_t index, listing &lines) {
        for (std::uint64_t i = 0; i < view.major(); ++i) {
            if ((i & 0xFFFF) == 0) stop_if_interrupted();
            auto const slice = view.at(i);
            if (!slice) return slice.error();
            if (auto const found = slice->find(index)) lines.add(i, *found);
        }
        return {};
    }

    show_options const &options_;
    std::string_view word_;
    tensor const &what_;
};

bool scans(show_options const &options, layout of) {
    if (!options.at.empty()) return false;
    return options.row.has_value() == (of == layout::csc);
}

} // namespace

status run_show(show_options const &options) {
    if (int{options.row.has_value()} + int{options.column.has_value()} + int{!options.at.empty()} !=
        1)
        throw stop(status::wrong_usage, "show needs one of --row I, --column J and --at R C");
    auto const from = open_file(options.file, access::random);
    auto const what = described_matrix(from, options.file, options.name);
    auto const word = slice_word(what.descriptor.layout);
    if (scans(options, what.descriptor.layout))
        complain("the matrix is stored by " + std::string(word) +
                 "s, so this looks through all of it");
    need(visit(from.view(), options.name, shower(options, what), lazy), options.file, options.name,
         word);
    return status::good;
}

} // namespace hurray::tool
