#include "file_header.hpp"

#include <algorithm>
#include <array>

#include "align.hpp"
#include "wire.hpp"

namespace hurray::format {
namespace {

constexpr std::array<char, 8> magic{'H', 'R', 'R', 'Y', 'F', 'I', 'L', 'E'};
constexpr std::uint8_t version_major = 1;  // what is written is 1.0
constexpr std::uint32_t known_flags = has_metadata | sorted_index | has_index_checksum;

error at(errc code, std::uint64_t offset) { return {.code = code, .offset = offset}; }

}  // namespace

bool is_data_alignment(std::uint32_t alignment) noexcept {
    return wire::is_power_of_two(alignment) && alignment >= 4096 && alignment <= 2097152;
}

result<file_header> file_header::decode(std::span<std::byte const, size> bytes) {
    for (std::size_t i = 0; i < magic.size(); ++i)  // magic is HRRYFILE
        if (bytes[i] != static_cast<std::byte>(magic[i])) return at(errc::bad_file_magic, i);

    auto const major = wire::field<std::uint8_t, 8>(bytes);
    if (major > version_major) return at(errc::container_version_too_new, 8);
    if (major < version_major) return at(errc::container_version_too_old, 8);

    file_header header{
        .version_minor = wire::field<std::uint8_t, 9>(bytes),
        .flags = wire::field<std::uint32_t, 12>(bytes),
        .data_alignment = wire::field<std::uint32_t, 16>(bytes),
        .first_descriptor = wire::field<std::uint64_t, 20>(bytes),
        .tensor_count_hint = wire::field<std::uint64_t, 28>(bytes),
    };
    if (header.version_minor == 0) {                  // R-008, C-11: a later minor may use them
        if (!wire::all_zero(bytes.subspan<10, 2>()))
            return at(errc::header_reserved_not_zero, 10);
        if (!wire::all_zero(bytes.subspan<36, 28>()))
            return at(errc::header_tail_not_zero, 36);
    }
    if ((header.flags & ~known_flags) != 0) return at(errc::unknown_file_flags, 12);
    if (!is_data_alignment(header.data_alignment))
        return at(errc::bad_data_alignment, 16);
    if (header.first_descriptor < size)
        return at(errc::first_descriptor_inside_header, 20);
    if (!wire::is_aligned(header.first_descriptor, 8))
        return at(errc::first_descriptor_misaligned, 20);
    return header;
}

void file_header::encode(std::span<std::byte, size> bytes) const {
    std::fill(bytes.begin(), bytes.end(), std::byte{});  // what is not named below is 0
    for (std::size_t i = 0; i < magic.size(); ++i) bytes[i] = static_cast<std::byte>(magic[i]);
    wire::set_field<std::uint8_t, 8>(bytes, version_major);
    wire::set_field<std::uint8_t, 9>(bytes, version_minor);
    wire::set_field<std::uint32_t, 12>(bytes, flags);
    wire::set_field<std::uint32_t, 16>(bytes, data_alignment);
    wire::set_field<std::uint64_t, 20>(bytes, first_descriptor);
    wire::set_field<std::uint64_t, 28>(bytes, tensor_count_hint);
}

}  // namespace hurray::format
