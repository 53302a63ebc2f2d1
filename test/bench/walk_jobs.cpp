#include "jobs.hpp"

namespace bench {
namespace {

// What is done with each entry: little, so that the walking shows.

/// Over a view. Not inlined, as the loop of a program over a view that it was given.
[[gnu::noinline]] void walk(hurray::csr_view<double> const& a, double* out) {
    for (std::uint64_t i = 0; i < a.major(); ++i) {
        double sum = 0;
        std::uint64_t all = 0;
        for (auto const [column, value] : a.row(i)) {
            sum += value;
            all ^= column;
        }
        out[i] = sum + static_cast<double>(all);
    }
}

[[gnu::noinline]] void walk_lazily(hurray::lazy_csr_view<double> const& a, double* out) {
    for (std::uint64_t i = 0; i < a.major(); ++i) {
        double sum = 0;
        std::uint64_t all = 0;
        auto const row = a.row(i);
        if (!row) std::abort();
        for (auto const [column, value] : *row) {
            sum += value;
            all ^= column;
        }
        out[i] = sum + static_cast<double>(all);
    }
}

[[gnu::noinline]] void walk_raw(seen const& a, double* out) {
    for (std::uint64_t i = 0; i < a.rows; ++i) {
        double sum = 0;
        std::uint64_t all = 0;
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            sum += a.values[k];
            all ^= a.indices[k];
        }
        out[i] = sum + static_cast<double>(all);
    }
}

/// The least that a lazy row owes: its bounds and the order of its indices, then the walk.
[[gnu::noinline]] void check_and_walk_raw(seen const& a, double* out) {
    for (std::uint64_t i = 0; i < a.rows; ++i) {
        double sum = 0;
        std::uint64_t all = 0;
        auto const first = a.offsets[i];
        auto const last = a.offsets[i + 1];
        if (last < first || last > a.nnz) std::abort();
        for (auto k = first; k < last; ++k)
            if (a.indices[k] >= a.columns || (k != first && a.indices[k] <= a.indices[k - 1]))
                std::abort();
        for (auto k = first; k < last; ++k) {
            sum += a.values[k];
            all ^= a.indices[k];
        }
        out[i] = sum + static_cast<double>(all);
    }
}

[[gnu::noinline]] void multiply(hurray::csr_view<double> const& a, double const* x, double* y) {
    for (std::uint64_t i = 0; i < a.major(); ++i) {
        double sum = 0;
        for (auto const [column, value] : a.row(i)) sum += value * x[column];
        y[i] = sum;
    }
}

void walk(context& c, std::uint64_t rows, std::uint64_t length, unsigned times) {
    auto const a = with_values(rows, 1'000'000, rows * length, false);
    auto const view = view_of(a);
    hurray::lazy_csr_view<double> const lazy = view;
    auto const raw = look_at(a);
    std::vector<double> out(rows);
    auto const as = [&](auto const& walker, auto const& over) -> runner {
        return [&, times] { return repeated(times, [&] { walker(over, out.data()), keep(out); }); };
    };
    using verified_walk = void (*)(hurray::csr_view<double> const&, double*);
    verified_walk const by_view = walk;
    side us{"ours", as(by_view, view)};
    side us_lazy{"ours", as(walk_lazily, lazy)};
    side pointers{"raw pointers", as(walk_raw, raw)};
    side checked{"raw check and walk", as(check_and_walk_raw, raw)};
    alternate({&us, &pointers, &us_lazy, &checked}, c.of(25));
    auto const what = std::to_string(rows) + " rows of " + std::to_string(length);
    c.results.add("walk all rows of a csr_view, " + what, us, &pointers, {}, {1.03, true});
    c.results.add("walk all rows lazily, " + what, us_lazy, &checked, {}, {1.25, true});
}

}  // namespace

void walk_jobs(context& c) {
    walk(c, c.scaled(2'000'000), 10, 1);
    walk(c, c.scaled(200'000), 100, 1);
    walk(c, 4000, 10, c.divisor == 1 ? 500 : 5);  // in the cache
    walk(c, 400, 100, c.divisor == 1 ? 500 : 5);
}

void multiply_jobs(context& c) {
    auto const path = c.file("multiply.hrry");
    write_file(path, view_of(with_values(c.scaled(5'000'000), c.scaled(5'000'000),
                                         c.scaled(50'000'000), false)));
    auto const file = hurray::file::open(path, {.access = hurray::access::populate}).value();
    auto const view = file.csr<double>("a").value();
    std::vector<double> const x(view.minor(), 0.5);
    std::vector<double> y(view.major());
    seen const raw{view.major(),          view.minor(),          view.nnz(),
                   view.offsets().data(), view.indices().data(), view.values().data()};
    side us{"ours",
            [&] { return seconds_of([&] { multiply(view, x.data(), y.data()), keep(y); }); }};
    side eigen{"Eigen", c.if_peers(eigen_multiply(raw, x.data(), y.data()))};
    alternate({&us, &eigen}, c.of(15));
    c.results.add("SpMV over a mapped csr_view, " + std::to_string(view.nnz()) + " nnz", us,
                  nullptr, {&eigen}, {1.0});
    std::filesystem::remove(path);
}

}  // namespace bench
