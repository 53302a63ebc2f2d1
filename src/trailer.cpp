#include "trailer.hpp"

#include <algorithm>
#include <array>

#include "align.hpp"
#include "wire.hpp"

namespace hurray::format {
namespace {

constexpr std::array<char, 4> magic{'H', 'R', 'R', 'Y'};

}  // namespace

result<trailer> trailer::decode(std::span<std::byte const, size> bytes, std::uint64_t file_size,
                                file_header const& header, mode mode) {
    auto const end = file_size - size;
    auto const at = [&](errc code, std::uint64_t field) {
        return error{.code = code, .offset = end + field};
    };
    for (std::size_t i = 0; i < magic.size(); ++i)  // before any other field
        if (bytes[36 + i] != static_cast<std::byte>(magic[i]))
            return at(errc::bad_trailer_magic, 36 + i);
    if (header.version_minor == 0 && !wire::all_zero(bytes.subspan<32, 4>()))  // R-027, C-11
        return at(errc::trailer_reserved_not_zero, 32);

    trailer t{
        .index = {wire::field<std::uint64_t, 0>(bytes), wire::field<std::uint64_t, 8>(bytes)},
        .metadata = {wire::field<std::uint64_t, 16>(bytes), wire::field<std::uint32_t, 24>(bytes)},
        .index_checksum = wire::field<std::uint32_t, 28>(bytes),
    };
    if ((header.flags & has_index_checksum) == 0 && t.index_checksum != 0)
        return at(errc::index_checksum_without_flag, 28);
    if (!t.index.within(end) || t.index.offset < file_header::size)  // R-028, C-01
        return at(errc::index_outside_file, 0);
    if (!wire::is_aligned(t.index.offset, 8)) return at(errc::index_misaligned, 0);

    bool const announced = (header.flags & has_metadata) != 0;
    if (announced && mode == mode::strict && (t.metadata.offset == 0 || t.metadata.length == 0))
        return at(errc::metadata_flag_wrong, 16);
    if ((t.metadata.offset == 0) != (t.metadata.length == 0))
        return at(errc::metadata_range_incomplete, 16);
    if (t.metadata.length == 0) return t;
    if (!t.metadata.within(end) || t.metadata.offset < file_header::size)
        return at(errc::metadata_outside_its_place, 16);
    if (!wire::is_aligned(t.metadata.offset, 8))
        return at(errc::metadata_misaligned, 16);
    return t;
}

void trailer::encode(std::span<std::byte, size> bytes) const {
    std::fill(bytes.begin(), bytes.end(), std::byte{});
    wire::set_field<std::uint64_t, 0>(bytes, index.offset);
    wire::set_field<std::uint64_t, 8>(bytes, index.length);
    wire::set_field<std::uint64_t, 16>(bytes, metadata.offset);
    wire::set_field<std::uint32_t, 24>(bytes, static_cast<std::uint32_t>(metadata.length));
    wire::set_field<std::uint32_t, 28>(bytes, index_checksum);
    for (std::size_t i = 0; i < magic.size(); ++i) bytes[36 + i] = static_cast<std::byte>(magic[i]);
}

}  // namespace hurray::format
