#include "convert_matrix.hpp"

#include <algorithm>
#include <memory>

#include <hurray/transpose.hpp>

#include "background.hpp"
#include "exact_value.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "scratch_file.hpp"
#include "text.hpp"
#include "verified.hpp"

namespace hurray::tool {
namespace {

constexpr std::uint64_t block_length = 4096;

/// A matrix whose element type only its numbers know.
struct untyped_matrix {
    axis major;
    extents shape;
    std::span<std::uint64_t const> offsets;
    std::span<std::uint64_t const> indices;
    number_source numbers;
};

template<element T> untyped_matrix untyped(csr_view<T> const& view, axis major) {
    return {major, shape_along(major, view.major(), view.minor()), view.offsets(), view.indices(),
            numbers_of<T>(view.values())};
}

class converter {
public:
    converter(matrix_conversion const& job, tensor const& what, std::string const& new_name,
              matrix_change const& change)
        : job_(job), what_(what), new_name_(new_name), name_(what.name),
          type_(change.type.value_or(what.descriptor.element_type)), major_(change.major),
          options_(carried_by(what.descriptor)) {
        if (is_complex(type_) && options_.statistics) {
            options_.statistics->values.reset();  // complex numbers have no order
            options_.statistics->distribution.reset();
        }
    }

    template<class Lazy> result<void> operator()(Lazy const& lazy) const {
        return take(by_slices(lazy), Lazy::major_axis);
    }

private:
    template<element T> result<void> take(lazy_csr_view<T> const& lazy, axis major) const {
        auto const view = verified(lazy, job_.threads, job_.quiet, "verifying " + in_quotes(name_));
        if (!view) return view.error();
        if (major_.value_or(major) != major) {
            write_transposed(*view, major);
        } else if (type_ == what_.descriptor.element_type) {
            need_written(job_.to.copy(job_.from.view(), name_, new_name_));
        } else {
            write(*view, major);
        }
        return {};
    }

    template<element T> void write(csr_view<T> const& view, axis major) const {
        progress shown("writing " + in_quotes(new_name_), job_.quiet);
        if (type_ == element_type_of<T>)
            need_written(write_in_pieces(job_.to, new_name_, view, major, options_, shown));
        else
            write_converted(untyped(view, major), shown);
    }

    template<element T> void write_transposed(csr_view<T> const& view, axis major) const {
        auto const other = major == axis::rows ? axis::columns : axis::rows;
        auto const bytes = bytes_for(element_type_of<T>, view.nnz());
        auto const result = 8 * (view.nnz() + view.minor() + 1) + bytes.value_or(0);
        transpose_options how{.threads = job_.threads, .memory = job_.memory};
        auto shown = std::make_unique<progress>("transposing " + in_quotes(name_), job_.quiet,
                                                counting::entries);
        if (result <= job_.memory / 5 * 4) {
            how.memory -= result;
            auto const made =
                in_background([&] { return transpose(view, how); },
                              [&] { writer const gone = std::move(job_.to); }, *shown);
            shown.reset();
            if (!made) throw_read_failure(made.error());
            return write(made->view().transposed(), other);
        }
        how.on_progress = [line = shown.get()](std::uint64_t done, std::uint64_t total) {
            line->update(done, total);
            return !was_interrupted();
        };
        bool const plain = type_ == element_type_of<T> && !options_.shard && !options_.statistics;
        if (plain) return need_not_interrupted(transpose_to(job_.to, new_name_, view, major, how));
        write_through_scratch(view, major, how, std::move(shown));
    }

    /// What does not fit the memory and has more to it than a transposition goes to disk between
    /// the two.
    template<element T> void write_through_scratch(csr_view<T> const& view, axis major,
                                                   transpose_options const& how,
                                                   std::unique_ptr<progress> shown) const {
        scratch_file scratch(job_.to_path);
        auto out =
            need(writer::create(scratch.path(), {.durability = durability::none}), scratch.path());
        auto done = transpose_to(out, "transposed", view, major, how);
        stop_if_interrupted();
        need(std::move(done), scratch.path());
        need(out.close(), scratch.path());
        shown.reset();
        auto const file = open_file(scratch.path(), access::sequential);
        scratch.remove();
        if (major == axis::columns)
            write(need(file.csr<T>("transposed"), scratch.path()), axis::rows);
        else
            write(by_slices(need(file.csc<T>("transposed"), scratch.path())), axis::columns);
    }

    template<element T> static result<void> transpose_to(writer& out, std::string const& name,
                                                         csr_view<T> const& view, axis major,
                                                         transpose_options const& how) {
        return major == axis::rows ? transpose(view, out, name, how)
                                   : transpose(view.transposed(), out, name, how);
    }

    void write_converted(untyped_matrix const& from, progress& shown) const {
        visit_element_type(type_, [&]<class To>(std::type_identity<To>) {
            auto stream = need_begun(begin_stream<To>(job_.to, new_name_, from.major, from.shape,
                                                      from.offsets, options_),
                                     job_.to_path, new_name_);
            auto const block = std::make_unique<To[]>(block_length);
            number_block numbers;
            auto const nnz = from.numbers.count;
            for (std::uint64_t first = 0; first < nnz; first += block_length) {
                stop_if_interrupted();
                shown.update(first, 2 * nnz);
                auto const count = std::min(block_length, nnz - first);
                from.numbers.load(first, count, numbers);
                auto const stored = store_block(numbers, block.get());
                if (stored != count) refuse(from, first + stored);
                need_written(stream.values(std::span<To const>(block.get(), count)));
            }
            need_written(finish_stream(stream, from.indices, shown));
        });
    }

    [[noreturn]] void refuse(untyped_matrix const& from, std::uint64_t entry) const {
        auto const after = std::upper_bound(from.offsets.begin(), from.offsets.end(), entry);
        auto row = static_cast<std::uint64_t>(after - from.offsets.begin()) - 1;
        auto column = from.indices[entry];
        if (from.major == axis::columns) std::swap(row, column);
        throw stop(status::bad_file, escaped(job_.from_path.native()) + ": tensor " +
                                         in_quotes(name_) + ": row " + std::to_string(row) +
                                         ", column " + std::to_string(column) + ": the value " +
                                         from.numbers.text(entry) + " is not one that " +
                                         type_text(type_) + " has; nothing was written");
    }

    void need_not_interrupted(result<void>&& outcome) const {
        stop_if_interrupted();
        need_written(std::move(outcome));
    }
    void need_written(result<void>&& outcome) const {
        need_begun(std::move(outcome), job_.to_path, new_name_);
    }
    [[noreturn]] void throw_read_failure(error const& e) const {
        throw stop(status_of(e), explain(job_.from_path, name_, e));
    }

    matrix_conversion const& job_;
    tensor const& what_;
    std::string const& new_name_;
    std::string name_;
    element_type type_;
    std::optional<axis> major_;
    tensor_options options_;
};

}  // namespace

void convert_matrix(matrix_conversion const& job, tensor const& what, std::string const& new_name,
                    matrix_change const& change) {
    auto const& d = what.descriptor;
    bool const changed =
        (change.type && *change.type != d.element_type) ||
        (change.major && (*change.major == axis::rows) != (d.layout == layout::csr));
    if (changed && (d.quantization || d.member))
        throw stop(status::bad_file,
                   escaped(job.from_path.native()) + ": tensor " + in_quotes(what.name) +
                       (d.quantization ? " is quantized" : " is part of an overlay") +
                       "; it can only be copied as it is");
    need(visit(job.from.view(), what.name, converter(job, what, new_name, change), lazy),
         job.from_path, what.name, slice_word(d.layout));
}

}  // namespace hurray::tool
