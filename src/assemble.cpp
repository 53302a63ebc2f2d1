#include <hurray/assemble.hpp>

#include <algorithm>
#include <bit>

#include "bucket_sort.hpp"
#include "slice_sort.hpp"
#include "unpacked.hpp"

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace {

// More than any memory holds; below it, sizes in bytes cannot overflow.
constexpr std::uint64_t most = std::uint64_t{1} << 58;

/// Coordinates as entries to sort by slice.
struct given_entries {
    detail::coordinates const& given;
    std::byte const* values;

    std::uint64_t slice(std::uint64_t k) const noexcept { return given.slice[k]; }

    template<class F> bool each(std::uint64_t first, std::uint64_t last, F f) const noexcept {
        for (auto k = first; k < last; ++k)
            if (!f(given.slice[k], given.index[k], k)) return false;
        return true;
    }
};

unsigned bits_below(std::uint64_t bound) noexcept {
    return bound == 0 ? 0 : static_cast<unsigned>(std::bit_width(bound - 1));
}

result<void> check_coordinates(detail::coordinates const& given) noexcept {
    for (std::uint64_t k = 0; k < given.slice.size(); ++k)
        if (given.slice[k] >= given.major || given.index[k] >= given.minor)
            return error{.code = errc::index_exceeds_shape, .position = k};
    return {};
}

// 00 and FF are no data.
result<void> check_given_values(detail::value_run const& values, std::uint64_t count) noexcept {
    if (values.type != element_type::float8_e8m0) return {};
    for (std::uint64_t k = 0; k < count; ++k)
        if (values.bytes[k] == std::byte{0x00} || values.bytes[k] == std::byte{0xFF})
            return error{.code = errc::forbidden_e8m0_value, .position = k};
    return {};
}

/// The same failure, its position counted among all entries instead of those of its slice.
error among_all(error found, detail::coordinates const& given) noexcept {
    if (found.slice == error::nowhere) return found;
    auto left = found.position;
    for (std::uint64_t k = 0; k < given.slice.size(); ++k)
        if (given.slice[k] == found.slice && left-- == 0) {
            found.position = k;
            break;
        }
    return found;
}

result<void> allocate_entries(detail::owned_arrays& arrays, unsigned width) {
    if (arrays.nnz >= most) return errc::too_large_for_memory;
    auto indices = detail::memory_block::uninitialised(arrays.nnz * 8);
    if (!indices) return indices.error();
    auto values = detail::memory_block::uninitialised(arrays.nnz * width);
    if (!values) return values.error();
    arrays.indices = *std::move(indices);
    arrays.values = *std::move(values);
    return {};
}

result<void> pack_values(detail::owned_arrays& arrays, element_type type, unsigned threads) {
    if (!is_packed(type)) return {};
    auto packed = unpacked::pack(type, arrays.values.data(), arrays.nnz, threads);
    if (!packed) return packed.error();
    arrays.values = *std::move(packed);
    return {};
}

/// The entries by slice, values unpacked, in the order given.
result<detail::owned_arrays> by_slice(detail::coordinates const& given, detail::value_run values,
                                      unsigned threads) {
    detail::owned_arrays to;
    to.major = given.major;
    to.minor = given.minor;
    to.nnz = given.slice.size();
    if (to.major >= most) return errc::too_large_for_memory;
    auto offsets = detail::memory_block::uninitialised((to.major + 1) * 8);
    if (!offsets) return offsets.error();
    to.offsets = *std::move(offsets);
    auto const width = unpacked::width_of(values.type);
    if (auto ok = allocate_entries(to, width); !ok) return ok.error();

    detail::memory_block bytes;
    if (is_packed(values.type)) {
        auto got = detail::memory_block::uninitialised(to.nnz);
        if (!got) return got.error();
        bytes = *std::move(got);
        unpacked::unpack(values, to.nnz, threads, bytes.data());
        values.bytes = bytes.data();
    }
    buckets::target const target{to.major, to.nnz, to.offsets.as<std::uint64_t>(),
                                 to.indices.as<std::uint64_t>(), to.values.data()};
    auto const done = buckets::sort(given_entries{given, values.bytes}, target,
                                    bits_below(to.minor), width, {.threads = threads});
    if (!done) return done.error();
    return to;
}

}  // namespace

namespace detail {

result<owned_arrays> assemble_arrays(coordinates const& given, value_run values,
                                     std::uint64_t value_count, adder add,
                                     assemble_options const& options) {
    auto const nnz = given.slice.size();
    if (given.index.size() != nnz || value_count != nnz) return errc::sizes_disagree;
    auto const width = unpacked::width_of(values.type);
    if (options.duplicates == duplicates::sum && width != 0 && add == nullptr)
        return errc::bad_option;
    if (auto ok = check_coordinates(given); !ok) return ok.error();
    if (auto ok = check_given_values(values, nnz); !ok) return ok.error();
    auto to = by_slice(given, values, options.threads);
    if (!to) return to;
    if (auto ok = slices::sort(*to, width, add, options); !ok) return among_all(ok.error(), given);
    if (auto ok = pack_values(*to, values.type, options.threads); !ok) return ok.error();
    return to;
}

result<slice_builder> slice_builder::create(std::uint64_t major, std::uint64_t minor,
                                            element_type type) {
    if (major >= most) return errc::too_large_for_memory;
    auto counts = memory_block::zeroed(major * 8);
    if (!counts) return counts.error();
    slice_builder made;
    made.arrays_.major = major;
    made.arrays_.minor = minor;
    made.counts_ = *std::move(counts);
    made.type_ = type;
    return made;
}

result<void> slice_builder::start_placing() {
    auto offsets = memory_block::uninitialised((arrays_.major + 1) * 8);
    if (!offsets) return offsets.error();
    arrays_.offsets = *std::move(offsets);
    auto* const to = arrays_.offsets.as<std::uint64_t>();
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < arrays_.major; ++i) {
        to[i] = at;
        at += std::exchange(counts()[i], 0);
    }
    to[arrays_.major] = arrays_.nnz = at;
    if (auto ok = allocate_entries(arrays_, unpacked::width_of(type_)); !ok) return ok;
    placing_ = true;
    return {};
}

bool slice_builder::refuse(errc why, std::uint64_t slice) noexcept {
    // Several threads may refuse at once; the first one that gets here is remembered.
    int none = 0;
    if (__atomic_compare_exchange_n(&refused_, &none, static_cast<int>(why), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        refused_slice_ = slice;
    return false;
}

result<owned_arrays> slice_builder::finish(adder add, assemble_options const& options) && {
    if (refused_ != 0) return error{.code = static_cast<errc>(refused_), .slice = refused_slice_};
    if (!placing_) {
        if (auto ok = start_placing(); !ok) return ok.error();
    }
    // No slice took more than it counted, so only the sum can fall short.
    std::uint64_t placed = 0;
    for (std::uint64_t i = 0; i < arrays_.major; ++i) placed += counts()[i];
    if (placed != arrays_.nnz) return errc::sizes_disagree;
    counts_ = memory_block();
    if (auto ok = slices::sort(arrays_, unpacked::width_of(type_), add, options); !ok)
        return ok.error();
    if (auto ok = pack_values(arrays_, type_, options.threads); !ok) return ok.error();
    return std::move(arrays_);
}

}  // namespace detail

}  // namespace v0
}  // namespace hurray
