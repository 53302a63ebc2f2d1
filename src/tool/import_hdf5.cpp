#include <algorithm>

#include "file_access.hpp"
#include "hdf5_file.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

std::string line_of(hdf5_matrix const& what) {
    auto text = "  " + escaped(what.path) + "  " + std::to_string(what.shape.rows) + " x " +
                std::to_string(what.shape.columns) + ' ';
    if (what.dense) return text + "dense " + what.type + " (not imported)\n";
    return text + (what.major == axis::rows ? "csr " : "csc ") + what.type + ", " +
           grouped(what.nnz) + " entries\n";
}

std::string listing(std::vector<hdf5_matrix> const& all) {
    std::string text;
    for (auto const& one : all) text += line_of(one);
    if (!text.empty()) text.pop_back();
    return text;
}

class chooser {
public:
    chooser(std::filesystem::path const& input, std::vector<hdf5_matrix> all)
        : input_(escaped(input.native())), all_(std::move(all)) {}

    std::vector<hdf5_matrix> choose(std::vector<std::string> const& wanted) const {
        if (wanted.empty()) return {the_only_one()};
        std::vector<hdf5_matrix> chosen;
        for (auto const& path : wanted) chosen.push_back(named(path));
        return chosen;
    }

private:
    hdf5_matrix the_only_one() const {
        auto const is_sparse = [](hdf5_matrix const& one) { return !one.dense; };
        auto const found = std::find_if(all_.begin(), all_.end(), is_sparse);
        if (found == all_.end())
            throw stop(status::bad_file,
                       input_ + ": there is no sparse matrix of AnnData or of 10x in it" +
                           (all_.empty() ? "" : "; there is\n" + listing(all_)));
        if (std::find_if(found + 1, all_.end(), is_sparse) != all_.end())
            throw stop(status::wrong_usage,
                       input_ + ": which one? --dataset chooses\n" + listing(all_));
        return *found;
    }
    hdf5_matrix named(std::string path) const {
        while (path.starts_with('/')) path.erase(0, 1);
        std::vector<std::string> paths;
        for (auto const& one : all_) {
            if (one.path == path && one.dense)
                throw stop(status::wrong_usage, input_ + ": " + in_quotes(path) +
                                                    " is dense; sparse matrices are imported");
            if (one.path == path) return one;
            paths.push_back(one.path);
        }
        throw stop(status::wrong_usage, input_ + ": there is no matrix " + in_quotes(path) + '.' +
                                            did_you_mean(path, paths) + " There is\n" +
                                            listing(all_));
    }

    std::string input_;
    std::vector<hdf5_matrix> all_;
};

}  // namespace

std::vector<imported> import_hdf5(import_job const& job, std::filesystem::path const& input,
                                  std::string const& name) {
    auto const from = hdf5_file::open(input);
    std::vector<imported> done;
    for (auto const& one : chooser(input, from.matrices()).choose(job.options.datasets)) {
        stop_if_interrupted();
        done.push_back(
            import_compressed(job, input, from.read(one), name.empty() ? one.path : name));
    }
    return done;
}

}  // namespace hurray::tool
