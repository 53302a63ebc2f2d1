#include <hurray/writer.hpp>

#include "commands.hpp"
#include "file_access.hpp"
#include "generators.hpp"
#include "number_text.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "type_names.hpp"

namespace hurray::tool {
namespace {

/// A value that every type has exactly: small, and not zero.
template<element T> T random_value(slice_random& random) {
    auto const bits = random.bits();
    if constexpr (std::floating_point<T>) {
        return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    } else if constexpr (complex_number<T>) {
        using part = typename T::value_type;
        return {static_cast<part>(static_cast<double>(bits >> 40) * 0x1p-23 - 1),
                static_cast<part>(static_cast<double>(bits & 0xFF'FFFF) * 0x1p-23 - 1)};
    } else if constexpr (std::same_as<T, float128>) {
        return T(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    } else if constexpr (std::same_as<T, float8_e8m0>) {
        return T::from_bits(static_cast<std::uint8_t>(119 + bits % 17));
    } else if constexpr (small_floating<T>) {
        return T(static_cast<float>(bits >> 40) * 0x1p-23F - 1);
    } else {
        T value{};
        auto const top = std::min<std::uint64_t>(9, number::largest_magnitude<T>(false));
        from_double(static_cast<double>(1 + bits % top), value);
        return value;
    }
}

/// The values of one slice, packed if the type is.
template<element T> class slice_values {
public:
    values_span<T> fill(made_slice const& slice, slice_random& random) {
        auto const count = slice.indices.size();
        resize(count);
        for (std::size_t k = 0; k < count; ++k)
            put(k, slice.values.empty() ? random_value<T>(random) : exact(slice.values[k]));
        if constexpr (packed_element<T>)
            return {packed_.data(), count};
        else
            return std::span<T const>(plain_.data(), count);
    }

private:
    static T exact(double number) {
        T value{};
        if (from_double(number, value)) return value;
        throw stop(status::wrong_usage, std::string(hurray::name(element_type_of<T>)) +
                                            " does not have the value " +
                                            std::to_string(static_cast<int>(number)) +
                                            " that this kind of matrix needs");
    }
    void resize(std::size_t count) {
        if constexpr (packed_element<T>)
            packed_.assign(*bytes_for(element_type_of<T>, count), std::byte{0});
        else if (plain_.size() < count)
            plain_.resize(count);
    }
    void put(std::size_t k, T value) {
        if constexpr (packed_element<T>)
            detail::pack_into(packed_.data(), k, value);
        else
            plain_[k] = value;
    }

    std::vector<std::byte> packed_;
    std::vector<std::conditional_t<packed_element<T>, std::byte, T>> plain_;
};

extents shape_of(generator const& made, axis major) {
    return major == axis::rows ? extents{made.slices, made.bound}
                               : extents{made.bound, made.slices};
}

template<element T> matrix_appender<T> begin(writer& out, generate_options const& options,
                                             generator const& made, axis major) {
    auto const shape = shape_of(made, major);
    auto begun = major == axis::rows ? (made.nnz ? out.append_csr<T>(options.name, shape, *made.nnz)
                                                 : out.append_csr<T>(options.name, shape.columns))
                                     : (made.nnz ? out.append_csc<T>(options.name, shape, *made.nnz)
                                                 : out.append_csc<T>(options.name, shape.rows));
    return need_begun(std::move(begun), options.output, options.name);
}

template<element T>
std::uint64_t write_all(writer& out, generate_options const& options, generator& made, axis major) {
    auto matrix = begin<T>(out, options, made, major);
    made_slice slice;
    slice_values<T> values;
    std::uint64_t nnz = 0;
    progress shown("generating", options.quiet);
    for (std::uint64_t i = 0; i < made.slices; ++i) {
        if ((i & 0xFFF) == 0) {
            stop_if_interrupted();
            shown.update(i, made.slices);
        }
        slice.indices.clear();
        slice.values.clear();
        slice_random random(options.seed, i);
        made.fill(i, random, slice);
        nnz += slice.indices.size();
        need(matrix.append(slice.indices, values.fill(slice, random)), options.output,
             options.name);
    }
    need(matrix.close(), options.output, options.name);
    return nnz;
}

}  // namespace

status run_generate(generate_options const& options) {
    auto const major = major_named(options.layout);
    auto const type = type_named(options.type);
    auto const made = make_generator(options);
    auto out = begin_file(options.output, {});
    auto const nnz = visit_element_type(type, [&]<class T>(std::type_identity<T>) {
        return write_all<T>(out, options, *made, major);
    });
    finish_file(out, options.output);
    if (!options.quiet) {
        auto const shape = shape_of(*made, major);
        std::error_code ignored;
        print(escaped(options.output.native()) + ": " + in_quotes(options.name) + ", " +
              std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ' ' +
              options.layout + ' ' + options.type + ", " + grouped(nnz) + " entries, " +
              human_bytes(std::filesystem::file_size(options.output, ignored)) + '\n');
    }
    return status::good;
}

}  // namespace hurray::tool
