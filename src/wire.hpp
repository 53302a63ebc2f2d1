#pragma once

// little-endian fields at offsets that the compiler knows. A record is taken whole, as a
// span of static extent; after that no field of it can be out of bounds.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <boost/endian/conversion.hpp>

namespace hurray::wire {

template<class T, std::size_t Offset, std::size_t N>
requires(N != std::dynamic_extent && Offset + sizeof(T) <= N) T
    field(std::span<std::byte const, N> record)
noexcept {
    return boost::endian::endian_load<T, sizeof(T), boost::endian::order::little>(
        reinterpret_cast<unsigned char const*>(record.data() + Offset));
}

template<class T, std::size_t Offset, std::size_t N>
requires(N != std::dynamic_extent &&
         Offset + sizeof(T) <= N) void set_field(std::span<std::byte, N> record, T value) noexcept {
    boost::endian::endian_store<T, sizeof(T), boost::endian::order::little>(
        reinterpret_cast<unsigned char*>(record.data() + Offset), value);
}

inline bool all_zero(std::span<std::byte const> bytes) noexcept {
    for (auto const b : bytes)
        if (b != std::byte{}) return false;
    return true;
}

inline std::span<std::byte const> bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Takes records from the front of bytes that may end too early.
class cursor {
public:
    explicit cursor(std::span<std::byte const> bytes) noexcept : bytes_(bytes) {}

    std::uint64_t position() const noexcept { return position_; }
    std::uint64_t remaining() const noexcept { return bytes_.size() - position_; }

    /// The next N bytes, or nothing if fewer are left.
    template<std::size_t N> std::optional<std::span<std::byte const, N>> take() noexcept {
        if (remaining() < N) return std::nullopt;
        auto const at = bytes_.subspan(position_).template first<N>();
        position_ += N;
        return at;
    }
    template<class T> std::optional<T> take_number() noexcept {
        if (remaining() < sizeof(T)) return std::nullopt;
        auto const value = field<T, 0>(bytes_.subspan(position_).template first<sizeof(T)>());
        position_ += sizeof(T);
        return value;
    }
    std::optional<std::span<std::byte const>> take(std::uint64_t count) noexcept {
        if (count > remaining()) return std::nullopt;
        auto const at = bytes_.subspan(position_, count);
        position_ += count;
        return at;
    }
    /// `count` numbers. Allocates only when that many are there.
    template<class T> std::optional<std::vector<T>> take_numbers(std::uint64_t count) {
        if (count > remaining() / sizeof(T)) return std::nullopt;
        std::vector<T> numbers(count);
        for (auto& n : numbers) n = *take_number<T>();
        return numbers;
    }

private:
    std::span<std::byte const> bytes_;
    std::uint64_t position_ = 0;
};

/// Appends fields to bytes that grow: the encoders' side.
class appender {
public:
    explicit appender(std::vector<std::byte>& bytes) noexcept : bytes_(bytes) {}

    template<class T> appender& number(T value) {
        auto const at = bytes_.size();
        bytes_.resize(at + sizeof(T));
        set_field<T, 0>(std::span(bytes_).subspan(at).template first<sizeof(T)>(), value);
        return *this;
    }
    template<class T> appender& numbers(std::vector<T> const& values) {
        for (auto const v : values) number(v);
        return *this;
    }
    appender& bytes(std::span<std::byte const> run) {
        auto const at = bytes_.size();
        bytes_.resize(at + run.size());
        if (!run.empty()) std::memcpy(bytes_.data() + at, run.data(), run.size());
        return *this;
    }
    appender& zeros(std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }

private:
    std::vector<std::byte>& bytes_;
};

}  // namespace hurray::wire
