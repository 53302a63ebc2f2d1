#include "jobs.hpp"
#include "memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

void write_market(std::filesystem::path const& path, arrays const& a) {
    std::ofstream out(path, std::ios::binary);
    out << "%%MatrixMarket matrix coordinate real general\n"
        << a.rows << ' ' << a.columns << ' ' << a.indices.size() << '\n';
    std::string text;
    char number[64];
    auto const put = [&](auto value, char after) {
        auto const end = std::to_chars(number, number + sizeof number, value).ptr;
        text.append(number, end);
        text += after;
    };
    for (std::uint64_t i = 0; i < a.rows; ++i) {
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            put(i + 1, ' ');
            put(a.indices[k] + 1, ' ');
            put(a.values[k], '\n');
        }
        if (text.size() < (1u << 20)) continue;
        out << text;
        text.clear();
    }
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path.string());
}

/// Runs the program and watches its memory.
double import(std::filesystem::path const& tool, std::filesystem::path const& from,
              std::filesystem::path const& to, double& most) {
    int status = -1;
    auto const spent = seconds_of([&] {
        auto const process = ::fork();
        if (process == 0) {
            ::execl(tool.c_str(), "hurray", "import", "--quiet", "--threads", "2", from.c_str(),
                    to.c_str(), nullptr);
            ::_exit(127);
        }
        memory_watch watch(std::to_string(process));
        ::waitpid(process, &status, 0);
        most = std::max(most, static_cast<double>(watch.most()));
    });
    if (status != 0) throw std::runtime_error("hurray import failed");
    return spent;
}

}  // namespace

void market_jobs(context& c) {
    auto const from = c.file("market.mtx");
    auto const to = c.file("market.hrry");
    auto const a = with_values(c.scaled(500'000), c.scaled(500'000), c.scaled(5'000'000), false);
    write_market(from, a);
    auto const nnz = static_cast<double>(a.indices.size());
    double most = 0;
    side us{"ours", {}}, unwaiting{"ours", {}};
    // The others write nothing: a file in memory does not wait for a disk, either.
    std::filesystem::path const memory = "/dev/shm";
    auto const in_memory = memory / (c.directory.filename().string() + ".hrry");
    if (!c.tool.empty()) {
        us.run = [&] { return import(c.tool, from, to, most); };
        if (std::filesystem::is_directory(memory))
            unwaiting.run = [&] { return import(c.tool, from, in_memory, most); };
    }
    side scipy{"SciPy", c.if_peers(c.python.read_market(from))};
    side eigen{"Eigen", c.if_peers(eigen_read_market(from))};
    alternate({&us, &unwaiting, &scipy, &eigen}, c.of(5, false));
    auto const what =
        "Matrix Market import, " + std::to_string(a.indices.size()) + " nnz, 2 threads";
    c.results.add(what, us, nullptr, {&scipy, &eigen}, {20.0});
    c.results.add(what + ", to a file in memory", unwaiting, nullptr, {&scipy, &eigen}, {20.0});
    auto const each = static_cast<std::uint64_t>(most / nnz);
    c.results.add("its RssAnon per entry", std::to_string(each) + " bytes", "-",
                  c.tool.empty() ? "-"
                  : each <= 40   ? "within"
                                 : "MISSED",
                  "at most 40 bytes");
    std::filesystem::remove(from);
    std::filesystem::remove(to);
    std::filesystem::remove(in_memory);
}

}  // namespace bench
