#pragma once

// A file without its padding. Placing the parts, their offsets and lengths, the checksum and the
// trailer follow from it; patches falsify what was computed.

#include <algorithm>
#include <optional>
#include <string>

#include <hurray/checksum.hpp>
#include <hurray/descriptor.hpp>

#include <crc32c.hpp>

#include "check.hpp"

namespace hurray::fuzz {

inline constexpr std::size_t header_size = 64, trailer_size = 40, name_less_entry_size = 34;

/// The parts of a file that its last bytes point at; empty where they point outside.
struct file_frame {
    std::span<std::byte const> header, index, metadata, trailer;
};

inline std::span<std::byte const> piece_of(std::span<std::byte const> bytes, std::uint64_t offset,
                                           std::uint64_t length) noexcept {
    if (offset > bytes.size() || length > bytes.size() - offset) return {};
    return bytes.subspan(offset, length);
}

inline std::optional<file_frame> frame_of(std::span<std::byte const> file) noexcept {
    if (file.size() < header_size + trailer_size) return std::nullopt;
    auto const trailer = file.last(trailer_size);
    input in(trailer);
    auto const index_offset = in.number<std::uint64_t>(), index_length = in.number<std::uint64_t>();
    auto const metadata_offset = in.number<std::uint64_t>();
    auto const metadata_length = in.number<std::uint32_t>();
    return file_frame{file.first(header_size), piece_of(file, index_offset, index_length),
                      piece_of(file, metadata_offset, metadata_length), trailer};
}

/// Calls f(name, where its other fields begin) for each entry of an index as long as they fit.
template<class F> void for_each_entry(std::span<std::byte const> index, F&& f) {
    input in(index);
    for (auto left = in.number<std::uint64_t>(); left != 0; --left) {
        if (in.rest().size() < name_less_entry_size) return;
        auto const name = in.take(in.number<std::uint16_t>());
        if (in.rest().size() < name_less_entry_size - 2) return;
        f(name, in.take(name_less_entry_size - 2));
    }
}

struct model_tensor {
    byte_vector name;
    byte_vector descriptor;
    byte_vector data;  ///< the buffers one after the other
};

struct model {
    static constexpr std::size_t most_tensors = 16, most_bytes = 0xFFFF;
    enum control : std::uint8_t {
        alignment = 0x03,       ///< 4096, 8192, 16384 or 65536
        claims_sorted = 0x04,   ///< file flag 1
        no_checksum = 0x08,     ///< file flag 2 clear
        hides_metadata = 0x10,  ///< file flag 0 clear although there are key-values
        counts_tensors = 0x20,  ///< tensor_count_hint is the count
        index_first = 0x40,     ///< the index stands before the key-values
        keeps_mismatch = 0x80,  ///< patches are not followed by repairing the checksum
    };
    static constexpr std::uint64_t alignments[] = {4096, 8192, 16384, 65536};

    std::uint8_t how = 0;
    byte_vector metadata{};
    std::vector<model_tensor> tensors{};
    /// Eleven bytes each: u16 place among the bytes that are no padding, u8 logarithm of the width,
    /// u64 value.
    byte_vector patches{};

    static model decode(std::span<std::byte const> bytes);
    byte_vector encode() const;
    /// What can be found of a model in a file, which need not be a legal one.
    static std::optional<model> of_file(std::span<std::byte const> file);
    byte_vector expand() const;
};

inline model model::decode(std::span<std::byte const> bytes) {
    input in(bytes);
    auto const take = [&](std::size_t size) {
        auto const piece = in.take(size);
        return byte_vector(piece.begin(), piece.end());
    };
    model m;
    m.how = in.number<std::uint8_t>();
    m.metadata = take(in.number<std::uint16_t>());
    auto const tensors = in.up_to(most_tensors);
    for (std::uint64_t i = 0; i < tensors; ++i) {
        model_tensor t;
        t.name = take(in.number<std::uint8_t>());
        t.descriptor = take(in.number<std::uint16_t>());
        t.data = take(in.number<std::uint16_t>());
        m.tensors.push_back(std::move(t));
    }
    m.patches.assign(in.rest().begin(), in.rest().end());
    return m;
}

inline byte_vector model::encode() const {
    byte_vector out;
    auto const give = [&]<class Length>(byte_vector const& bytes, Length most) {
        auto const size = std::min(bytes.size(), static_cast<std::size_t>(most));
        put_number(out, static_cast<Length>(size));
        out.insert(out.end(), bytes.data(), bytes.data() + size);
    };
    put_number(out, how);
    give(metadata, std::uint16_t{0xFFFF});
    auto const count = std::min(tensors.size(), most_tensors);
    put_number(out, static_cast<std::uint8_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        give(tensors[i].name, std::uint8_t{0xFF});
        give(tensors[i].descriptor, std::uint16_t{0xFFFF});
        give(tensors[i].data, std::uint16_t{0xFFFF});
    }
    out.insert(out.end(), patches.begin(), patches.end());
    return out;
}

/// How many bytes each buffer of a tensor takes; `otherwise` if its descriptor cannot be read.
inline std::vector<std::uint64_t> buffer_sizes(std::span<std::byte const> descriptor,
                                               std::uint64_t otherwise) {
    auto const d = descriptor::decode(descriptor, mode::permissive);
    if (!d || d->buffers.empty()) return {otherwise};
    std::vector<std::uint64_t> sizes;
    for (auto const& b : d->buffers) sizes.push_back(b.byte_size);
    return sizes;
}

/// A tensor in a file: what of it is really there.
struct found_tensor {
    std::span<std::byte const> name, descriptor;
    std::vector<std::span<std::byte const>> buffers;
};

inline std::vector<found_tensor> tensors_of(std::span<std::byte const> file,
                                            file_frame const& frame) {
    std::uint64_t const alignment = number_in<std::uint32_t>(frame.header.subspan(16));
    std::vector<found_tensor> found;
    for_each_entry(frame.index, [&](std::span<std::byte const> name, auto fields) {
        if (found.size() == model::most_tensors) return;
        input in(fields);
        auto const at = in.number<std::uint64_t>();
        found_tensor t{name, piece_of(file, at, in.number<std::uint32_t>()), {}};
        auto place = in.number<std::uint64_t>();
        for (auto const size : buffer_sizes(t.descriptor, in.number<std::uint64_t>())) {
            place = (place + alignment - 1) & ~(alignment - 1);
            t.buffers.push_back(piece_of(file, place, size));
            place += size;
        }
        found.push_back(std::move(t));
    });
    return found;
}

inline std::optional<model> model::of_file(std::span<std::byte const> file) {
    auto const frame = frame_of(file);
    if (!frame || frame->index.empty() || frame->metadata.size() > most_bytes) return std::nullopt;
    model m;
    auto const flags = number_in<std::uint32_t>(frame->header.subspan(12));
    auto const aligned_to = number_in<std::uint32_t>(frame->header.subspan(16));
    while (m.how != alignment && aligned_to > alignments[m.how]) ++m.how;
    if ((flags & 2) != 0) m.how |= claims_sorted;
    if ((flags & 4) == 0) m.how |= no_checksum;
    if ((flags & 1) == 0 && !frame->metadata.empty()) m.how |= hides_metadata;
    m.metadata.assign(frame->metadata.begin(), frame->metadata.end());
    auto const copy = [](std::span<std::byte const> b) { return byte_vector(b.begin(), b.end()); };
    for (auto const& t : tensors_of(file, *frame)) {
        model_tensor given{copy(t.name), copy(t.descriptor), {}};
        for (auto const& b : t.buffers)
            given.data.insert(given.data.end(), b.begin(),
                              b.begin() + static_cast<std::ptrdiff_t>(
                                              std::min(b.size(), most_bytes - given.data.size())));
        m.tensors.push_back(std::move(given));
    }
    return m;
}

/// Lays out a file from the parts of a model.
class expansion {
public:
    explicit expansion(model const& m) : model_(m) {}

    byte_vector run() {
        put_header();
        for (auto const& t : model_.tensors) put_tensor(t);
        bool const index_first = (model_.how & model::index_first) != 0;
        if (index_first) put_index();
        put_metadata();
        if (!index_first) put_index();
        put_trailer(sum());
        if ((model_.how & model::keeps_mismatch) == 0) repair_table();
        auto const patched = apply_patches();
        if (patched && (model_.how & model::keeps_mismatch) == 0) {
            set_number(std::span(file_).last(trailer_size).subspan(28, 4), sum());
            repair_table();
        }
        return std::move(file_);
    }

private:
    static constexpr std::size_t largest = std::size_t{2} << 20;
    struct place {
        std::uint64_t offset = 0, length = 0;
    };

    std::uint64_t alignment() const noexcept {
        return model::alignments[model_.how & model::alignment];
    }
    void pad_to(std::uint64_t alignment) {
        file_.resize((file_.size() + alignment - 1) / alignment * alignment);
    }
    place append(std::span<std::byte const> bytes) {
        place const where{file_.size(), bytes.size()};
        file_.insert(file_.end(), bytes.begin(), bytes.end());
        parts_.push_back(where);
        return where;
    }

    void put_header() {
        std::uint32_t flags = 0;
        if (!model_.metadata.empty() && (model_.how & model::hides_metadata) == 0) flags |= 1;
        if ((model_.how & model::claims_sorted) != 0) flags |= 2;
        if ((model_.how & model::no_checksum) == 0) flags |= 4;
        bool const counts = (model_.how & model::counts_tensors) != 0;
        auto const magic = bytes_of("HRRYFILE");
        byte_vector header(magic.begin(), magic.end());
        put_number(header, std::uint32_t{1});
        put_number(header, flags);
        put_number(header, static_cast<std::uint32_t>(alignment()));
        put_number(header, std::uint64_t{header_size});
        put_number(header, counts ? model_.tensors.size() : ~std::uint64_t{0});
        header.resize(header_size);
        append(header);
    }

    void put_tensor(model_tensor const& t) {
        pad_to(8);
        auto const where = append(t.descriptor);
        descriptors_.push_back(where);
        if (t.descriptor.size() >= 10)
            set_number(std::span(file_).subspan(where.offset + 6, 4),
                       static_cast<std::uint32_t>(where.length));
        auto const descriptor =
            byte_vector(file_.end() - static_cast<std::ptrdiff_t>(where.length), file_.end());
        auto const data = put_data(t.data, buffer_sizes(descriptor, t.data.size()));
        index_.insert(index_.end(), {std::byte(t.name.size()), std::byte(t.name.size() >> 8)});
        index_.insert(index_.end(), t.name.begin(), t.name.end());
        put_number(index_, where.offset);
        put_number(index_, static_cast<std::uint32_t>(where.length));
        put_number(index_, data.offset);
        put_number(index_, data.length);
        put_number(index_, std::uint32_t{0});
    }

    place put_data(std::span<std::byte const> data, std::vector<std::uint64_t> const& sizes) {
        if (std::all_of(sizes.begin(), sizes.end(), [](std::uint64_t n) { return n == 0; }))
            return {(file_.size() + 7) / 8 * 8, 0};
        pad_to(alignment());
        auto const start = file_.size();
        input in(data);
        for (auto const size : sizes) {
            if (file_.size() > largest) break;
            pad_to(alignment());
            auto const piece = in.take(size);
            append(piece);
            // A buffer may be longer than the data at hand, within reason.
            file_.resize(file_.size() + std::min<std::uint64_t>(size - piece.size(), 4096));
        }
        return {start, file_.size() - start};
    }

    void put_metadata() {
        if (model_.metadata.empty()) return;
        pad_to(8);
        metadata_ = append(model_.metadata);
    }
    void put_index() {
        pad_to(8);
        byte_vector whole;
        put_number(whole, std::uint64_t{model_.tensors.size()});
        whole.insert(whole.end(), index_.begin(), index_.end());
        index_place_ = append(whole);
    }
    std::uint32_t sum() const {
        if ((model_.how & model::no_checksum) != 0) return 0;
        return sum_of(index_place_);
    }
    void put_trailer(std::uint32_t checksum) {
        byte_vector trailer;
        put_number(trailer, index_place_.offset);
        put_number(trailer, index_place_.length);
        put_number(trailer, metadata_.offset);
        put_number(trailer, static_cast<std::uint32_t>(metadata_.length));
        put_number(trailer, checksum);
        put_number(trailer, std::uint32_t{0});
        auto const magic = bytes_of("HRRY");
        trailer.insert(trailer.end(), magic.begin(), magic.end());
        append(trailer);
    }

    /// Makes the sums right of header, trailer, key-values and descriptors (checksum.hpp).
    void repair_table() {
        auto const section = std::span(file_).subspan(metadata_.offset, metadata_.length);
        auto const at = text_of(section).find(checksum_key);
        if (at == std::string_view::npos) return;
        auto const skipped = at + checksum_key.size() + 5;  // the tag and the length
        if (skipped + 24 > section.size()) return;
        auto const table = section.subspan(skipped);
        set_number(table.subspan(0, 4), detail::crc32c(std::span(file_).first(header_size)));
        set_number(table.subspan(4, 4), detail::crc32c(std::span(file_).last(trailer_size)));
        std::size_t field = 24;
        for (auto const& where : descriptors_) {
            if (field + 8 > table.size()) break;
            set_number(table.subspan(field, 4), sum_of(where));
            auto const buffers = number_in<std::uint32_t>(table.subspan(field + 4));
            field += 8;
            for (std::uint32_t k = 0; k < buffers && field + 8 <= table.size(); ++k)
                field += 8 + 4 * std::min<std::uint64_t>(
                                     number_in<std::uint64_t>(table.subspan(field)), 65536);
        }
        set_number(table.subspan(8, 4), std::uint32_t{0});
        set_number(table.subspan(8, 4), detail::crc32c(section));
    }
    std::uint32_t sum_of(place where) const {
        return detail::crc32c(std::span(file_).subspan(where.offset, where.length));
    }

    bool apply_patches() {
        input in(model_.patches);
        std::uint64_t total = 0;
        for (auto const& p : parts_) total += p.length;
        bool any = false;
        while (!in.empty()) {
            std::uint64_t at = in.number<std::uint16_t>() % total;
            auto const width = std::size_t{1} << in.up_to(3);
            auto const value = in.number<std::uint64_t>();
            for (auto const& p : parts_) {
                if (at < p.length) {
                    auto const part = std::span(file_).subspan(p.offset + at, p.length - at);
                    set_number(part.first(std::min(width, part.size())), value);
                    any = true;
                    break;
                }
                at -= p.length;
            }
        }
        return any;
    }

    model const& model_;
    byte_vector file_;
    byte_vector index_;  ///< its entries
    place index_place_;
    place metadata_;
    std::vector<place> parts_;
    std::vector<place> descriptors_;
};

inline byte_vector model::expand() const { return expansion(*this).run(); }

}  // namespace hurray::fuzz
