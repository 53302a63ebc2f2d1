// Write a matrix that does not fit in memory, row by row, and add up what is on disk.

#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

int main() {
    constexpr std::uint64_t rows = 200'000, columns = 1'000'000, per_row = 20;

    // How many rows and entries will come need not be known; what must wait goes to disk, not to
    // memory.
    auto out =
        hurray::writer::create("large.hrry", {.durability = hurray::durability::none}).value();
    auto matrix = out.append_csr<double>("large", columns).value();
    std::vector<std::uint64_t> indices(per_row);
    std::vector<double> values(per_row);
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t k = 0; k < per_row; ++k) {
            indices[k] = k * (columns / per_row) + i % 1000;
            values[k] = static_cast<double>(k % 2);
        }
        matrix.append(indices, values).value();  // a row that breaks an invariant is refused here
    }
    matrix.close().value();
    out.close().value();  // only now does large.hrry exist

    // Reading takes no memory either: rows are seen where they lie in the mapped file.
    auto const file =
        hurray::file::open("large.hrry", {.access = hurray::access::sequential}).value();
    auto const large = file.csr<double>("large").value();  // all of it was checked
    double sum = 0;
    for (std::uint64_t i = 0; i < large.shape().rows; ++i)
        for (auto const value : large.row(i).values()) sum += value;
    std::cout << large.nnz() << " entries in " << file.size() / 1'000'000 << " MB, their sum is "
              << sum << '\n';
}
