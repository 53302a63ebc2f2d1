#include "zip_output.hpp"

namespace hurray::tool {
namespace {

// Every entry is written in the form for large files: one form is enough.
constexpr std::uint64_t in_extra_field = 0xFFFF'FFFF;
constexpr unsigned version = 45, sizes_follow = 1U << 3, zip64_tag = 1;
constexpr std::uint64_t first_of_1980 = 0x0021;  // as the date of everything

}  // namespace

void zip_output::put(std::uint64_t value, unsigned bytes) {
    for (unsigned k = 0; k < bytes; ++k) out_.text() += static_cast<char>(value >> 8 * k & 0xFF);
    position_ += bytes;
}

void zip_output::put_text(std::string_view text) {
    out_.text() += text;
    position_ += text.size();
}

void zip_output::begin(std::string const& name, std::uint64_t size) {
    entries_.push_back({name, position_, size, 0});
    crc_.reset();
    put(0x04034B50, 4);
    put(version, 2);
    put(sizes_follow, 2);
    put(0, 2);  // stored
    put(0, 2);
    put(first_of_1980, 2);
    put(0, 4);  // the checksum follows the bytes
    put(in_extra_field, 4);
    put(in_extra_field, 4);
    put(name.size(), 2);
    put(20, 2);
    put_text(name);
    put(zip64_tag, 2);
    put(16, 2);
    put(size, 8);
    put(size, 8);
}

void zip_output::append(std::string_view bytes) {
    crc_.process_bytes(bytes.data(), bytes.size());
    put_text(bytes);
    out_.spill();
}

void zip_output::end() {
    auto& done = entries_.back();
    done.crc = static_cast<std::uint32_t>(crc_.checksum());
    put(0x08074B50, 4);
    put(done.crc, 4);
    put(done.size, 8);
    put(done.size, 8);
}

void zip_output::put_entry(entry const& one) {
    put(0x02014B50, 4);
    put(version, 2);
    put(version, 2);
    put(sizes_follow, 2);
    put(0, 2);
    put(0, 2);
    put(first_of_1980, 2);
    put(one.crc, 4);
    put(in_extra_field, 4);
    put(in_extra_field, 4);
    put(one.name.size(), 2);
    put(28, 2);
    put(0, 2);  // no comment
    put(0, 2);
    put(0, 2);
    put(0, 4);
    put(in_extra_field, 4);
    put_text(one.name);
    put(zip64_tag, 2);
    put(24, 2);
    put(one.size, 8);
    put(one.size, 8);
    put(one.offset, 8);
}

void zip_output::finish() {
    auto const list = position_;
    for (auto const& one : entries_) put_entry(one);
    auto const end = position_;
    put(0x06064B50, 4);
    put(44, 8);
    put(version, 2);
    put(version, 2);
    put(0, 4);
    put(0, 4);
    put(entries_.size(), 8);
    put(entries_.size(), 8);
    put(end - list, 8);
    put(list, 8);
    put(0x07064B50, 4);
    put(0, 4);
    put(end, 8);
    put(1, 4);
    put(0x06054B50, 4);
    put(0, 4);
    put(entries_.size(), 2);
    put(entries_.size(), 2);
    put(in_extra_field, 4);
    put(in_extra_field, 4);
    put(0, 2);
}

}  // namespace hurray::tool
