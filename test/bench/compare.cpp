// Ours beside the others, alternately and on the same arrays; one table.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

#include "jobs.hpp"

namespace bench {
namespace {

struct named_job {
    char const* name;
    void (*run)(context&);
};
constexpr named_job jobs[] = {
    {"verify", verify_jobs},       {"open", open_jobs},           {"cold", cold_jobs},
    {"walk", walk_jobs},           {"write", write_jobs},         {"read", read_jobs},
    {"transpose", transpose_jobs}, {"file", transpose_file_jobs}, {"multiply", multiply_jobs},
    {"market", market_jobs},
};

struct options {
    bool quick = false;
    std::filesystem::path directory = std::filesystem::temp_directory_path();
    std::filesystem::path output{};
    std::vector<std::string> only{};
    double seconds = 20;
};

constexpr char const usage[] =
    "compare [--quick] [--dir DIRECTORY] [--out TABLE] [--seconds PER_JOB] [JOB ...]\n"
    "Jobs: verify open cold walk write read transpose file multiply market; by default, all.\n";

options parse(int count, char** words) {
    options o;
    for (int k = 1; k < count; ++k) {
        std::string const word = words[k];
        auto const next = [&] {
            if (++k == count) throw std::runtime_error(usage);
            return std::string(words[k]);
        };
        if (word == "--quick")
            o.quick = true;
        else if (word == "--dir")
            o.directory = next();
        else if (word == "--out")
            o.output = next();
        else if (word == "--seconds")
            o.seconds = std::stod(next());
        else if (std::any_of(std::begin(jobs), std::end(jobs),
                             [&](named_job const& j) { return word == j.name; }))
            o.only.push_back(word);
        else
            throw std::runtime_error(usage);
    }
    return o;
}

std::string first_line(char const* path, char const* key) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key)) {
            auto const colon = line.find(": ");
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    return "unknown";
}

void describe_machine(std::FILE* to) {
    utsname system{};
    ::uname(&system);
    std::fprintf(to, "%s, %u processors, %s %s, compiled by %s %s; load %s\n\n",
                 first_line("/proc/cpuinfo", "model name").c_str(),
                 std::thread::hardware_concurrency(), system.sysname, system.release,
#if defined(__clang__)
                 "Clang",
#else
                 "GCC",
#endif
                 __VERSION__, first_line("/proc/loadavg", "").c_str());
}

void run(options const& o) {
    auto const directory =
        o.directory / ("hurray-bench-" + std::to_string(static_cast<long>(::getpid())));
    std::filesystem::create_directories(directory);
    struct cleaner {
        std::filesystem::path const& path;
        ~cleaner() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    } const clean{directory};

    std::filesystem::path const tool = HURRAY_TOOL;
    scipy python(o.quick ? std::filesystem::path() : std::filesystem::path(HURRAY_BENCH_PEERS));
    table results;
    context c{.results = results,
              .directory = directory,
              .self = std::filesystem::read_symlink("/proc/self/exe"),
              .tool = std::filesystem::exists(tool) ? tool : std::filesystem::path(),
              .python = python,
              .peers = !o.quick,
              .divisor = o.quick ? 1000u : 1u,
              .job_seconds = o.seconds};
    describe_machine(stderr);
    for (auto const& job : jobs)
        if (o.only.empty() || std::find(o.only.begin(), o.only.end(), job.name) != o.only.end())
            job.run(c);

    auto* const to = o.output.empty() ? stdout : std::fopen(o.output.c_str(), "w");
    if (to == nullptr) throw std::runtime_error("cannot write " + o.output.string());
    describe_machine(to);
    results.print(to);
    if (to != stdout) std::fclose(to);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    try {
        if (count == 6 && std::strcmp(words[1], "--transpose-file") == 0)
            return bench::transpose_in_this_process(words[2], words[3], std::stoull(words[4]),
                                                    static_cast<unsigned>(std::stoul(words[5])));
        bench::run(bench::parse(count, words));
    } catch (std::exception const& failed) {
        std::cerr << failed.what() << '\n';
        return EXIT_FAILURE;
    }
}
