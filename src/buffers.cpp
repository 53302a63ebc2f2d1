#include "buffers.hpp"

#include <array>

#include "align.hpp"
#include "layout_fields.hpp"

namespace hurray::format {
namespace {

error fail(errc code, std::uint64_t at) { return {.code = code, .offset = at}; }

namespace device {
constexpr std::uint8_t last = 8, reserved = 0xFF;
}

/// Memory classes that each device has, a bit each: standard, host pinned, unified, peer.
constexpr std::array<std::uint8_t, 9> classes_of_device{
    0b0111,  // CPU
    0b1111,  // CUDA
    0b1111,  // ROCm
    0b0111,  // Metal
    0b1111,  // Vulkan
    0b0001,  // WebGPU
    0b0111,  // Hexagon
    0b1111,  // Level Zero
    0b0111,  // OpenCL
};

result<void> check_device(buffer_handle const& h, std::uint64_t at, mode mode) {
    if (h.device == device::reserved) return fail(errc::reserved_device, at + 12);
    bool const is_private = is_private_tag(h.device);
    if (is_private && mode == mode::strict) return fail(errc::private_device, at + 12);
    if (!is_private && h.device > device::last)
        return fail(errc::unknown_device, at + 12);
    if (h.sync_mode > 2) return fail(errc::unknown_sync_mode, at + 13);
    if (h.sync_mode != 0) return fail(errc::sync_mode_not_of_cpu, at + 13);
    if (is_private_tag(h.memory_class))  // none is recognised here
        return fail(errc::private_memory_class, at + 14);
    if (h.memory_class > 3) return fail(errc::unknown_memory_class, at + 14);
    auto const classes = is_private ? std::uint8_t{1} : classes_of_device[h.device];
    if ((classes >> h.memory_class & 1) == 0)
        return fail(errc::memory_class_not_of_device, at + 14);
    return {};
}

result<buffer_handle> decode_handle(std::span<std::byte const, buffer_table::handle_size> record,
                                    std::uint64_t at, mode mode) {
    buffer_handle const h{
        .byte_size = wire::field<std::uint64_t, 0>(record),
        .alignment = wire::field<std::uint32_t, 8>(record),
        .device = wire::field<std::uint8_t, 12>(record),
        .sync_mode = wire::field<std::uint8_t, 13>(record),
        .memory_class = wire::field<std::uint8_t, 14>(record),
    };
    if (!wire::is_power_of_two(h.alignment))
        return fail(errc::buffer_alignment_not_power_of_two, at + 8);
    if (h.alignment < 64 && h.byte_size != 0)
        return fail(errc::buffer_alignment_too_small, at + 8);
    if (auto ok = check_device(h, at, mode); !ok) return ok.error();
    if (wire::field<std::uint8_t, 15>(record) != 0)
        return fail(errc::handle_reserved_not_zero, at + 15);
    return h;
}

}  // namespace

result<buffer_table> buffer_table::decode(wire::cursor& in, hurray::layout layout,
                                          hurray::mode mode) {
    buffer_table table{.at = in.position(), .handles = {}};
    auto const count = in.take_number<std::uint8_t>();
    if (!count) return fail(errc::descriptor_truncated, table.at);
    bool const head = layout == layout::composite;
    if (head && *count != 0) return fail(errc::bad_composite_head, table.at);
    if (!head && *count == 0) return fail(errc::buffer_count_wrong, table.at);
    table.handles.reserve(*count);
    for (std::size_t k = 0; k < *count; ++k) {
        auto const at = in.position();
        auto const record = in.take<handle_size>();
        if (!record) return fail(errc::descriptor_truncated, at);
        auto const handle = decode_handle(*record, at, mode);
        if (!handle) return handle.error();
        table.handles.push_back(*handle);
        auto const& first = table.handles.front();
        if (handle->device != first.device)
            return fail(errc::buffers_not_colocated, at + 12);
        if (handle->memory_class != first.memory_class)
            return fail(errc::buffers_not_colocated, at + 14);
    }
    return table;
}

void encode(wire::appender& out, std::span<buffer_handle const> handles) {
    out.number(static_cast<std::uint8_t>(handles.size()));
    for (auto const& h : handles)
        out.number(h.byte_size)
            .number(h.alignment)
            .number(h.device)
            .number(h.sync_mode)
            .number(h.memory_class)
            .zeros(1);
}

std::size_t parameter_buffers(quantization const& q) noexcept {
    struct {
        static std::size_t affine(bool symmetric, std::uint32_t scales, std::uint32_t zeros) {
            return symmetric || scales == zeros ? 1 : 2;  // one buffer may hold both
        }
        std::size_t operator()(per_tensor_affine const&) const { return 0; }
        std::size_t operator()(per_channel_affine const& s) const {
            return affine(s.symmetric, s.scale_buffer, s.zero_point_buffer);
        }
        std::size_t operator()(per_block_affine const& s) const {
            return affine(s.symmetric, s.scale_buffer, s.zero_point_buffer);
        }
        std::size_t operator()(nf4 const&) const { return 1; }
        std::size_t operator()(mxfp const&) const { return 1; }
        std::size_t operator()(unknown_scheme const&) const { return 0; }
    } count;
    return std::visit(count, q.scheme);
}

namespace {

using bytes = std::optional<std::uint64_t>;  // nullopt: more than any buffer can hold

bytes multiply(bytes a, std::uint64_t b) {
    return a ? wire::checked_multiply(*a, b) : std::nullopt;
}

bytes product(std::span<std::uint64_t const> factors) {
    for (auto const f : factors)
        if (f == 0) return 0;
    bytes p = 1;
    for (auto const f : factors) p = multiply(p, f);
    return p;
}

/// Elements from the lowest to the highest that the strides reach, and how far below the origin.
struct reach {
    wire::uint128 below = 0, above = 0;
};
std::optional<reach> reach_of(std::span<std::uint64_t const> shape,
                              std::span<std::int64_t const> strides) {
    reach r;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] == 0) return std::nullopt;
        auto const negative = strides[k] < 0;
        auto const length = negative ? ~static_cast<std::uint64_t>(strides[k]) + 1
                                     : static_cast<std::uint64_t>(strides[k]);
        auto const steps = static_cast<wire::uint128>(shape[k] - 1) * length;
        auto& side = negative ? r.below : r.above;
        if (__builtin_add_overflow(side, steps, &side)) side = ~static_cast<wire::uint128>(0);
    }
    return r;
}

/// Places of one tiled level: its shape rounded up to whole tiles. Strided levels are not bounded
/// here: how far they reach is not said in terms of elements.
bytes tiled_elements(std::span<std::uint64_t const> shape, std::span<tile_level const> levels) {
    std::vector<std::uint64_t> padded(shape.begin(), shape.end());
    if (product(shape) == bytes(0)) return 0;
    bytes total = 1;
    for (auto const& level : levels) {
        if (level.outer == layout::strided || level.inner == layout::strided) return product(shape);
        for (std::size_t k = 0; k < padded.size(); ++k)
            total = multiply(total, (padded[k] - 1) / level.tile_shape[k] + 1);
        padded = level.tile_shape;
    }
    for (auto const n : padded) total = multiply(total, n);
    return total;
}

/// what buffer 0 of a dense layout holds at least. Nothing if it cannot be told.
bool dense_fits(descriptor const& d) {
    auto const have = d.buffers[0].byte_size - d.byte_offset;  // R-093 came first
    auto const holds = [&](bytes elements) {
        auto const need = elements ? d.bytes_of(*elements) : std::nullopt;
        return need && *need <= have;
    };
    if (d.layout == layout::strided) {
        auto const r = reach_of(d.shape, d.fields.strides);
        if (!r) return true;
        auto const bits = d.extension ? d.extension->bit_width : bits_of(d.element_type);
        auto const before = static_cast<wire::uint128>(d.byte_offset) * 8 / bits;
        if (r->below > before || r->above >= ~std::uint64_t{0}) return false;
        return holds(static_cast<std::uint64_t>(r->above) + 1);
    }
    if (d.layout == layout::tiled) return holds(tiled_elements(d.shape, d.fields.tiles));
    return holds(product(d.shape));
}

/// Sizes as a matrix's shape asks for them, and the tolerance of permissive mode.
class matrix_sizes {
public:
    matrix_sizes(descriptor& d, buffer_table const& table, mode mode)
        : d_(d), table_(table), mode_(mode) {}

    result<void> check(std::size_t buffer, bytes need, errc code) {
        auto const have = d_.buffers[buffer].byte_size;
        if (need && have == *need) return {};
        auto const problem = fail(code, table_.position(buffer));
        bool const slack = need && have > *need;
        bool const absent = code == errc::offsets_size_mismatch && have == 0 && need == bytes(8);
        if (mode_ == mode::strict || !(slack || absent)) return problem;
        d_.notes.push_back(problem);
        return {};
    }

private:
    descriptor& d_;
    buffer_table const& table_;
    mode mode_;
};

result<void> check_compressed(descriptor& d, buffer_table const& table, std::uint64_t fields_at,
                              mode mode) {
    if (d.has_dynamic_dimension()) return {};  // C-08, R-087
    auto const nnz = *d.nnz();
    auto const places = static_cast<wire::uint128>(d.shape[0]) * d.shape[1];
    if (nnz > places) return fail(errc::nnz_exceeds_shape, fields_at);
    auto const slices = d.layout == layout::csr ? d.shape[0] : d.shape[1];
    bool const sized = d.bytes_of(1).has_value();
    matrix_sizes sizes(d, table, mode);
    if (sized)
        if (auto ok = sizes.check(0, d.bytes_of(nnz), errc::values_size_mismatch); !ok)
            return ok;
    if (auto ok = sizes.check(1, multiply(nnz, 8), errc::indices_size_mismatch); !ok)
        return ok;
    return sizes.check(2, multiply(slices + 1, 8), errc::offsets_size_mismatch);
}

/// Buffers that the layout itself has (format.md, section 4).
std::optional<std::size_t> buffers_of(layout layout, std::size_t rank) {
    switch (layout) {
    case layout::coo:
        return 2;
    case layout::csr:
    case layout::csc:
    case layout::block_paged:
        return 3;
    case layout::csf:
        return 2 * rank + 1;
    case layout::composite:
        return 0;
    default:
        break;
    }
    if (is_dense(layout)) return 1;
    return std::nullopt;
}

/// sizes of other layouts that follow from the descriptor alone.
result<void> check_other_sizes(descriptor const& d, buffer_table const& table) {
    auto const exact = [&](std::size_t k, bytes need) -> result<void> {
        if (need && d.buffers[k].byte_size == *need) return {};
        return fail(errc::buffer_size_mismatch, table.position(k));
    };
    bool const sized = d.bytes_of(1).has_value();
    auto const nnz = d.fields.nnz;
    if (d.layout == layout::coo || d.layout == layout::csf) {
        if (sized)
            if (auto ok = exact(0, d.bytes_of(nnz)); !ok) return ok;
        return d.layout == layout::coo
                   ? exact(1, multiply(multiply(nnz, d.shape.size()), 8))
                   : exact(2 * d.shape.size(), multiply(nnz, 8));  // the leaves' coordinates
    }
    if (d.layout == layout::block_paged) {
        auto const& paged = d.fields.paged;
        return exact(2,
                     multiply(std::uint64_t{paged.sequences} + 1, paged.index_type == 0 ? 4 : 8));
    }
    if (is_dense(d.layout) && sized && !d.has_dynamic_dimension() && !dense_fits(d))
        return fail(errc::buffer_size_mismatch, table.position(0));
    return {};
}

}  // namespace

result<void> check_buffers(descriptor& d, buffer_table const& table, std::uint64_t fields_at,
                           mode mode) {
    auto const own = buffers_of(d.layout, d.shape.size());
    bool const matrix = d.layout == layout::csr || d.layout == layout::csc;
    bool const known_scheme =
        !d.quantization || !std::holds_alternative<unknown_scheme>(d.quantization->scheme);
    if (own && known_scheme) {
        auto const parameters = d.quantization ? parameter_buffers(*d.quantization) : 0;
        if (matrix && parameters != 0 && mode == mode::strict)
            return fail(errc::quantized_matrix, table.at);
        if (table.handles.size() != *own + parameters) {
            if (matrix) return fail(errc::buffers_not_three, table.at);
            auto const wrong = fail(errc::buffer_count_not_of_layout, table.at);
            if (mode == mode::strict) return wrong;
            d.notes.push_back(wrong);
        }
    } else if (matrix && table.handles.size() < 3) {
        return fail(errc::buffers_not_three, table.at);
    }
    if (!d.buffers.empty() && d.byte_offset > d.buffers[0].byte_size)
        return fail(errc::byte_offset_outside_buffer, 20 + 8 * d.shape.size());
    if (d.extension && !d.bytes_of(1)) {
        auto const odd = fail(errc::extension_type_without_size, 14);
        if (mode == mode::strict) return odd;
        d.notes.push_back(odd);
    }
    if (matrix) return check_compressed(d, table, fields_at, mode);
    if (!own || d.buffers.size() < *own) return {};  // permissive mode only
    auto const sized = check_other_sizes(d, table);
    if (sized || mode == mode::strict) return sized;
    d.notes.push_back(sized.error());
    return {};
}

}  // namespace hurray::format
