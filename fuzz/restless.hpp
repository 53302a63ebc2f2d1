#pragma once

// A file whose bytes change between any two looks at it.

#include <hurray/catalog.hpp>
#include <hurray/file_view.hpp>

#include "mutate.hpp"
#include "walk.hpp"

namespace hurray::fuzz {

template<class View, class Slice> void use_slice(View const& view, Slice const& slice) {
    digest sum;
    require_inside(view, slice);
    add_entries(sum, slice);
    (void)slice.contains(view.minor() / 2);
}

class restless_file final : public source {
public:
    /// Five bytes a change: u24 place, u8 what it becomes, u8 1 for eight such bytes.
    restless_file(byte_vector bytes, std::span<std::byte const> changes)
        : bytes_(std::move(bytes)), changes_(changes), left_(changes) {}

    std::span<std::byte const> bytes() const noexcept { return bytes_; }

    std::uint64_t size() const noexcept override { return bytes_.size(); }
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        require(byte_range{offset, into.size()}.within(size()), "a read is inside the file");
        for (auto const& before : fetched_)
            require(offset >= before.end() || before.offset >= offset + into.size(),
                    "each byte is fetched at most once");
        fetched_.push_back({offset, into.size()});
        std::memcpy(into.data(), bytes_.data() + offset, into.size());
        change();
        return {};
    }
    void expect_each_byte_once() { fetched_.clear(); }

    /// Takes slices of lazy and verified views of the file's own bytes, which keep changing.
    void walk_while_changing(file_view const& file, std::string_view name) const {
        auto const step = [this](auto const& view, std::uint64_t i) {
            change();
            auto const slice = view.at(i);
            change();
            if constexpr (requires { slice.error(); }) {
                if (slice) use_slice(view, *slice);
            } else {
                use_slice(view, slice);
            }
        };
        auto const walk = [&](auto of) {
            auto const view = by_rows(of);
            for (std::uint64_t i = 0; i < std::min(view.major(), most_slices); ++i) step(view, i);
        };
        (void)visit(file, name, walk, lazy);
        (void)visit(file, name, walk);
    }

private:
    void change() const {
        if (changes_.empty()) return;
        if (left_.empty()) left_ = input(changes_);
        auto const low = left_.number<std::uint16_t>();
        auto const at = (low | std::uint64_t{left_.number<std::uint8_t>()} << 16) % bytes_.size();
        auto const value = left_.number<std::byte>();
        auto const width = std::min<std::uint64_t>(left_.up_to(1) == 1 ? 8 : 1, bytes_.size() - at);
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), width, value);
    }

    mutable byte_vector bytes_;
    std::span<std::byte const> changes_;
    mutable input left_;
    mutable std::vector<byte_range> fetched_;
};

/// The bytes before the model change freely, the model as a model.
inline std::size_t mutate_behind_prefix(input_buffer in, unsigned seed) {
    auto const prefix = in.size < 2 ? in.size : std::min<std::size_t>(2u + in.data[1], in.size);
    if (seed % 4 == 0 || prefix < 2) {
        mutator random(seed);
        byte_vector bytes(in.bytes().begin(), in.bytes().end());
        random.change(bytes, in.room);
        return in.assign(bytes);
    }
    return prefix + mutate_model({in.data + prefix, in.size - prefix, in.room - prefix}, seed);
}

}  // namespace hurray::fuzz
