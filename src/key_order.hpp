#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace hurray::format {

/// The keys of key-values in the order of their texts, equal ones in that in which they were added.
/// Lifetime: that of the keys.
class key_order {
public:
    void reserve(std::size_t count) { keys_.reserve(count); }
    void add(std::string_view key) { keys_.push_back(key); }

    void sort() {
        sorted_.clear();
        sorted_.reserve(keys_.size());
        for (std::uint32_t i = 0; i < keys_.size(); ++i) sorted_.push_back({head_of(keys_[i]), i});
        if (std::is_sorted(keys_.begin(), keys_.end())) return;  // as a writer likes to have them
        sort_by_heads();
        for (auto first = sorted_.begin(); first != sorted_.end();) {
            auto const last = std::find_if(first, sorted_.end(), [&](placed const& other) {
                return other.head != first->head;
            });
            if (last - first > 1) std::sort(first, last, by_text{keys_});
            first = last;
        }
    }

    /// The second of two equal keys, the smallest there are. Precondition: sort().
    std::optional<std::string_view> repeated() const noexcept {
        auto const at = std::adjacent_find(sorted_.begin(), sorted_.end(), [&](placed a, placed b) {
            return a.head == b.head && keys_[a.entry] == keys_[b.entry];
        });
        if (at == sorted_.end()) return std::nullopt;
        return keys_[(at + 1)->entry];
    }

    /// Which keys they are, counted as they were added. Precondition: sort().
    std::vector<std::uint32_t> entries() const {
        std::vector<std::uint32_t> all;
        all.reserve(sorted_.size());
        for (auto const& key : sorted_) all.push_back(key.entry);
        return all;
    }

private:
    struct placed {
        std::uint64_t head;  ///< the first eight bytes, in the order of texts
        std::uint32_t entry;
    };

    static std::uint64_t head_of(std::string_view key) noexcept {
        std::uint64_t word = 0;
        if (key.size() >= sizeof word) {
            std::memcpy(&word, key.data(), sizeof word);
            return __builtin_bswap64(word);
        }
        for (auto const c : key) word = word << 8 | static_cast<unsigned char>(c);
        return key.empty() ? 0 : word << 8 * (sizeof word - key.size());
    }

    /// The order of texts, and then of entries.
    struct by_text {
        std::vector<std::string_view> const& keys;
        bool operator()(placed a, placed b) const noexcept {
            if (a.head != b.head) return a.head < b.head;
            auto const order = keys[a.entry].compare(keys[b.entry]);
            return order != 0 ? order < 0 : a.entry < b.entry;
        }
    };

    /// Byte by byte from the last one, counting: no branch depends on what the keys are.
    void sort_by_heads() {
        constexpr std::size_t few = 256;  // not worth the counters
        if (sorted_.size() < few) return std::sort(sorted_.begin(), sorted_.end(), by_text{keys_});
        std::array<std::array<std::uint32_t, 256>, 8> counts{};
        for (auto const& key : sorted_)
            for (unsigned k = 0; k < 8; ++k) ++counts[k][key.head >> 8 * k & 0xFF];
        std::vector<placed> other(sorted_.size());
        for (unsigned k = 0; k < 8; ++k) {
            auto& places = counts[k];
            if (places[sorted_[0].head >> 8 * k & 0xFF] == sorted_.size()) continue;  // all alike
            std::uint32_t next = 0;
            for (auto& place : places) next += std::exchange(place, next);
            for (auto const& key : sorted_) other[places[key.head >> 8 * k & 0xFF]++] = key;
            sorted_.swap(other);
        }
    }

    std::vector<std::string_view> keys_;  // as they were added
    std::vector<placed> sorted_;
};

}  // namespace hurray::format
