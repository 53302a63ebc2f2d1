#include <algorithm>

#include <hurray/assemble.hpp>

#include "compressed_import.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "npz_archive.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

constexpr std::uint64_t block_length = std::uint64_t{1} << 16;

[[noreturn]] void bad(std::string const& what) { throw stop(status::bad_file, what); }

extents shape_of(npz_archive const& from, std::filesystem::path const& input) {
    index_stream numbers(from.numbers("shape"));
    if (numbers.size() != 2) bad(escaped(input.native()) + ": only matrices are read");
    std::array<std::uint64_t, 2> shape{};
    numbers.read(shape);
    return {shape[0], shape[1]};
}

/// Where the entries of a COO matrix are, read as often as need be.
class coordinate_source {
public:
    coordinate_source(import_job const& job, npz_archive const& from, extents shape)
        : job_(job), from_(from), shape_(shape), nnz_(from.numbers("data")->size()) {
        for (auto const* name : {"row", "col"})
            if (auto const array = from.numbers(name); array->size() != nnz_)
                bad(array->where() + " has " + grouped(array->size()) + " numbers; there are " +
                    grouped(nnz_) + " entries");
    }

    template<element T, axis Major> result<compressed_matrix<T, Major>> assemble() const {
        using builder = matrix_builder<T, Major>;
        auto made = builder::create(shape_);
        if (!made) return made.error();
        count(*made, Major);
        if (auto ok = made->start_placing(); !ok) return ok.error();
        place<T>(*made, Major);
        stop_if_interrupted();
        return std::move(*made).finish(
            {.duplicates = job_.options.sum_duplicates ? duplicates::sum : duplicates::refuse,
             .threads = job_.threads});
    }

private:
    index_stream indices(axis of) const {
        return index_stream(from_.numbers(of == axis::rows ? "row" : "col"));
    }
    template<class Use> void walk(char const* what, Use const& use) const {
        progress shown(what, job_.options.quiet, counting::entries);
        for (std::uint64_t at = 0; at < nnz_; at += block_length) {
            stop_if_interrupted();
            shown.update(at, nnz_);
            use(std::min(block_length, nnz_ - at));
        }
    }
    template<class Builder> void count(Builder& made, axis major) const {
        auto slices = indices(major);
        std::vector<std::uint64_t> block(block_length);
        walk("counting the entries", [&](std::uint64_t count) {
            slices.read({block.data(), count});
            for (std::uint64_t k = 0; k < count; ++k) made.count(block[k]);
        });
    }
    template<element T, class Builder> void place(Builder& made, axis major) const {
        auto slices = indices(major);
        auto others = indices(major == axis::rows ? axis::columns : axis::rows);
        value_stream values(from_.numbers("data"));
        std::vector<std::uint64_t> slice(block_length), index(block_length);
        auto const value = std::make_unique<T[]>(block_length);
        walk("reading the entries", [&](std::uint64_t count) {
            slices.read({slice.data(), count});
            others.read({index.data(), count});
            values.read(value.get(), count);
            for (std::uint64_t k = 0; k < count; ++k) made.place(slice[k], index[k], value[k]);
        });
    }

    import_job const& job_;
    npz_archive const& from_;
    extents shape_;
    std::uint64_t nnz_;
};

imported import_coordinates(import_job const& job, npz_archive const& from, extents shape,
                            std::filesystem::path const& input, std::string const& name) {
    coordinate_source const source(job, from, shape);
    auto const type = job.type.value_or(from.numbers("data")->type());
    auto const major = job.major.value_or(axis::rows);
    auto const word = major == axis::rows ? "row" : "column";
    auto const slices = major == axis::rows ? shape.rows : shape.columns;
    if (slices >= job.memory / 8)
        bad(escaped(input.native()) + ": " + grouped(slices) + ' ' + word +
            "s are more than --memory has room for");
    auto const nnz = visit_element_type(type, [&]<class T>(std::type_identity<T>) {
        auto const write = [&](auto made) {
            if (!made && made.error().code == errc::duplicate_entry && !job.options.sum_duplicates)
                bad(explain(input, name, made.error(), word) + "; --sum-duplicates adds the two");
            auto const matrix = need(std::move(made), input, name, word);
            progress shown("writing", job.options.quiet);
            need_begun(write_in_pieces(job.out, name, by_slices(matrix.view()), major, {}, shown),
                       job.output, name);
            return matrix.nnz();
        };
        return major == axis::rows ? write(source.assemble<T, axis::rows>())
                                   : write(source.assemble<T, axis::columns>());
    });
    return {name, shape, major, type, nnz};
}

}  // namespace

imported import_npz(import_job const& job, std::filesystem::path const& input,
                    std::string const& name) {
    auto const from = npz_archive::open(input);
    if (!from.has("format"))
        bad(escaped(input.native()) + ": only what SciPy's save_npz() writes is read");
    auto const format = from.text("format");
    auto const shape = shape_of(from, input);
    if (format == "coo") return import_coordinates(job, from, shape, input, name);
    if (format != "csr" && format != "csc")
        bad(escaped(input.native()) + ": a matrix of format " + in_quotes(format) +
            "; csr, csc and coo are read: in SciPy, save matrix.tocsr()");
    return import_compressed(job, input,
                             {.shape = shape,
                              .major = format == "csr" ? axis::rows : axis::columns,
                              .offsets = from.numbers("indptr"),
                              .indices = from.numbers("indices"),
                              .values = from.numbers("data")},
                             name);
}

}  // namespace hurray::tool
