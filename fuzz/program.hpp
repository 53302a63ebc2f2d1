#pragma once

// A program of writer calls, read from an input. Run twice, with all in one piece and in the pieces
// that the program asks for, it must write the same bytes.

#include <algorithm>
#include <string>

#include <hurray/file_view.hpp>
#include <hurray/writer.hpp>

#include "check.hpp"

namespace hurray::fuzz {

/// A matrix that keeps every rule.
struct legal_matrix {
    std::string name;
    element_type type{};
    bool by_rows = true;
    std::uint64_t major = 0, minor = 0;
    std::vector<std::uint64_t> offsets{0}, indices{};
    byte_vector values{};
    tensor_options options{};

    extents shape() const noexcept {
        return by_rows ? extents{major, minor} : extents{minor, major};
    }
};

inline legal_matrix next_matrix(input& in, std::size_t number) {
    legal_matrix m{.name = std::string(1, static_cast<char>('z' - in.up_to(25))) +
                           std::to_string(number)};
    m.type = element_types[in.up_to(element_types.size() - 1)];
    m.by_rows = in.up_to(1) == 0;
    m.minor = in.number<std::uint16_t>();
    auto const slices = in.up_to(40);
    for (m.major = 0; m.major < slices; ++m.major) {
        auto const length = in.up_to(200) % 50;
        auto index = in.up_to(7);
        for (std::uint64_t k = 0; k < length && index < m.minor; ++k) {
            m.indices.push_back(index);
            index += 1 + in.up_to(3);
        }
        m.offsets.push_back(m.indices.size());
    }
    auto const count = m.indices.size();
    m.values.resize(bytes_for(m.type, count).value());
    auto const given = in.take(m.values.size());
    std::copy(given.begin(), given.end(), m.values.begin());
    if (m.type == element_type::float8_e8m0)  // neither 00 nor FF
        for (auto& value : m.values) value = (value & std::byte{0x7F}) | std::byte{1};
    if (in.up_to(1) == 1) m.options.statistics = statistics{.nnz = count};
    return m;
}

/// Elements as a writer stores them: the bits after the last one are zero.
template<packed_element T> byte_vector repacked(byte_vector const& bytes, std::uint64_t count) {
    byte_vector packed(bytes.size());
    packed_span<T> const elements(bytes.data(), count);
    for (std::uint64_t k = 0; k < count; ++k) detail::pack_into(packed.data(), k, elements[k]);
    return packed;
}

/// Where a writer's bytes go, in calls of any length.
struct collected {
    byte_vector bytes;
    writer into(write_options const& options) {
        auto sink = [this](std::span<std::byte const> piece) {
            bytes.insert(bytes.end(), piece.begin(), piece.end());
            return std::error_code{};
        };
        return writer::onto(sink, options).value();
    }
};

template<class T, axis Major> auto view_of(legal_matrix const& m) {
    auto const values = detail::view_as<T>(m.values, m.indices.size());
    return compressed_view<T, Major, trust::verified>::over(m.shape(), m.offsets, m.indices, values)
        .value();
}

template<class F> void with_view(legal_matrix const& m, F&& f) {
    visit_element_type(m.type, [&]<class T>(std::type_identity<T>) {
        m.by_rows ? f(view_of<T, axis::rows>(m)) : f(view_of<T, axis::columns>(m));
    });
}

/// Calls f(first, count) for consecutive pieces whose lengths come from the input.
template<class F> void in_pieces(input& lengths, std::uint64_t total, F&& f) {
    for (std::uint64_t at = 0; at < total;) {
        auto const wanted = lengths.empty() ? total : lengths.up_to(60);
        auto const count = std::min(wanted, total - at);
        f(at, count);
        at += count;
    }
}

template<class View> auto begin(writer& out, legal_matrix const& m) {
    using value_type = typename View::value_type;
    if constexpr (View::major_axis == axis::rows)
        return out.stream_csr<value_type>(m.name, m.shape(), m.offsets, m.options).value();
    else
        return out.stream_csc<value_type>(m.name, m.shape(), m.offsets, m.options).value();
}

template<class View>
void write_in_pieces(writer& out, legal_matrix const& m, View const& view, input& lengths) {
    using value_type = typename View::value_type;
    auto stream = begin<View>(out, m);
    in_pieces(lengths, view.nnz(), [&](std::uint64_t first, std::uint64_t count) {
        auto const piece = view.values().subspan(first, count);
        if constexpr (packed_element<value_type>) {
            if (lengths.up_to(3) == 0) {
                auto const unpacked = std::make_unique<value_type[]>(count);
                for (std::uint64_t k = 0; k < count; ++k) unpacked[k] = piece[k];
                return stream.values(std::span<value_type const>(unpacked.get(), count)).value();
            }
        }
        stream.values(piece).value();
    });
    in_pieces(lengths, view.nnz(), [&](std::uint64_t first, std::uint64_t count) {
        stream.indices(view.indices().subspan(first, count)).value();
    });
    stream.close().value();
}

struct program {
    write_options options;
    std::vector<legal_matrix> matrices;

    explicit program(input& in) {
        options.data_alignment = 4096u << in.up_to(1);
        options.handle_alignment = 64u << in.up_to(3);
        options.sorted_index = in.up_to(1) == 1;
        options.checksums = in.up_to(1) == 1;
        auto const keys = in.up_to(3);
        for (std::uint64_t k = 0; k < keys; ++k)
            options.metadata.set(std::string(1, static_cast<char>('a' + in.up_to(25))),
                                 in.number<std::uint64_t>());
        auto const count = in.up_to(3);
        for (std::size_t i = 0; i < count; ++i) {
            matrices.push_back(next_matrix(in, i));
            auto& m = matrices.back();
            visit_element_type(m.type, [&]<class T>(std::type_identity<T>) {
                if constexpr (packed_element<T>) m.values = repacked<T>(m.values, m.indices.size());
            });
        }
    }

    byte_vector write_whole() const {
        collected file;
        auto out = file.into(options);
        for (auto const& m : matrices)
            with_view(m, [&](auto view) { out.write(m.name, view, m.options).value(); });
        out.close().value();
        return file.bytes;
    }
    byte_vector write_in_pieces(input lengths) const {
        collected file;
        auto out = file.into(options);
        for (auto const& m : matrices)
            with_view(m, [&](auto view) { fuzz::write_in_pieces(out, m, view, lengths); });
        out.close().value();
        return file.bytes;
    }
    byte_vector copy(file_view const& from) const {
        collected file;
        auto out = file.into(options);
        for (auto const& m : matrices) out.copy(from, m.name).value();
        out.close().value();
        return file.bytes;
    }
};

/// What was read is what was written.
inline void require_same(file_view const& file, legal_matrix const& m) {
    auto const t = file.describe(m.name).value();
    auto const same = [&](std::size_t k, std::span<std::byte const> expected) {
        auto const where = t.buffers[k];
        auto const got = file.bytes().subspan(where.offset, where.length);
        return std::equal(got.begin(), got.end(), expected.begin(), expected.end());
    };
    require(t.descriptor.element_type == m.type, "the element type is read back");
    require(same(0, m.values), "the values are read back");
    require(same(1, std::as_bytes(std::span(m.indices))), "the indices are read back");
    require(same(2, std::as_bytes(std::span(m.offsets))), "the offsets are read back");
    auto const shape = [](auto view) { return view.shape(); };
    require(visit(file, m.name, shape).value() == m.shape(), "the shape is read back");
}

}  // namespace hurray::fuzz
