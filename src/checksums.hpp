#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hurray/checksum.hpp>
#include <hurray/descriptor.hpp>
#include <hurray/result.hpp>

namespace hurray::format {

/// CRCs of the blocks of one buffer, made while its bytes go by.
class block_sums {
public:
    explicit block_sums(unsigned shift) noexcept : shift_(shift) {}

    void add(std::span<std::byte const> bytes);
    /// Ends the buffer: the last block may be short.
    void finish();
    /// Blocks twice as long: each pair becomes one.
    void merge();
    std::size_t blocks() const noexcept { return sums_.size(); }
    std::span<std::uint32_t const> sums() const noexcept { return sums_; }

private:
    std::uint64_t block() const noexcept { return std::uint64_t{1} << shift_; }

    unsigned shift_;
    std::vector<std::uint32_t> sums_;  ///< of whole blocks; after finish() of all
    std::uint32_t current_ = 0;        ///< of the block that is not whole yet
    std::uint64_t filled_ = 0;         ///< its bytes so far
    std::uint64_t short_ = 0;          ///< after finish(): bytes of the last block
};

/// What a writer gathers for the table.
class checksum_writer {
public:
    static constexpr unsigned first_shift = 16;
    static constexpr std::size_t most_blocks = 65536;

    /// A tensor begins; its buffers are summed by buffer().
    void begin_tensor(std::size_t buffers);
    void set_descriptor(std::span<std::byte const> bytes);
    /// Forgets the buffers of the tensor in progress.
    void restart_buffers();
    block_sums& buffer(std::size_t k) noexcept { return tensors_.back().buffers[k]; }
    /// Ends a tensor: blocks grow while there are too many.
    void finish_tensor();

    /// The table, tensors in the order of `order`: positions in the order of writing.
    /// The sums of header, trailer and metadata are zero yet.
    std::vector<std::byte> encode(std::span<std::uint32_t const> order) const;

private:
    struct tensor_sums {
        std::uint32_t descriptor = 0;
        std::vector<block_sums> buffers;
    };
    unsigned shift_ = first_shift;
    std::size_t blocks_ = 0;
    std::vector<tensor_sums> tensors_;
};

/// Offsets in the table of the three sums that are known last.
namespace checksum_field {
inline constexpr std::uint64_t header = 0, trailer = 4, metadata = 8;
}

/// The table as a reader holds it.
class checksum_table {
public:
    /// Errors: bad_checksum_table with the byte in `bytes`.
    static result<checksum_table> decode(std::span<std::byte const> bytes, std::uint64_t tensors);

    std::uint32_t header() const noexcept { return header_; }
    std::uint32_t trailer() const noexcept { return trailer_; }
    std::uint32_t metadata() const noexcept { return metadata_; }
    std::uint32_t descriptor(std::size_t tensor) const noexcept {
        return tensors_[tensor].descriptor;
    }
    /// Checks the blocks under bytes [first, last) of buffer k, which lies at `where` in `file`;
    /// those that were checked before are not read again. Safe from many threads.
    /// Errors: checksum_mismatch with the first byte of the block; bad_checksum_table.
    result<void> check(std::size_t tensor, std::size_t k, std::span<std::byte const> file,
                       byte_range where, std::uint64_t first, std::uint64_t last) const;

private:
    struct buffer_sums {
        std::uint64_t first = 0;  ///< in sums_
        std::uint64_t blocks = 0;
    };
    struct tensor_sums {
        std::uint32_t descriptor = 0;
        std::uint32_t first = 0;  ///< in buffers_
        std::uint32_t buffers = 0;
    };
    std::uint32_t header_ = 0, trailer_ = 0, metadata_ = 0;
    unsigned shift_ = checksum_writer::first_shift;
    std::vector<tensor_sums> tensors_;
    std::vector<buffer_sums> buffers_;
    std::vector<std::uint32_t> sums_;
    std::unique_ptr<std::atomic<bool>[]> checked_;  ///< one per sum
};

}  // namespace hurray::format
