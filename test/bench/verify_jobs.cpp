#include "jobs.hpp"
#include "sum.hpp"

namespace bench {
namespace {

/// A matrix of bits in a mapped file: of its arrays, those that verifying reads are the large ones.
void write_bits(std::filesystem::path const& path, arrays const& a) {
    std::vector<std::byte> const bits(a.indices.size() / 8 + 1);
    auto const view =
        hurray::csr_view<bool>::over({a.rows, a.columns}, a.offsets, a.indices,
                                     hurray::packed_span<bool>(bits.data(), a.indices.size()))
            .value();
    write_file(path, view);
}

void verify(context& c, std::string const& what, std::uint64_t rows, bool skewed, double one,
            double two) {
    auto const path = c.file("verify.hrry");
    write_bits(path, stepped(c.scaled(rows), 5'000'000, c.scaled(200'000'000), skewed));
    auto const file = hurray::file::open(path, {.access = hurray::access::populate}).value();
    auto const view = file.csr<hurray::pattern>("a", hurray::lazy).value();
    auto const ours = [&](unsigned threads) -> runner {
        return
            [&, threads] { return seconds_of([&] { view.verify({.threads = threads}).value(); }); };
    };
    auto const sum = [&](unsigned threads) -> runner {
        return [&, threads] {
            return seconds_of([&] { keep(sum_of(view.indices(), view.offsets(), threads)); });
        };
    };
    for (unsigned const threads : {1u, 2u}) {
        side us{"ours", ours(threads)};
        side limit{"sum", sum(threads)};
        alternate({&us, &limit}, c.of(15));
        c.results.add("eager verify, " + what + ", " + std::to_string(view.nnz()) + " nnz, " +
                          std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                      us, &limit, {}, {threads == 1 ? one : two});
    }
    std::filesystem::remove(path);
}

}  // namespace

void verify_jobs(context& c) {
    verify(c, "rows of about 1000", 200'000, false, 0.90, 0.85);
    verify(c, "rows of about 10, skewed", 20'000'000, true, 0.70, 0.60);
}

}  // namespace bench
