#include "element_packer.hpp"

#include <algorithm>
#include <array>

namespace hurray {
namespace {

unsigned low_bits(std::byte b, unsigned bits) noexcept {
    return std::to_integer<unsigned>(b) & ((1u << bits) - 1);
}

/// what may not be written.
result<void> check_e8m0(std::span<std::byte const> bytes) {
    bool const forbidden = std::any_of(bytes.begin(), bytes.end(), [](std::byte b) {
        return b == std::byte{0x00} || b == std::byte{0xFF};
    });
    if (forbidden) return errc::forbidden_e8m0_value;
    return {};
}

}  // namespace

template<class Element>
result<void> element_packer::pack(output_cursor& to, std::uint64_t count, Element element) {
    std::array<std::byte, 4096> block;
    std::size_t used = 0;
    auto const bits = bits_of(type_);
    for (std::uint64_t i = 0; i < count; ++i) {
        carry_ |= element(i) << carried_;
        carried_ += bits;
        if (carried_ < 8) continue;
        block[used++] = static_cast<std::byte>(carry_);
        carry_ >>= 8;
        carried_ -= 8;
        if (used < block.size()) continue;
        if (auto ok = to.append(block); !ok) return ok;
        used = 0;
    }
    count_ += count;
    return to.append(std::span(block).first(used));
}

result<void> element_packer::append(output_cursor& to, detail::element_run const& run) {
    auto const bits = bits_of(type_);
    if (!is_packed(type_)) {
        auto const width = bits / 8;
        std::span const bytes(run.bytes + run.first * width, run.count * width);
        if (type_ == element_type::float8_e8m0)
            if (auto ok = check_e8m0(bytes); !ok) return ok;
        count_ += run.count;
        return to.append(bytes);
    }
    auto at = run.first;
    auto const end = run.first + run.count;
    auto const period = bits == 6 ? 4u : 8 / bits;  // elements after which bytes line up again
    if (carried_ == 0 && at % period == 0) {
        auto const whole = run.count / period * period;
        if (auto ok = to.append({run.bytes + at / period * (bits == 6 ? 3 : 1), whole * bits / 8});
            !ok)
            return ok;
        count_ += whole;
        at += whole;
    }
    return pack(to, end - at, [&](std::uint64_t i) {
        auto const bit = (at + i) * bits;
        auto const byte = run.bytes + bit / 8;
        auto word = std::to_integer<unsigned>(*byte);
        if (bit % 8 + bits > 8) word |= std::to_integer<unsigned>(byte[1]) << 8;
        return (word >> (bit % 8)) & ((1u << bits) - 1);
    });
}

result<void> element_packer::append_unpacked(output_cursor& to,
                                             std::span<std::byte const> elements) {
    auto const bits = bits_of(type_);
    return pack(to, elements.size(), [&](std::uint64_t i) { return low_bits(elements[i], bits); });
}

result<void> element_packer::finish(output_cursor& to) {
    if (!is_packed(type_)) return {};
    std::array<std::byte, 3> last{static_cast<std::byte>(carry_)};
    std::size_t size = carried_ != 0 ? 1 : 0;
    if (bits_of(type_) == 6) {  // whole groups of three bytes
        auto const in_group = count_ % 4;
        auto const written = in_group * 6 / 8;
        size = in_group != 0 ? 3 - written : 0;
    }
    carry_ = carried_ = 0;
    return to.append(std::span(last).first(size));
}

}  // namespace hurray
