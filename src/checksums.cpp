#include "checksums.hpp"

#include <algorithm>

#include "crc32c.hpp"
#include "wire.hpp"

namespace hurray::format {

using detail::crc32c;
using detail::crc32c_combine;

void block_sums::add(std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const part = bytes.first(std::min<std::uint64_t>(bytes.size(), block() - filled_));
        current_ = crc32c(part, current_);
        filled_ += part.size();
        bytes = bytes.subspan(part.size());
        if (filled_ < block()) return;
        sums_.push_back(current_);
        current_ = 0;
        filled_ = 0;
    }
}

void block_sums::finish() {
    short_ = filled_ != 0 ? filled_ : block();
    if (filled_ != 0) sums_.push_back(current_);
    current_ = 0;
    filled_ = 0;
}

void block_sums::merge() {
    auto const last = sums_.size() - 1;
    for (std::size_t i = 0; i + 1 < sums_.size(); i += 2)
        sums_[i / 2] = crc32c_combine(sums_[i], sums_[i + 1], i + 1 == last ? short_ : block());
    if (sums_.size() % 2 != 0)
        sums_[last / 2] = sums_[last];
    else if (!sums_.empty())
        short_ += block();
    sums_.resize((sums_.size() + 1) / 2);
    ++shift_;
}

void checksum_writer::begin_tensor(std::size_t buffers) {
    tensors_.push_back({0, std::vector<block_sums>(buffers, block_sums(shift_))});
}

void checksum_writer::restart_buffers() {
    auto& buffers = tensors_.back().buffers;
    buffers.assign(buffers.size(), block_sums(shift_));
}

void checksum_writer::set_descriptor(std::span<std::byte const> bytes) {
    tensors_.back().descriptor = crc32c(bytes);
}

void checksum_writer::finish_tensor() {
    for (auto& buffer : tensors_.back().buffers) {
        buffer.finish();
        blocks_ += buffer.blocks();
    }
    while (blocks_ > most_blocks && shift_ < 63) {
        ++shift_;
        auto const before = blocks_;
        blocks_ = 0;
        for (auto& tensor : tensors_)
            for (auto& buffer : tensor.buffers) {
                buffer.merge();
                blocks_ += buffer.blocks();
            }
        if (blocks_ == before) return;  // a block a buffer: there is no less
    }
}

std::vector<std::byte> checksum_writer::encode(std::span<std::uint32_t const> order) const {
    std::vector<std::byte> bytes;
    wire::appender out(bytes);
    out.zeros(12).number(std::uint32_t{shift_}).number(std::uint64_t{order.size()});
    for (auto const i : order) {
        auto const& tensor = tensors_[i];
        out.number(tensor.descriptor).number(static_cast<std::uint32_t>(tensor.buffers.size()));
        for (auto const& buffer : tensor.buffers) {
            out.number(std::uint64_t{buffer.blocks()});
            for (auto const sum : buffer.sums()) out.number(sum);
        }
    }
    return bytes;
}

result<checksum_table> checksum_table::decode(std::span<std::byte const> bytes,
                                              std::uint64_t tensors) {
    wire::cursor in(bytes);
    auto const bad = [&] {
        return error{.code = errc::bad_checksum_table, .offset = in.position()};
    };
    auto const head = in.take<24>();
    if (!head) return bad();
    checksum_table table;
    table.header_ = wire::field<std::uint32_t, 0>(*head);
    table.trailer_ = wire::field<std::uint32_t, 4>(*head);
    table.metadata_ = wire::field<std::uint32_t, 8>(*head);
    table.shift_ = wire::field<std::uint32_t, 12>(*head);
    if (table.shift_ < checksum_writer::first_shift || table.shift_ > 63) return bad();
    if (wire::field<std::uint64_t, 16>(*head) != tensors) return bad();
    for (std::uint64_t t = 0; t < tensors; ++t) {
        auto const tensor = in.take<8>();
        if (!tensor) return bad();
        auto const buffers = wire::field<std::uint32_t, 4>(*tensor);
        table.tensors_.push_back({wire::field<std::uint32_t, 0>(*tensor),
                                  static_cast<std::uint32_t>(table.buffers_.size()), buffers});
        for (std::uint32_t k = 0; k < buffers; ++k) {
            auto const blocks = in.take_number<std::uint64_t>();
            if (!blocks) return bad();
            auto const sums = in.take_numbers<std::uint32_t>(*blocks);
            if (!sums) return bad();
            table.buffers_.push_back({table.sums_.size(), *blocks});
            table.sums_.insert(table.sums_.end(), sums->begin(), sums->end());
        }
    }
    if (in.remaining() != 0) return bad();
    table.checked_ = std::make_unique<std::atomic<bool>[]>(table.sums_.size());
    return table;
}

result<void> checksum_table::check(std::size_t tensor, std::size_t k,
                                   std::span<std::byte const> file, byte_range where,
                                   std::uint64_t first, std::uint64_t last) const {
    auto const block = std::uint64_t{1} << shift_;
    auto const need = where.length / block + (where.length % block != 0 ? 1 : 0);
    auto const& t = tensors_[tensor];
    if (k >= t.buffers || buffers_[t.first + k].blocks != need)
        return error{.code = errc::bad_checksum_table, .offset = where.offset};
    if (first >= last) return {};
    auto const base = buffers_[t.first + k].first;
    for (auto b = first / block; b <= (last - 1) / block; ++b) {
        auto& seen = checked_[base + b];
        if (seen.load(std::memory_order_relaxed)) continue;
        auto const at = where.offset + b * block;
        auto const size = std::min(block, where.length - b * block);
        if (crc32c(file.subspan(at, size)) != sums_[base + b])
            return error{.code = errc::checksum_mismatch, .offset = at};
        seen.store(true, std::memory_order_relaxed);
    }
    return {};
}

}  // namespace hurray::format
