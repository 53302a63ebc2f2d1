// Files of the format's reference implementation, beside the repository in HURRAY_SHARED: read as
// their manifests say, and rewritten byte for byte. The files in test/data are our own writer's and
// are always here; HURRAY_WRITE_TEST_DATA=1 in the environment writes them anew.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "manifest.hpp"
#include "matrix_samples.hpp"

namespace {

using namespace hurray_test;
using hurray::axis;
using hurray::extents;
using hurray::layout;
using hurray::mode;
using nlohmann::json;
namespace fs = std::filesystem;

fs::path const shared = HURRAY_SHARED;

/// Whether the reference files are there; says so if not.
bool here(char const* folder) {
    if (!shared.empty() && fs::exists(shared / folder / "manifest.json")) return true;
    std::cout << "golden: no " << folder << " folder (HURRAY_SHARED is \"" << shared.string()
              << "\"): only test/data is tested\n";
    return false;
}

bool is_matrix(json const& t) { return t.at("layout") == "csr" || t.at("layout") == "csc"; }

/// The statistics that the reference was given for statistics.hrry.
hurray::statistics const golden_statistics{.nnz = 5,
                                           .sparsity_ratio = 0.75,
                                           .values = {{.min = 1, .max = 5, .abs_max = 5}},
                                           .distribution = {{.mean = 0.75, .stddev = 1.5}},
                                           .special = {{.has_nan = false, .has_inf = false}}};

/// The values buffer; where the manifest has only numbers, the numbers as they are.
bytes values_of(json const& t) {
    if (!t.at("values_hex").is_null()) return from_hex(t.at("values_hex").get<std::string>());
    auto const numbers = t.at("values_as_numbers").get<std::vector<double>>();
    bytes all;
    auto const put = [&](auto number) {
        auto const raw = std::as_bytes(std::span(&number, 1));
        all.insert(all.end(), raw.begin(), raw.end());
    };
    auto const tag = t.at("element_type_tag").get<unsigned>();
    BOOST_REQUIRE((tag == 3 || tag == 4));
    for (auto const number : numbers) tag == 3 ? put(static_cast<float>(number)) : put(number);
    return all;
}

/// A manifest's matrix in the library's terms.
struct listed {
    explicit listed(json const& t)
        : name(t.at("name").get<std::string>()),
          major_axis(t.at("layout") == "csr" ? axis::rows : axis::columns),
          shape{numbers(t.at("shape")).at(0), numbers(t.at("shape")).at(1)},
          offsets(numbers(t.at("ptr"))), indices(numbers(t.at("indices"))),
          values_as_numbers(t.at("values_as_numbers").get<std::vector<double>>()) {
        elements.type = static_cast<hurray::element_type>(t.at("element_type_tag").get<unsigned>());
        elements.count = t.at("nnz").get<std::uint64_t>();
        elements.buffer = values_of(t);
        if (hurray::is_packed(elements.type))
            for (auto const v : values_as_numbers)
                elements.patterns.push_back(static_cast<std::uint8_t>(
                    static_cast<unsigned>(v) % (1u << hurray::bits_of(elements.type))));
        options.shard = shard_of(t);
        if (t.at("has_statistics").get<bool>()) options.statistics = golden_statistics;
    }

    std::uint64_t minor() const { return major_axis == axis::rows ? shape.columns : shape.rows; }

    std::string name;
    axis major_axis;
    extents shape;
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> indices;
    std::vector<double> values_as_numbers;
    element_data elements;
    hurray::tensor_options options;
};

// ---- reading

template<hurray::element T> bool is_number(T value, double number) {
    if constexpr (hurray::packed_element<T>)
        return hurray::detail::to_bits(value) ==
               static_cast<unsigned>(number) % (1u << hurray::bits_of(hurray::element_type_of<T>));
    else if constexpr (hurray::is_complex(hurray::element_type_of<T>))
        return value.real() == number && value.imag() == -number;
    else if constexpr (std::same_as<T, hurray::float8_e8m0>)
        return true;  // the reference wrote other powers of two; the bytes are compared
    else
        return static_cast<double>(value) == number;
}

// Not templates: they are compiled once.
void check(bool holds, std::string const& what) {
    if (!holds) BOOST_ERROR(what);
}
void compare_arrays(listed const& m, bool same_axis, extents shape,
                    std::span<std::uint64_t const> offsets, std::span<std::uint64_t const> indices,
                    bytes const& values) {
    check(same_axis, "layout");
    check(shape == m.shape, "shape");
    check(std::ranges::equal(offsets, m.offsets), "offsets");
    check(std::ranges::equal(indices, m.indices), "indices");
    check(values == m.elements.buffer, "values");
}
void compare_indices(listed const& m, std::uint64_t i, std::span<std::uint64_t const> indices) {
    auto const count = m.offsets[i + 1] - m.offsets[i];
    check(std::ranges::equal(indices, std::span(m.indices).subspan(m.offsets[i], count)),
          "indices of slice " + std::to_string(i));
}

template<class View> void compare_eager(View const& view, listed const& m) {
    using T = typename View::value_type;
    compare_arrays(m, View::major_axis == m.major_axis, view.shape(), view.offsets(),
                   view.indices(), bytes_of_values<T>(view.values()));
    for (std::uint64_t k = 0; k < view.nnz(); ++k)
        check(is_number(T(view.values()[k]), m.values_as_numbers.at(k)), "number");
}

template<class View> void compare_lazy(View const& view, listed const& m) {
    using T = typename View::value_type;
    for (std::uint64_t i = 0; i < view.major(); ++i) {
        auto const slice = view.at(i).value();
        compare_indices(m, i, slice.indices());
        for (std::uint64_t k = 0; k < slice.size(); ++k)
            check(is_number(T(slice.values()[k]), m.values_as_numbers.at(m.offsets[i] + k)),
                  "number");
    }
    check(view.verify().has_value(), "verify()");
}

void check_matrix(hurray::file_view const& file, listed const& m) {
    auto const t = file.describe(m.name).value();
    auto const& d = t.descriptor;
    BOOST_TEST((d.layout == (m.major_axis == axis::rows ? layout::csr : layout::csc)));
    BOOST_TEST((d.element_type == m.elements.type));
    BOOST_TEST((d.shape == std::vector{m.shape.rows, m.shape.columns}));
    BOOST_TEST(d.nnz().value() == m.elements.count);
    BOOST_TEST(d.byte_offset == 0u);
    BOOST_TEST((d.shard == m.options.shard));
    BOOST_TEST((d.statistics == m.options.statistics));
    BOOST_REQUIRE(t.buffers.size() == 3u);
    BOOST_TEST(t.buffers[0].length == m.elements.buffer.size());
    BOOST_TEST(t.buffers[1].length == 8 * m.indices.size());
    BOOST_TEST(t.buffers[2].length == 8 * m.offsets.size());
    visit(file, m.name, [&](auto const& view) { compare_eager(view, m); }).value();
    visit(
        file, m.name, [&](auto const& view) { compare_lazy(view, m); }, hurray::lazy)
        .value();
}

/// Dense tensors and composite heads: what they are and, where told, their bytes.
void check_other(hurray::file_view const& file, json const& t) {
    auto const name = t.at("name").get<std::string>();
    auto const found = file.describe(name).value();
    auto const& d = found.descriptor;
    BOOST_TEST((d.layout == layout_named(t.at("layout"))));
    BOOST_TEST(static_cast<unsigned>(d.element_type) == t.at("element_type_tag").get<unsigned>());
    BOOST_TEST((d.shape == numbers(t.at("shape"))));
    if (t.contains("values_hex")) {
        auto const where = found.buffers.at(0);
        BOOST_TEST(hex(file.bytes().subspan(where.offset, where.length)) ==
                   t.at("values_hex").get<std::string>());
    }
    if (t.contains("member_count"))
        BOOST_TEST(d.fields.composite.members == t.at("member_count").get<unsigned>());
}

void check_file(hurray::file_view const& file, json const& f) {
    auto const& tensors = f.at("tensors");
    BOOST_TEST(file.data_alignment() == f.at("data_buffer_alignment").get<unsigned>());
    BOOST_TEST((file.metadata() == metadata_of(f.at("kv"))));
    std::vector<std::string> names;
    for (auto const& t : tensors) names.push_back(t.at("name"));
    if (f.at("sorted_index").get<bool>()) std::ranges::sort(names);
    std::vector<std::string> found;
    for (auto const& entry : file.tensors()) found.emplace_back(entry.name);
    BOOST_TEST(found == names, boost::test_tools::per_element());
    for (auto const& t : tensors) {
        if (is_matrix(t))
            check_matrix(file, listed(t));
        else
            check_other(file, t);
    }
    auto const outcomes = file.verify().value().tensors;
    BOOST_REQUIRE(outcomes.size() == tensors.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        auto const d = file.describe(file.tensors()[i].name);
        bool const matrix = d.value().descriptor.nnz().has_value();
        BOOST_TEST((outcomes[i] ==
                    (matrix ? hurray::outcome::verified : hurray::outcome::structure_only)));
    }
    // the reference never sets the key-value flag.
    BOOST_TEST(file.notes().size() == (f.at("kv").empty() ? 0u : 1u));
    for (auto const& note : file.notes())
        BOOST_TEST(
            (note == hurray::error{.code = hurray::errc::metadata_flag_wrong, .offset = 12}));
}

// ---- writing

constexpr std::uint64_t all_at_once = ~std::uint64_t{0};

enum class way { view, pieces, unpacked_pieces, slices, unannounced_slices, copy };

struct rewriting {
    way how;
    std::uint64_t chunk = all_at_once;
    bool path = false;
};

rewriting const rewritings[] = {{way::view},
                                {way::view, all_at_once, true},
                                {way::pieces, 1},
                                {way::pieces, 3},
                                {way::pieces, 7, true},
                                {way::pieces, all_at_once},
                                {way::unpacked_pieces, 3},
                                {way::slices, all_at_once, true},
                                {way::unannounced_slices, all_at_once, true},
                                {way::copy},
                                {way::copy, all_at_once, true}};

/// Calls `give` with first and count of each chunk.
void in_chunks(std::uint64_t count, std::uint64_t chunk,
               std::function<hurray::result<void>(std::uint64_t, std::uint64_t)> const& give) {
    for (std::uint64_t k = 0; k < count;) {
        auto const n = std::min(chunk, count - k);
        give(k, n).value();
        k += n;
    }
}

template<hurray::element T>
void in_pieces(hurray::matrix_stream<T> out, listed const& m, rewriting const& r) {
    typed_elements<T> const elements(m.elements);
    in_chunks(m.elements.count, r.chunk, [&](std::uint64_t k, std::uint64_t n) {
        if constexpr (hurray::packed_element<T>)
            if (r.how == way::unpacked_pieces) return out.values(elements.unpacked().subspan(k, n));
        return out.values(elements.values().subspan(k, n));
    });
    in_chunks(m.elements.count, r.chunk, [&](std::uint64_t k, std::uint64_t n) {
        return out.indices(std::span(m.indices).subspan(k, n));
    });
    out.close().value();
}

template<hurray::element T> void in_slices(hurray::matrix_appender<T> out, listed const& m) {
    typed_elements<T> const elements(m.elements);
    for (std::size_t i = 0; i + 1 < m.offsets.size(); ++i) {
        auto const n = m.offsets[i + 1] - m.offsets[i];
        out.append(std::span(m.indices).subspan(m.offsets[i], n),
                   elements.values().subspan(m.offsets[i], n))
            .value();
    }
    out.close().value();
}

template<hurray::element T>
void give(hurray::writer& out, hurray::file_view const& from, listed const& m, rewriting const& r) {
    bool const csr = m.major_axis == axis::rows;
    switch (r.how) {
    case way::view:
        if (csr) return out.write(m.name, from.csr<T>(m.name).value(), m.options).value();
        return out.write(m.name, from.csc<T>(m.name).value(), m.options).value();
    case way::slices:
        if (csr)
            return in_slices(
                out.append_csr<T>(m.name, m.shape, m.elements.count, m.options).value(), m);
        return in_slices(out.append_csc<T>(m.name, m.shape, m.elements.count, m.options).value(),
                         m);
    case way::unannounced_slices:
        if (csr) return in_slices(out.append_csr<T>(m.name, m.minor(), m.options).value(), m);
        return in_slices(out.append_csc<T>(m.name, m.minor(), m.options).value(), m);
    default:
        if (csr)
            return in_pieces(out.stream_csr<T>(m.name, m.shape, m.offsets, m.options).value(), m,
                             r);
        return in_pieces(out.stream_csc<T>(m.name, m.shape, m.offsets, m.options).value(), m, r);
    }
}

hurray::write_options options_of(json const& f) {
    hurray::write_options o{.data_alignment = f.at("data_buffer_alignment").get<unsigned>(),
                            .metadata = metadata_of(f.at("kv")),
                            .sorted_index = f.at("sorted_index").get<bool>(),
                            .durability = hurray::durability::none};
    if (f.at("file") == "align_65536.hrry") o.handle_alignment = 4096;  // as its description says
    return o;
}

/// The file written again from what the manifest says; dense tensors, and all with way::copy,
/// are copied from `from`.
bytes rewritten(hurray::file_view const& from, json const& f, rewriting const& r,
                fs::path const& target) {
    memory_sink memory;
    auto out = r.path ? hurray::writer::create(target, options_of(f)).value()
                      : hurray::writer::onto(memory, options_of(f)).value();
    for (auto const& t : f.at("tensors")) {
        if (!is_matrix(t) || r.how == way::copy) {
            out.copy(from, t.at("name").get<std::string>()).value();
            continue;
        }
        listed const m(t);
        hurray::visit_element_type(
            m.elements.type, [&]<class T>(std::type_identity<T>) { give<T>(out, from, m, r); });
    }
    out.close().value();
    return r.path ? read_file(target) : *memory.got;
}

/// The bytes with bit 0 of file_flags, which the reference never sets, cleared.
bytes without_metadata_flag(bytes all) {
    all.at(12) &= ~std::byte{1};
    return all;
}

// ---- what our own writer made

struct own_file {
    std::string name;
    bytes now;  ///< what the writer makes of it today
};

template<hurray::element T, axis Major> hurray::compressed_view<T, Major, hurray::trust::verified>
worked_example(typed_elements<T> const& values) {
    static std::vector<std::uint64_t> const csr_offsets{0, 2, 3, 5, 5}, csr_indices{0, 3, 2, 1, 4};
    static std::vector<std::uint64_t> const csc_offsets{0, 1, 2, 3, 4, 5},
        csc_indices{0, 2, 1, 0, 2};
    bool const csr = Major == axis::rows;
    using view = hurray::compressed_view<T, Major, hurray::trust::verified>;
    return view::over({4, 5}, csr ? csr_offsets : csc_offsets, csr ? csr_indices : csc_indices,
                      values.values())
        .value();
}

element_data floats(std::vector<float> const& values) {
    auto const all = std::as_bytes(std::span(values));
    return {hurray::element_type::float32, values.size(), {all.begin(), all.end()}, {}};
}

element_data patterns(hurray::element_type type, std::vector<std::uint8_t> values) {
    auto packed = packed_bytes(values, hurray::bits_of(type));
    return {type, values.size(), std::move(packed), std::move(values)};
}

typed_elements<float> const by_rows(floats({1, 2, 3, 4, 5}));
typed_elements<float> const by_columns(floats({1, 4, 3, 2, 5}));

hurray::metadata every_kind_of_metadata() {
    using namespace std::string_literals;
    return {{"string", "naïve ✓"s},
            {"int64", std::int64_t{-42}},
            {"uint64", ~std::uint64_t{0}},
            {"float64", 0.5},
            {"bool", true},
            {"bytes", to_bytes("\1\2\xFF")},
            {"strings", hurray::metadata_array(std::vector<std::string>{"", "a"})},
            {"int64s", hurray::metadata_array(std::vector<std::int64_t>{-1, 1})},
            {"uint64s", hurray::metadata_array(std::vector<std::uint64_t>{1})},
            {"float64s", hurray::metadata_array(std::vector<double>{})},
            {"bools", hurray::metadata_array(std::vector<bool>{true, false})},
            {"byte strings", hurray::metadata_array(std::vector<bytes>{to_bytes("x"), {}})}};
}

own_file made(std::string name, hurray::write_options const& options,
              std::function<void(hurray::writer&)> const& fill) {
    memory_sink memory;
    auto out = hurray::writer::onto(memory, options).value();
    fill(out);
    out.close().value();
    return {std::move(name), *memory.got};
}

std::vector<own_file> own_files() {
    using hurray::element_type;
    std::vector<own_file> all;
    all.push_back(made("worked_example.hrry", {.metadata = every_kind_of_metadata()},
                       [](hurray::writer& out) {
                           out.write("rows", worked_example<float, axis::rows>(by_rows),
                                     {.statistics = golden_statistics})
                               .value();
                           out.write("columns", worked_example<float, axis::columns>(by_columns),
                                     {.shard = hurray::shard{{4, 10}, {0, 5}}})
                               .value();
                       }));
    all.push_back(made("packed.hrry", {}, [](hurray::writer& out) {
        typed_elements<bool> const bools(patterns(element_type::boolean, {1, 0, 1, 0, 1}));
        typed_elements<hurray::int4> const ints(patterns(element_type::int4, {1, 2, 15, 8, 5}));
        typed_elements<hurray::float6_e2m3> const floats6(
            patterns(element_type::float6_e2m3, {63, 2, 3, 32, 5}));
        out.write("bool", worked_example<bool, axis::rows>(bools)).value();
        out.write("int4", worked_example<hurray::int4, axis::columns>(ints)).value();
        out.write("float6", worked_example<hurray::float6_e2m3, axis::rows>(floats6)).value();
    }));
    all.push_back(made("empty.hrry", {}, [](hurray::writer& out) {
        std::vector<std::uint64_t> const offsets{0, 0, 0};
        std::span const all_offsets(offsets);
        auto const none = std::span<std::uint64_t const>();
        using csr = hurray::csr_view<double>;
        using csc = hurray::csc_view<double>;
        out.write("0 x 7", csr::over({0, 7}, all_offsets.first(1), none, {}).value()).value();
        out.write("2 x 0", csr::over({2, 0}, offsets, none, {}).value()).value();
        out.write("3 x 2", csc::over({3, 2}, offsets, none, {}).value()).value();
        out.write("0 x 0", csc()).value();
    }));
    all.push_back(made("sorted.hrry", {.data_alignment = 8192, .sorted_index = true},
                       [](hurray::writer& out) {
                           for (auto const* name : {"λ", "z", "a/b", "a"})
                               out.write(name, worked_example<float, axis::rows>(by_rows)).value();
                       }));
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden)

BOOST_AUTO_TEST_CASE(reference_files_read_as_their_manifest_says) {
    if (!here("golden")) return;
    auto const manifest = read_json(shared / "golden" / "manifest.json");
    std::set<std::string> unlisted;
    for (auto const& entry : fs::directory_iterator(shared / "golden"))
        if (entry.path().extension() == ".hrry") unlisted.insert(entry.path().filename().string());
    std::size_t files = 0, matrices = 0, others = 0;
    for (auto const& f : manifest.at("files")) {
        auto const name = f.at("file").get<std::string>();
        auto const path = shared / "golden" / name;
        BOOST_TEST_CONTEXT(name) {
            auto const all = read_file(path);
            for (auto const m : {mode::strict, mode::permissive}) {
                check_file(hurray::file_view::parse(all, {.mode = m}).value(), f);
                for (auto const l : {hurray::load::map, hurray::load::read}) {
                    auto const file = hurray::file::open(path, {.mode = m, .load = l}).value();
                    check_file(file.view(), f);
                }
            }
        }
        ++files;
        unlisted.erase(name);
        for (auto const& t : f.at("tensors")) ++(is_matrix(t) ? matrices : others);
    }
    BOOST_TEST(unlisted.empty());
    std::cout << "golden: " << files << " files with " << matrices << " matrices and " << others
              << " other tensors read, " << unlisted.size() << " skipped\n";
}

BOOST_AUTO_TEST_CASE(reference_files_are_rewritten_byte_for_byte) {
    if (!here("golden")) return;
    temporary_directory const folder;
    auto const manifest = read_json(shared / "golden" / "manifest.json");
    std::size_t files = 0, ways = 0;
    for (auto const& f : manifest.at("files")) {
        auto const name = f.at("file").get<std::string>();
        if (name == "composite_partition.hrry") continue;  // see the next test
        auto const original = read_file(shared / "golden" / name);
        auto const from = hurray::file_view::parse(original).value();
        for (auto const& r : rewritings) {
            auto const again = rewritten(from, f, r, folder / "again.hrry");
            // ours is set exactly when there are key-values.
            bool const flag = (again.at(12) & std::byte{1}) != std::byte{};
            BOOST_TEST(flag == !f.at("kv").empty());
            BOOST_TEST(difference(without_metadata_flag(again), without_metadata_flag(original)) ==
                           "",
                       name << ", way " << static_cast<int>(r.how) << ", chunk " << r.chunk);
            ++ways;
        }
        ++files;
    }
    std::cout << "golden: " << files << " files rewritten byte for byte in "
              << std::size(rewritings) << " ways each, 1 (composite_partition) apart\n";
    BOOST_TEST(files + 1 == manifest.at("files").size());
}

// the reference pads after a head where the format forbids it; we do not, and all else
// stays.
BOOST_AUTO_TEST_CASE(R_171_composite_is_rewritten_without_padding_after_its_head) {
    if (!here("golden")) return;
    auto const original = read_file(shared / "golden" / "composite_partition.hrry");
    auto const from = hurray::file_view::parse(original).value();
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    for (auto const& t : from.tensors()) out.copy(from, t.name).value();
    out.close().value();
    auto const again = hurray::file_view::parse(*memory.got).value();
    BOOST_REQUIRE(again.tensors().size() == 3u);
    auto const& head = again.tensors()[0];
    BOOST_TEST(head.data.length == 0u);
    BOOST_TEST(head.data.offset == (head.descriptor.end() + 7) / 8 * 8);
    BOOST_TEST(again.tensors()[1].descriptor.offset == head.data.offset);
    for (std::size_t i = 0; i < 3; ++i) {
        auto const& a = from.tensors()[i];
        auto const& b = again.tensors()[i];
        auto const part = [](hurray::file_view const& f, hurray::byte_range r) {
            return hex(f.bytes().subspan(r.offset, r.length));
        };
        BOOST_TEST(a.name == b.name);
        BOOST_TEST(part(from, a.descriptor) == part(again, b.descriptor));
        BOOST_TEST(part(from, a.data) == part(again, b.data));
    }
    BOOST_TEST(again.verify().has_value());
}

BOOST_AUTO_TEST_CASE(published_descriptors_decode_and_encode) {
    if (!here("conformance")) return;
    auto const manifest = read_json(shared / "conformance" / "manifest.json");
    std::size_t done = 0;
    for (auto const& entry : manifest.at("descriptors")) {
        auto const& expected = entry.at("expect");
        auto const all = read_file(shared / "conformance" / entry.at("file").get<std::string>());
        BOOST_TEST_CONTEXT(entry.at("description").get<std::string>()) {
            BOOST_TEST(std::to_integer<unsigned>(all.at(4)) == expected.at("version_major"));
            BOOST_TEST(std::to_integer<unsigned>(all.at(5)) == expected.at("version_minor"));
            for (auto const m : {mode::strict, mode::permissive}) {
                auto const d = hurray::descriptor::decode(all, m).value();
                BOOST_TEST(static_cast<unsigned>(d.element_type) ==
                           expected.at("element_type_tag"));
                BOOST_TEST(hurray::name(d.element_type) ==
                           expected.at("element_type").get<std::string>());
                BOOST_TEST((d.shape == numbers(expected.at("shape"))));
                BOOST_TEST(d.byte_offset == expected.at("byte_offset").get<std::uint64_t>());
                BOOST_TEST(static_cast<unsigned>(d.layout) == expected.at("layout_tag"));
                std::vector<std::uint64_t> sizes;
                for (auto const& handle : d.buffers) sizes.push_back(handle.byte_size);
                BOOST_TEST((sizes == numbers(expected.at("buffer_byte_sizes"))));
                BOOST_TEST(d.quantization.has_value() ==
                           expected.at("has_quantization").get<bool>());
                BOOST_TEST(d.shard.has_value() == expected.at("has_shard").get<bool>());
                BOOST_TEST(hex(d.encode()) == hex(all));
            }
        }
        ++done;
    }
    std::cout << "conformance: " << done << " descriptors decoded and encoded, 0 skipped\n";
}

BOOST_AUTO_TEST_CASE(published_files_read_and_are_rewritten) {
    if (!here("conformance")) return;
    auto const manifest = read_json(shared / "conformance" / "manifest.json");
    std::size_t done = 0;
    for (auto const& f : manifest.at("files")) {
        auto const all = read_file(shared / "conformance" / f.at("file").get<std::string>());
        for (auto const m : {mode::strict, mode::permissive}) {
            auto const file = hurray::file_view::parse(all, {.mode = m}).value();
            BOOST_REQUIRE(file.tensors().size() == f.at("tensors").size());
            for (auto const& t : f.at("tensors")) {
                auto const found = file.describe(t.at("name").get<std::string>()).value();
                BOOST_TEST(hurray::name(found.descriptor.element_type) ==
                           t.at("element_type").get<std::string>());
                BOOST_TEST((found.descriptor.shape == numbers(t.at("shape"))));
                BOOST_TEST(found.buffers.at(0).length == t.at("data_bytes").get<std::uint64_t>());
            }
            hurray::metadata expected;
            for (auto const& kv : f.at("kv")) {
                if (kv.at("kind") == "string")
                    expected.set(kv.at("key"), kv.at("value_string").get<std::string>());
                else
                    expected.set(kv.at("key"), kv.at("value_int").get<std::int64_t>());
            }
            BOOST_TEST((file.metadata() == expected));
            BOOST_TEST(file.verify().has_value());
            memory_sink memory;
            auto out = hurray::writer::onto(memory, {.metadata = expected}).value();
            for (auto const& t : file.tensors()) out.copy(file, t.name).value();
            out.close().value();
            BOOST_TEST(difference(without_metadata_flag(*memory.got), without_metadata_flag(all)) ==
                       "");
        }
        ++done;
    }
    std::cout << "conformance: " << done << " files read and rewritten, 0 skipped\n";
}

BOOST_AUTO_TEST_CASE(our_own_files_stay_as_they_are) {
    auto const* const anew = std::getenv("HURRAY_WRITE_TEST_DATA");
    for (auto const& own : own_files()) {
        auto const path = fs::path(HURRAY_TEST_DATA) / own.name;
        if (anew != nullptr && std::string_view(anew) == "1") {
            write_file(path, own.now);
            std::cout << "golden: wrote " << own.name << "\n";
        }
        BOOST_TEST(difference(read_file(path), own.now) == "", own.name);
    }
}

BOOST_AUTO_TEST_CASE(our_own_files_hold_what_was_put_in) {
    auto const open = [](char const* name, hurray::load l) {
        return hurray::file::open(fs::path(HURRAY_TEST_DATA) / name, {.load = l}).value();
    };
    for (auto const l : {hurray::load::map, hurray::load::read}) {
        auto const example = open("worked_example.hrry", l);
        BOOST_TEST((example.metadata() == every_kind_of_metadata()));
        auto const rows = example.csr<float>("rows").value();
        auto const columns = example.csc<float>("columns").value();
        float const dense[4][5] = {{1, 0, 0, 2, 0}, {0, 0, 3, 0, 0}, {0, 4, 0, 0, 5}, {}};
        for (std::uint64_t r = 0; r < 4; ++r)
            for (std::uint64_t c = 0; c < 5; ++c) {
                BOOST_TEST(rows.value(r, c) == dense[r][c]);
                BOOST_TEST(columns.value(r, c) == dense[r][c]);
            }
        BOOST_TEST((example.describe("rows")->descriptor.statistics == golden_statistics));
        BOOST_TEST(
            (example.describe("columns")->descriptor.shard == hurray::shard{{4, 10}, {0, 5}}));
        BOOST_TEST(example.verify().has_value());

        auto const packed = open("packed.hrry", l);
        BOOST_TEST(packed.csr<bool>("bool")->value(2, 1) == false);
        BOOST_TEST(packed.csr<bool>("bool")->value(2, 4) == true);
        // By columns: (0,0) (2,1) (1,2) (0,3) (2,4).
        BOOST_TEST(packed.csc<hurray::int4>("int4")->value(1, 2).bits() == 15);
        BOOST_TEST(packed.csr<hurray::float6_e2m3>("float6")->value(0, 0).bits() == 63);
        BOOST_TEST(packed.csr<hurray::float6_e2m3>("float6")->value(2, 4).bits() == 5);
        BOOST_TEST(packed.verify().has_value());

        auto const empty = open("empty.hrry", l);
        BOOST_TEST((empty.csr<double>("0 x 7")->shape() == extents{0, 7}));
        BOOST_TEST((empty.csr<double>("2 x 0")->shape() == extents{2, 0}));
        BOOST_TEST((empty.csc<double>("3 x 2")->shape() == extents{3, 2}));
        BOOST_TEST((empty.csc<double>("0 x 0")->shape() == extents{0, 0}));
        BOOST_TEST(empty.verify().has_value());

        auto const sorted = open("sorted.hrry", l);
        std::vector<std::string_view> names;
        for (auto const& t : sorted.tensors()) names.push_back(t.name);
        BOOST_TEST(names == (std::vector<std::string_view>{"a", "a/b", "z", "λ"}),
                   boost::test_tools::per_element());
        BOOST_TEST(sorted.data_alignment() == 8192u);
        BOOST_TEST(sorted.verify().has_value());
    }
}

BOOST_AUTO_TEST_SUITE_END()
