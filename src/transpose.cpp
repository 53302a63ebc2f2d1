#include <hurray/transpose.hpp>

#include <algorithm>
#include <bit>

#include "bucket_sort.hpp"
#include "unpacked.hpp"

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace {

/// The entries of a compressed matrix, slice by slice: sorting them by index transposes it.
struct entries_across {
    detail::structure const& from;
    std::byte const* values;

    std::uint64_t slice(std::uint64_t k) const noexcept {
        return detail::load_once(from.indices[k]);
    }

    template<class F> bool each(std::uint64_t first, std::uint64_t last, F f) const noexcept {
        auto const* const end = from.offsets + from.major + 1;
        auto const after = std::upper_bound(from.offsets, end, first) - from.offsets;
        auto other = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after, 1)) - 1;
        for (auto k = first; k < last; ++other) {
            // Offsets that reach nnz only beyond the last slice have been changed.
            if (other >= from.major) return false;
            auto const stop = std::min(detail::load_once(from.offsets[other + 1]), last);
            for (; k < stop; ++k)
                if (!f(slice(k), other, k)) return false;
        }
        return true;
    }
};

/// Whether the invariants hold, in a result whose entries were counted in place: the counts are
/// gone, so that entries that changed between the passes show only here.
bool still_holds(buckets::target const& to, std::uint64_t minor) noexcept {
    auto begin = to.offsets[0];
    for (std::uint64_t i = 0; i < to.slices; ++i) {
        auto const end = to.offsets[i + 1];
        if (end < begin || end > to.nnz) return false;
        for (auto k = begin; k < end; ++k)
            if (to.indices[k] >= minor || (k > begin && to.indices[k] <= to.indices[k - 1]))
                return false;
        begin = end;
    }
    return begin == to.nnz;
}

/// Room for the arrays of the result, with the values unpacked.
result<detail::owned_arrays> allocate(detail::structure const& from, unsigned width) {
    detail::owned_arrays to;
    to.major = from.minor;
    to.minor = from.major;
    to.nnz = from.nnz;
    // More than any memory, and would overflow below.
    constexpr std::uint64_t most = std::uint64_t{1} << 58;
    if (to.major >= most || to.nnz >= most) return errc::too_large_for_memory;
    for (auto const& [block, bytes] :
         {std::pair{&to.offsets, (to.major + 1) * 8}, std::pair{&to.indices, to.nnz * 8},
          std::pair{&to.values, to.nnz * width}}) {
        auto got = detail::memory_block::uninitialised(bytes);
        if (!got) return got.error();
        *block = *std::move(got);
    }
    return to;
}

unsigned bits_below(std::uint64_t bound) noexcept {
    return bound == 0 ? 0 : static_cast<unsigned>(std::bit_width(bound - 1));
}

/// Errors: too_large_for_memory, file_changed.
result<detail::owned_arrays> transpose_unpacked(detail::structure const& from,
                                                std::byte const* values, unsigned width,
                                                transpose_options const& options) {
    auto to = allocate(from, width);
    if (!to) return to;
    buckets::target const target{to->major, to->nnz, to->offsets.as<std::uint64_t>(),
                                 to->indices.as<std::uint64_t>(), to->values.data()};
    auto const done = buckets::sort(entries_across{from, values}, target, bits_below(to->minor),
                                    width, {options.threads, options.memory});
    if (!done) return done.error();
    if (done->counted_in_place && !still_holds(target, to->minor)) return errc::file_changed;
    return to;
}

}  // namespace

namespace detail {

result<owned_arrays> transpose_arrays(structure const& from, value_run values,
                                      transpose_options const& options) {
    auto const width = unpacked::width_of(values.type);
    if (!is_packed(values.type)) return transpose_unpacked(from, values.bytes, width, options);

    auto bytes = memory_block::uninitialised(from.nnz);
    if (!bytes) return bytes.error();
    unpacked::unpack(values, from.nnz, options.threads, bytes->data());
    auto to = transpose_unpacked(from, bytes->data(), width, options);
    if (!to) return to;
    auto packed = unpacked::pack(values.type, to->values.data(), from.nnz, options.threads);
    if (!packed) return packed.error();
    to->values = *std::move(packed);
    return to;
}

}  // namespace detail

}  // namespace v0
}  // namespace hurray
