#pragma once

// What became of a damaged file: refused, or what it decodes to that the whole file does not.

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <hurray/file_view.hpp>

#include "metadata.hpp"
#include "samples.hpp"

namespace hurray_test {

/// What an accepted file may say differently, as bits.
using aspects = std::uint32_t;
namespace aspect {
inline constexpr aspects notes = 1 << 0;
inline constexpr aspects names = 1 << 1;
inline constexpr aspects key_values = 1 << 2;
inline constexpr aspects type = 1 << 3;
inline constexpr aspects layout = 1 << 4;
inline constexpr aspects shape = 1 << 5;
inline constexpr aspects byte_offset = 1 << 6;
inline constexpr aspects layout_fields = 1 << 7;
inline constexpr aspects buffers = 1 << 8;  ///< how many, their handles
inline constexpr aspects quantization = 1 << 9;
inline constexpr aspects shard = 1 << 10;
inline constexpr aspects statistics = 1 << 11;
inline constexpr aspects extension = 1 << 12;
inline constexpr aspects member = 1 << 13;
inline constexpr aspects places = 1 << 14;   ///< where descriptor, data or buffers lie
inline constexpr aspects data = 1 << 15;     ///< bytes of a buffer
inline constexpr aspects ignored = 1 << 16;  ///< stored bytes that decoding does not keep
}  // namespace aspect

inline std::string names_of(aspects all) {
    constexpr std::string_view names[] = {
        "notes",  "names",  "key-values", "type",  "layout",       "shape",
        "offset", "fields", "buffers",    "quant", "shard",        "statistics",
        "ext",    "member", "places",     "data",  "ignored bytes"};
    std::string text;
    for (std::size_t i = 0; i < std::size(names); ++i)
        if ((all >> i & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(names[i]);
    return text.empty() ? "nothing" : text;
}

struct verdict {
    std::optional<hurray::error> refused;
    aspects changed = 0;
    std::string broken{};  ///< not empty: a promise of the library was
};

/// A whole file, and what it decodes to.
class judge {
public:
    explicit judge(bytes file) : whole_(std::move(file)) {
        auto const opened = hurray::file_view::parse(whole_).value();
        (void)opened.verify().value();
        read(opened, whole_, was_);
    }
    bytes const& whole() const { return whole_; }

    /// Opens, describes and verifies `file` in both modes, and takes rows without a verification.
    verdict look_at(std::span<std::byte const> file) const {
        verdict v;
        auto const opened = hurray::file_view::parse(file);
        auto const mild = hurray::file_view::parse(file, {.mode = hurray::mode::permissive});
        if (mild) walk(*mild, v);
        if (!opened) {
            v.refused = opened.error();
        } else {
            if (!mild) v.broken = "strict accepts what permissive refuses";
            walk(*opened, v);
            auto const verified = opened->verify();
            if (!verified)
                v.refused = verified.error();
            else if (!mild || !mild->verify())
                v.broken = "permissive does not verify what strict does";
            else
                compare(*opened, file, v);
        }
        if (v.refused && v.refused->code.category() != hurray::error_category())
            v.broken = "refused without an errc";
        if (v.refused && v.refused->offset != hurray::error::nowhere &&
            v.refused->offset > file.size())
            v.broken = "the byte that shows it is outside the file";
        return v;
    }

private:
    struct contents {
        std::size_t notes = 0;
        std::vector<std::byte> key_values{};
        std::vector<std::string> names{};
        std::vector<hurray::tensor> tensors{};
        std::vector<hurray::byte_range> data{};
        bool ignored = false;
    };

    static void read(hurray::file_view const& file, std::span<std::byte const> all,
                     contents& into) {
        into.notes = file.notes().size();
        into.key_values = hurray::format::encode_metadata(file.metadata()).value();
        for (auto const& entry : file.tensors()) {
            auto const t = file.describe(entry.name).value();
            auto const stored = all.subspan(entry.descriptor.offset, entry.descriptor.length);
            auto const again = t.descriptor.encode();
            into.ignored |= !std::equal(again.begin(), again.end(), stored.begin(), stored.end());
            into.names.emplace_back(entry.name);
            into.data.push_back(entry.data);
            into.tensors.push_back(t);
        }
    }

    /// The bytes of one section of a descriptor; NaNs in it compare as what they are.
    static std::vector<std::byte> alone(std::optional<hurray::quantization> const& q,
                                        std::optional<hurray::statistics> const& s) {
        return hurray::descriptor{.layout = hurray::layout::row_major,
                                  .element_type = hurray::element_type::int8,
                                  .shape = {},
                                  .fields = {},
                                  .buffers = {},
                                  .quantization = q,
                                  .statistics = s}
            .encode();
    }

    static aspects compare(hurray::descriptor const& a, hurray::descriptor const& b) {
        aspects changed = 0;
        auto const mark = [&](bool same, aspects which) {
            if (!same) changed |= which;
        };
        mark(a.element_type == b.element_type, aspect::type);
        mark(a.layout == b.layout, aspect::layout);
        mark(a.shape == b.shape, aspect::shape);
        mark(a.byte_offset == b.byte_offset, aspect::byte_offset);
        mark(a.fields == b.fields, aspect::layout_fields);
        mark(a.buffers == b.buffers, aspect::buffers);
        mark(alone(a.quantization, {}) == alone(b.quantization, {}), aspect::quantization);
        mark(alone({}, a.statistics) == alone({}, b.statistics), aspect::statistics);
        mark(a.shard == b.shard, aspect::shard);
        mark(a.extension == b.extension, aspect::extension);
        mark(a.member == b.member, aspect::member);
        return changed;
    }

    void compare(hurray::file_view const& opened, std::span<std::byte const> file,
                 verdict& v) const {
        contents now;
        read(opened, file, now);
        auto const mark = [&](bool same, aspects which) {
            if (!same) v.changed |= which;
        };
        mark(now.notes == was_.notes, aspect::notes);
        mark(now.key_values == was_.key_values, aspect::key_values);
        mark(now.names == was_.names, aspect::names);
        mark(now.data == was_.data, aspect::places);
        mark(now.ignored == was_.ignored, aspect::ignored);
        if (now.tensors.size() != was_.tensors.size()) return mark(false, aspect::names);
        for (std::size_t i = 0; i < now.tensors.size(); ++i) {
            auto const &a = was_.tensors[i], &b = now.tensors[i];
            v.changed |= compare(a.descriptor, b.descriptor);
            mark(a.buffers == b.buffers, aspect::places);
            if (a.buffers != b.buffers) continue;
            for (auto const where : a.buffers) {
                auto const old = std::span(whole_).subspan(where.offset, where.length);
                mark(std::equal(old.begin(), old.end(), file.subspan(where.offset).begin()),
                     aspect::data);
            }
        }
    }

    /// Takes rows of every matrix as they are, and looks whether they lie in their arrays.
    static void walk(hurray::file_view const& file, verdict& v) {
        for (auto const& t : file.tensors()) {
            if (auto const m = file.csr<hurray::pattern>(t.name, hurray::lazy)) walk(*m, v);
            if (auto const m = file.csc<hurray::pattern>(t.name, hurray::lazy)) walk(*m, v);
        }
    }
    template<class View> static void walk(View const& view, verdict& v) {
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(view.major(), 64); ++i) {
            auto const slice = view.at(i);
            if (!slice || slice->empty()) continue;
            auto const inside = slice->indices(), all = view.indices();
            bool const in_place = inside.data() >= all.data() &&
                                  inside.data() + inside.size() <= all.data() + all.size();
            bool const in_range = slice->indices().back() < view.minor();
            if (!in_place || !in_range) v.broken = "a slice is outside its matrix";
        }
    }

    bytes whole_;
    contents was_;
};

}  // namespace hurray_test
