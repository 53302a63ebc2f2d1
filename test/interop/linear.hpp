#pragma once

// What the tests of other libraries compare them with: the same problems, solved by walking views.

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/assemble.hpp>
#include <hurray/file.hpp>
#include <hurray/writer.hpp>

#include "bytes.hpp"

namespace interop_test {

using vector = std::vector<double>;

/// The Laplacian of a square grid of n x n points: symmetric, positive definite.
inline hurray::csr_matrix<double> poisson(std::uint64_t n) {
    std::vector<std::uint64_t> rows, columns;
    vector values;
    auto const put = [&](std::uint64_t row, std::uint64_t column, double value) {
        rows.push_back(row), columns.push_back(column), values.push_back(value);
    };
    for (std::uint64_t y = 0; y < n; ++y)
        for (std::uint64_t x = 0; x < n; ++x) {
            auto const at = y * n + x;
            put(at, at, 4);
            if (x > 0) put(at, at - 1, -1);
            if (x + 1 < n) put(at, at + 1, -1);
            if (y > 0) put(at, at - n, -1);
            if (y + 1 < n) put(at, at + n, -1);
        }
    return hurray::assemble<double>({.rows = n * n, .columns = n * n}, rows, columns, values)
        .value();
}

/// A matrix of Matrix Market's collection, both halves, 1 where it has no values; nothing, and a
/// word about it, where there is no such file.
inline std::optional<hurray::csr_matrix<double>> market(std::string_view name) {
    auto path = std::filesystem::path(HURRAY_TEST_DATA) / name;
    if (!std::filesystem::exists(path))
        path = std::filesystem::path(HURRAY_SHARED) / "matrices" / name;
    std::ifstream in(path);
    if (!in) {
        BOOST_TEST_MESSAGE("not tried: there is no ../shared/matrices/" << name);
        return std::nullopt;
    }
    std::string line;
    std::getline(in, line);
    bool const symmetric = line.find("symmetric") != std::string::npos;
    bool const valued = line.find("pattern") == std::string::npos;
    BOOST_REQUIRE((symmetric || line.find("general") != std::string::npos));
    BOOST_REQUIRE(line.find("complex") == std::string::npos);
    BOOST_REQUIRE(line.find("skew") == std::string::npos);
    while (in.peek() == '%') std::getline(in, line);
    std::uint64_t height = 0, width = 0, count = 0, row = 0, column = 0;
    in >> height >> width >> count;
    std::vector<std::uint64_t> rows, columns;
    vector values;
    for (double value = 1; in >> row >> column && (!valued || in >> value);) {
        rows.push_back(row - 1), columns.push_back(column - 1), values.push_back(value);
        if (!symmetric || row == column) continue;
        rows.push_back(column - 1), columns.push_back(row - 1), values.push_back(value);
    }
    BOOST_REQUIRE(rows.size() >= count);
    return hurray::assemble<double>({.rows = height, .columns = width}, rows, columns, values)
        .value();
}

/// The matrix written to a file and opened again, so that what is solved lies in a mapping.
class on_disk {
public:
    explicit on_disk(hurray::csr_view<double> view) {
        auto out = hurray::writer::create(folder_ / "a.hrry", {.durability = {}}).value();
        out.write("A", view).value();
        out.close().value();
        file_ = hurray::file::open(folder_ / "a.hrry").value();
    }
    hurray::csr_view<double> rows() const { return file_->csr<double>("A").value(); }

private:
    hurray_test::temporary_directory folder_;
    std::optional<hurray::file> file_;
};

inline double dot(vector const& a, vector const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline vector times(hurray::csr_view<double> const& a, vector const& x) {
    vector y(a.shape().rows);
    for (std::uint64_t i = 0; i < y.size(); ++i)
        for (auto const [column, value] : a.row(i)) y[i] += value * x[column];
    return y;
}

/// |b - A x| / |b|
inline double residual(hurray::csr_view<double> const& a, vector const& x, vector const& b) {
    auto r = times(a, x);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
    return std::sqrt(dot(r, r) / dot(b, b));
}

/// |x - y| / |y|
inline double distance(vector const& x, vector const& y) {
    BOOST_REQUIRE(x.size() == y.size());
    auto d = x;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= y[i];
    return std::sqrt(dot(d, d) / dot(y, y));
}

struct solution {
    vector x;
    int iterations = 0;
};

/// Conjugate gradient with the diagonal as preconditioner, by walking rows.
inline solution conjugate_gradient(hurray::csr_view<double> const& a, vector const& b,
                                   double tolerance, int most) {
    auto const n = b.size();
    vector x(n), r = b, z(n), p(n), diagonal(n);
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = a.value(i, i);
    auto const precondition = [&] {
        for (std::size_t i = 0; i < n; ++i) z[i] = r[i] / diagonal[i];
    };
    precondition();
    p = z;
    auto rz = dot(r, z);
    auto const enough = tolerance * tolerance * dot(b, b);
    for (int k = 1; k <= most; ++k) {
        auto const ap = times(a, p);
        auto const alpha = rz / dot(p, ap);
        for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * ap[i];
        if (dot(r, r) <= enough) return {x, k};
        precondition();
        auto const beta = dot(r, z) / rz;
        rz = dot(r, z);
        for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    }
    return {x, most};
}

/// A right side whose solution is 1, 2, 3, 1, 2, 3, ...
inline vector known_solution(std::size_t n) {
    vector x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 3 + 1);
    return x;
}

}  // namespace interop_test
