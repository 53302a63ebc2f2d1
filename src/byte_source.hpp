#pragma once

#include <cstring>
#include <span>

#include <hurray/catalog.hpp>

namespace hurray {

/// Bytes that are in memory, as a source.
class byte_source final : public source {
public:
    explicit byte_source(std::span<std::byte const> bytes) noexcept : bytes_(bytes) {}
    std::uint64_t size() const noexcept override { return bytes_.size(); }
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        std::memcpy(into.data(), bytes_.data() + offset, into.size());
        return {};
    }

private:
    std::span<std::byte const> bytes_;
};

}  // namespace hurray
