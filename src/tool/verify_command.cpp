#include <algorithm>
#include <chrono>

#include "commands.hpp"
#include "file_access.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "threads.hpp"

namespace hurray::tool {
namespace {

struct failed_check {
    std::string tensor;
    error what;
};

struct checking {
    verify_command_options const& options;
    file const& from;
    std::vector<failed_check> failures{};

    std::uint64_t limit() const noexcept { return std::max<std::uint64_t>(1, options.limit); }
};

/// Slices of a tensor are called after its layout.
std::string_view word_for(file const& from, std::string const& tensor) {
    if (tensor.empty()) return "row or column";
    auto const found = from.describe(tensor);
    return found ? slice_word(found->descriptor.layout) : "row or column";
}

result<verification> check_all(checking& job) {
    verify_options how;
    how.threads = threads_or_all(job.options.threads);
    how.limit = job.limit();
    how.on_failure = [&](std::string_view tensor, error const& what) {
        job.failures.push_back({std::string(tensor), what});
        return true;
    };
    progress shown("verifying", job.options.quiet, counting::bytes);
    how.on_progress = [&](std::uint64_t done, std::uint64_t total) {
        shown.update(done, total);
        return !was_interrupted();
    };
    auto outcome = job.from.verify(how);
    stop_if_interrupted();
    if (!outcome && job.failures.empty()) job.failures.push_back({{}, outcome.error()});
    return outcome;
}

/// Every row (or column) of a matrix that breaks a rule, up to the limit.
class slice_checker {
public:
    slice_checker(std::string const& tensor, std::uint64_t limit, std::vector<failed_check>& into)
        : tensor_(tensor), limit_(limit), into_(into) {}

    template<class View> void operator()(View const& view) const {
        for (std::uint64_t i = 0; i < view.major() && into_.size() < limit_; ++i) {
            if ((i & 0xFFF) == 0) stop_if_interrupted();
            if (auto const slice = view.at(i); !slice) into_.push_back({tensor_, slice.error()});
        }
    }

private:
    std::string const& tensor_;
    std::uint64_t limit_;
    std::vector<failed_check>& into_;
};

/// Verifying stops at the first row of a matrix that fails; here the others come to light.
void find_all_failures(checking& job) {
    std::vector<failed_check> all;
    for (auto const& failure : job.failures) {
        if (all.size() >= job.limit()) break;
        auto const before = all.size();
        bool const of_a_slice =
            failure.what.slice != error::nowhere && failure.what.code != errc::checksum_mismatch;
        if (of_a_slice && !failure.tensor.empty()) {
            // A failure of visit() is the one that is known.
            (void)visit(job.from.view(), failure.tensor,
                        slice_checker(failure.tensor, job.limit(), all), lazy);
        }
        if (all.size() == before) all.push_back(failure);
    }
    job.failures = std::move(all);
}

std::string_view outcome_text(outcome what) noexcept {
    switch (what) {
    case outcome::verified:
        return "verified";
    case outcome::structure_only:
        return "structure only";
    case outcome::failed:
        return "failed";
    case outcome::not_reached:
        break;
    }
    return "not reached";
}

char const* checksums_text(file const& from) noexcept {
    return from.catalog().has_checksums() ? "checked" : "none";
}

void print_json(checking const& job, result<verification> const& found) {
    json document;
    document["file"] = job.options.file.string();
    document["valid"] = found.has_value();
    document["size"] = job.from.size();
    document["checksums"] = checksums_text(job.from);
    document["tensors"] = json::array();
    if (found)
        for (std::size_t i = 0; i < found->tensors.size(); ++i)
            document["tensors"].push_back(
                {{"name", std::string(job.from.tensors()[i].name)},
                 {"outcome", std::string(outcome_text(found->tensors[i]))}});
    document["failures"] = json::array();
    for (auto const& [tensor, what] : job.failures) {
        auto const word = word_for(job.from, tensor);
        auto failure = error_json(what, word == "row or column" ? "slice" : word);
        if (!tensor.empty()) failure["tensor"] = tensor;
        document["failures"].push_back(std::move(failure));
    }
    print(json_text(document));
}

std::string summary(checking const& job, verification const& found, double seconds) {
    auto const count = [&](outcome what) {
        return static_cast<std::uint64_t>(
            std::count(found.tensors.begin(), found.tensors.end(), what));
    };
    auto const all = found.tensors.size();
    auto text = escaped(job.options.file.native()) + ": valid; " + grouped(all) +
                (all == 1 ? " tensor, " : " tensors, ");
    if (auto const partly = count(outcome::structure_only); partly != 0)
        text += grouped(partly) + " for structure only, ";
    return text + human_bytes(job.from.size()) + ", checksums " + checksums_text(job.from) + ", " +
           duration_text(seconds) + '\n';
}

void report_failures(checking const& job) {
    for (auto const& [tensor, what] : job.failures)
        complain(explain(job.options.file, tensor, what, word_for(job.from, tensor)));
    auto const count = job.failures.size();
    if (count == 0) return;
    complain(escaped(job.options.file.native()) + ": not valid; " + grouped(count) +
             (count == 1 ? " failure" : " failures") +
             (count >= job.limit() ? ", then stopped: --limit allows more" : ""));
}

status status_of_failures(checking const& job) {
    return job.failures.empty() ? status::good : status_of(job.failures.front().what);
}

}  // namespace

status run_verify(verify_command_options const& options) {
    auto const begun = std::chrono::steady_clock::now();
    auto const from =
        need(file::open(options.file, {.mode = options.permissive ? mode::permissive : mode::strict,
                                       .access = access::sequential,
                                       .checksums = options.require_checksums ? checksums::require
                                                                              : checksums::verify}),
             options.file);
    checking job{.options = options, .from = from};
    auto const found = check_all(job);
    find_all_failures(job);
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;

    if (options.json) print_json(job, found);
    report_failures(job);
    if (found && !options.json && !options.quiet) print(summary(job, *found, took.count()));
    return status_of_failures(job);
}

}  // namespace hurray::tool
