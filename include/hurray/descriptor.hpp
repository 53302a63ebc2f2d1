#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <hurray/element.hpp>
#include <hurray/options.hpp>
#include <hurray/result.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// How a tensor's elements are laid out; the enumerator is the tag of the format.
enum class layout : std::uint8_t {
    row_major = 0x01,
    column_major = 0x02,
    strided = 0x03,
    tiled = 0x04,
    morton = 0x05,
    coo = 0x06,
    csr = 0x07,
    csc = 0x08,
    csf = 0x09,
    block_paged = 0x0A,
    composite = 0x0B,
    hilbert = 0x40,
};

/// "csr", "row_major", ...; "" for a tag without a name.
std::string_view name(layout) noexcept;

/// A size that the format calls dynamic: known only when the tensor is used.
inline constexpr std::uint64_t dynamic = ~std::uint64_t{0};

/// Where a run of bytes lies in the file.
struct byte_range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;

    /// Whether it lies in a file of `size` bytes. Never adds, so it cannot overflow.
    constexpr bool within(std::uint64_t size) const noexcept {
        return offset <= size && length <= size - offset;
    }
    /// One past the last byte. Precondition: within() some size.
    constexpr std::uint64_t end() const noexcept { return offset + length; }
    friend bool operator==(byte_range const&, byte_range const&) = default;
};

/// One level of a tiled layout.
struct tile_level {
    std::vector<std::uint64_t> tile_shape{};
    layout outer = layout::row_major;
    layout inner = layout::row_major;
    std::vector<std::int64_t> outer_strides{};  ///< if outer is strided
    std::vector<std::int64_t> inner_strides{};  ///< if inner is strided
    friend bool operator==(tile_level const&, tile_level const&) = default;
};
/// What a block-paged layout adds.
struct block_paged_fields {
    std::uint32_t page_size = 1;
    std::uint64_t pages = 0;
    std::uint32_t sequences = 0;
    std::uint8_t kv_role = 0;
    std::uint32_t layer = 0xFFFFFFFF;  ///< 2^32-1: none
    std::uint8_t index_type = 0;       ///< 0: u32, 1: u64
    friend bool operator==(block_paged_fields const&, block_paged_fields const&) = default;
};
/// What the head of a composite tensor adds.
struct composite_fields {
    std::uint8_t rule = 1;        ///< 1 partition, 2 overlay, 3 group
    std::uint8_t combine_op = 0;  ///< overlay: 1 replace, 2 add
    std::uint32_t members = 0;
    friend bool operator==(composite_fields const&, composite_fields const&) = default;
};

/// What a layout adds to the descriptor. The descriptor's layout says which members count; the
/// others stay as they are here. Row- and column-major have none, and of a layout that 1.0 does not
/// name nothing is known.
struct layout_fields {
    std::uint64_t nnz = 0;                    ///< COO, CSR, CSC, CSF: stored entries
    bool sorted = false;                      ///< COO: whether the writer says so
    std::vector<std::uint32_t> mode_order{};  ///< CSF: the dimensions, outermost first
    std::vector<std::int64_t> strides{};      ///< strided: elements, one per dimension
    std::vector<tile_level> tiles{};    ///< tiled: outermost first; all but the last: inner = tiled
    std::vector<std::uint32_t> bits{};  ///< Morton: one per dimension
    std::uint32_t order = 1;            ///< Hilbert
    block_paged_fields paged{};         ///< block-paged
    composite_fields composite{};       ///< composite
    std::uint64_t private_id = 0;       ///< tags F0-FE; permissive mode only
    std::vector<std::byte> private_fields{};  ///< the same
    friend bool operator==(layout_fields const&, layout_fields const&) = default;
};

/// What the descriptor says of one buffer.
struct buffer_handle {
    std::uint64_t byte_size = 0;
    std::uint32_t alignment = 64;
    std::uint8_t device = 0;  ///< 0: CPU
    std::uint8_t sync_mode = 0;
    std::uint8_t memory_class = 0;
    friend bool operator==(buffer_handle const&, buffer_handle const&) = default;
};

inline constexpr std::uint32_t no_buffer = 0xFFFFFFFF;

/// Quantization schemes; the stored elements are what views show.
struct per_tensor_affine {
    float scale = 1;
    std::int32_t zero_point = 0;
};
struct per_channel_affine {
    bool symmetric = false;
    std::uint32_t axis = 0;
    std::uint32_t scale_buffer = 1;
    std::uint32_t zero_point_buffer = no_buffer;
};
struct per_block_affine {
    bool symmetric = false;
    std::uint32_t axis = 0;
    std::uint32_t block_size = 2;
    std::uint32_t scale_buffer = 1;
    std::uint32_t zero_point_buffer = no_buffer;
    element_type scale_type = element_type::float32;
};
struct nf4 {
    std::uint32_t axis = 0;
    std::uint32_t block_size = 8;
    std::uint32_t scale_buffer = 1;
};
struct mxfp {
    std::uint32_t axis = 0;
    std::uint32_t block_size = 32;
    std::uint32_t scale_buffer = 1;
};
/// A scheme that 1.0 does not name; permissive mode only.
struct unknown_scheme {
    std::uint8_t tag = 0;
    std::uint8_t version = 0;
    std::uint16_t flags = 0;
};
struct quantization {
    std::variant<per_tensor_affine, per_channel_affine, per_block_affine, nf4, mxfp, unknown_scheme>
        scheme;
    std::uint32_t padding = 0;  ///< zero bytes after the scheme's fields, inside its length
};

/// Which box of a larger tensor this one is.
struct shard {
    std::vector<std::uint64_t> parent_shape;
    std::vector<std::uint64_t> offset;
    friend bool operator==(shard const&, shard const&) = default;
};

/// What a writer said of the elements. Absent members were not stated. Never relied on
///
struct statistics {
    struct range {
        double min = 0, max = 0, abs_max = 0;
        friend bool operator==(range const&, range const&) = default;
    };
    struct moments {
        double mean = 0, stddev = 0;
        friend bool operator==(moments const&, moments const&) = default;
    };
    struct n_of_m {
        std::uint8_t n = 0, m = 0;
        friend bool operator==(n_of_m const&, n_of_m const&) = default;
    };
    struct specials {
        bool has_nan = false, has_inf = false;
        friend bool operator==(specials const&, specials const&) = default;
    };
    std::optional<std::uint64_t> nnz{};
    std::optional<double> sparsity_ratio{};
    std::optional<range> values{};
    std::optional<moments> distribution{};  ///< over all elements, implicit zeros included
    std::optional<n_of_m> pattern{};
    std::optional<specials> special{};
    friend bool operator==(statistics const&, statistics const&) = default;
};

/// An element type of somebody's own (tags F0-FE): how wide it is, not what it means.
struct extension_type {
    std::uint32_t bit_width = 8;
    std::uint8_t packing_factor = 1;
    bool is_float = false;
    bool is_signed = false;
    std::uint8_t sign_bits = 0;
    std::uint8_t exponent_bits = 0;
    std::uint8_t mantissa_bits = 0;
    std::uint32_t exponent_bias = 0;
    bool has_nan = false;
    bool has_inf = false;
    friend bool operator==(extension_type const&, extension_type const&) = default;
};

/// The part an overlay's member plays.
enum class composite_role : std::uint8_t { correction = 0, base = 1 };

/// What a tensor is, before any of its data is looked at. Owns all it holds.
struct descriptor {
    hurray::layout layout = layout::row_major;
    hurray::element_type element_type{};
    std::vector<std::uint64_t> shape{};
    std::uint64_t byte_offset = 0;
    layout_fields fields{};
    std::vector<buffer_handle> buffers{};
    std::optional<hurray::quantization> quantization{};
    std::optional<hurray::shard> shard{};
    std::optional<hurray::statistics> statistics{};
    std::optional<extension_type> extension{};
    std::optional<composite_role> member{};
    /// What permissive mode tolerated here; offsets are those of the descriptor's bytes.
    std::vector<error> notes{};

    /// Decodes `bytes`, which hold one descriptor and nothing else, and checks every rule that a
    /// descriptor alone can break.
    /// Errors: the rule, with the byte in `bytes`. Complexity: linear in its size.
    static result<descriptor> decode(std::span<std::byte const> bytes, hurray::mode = mode::strict);

    /// The bytes of a 1.0 descriptor; the inverse of a strict decode(). Checks nothing:
    /// decode() of what encode() gives is the check.
    std::vector<std::byte> encode() const;

    /// Stored entries of a COO, CSR, CSC or CSF tensor.
    std::optional<std::uint64_t> nnz() const noexcept;
    bool has_dynamic_dimension() const noexcept;
    /// Bytes of `count` elements, the extension type's width included; nullopt if not known.
    std::optional<std::uint64_t> bytes_of(std::uint64_t count) const noexcept;
};

}  // namespace v0
}  // namespace hurray
