#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "failure.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string shown(std::string_view token) {
    constexpr std::size_t longest = 40;
    return in_quotes(token.size() <= longest ? std::string(token)
                                             : std::string(token.substr(0, longest)) + "...");
}

std::vector<std::string_view> tokens_of(std::string_view line) {
    std::vector<std::string_view> tokens;
    for (auto at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
        auto const end = std::min(line.find_first_of(blanks, at), line.size());
        tokens.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(blanks, end);
    }
    return tokens;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (auto& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

template<class E> struct named {
    std::string_view name;
    E value;
};
constexpr auto fields = std::to_array<named<market_field>>({
    {"real", market_field::real},
    {"integer", market_field::integer},
    {"unsigned-integer", market_field::unsigned_integer},
    {"complex", market_field::complex},
    {"pattern", market_field::pattern},
    {"double", market_field::real},
});
constexpr auto symmetries = std::to_array<named<market_symmetry>>({
    {"general", market_symmetry::general},
    {"symmetric", market_symmetry::symmetric},
    {"skew-symmetric", market_symmetry::skew_symmetric},
    {"hermitian", market_symmetry::hermitian},
});
constexpr auto formats = std::to_array<named<bool>>({{"coordinate", false}, {"array", true}});

template<class E, std::size_t N>
E chosen(std::array<named<E>, N> const& known, std::string_view what, std::string_view token) {
    std::string expected;
    auto const wanted = lower_case(token);
    for (auto const& [name, value] : known) {
        if (name == wanted) return value;
        expected += (expected.empty() ? "" : ", ") + std::string(name);
    }
    throw line_error(1, "the " + std::string(what) + " is " + shown(token) + ", not one of " +
                            expected);
}

/// Goes through a text line by line.
class lines {
public:
    explicit lines(std::string_view text) noexcept : text_(text) {}

    bool next(std::string_view& line) noexcept {
        if (at_ >= text_.size()) return false;
        auto const end = std::min(text_.find('\n', at_), text_.size());
        line = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        ++number_;
        return true;
    }
    std::uint64_t number() const noexcept { return number_; }
    std::size_t at() const noexcept { return at_; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::uint64_t number_ = 0;
};

void read_banner(std::string_view line, market_header& header) {
    constexpr std::string_view start = "%%matrixmarket";
    if (lower_case(line.substr(0, start.size())) != start)
        throw line_error(1, "this is not a Matrix Market file: it does not begin with "
                            "%%MatrixMarket");
    auto const tokens = tokens_of(line);
    if (tokens.size() != 5 || tokens[0].size() != start.size())
        throw line_error(1, "the banner must read: %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
    if (lower_case(tokens[1]) != "matrix")
        throw line_error(1, "the file holds a " + shown(tokens[1]) + ", not a matrix");
    header.dense = chosen(formats, "format", tokens[2]);
    header.field = chosen(fields, "field", tokens[3]);
    header.symmetry = chosen(symmetries, "symmetry", tokens[4]);
    if (header.dense && header.field == market_field::pattern)
        throw line_error(1, "the array format has a value for every place, so its field cannot be "
                            "pattern");
    if (header.symmetry == market_symmetry::hermitian && header.field != market_field::complex)
        throw line_error(1, "only a complex matrix can be hermitian");
    if (header.symmetry == market_symmetry::skew_symmetric && header.field == market_field::pattern)
        throw line_error(1, "a pattern has no values to negate, so it cannot be skew-symmetric");
}

element_type type_in_comment(std::vector<std::string_view> const& tokens, std::uint64_t line) {
    std::string wanted;
    for (std::size_t i = 2; i < tokens.size(); ++i)
        wanted += (i == 2 ? "" : " ") + std::string(tokens[i]);
    bool const ours = tokens[0] == "%%Hurray";
    auto const type = ours ? element_type_named(wanted) : type_of_graphblas(wanted);
    if (!type)
        throw line_error(line, (ours ? "hurray" : "GraphBLAS") + std::string(" has no type ") +
                                   shown(wanted));
    return *type;
}

void read_comment(std::string_view line, std::uint64_t number, market_header& header) {
    auto const tokens = tokens_of(line);
    if (tokens.size() < 2 || tokens[1] != "type") return;
    if (tokens[0] != "%%GraphBLAS" && tokens[0] != "%%Hurray") return;
    header.type = type_in_comment(tokens, number);
}

std::uint64_t size_in(std::string_view token, std::uint64_t line) {
    std::uint64_t value = 0;
    auto const last = token.data() + token.size();
    auto const [at, failed] = std::from_chars(token.data(), last, value);
    if (at != last || failed == std::errc::invalid_argument)
        throw line_error(line, shown(token) + " is not a size");
    // The sizes of a matrix and its pointers, which are one more, must be numbers that fit.
    if (failed != std::errc{} || value > ~std::uint64_t{0} - 2)
        throw line_error(line, shown(token) + " is too large a size");
    return value;
}

std::uint64_t dense_entries(market_header const& header, std::uint64_t line) {
    __extension__ using wide = unsigned __int128;
    auto const n = wide{header.rows};
    auto const count = header.symmetry == market_symmetry::general ? n * header.columns
                       : header.symmetry == market_symmetry::skew_symmetric
                           ? n * (n == 0 ? 0 : n - 1) / 2
                           : n * (n + 1) / 2;
    if (count >> 63 != 0) throw line_error(line, "the array has too many values");
    return static_cast<std::uint64_t>(count);
}

void read_sizes(std::string_view line, std::uint64_t number, market_header& header) {
    auto const tokens = tokens_of(line);
    if (tokens.size() != (header.dense ? 2U : 3U))
        throw line_error(number, header.dense ? "expected the size line: ROWS COLUMNS"
                                              : "expected the size line: ROWS COLUMNS ENTRIES");
    header.rows = size_in(tokens[0], number);
    header.columns = size_in(tokens[1], number);
    if (header.symmetry != market_symmetry::general && header.rows != header.columns)
        throw line_error(number, "a matrix with a symmetry must have as many columns as rows");
    header.entries = header.dense ? dense_entries(header, number) : size_in(tokens[2], number);
}

/// Pieces of whole lines and about the same size.
std::vector<std::string_view> cut(std::string_view body, std::size_t count) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= count; ++i) {
        auto end = i == count ? body.size() : std::max(begin, body.size() / count * i);
        if (end != 0 && end < body.size())
            end = std::min(body.find('\n', end - 1), body.size() - 1) + 1;
        pieces.push_back(body.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

/// Each thread has a cursor per slice; together they must not outgrow the matrix.
std::size_t pieces_for(market_header const& header, std::size_t bytes, std::uint64_t slices,
                       unsigned threads) {
    if (header.dense) return 1;  // a value's place depends on all before it
    constexpr std::size_t least_bytes = std::size_t{1} << 18;
    constexpr std::uint64_t few_slices = std::uint64_t{1} << 20;
    auto const by_size = std::max<std::size_t>(1, bytes / least_bytes);
    auto const by_memory =
        std::max(std::uint64_t{bytes} / 16, few_slices) / std::max<std::uint64_t>(1, slices);
    return std::max<std::size_t>(
        1, std::min({std::size_t{threads}, by_size, static_cast<std::size_t>(by_memory)}));
}

void count_entries(market_header const& header, market_piece& piece, std::uint64_t slices,
                   axis major) {
    piece.cursors = huge_array<std::uint64_t>(slices);
    bool const mirrors = header.symmetry != market_symmetry::general;
    entry_reader reader(header, piece.text, piece.shown);
    auto const next = [&] {
        if (reader.next_plain_position()) return true;
        if (!reader.next()) return false;
        reader.skip_line();
        return true;
    };
    while (next()) {
        ++piece.entries;
        auto const row = reader.row(), column = reader.column();
        ++piece.cursors[major == axis::rows ? row : column];
        if (mirrors && row != column) ++piece.cursors[major == axis::rows ? column : row];
    }
    piece.lines = reader.line();
}

/// Throws line_error unless there are as many entries as the size line says.
void check_count(market_header const& header, std::vector<market_piece> const& pieces) {
    std::uint64_t left = header.entries;
    for (auto const& piece : pieces) {
        if (piece.entries <= left) {
            left -= piece.entries;
            continue;
        }
        entry_reader reader(header, piece.text);
        for (; reader.next() && left != 0; --left) reader.skip_line();
        throw line_error(piece.lines_before + reader.line(), "this is one entry more than the " +
                                                                 grouped(header.entries) +
                                                                 " that the size line announces");
    }
    if (left == 0) return;
    throw line_error(pieces.back().lines_before + pieces.back().lines,
                     "the file ends after " + grouped(header.entries - left) + " of " +
                         grouped(header.entries) + " entries");
}

void place_slices(market_plan& plan, std::uint64_t slices) {
    plan.offsets = huge_array<std::uint64_t>(slices + 1);
    std::uint64_t next = 0;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
        plan.offsets[slice] = next;
        for (auto& piece : plan.pieces) next += std::exchange(piece.cursors[slice], next);
    }
    plan.offsets[slices] = next;
}

}  // namespace

std::string_view name(market_field field) noexcept {
    for (auto const& [name, value] : fields)
        if (value == field) return name;
    return {};
}

market_field market_field_of(element_type type) noexcept {
    if (is_complex(type)) return market_field::complex;
    return is_floating(type) ? market_field::real : market_field::integer;
}

element_type market_header::natural_type() const noexcept {
    if (type) return *type;
    switch (field) {
    case market_field::real:
        return element_type::float64;
    case market_field::integer:
        return element_type::int64;
    case market_field::unsigned_integer:
        return element_type::uint64;
    case market_field::complex:
        return element_type::complex128;
    case market_field::pattern:
        break;
    }
    return element_type::uint8;
}

std::string market_type_line(element_type type, market_field field) {
    if (market_header{.field = field}.natural_type() == type) return {};
    if (auto const known = graphblas_name(type); !known.empty())
        return "%%GraphBLAS type " + std::string(known) + '\n';
    return "%%Hurray type " + std::string(hurray::name(type)) + '\n';
}

market_header read_market_header(std::string_view text) {
    market_header header;
    lines all(text);
    std::string_view line;
    if (!all.next(line)) throw line_error(1, "the file is empty");
    read_banner(line, header);
    while (all.next(line)) {
        auto const first = line.find_first_not_of(blanks);
        if (first == std::string_view::npos) continue;
        if (line[first] == '%') {
            read_comment(line, all.number(), header);
            continue;
        }
        read_sizes(line, all.number(), header);
        header.lines = all.number();
        header.body = all.at();
        return header;
    }
    throw line_error(all.number(), "the file ends before its size line");
}

void entry_reader::skip_line() noexcept {
    auto const left = static_cast<std::size_t>(end_ - at_);
    auto const end = left == 0 ? nullptr : std::memchr(at_, '\n', left);
    at_ = end == nullptr ? end_ : static_cast<char const*>(end) + 1;
}

void entry_reader::next_dense() {
    if (begun_) ++row_;
    if (!begun_ || row_ >= header_.rows) {
        if (begun_) ++column_;
        row_ = header_.symmetry == market_symmetry::general          ? 0
               : header_.symmetry == market_symmetry::skew_symmetric ? column_ + 1
                                                                     : column_;
    }
    begun_ = true;
    if (row_ >= header_.rows || column_ >= header_.columns)
        fail("this is one value more than the " + grouped(header_.entries) +
             " that the size line announces");
}

std::string_view entry_reader::next_token() noexcept {
    skip_blanks();
    auto const start = at_;
    while (!at_token_end(at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
}

void entry_reader::pause() const {
    stop_if_interrupted();
    if (shown_ != nullptr)
        shown_->update(static_cast<std::uint64_t>(at_ - begin_),
                       static_cast<std::uint64_t>(end_ - begin_));
}

void entry_reader::fail_at_index(char const* what, char const* start, std::uint64_t bound) {
    at_ = start;
    auto const token = next_token();
    if (token.empty()) fail("there is no " + std::string(what));
    if (token.find_first_not_of("0123456789") != std::string_view::npos)
        fail(shown(token) + " is not a " + what + " number");
    fail(std::string(what) + ' ' + std::string(token.substr(0, 40)) + " is outside 1 ... " +
         std::to_string(bound));
}

void entry_reader::fail_at_number(std::string_view token, flaw bad, element_type type) const {
    if (token.empty()) fail("there is no value");
    auto const type_name = std::string(hurray::name(type));
    if (bad == flaw::outside_the_type) fail(shown(token) + " is outside " + type_name);
    if (bad == flaw::not_whole)
        fail(shown(token) + " is not a whole number, which " + type_name + " needs");
    fail(shown(token) + " is not a number");
}

void entry_reader::fail_at_rest() {
    auto const token = next_token();
    fail(shown(token) + " follows the entry; a line holds one entry of field " +
         std::string(name(header_.field)));
}

void for_each_piece(std::vector<market_piece>& pieces, void (*work)(void*, market_piece&),
                    void* context) {
    in_threads(pieces.size(), [&](std::size_t i) {
        try {
            work(context, pieces[i]);
        } catch (line_error const& e) {
            throw line_error(pieces[i].lines_before + e.line(), e.what());
        }
    });
}

std::optional<axis> order_of_market(market_header const& header, std::string_view text,
                                    axis preferred) {
    if (header.dense) return axis::columns;
    if (header.symmetry != market_symmetry::general) return std::nullopt;
    constexpr std::size_t places = 8, bytes = 16384;
    std::uint64_t by_rows = 0, by_columns = 0, all = 0;
    for (auto const& piece : cut(text.substr(header.body), places)) {
        try {
            entry_reader reader(header, piece.substr(0, bytes));
            std::uint64_t row = 0, column = 0;
            for (; reader.next(); reader.skip_line()) {
                ++all;
                by_rows += reader.row() >= row ? 1U : 0U;
                by_columns += reader.column() >= column ? 1U : 0U;
                row = reader.row();
                column = reader.column();
            }
        } catch (line_error const&) {  // the piece ends in the middle of a line, or is wrong
        }
    }
    auto const enough = all - all / 16;
    if (by_rows >= enough && by_columns >= enough) return preferred;
    if (by_rows >= enough) return axis::rows;
    if (by_columns >= enough) return axis::columns;
    return std::nullopt;
}

std::vector<std::string_view> stretches_of(market_header const& header, std::string_view text,
                                           std::size_t bytes) {
    auto const body = text.substr(header.body);
    return cut(body, body.size() / bytes + 1);
}

market_plan plan_market(market_header const& header, std::string_view text, axis major,
                        unsigned threads, progress& shown) {
    auto const body = text.substr(header.body);
    auto const slices = major == axis::rows ? header.rows : header.columns;
    market_plan plan;
    for (auto const piece : cut(body, pieces_for(header, body.size(), slices, threads)))
        plan.pieces.push_back({.text = piece});
    plan.pieces.front().shown = &shown;

    std::vector<std::optional<line_error>> failures(plan.pieces.size());
    in_threads(plan.pieces.size(), [&](std::size_t i) {
        try {
            count_entries(header, plan.pieces[i], slices, major);
        } catch (line_error const& e) {
            failures[i] = e;
        }
    });
    std::uint64_t line = header.lines;
    for (std::size_t i = 0; i < plan.pieces.size(); ++i) {
        if (failures[i]) throw line_error(line + failures[i]->line(), failures[i]->what());
        plan.pieces[i].lines_before = line;
        line += plan.pieces[i].lines;
    }
    check_count(header, plan.pieces);
    plan.pieces.front().shown = nullptr;
    place_slices(plan, slices);
    return plan;
}

repeated_lines find_repeated(market_header const& header, std::string_view text, std::uint64_t row,
                             std::uint64_t column) {
    repeated_lines found;
    bool const mirrors = header.symmetry != market_symmetry::general;
    entry_reader reader(header, text.substr(header.body));
    for (; reader.next(); reader.skip_line()) {
        bool const here = (reader.row() == row && reader.column() == column) ||
                          (mirrors && reader.row() == column && reader.column() == row);
        if (!here) continue;
        auto const line = header.lines + reader.line();
        if (found.before != 0) return {line, found.before};
        found.before = line;
    }
    return found;
}

}  // namespace hurray::tool
