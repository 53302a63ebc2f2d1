#pragma once

// Small files put together in memory: valid ones of every kind, and the means to damage them.
// Where things lie in a file is worked out here from the format's tables, not by the library.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/descriptor.hpp>

#include "bytes.hpp"

namespace hurray_test {

/// A number of `width` bytes, little-endian. Precondition: it lies inside.
std::uint64_t number_at(std::span<std::byte const> from, std::uint64_t at, unsigned width);
void put_number(bytes& into, std::uint64_t at, std::uint64_t value, unsigned width);

/// Bytes that grow field by field.
class byte_writer {
public:
    byte_writer& u8(std::uint64_t v) { return number(v, 1); }
    byte_writer& u16(std::uint64_t v) { return number(v, 2); }
    byte_writer& u32(std::uint64_t v) { return number(v, 4); }
    byte_writer& u64(std::uint64_t v) { return number(v, 8); }
    byte_writer& f32(float v);
    byte_writer& f64(double v);
    byte_writer& text(std::string_view t);
    byte_writer& put(std::span<std::byte const> run);
    byte_writer& zeros(std::uint64_t count);
    byte_writer& pad_to(std::uint64_t alignment);
    std::uint64_t size() const { return all_.size(); }
    bytes take() { return std::move(all_); }
    bytes& all() { return all_; }

private:
    byte_writer& number(std::uint64_t value, unsigned width);
    bytes all_;
};

/// Where the parts of one tensor lie in a file.
struct tensor_map {
    std::uint64_t entry = 0;         ///< its index entry: the name's length
    std::uint64_t entry_fields = 0;  ///< after the name: descriptor_offset 0, descriptor_length 8,
                                     ///< data_offset 12, data_length 20, flags 28
    hurray::byte_range descriptor;
    hurray::byte_range data;
    std::uint64_t byte_offset = 0;    ///< the field, which follows the shape
    std::uint64_t layout_fields = 0;  ///< what follows byte_offset
    std::uint64_t table = 0;          ///< buffer_count; handle k begins at table + 1 + 16 k
    std::uint64_t sections = 0;       ///< what follows the buffer table
    std::vector<hurray::byte_range> buffers{};
};

/// Where the parts of a file lie.
struct file_map {
    std::uint64_t metadata = 0;
    std::uint64_t index = 0;
    std::uint64_t index_length = 0;
    std::uint64_t trailer = 0;
    std::vector<tensor_map> tensors;  ///< in index order
};

/// Precondition: a well-formed file, whose layouts are named or private.
file_map map_of(std::span<std::byte const> file);

/// Makes the index checksum right again. Nothing if the file says it has none, or its index does
/// not lie inside.
void reseal(bytes& file);

/// Puts a file together in the order of the calls, as the format's tables say, and checks nothing.
class file_builder {
public:
    explicit file_builder(std::uint32_t data_alignment = 4096);

    file_builder& minor(unsigned version);
    file_builder& flags(std::uint32_t all);  ///< instead of: index checksum, key-values if any
    file_builder& hint(std::uint64_t tensors);
    /// Zero bytes where the file has got to.
    file_builder& gap(std::uint64_t count);
    /// A descriptor and its buffers. Buffers that are not given are zeros of their stated size.
    file_builder& tensor(std::string name, hurray::descriptor const& what,
                         std::vector<bytes> buffers = {});
    file_builder& tensor(std::string name, bytes descriptor, std::vector<bytes> buffers);
    /// A tensor without data whose data_offset is the next multiple of 8.
    file_builder& tensor_without_place(std::string name, hurray::descriptor const& what);
    file_builder& metadata(bytes section);
    /// The index, here instead of at the end; its entries are for tensors of these names, which
    /// may follow.
    file_builder& index_of(std::vector<std::string> names);
    /// Bytes left over inside the index, after its entries.
    file_builder& index_slack(std::uint64_t count);
    bytes build();

private:
    struct entry {
        std::string name;
        hurray::byte_range descriptor;
        hurray::byte_range data;
    };
    hurray::byte_range place_descriptor(std::span<std::byte const> descriptor);
    bytes index_bytes() const;

    byte_writer out_;
    std::uint32_t alignment_;
    unsigned minor_ = 0;
    std::uint32_t flags_ = 4;
    bool flags_given_ = false;
    std::uint64_t hint_ = ~std::uint64_t{0};
    std::vector<entry> entries_;
    hurray::byte_range metadata_;
    hurray::byte_range index_;
    std::uint64_t slack_ = 0;
};

/// Descriptors that break no rule, each the smallest of its kind that has all its parts.
namespace make {
using hurray::descriptor;
using hurray::element_type;
using hurray::layout;

/// CSR or CSC with exact buffers.
descriptor matrix(layout, element_type, std::uint64_t rows, std::uint64_t columns,
                  std::uint64_t nnz);
/// Row- or column-major with one exact buffer.
descriptor dense(element_type, std::vector<std::uint64_t> shape, layout = layout::row_major);
descriptor strided();  ///< float32 3 x 4, strides 4, 1
descriptor tiled();    ///< float32 4 x 4 in tiles of 2 x 2 in tiles of 1 x 2
descriptor morton();   ///< float32 4 x 4
descriptor hilbert();  ///< float32 4 x 4, order 2
descriptor coo();      ///< float32 3 x 4, nnz 2
descriptor csf();      ///< float32 2 x 3 x 4, nnz 2
descriptor block_paged();
descriptor composite(std::uint8_t rule, std::uint32_t members);
descriptor per_tensor();   ///< int8 2 x 4
descriptor per_channel();  ///< int8 2 x 4, axis 1
descriptor per_block();    ///< int8 2 x 6 in blocks of 4: the last one is partial
descriptor nf4();          ///< uint4 1 x 12 in blocks of 8: the last one is partial
descriptor mxfp();         ///< float8_e4m3 2 x 32 in blocks of 16
descriptor sharded();      ///< CSR float32 4 x 5 at 2, 0 of 8 x 5
descriptor with_statistics();
descriptor extension(std::uint32_t bits);  ///< F0, row-major, 6 elements
descriptor of_private_layout();            ///< F0, read in permissive mode only
}  // namespace make

/// The matrix that the format's text shows, 4 x 5 with 5 entries, float32 and named "m":
/// offsets 0 2 3 5 5 and indices 0 3 2 1 4, or those of CSC.
bytes worked_example(hurray::layout = hurray::layout::csr);
/// CSR "a" and CSC "b", key "k" with the text "v", by the library's writer.
bytes two_matrices(bool sorted = false);
/// One CSR matrix "m" of 1 row, `nnz` columns and as many entries.
bytes one_row(hurray::element_type, std::uint64_t nnz, bytes values);
/// One tensor "t" with zeros for data.
bytes file_of(hurray::descriptor const&);
/// One tensor "t" of these descriptor bytes and the buffers of `like`.
bytes file_of(bytes descriptor, hurray::descriptor const& like);
/// No tensors; a key-value section of one entry "k" with this tag and payload.
/// The tag lies at 7 of the section, the payload at 8.
bytes file_of_value(unsigned tag, bytes payload);
bytes metadata_section(unsigned tag, bytes payload);

/// A valid file with its name. What accepts all of them and refuses the damaged ones is right.
struct named_file {
    std::string name;
    bytes file;
};
/// One of each kind that strict mode accepts.
std::vector<named_file> valid_files();

}  // namespace hurray_test
