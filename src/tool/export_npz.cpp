#include "export_npz.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "file_access.hpp"
#include "number_text.hpp"
#include "progress.hpp"
#include "text_output.hpp"
#include "verified.hpp"
#include "zip_output.hpp"

namespace hurray::tool {
namespace {

constexpr std::uint64_t block_length = std::uint64_t{1} << 15;

/// The C++ type in which numpy gets the elements: their own, or a larger one that numpy has.
template<element T> struct numpy_element { using type = T; };
template<element T>
requires(packed_element<T>&& whole_number<T> && !std::same_as<T, bool>) struct numpy_element<T> {
    using type = std::conditional_t<is_signed(element_type_of<T>), std::int8_t, std::uint8_t>;
};
template<element T>
requires(small_floating<T> && !std::same_as<T, float16>) struct numpy_element<T> {
    using type = float;
};

template<class T> std::string descr_of() {
    if constexpr (std::same_as<T, bool>) return "|b1";
    auto const bytes = std::to_string(sizeof(T));
    if constexpr (complex_number<T>) return "<c" + bytes;
    if constexpr (is_floating(element_type_of<T>)) return "<f" + bytes;
    return (sizeof(T) == 1 ? "|" : "<") + std::string(std::signed_integral<T> ? "i" : "u") + bytes;
}

/// The header of an array, of a length that numpy likes.
std::string npy_header_text(std::string const& descr, std::string const& shape) {
    constexpr std::size_t unit = 64, before = 10;
    auto text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    text.append(unit - (before + text.size() + 1) % unit, ' ');
    text += '\n';
    std::string head("\x93NUMPY\x01\0", 8);
    head += static_cast<char>(text.size() & 0xFF);
    head += static_cast<char>(text.size() >> 8);
    return head + text;
}

template<class T> std::string_view bytes_of(T const* numbers, std::uint64_t count) {
    return {static_cast<char const*>(static_cast<void const*>(numbers)), count * sizeof(T)};
}

class npz_writer {
public:
    npz_writer(text_output& out, progress& shown, std::uint64_t total)
        : zip_(out), shown_(shown), total_(total) {}

    /// An array of `count` numbers; convert(k) gives them.
    template<class T, class Convert>
    void array(std::string const& name, std::uint64_t count, Convert const& convert) {
        auto const head = npy_header_text(descr_of<T>(), '(' + std::to_string(count) + ",)");
        zip_.begin(name + ".npy", head.size() + count * sizeof(T));
        zip_.append(head);
        auto const block = std::make_unique<T[]>(block_length);
        for (std::uint64_t first = 0; first < count; first += block_length) {
            stop_if_interrupted();
            auto const some = std::min(block_length, count - first);
            for (std::uint64_t k = 0; k < some; ++k) block[k] = convert(first + k);
            zip_.append(bytes_of(block.get(), some));
            shown_.update(done_ += some, total_);
        }
        zip_.end();
    }
    void text(std::string const& name, std::string const& content) {
        auto const head = npy_header_text("|S" + std::to_string(content.size()), "()");
        zip_.begin(name + ".npy", head.size() + content.size());
        zip_.append(head);
        zip_.append(content);
        zip_.end();
    }
    void finish() { zip_.finish(); }

private:
    zip_output zip_;
    progress& shown_;
    std::uint64_t total_, done_ = 0;
};

class npz_exporter {
public:
    npz_exporter(export_options const& options, text_output& out) : options_(options), out_(out) {}

    template<class Lazy> result<void> operator()(Lazy const& lazy) const {
        using stored = typename Lazy::value_type;
        if constexpr (std::same_as<stored, float128>) {
            throw stop(status::bad_file, "numpy has no float128 of this kind; hurray convert "
                                         "--type float64 makes another one, if it fits");
        } else {
            auto const view = verified(by_slices(lazy), options_.threads, options_.quiet);
            if (!view) return view.error();
            write(*view, Lazy::major_axis);
        }
        return {};
    }

private:
    template<element T> void write(csr_view<T> const& view, axis major) const {
        progress shown("exporting", options_.quiet, counting::entries);
        npz_writer to(out_, shown, 2 * view.nnz() + view.major());
        write_structure(to, view, major);
        using number = typename numpy_element<T>::type;
        auto const values = view.values();
        to.template array<number>("data", view.nnz(), [&](std::uint64_t k) {
            return static_cast<number>(static_cast<T>(values[k]));
        });
        to.finish();
    }
    /// All but the values.
    static void write_structure(npz_writer& to, csr_view<pattern> const& view, axis major) {
        constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
        if (std::max({view.nnz(), view.major(), view.minor()}) <= most)
            write_indices<std::int32_t>(to, view);
        else
            write_indices<std::int64_t>(to, view);
        to.text("format", major == axis::rows ? "csr" : "csc");
        std::array<std::uint64_t, 2> sizes{view.major(), view.minor()};
        if (major == axis::columns) std::swap(sizes[0], sizes[1]);
        to.array<std::int64_t>(
            "shape", 2, [&](std::uint64_t k) { return static_cast<std::int64_t>(sizes[k]); });
    }
    /// SciPy takes signed numbers only.
    template<class Index> static void write_indices(npz_writer& to, csr_view<pattern> const& view) {
        auto const indices = view.indices(), offsets = view.offsets();
        to.template array<Index>("indices", view.nnz(),
                                 [&](std::uint64_t k) { return static_cast<Index>(indices[k]); });
        to.template array<Index>("indptr", offsets.size(),
                                 [&](std::uint64_t k) { return static_cast<Index>(offsets[k]); });
    }

    export_options const& options_;
    text_output& out_;
};

}  // namespace

std::string export_npz(export_options const& options, file const& from, tensor const& what) {
    text_output out(options.output);
    need(visit(from.view(), options.name, npz_exporter(options, out), lazy), options.file,
         options.name, slice_word(what.descriptor.layout));
    out.publish();
    return visit_element_type(what.descriptor.element_type, []<class T>(std::type_identity<T>) {
        using number = typename numpy_element<T>::type;
        if constexpr (std::same_as<number, T>) return std::string();
        return ", as " + std::string(name(element_type_of<number>)) + ": numpy has no " +
               std::string(name(element_type_of<T>));
    });
}

}  // namespace hurray::tool
