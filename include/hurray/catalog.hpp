#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <hurray/descriptor.hpp>
#include <hurray/options.hpp>
#include <hurray/result.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// Where a catalog reads from: a file, an object store, an engine's buffer pool.
/// Calls come from the thread that calls the catalog.
class source {
public:
    virtual ~source() = default;
    /// Bytes in all. Asked once per catalog.
    virtual std::uint64_t size() const noexcept = 0;
    /// Fills `into` from `offset`. The range always lies within size().
    virtual result<void> read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

/// A tensor as the index lists it. Lifetime of `name`: the catalog's.
struct index_entry {
    std::string_view name;
    byte_range descriptor;  ///< inside the file
    byte_range data;        ///< inside the file, unless its length is 0: then it is no place
};

/// A tensor as its descriptor tells it: what it is, and where each buffer lies in the file.
struct tensor {
    std::string_view name;  ///< lifetime: the catalog's
    hurray::descriptor descriptor;
    std::vector<byte_range> buffers;  ///< in the order of the descriptor's buffers
};

/// What a file says of itself before any tensor is touched: header, trailer, index, key-values.
/// Each of those bytes is fetched once, into memory the catalog owns. Cheap to copy: copies share.
class catalog {
public:
    /// Reads and checks header, trailer, index and key-values.
    /// Errors: the rule and the byte; whatever the source fails with.
    /// Complexity: n log n in the index and key-values. Memory: at most 16 times their bytes plus
    /// 1 MiB; nothing for data.
    static result<catalog> read(source const&, read_options const& = {});

    std::uint64_t file_size() const noexcept;
    std::uint32_t data_alignment() const noexcept;
    /// Bits as stored: 0 key-values, 1 sorted index, 2 index checksum.
    std::uint32_t file_flags() const noexcept;
    hurray::mode mode() const noexcept;

    /// The tensors, in index order. The only one needs no name: tensors().front().
    std::span<index_entry const> tensors() const& noexcept;
    std::span<index_entry const> tensors() const&& = delete;
    /// The tensors as their descriptors follow each other in the file, which is what holds
    /// composites together. Lifetime: the catalog's. Complexity: n log n.
    std::vector<index_entry const*> in_file_order() const&;
    std::vector<index_entry const*> in_file_order() const&& = delete;
    /// The entry of `name`, or null. Complexity: logarithmic.
    index_entry const* find(std::string_view name) const& noexcept;
    index_entry const* find(std::string_view name) const&& = delete;
    hurray::metadata const& metadata() const& noexcept;
    hurray::metadata const& metadata() const&& = delete;
    /// What was tolerated, at most 64 of it: rules of the format, with their bytes.
    std::span<error const> notes() const& noexcept;
    std::span<error const> notes() const&& = delete;

    /// Whether the file carries checksums (checksum.hpp), looked at or not.
    bool has_checksums() const noexcept;

    /// Fetches the descriptor of `name` from the file's source, once, and checks it against the
    /// index. Errors: no_such_tensor; the rule and the byte; what the source fails with.
    /// Complexity: linear in the descriptor, which is at most 256 KiB.
    result<tensor> describe(source const&, std::string_view name) const&;
    result<tensor> describe(source const&, index_entry const&) const&;
    result<tensor> describe(source const&, std::string_view name) const&& = delete;
    result<tensor> describe(source const&, index_entry const&) const&& = delete;

    /// The file's sections and the gaps between them, in file order, for those who check padding.
    struct section {
        enum class kind : std::uint8_t { header, descriptor, data, metadata, index, trailer };
        kind what{};
        byte_range where;
        index_entry const* tensor = nullptr;
    };
    std::vector<section> sections() const;

private:
    struct state;
    explicit catalog(std::shared_ptr<state const>) noexcept;
    std::shared_ptr<state const> state_;
    friend class file_view;
    friend class full_verification;
};

}  // namespace v0
}  // namespace hurray
