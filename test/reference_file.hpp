#pragma once

// A second writer, which shares no code with the first: it puts the bytes of a file of CSR and CSC
// matrices together as the format's tables say. What the library writes must equal what this gives.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/crc.hpp>

#include "bytes.hpp"

namespace hurray_test {

struct reference_tensor {
    std::string name;
    std::uint8_t type_tag = 0;
    std::uint8_t layout_tag = 7;  ///< 7 CSR, 8 CSC
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    bytes values{};
    std::vector<std::uint64_t> indices{};
    std::vector<std::uint64_t> offsets{};
};

class reference_bytes {
public:
    reference_bytes& text(std::string_view t) { return put(t.data(), t.size()); }
    reference_bytes& u8(unsigned v) { return number(v, 1); }
    reference_bytes& u16(unsigned v) { return number(v, 2); }
    reference_bytes& u32(std::uint64_t v) { return number(v, 4); }
    reference_bytes& u64(std::uint64_t v) { return number(v, 8); }
    reference_bytes& zeros(std::size_t n) {
        all_.resize(all_.size() + n);
        return *this;
    }
    reference_bytes& pad_to(std::size_t alignment) {
        while (all_.size() % alignment != 0) zeros(1);
        return *this;
    }
    reference_bytes& put(void const* from, std::size_t n) {
        auto const at = all_.size();
        zeros(n);
        if (n != 0) std::memcpy(all_.data() + at, from, n);
        return *this;
    }
    std::uint64_t size() const { return all_.size(); }
    bytes const& all() const { return all_; }

private:
    reference_bytes& number(std::uint64_t v, unsigned width) {
        for (unsigned i = 0; i < width; ++i)
            all_.push_back(static_cast<std::byte>(v >> (8 * i) & 0xFF));
        return *this;
    }
    bytes all_;
};

inline std::uint32_t reference_crc32c(std::span<std::byte const> what) {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(what.data(), what.size());
    return crc.checksum();
}

/// No key-values, an index in the given order, handles that declare an alignment of 64.
inline bytes reference_file(std::span<reference_tensor const> tensors,
                            std::uint32_t alignment = 4096) {
    struct entry {
        std::uint64_t descriptor, data, data_length;
    };
    constexpr std::uint32_t descriptor_length = 20 + 2 * 8 + 8 + 16 + 1 + 3 * 16;
    std::vector<entry> entries;
    reference_bytes out;
    out.text("HRRYFILE").u8(1).u8(0).zeros(2).u32(4).u32(alignment).u64(64);
    out.u64(~std::uint64_t{0}).zeros(28);
    for (auto const& t : tensors) {
        out.pad_to(8);
        auto const descriptor = out.size();
        out.text("HRRY").u8(1).u8(0).u32(descriptor_length).u32(0);
        out.u8(t.type_tag).u8(t.layout_tag).u32(2).u64(t.rows).u64(t.columns).u64(0);
        out.u64(t.indices.size()).zeros(8).u8(3);
        for (std::uint64_t const size :
             {t.values.size(), 8 * t.indices.size(), 8 * t.offsets.size()})
            out.u64(size).u32(64).zeros(4);
        out.pad_to(alignment);
        auto const data = out.size();
        out.put(t.values.data(), t.values.size()).pad_to(alignment);
        out.put(t.indices.data(), 8 * t.indices.size()).pad_to(alignment);
        out.put(t.offsets.data(), 8 * t.offsets.size());
        entries.push_back({descriptor, data, out.size() - data});
    }
    out.pad_to(8);
    auto const index = out.size();
    out.u64(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto const& e = entries[i];
        out.u16(static_cast<unsigned>(tensors[i].name.size())).text(tensors[i].name);
        out.u64(e.descriptor).u32(descriptor_length).u64(e.data).u64(e.data_length).u32(0);
    }
    auto const index_length = out.size() - index;
    auto const crc = reference_crc32c(std::span(out.all()).subspan(index));
    out.u64(index).u64(index_length).u64(0).u32(0).u32(crc).zeros(4).text("HRRY");
    return out.all();
}

}  // namespace hurray_test
