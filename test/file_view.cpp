// Views of bytes in memory: what is found, what is refused, and when.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "matrices.hpp"
#include "reference_file.hpp"

namespace {

using namespace hurray_test;
using hurray::condition;
using hurray::eager;
using hurray::errc;
using hurray::lazy;
using numbers = std::vector<std::uint64_t>;

float const dense[4][5] = {{1, 0, 0, 2, 0}, {0, 0, 3, 0, 0}, {0, 4, 0, 0, 5}, {}};

/// Bytes at an address that is `off` past a multiple of 4096.
class placed_bytes {
public:
    placed_bytes(bytes const& from, std::size_t off)
        : memory_(new (std::align_val_t{4096}) std::byte[from.size() + off]), off_(off),
          size_(from.size()) {
        std::memcpy(memory_.get() + off, from.data(), from.size());
    }
    std::span<std::byte> all() const { return {memory_.get() + off_, size_}; }

private:
    struct release {
        void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{4096}); }
    };
    std::unique_ptr<std::byte[], release> memory_;
    std::size_t off_;
    std::size_t size_;
};

/// A file with the example by rows as "m" with these arrays, valid or not, at an aligned address.
placed_bytes with_arrays(numbers const& offsets, numbers const& indices) {
    std::vector<float> const values{1, 2, 3, 4, 5};
    auto const raw = std::as_bytes(std::span(values));
    reference_tensor const t{.name = "m",
                             .type_tag = 3,
                             .rows = 4,
                             .columns = 5,
                             .values = {raw.begin(), raw.end()},
                             .indices = indices,
                             .offsets = offsets};
    return {reference_file({&t, 1}), 0};
}

template<class View>
concept has_values = requires(View v) {
    v.values();
    v.find(0, 0);
};
template<class Slice>
concept searchable = requires(Slice s) {
    s.find(0);
}
|| requires(Slice s) { s.contains(0); };

numbers const good_offsets{0, 2, 3, 5, 5};

template<class View> void check_lookups(View const& view, bool transposed) {
    BOOST_TEST((view.shape() == (transposed ? hurray::extents{5, 4} : hurray::extents{4, 5})));
    for (std::uint64_t r = 0; r < view.shape().rows; ++r)
        for (std::uint64_t c = 0; c < view.shape().columns; ++c) {
            auto const expected = transposed ? dense[c][r] : dense[r][c];
            std::optional<float> found;
            float value = 0;
            if constexpr (std::same_as<View, typename View::lazy_view>) {
                found = view.find(r, c).value();
                value = view.value(r, c).value();
            } else {
                found = view.find(r, c);
                value = view.value(r, c);
            }
            BOOST_TEST(found.has_value() == (expected != 0));
            BOOST_TEST(found.value_or(0) == expected);
            BOOST_TEST(value == expected);
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_view)

BOOST_AUTO_TEST_CASE(metadata_at_any_address_views_at_aligned_ones) {
    auto const all = example_file({.metadata = {{"k", std::string("v")}}});
    for (std::size_t off = 0; off < 64; ++off) {
        placed_bytes const placed(all, off);
        auto const file = hurray::file_view::parse(placed.all()).value();
        BOOST_TEST(file.metadata().size() == 1u);
        BOOST_TEST(file.describe("rows")->buffers.size() == 3u);
        auto const rows = file.csr<float>("rows");
        auto const columns = file.csc<float>("columns", lazy);
        auto const structure = file.csr<hurray::pattern>("rows");
        BOOST_TEST(rows.has_value() == (off % 8 == 0));
        BOOST_TEST(columns.has_value() == (off % 8 == 0));
        BOOST_TEST(structure.has_value() == (off % 8 == 0));
        if (off % 8 != 0) {
            BOOST_TEST(rows.error().code == errc::misaligned_bytes);
            BOOST_TEST(columns.error().code == errc::misaligned_bytes);
            BOOST_TEST((rows.error().code == condition::mismatch));
            BOOST_TEST(file.verify().error().code == errc::misaligned_bytes);
        }
    }
}

BOOST_AUTO_TEST_CASE(float128_needs_sixteen) {
    std::vector<hurray::float128> const values(5, hurray::float128(1.5));
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    example_arrays const example;
    auto const view = hurray::csr_view<hurray::float128>::over(example.shape, example.csr_offsets,
                                                               example.csr_indices, values);
    out.write("m", view.value()).value();
    out.close().value();
    placed_bytes const sixteen(*memory.got, 16), eight(*memory.got, 8);
    BOOST_TEST(hurray::file_view::parse(sixteen.all())->csr<hurray::float128>("m").has_value());
    auto const file = hurray::file_view::parse(eight.all()).value();
    BOOST_TEST(file.csr<hurray::float128>("m").error().code == errc::misaligned_bytes);
    BOOST_TEST(file.csr<hurray::pattern>("m").has_value());  // values are not looked at
}

BOOST_AUTO_TEST_CASE(lookups_in_both_layouts_transposed_and_lazy) {
    placed_bytes const all(example_file(), 0);
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const rows = file.csr<float>("rows").value();
    auto const columns = file.csc<float>("columns").value();
    check_lookups(rows, false);
    check_lookups(columns, false);
    check_lookups(rows.transposed(), true);
    check_lookups(columns.transposed(), true);
    check_lookups(hurray::lazy_csr_view<float>(rows), false);
    check_lookups(file.csc<float>("columns", lazy).value(), false);
    check_lookups(file.csr<float>("rows", lazy)->transposed(), true);
    check_lookups(file.csr<float>("rows", lazy)->verify().value(), false);
    BOOST_TEST((rows.transposed().transposed().shape() == rows.shape()));
    BOOST_TEST(rows.transposed().column(2).values().data() == rows.row(2).values().data());

    BOOST_TEST(rows.row(2).contains(4));
    BOOST_TEST(!rows.row(2).contains(3));
    BOOST_TEST(!rows.row(3).contains(0));
    BOOST_TEST(columns.column(4).find(2).value() == 5.f);
    BOOST_TEST(!columns.column(4).find(7).has_value());
}

BOOST_AUTO_TEST_CASE(positions_that_do_not_exist) {
    placed_bytes const all(example_file(), 0);
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const rows = file.csr<float>("rows").value();
    BOOST_TEST(!rows.find(99, 0).has_value());
    BOOST_TEST(!rows.find(0, 99).has_value());
    BOOST_TEST(rows.value(99, 99) == 0.f);
    auto const careful = file.csr<float>("rows", lazy).value();
    auto const no_row = careful.row(99).error();
    BOOST_TEST(no_row.code == errc::slice_does_not_exist);
    BOOST_TEST((no_row.code == condition::mismatch));
    BOOST_TEST((no_row.code != condition::corrupt));
    BOOST_TEST(careful.row(~std::uint64_t{0}).error().code == errc::slice_does_not_exist);
    BOOST_TEST(careful.find(99, 0).error().code == errc::slice_does_not_exist);
    BOOST_TEST(careful.find(0, 5).error().code == errc::position_does_not_exist);
    BOOST_TEST((careful.value(0, 99).error().code == condition::mismatch));
    BOOST_TEST(careful.verify(0, 5).error().code == errc::slice_does_not_exist);
    BOOST_TEST(careful.verify(4, 1).error().code == errc::slice_does_not_exist);
    BOOST_TEST(careful.verify(~std::uint64_t{0}, 2).error().code == errc::slice_does_not_exist);
    BOOST_TEST(careful.verify(1, 2).has_value());
    BOOST_TEST(careful.verify(4, 0).has_value());
}

BOOST_AUTO_TEST_CASE(asked_for_what_is_not_there) {
    auto const all = example_file();
    auto const file = hurray::file_view::parse(all).value();
    BOOST_TEST(file.csr<float>("none").error().code == errc::no_such_tensor);
    BOOST_TEST(file.csc<float>("rows").error().code == errc::layout_mismatch);
    BOOST_TEST(file.csr<float>("columns", lazy).error().code == errc::layout_mismatch);
    BOOST_TEST(file.csr<double>("rows").error().code == errc::element_type_mismatch);
    BOOST_TEST(file.csr<std::int32_t>("rows", lazy).error().code == errc::element_type_mismatch);
    BOOST_TEST(file.describe("none").error().code == errc::no_such_tensor);
    for (auto const code :
         {errc::no_such_tensor, errc::layout_mismatch, errc::element_type_mismatch})
        BOOST_TEST((hurray::error{.code = code}.code == condition::mismatch));
}

BOOST_AUTO_TEST_CASE(visit_gives_the_right_view) {
    auto const all = example_file();
    auto const file = hurray::file_view::parse(all).value();
    auto const kind = [](auto const& view) {
        using view_type = std::remove_cvref_t<decltype(view)>;
        return std::same_as<view_type, hurray::csr_view<float>>        ? 1
               : std::same_as<view_type, hurray::csc_view<float>>      ? 2
               : std::same_as<view_type, hurray::lazy_csr_view<float>> ? 3
               : std::same_as<view_type, hurray::lazy_csc_view<float>> ? 4
                                                                       : 0;
    };
    BOOST_TEST(visit(file, "rows", kind).value() == 1);
    BOOST_TEST(visit(file, "columns", kind).value() == 2);
    BOOST_TEST(visit(file, "rows", kind, lazy).value() == 3);
    BOOST_TEST(visit(file, "columns", kind, lazy).value() == 4);
    BOOST_TEST(visit(file, "none", kind).error().code == errc::no_such_tensor);
    // A result of the function is the result of visit(), not a result in a result.
    auto const fails = [](auto const&) -> hurray::result<int> { return errc::cancelled; };
    static_assert(std::same_as<decltype(visit(file, "rows", fails)), hurray::result<int>>);
    BOOST_TEST(visit(file, "rows", fails).error().code == errc::cancelled);
}

BOOST_AUTO_TEST_CASE(patterns_show_the_structure_of_any_type) {
    placed_bytes const all(example_file(), 0);
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const rows = file.csr<hurray::pattern>("rows").value();
    auto const columns = file.csc<hurray::pattern>("columns", lazy).value();
    BOOST_TEST(std::ranges::equal(rows.row(2).indices(), numbers{1, 4}));
    BOOST_TEST(rows.row(2)[1].index == 4u);
    BOOST_TEST(rows.row(0).contains(3));
    BOOST_TEST(columns.column(3)->contains(0));
    BOOST_TEST(rows.nnz() == 5u);
    hurray::csr_view<hurray::pattern> const converted = file.csr<float>("rows").value();
    BOOST_TEST(converted.indices().data() == rows.indices().data());
    static_assert(!has_values<hurray::csr_view<hurray::pattern>>);
    static_assert(has_values<hurray::csr_view<float>>);
    auto const own = hurray::csr_view<hurray::pattern>::over({1, 5}, numbers{0, 0}, numbers{});
    BOOST_TEST(own.has_value());
}

BOOST_AUTO_TEST_CASE(slices_are_random_access_ranges) {
    using slice = hurray::slice<float>;
    static_assert(std::random_access_iterator<slice::iterator>);
    static_assert(std::same_as<decltype(*std::declval<slice>().values().begin()), float const&>);
    placed_bytes const all(example_file(), 0);
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const rows = file.csr<float>("rows").value();
    auto at = rows.row(2).begin();  // outlives its slice
    BOOST_TEST((at[1].index == 4u && at[1].value == 5.f));
    BOOST_TEST((*++at).index == 4u);
    BOOST_TEST((rows.row(2).end() - rows.row(2).begin() == 2));
    float sum = 0;
    for (std::uint64_t i = 0; i < 4; ++i)
        for (auto const [column, value] : rows.row(i)) sum += value * static_cast<float>(column);
    BOOST_TEST(sum == 0 + 3 * 2 + 2 * 3 + 1 * 4 + 4 * 5);
}

BOOST_AUTO_TEST_CASE(empty_views) {
    hurray::csr_view<float> const none;
    BOOST_TEST((none.shape() == hurray::extents{}));
    BOOST_TEST(none.offsets().size() == 1u);
    BOOST_TEST(none.indices().empty());
    BOOST_TEST(none.values().empty());
    BOOST_TEST(none.value(0, 0) == 0.f);
    hurray::lazy_csc_view<float> const lazily;
    BOOST_TEST(lazily.verify().has_value());
    BOOST_TEST(lazily.column(0).error().code == errc::slice_does_not_exist);
}

// R-102 ... R-105: found eagerly, found lazily at the slice that has it, and nowhere else.
BOOST_AUTO_TEST_CASE(R_104_R_105_lazy_views_refuse_the_broken_slice_only) {
    struct broken {
        numbers offsets, indices;
        errc code;
        std::uint64_t slice, position;
    };
    broken const cases[] = {
        {good_offsets, {0, 3, 5, 1, 4}, errc::index_exceeds_shape, 1, 0},
        {good_offsets, {0, 3, 2, 1, 5}, errc::index_exceeds_shape, 2, 1},
        {good_offsets, {0, 3, 2, 4, 1}, errc::indices_not_increasing, 2, 1},
        {good_offsets, {3, 3, 2, 1, 4}, errc::indices_not_increasing, 0, 1},
        {{0, 2, 1, 5, 5}, {0, 3, 2, 3, 4}, errc::offsets_decrease, 1, hurray::error::nowhere},
        {{0, 2, 9, 5, 5}, {0, 3, 2, 3, 4}, errc::offsets_not_anchored, 1, hurray::error::nowhere},
    };
    for (auto const m : {hurray::mode::strict, hurray::mode::permissive})
        for (auto const& c : cases) {
            auto const all = with_arrays(c.offsets, c.indices);
            auto const file = hurray::file_view::parse(all.all(), {.mode = m}).value();
            auto const refused = file.csr<float>("m").error();
            BOOST_TEST(refused.code == c.code, refused.message());
            BOOST_TEST(refused.slice == c.slice);
            BOOST_TEST(refused.position == c.position);
            BOOST_TEST((refused.code == condition::corrupt));
            auto const careful = file.csr<float>("m", lazy).value();
            BOOST_TEST((careful.row(c.slice).error() == refused));
            BOOST_TEST((careful.verify().error() == refused));
            BOOST_TEST((careful.find(c.slice, 0).error() == refused));
            BOOST_TEST(careful.row(3).has_value());
            if (c.offsets == good_offsets)
                for (std::uint64_t i = 0; i < 4; ++i)
                    BOOST_TEST(careful.row(i).has_value() == (i != c.slice));
            BOOST_TEST(file.verify().error().code == c.code);  // in both modes
        }
}

BOOST_AUTO_TEST_CASE(rows_as_stored_are_for_permissive_mode) {
    auto const all = with_arrays(good_offsets, {3, 0, 2, 4, 4});
    auto const strict = hurray::file_view::parse(all.all()).value();
    BOOST_TEST(strict.csr<float>("m", lazy)->row_as_stored(0).error().code ==
               errc::not_offered_in_strict_mode);
    auto const file =
        hurray::file_view::parse(all.all(), {.mode = hurray::mode::permissive}).value();
    auto const m = file.csr<float>("m", lazy).value();
    auto const row = m.row_as_stored(0).value();
    BOOST_REQUIRE(row.size() == 2u);
    BOOST_TEST((row[0].index == 3u && row[0].value == 1.f));
    BOOST_TEST((row[1].index == 0u && row[1].value == 2.f));
    BOOST_TEST(m.row_as_stored(4).error().code == errc::slice_does_not_exist);
    BOOST_TEST(m.row(0).error().code == errc::indices_not_increasing);
    BOOST_TEST(m.transposed().column_as_stored(2)->size() == 2u);
    static_assert(!searchable<std::remove_cvref_t<decltype(row)>>);  // its order is not promised
    static_assert(searchable<hurray::slice<float>>);
    // Offsets that are no range are refused all the same.
    auto const worse = with_arrays({0, 2, 9, 5, 5}, {0, 3, 2, 3, 4});
    auto const broken =
        hurray::file_view::parse(worse.all(), {.mode = hurray::mode::permissive}).value();
    BOOST_TEST(broken.csr<float>("m", lazy)->row_as_stored(1).error().code ==
               errc::offsets_not_anchored);
}

// the bytes change after they were proved; no slice leaves the arrays.
BOOST_AUTO_TEST_CASE(R_107_a_view_of_bytes_that_change_stays_inside) {
    auto const all = with_arrays(good_offsets, {0, 3, 2, 1, 4});
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const m = file.csr<float>("m").value();
    auto const where = file.describe("m")->buffers[2];
    for (std::uint64_t const wild : {std::uint64_t{6}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
        for (std::uint64_t k = 0; k < 5; ++k) {
            numbers offsets = good_offsets;
            offsets[k] = wild;
            std::memcpy(all.all().data() + where.offset, offsets.data(), where.length);
            for (std::uint64_t i = 0; i < 4; ++i) {
                auto const row = m.row(i);
                BOOST_TEST(row.size() <= 5u);
                if (row.empty()) continue;
                BOOST_TEST(row.indices().data() >= m.indices().data());
                BOOST_TEST(row.indices().data() + row.size() <= m.indices().data() + m.nnz());
                BOOST_TEST(row.values().data() + row.size() <= m.values().data() + m.nnz());
            }
        }
}

BOOST_AUTO_TEST_CASE(arrays_of_the_callers_own) {
    std::vector<float> const values{1, 2, 3, 4, 5};
    numbers const indices{0, 3, 2, 1, 4};
    using view = hurray::csr_view<float>;
    auto const over = [&](numbers const& offsets, numbers const& columns) {
        return view::over({4, 5}, offsets, columns, values);
    };
    BOOST_TEST(view::over({4, 5}, good_offsets, indices, values).has_value());
    BOOST_TEST(over({0, 2, 3, 5}, indices).error().code == errc::sizes_disagree);
    BOOST_TEST(over({}, indices).error().code == errc::sizes_disagree);
    BOOST_TEST(over(good_offsets, {0, 3, 2, 1}).error().code == errc::sizes_disagree);
    auto const wrong = over(good_offsets, {0, 3, 2, 4, 4}).error();
    BOOST_TEST(wrong.code == errc::indices_not_increasing);
    BOOST_TEST((wrong.slice == 2 && wrong.position == 1 && wrong.offset == hurray::error::nowhere));
    auto const unproved = numbers{0, 3, 2, 4, 4};
    auto const careful =
        hurray::lazy_csr_view<float>::over({4, 5}, good_offsets, unproved, values).value();
    BOOST_TEST(careful.row(2).error().code == errc::indices_not_increasing);
    BOOST_TEST(careful.row_as_stored(2)->size() == 2u);  // the caller's arrays: always offered
}

BOOST_AUTO_TEST_CASE(verification_reports_collects_and_can_be_cancelled) {
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    example_arrays const example;
    for (auto const* name : {"a", "b", "c"}) out.write(name, example.csr()).value();
    out.close().value();
    placed_bytes const all(*memory.got, 0);
    auto const file = hurray::file_view::parse(all.all()).value();
    auto const done = file.verify().value();
    BOOST_TEST(done.tensors.size() == 3u);
    BOOST_TEST(done.bytes == 3 * (2 * 4096u + 40));

    // An index of "a" and one of "c" are broken.
    for (auto const* name : {"a", "c"})
        std::memset(all.all().data() + file.describe(name)->buffers[1].offset, 0xFF, 8);
    std::vector<std::string> failed;
    hurray::verify_options options{.limit = 10};
    options.on_failure = [&](std::string_view tensor, hurray::error const& e) {
        BOOST_TEST(e.code == errc::index_exceeds_shape);
        failed.emplace_back(tensor);
        return true;
    };
    BOOST_TEST(file.verify(options).error().code == errc::index_exceeds_shape);
    BOOST_TEST(failed == (std::vector<std::string>{"a", "c"}), boost::test_tools::per_element());
    failed.clear();
    options.limit = 1;
    BOOST_TEST(!file.verify(options).has_value());
    BOOST_TEST(failed.size() == 1u);
    failed.clear();
    options.limit = 10;
    options.on_failure = [&](std::string_view tensor, hurray::error const&) {
        failed.emplace_back(tensor);
        return false;
    };
    BOOST_TEST(!file.verify(options).has_value());
    BOOST_TEST(failed.size() == 1u);

    hurray::verify_options cancelling;
    cancelling.on_progress = [](std::uint64_t, std::uint64_t) { return false; };
    BOOST_TEST(file.verify(cancelling).error().code == errc::cancelled);
    BOOST_TEST(file.csr<float>("b", lazy)->verify(cancelling).error().code == errc::cancelled);
    std::uint64_t last = 0, total = 0;
    hurray::verify_options watching;
    watching.on_progress = [&](std::uint64_t now, std::uint64_t all_of_it) {
        BOOST_TEST(now >= last);
        BOOST_TEST(now <= all_of_it);
        last = now;
        total = all_of_it;
        return true;
    };
    placed_bytes const sound(*memory.got, 0);
    hurray::file_view::parse(sound.all())->verify(watching).value();
    BOOST_TEST(last == total);
    BOOST_TEST(total == done.bytes);
}

// every byte of padding, wherever it lies.
BOOST_AUTO_TEST_CASE(R_052_every_padding_byte_is_looked_at) {
    auto const original = example_file({.metadata = {{"k", std::string("v")}}});
    placed_bytes const all(original, 0);
    auto const bytes = all.all();
    auto const file = hurray::file_view::parse(bytes).value();
    std::vector<bool> used(original.size());
    auto const use = [&](hurray::byte_range r) {
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(r.offset), r.length, true);
    };
    using kind = hurray::catalog::section::kind;
    for (auto const& part : file.catalog().sections())
        if (part.what != kind::data) use(part.where);
    for (auto const& entry : file.tensors()) {
        auto const tensor = file.describe(entry.name).value();
        for (auto const& buffer : tensor.buffers) use(buffer);
    }
    std::size_t padding = 0;
    for (std::size_t i = 0; i < used.size(); ++i) padding += !used[i];
    BOOST_TEST(padding > 6 * 4000u);
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        // All near an edge, a sample elsewhere.
        bool const edge = i == 0 || used[i - 1] || i + 1 == used.size() || used[i + 1];
        if (!edge && i % 61 != 0) continue;
        bytes[i] = std::byte{0x80};
        auto const got = file.verify();
        BOOST_REQUIRE(!got.has_value());
        BOOST_TEST(got.error().code == errc::padding_not_zero);
        BOOST_TEST(got.error().offset == i);
        auto const tolerant =
            hurray::file_view::parse(bytes, {.mode = hurray::mode::permissive}).value();
        BOOST_TEST(tolerant.verify().has_value());  // C-14
        bytes[i] = std::byte{};
    }
    BOOST_TEST(file.verify().has_value());
}

BOOST_AUTO_TEST_SUITE_END()
