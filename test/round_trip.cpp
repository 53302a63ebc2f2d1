// Every element type in both layouts, through every way into the writer: the bytes must be those
// that the format's tables give, and what is read back must be what was written.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "matrix_samples.hpp"
#include "reference_file.hpp"
#include "sampled.hpp"

namespace {

using namespace hurray_test;
using hurray::axis;
using hurray::extents;
using hurray::trust;

constexpr std::uint64_t all_at_once = ~std::uint64_t{0};

struct counts {
    std::uint64_t matrices = 0;
    std::uint64_t files = 0;
};

void check(bool holds, std::string const& what) {
    if (!holds) BOOST_ERROR(what);
}

/// What does not depend on the type, compiled once.
class trip_base {
public:
    trip_base(sample const& s, element_data const& e, bool csr, std::filesystem::path target)
        : s_(s), e_(e), csr_(csr), target_(std::move(target)) {
        reference_tensor const t{.name = "m",
                                 .type_tag = static_cast<std::uint8_t>(e_.type),
                                 .layout_tag = static_cast<std::uint8_t>(csr ? 7 : 8),
                                 .rows = shape().rows,
                                 .columns = shape().columns,
                                 .values = e_.buffer,
                                 .indices = s_.indices,
                                 .offsets = s_.offsets};
        expected_ = reference_file({&t, 1});
    }

protected:
    extents shape() const {
        return csr_ ? extents{s_.major, s_.minor} : extents{s_.minor, s_.major};
    }
    std::string title() const {
        return std::string(hurray::name(e_.type)) + (csr_ ? " csr " : " csc ") + s_.name;
    }

    /// Gives `fill` a writer to a path, or onto a sink, and compares what comes out.
    void through(bool path, std::string const& way,
                 std::function<void(hurray::writer&)> const& fill) {
        memory_sink memory;
        hurray::write_options const fast{.durability = hurray::durability::none};
        auto out = path ? hurray::writer::create(target_, fast).value()
                        : hurray::writer::onto(memory, fast).value();
        fill(out);
        out.close().value();
        ++files_;
        auto const differs = difference(path ? read_file(target_) : *memory.got, expected_);
        check(differs.empty(), title() + ", " + way + ": " + differs);
    }

    /// Calls `give` with first and count of each chunk.
    void in_chunks(std::uint64_t chunk,
                   std::function<hurray::result<void>(std::uint64_t, std::uint64_t)> const& give) {
        for (std::uint64_t k = 0; k < e_.count;) {
            auto const n = std::min(chunk, e_.count - k);
            give(k, n).value();
            k += n;
        }
    }

    hurray::file_view parsed() {
        auto file = hurray::file_view::parse(expected_).value();
        // Every padding byte and every element rule; strict mode has seen byte_offset 0.
        check(file.verify().value().tensors.at(0) == hurray::outcome::verified, title());
        check(file.describe("m").value().descriptor.byte_offset == 0, title());
        check(file.notes().empty(), title());
        return file;
    }

    void compare_arrays(extents found, std::span<std::uint64_t const> offsets,
                        std::span<std::uint64_t const> indices, bytes const& values) {
        check(found == shape(), title() + ": shape");
        check(std::ranges::equal(offsets, s_.offsets), title() + ": offsets");
        check(std::ranges::equal(indices, s_.indices), title() + ": indices");
        check(values == e_.buffer, title() + ": values");
    }

    void compare_slice(std::uint64_t i, std::span<std::uint64_t const> indices,
                       std::uint64_t values) {
        auto const count = s_.offsets[i + 1] - s_.offsets[i];
        auto const same = std::span(s_.indices).subspan(s_.offsets[i], count);
        check(std::ranges::equal(indices, same) && values == count, title() + ": slice");
    }

    sample const& s_;
    element_data const& e_;
    bool csr_;
    std::filesystem::path target_;
    bytes expected_;
    std::uint64_t files_ = 0;
};

/// One matrix of one type and layout.
template<hurray::element T, axis Major> class trip : trip_base {
public:
    using view_type = hurray::compressed_view<T, Major, trust::verified>;

    trip(sample const& s, element_data const& e, std::filesystem::path target)
        : trip_base(s, e, csr, std::move(target)), elements_(e) {}

    /// How many files were compared.
    std::uint64_t run() {
        auto const view =
            view_type::over(shape(), s_.offsets, s_.indices, elements_.values()).value();
        for (bool const path : {true, false})
            through(path, "whole view", [&](auto& out) { out.write("m", view).value(); });
        for (std::uint64_t const chunk :
             {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}, all_at_once}) {
            stream(chunk, false);
            if constexpr (hurray::packed_element<T>) stream(chunk, true);
        }
        append(true);
        append(false);
        for (std::uint64_t const chunk : {std::uint64_t{1}, std::uint64_t{7}, all_at_once}) {
            append_rows(chunk, true, false);
            append_rows(chunk, true, true);
            append_rows(chunk, false, false);
        }
        read_back();
        return files_;
    }

private:
    static constexpr bool csr = Major == axis::rows;

    void stream(std::uint64_t chunk, bool unpacked) {
        through(false, "stream by " + std::to_string(chunk), [&](hurray::writer& out) {
            auto m = begin_stream(out);
            in_chunks(chunk, [&](std::uint64_t k, std::uint64_t n) {
                if constexpr (hurray::packed_element<T>)
                    if (unpacked) return m.values(elements_.unpacked().subspan(k, n));
                return m.values(elements_.values().subspan(k, n));
            });
            in_chunks(chunk, [&](std::uint64_t k, std::uint64_t n) {
                return m.indices(std::span(s_.indices).subspan(k, n));
            });
            m.close().value();
        });
    }

    hurray::matrix_stream<T> begin_stream(hurray::writer& out) {
        if constexpr (csr)
            return out.stream_csr<T>("m", shape(), s_.offsets).value();
        else
            return out.stream_csc<T>("m", shape(), s_.offsets).value();
    }

    void append(bool known) {
        through(true, known ? "append, counts known" : "append", [&](hurray::writer& out) {
            auto m = begin_append(out, known);
            for (std::uint64_t i = 0; i < s_.major; ++i) {
                auto const at = s_.offsets[i];
                auto const n = s_.offsets[i + 1] - at;
                m.append(std::span(s_.indices).subspan(at, n), elements_.values().subspan(at, n))
                    .value();
            }
            m.close().value();
        });
    }

    void append_rows(std::uint64_t chunk, bool known, bool twice) {
        through(true, "rows together", [&](hurray::writer& out) {
            auto m = begin_append(out, known);
            give_rows(m, chunk);
            if (twice) {
                m.restart().value();
                give_rows(m, chunk);
            }
            m.close().value();
        });
    }

    /// The rows that end in a chunk come with it.
    void give_rows(hurray::matrix_appender<T>& m, std::uint64_t chunk) {
        std::size_t row = 1;
        auto const ends_up_to = [&](std::uint64_t entries) {
            auto const first = row;
            while (row < s_.offsets.size() && s_.offsets[row] <= entries) ++row;
            return std::span(s_.offsets).subspan(first, row - first);
        };
        in_chunks(chunk, [&](std::uint64_t k, std::uint64_t n) {
            return m.append_rows(ends_up_to(k + n), std::span(s_.indices).subspan(k, n),
                                 elements_.values().subspan(k, n));
        });
        m.append_rows(ends_up_to(e_.count), {}, elements_.values().subspan(0, 0)).value();
    }

    hurray::matrix_appender<T> begin_append(hurray::writer& out, bool known) {
        if constexpr (csr)
            return known ? out.append_csr<T>("m", shape(), e_.count).value()
                         : out.append_csr<T>("m", s_.minor).value();
        else
            return known ? out.append_csc<T>("m", shape(), e_.count).value()
                         : out.append_csc<T>("m", s_.minor).value();
    }

    void read_back() {
        auto const file = parsed();
        compare_view(get(file, hurray::eager));
        auto const lazy = get(file, hurray::lazy);
        compare_view(lazy.verify().value());
        std::vector<std::uint8_t> patterns;
        bytes values;
        for (std::uint64_t i = 0; i < s_.major; ++i) {
            auto const slice = lazy.at(i).value();
            compare_slice(i, slice.indices(), slice.values().size());
            if constexpr (hurray::packed_element<T>)
                for (auto const v : slice.values()) patterns.push_back(hurray::detail::to_bits(v));
            else
                std::ranges::copy(std::as_bytes(slice.values()), std::back_inserter(values));
        }
        check(patterns == e_.patterns, title() + ": lazy values");
        if (patterns.empty()) check(values == e_.buffer, title() + ": lazy values");
    }

    template<class When> auto get(hurray::file_view const& file, When when) {
        if constexpr (csr)
            return file.csr<T>("m", when).value();
        else
            return file.csc<T>("m", when).value();
    }

    void compare_view(view_type const& view) {
        compare_arrays(view.shape(), view.offsets(), view.indices(),
                       bytes_of_values<T>(view.values()));
    }

    typed_elements<T> elements_;
};

template<hurray::element T> counts trips(temporary_directory const& folder) {
    counts done;
    for (auto const& s : samples()) {
        auto const e = random_elements(hurray::element_type_of<T>, s.indices.size());
        done.files += trip<T, axis::rows>(s, e, folder / "m.hrry").run();
        done.files += trip<T, axis::columns>(s, e, folder / "m.hrry").run();
        done.matrices += 2;
    }
    return done;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(round_trip)

BOOST_AUTO_TEST_CASE(every_type_layout_shape_and_way_in) {
    temporary_directory const folder;
    counts done;
    auto const add = [&](counts const& of_type) {
        done.matrices += of_type.matrices;
        done.files += of_type.files;
    };
    [&]<class... T>(std::type_identity<std::tuple<T...>>) {
        (add(trips<T>(folder)), ...);
    }(std::type_identity<hurray_test::every_element>{});
    constexpr auto types = std::tuple_size_v<hurray_test::every_element>;
    BOOST_TEST((hurray_test::sampled || types == hurray::element_types.size()));
    BOOST_TEST(done.matrices == types * 2 * samples().size());
    std::cout << "round_trip: " << done.matrices << " matrices, " << done.files
              << " files compared with what the format's tables give\n";
    // Nothing but the target is left in the folder.
    BOOST_TEST(folder.names() == std::vector<std::string>{"m.hrry"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
