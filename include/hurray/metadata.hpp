#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {
struct metadata_maker;
}

/// Elements of one kind; arrays do not nest.
using metadata_array =
    std::variant<std::vector<std::string>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                 std::vector<double>, std::vector<bool>, std::vector<std::vector<std::byte>>>;

/// One alternative per tag of the format, in the order of the tags: index() + 1 is the tag.
using metadata_value = std::variant<std::string, std::int64_t, std::uint64_t, double, bool,
                                    std::vector<std::byte>, metadata_array>;

struct metadata_entry {
    std::string key;
    metadata_value value;
    friend bool operator==(metadata_entry const&, metadata_entry const&);
};

/// The key-values of a file. Keys are unique; entries keep the order in which they stand in the
/// file, because that order is part of its bytes. Owns all it holds.
class metadata {
public:
    // Not defined here: what destroys and copies variants takes long to compile.
    metadata() noexcept;                       ///< none
    metadata(metadata const&);                 ///< copies all
    metadata(metadata&&) noexcept;             ///< leaves none behind
    metadata& operator=(metadata const&);      ///< copies all
    metadata& operator=(metadata&&) noexcept;  ///< leaves none behind
    ~metadata();
    /// A key given twice keeps its last value.
    metadata(std::initializer_list<metadata_entry> entries);

    /// The entries in file order. Spans and iterators are made of pointers: from the vector itself
    /// every file that includes this would take longer to compile.
    std::span<metadata_entry const> entries() const& noexcept {
        return {entries_.data(), entries_.size()};
    }
    std::span<metadata_entry const> entries() const&& = delete;
    metadata_entry const* begin() const& noexcept { return entries_.data(); }
    metadata_entry const* end() const& noexcept { return entries_.data() + entries_.size(); }
    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }

    /// The value of `key`, or null. Complexity: logarithmic. Lifetime: until this is changed.
    metadata_value const* find(std::string_view key) const& noexcept;
    metadata_value const* find(std::string_view key) const&& = delete;

    /// Adds the key at the end, or replaces its value where it stands.
    /// Complexity: linear; use assign() for many.
    void set(std::string key, metadata_value value);

    /// Takes all entries at once. False, and nothing is taken, if a key appears twice.
    /// Complexity: n log n.
    bool assign(std::vector<metadata_entry> entries);

    friend bool operator==(metadata const&, metadata const&);

private:
    friend struct detail::metadata_maker;
    std::vector<metadata_entry> entries_;
    std::vector<std::uint32_t> by_key_;  // positions in entries_, sorted by key
};

}  // namespace v0
}  // namespace hurray
