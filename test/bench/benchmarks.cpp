// The library alone, for those who follow one number over time.

#include <benchmark/benchmark.h>

#include <cstdlib>

#include <hurray/hurray.hpp>
#include <hurray/transpose.hpp>

#include "matrices.hpp"

namespace {

constexpr std::uint64_t entries = 1'000'000;

/// Entries in rows of the length asked for.
bench::arrays const& matrix(std::int64_t row_length) {
    static auto const tens = bench::with_values(entries / 10, entries, entries, false);
    static auto const thousands = bench::with_values(entries / 1000, entries, entries, false);
    return row_length == 10 ? tens : thousands;
}

template<class View> View view_of(bench::arrays const& a) {
    return View::over({a.rows, a.columns}, a.offsets, a.indices, a.values).value();
}
using verified = hurray::csr_view<double>;
using lazy = hurray::lazy_csr_view<double>;

void count_entries(benchmark::State& state) {
    state.SetItemsProcessed(static_cast<std::int64_t>(entries) * state.iterations());
}

void verify(benchmark::State& state) {
    auto const view = view_of<lazy>(matrix(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(view.verify().value());
    count_entries(state);
}
BENCHMARK(verify)->Arg(10)->Arg(1000);

template<class View> void walk(benchmark::State& state) {
    auto const view = view_of<View>(matrix(state.range(0)));
    for (auto _ : state) {
        double sum = 0;
        for (std::uint64_t i = 0; i < view.major(); ++i) {
            auto const row = view.row(i);
            if constexpr (std::is_same_v<View, lazy>)
                for (auto const [column, value] : row.value()) sum += value;
            else
                for (auto const [column, value] : row) sum += value;
        }
        benchmark::DoNotOptimize(sum);
    }
    count_entries(state);
}
BENCHMARK(walk<verified>)->Arg(10)->Arg(1000);
BENCHMARK(walk<lazy>)->Arg(10)->Arg(1000);

void transpose(benchmark::State& state) {
    auto const view = view_of<verified>(matrix(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(hurray::transpose(view).value());
    count_entries(state);
}
BENCHMARK(transpose)->Arg(10)->Arg(1000);

void write(benchmark::State& state) {
    auto const view = view_of<verified>(matrix(state.range(0)));
    for (auto _ : state) {
        std::uint64_t bytes = 0;
        auto out = hurray::writer::onto([&](std::span<std::byte const> piece) {
                       bytes += piece.size();
                       return std::error_code();
                   }).value();
        out.write("a", view).value();
        out.close().value();
        benchmark::DoNotOptimize(bytes);
    }
    count_entries(state);
}
BENCHMARK(write)->Arg(10)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
