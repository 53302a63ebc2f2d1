#include "index.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "align.hpp"
#include "utf8.hpp"
#include "wire.hpp"

namespace hurray::format {
namespace {

constexpr std::size_t fixed_entry_size = 34;  // beside the name
constexpr std::uint64_t smallest_entry = fixed_entry_size + 1;

std::string_view text(std::span<std::byte const> bytes) noexcept {
    return {static_cast<char const*>(static_cast<void const*>(bytes.data())), bytes.size()};
}

/// One entry at the cursor. Offsets of errors count from the section's start.
result<index_entry> decode_entry(wire::cursor& in) {
    auto const at = in.position();
    auto const fail = [](errc code, std::uint64_t offset) {
        return error{.code = code, .offset = offset};
    };
    auto const name_length = in.take_number<std::uint16_t>();
    if (!name_length) return fail(errc::index_length_mismatch, at);
    if (*name_length == 0) return fail(errc::empty_tensor_name, at);
    auto const name = in.take(*name_length);
    if (!name) return fail(errc::index_length_mismatch, at);
    if (!detail::is_utf8(*name)) return fail(errc::tensor_name_not_utf8, at + 2);
    auto const fields_at = in.position();
    auto const fields = in.take<32>();
    if (!fields) return fail(errc::index_length_mismatch, fields_at);

    index_entry const entry{
        .name = text(*name),
        .descriptor = {wire::field<std::uint64_t, 0>(*fields),
                       wire::field<std::uint32_t, 8>(*fields)},
        .data = {wire::field<std::uint64_t, 12>(*fields), wire::field<std::uint64_t, 20>(*fields)},
    };
    if (wire::field<std::uint32_t, 28>(*fields) != 0)
        return fail(errc::index_flags_not_zero, fields_at + 28);
    if (!wire::is_aligned(entry.descriptor.offset, 8))
        return fail(errc::descriptor_misaligned, fields_at);
    return entry;
}

}  // namespace

result<index> index::decode(std::span<std::byte const> bytes, std::uint64_t offset,
                            bool claims_sorted, mode mode, std::vector<error>& notes) {
    auto const fail = [&](errc code, std::uint64_t at) {
        return error{.code = code, .offset = offset + at};
    };
    // Where an entry begins is found from the name that points into it.
    auto const position_of = [&](index_entry const& entry) {
        return static_cast<std::uint64_t>(entry.name.data() - text(bytes).data()) - 2;
    };
    wire::cursor in(bytes);
    auto const count = in.take_number<std::uint64_t>();
    if (!count) return fail(errc::index_length_mismatch, 0);
    if (*count > in.remaining() / smallest_entry ||
        *count > UINT32_MAX)  // before allocating
        return fail(errc::index_length_mismatch, 0);

    index found;
    found.entries.reserve(*count);
    for (std::uint64_t i = 0; i < *count; ++i) {
        auto const entry = decode_entry(in);
        if (!entry)
            return fail(static_cast<errc>(entry.error().code.value()), entry.error().offset);
        found.entries.push_back(*entry);
    }
    if (in.remaining() != 0) {
        if (mode == mode::strict) return fail(errc::index_length_mismatch, in.position());
        notes.push_back(fail(errc::index_length_mismatch, in.position()));
    }

    auto const& entries = found.entries;
    found.by_name.resize(*count);
    std::iota(found.by_name.begin(), found.by_name.end(), 0u);
    auto const unsorted = std::adjacent_find(
        entries.begin(), entries.end(),
        [](index_entry const& a, index_entry const& b) { return !(a.name < b.name); });
    if (unsorted != entries.end()) {
        std::sort(found.by_name.begin(), found.by_name.end(),
                  [&](std::uint32_t a, std::uint32_t b) {
                      auto const order = entries[a].name.compare(entries[b].name);
                      return order != 0 ? order < 0 : a < b;
                  });
        auto const twice = std::adjacent_find(
            found.by_name.begin(), found.by_name.end(),
            [&](std::uint32_t a, std::uint32_t b) { return entries[a].name == entries[b].name; });
        if (twice != found.by_name.end())
            return fail(errc::duplicate_tensor_name, position_of(entries[*(twice + 1)]));
        if (claims_sorted) {
            auto const problem = fail(errc::index_not_sorted, position_of(*(unsorted + 1)));
            if (mode == mode::strict) return problem;
            notes.push_back(problem);
        }
    }
    return found;
}

index_entry const* index::find(std::string_view name) const noexcept {
    auto const at = std::lower_bound(
        by_name.begin(), by_name.end(), name,
        [&](std::uint32_t i, std::string_view wanted) { return entries[i].name < wanted; });
    if (at == by_name.end() || entries[*at].name != name) return nullptr;
    return &entries[*at];
}

std::vector<std::byte> encode_index(std::span<written_entry const> entries) {
    std::vector<std::byte> bytes;
    wire::appender out(bytes);
    out.number<std::uint64_t>(entries.size());
    for (auto const& entry : entries)
        out.number(static_cast<std::uint16_t>(entry.name.size()))
            .bytes(wire::bytes_of(entry.name))
            .number(entry.descriptor.offset)
            .number(static_cast<std::uint32_t>(entry.descriptor.length))
            .number(entry.data.offset)
            .number(entry.data.length)
            .number(std::uint32_t{0});
    return bytes;
}

result<void> check_name(std::string_view name) {
    if (name.empty() || name.size() > UINT16_MAX) return errc::empty_tensor_name;
    if (!detail::is_utf8(wire::bytes_of(name))) return errc::tensor_name_not_utf8;
    return {};
}

}  // namespace hurray::format
