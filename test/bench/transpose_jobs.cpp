#include "jobs.hpp"
#include "memory.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include <hurray/transpose.hpp>

namespace bench {
namespace {

void transpose_alike(context& c, std::string const& kind, bool power_law) {
    auto const a =
        with_values(c.scaled(5'000'000), c.scaled(5'000'000), c.scaled(50'000'000), power_law);
    auto const view = view_of(a);
    auto const raw = look_at(a);
    auto const ours = [&](unsigned threads) -> runner {
        return [&view, threads] {
            std::optional<hurray::csc_matrix<double>> made;
            return seconds_of(
                [&] { made.emplace(hurray::transpose(view, {.threads = threads}).value()); });
        };
    };
    side one{"ours", ours(1)}, two{"ours", ours(2)};
    side eigen{"Eigen", c.if_peers(eigen_transpose(raw))};
    side scipy{"SciPy", c.if_peers(c.python.transpose(raw, c.file("scipy")))};
    side blas_one{"GraphBLAS", c.if_peers(graphblas_transpose(raw, 1))};
    side blas_two{"GraphBLAS", c.if_peers(graphblas_transpose(raw, 2))};
    auto how = c.of(5, false);
    how.seconds *= 5;
    alternate({&one, &two, &eigen, &scipy, &blas_one, &blas_two}, how);
    auto const what = "CSR to CSC, " + std::to_string(view.nnz()) + " nnz, " + kind;
    c.results.add(what + ", 1 thread", one, nullptr, {&eigen, &scipy, &blas_one}, {4.0});
    // With two threads, the best of the others may still be one that uses one.
    c.results.add(what + ", 2 threads", two, nullptr, {&eigen, &scipy, &blas_two}, {7.0});
    c.python.forget();
}

struct outcome {
    double seconds = 0;
    double bytes = 0;
};

outcome in_a_process(context const& c, std::filesystem::path const& from,
                     std::filesystem::path const& to, std::uint64_t budget) {
    auto const command = c.self.string() + " --transpose-file '" + from.string() + "' '" +
                         to.string() + "' " + std::to_string(budget) + " 1";
    auto* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start a process");
    outcome got;
    auto const read = std::fscanf(pipe, "%lf %lf", &got.seconds, &got.bytes);
    if (::pclose(pipe) != 0 || read != 2) throw std::runtime_error("transposing a file failed");
    std::filesystem::remove(to);
    return got;
}

}  // namespace

int transpose_in_this_process(std::filesystem::path const& from, std::filesystem::path const& to,
                              std::uint64_t budget, unsigned threads) {
    auto const file = hurray::file::open(from).value();
    auto const view = file.csr<double>("a").value();
    memory_watch watch("self");
    auto const spent = seconds_of([&] {
        auto out = hurray::writer::create(to, {.durability = hurray::durability::none}).value();
        if (budget == 0) {
            auto const made = hurray::transpose(view, {.threads = threads}).value();
            out.write("a", made.view()).value();
        } else {
            hurray::transpose(view, out, "a", {.threads = threads, .memory = budget}).value();
        }
        out.close().value();
    });
    std::printf("%.6f %.0f\n", spent, static_cast<double>(watch.most()));
    return 0;
}

void transpose_jobs(context& c) {
    transpose_alike(c, "uniform", false);
    transpose_alike(c, "power law", true);
}

void transpose_file_jobs(context& c) {
    for (bool const power_law : {false, true}) {
        auto const from = c.file("from.hrry");
        write_file(from, view_of(with_values(c.scaled(5'000'000), c.scaled(5'000'000),
                                             c.scaled(50'000'000), power_law)));
        auto const budget = std::filesystem::file_size(from) / 8;
        double most = 0;
        side us{"ours", [&] {
                    auto const got = in_a_process(c, from, c.file("to.hrry"), budget);
                    most = std::max(most, got.bytes);
                    return got.seconds;
                }};
        side limit{"in memory, then written",
                   [&] { return in_a_process(c, from, c.file("to.hrry"), 0).seconds; }};
        alternate({&us, &limit}, c.of(5, false));
        std::string const kind = power_law ? "power law" : "uniform";
        c.results.add("CSR file to CSC file, budget 1/8 of the file, " + kind, us, &limit, {},
                      {3.0, true});
        auto const megabytes = [](double bytes) {
            return std::to_string(static_cast<std::uint64_t>(bytes / (1 << 20))) + " MiB";
        };
        auto const allowed = static_cast<double>(budget) + (32 << 20);
        c.results.add("its RssAnon, " + kind, megabytes(most),
                      "budget: " + megabytes(static_cast<double>(budget)),
                      most <= allowed ? "within" : "MISSED", "budget + 32 MiB");
        std::filesystem::remove(from);
    }
}

}  // namespace bench
