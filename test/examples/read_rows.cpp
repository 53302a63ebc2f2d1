// Open a file, look at what is in it, read a few rows.

#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

int main() {
    // Something to read: three rows of a graph with four vertices.
    std::vector<std::uint64_t> const offsets{0, 2, 2, 5}, columns{1, 3, 0, 1, 2};
    std::vector<double> const weights{0.5, 0.25, 4, 2, 8};
    auto const graph =
        hurray::csr_view<double>::over({.rows = 3, .columns = 4}, offsets, columns, weights)
            .value();
    auto out = hurray::writer::create("graph.hrry", {.metadata = {{"source", "survey 7"}}}).value();
    out.write("edges", graph).value();
    out.close().value();

    // Opening reads metadata only, however large the matrices are.
    auto const file = hurray::file::open("graph.hrry", {.access = hurray::access::random}).value();
    for (auto const& entry : file.tensors()) std::cout << entry.name << '\n';

    // Lazy: each row is checked when it is taken, and no other is touched.
    auto const edges = file.csr<double>("edges", hurray::lazy).value();
    for (std::uint64_t i = 0; i < edges.shape().rows; ++i) {
        std::cout << "row " << i << ':';
        for (auto const [column, weight] : edges.row(i).value())
            std::cout << ' ' << column << '=' << weight;
        std::cout << '\n';
    }

    // One element: nothing stored there is not the same as a zero that is stored.
    std::cout << "(2, 1) " << (edges.find(2, 1).value() ? "is stored" : "is not stored") << '\n';
    std::cout << "(1, 0) " << (edges.find(1, 0).value() ? "is stored" : "is not stored") << '\n';
}
