#include "hdf5_file.hpp"

#include <algorithm>
#include <optional>

#include "failure.hpp"
#include "text.hpp"

#ifdef HURRAY_LIBHDF5
#include "hdf5_library.hpp"
#endif

namespace hurray::tool {

#ifndef HURRAY_LIBHDF5

struct hdf5_file::state {};

hdf5_file hdf5_file::open(std::filesystem::path const& path) {
    throw stop(status::bad_file, escaped(path.native()) +
                                     ": this program was built without libhdf5, which reads HDF5");
}
std::vector<hdf5_matrix> hdf5_file::matrices() const { return {}; }
compressed_source hdf5_file::read(hdf5_matrix const&) const { return {}; }

#else

namespace {

[[noreturn]] void bad(std::string const& what) { throw stop(status::bad_file, what); }

/// Anything that the HDF5 library opened.
class handle {
public:
    using closer = herr_t (*)(hid_t);
    handle() = default;
    handle(hid_t id, closer close) noexcept : id_(id), close_(close) {}
    handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~handle() {
        if (id_ >= 0) close_(id_);
    }
    hid_t id() const noexcept { return id_; }
    explicit operator bool() const noexcept { return id_ >= 0; }

private:
    hid_t id_ = -1;
    closer close_ = nullptr;
};

handle open_object(hid_t in, std::string const& path) {
    return {hdf5().H5Oopen(in, path.c_str(), H5P_DEFAULT), hdf5().H5Oclose};
}

std::vector<hsize_t> sizes_of(hid_t space) {
    auto const rank = hdf5().H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> sizes(rank > 0 ? static_cast<std::size_t>(rank) : 0);
    if (rank > 0) hdf5().H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return sizes;
}

/// Which machines have no type for, so that HDF5 cannot convert it to one.
bool is_ieee_half(hid_t type) noexcept {
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    return hdf5().H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa,
                                &mantissa_bits) >= 0 &&
           sign == 15 && exponent == 10 && exponent_bits == 5 && mantissa == 0 &&
           mantissa_bits == 10 && hdf5().H5Tget_ebias(type) == 15;
}

std::optional<element_type> float_type(hid_t type) noexcept {
    auto const width = hdf5().H5Tget_size(type);
    if (width == 2 && is_ieee_half(type)) return element_type::float16;
    if (width == 4) return element_type::float32;
    if (width == 8) return element_type::float64;
    return std::nullopt;
}

std::optional<element_type> integer_type(hid_t type) noexcept {
    bool const is_signed = hdf5().H5Tget_sign(type) == H5T_SGN_2;
    auto const width = hdf5().H5Tget_size(type);
    if (hdf5().H5Tget_precision(type) != 8 * width) return std::nullopt;
    auto const first = static_cast<unsigned>(is_signed ? element_type::int8 : element_type::uint8);
    for (unsigned power = 0; power < 4; ++power)
        if (width == std::size_t{1} << power) return static_cast<element_type>(first + 2 * power);
    return std::nullopt;
}

/// h5py stores complex numbers as {r, i} and truth values as an enumeration of a byte.
std::optional<element_type> compound_type(hid_t type) {
    if (hdf5().H5Tget_nmembers(type) != 2 || hdf5().H5Tget_member_index(type, "r") != 0 ||
        hdf5().H5Tget_member_index(type, "i") != 1 ||
        hdf5().H5Tget_member_class(type, 0) != H5T_FLOAT ||
        hdf5().H5Tget_member_class(type, 1) != H5T_FLOAT)
        return std::nullopt;
    handle const real(hdf5().H5Tget_member_type(type, 0), hdf5().H5Tclose);
    handle const imaginary(hdf5().H5Tget_member_type(type, 1), hdf5().H5Tclose);
    auto const part = float_type(real.id());
    if (!part || float_type(imaginary.id()) != part) return std::nullopt;
    if (*part == element_type::float32) return element_type::complex64;
    if (*part == element_type::float64) return element_type::complex128;
    return std::nullopt;
}

std::optional<element_type> element_type_of_hdf5(hid_t type) {
    switch (hdf5().H5Tget_class(type)) {
    case H5T_INTEGER:
        return integer_type(type);
    case H5T_FLOAT:
        return float_type(type);
    case H5T_COMPOUND:
        return compound_type(type);
    case H5T_ENUM:
        if (hdf5().H5Tget_size(type) == 1 && hdf5().H5Tget_nmembers(type) == 2)
            return element_type::boolean;
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

/// Numbers as they shall arrive in memory: as wide as elements of `type`, whatever is stored.
handle memory_type(hid_t stored, element_type type) {
    auto const copy_of = [](hid_t one) { return handle(hdf5().H5Tcopy(one), hdf5().H5Tclose); };
    if (type == element_type::float32) return copy_of(hdf5().native_float);
    if (type == element_type::float64) return copy_of(hdf5().native_double);
    if (is_complex(type)) {
        bool const wide = type == element_type::complex128;
        auto const part = wide ? hdf5().native_double : hdf5().native_float;
        std::size_t const width = wide ? 8 : 4;
        handle both(hdf5().H5Tcreate(H5T_COMPOUND, 2 * width), hdf5().H5Tclose);
        hdf5().H5Tinsert(both.id(), "r", 0, part);
        hdf5().H5Tinsert(both.id(), "i", width, part);
        return both;
    }
    auto copy = copy_of(stored);
    if (type != element_type::boolean) hdf5().H5Tset_order(copy.id(), H5T_ORDER_LE);
    return copy;
}

class hdf5_numbers final : public number_stream {
public:
    hdf5_numbers(handle set, handle space, handle memory, element_type type, std::uint64_t size,
                 std::string where)
        : number_stream(type, size, std::move(where)), set_(std::move(set)),
          space_(std::move(space)), memory_(std::move(memory)) {}

    void read(std::byte* into, std::uint64_t count) override {
        if (count == 0) return;
        if (count > size() - at_) bad(where() + " ends too early");
        hsize_t const start = at_, length = count;
        handle const room(hdf5().H5Screate_simple(1, &length, nullptr), hdf5().H5Sclose);
        if (hdf5().H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, &start, nullptr, &length,
                                       nullptr) < 0 ||
            hdf5().H5Dread(set_.id(), memory_.id(), room.id(), space_.id(), H5P_DEFAULT, into) < 0)
            bad(where() + " cannot be read: it is damaged, or packed in a way that this HDF5 "
                          "library lacks");
        at_ += count;
    }

private:
    handle set_, space_, memory_;
    std::uint64_t at_ = 0;
};

/// A cache that holds a whole chunk: else each piece that is read would unpack it again.
handle access_with_room(hid_t group, char const* name) {
    constexpr std::size_t usual = std::size_t{1} << 20, most = std::size_t{1} << 28, slots = 521;
    handle how(hdf5().H5Pcreate(hdf5().dataset_access), hdf5().H5Pclose);
    handle const set(hdf5().H5Dopen2(group, name, H5P_DEFAULT), hdf5().H5Dclose);
    handle const plan(set ? hdf5().H5Dget_create_plist(set.id()) : -1, hdf5().H5Pclose);
    handle const type(set ? hdf5().H5Dget_type(set.id()) : -1, hdf5().H5Tclose);
    hsize_t chunk = 0;
    if (plan && type && hdf5().H5Pget_layout(plan.id()) == H5D_CHUNKED &&
        hdf5().H5Pget_chunk(plan.id(), 1, &chunk) == 1) {
        auto const bytes = std::min<hsize_t>(most, chunk * hdf5().H5Tget_size(type.id()));
        hdf5().H5Pset_chunk_cache(how.id(), slots, std::max<std::size_t>(usual, bytes), 1.0);
    }
    return how;
}

/// What unpacking multiplies the bytes by, at most.
hsize_t best_unpacking(hid_t plan) {
    constexpr hsize_t of_deflate = 1032, of_others = hsize_t{1} << 16;
    auto const filters = hdf5().H5Pget_nfilters(plan);
    hsize_t most = filters <= 0 ? 1 : of_deflate;
    for (int k = 0; k < filters; ++k) {
        unsigned flags = 0;
        std::size_t values = 0;
        auto const id = hdf5().H5Pget_filter2(plan, static_cast<unsigned>(k), &flags, &values,
                                              nullptr, 0, nullptr, nullptr);
        bool const known =
            id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32;
        if (!known) most = of_others;
    }
    return most;
}

/// Whether the file itself justifies so many numbers; no other file may. What was never written
/// reads as zeros, which takes no more than a little for an honest file.
bool is_backed(hid_t set, hid_t stored, hsize_t count) {
    constexpr hsize_t little = hsize_t{1} << 20;
    handle const plan(hdf5().H5Dget_create_plist(set), hdf5().H5Pclose);
    if (!plan || hdf5().H5Pget_layout(plan.id()) == H5D_VIRTUAL ||
        hdf5().H5Pget_external_count(plan.id()) != 0)
        return false;
    hsize_t bytes = 0;
    if (__builtin_mul_overflow(count, hsize_t{hdf5().H5Tget_size(stored)}, &bytes)) return false;
    return bytes <= little || bytes / best_unpacking(plan.id()) <= hdf5().H5Dget_storage_size(set);
}

/// The one-dimensional dataset of that name; null if there is none.
std::unique_ptr<number_stream> numbers_in(hid_t group, char const* name, std::string where) {
    if (hdf5().H5Lexists(group, name, H5P_DEFAULT) <= 0) return nullptr;
    auto const how = access_with_room(group, name);
    handle set(hdf5().H5Dopen2(group, name, how.id()), hdf5().H5Dclose);
    if (!set) return nullptr;
    handle space(hdf5().H5Dget_space(set.id()), hdf5().H5Sclose);
    handle const stored(hdf5().H5Dget_type(set.id()), hdf5().H5Tclose);
    auto const sizes = sizes_of(space.id());
    auto const type = element_type_of_hdf5(stored.id());
    if (sizes.size() != 1 || !type) return nullptr;
    if (!is_backed(set.id(), stored.id(), sizes[0]))
        bad(where + " claims " + grouped(sizes[0]) + " numbers, which the file does not hold");
    return std::make_unique<hdf5_numbers>(std::move(set), std::move(space),
                                          memory_type(stored.id(), *type), *type, sizes[0],
                                          std::move(where));
}

/// The text of an attribute; empty if there is none.
std::string text_attribute(hid_t object, char const* name) {
    if (hdf5().H5Aexists(object, name) <= 0) return {};
    handle const attribute(hdf5().H5Aopen(object, name, H5P_DEFAULT), hdf5().H5Aclose);
    handle const type(hdf5().H5Aget_type(attribute.id()), hdf5().H5Tclose);
    handle const space(hdf5().H5Aget_space(attribute.id()), hdf5().H5Sclose);
    constexpr std::size_t longest = 256;
    if (hdf5().H5Tget_class(type.id()) != H5T_STRING ||
        hdf5().H5Sget_simple_extent_npoints(space.id()) != 1)
        return {};
    if (hdf5().H5Tis_variable_str(type.id()) > 0) {
        char* text = nullptr;
        if (hdf5().H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return {};
        std::string const copy(text);
        hdf5().H5free_memory(text);
        return copy;
    }
    auto const size = hdf5().H5Tget_size(type.id());
    if (size > longest) return {};
    std::string text(size, '\0');
    if (hdf5().H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
    return text.substr(0, text.find('\0'));
}

/// Two sizes out of an attribute or a dataset.
std::optional<extents> shape_attribute(hid_t object, char const* name) {
    if (hdf5().H5Aexists(object, name) <= 0) return std::nullopt;
    handle const attribute(hdf5().H5Aopen(object, name, H5P_DEFAULT), hdf5().H5Aclose);
    handle const space(hdf5().H5Aget_space(attribute.id()), hdf5().H5Sclose);
    if (hdf5().H5Sget_simple_extent_npoints(space.id()) != 2) return std::nullopt;
    std::uint64_t sizes[2] = {};
    if (hdf5().H5Aread(attribute.id(), hdf5().native_uint64, sizes) < 0) return std::nullopt;
    return extents{sizes[0], sizes[1]};
}

std::optional<extents> shape_dataset(hid_t group) {
    auto const numbers = numbers_in(group, "shape", "shape");
    if (!numbers || numbers->size() != 2) return std::nullopt;
    if (!is_integer(numbers->type())) return std::nullopt;
    handle const set(hdf5().H5Dopen2(group, "shape", H5P_DEFAULT), hdf5().H5Dclose);
    std::uint64_t sizes[2] = {};
    if (hdf5().H5Dread(set.id(), hdf5().native_uint64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sizes) < 0)
        return std::nullopt;
    return extents{sizes[0], sizes[1]};
}

/// The group as a sparse matrix, if it is one.
std::optional<hdf5_matrix> sparse_in(hid_t group, std::string const& path,
                                     std::string const& file) {
    auto const array = [&](char const* name) {
        return numbers_in(group, name, path + '/' + name + " of " + file);
    };
    auto const values = array("data");
    if (!values || !array("indices") || !array("indptr")) return std::nullopt;
    hdf5_matrix found{
        .path = path, .nnz = values->size(), .type = std::string(name(values->type()))};
    auto format = text_attribute(group, "encoding-type");
    if (format.empty()) format = text_attribute(group, "h5sparse_format");
    auto shape = shape_attribute(group, "shape");
    if (!shape) shape = shape_attribute(group, "h5sparse_shape");
    if (format.starts_with("csr"))
        found.major = axis::rows;
    else if (format.starts_with("csc") || format.empty())
        found.major = axis::columns;  // 10x says nothing: features are rows, cells are columns
    else
        return std::nullopt;
    if (!shape && format.empty()) shape = shape_dataset(group);
    if (!shape) return std::nullopt;
    found.shape = *shape;
    return found;
}

std::optional<hdf5_matrix> dense_in(hid_t set, std::string const& path) {
    handle const space(hdf5().H5Dget_space(set), hdf5().H5Sclose);
    handle const stored(hdf5().H5Dget_type(set), hdf5().H5Tclose);
    auto const sizes = sizes_of(space.id());
    auto const type = element_type_of_hdf5(stored.id());
    if (sizes.size() != 2 || !type) return std::nullopt;
    return hdf5_matrix{.path = path,
                       .dense = true,
                       .shape = {sizes[0], sizes[1]},
                       .nnz = 0,
                       .type = std::string(name(*type))};
}

std::vector<std::string> names_in(hid_t group) {
    constexpr hsize_t most = 10'000;
    std::vector<std::string> names;
    H5G_info_t what{};
    if (hdf5().H5Gget_info(group, &what) < 0) return names;
    for (hsize_t k = 0; k < std::min(most, what.nlinks); ++k) {
        auto const length = hdf5().H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k,
                                                      nullptr, 0, H5P_DEFAULT);
        if (length <= 0) continue;
        std::string text(static_cast<std::size_t>(length) + 1, '\0');
        hdf5().H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, text.data(),
                                  text.size(), H5P_DEFAULT);
        text.pop_back();
        names.push_back(std::move(text));
    }
    return names;
}

/// Only what lies in this file itself: no link leads elsewhere.
bool is_hard_link(hid_t group, std::string const& name) {
    H5L_info_t link{};
    return hdf5().H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) >= 0 &&
           link.type == H5L_TYPE_HARD;
}

/// What is found in a file on the way down.
struct search {
    std::string const& file;
    std::vector<hdf5_matrix> found{};
    unsigned left = 20'000;  ///< objects to look at before it is enough: links may go in circles
};

void look_into(hid_t group, std::string const& path, unsigned depth, search& on) {
    constexpr unsigned deepest = 8;
    if (!path.empty())
        if (auto one = sparse_in(group, path, on.file)) return on.found.push_back(*std::move(one));
    for (auto const& name : names_in(group)) {
        if (on.left == 0) return;
        --on.left;
        if (!is_hard_link(group, name)) continue;
        auto const inner = path.empty() ? name : path + '/' + name;
        auto const object = open_object(group, name);
        if (!object) continue;
        auto const what = hdf5().H5Iget_type(object.id());
        if (what == H5I_GROUP && depth < deepest) look_into(object.id(), inner, depth + 1, on);
        if (what == H5I_DATASET)
            if (auto one = dense_in(object.id(), inner)) on.found.push_back(*std::move(one));
    }
}

}  // namespace

struct hdf5_file::state {
    handle file;
    std::string path;
};

hdf5_file hdf5_file::open(std::filesystem::path const& path) {
    hdf5().H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say it in our own words
    auto opened = std::make_shared<state>();
    opened->path = escaped(path.native());
    opened->file = {hdf5().H5Fopen(path.c_str(), hdf5_library::read_only, H5P_DEFAULT),
                    hdf5().H5Fclose};
    if (!opened->file) bad(opened->path + ": is no HDF5 file, or a damaged one");
    return hdf5_file(std::move(opened));
}

std::vector<hdf5_matrix> hdf5_file::matrices() const {
    auto const root = open_object(state_->file.id(), "/");
    search on{.file = state_->path};
    look_into(root.id(), "", 0, on);
    return std::move(on.found);
}

compressed_source hdf5_file::read(hdf5_matrix const& what) const {
    auto const group = open_object(state_->file.id(), what.path);
    auto const numbers = [&](char const* name) {
        auto found = numbers_in(group.id(), name, what.path + '/' + name + " of " + state_->path);
        if (!found) bad(state_->path + ": " + what.path + '/' + name + " cannot be read");
        return found;
    };
    return {.shape = what.shape,
            .major = what.major,
            .offsets = numbers("indptr"),
            .indices = numbers("indices"),
            .values = numbers("data")};
}

#endif

}  // namespace hurray::tool
