#include "compressed_import.hpp"

#include <algorithm>

#include "convert_matrix.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "market_matrix.hpp"
#include "scratch_file.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

std::uint64_t slices_of(compressed_source const& from) noexcept {
    return from.major == axis::rows ? from.shape.rows : from.shape.columns;
}

[[noreturn]] void bad(std::string const& what) { throw stop(status::bad_file, what); }

void check_sizes(compressed_source const& from) {
    auto const slices = slices_of(from);
    if (from.offsets->size() != slices + 1)
        bad(from.offsets->where() + " has " + grouped(from.offsets->size()) + " numbers; " +
            grouped(slices) + (from.major == axis::rows ? " rows" : " columns") + " need one more");
    if (from.indices->size() != from.values->size())
        bad(from.indices->where() + " has " + grouped(from.indices->size()) + " numbers, and " +
            from.values->where() + " has " + grouped(from.values->size()));
}

/// Gives the ends of the slices, one after the other.
class slice_ends {
public:
    slice_ends(index_stream offsets, std::uint64_t slices, std::uint64_t nnz)
        : offsets_(std::move(offsets)), left_(slices), nnz_(nnz) {
        std::uint64_t first = 0;
        offsets_.read({&first, 1});
        if (first != 0) bad(offsets_.where() + " does not begin with 0");
    }
    std::uint64_t next() {
        if (at_ == block_.size()) refill();
        auto const end = block_[at_++];
        if (end < last_ || end > nnz_)
            bad(offsets_.where() + (end < last_ ? " decreases: " : " goes too far: ") +
                std::to_string(end) + " comes after " + std::to_string(last_));
        return last_ = end;
    }
    std::string const& where() const noexcept { return offsets_.where(); }
    void check_end() const {
        if (last_ != nnz_)
            bad(offsets_.where() + " ends with " + std::to_string(last_) + "; there are " +
                std::to_string(nnz_) + " entries");
    }

private:
    void refill() {
        constexpr std::uint64_t most = std::uint64_t{1} << 16;
        block_.resize(std::min(most, left_));
        offsets_.read(block_);
        left_ -= block_.size();
        at_ = 0;
    }

    index_stream offsets_;
    std::uint64_t left_, nnz_;
    std::uint64_t last_ = 0;
    std::vector<std::uint64_t> block_;
    std::size_t at_ = 0;
};

/// Slices that are read together, because many are short.
template<element T> class slice_importer {
public:
    slice_importer(import_job const& job, std::filesystem::path const& input,
                   compressed_source& from, std::string const& name)
        : job_(job), input_(input), output_(job.output), name_(name), shape_(from.shape),
          major_(from.major), slices_(slices_of(from)), nnz_(from.values->size()),
          ends_(index_stream(std::move(from.offsets)), slices_, nnz_),
          indices_(std::move(from.indices)), values_(std::move(from.values)) {}

    std::uint64_t run(writer& out) {
        auto matrix = begin(out);
        progress shown("importing " + in_quotes(name_), job_.options.quiet, counting::entries);
        for (std::uint64_t slice = 0; slice < slices_;) {
            stop_if_interrupted();
            shown.update(begin_, nnz_);
            slice = read_group(slice);
            append_group(matrix, slice);
        }
        ends_.check_end();
        need(matrix.close(), output_, name_);
        return written_;
    }

private:
    matrix_appender<T> begin(writer& out) const {
        bool const by_rows = major_ == axis::rows;
        auto const minor = by_rows ? shape_.columns : shape_.rows;
        if (job_.options.sum_duplicates)  // how many entries stay is not known yet
            return need_begun(by_rows ? out.append_csr<T>(name_, minor)
                                      : out.append_csc<T>(name_, minor),
                              output_, name_);
        return need_begun(by_rows ? out.append_csr<T>(name_, shape_, nnz_)
                                  : out.append_csc<T>(name_, shape_, nnz_),
                          output_, name_);
    }

    /// Reads slices from `first` on, and gives the one after the last.
    std::uint64_t read_group(std::uint64_t first) {
        constexpr std::uint64_t enough = std::uint64_t{1} << 18, most_slices = 1U << 16;
        group_.clear();
        auto const start = begin_;
        while (first + group_.size() < slices_ && begin_ - start < enough &&
               group_.size() < most_slices) {
            auto const end = ends_.next();
            group_.push_back(end - begin_);
            begin_ = end;
        }
        auto const count = begin_ - start;
        constexpr std::uint64_t per_entry = 16 + 2 * sizeof(T);
        if (count > std::max(job_.memory / per_entry, 2 * enough))
            bad(ends_.where() + " gives " + std::to_string(count) + " entries to a single " +
                (major_ == axis::rows ? "row" : "column") + ", more than --memory has room for");
        index_block_.resize(count);
        if (value_block_.size() < count) value_block_ = huge_array<T>(count);
        indices_.read(index_block_);
        values_.read(value_block_.data(), count);
        return first + group_.size();
    }

    void append_group(matrix_appender<T>& matrix, std::uint64_t last) {
        auto slice = last - group_.size();
        std::uint64_t at = 0;
        for (auto const size : group_) {
            auto const kept = sort(slice, at, size);
            auto const ok = matrix.append({index_block_.data() + at, kept}, values_at(at, kept));
            if (!ok) refuse(ok.error());
            written_ += kept;
            at += size;
            ++slice;
        }
    }

    /// What breaks a rule came from the input; all else is the disk's.
    [[noreturn]] void refuse(error const& e) const {
        auto const& path = rule(e.code) != 0 ? input_ : output_;
        throw stop(status_of(e), explain(path, name_, e, major_ == axis::rows ? "row" : "column"));
    }

    /// Sorts the entries of a slice; how many are left when equal ones were added.
    std::uint64_t sort(std::uint64_t slice, std::uint64_t at, std::uint64_t size) {
        auto* const indices = index_block_.data() + at;
        auto* const values = value_block_.data() + at;
        order_of(indices, size, order_);
        if (!order_.empty()) {
            if (scratch_.size() < size) scratch_ = huge_array<T>(size);
            std::copy_n(values, size, scratch_.data());
            for (std::uint64_t k = 0; k < size; ++k) {
                indices[k] = order_[k].index;
                values[k] = scratch_[order_[k].place];
            }
        }
        auto const twice = std::adjacent_find(indices, indices + size);
        return twice == indices + size ? size : sum(slice, indices, values, size);
    }

    std::uint64_t sum(std::uint64_t slice, std::uint64_t* indices, T* values, std::uint64_t size) {
        std::uint64_t kept = 0;
        for (std::uint64_t k = 0; k < size; ++k) {
            if (kept != 0 && indices[kept - 1] == indices[k]) {
                if (!job_.options.sum_duplicates)
                    bad(place(slice, indices[k]) +
                        " is given twice; --sum-duplicates adds the two");
                if (!added(values[kept - 1], values[k]))
                    bad("the sum of the entries at " + place(slice, indices[k]) + " is outside " +
                        std::string(hurray::name(element_type_of<T>)));
                continue;
            }
            indices[kept] = indices[k];
            values[kept++] = values[k];
        }
        return kept;
    }

    std::string place(std::uint64_t slice, std::uint64_t index) const {
        if (major_ == axis::columns) std::swap(slice, index);
        return indices_.where() + ": row " + std::to_string(slice) + ", column " +
               std::to_string(index);
    }

    values_span<T> values_at(std::uint64_t at, std::uint64_t count) {
        if constexpr (packed_element<T>) {
            packed_.assign(*bytes_for(element_type_of<T>, count), std::byte{0});
            for (std::uint64_t k = 0; k < count; ++k)
                detail::pack_into(packed_.data(), k, value_block_[at + k]);
            return {packed_.data(), count};
        } else {
            return {value_block_.data() + at, count};
        }
    }

    import_job const& job_;
    std::filesystem::path const& input_;
    std::filesystem::path const& output_;
    std::string const& name_;
    extents shape_;
    axis major_;
    std::uint64_t slices_, nnz_;
    slice_ends ends_;
    index_stream indices_;
    value_stream values_;

    std::uint64_t begin_ = 0, written_ = 0;
    std::vector<std::uint64_t> group_;
    std::vector<std::uint64_t> index_block_;
    huge_array<T> value_block_, scratch_;
    std::vector<placed_index> order_;
    std::vector<std::byte> packed_;
};

struct source_file {
    std::filesystem::path const& path;
    compressed_source& matrix;
    element_type type;  ///< to store
};

std::uint64_t write_to(import_job const& job, writer& out, source_file const& from,
                       std::string const& name) {
    return visit_element_type(from.type, [&]<class T>(std::type_identity<T>) {
        return slice_importer<T>(job, from.path, from.matrix, name).run(out);
    });
}

/// First as it is, into a file of its own; then along the other dimension.
std::uint64_t write_transposed(import_job const& job, source_file const& from,
                               std::string const& name) {
    scratch_file scratch(job.output);
    auto out =
        need(writer::create(scratch.path(), {.durability = durability::none}), scratch.path());
    auto const nnz = write_to(job, out, from, name);
    need(out.close(), scratch.path());
    auto const path = scratch.path();
    auto const made = open_file(path, access::sequential);
    scratch.remove();
    matrix_conversion const conversion{.from_path = path,
                                       .from = made,
                                       .to_path = job.output,
                                       .to = job.out,
                                       .memory = job.memory,
                                       .threads = job.threads,
                                       .quiet = job.options.quiet};
    convert_matrix(conversion, described(made, path, name), name, {.major = job.major});
    return nnz;
}

}  // namespace

imported import_compressed(import_job const& job, std::filesystem::path const& input,
                           compressed_source from, std::string const& name) {
    check_sizes(from);
    auto const type = job.type.value_or(from.values->type());
    source_file const source{input, from, type};
    auto const shape = from.shape;
    auto const major = job.major.value_or(from.major);
    auto const nnz = major == from.major ? write_to(job, job.out, source, name)
                                         : write_transposed(job, source, name);
    return {name, shape, major, type, nnz};
}

}  // namespace hurray::tool
