#pragma once

// What the targets share: invariants that abort, and input taken piece by piece.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace hurray::fuzz {

using byte_vector = std::vector<std::byte>;

/// Aborts when an invariant does not hold, whatever the kind of build.
inline void require(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

inline std::span<std::byte const> bytes_at(std::uint8_t const* data, std::size_t size) noexcept {
    return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(std::span<std::byte const> bytes) noexcept {
    return {static_cast<char const*>(static_cast<void const*>(bytes.data())), bytes.size()};
}

inline std::span<std::byte const> bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// A little-endian number from bytes that may be too few; what is missing is zero.
template<class T> T number_in(std::span<std::byte const> bytes) noexcept {
    T value{};
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

template<class T> void put_number(byte_vector& out, T value) {
    auto const bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template<class T> void set_number(std::span<std::byte> bytes, T value) noexcept {
    std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
}

/// Takes an input from its front. After its end it goes on with zeros and empty pieces.
class input {
public:
    explicit input(std::span<std::byte const> bytes) noexcept : rest_(bytes) {}
    input(std::uint8_t const* data, std::size_t size) noexcept : rest_(bytes_at(data, size)) {}

    bool empty() const noexcept { return rest_.empty(); }
    std::span<std::byte const> rest() const noexcept { return rest_; }
    std::span<std::byte const> take(std::size_t count) noexcept {
        auto const piece = rest_.first(std::min(count, rest_.size()));
        rest_ = rest_.subspan(piece.size());
        return piece;
    }
    template<class T> T number() noexcept { return number_in<T>(take(sizeof(T))); }
    /// A number from 0 to `most`, from one byte.
    std::uint64_t up_to(std::uint8_t most) noexcept {
        return number<std::uint8_t>() % (std::uint64_t{most} + 1);
    }

private:
    std::span<std::byte const> rest_;
};

/// A digest of everything it was given (FNV-1a). Giving bytes reads each of them.
class digest {
public:
    void add(std::span<std::byte const> bytes) noexcept {
        for (auto const b : bytes)
            state_ = (state_ ^ std::to_integer<std::uint64_t>(b)) * 0x100000001B3;
    }
    template<class T> void add_number(T value) noexcept {
        add(std::as_bytes(std::span(&value, 1)));
    }
    friend bool operator==(digest const&, digest const&) = default;

private:
    std::uint64_t state_ = 0xCBF29CE484222325;
};

}  // namespace hurray::fuzz
