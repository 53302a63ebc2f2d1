// Turn rows into columns without having the matrix in memory.

#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

int main() {
    // Rows of 10 entries each, the columns of which jump about.
    constexpr std::uint64_t rows = 100'000, columns = 50'000, per_row = 10;
    auto out =
        hurray::writer::create("by_rows.hrry", {.durability = hurray::durability::none}).value();
    auto matrix =
        out.append_csr<float>("A", {.rows = rows, .columns = columns}, rows * per_row).value();
    std::vector<std::uint64_t> indices(per_row);
    std::vector<float> values(per_row);
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t k = 0; k < per_row; ++k) {
            indices[k] = k * (columns / per_row) + i * 7919 % (columns / per_row);
            values[k] = static_cast<float>(i);
        }
        matrix.append(indices, values).value();
    }
    matrix.close().value();
    out.close().value();

    // 2 MiB of memory for 12 MB of entries: what does not fit waits on disk beside the target.
    auto const file = hurray::file::open("by_rows.hrry").value();
    auto const by_rows = file.csr<float>("A").value();
    auto other =
        hurray::writer::create("by_columns.hrry", {.durability = hurray::durability::none}).value();
    hurray::transpose(by_rows, other, "A", {.memory = 2 << 20}).value();
    other.close().value();

    // Now a column is contiguous, and reading it is one jump.
    auto const turned = hurray::file::open("by_columns.hrry").value();
    auto const by_columns = turned.csc<float>("A", hurray::lazy).value();
    auto const column = by_columns.column(12'345).value();
    std::cout << "column 12345: " << column.size() << " entries, the first in rows";
    for (std::uint64_t k = 0; k < 3; ++k) std::cout << ' ' << column[k].index;
    std::cout << '\n';
    for (auto const [row, value] : column)
        if (by_rows.value(row, 12'345) != value) return std::cout << "wrong\n", 1;
}
