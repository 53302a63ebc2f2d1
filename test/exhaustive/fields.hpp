#pragma once

// Every byte of a file's metadata with the name of the field it belongs to, worked out from the
// format's tables. Precondition everywhere: the file is well formed, its layouts are named.

#include <algorithm>
#include <string_view>
#include <vector>

#include "samples.hpp"

namespace hurray_test {

struct field {
    std::string_view name;
    std::uint64_t at = 0;
    std::uint64_t width = 0;
    bool number = true;  ///< of 1, 2, 4 or 8 bytes; else text or bytes of any length
};

class field_reader {
public:
    field_reader(std::span<std::byte const> file, std::uint64_t at) : file_(file), at_(at) {}

    std::uint64_t number(std::string_view name, unsigned width) {
        all_.push_back({name, at_, width});
        auto const value = number_at(file_, at_, width);
        at_ += width;
        return value;
    }
    void numbers(std::string_view name, unsigned width, std::uint64_t count) {
        for (; count != 0; --count) number(name, width);
    }
    void text(std::string_view name, std::uint64_t length) {
        if (length != 0) all_.push_back({name, at_, length, false});
        at_ += length;
    }
    /// Bytes that have to be zero, as the widest numbers they make.
    void reserved(std::string_view name, std::uint64_t length) {
        for (unsigned width : {8u, 4u, 2u, 1u})
            for (; length >= width; length -= width) number(name, width);
    }
    std::uint64_t at() const { return at_; }
    std::vector<field> take() { return std::move(all_); }

private:
    std::span<std::byte const> file_;
    std::uint64_t at_;
    std::vector<field> all_;
};

inline void read_layout_fields(field_reader& in, unsigned tag, std::uint64_t rank) {
    switch (tag) {
    case 0x03:
        return in.numbers("layout.stride", 8, rank);
    case 0x04:
        for (unsigned inner = 4; inner == 4;) {
            in.numbers("layout.tile_shape", 8, rank);
            auto const outer = in.number("layout.tile_outer", 1);
            inner = static_cast<unsigned>(in.number("layout.tile_inner", 1));
            in.reserved("layout.reserved", 2);
            if (outer == 3) in.numbers("layout.stride", 8, rank);
            if (inner == 3) in.numbers("layout.stride", 8, rank);
        }
        return;
    case 0x05:
        return in.numbers("layout.morton_bits", 4, rank);
    case 0x06:
        in.number("layout.nnz", 8);
        in.number("layout.coo_is_sorted", 1);
        return in.reserved("layout.reserved", 7);
    case 0x07:
    case 0x08:
        in.number("layout.nnz", 8);
        return in.reserved("layout.reserved", 8);
    case 0x09:
        in.number("layout.nnz", 8);
        in.numbers("layout.mode_order", 4, rank);
        return in.reserved("layout.reserved", 8);
    case 0x0A:
        in.number("layout.page_size", 4);
        in.number("layout.num_pages", 8);
        in.number("layout.paged_axis", 4);
        in.number("layout.num_seqs", 4);
        in.number("layout.kv_role", 1);
        in.number("layout.layer_index", 4);
        in.number("layout.index_type", 1);
        return in.reserved("layout.reserved", 6);
    case 0x0B:
        in.number("layout.composite_rule", 1);
        in.number("layout.combine_op", 1);
        in.reserved("layout.reserved", 2);
        in.number("layout.member_count", 4);
        return;
    case 0x40:
        in.number("layout.hilbert_order", 4);
        in.number("layout.hilbert_rank", 4);
        return;
    default:
        return;
    }
}

inline void read_quantization(field_reader& in) {
    auto const length = in.number("quantization.length", 4);
    auto const end = in.at() + length;
    auto const scheme = in.number("quantization.scheme", 1);
    in.number("quantization.version", 1);
    in.number("quantization.flags", 2);
    if (scheme == 1) {
        in.number("quantization.scale", 4);
        in.number("quantization.zero_point", 4);
        in.reserved("quantization.reserved", 4);
    } else {
        in.number("quantization.axis", 4);
        if (scheme != 2) in.number("quantization.block_size", 4);
        in.number("quantization.scale_buffer", 4);
        if (scheme <= 3) {
            in.number("quantization.zero_point_buffer", 4);
            in.number("quantization.scale_type", 1);
            in.reserved("quantization.reserved", 3);
        }
    }
    in.reserved("quantization.padding", end - in.at());
}

inline void read_statistics(field_reader& in) {
    in.number("statistics.computed_mask", 4);
    in.reserved("statistics.reserved", 4);
    in.number("statistics.nnz", 8);
    in.number("statistics.sparsity_ratio", 8);
    in.numbers("statistics.range", 8, 3);
    in.numbers("statistics.moments", 8, 2);
    in.numbers("statistics.n_of_m", 1, 2);
    in.numbers("statistics.specials", 1, 2);
    in.reserved("statistics.reserved", 4);
}

inline void read_extension(field_reader& in) {
    in.number("extension.bit_width", 4);
    in.number("extension.packing_factor", 1);
    in.number("extension.is_float", 1);
    in.number("extension.is_signed", 1);
    in.numbers("extension.bits", 1, 3);
    in.reserved("extension.reserved", 2);
    in.number("extension.exponent_bias", 4);
    in.numbers("extension.has_nan_inf", 1, 2);
    in.reserved("extension.reserved", 2);
}

/// The fields of one descriptor, in their order.
inline std::vector<field> descriptor_fields(std::span<std::byte const> file,
                                            hurray::byte_range where) {
    field_reader in(file, where.offset);
    in.number("descriptor.magic", 4);
    in.number("descriptor.version_major", 1);
    in.number("descriptor.version_minor", 1);
    in.number("descriptor.length", 4);
    auto const flags = in.number("descriptor.flags", 4);
    in.number("descriptor.type_tag", 1);
    auto const layout = static_cast<unsigned>(in.number("descriptor.layout_tag", 1));
    auto const rank = in.number("descriptor.rank", 4);
    in.numbers("descriptor.shape", 8, rank);
    in.number("descriptor.byte_offset", 8);
    read_layout_fields(in, layout, rank);
    for (auto left = in.number("buffer.count", 1); left != 0; --left) {
        in.number("buffer.byte_size", 8);
        in.number("buffer.alignment", 4);
        in.number("buffer.device", 1);
        in.number("buffer.sync_mode", 1);
        in.number("buffer.memory_class", 1);
        in.number("buffer.reserved", 1);
    }
    if ((flags & 1) != 0) read_quantization(in);
    if ((flags & 2) != 0) {
        in.numbers("shard.parent_shape", 8, rank);
        in.numbers("shard.offset", 8, rank);
    }
    if ((flags & 8) != 0) read_statistics(in);
    if ((flags & 4) != 0) read_extension(in);
    if ((flags & 16) != 0) {
        in.number("member.role", 1);
        in.reserved("member.reserved", 15);
    }
    if (in.at() != where.end()) throw std::logic_error("the fields do not fill the descriptor");
    return in.take();
}

inline void read_key_value(field_reader& in, std::uint64_t tag) {
    switch (tag) {
    case 1:
    case 6:
        return in.text(tag == 1 ? "kv.string" : "kv.bytes", in.number("kv.value_length", 4));
    case 5:
        in.number("kv.bool", 1);
        return;
    case 7: {
        auto const element = in.number("kv.element_tag", 1);
        for (auto left = in.number("kv.element_count", 4); left != 0; --left)
            read_key_value(in, element);
        return;
    }
    default:
        in.number("kv.number", 8);
    }
}

/// All of a file's metadata: header, descriptors, key-values, index, trailer.
inline std::vector<field> metadata_fields(std::span<std::byte const> file) {
    auto const map = map_of(file);
    std::vector<field> all;
    auto const add = [&](std::vector<field> more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    field_reader header(file, 0);
    header.number("header.magic", 8);
    header.number("header.version_major", 1);
    header.number("header.version_minor", 1);
    header.reserved("header.reserved", 2);
    header.number("header.flags", 4);
    header.number("header.data_alignment", 4);
    header.number("header.first_descriptor", 8);
    header.number("header.tensor_count_hint", 8);
    header.reserved("header.reserved", 28);
    add(header.take());
    for (auto const& t : map.tensors) add(descriptor_fields(file, t.descriptor));
    if (map.metadata != 0) {
        field_reader kv(file, map.metadata);
        for (auto left = kv.number("kv.count", 4); left != 0; --left) {
            kv.text("kv.key", kv.number("kv.key_length", 2));
            read_key_value(kv, kv.number("kv.tag", 1));
        }
        add(kv.take());
    }
    field_reader index(file, map.index);
    for (auto left = index.number("index.count", 8); left != 0; --left) {
        index.text("index.name", index.number("index.name_length", 2));
        index.number("index.descriptor_offset", 8);
        index.number("index.descriptor_length", 4);
        index.number("index.data_offset", 8);
        index.number("index.data_length", 8);
        index.number("index.flags", 4);
    }
    add(index.take());
    field_reader trailer(file, map.trailer);
    trailer.number("trailer.index_offset", 8);
    trailer.number("trailer.index_length", 8);
    trailer.number("trailer.kv_offset", 8);
    trailer.number("trailer.kv_length", 4);
    trailer.number("trailer.index_crc32c", 4);
    trailer.reserved("trailer.reserved", 4);
    trailer.number("trailer.magic", 4);
    add(trailer.take());
    return all;
}

/// All bytes of a file: metadata, buffers, and padding for what is left.
inline std::vector<field> all_fields(std::span<std::byte const> file) {
    auto all = metadata_fields(file);
    for (auto const& t : map_of(file).tensors) {
        auto const layout = number_at(file, t.descriptor.offset + 15, 1);
        bool const matrix = layout == 7 || layout == 8;
        for (std::size_t k = 0; k < t.buffers.size(); ++k) {
            constexpr std::string_view names[] = {"data.values", "data.indices", "data.pointers"};
            auto const name = matrix || k == 0 ? names[k] : std::string_view("data.other");
            if (t.buffers[k].length != 0)
                all.push_back({name, t.buffers[k].offset, t.buffers[k].length, false});
        }
    }
    std::sort(all.begin(), all.end(), [](field const& a, field const& b) { return a.at < b.at; });
    std::vector<field> gaps;
    std::uint64_t end = 0;
    for (auto const& f : all) {
        if (f.at > end) gaps.push_back({"padding", end, f.at - end, false});
        end = f.at + f.width;
    }
    if (end != file.size()) throw std::logic_error("the fields do not fill the file");
    all.insert(all.end(), gaps.begin(), gaps.end());
    return all;
}

}  // namespace hurray_test
