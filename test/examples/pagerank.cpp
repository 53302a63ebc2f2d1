// PageRank of a graph, straight from a mapped file.

#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>

int main() {
    // An entry at (i, j): page i links to page j. Coordinates may come in any order.
    std::vector<std::uint64_t> const from{0, 0, 1, 2, 3, 3, 4, 4}, to{1, 2, 2, 0, 2, 4, 3, 2};
    std::vector<float> const ones(from.size(), 1);
    auto const links = hurray::assemble<float>({.rows = 5, .columns = 5}, from, to, ones).value();
    auto out = hurray::writer::create("links.hrry").value();
    out.write("links", links.view()).value();
    out.close().value();

    auto const file = hurray::file::open("links.hrry").value();
    // Who links to whom is all that matters: the values are never read.
    auto const graph = file.csr<hurray::pattern>("links").value();
    auto const pages = graph.shape().rows;
    std::vector<double> rank(pages, 1.0 / static_cast<double>(pages)), next(pages);
    double change = 1;
    int rounds = 0;
    for (; change > 1e-10; ++rounds) {
        double lost = 0;  // what pages without links would keep to themselves
        next.assign(pages, 0);
        for (std::uint64_t i = 0; i < pages; ++i) {
            auto const row = graph.row(i);
            if (row.empty()) lost += rank[i];
            for (auto const [j] : row) next[j] += rank[i] / static_cast<double>(row.size());
        }
        change = 0;
        for (std::uint64_t i = 0; i < pages; ++i) {
            next[i] = (0.15 + 0.85 * lost) / static_cast<double>(pages) + 0.85 * next[i];
            change += std::abs(next[i] - rank[i]);
        }
        rank.swap(next);
    }
    for (std::uint64_t i = 0; i < pages; ++i)
        std::cout << "page " << i << ": " << std::round(rank[i] * 1e4) / 1e4 << '\n';
    std::cout << rounds << " rounds\n";
}
