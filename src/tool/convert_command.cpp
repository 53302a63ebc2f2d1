#include <algorithm>
#include <set>

#include "commands.hpp"
#include "convert_matrix.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "type_names.hpp"
#include "verified.hpp"

namespace hurray::tool {
namespace {

[[noreturn]] void wrong(std::string const& what) { throw stop(status::wrong_usage, what); }

/// A tensor that is taken along, and what it will be called.
struct chosen_tensor {
    tensor what;
    std::string new_name;
    bool is_member = false;  ///< of a composite tensor
};

bool is_matrix(descriptor const& what) noexcept {
    return what.layout == layout::csr || what.layout == layout::csc;
}

/// What convert_matrix() takes, which verifies it, its checksums included.
bool is_understood(descriptor const& what) noexcept {
    return is_matrix(what) && bits_of(what.element_type) != 0;
}

/// Counts what open composite tensors still have to get, in file order.
class membership {
public:
    /// Whether the next tensor is a member of an open composite.
    bool next(descriptor const& what) {
        bool const inside = due_ != 0;
        if (inside) --due_;
        if (what.layout == layout::composite) due_ += what.fields.composite.members;
        return inside;
    }

private:
    std::uint64_t due_ = 0;
};

class conversion {
public:
    conversion(convert_options const& options, file const& from)
        : options_(options), from_(from), output_(options.output) {
        if (!options.layout.empty()) change_.major = major_named(options.layout);
        if (!options.type.empty()) change_.type = type_named(options.type);
    }

    void choose() {
        check_names();
        membership members;
        std::string head_name;
        bool head_taken = false;
        for (auto const* entry : from_.catalog().in_file_order()) {
            auto what = need(from_.describe(entry->name), options_.input, entry->name);
            bool const member = members.next(what.descriptor);
            bool const taken = options_.only.empty() || is_named(entry->name);
            if (!member) {
                head_name = entry->name;
                head_taken = taken;
            } else if (taken != head_taken) {
                wrong(in_quotes(entry->name) + " is a part of " + in_quotes(head_name) +
                      ": both must be taken, or neither");
            }
            if (taken) chosen_.push_back({std::move(what), new_name(entry->name), member});
        }
        check_wishes();
    }

    void write() {
        auto const written = options_to_write();
        auto out = begin_file(output_, written);
        // There is no verifying of one tensor that is only copied, so that it is all of them.
        if (from_.catalog().has_checksums() && copied_as_they_are() != 0)
            verify_all(from_, options_.input, options_.threads, options_.quiet);
        matrix_conversion const job{.from_path = options_.input,
                                    .from = from_,
                                    .to_path = output_,
                                    .to = out,
                                    .memory = memory_or_half(options_.memory),
                                    .threads = threads_or_all(options_.threads),
                                    .quiet = options_.quiet};
        for (auto const& one : chosen_) {
            stop_if_interrupted();
            if (is_understood(one.what.descriptor))
                convert_matrix(job, one.what, one.new_name, change_);
            else
                copy(job, one);
        }
        finish_file(out, output_);
    }

    void report() const {
        if (options_.quiet) return;
        std::error_code ignored;
        auto const bytes = std::filesystem::file_size(output_, ignored);
        auto const count = chosen_.size();
        auto text = escaped(output_.native()) + ": " + grouped(count) +
                    (count == 1 ? " tensor, " : " tensors, ") + human_bytes(bytes);
        if (auto const rest = copied_as_they_are(); rest != 0 && (change_.major || change_.type))
            text += "; " + grouped(rest) + " of other layouts copied as " +
                    (rest == 1 ? "it is" : "they are");
        print(text + '\n');
    }

private:
    bool is_named(std::string_view name) const {
        return std::find(options_.only.begin(), options_.only.end(), name) != options_.only.end();
    }
    std::string new_name(std::string_view name) const {
        for (auto const& [old_name, given] : options_.renamed)
            if (old_name == name) return given;
        return std::string(name);
    }

    /// Every name that was typed is one of the file's; described() suggests close ones.
    void check_names() const {
        for (auto const& name : options_.only) described(from_, options_.input, name);
        for (auto const& [old_name, given] : options_.renamed) {
            described(from_, options_.input, old_name);
            if (!options_.only.empty() && !is_named(old_name))
                wrong("--rename " + in_quotes(old_name) + ": --only leaves this tensor out");
        }
    }

    void check_wishes() const {
        std::set<std::string> names;
        for (auto const& one : chosen_)
            if (!names.insert(one.new_name).second)
                wrong("two tensors would be called " + in_quotes(one.new_name));
        if (!change_.type) return;
        for (auto const& one : chosen_)
            if (one.is_member && is_matrix(one.what.descriptor))
                wrong(
                    in_quotes(one.what.name) +
                    " is part of a composite tensor, whose type cannot be changed; --only chooses "
                    "tensors to take");
    }

    write_options options_to_write() const {
        auto written = options_like(from_);
        if (options_.alignment != 0) written.data_alignment = alignment_named(options_.alignment);
        if (!options_.checksums.empty()) written.checksums = options_.checksums == "on";
        return written;
    }

    void copy(matrix_conversion const& job, chosen_tensor const& one) const {
        auto copied = job.to.copy(from_.view(), one.what.name, one.new_name);
        if (!copied && rule(copied.error().code) == 0 &&
            copied.error().code != condition::unsupported &&
            copied.error().code != condition::mismatch)
            need(std::move(copied), output_);
        need_begun(std::move(copied), options_.input, one.what.name);
    }

    std::uint64_t copied_as_they_are() const {
        return static_cast<std::uint64_t>(
            std::count_if(chosen_.begin(), chosen_.end(), [](chosen_tensor const& one) {
                return !is_understood(one.what.descriptor);
            }));
    }

    convert_options const& options_;
    file const& from_;
    std::filesystem::path output_;
    matrix_change change_{};
    std::vector<chosen_tensor> chosen_;
};

/// Where to write. Throws stop when that is the input, unless this is wanted.
std::filesystem::path output_of(convert_options const& options) {
    if (options.output.empty()) {
        if (options.replace) return options.input;
        wrong("convert needs a file to write: hurray convert IN OUT; --replace alone replaces IN");
    }
    std::error_code ignored;
    if (!options.replace && std::filesystem::equivalent(options.input, options.output, ignored))
        wrong(escaped(options.output.native()) +
              " is the file that is read; --replace replaces it when all is written");
    return options.output;
}

}  // namespace

status run_convert(convert_options const& given) {
    auto options = given;
    options.output = output_of(given);
    auto const from = need(
        file::open(options.input, {.access = access::sequential, .checksums = checksums::verify}),
        options.input);
    conversion job(options, from);
    job.choose();
    job.write();
    job.report();
    return status::good;
}

}  // namespace hurray::tool
