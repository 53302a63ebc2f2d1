#include <hurray/file_view.hpp>

#include <algorithm>

#include "byte_source.hpp"
#include "catalog_state.hpp"
#include "wire.hpp"

namespace hurray {
namespace {

error fail(errc code, std::uint64_t at = error::nowhere) { return {.code = code, .offset = at}; }

/// The alignment that elements of a type need in memory; none beyond it is relied on.
std::uint64_t alignment_of(element_type type) noexcept {
    auto const bits = bits_of(type);
    if (bits == 0 || is_packed(type)) return 1;
    if (type == element_type::float128) return alignof(float128);
    return (is_complex(type) ? bits / 2 : bits) / 8;
}

bool is_address_aligned(std::byte const* at, std::uint64_t alignment) noexcept {
    void* place = const_cast<std::byte*>(at);
    std::size_t space = alignment;
    return std::align(alignment, 0, place, space) == at;
}

std::uint64_t const* words(std::span<std::byte const> bytes) noexcept {
    return detail::view_as<std::uint64_t>(bytes, 0).data();
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

result<file_view> file_view::parse(std::span<std::byte const> bytes, read_options const& options) {
    auto catalog = catalog::read(byte_source(bytes), options);
    if (!catalog) return catalog.error();
    return file_view(*std::move(catalog), bytes);
}

result<tensor> file_view::describe(std::string_view name) const& {
    return catalog_.describe(byte_source(bytes_), name);
}

result<detail::located> file_view::matrix(std::string_view name,
                                          detail::request const& wanted) const {
    auto const found = describe(name);
    if (!found) return found.error();
    auto const& d = found->descriptor;
    if (d.layout != layout::csr && d.layout != layout::csc) return errc::layout_mismatch;
    if (wanted.layout && d.layout != *wanted.layout) return errc::layout_mismatch;
    if (wanted.type && d.element_type != *wanted.type) return errc::element_type_mismatch;
    if (wanted.values && bits_of(d.element_type) == 0) return errc::view_not_supported;
    auto arrays = locate(*found, wanted.values, wanted.trust);
    if (!arrays || wanted.trust == trust::lazy) return arrays;
    detail::stored_values const values{wanted.values ? d.element_type : element_type{},
                                       arrays->values.data(), arrays->structure.nnz};
    if (auto ok = detail::check_all(arrays->structure, values, {}); !ok) return ok.error();
    return arrays;
}

result<detail::located> file_view::locate(tensor const& t, bool typed, trust trust) const {
    auto const& d = t.descriptor;
    if (d.has_dynamic_dimension()) return errc::dynamic_dimension;  // R-087, C-08
    if (d.buffers[0].device != 0) return errc::not_in_host_memory;
    if (d.quantization && std::holds_alternative<unknown_scheme>(d.quantization->scheme))
        return errc::unknown_quantization;
    auto const slices = d.layout == layout::csr ? d.shape[0] : d.shape[1];
    auto const bound = d.layout == layout::csr ? d.shape[1] : d.shape[0];
    if (t.buffers[2].length == 0 && trust == trust::verified)  // A-13 is for lazy views
        return fail(errc::offsets_size_mismatch, t.buffers[2].offset);

    auto const at = [&](std::size_t k) {
        return bytes_.subspan(t.buffers[k].offset, t.buffers[k].length);
    };
    if (!is_address_aligned(at(1).data(), 8) || !is_address_aligned(at(2).data(), 8) ||
        (typed && !is_address_aligned(at(0).data(), alignment_of(d.element_type))))
        return errc::misaligned_bytes;
    auto const sums = sums_of_slices(t, slices);
    if (!sums) return sums.error();
    return detail::located{
        .structure = {.major = slices,
                      .minor = bound,
                      .nnz = *d.nnz(),
                      .offsets = t.buffers[2].length != 0 ? words(at(2)) : nullptr,
                      .indices = words(at(1)),
                      .origin = bytes_.data(),
                      .tensor = static_cast<std::uint32_t>(catalog_.state_->position_of(t.name)),
                      .sums = *sums,
                      .as_stored = catalog_.mode() == mode::permissive},
        .values = at(0),
        .layout = d.layout,
        .type = d.element_type,
    };
}

result<format::checksum_table const*> file_view::sums_of_slices(tensor const& t,
                                                                std::uint64_t slices) const {
    if (!catalog_.state_->sums) return nullptr;
    auto const& sums = *catalog_.state_->sums;
    auto const& d = t.descriptor;
    auto const values = d.bytes_of(*d.nnz()).value_or(t.buffers[0].length);
    std::uint64_t const needed[] = {values, 8 * *d.nnz(), 8 * (slices + 1)};
    bool exact = true;
    for (std::size_t k = 0; k < 3; ++k)
        exact = exact && (t.buffers[k].length == needed[k] || t.buffers[k].length == 0);
    if (exact) return &sums;
    auto const tensor = catalog_.state_->position_of(t.name);
    for (std::size_t k = 0; k < 3; ++k)
        if (auto ok = sums.check(tensor, k, bytes_, t.buffers[k], 0, t.buffers[k].length); !ok)
            return ok.error();
    return nullptr;
}

result<void> detail::check_sums(structure const& s, stored_values values, std::uint64_t first,
                                std::uint64_t count) {
    if (s.offsets == nullptr) return {};
    auto const place = [&](void const* at, std::uint64_t length) {
        auto const offset = static_cast<std::byte const*>(at) - s.origin;
        return byte_range{static_cast<std::uint64_t>(offset), length};
    };
    auto const check = [&](std::size_t k, byte_range where, std::uint64_t from, std::uint64_t to) {
        return s.sums->check(s.tensor, k, {s.origin, where.end()}, where, from, to);
    };
    auto const offsets = place(s.offsets, 8 * (s.major + 1));
    if (auto ok = check(2, offsets, 8 * first, 8 * (first + count + 1)); !ok) return ok;
    if (count == 0) return {};
    auto const last = std::min(load_once(s.offsets[first + count]), s.nnz);
    auto const from = std::min(load_once(s.offsets[first]), last);
    if (auto ok = check(1, place(s.indices, 8 * s.nnz), 8 * from, 8 * last); !ok) return ok;
    auto const bits = bits_of(values.type);
    if (bits == 0) return {};
    auto const size = bytes_for(values.type, s.nnz).value_or(0);
    auto const end = std::min(bytes_for(values.type, last).value_or(size), size);
    return check(0, place(values.bytes, size), from / 8 * bits + from % 8 * bits / 8, end);
}

}  // namespace v0
}  // namespace hurray
