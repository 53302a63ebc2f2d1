#pragma once

// The jobs of the comparison. Each makes what it needs, measures, adds its rows and cleans up.

#include <cstdint>
#include <filesystem>
#include <string>

#include <hurray/hurray.hpp>

#include "matrices.hpp"
#include "measure.hpp"
#include "peers.hpp"

namespace bench {

struct context {
    table& results;
    std::filesystem::path directory;  ///< for files of our own
    std::filesystem::path self;  ///< this program, for what is measured in a process of its own
    std::filesystem::path tool;  ///< the hurray program; empty: absent
    scipy& python;
    bool peers = true;
    std::uint64_t divisor = 1;  ///< of every size
    double job_seconds = 20;

    std::uint64_t scaled(std::uint64_t size) const {
        return std::max<std::uint64_t>(size / divisor, 64);
    }
    pace of(unsigned rounds, bool warm_up = true) const {
        return divisor == 1 ? pace{rounds, job_seconds, warm_up} : pace{2, 1, false};
    }
    runner if_peers(runner peer) const { return peers ? std::move(peer) : runner(); }
    std::filesystem::path file(std::string const& name) const { return directory / name; }
};

inline seen look_at(arrays const& a) {
    return {a.rows,           a.columns,        a.indices.size(),
            a.offsets.data(), a.indices.data(), a.values.data()};
}
inline hurray::csr_view<double> view_of(arrays const& a) {
    return hurray::csr_view<double>::over({a.rows, a.columns}, a.offsets, a.indices, a.values)
        .value();
}

/// Writes one matrix to a file, of which only the kernel has the bytes.
template<class View> void write_file(std::filesystem::path const& path, View const& view) {
    auto out = hurray::writer::create(path, {.durability = hurray::durability::none}).value();
    out.write("a", view).value();
    out.close().value();
}

void verify_jobs(context&);
void open_jobs(context&);
void cold_jobs(context&);
void walk_jobs(context&);
void write_jobs(context&);
void read_jobs(context&);
void transpose_jobs(context&);
void transpose_file_jobs(context&);
void multiply_jobs(context&);
void market_jobs(context&);

/// What a process of its own does: transposes FROM to TO and prints seconds and bytes.
/// A budget of 0: in memory, then written.
int transpose_in_this_process(std::filesystem::path const& from, std::filesystem::path const& to,
                              std::uint64_t budget, unsigned threads);

}  // namespace bench
