// The input is a Matrix Market text. It gives a line that is wrong, or the same matrix by rows and
// by columns.

#include "market.hpp"

using namespace hurray;

template<class T> static void read(tool::market_header const& header, std::string_view text) {
    auto const by_rows = fuzz::read_market<T>(header, text, axis::rows);
    auto const by_columns = fuzz::read_market<T>(header, text, axis::columns);
    fuzz::require(by_rows.has_value() == by_columns.has_value(), "both layouts or neither");
    if (!by_rows) return;
    fuzz::require(fuzz::holds(*by_rows, header, axis::rows), "CSR keeps the invariants");
    fuzz::require(fuzz::holds(*by_columns, header, axis::columns), "CSC keeps the invariants");
    fuzz::require(fuzz::same(fuzz::entries_of(*by_rows, axis::rows),
                             fuzz::entries_of(*by_columns, axis::columns)),
                  "both layouts have the same entries");
}

static void read(std::string_view text) {
    auto const header = tool::read_market_header(text);
    fuzz::require(header.body <= text.size(), "the entries begin inside the text");
    if (std::max(header.rows, header.columns) > fuzz::most_slices) return;
    visit_element_type(header.natural_type(),
                       [&]<class T>(std::type_identity<T>) { read<T>(header, text); });
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text = fuzz::text_of(fuzz::bytes_at(data, size));
    auto const lines = 1 + std::count(text.begin(), text.end(), '\n');
    try {
        read(text);
    } catch (tool::line_error const& e) {
        fuzz::require(e.line() <= static_cast<std::uint64_t>(lines), "the line exists");
    }
    return 0;
}
