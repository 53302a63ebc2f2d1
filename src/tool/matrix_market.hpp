#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/compressed_view.hpp>
#include <hurray/element.hpp>

#include "huge_array.hpp"
#include "number_text.hpp"
#include "progress.hpp"
#include "quick_number.hpp"

// Matrix Market files: what they announce, and their entries one after the other.

namespace hurray::tool {

/// What is wrong, and in which line, the first of which is 1.
class line_error : public std::runtime_error {
public:
    line_error(std::uint64_t line, std::string const& reason)
        : std::runtime_error(reason), line_(line) {}
    std::uint64_t line() const noexcept { return line_; }

private:
    std::uint64_t line_;
};

enum class market_field : std::uint8_t { real, integer, unsigned_integer, complex, pattern };
enum class market_symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

/// What stands before the entries.
struct market_header {
    bool dense = false;  ///< the array format: every value, column by column
    market_field field{};
    market_symmetry symmetry{};
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t entries = 0;           ///< lines with an entry; mirrored ones have none
    std::optional<element_type> type{};  ///< named by a %%GraphBLAS or %%Hurray line
    std::uint64_t lines = 0;             ///< before the first entry
    std::size_t body = 0;                ///< the byte where the entries begin

    /// The element type of the file when nobody asks for another.
    element_type natural_type() const noexcept;
};

/// Reads the banner, the comments and the size line. Throws line_error.
market_header read_market_header(std::string_view text);

/// The comment line that names the type in a file of ours, if one is needed: "" or "%%...\n".
std::string market_type_line(element_type type, market_field field);
/// The field under which elements of the type are exported.
market_field market_field_of(element_type type) noexcept;
std::string_view name(market_field field) noexcept;

/// Walks the entries in a piece of a file that consists of whole lines. Throws line_error, whose
/// lines are counted from the piece's first.
class entry_reader {
public:
    entry_reader(market_header const& header, std::string_view piece,
                 progress* shown = nullptr) noexcept
        : header_(header), plain_lines_(!header.dense), begin_(piece.data()), at_(begin_),
          end_(begin_ + piece.size()), shown_(shown) {}

    /// Goes to the next entry, whose position is then known; false at the end.
    bool next() {
        if (!find_line()) return false;
        if (header_.dense) return next_dense(), true;
        row_ = index("row", header_.rows);
        column_ = index("column", header_.columns);
        return true;
    }
    /// The same, with the entry's value and the end of its line, for lines that look as nearly all
    /// do. False where this one does not; then nothing was read.
    template<element T> bool next_plain(T& value) noexcept {
        if constexpr (quick::number<T>) {
            if (!plain_lines_ || header_.field == market_field::complex) return false;
            auto at = plain_position();
            if (at == nullptr) return false;
            if (header_.field == market_field::pattern)
                value = 1;
            else if (*at != ' ' || (at = quick::read(at + 1, value)) == nullptr)
                return false;
            return end_plain(at);
        }
        return false;
    }
    /// The same without the value.
    bool next_plain_position() noexcept {
        if (!plain_lines_) return false;
        auto const at = plain_position();
        if (at == nullptr) return false;
        ++line_;
        at_ = at;
        skip_line();
        return true;
    }
    std::uint64_t row() const noexcept { return row_; }
    std::uint64_t column() const noexcept { return column_; }
    /// Lines begun so far.
    std::uint64_t line() const noexcept { return line_; }

    /// The entry's value.
    template<element T> T value() {
        if (header_.field == market_field::pattern) return one<T>();
        if constexpr (complex_number<T>) {
            using part = typename T::value_type;
            auto const real = number_here<part>();
            return {real, header_.field == market_field::complex ? number_here<part>() : part{}};
        } else {
            auto const real = number_here<T>();
            if (header_.field == market_field::complex && number_here<double>() != 0)
                fail("a complex value is outside " + std::string(name(element_type_of<T>)));
            return real;
        }
    }

    /// Leaves the line unread.
    void skip_line() noexcept;
    /// Checks that nothing else follows in the line.
    void end_line() {
        skip_blanks();
        if (at_ != end_ && *at_ != '\n') fail_at_rest();
        if (at_ != end_) ++at_;
    }

    [[noreturn]] void fail(std::string const& reason) const { throw line_error(line_, reason); }

private:
    static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
    void skip_blanks() noexcept {
        while (at_ != end_ && is_blank(*at_)) ++at_;
    }
    bool at_token_end(char const* at) const noexcept {
        return at == end_ || *at == '\n' || is_blank(*at);
    }

    /// The end of ROW COLUMN, which begin the line; null if it looks otherwise, or is one of those
    /// at which to pause.
    char const* plain_position() noexcept {
        if (end_ - at_ < quick::margin || (line_ & pauses) == 0) return nullptr;
        auto at = at_;
        std::uint64_t row = 0, column = 0;
        auto const row_digits = quick::take_digits(at, row);
        if (*at++ != ' ') return nullptr;
        auto const column_digits = quick::take_digits(at, column);
        if (row_digits > 19 || row - 1 >= header_.rows || column_digits > 19 ||
            column - 1 >= header_.columns)
            return nullptr;
        row_ = row - 1;
        column_ = column - 1;
        return at;
    }
    bool end_plain(char const* at) noexcept {
        if (*at != '\n') return false;
        ++line_;
        at_ = at + 1;
        return true;
    }

    /// Skips blank lines and comments.
    bool find_line() {
        while (at_ != end_) {
            if ((line_++ & pauses) == 0) pause();
            skip_blanks();
            if (at_ != end_ && *at_ != '\n' && *at_ != '%') return true;
            skip_line();
        }
        return false;
    }

    std::uint64_t index(char const* what, std::uint64_t bound) {
        skip_blanks();
        auto const start = at_;
        std::uint64_t value = 0;
        while (at_ != end_ && static_cast<unsigned char>(*at_ - '0') < 10 && at_ - start < 19)
            value = value * 10 + static_cast<unsigned char>(*at_++ - '0');
        if (at_ == start || !at_token_end(at_) || value - 1 >= bound)
            fail_at_index(what, start, bound);
        return value - 1;
    }

    template<element T> static T one() {
        T value{};
        from_double(1.0, value);
        return value;
    }

    template<element T> T number_here() {
        skip_blanks();
        T value{};
        if (read_plainly(value)) return value;
        auto const token = next_token();
        if (auto const bad = read_number(token, value); bad != flaw::none)
            fail_at_number(token, bad, element_type_of<T>);
        return value;
    }
    /// The quick way, for what nearly all numbers look like.
    template<element T> bool read_plainly(T& value) {
        if constexpr ((std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>) {
            auto const [at, failed] = std::from_chars(at_, end_, value);
            if (failed != std::errc{} || !at_token_end(at)) return false;
            if constexpr (std::floating_point<T>)
                if (!std::isfinite(value)) return false;
            at_ = at;
            return true;
        }
        return false;
    }

    void next_dense();
    std::string_view next_token() noexcept;
    /// Hears Ctrl-C and tells how far it is.
    void pause() const;
    [[noreturn]] void fail_at_index(char const* what, char const* start, std::uint64_t bound);
    [[noreturn]] void fail_at_number(std::string_view token, flaw bad, element_type type) const;
    [[noreturn]] void fail_at_rest();

    static constexpr std::uint64_t pauses = 0xFFFF;  ///< where line & pauses is 0

    market_header const& header_;
    bool plain_lines_;
    char const* begin_;
    char const* at_;
    char const* end_;
    progress* shown_;
    std::uint64_t line_ = 0;
    std::uint64_t row_ = 0;
    std::uint64_t column_ = 0;
    bool begun_ = false;
};

/// A piece of a file that one thread reads, and where its entries go.
struct market_piece {
    std::string_view text;
    std::uint64_t lines_before = 0;
    std::uint64_t lines = 0;
    std::uint64_t entries = 0;
    huge_array<std::uint64_t> cursors{};  ///< per slice, the place of its next entry
    progress* shown = nullptr;            ///< of the first piece, which is read by the main thread
};

/// How many entries each slice will have, and who places them. Mirrored entries are counted.
struct market_plan {
    huge_array<std::uint64_t> offsets{};
    std::vector<market_piece> pieces{};
};

/// The dimension along which the entries of the file are sorted, judged by some of them; nothing
/// if along neither, `preferred` if along both. To compress along this one takes no jumps through
/// memory.
std::optional<axis> order_of_market(market_header const& header, std::string_view text,
                                    axis preferred);

/// All lines after the header, in stretches of about so many bytes.
std::vector<std::string_view> stretches_of(market_header const& header, std::string_view text,
                                           std::size_t bytes);

/// The first of two passes: reads every position, in `threads` threads, and no value.
/// Throws line_error.
market_plan plan_market(market_header const& header, std::string_view text, axis major,
                        unsigned threads, progress& shown);

/// Two lines that give the same position, the later one first.
struct repeated_lines {
    std::uint64_t line = 0;
    std::uint64_t before = 0;
};
repeated_lines find_repeated(market_header const& header, std::string_view text, std::uint64_t row,
                             std::uint64_t column);

/// Calls work(piece) for each piece in its own thread; the lines of a line_error are those of the
/// file afterwards.
void for_each_piece(std::vector<market_piece>& pieces, void (*work)(void*, market_piece&),
                    void* context);
template<class Work> void for_each_piece(std::vector<market_piece>& pieces, Work work) {
    for_each_piece(
        pieces, [](void* context, market_piece& piece) { (*static_cast<Work*>(context))(piece); },
        &work);
}

}  // namespace hurray::tool
