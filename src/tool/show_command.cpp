#include <algorithm>
#include <charconv>
#include <optional>

#include "commands.hpp"
#include "file_access.hpp"
#include "number_text.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

constexpr std::size_t full_enough = std::size_t{1} << 16;
constexpr std::uint64_t rows_of_head = 10;

/// Collects lines and prints them by the block.
class listing {
public:
    void add_line(std::string const& line) { text_ += line + '\n'; }
    template<element T> void add(std::uint64_t index, T value) {
        number::append(text_, index);
        add_value(value);
    }
    template<element T> void add(std::uint64_t row, std::uint64_t column, T value) {
        number::append(text_, row);
        text_ += '\t';
        number::append(text_, column);
        add_value(value);
    }
    void flush() {
        print(text_);
        text_.clear();
    }

private:
    template<element T> void add_value(T value) {
        text_ += '\t';
        append_number(text_, value);
        text_ += '\n';
        if (text_.size() >= full_enough) flush();
    }

    std::string text_;
};

/// From `first` on, `last` excluded.
struct index_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// A number, or nothing, of which `otherwise` comes.
std::optional<std::uint64_t> side_of_range(std::string_view text, std::uint64_t otherwise) {
    if (text.empty()) return otherwise;
    std::uint64_t number = 0;
    auto const end = text.data() + text.size();
    auto const [at, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || at != end) return std::nullopt;
    return number;
}

/// "10:20", ":20", "10:" of so many rows.
index_range range_named(std::string_view text, std::uint64_t rows) {
    auto const colon = text.find(':');
    if (colon != std::string_view::npos) {
        auto const first = side_of_range(text.substr(0, colon), 0);
        auto const last = side_of_range(text.substr(colon + 1), std::max(rows, first.value_or(0)));
        if (first && last && *first <= *last) return {*first, *last};
    }
    throw stop(status::wrong_usage, "--rows takes A:B, such as 10:20, not " + in_quotes(text));
}

/// Prints what was asked for of a matrix whose every slice is checked when it is taken.
class shower {
public:
    shower(show_options const& options, tensor const& what)
        : options_(options), word_(slice_word(what.descriptor.layout)), what_(what) {}

    template<class View> result<void> operator()(View const& view) {
        return show(by_slices(view), View::major_axis == axis::rows);
    }

private:
    template<element T> result<void> show(lazy_csr_view<T> const& view, bool by_rows) const {
        auto const& shape = what_.descriptor.shape;
        if (!options_.at.empty()) return element_at(view, by_rows);
        if (options_.head) return slices(view, {0, std::min(rows_of_head, view.major())}, by_rows);
        if (!options_.rows.empty())
            return rows(view, range_named(options_.rows, shape[0]), by_rows);
        if (options_.row) {
            check(*options_.row, shape[0], "row");
            return line(view, *options_.row, by_rows, "row");
        }
        check(*options_.column, shape[1], "column");
        return line(view, *options_.column, !by_rows, "column");
    }

    void check(std::uint64_t index, std::uint64_t bound, std::string const& what) const {
        if (index < bound) return;
        auto const those =
            bound == 0 ? std::string("none") : what + "s 0 ... " + std::to_string(bound - 1);
        throw stop(status::wrong_usage, escaped(options_.file.native()) + ": tensor " +
                                            in_quotes(options_.name) + " has no " + what + ' ' +
                                            std::to_string(index) + "; it has " + those);
    }

    std::string title(std::string const& what) const {
        auto const& d = what_.descriptor;
        return "# " + what + " of " + in_quotes(options_.name) + ", " + shape_text(d.shape) + ' ' +
               layout_text(d.layout) + ' ' + type_text(d.element_type);
    }

    std::string range_title(index_range range, std::string_view word = "row") const {
        return title(std::string(word) + "s " + std::to_string(range.first) + ':' +
                     std::to_string(range.last));
    }

    template<element T> result<void> element_at(lazy_csr_view<T> const& view, bool by_rows) const {
        auto const row = options_.at[0], column = options_.at[1];
        check(row, what_.descriptor.shape[0], "row");
        check(column, what_.descriptor.shape[1], "column");
        auto const found = by_rows ? view.find(row, column) : view.find(column, row);
        if (!found) return found.error();
        std::string text;
        append_number(text, found->value_or(T{}));
        print(text + (*found ? "" : "\t(not stored)") + '\n');
        return {};
    }

    template<element T> result<void> line(lazy_csr_view<T> const& view, std::uint64_t index,
                                          bool stored_so, std::string const& what) const {
        listing lines;
        auto const heading = title(what + ' ' + std::to_string(index));
        if (!stored_so) {
            lines.add_line(heading);
            auto const found = scan(view, {index, index + 1},
                                    [&](auto major, auto, auto value) { lines.add(major, value); });
            lines.flush();
            return found;
        }
        auto const slice = view.at(index);
        if (!slice) return slice.error();
        lines.add_line(heading + ", " + grouped(slice->size()) +
                       (slice->size() == 1 ? " entry" : " entries"));
        for (auto const [at, value] : *slice) lines.add(at, value);
        lines.flush();
        return {};
    }

    template<element T>
    result<void> rows(lazy_csr_view<T> const& view, index_range range, bool by_rows) const {
        auto const bound = what_.descriptor.shape[0];
        if (range.last != range.first) check(range.last - 1, bound, "row");
        if (by_rows) return slices(view, range, by_rows);
        listing lines;
        lines.add_line(range_title(range));
        auto const found = scan(
            view, range, [&](auto column, auto row, auto value) { lines.add(row, column, value); });
        lines.flush();
        return found;
    }

    template<element T>
    result<void> slices(lazy_csr_view<T> const& view, index_range range, bool by_rows) const {
        listing lines;
        lines.add_line(range_title(range, word_));
        for (auto i = range.first; i < range.last; ++i) {
            stop_if_interrupted();
            auto const slice = view.at(i);
            if (!slice) return slice.error();
            for (auto const [at, value] : *slice)
                lines.add(by_rows ? i : at, by_rows ? at : i, value);
        }
        lines.flush();
        return {};
    }

    /// The entries with an index in the range, out of every slice.
    template<element T, class Use>
    static result<void> scan(lazy_csr_view<T> const& view, index_range range, Use const& use) {
        for (std::uint64_t i = 0; i < view.major(); ++i) {
            if ((i & 0xFFFF) == 0) stop_if_interrupted();
            auto const slice = view.at(i);
            if (!slice) return slice.error();
            auto const all = slice->indices();
            auto k = static_cast<std::uint64_t>(
                std::lower_bound(all.begin(), all.end(), range.first) - all.begin());
            for (; k < all.size() && all[k] < range.last; ++k) use(i, all[k], (*slice)[k].value);
        }
        return {};
    }

    show_options const& options_;
    std::string_view word_;
    tensor const& what_;
};

bool scans(show_options const& options, layout of) {
    if (!options.rows.empty()) return of == layout::csc;
    if (!options.at.empty() || options.head) return false;
    return options.row.has_value() == (of == layout::csc);
}

void check_one_wish(show_options const& options) {
    int const wishes = int{options.row.has_value()} + int{options.column.has_value()} +
                       int{!options.at.empty()} + int{!options.rows.empty()} + int{options.head};
    if (wishes != 1)
        throw stop(status::wrong_usage,
                   "show needs one of --row I, --column J, --at I J, --rows A:B and --head");
}

}  // namespace

status run_show(show_options const& given) {
    check_one_wish(given);
    auto options = given;
    auto const from = open_file(options.file, access::random);
    options.name = name_or_only(from, options.file, options.name);
    auto const what = described_matrix(from, options.file, options.name);
    auto const word = slice_word(what.descriptor.layout);
    if (scans(options, what.descriptor.layout))
        complain("the matrix is stored by " + std::string(word) +
                 "s, so this looks through all of it");
    need(visit(from.view(), options.name, shower(options, what), lazy), options.file, options.name,
         word);
    return status::good;
}

}  // namespace hurray::tool
