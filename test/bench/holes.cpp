#include "holes.hpp"

#include <array>
#include <fstream>
#include <vector>

#include <align.hpp>
#include <crc32c.hpp>
#include <file_header.hpp>
#include <index.hpp>
#include <trailer.hpp>
#include <writer_state.hpp>

namespace bench {

void write_holes(std::filesystem::path const& path, hurray::extents shape, std::uint64_t nnz,
                 std::uint64_t row, std::uint64_t row_length) {
    namespace format = hurray::format;
    constexpr std::uint64_t alignment = 4096;
    auto const up = [](std::uint64_t at, std::uint64_t to) {
        return *hurray::wire::align_up(at, to);
    };
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.exceptions(std::ios::failbit | std::ios::badbit);
    auto const put = [&](std::uint64_t at, void const* bytes, std::size_t size) {
        out.seekp(static_cast<std::streamoff>(at));
        out.write(static_cast<char const*>(bytes), static_cast<std::streamsize>(size));
    };
    auto const put_word = [&](std::uint64_t at, std::uint64_t word) { put(at, &word, 8); };

    std::array<std::byte, format::file_header::size> head;
    format::file_header().encode(head);
    put(0, head.data(), head.size());
    auto const described =
        hurray::matrix_descriptor(hurray::layout::csr, hurray::element_type_of<double>, shape, nnz,
                                  {}, 64)
            .value()
            .encode();
    put(head.size(), described.data(), described.size());
    auto const values = up(head.size() + described.size(), alignment);
    auto const indices = up(values + nnz * 8, alignment);
    auto const offsets = up(indices + nnz * 8, alignment);
    auto const end = offsets + (shape.rows + 1) * 8;

    auto const first = nnz / 2;
    put_word(offsets + row * 8, first);
    put_word(offsets + (row + 1) * 8, first + row_length);
    put_word(offsets + shape.rows * 8, nnz);
    for (std::uint64_t k = 0; k < row_length; ++k) put_word(indices + (first + k) * 8, k);

    format::written_entry const entry{"a", {head.size(), described.size()}, {values, end - values}};
    auto const index = format::encode_index({&entry, 1});
    format::trailer trailer;
    trailer.index = {up(end, 8), index.size()};
    trailer.index_checksum = hurray::detail::crc32c(index);
    put(trailer.index.offset, index.data(), index.size());
    std::array<std::byte, format::trailer::size> tail;
    trailer.encode(tail);
    put(trailer.index.offset + index.size(), tail.data(), tail.size());
    out.close();
}

}  // namespace bench
