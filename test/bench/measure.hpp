#pragma once

// Times of things done alternately, and the table made of them.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Does a thing once and gives the seconds that counted; none: what it needs is absent.
using runner = std::function<double()>;

/// Keeps a result alive without looking at it.
template<class T> void keep(T const& value) { asm volatile("" : : "g"(&value) : "memory"); }

template<class Work> double seconds_of(Work&& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One side of a comparison, and the seconds of each of its rounds.
struct side {
    std::string name;
    runner run;
    std::vector<double> seconds{};

    bool present() const { return !seconds.empty(); }
};

/// How long to go on.
struct pace {
    unsigned rounds = 9;
    double seconds = 20;
    bool warm_up = true;
};

inline double median(std::vector<double> of) {
    if (of.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(of.begin(), of.end());
    auto const middle = of.size() / 2;
    return of.size() % 2 != 0 ? of[middle] : (of[middle - 1] + of[middle]) / 2;
}

/// Runs the sides in turn, every other round backwards, so that whatever else the machine does
/// meets all of them alike.
inline void alternate(std::vector<side*> const& all, pace const& how) {
    std::vector<side*> sides;
    for (auto* const one : all)
        if (one->run) sides.push_back(one);
    auto const begin = std::chrono::steady_clock::now();
    if (how.warm_up)
        for (auto* const one : sides) (void)one->run();
    for (unsigned round = 0; round < how.rounds; ++round) {
        for (auto* const one : sides) one->seconds.push_back(one->run());
        std::reverse(sides.begin(), sides.end());
        std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;
        if (spent.count() > how.seconds) break;
    }
}

/// Repeats of a thing too short for the clock, as one; seconds of each.
template<class Work> double repeated(unsigned times, Work&& work) {
    return seconds_of([&] {
               for (unsigned i = 0; i < times; ++i) work();
           }) /
           times;
}

/// What a ratio is wanted to be.
struct wanted {
    double ratio;
    bool at_most = false;  ///< ours / the other's; else the other's / ours
};

class table {
public:
    static constexpr unsigned peers = 4;
    static constexpr char const* peer_names[peers] = {"Eigen", "SciPy", "GraphBLAS", "HDF5"};

    /// One row: ours beside the limit, or beside the fastest peer if there is no limit.
    void add(std::string const& job, side const& ours, side const* limit,
             std::vector<side const*> const& others, wanted const& want) {
        row made{.job = job, .ours = time(ours)};
        auto const* beside = limit;
        made.limit = limit == nullptr ? "-" : limit->name + ": " + time(*limit);
        for (auto& cell : made.peer) cell = "-";
        for (auto const* const other : others) {
            for (unsigned p = 0; p < peers; ++p)
                if (other->name.starts_with(peer_names[p])) made.peer[p] = time(*other);
            if (limit == nullptr && other->present() &&
                (beside == nullptr || median(other->seconds) < median(beside->seconds)))
                beside = other;
        }
        made.wanted = (want.at_most ? "at most " : "at least ") + number(want.ratio);
        if (beside == nullptr || !beside->present() || !ours.present()) {
            made.ratio = made.spread = "-";
        } else {
            std::vector<double> ratios;
            for (std::size_t k = 0; k < std::min(ours.seconds.size(), beside->seconds.size()); ++k)
                ratios.push_back(want.at_most ? ours.seconds[k] / beside->seconds[k]
                                              : beside->seconds[k] / ours.seconds[k]);
            auto const middle = median(ratios);
            bool const met = want.at_most ? middle <= want.ratio : middle >= want.ratio;
            made.ratio = number(middle) + (met ? "" : " MISSED");
            auto const [low, high] = std::minmax_element(ratios.begin(), ratios.end());
            auto const mine = shortest(ours), theirs = shortest(*beside);
            made.spread = number(*low) + " - " + number(*high) + " (" +
                          std::to_string(ratios.size()) + "; " +
                          number(want.at_most ? mine / theirs : theirs / mine) + ')';
        }
        rows_.push_back(std::move(made));
        print(stderr, rows_.back());
    }

    /// A row of another kind, such as bytes of memory.
    void add(std::string job, std::string ours, std::string limit, std::string ratio,
             std::string want) {
        row made{.job = std::move(job),
                 .ours = std::move(ours),
                 .limit = std::move(limit),
                 .ratio = std::move(ratio),
                 .wanted = std::move(want),
                 .spread = "-"};
        for (auto& cell : made.peer) cell = "-";
        rows_.push_back(std::move(made));
        print(stderr, rows_.back());
    }

    void print(std::FILE* to) const {
        std::fprintf(to, "| job | ours | limit |");
        for (auto const* const name : peer_names) std::fprintf(to, " %s |", name);
        std::fprintf(to,
                     " ratio | wanted | spread (rounds; of the shortest times) |\n|---|---|---|");
        for (unsigned p = 0; p < peers; ++p) std::fprintf(to, "---|");
        std::fprintf(to, "---|---|---|\n");
        for (auto const& one : rows_) print(to, one);
    }

private:
    struct row {
        std::string job, ours{}, limit{};
        std::string peer[peers]{};
        std::string ratio{}, wanted{}, spread{};
    };

    static void print(std::FILE* to, row const& r) {
        std::fprintf(to, "| %s | %s | %s |", r.job.c_str(), r.ours.c_str(), r.limit.c_str());
        for (auto const& cell : r.peer) std::fprintf(to, " %s |", cell.c_str());
        std::fprintf(to, " %s | %s | %s |\n", r.ratio.c_str(), r.wanted.c_str(), r.spread.c_str());
        std::fflush(to);
    }

    static double shortest(side const& of) {
        return *std::min_element(of.seconds.begin(), of.seconds.end());
    }

    static std::string number(double value) {
        char text[32];
        std::snprintf(text, sizeof text, value >= 10 ? "%.1f" : "%.2f", value);
        return text;
    }

    static std::string time(side const& of) {
        if (!of.run) return "absent";
        auto const value = median(of.seconds);
        char text[32];
        if (value < 1e-3)
            std::snprintf(text, sizeof text, "%.2f us", value * 1e6);
        else if (value < 1)
            std::snprintf(text, sizeof text, "%.2f ms", value * 1e3);
        else
            std::snprintf(text, sizeof text, "%.2f s", value);
        return text;
    }

    std::vector<row> rows_;
};

}  // namespace bench
