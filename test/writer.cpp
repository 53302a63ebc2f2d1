// What a writer refuses, and that nothing is left where it does. What it writes is compared byte
// by byte in round_trip.cpp and golden.cpp.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.hpp"
#include "matrices.hpp"
#include "reference_file.hpp"

namespace {

using namespace hurray_test;
using hurray::errc;
using hurray::error;
using hurray::extents;
using hurray::result;
namespace fs = std::filesystem;
using names = std::vector<std::string>;
using numbers = std::vector<std::uint64_t>;

example_arrays const example;

void check_error(result<void> const& got, error const& expected) {
    BOOST_REQUIRE(!got.has_value());
    BOOST_TEST(got.error().code == expected.code, got.error().message());
    BOOST_TEST(got.error().slice == expected.slice, got.error().message());
    BOOST_TEST(got.error().position == expected.position, got.error().message());
}
void check_error(result<void> const& got, errc expected) { check_error(got, {.code = expected}); }

template<class T> result<void> outcome_of(result<T> const& r) {
    if (!r) return r.error();
    return {};
}

/// Runs `step` on a writer to a path and on one onto a sink. It must fail with `expected`, and the
/// failure must last and leave no trace: what was there before stays as it was.
void refused(error const& expected, std::function<result<void>(hurray::writer&)> const& step,
             bool needs_path = false) {
    temporary_directory const folder;
    auto const target = folder / "kept.hrry";
    auto const before = to_bytes("what was there before");
    write_file(target, before);
    auto const check = [&](hurray::writer out) {
        out.write("before", example.csr()).value();
        check_error(step(out), expected);
        check_error(out.write("after", example.csr()), expected);
        check_error(out.close(), expected);
    };
    check(hurray::writer::create(target).value());
    BOOST_TEST(difference(read_file(target), before) == "");
    BOOST_TEST(folder.names() == names{"kept.hrry"}, boost::test_tools::per_element());
    if (!needs_path) check(hurray::writer::onto(memory_sink()).value());
}
void refused(errc expected, std::function<result<void>(hurray::writer&)> const& step,
             bool needs_path = false) {
    refused(error{.code = expected}, step, needs_path);
}

/// A file of one tensor, whatever its descriptor says.
bytes file_of(hurray::descriptor const& d, bytes const& data) {
    auto const descriptor = d.encode();
    reference_bytes out;
    out.text("HRRYFILE").u8(1).u8(0).zeros(2).u32(4).u32(4096).u64(64);
    out.u64(~std::uint64_t{0}).zeros(28);
    out.put(descriptor.data(), descriptor.size());
    bool const head = d.layout == hurray::layout::composite;
    auto const at = out.pad_to(head ? 8 : 4096).size();
    out.put(data.data(), data.size()).pad_to(8);
    auto const index = out.size();
    out.u64(1).u16(1).text("t").u64(64).u32(descriptor.size()).u64(at).u64(data.size()).u32(0);
    auto const length = out.size() - index;
    auto const crc = reference_crc32c(std::span(out.all()).subspan(index));
    out.u64(index).u64(length).u64(0).u32(0).u32(crc).zeros(4).text("HRRY");
    return out.all();
}

class restored_limit {
public:
    explicit restored_limit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        auto const lower = rlimit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &lower);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    restored_limit(restored_limit const&) = delete;
    restored_limit& operator=(restored_limit const&) = delete;
    ~restored_limit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(writer)

// ---- names

BOOST_AUTO_TEST_CASE(R_035_R_036_R_037_names) {
    auto const named = [](std::string const& name) {
        return [=](hurray::writer& out) { return out.write(name, example.csr()); };
    };
    refused(errc::empty_tensor_name, named(""));
    refused(errc::empty_tensor_name, named(std::string(65536, 'x')));
    refused(errc::tensor_name_not_utf8, named("\xC3("));
    refused(errc::tensor_name_not_utf8, named("\xED\xA0\x80"));  // a surrogate
    refused(errc::duplicate_tensor_name, named("before"));
    refused(errc::duplicate_tensor_name, [](hurray::writer& out) {
        return outcome_of(out.stream_csr<float>("before", example.shape, example.csr_offsets));
    });

    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    std::string const longest(65535, 'x');
    out.write(longest, example.csr()).value();
    out.write(std::string_view("\0", 1), example.csr()).value();
    out.write("Before", example.csr()).value();
    out.write("before", example.csr()).value();
    out.close().value();
    auto const file = hurray::file_view::parse(*memory.got).value();
    BOOST_TEST(file.tensors()[0].name == longest);
    BOOST_TEST(file.tensors().size() == 4u);
}

// ---- the four invariants

BOOST_AUTO_TEST_CASE(R_102_R_103_offsets) {
    auto const stream = [](numbers const& offsets, extents shape = example.shape) {
        return [=](hurray::writer& out) {
            return outcome_of(out.stream_csr<float>("m", shape, offsets));
        };
    };
    refused({.code = errc::offsets_not_anchored, .slice = 0}, stream({1, 2, 3, 5, 5}));
    refused({.code = errc::offsets_decrease, .slice = 1}, stream({0, 3, 2, 5, 5}));
    refused({.code = errc::offsets_decrease, .slice = 3}, stream({0, 2, 3, 6, 5}));
    refused(errc::sizes_disagree, stream({0, 2, 3, 5}));
    refused(errc::sizes_disagree, stream({}));
    refused(errc::sizes_disagree, stream({0, 0}, {.rows = 0, .columns = 5}));
    refused({.code = errc::offsets_decrease, .slice = 4}, [](hurray::writer& out) {
        numbers const offsets{0, 1, 2, 3, 6, 5};
        return outcome_of(out.stream_csc<float>("m", example.shape, offsets));
    });
}

BOOST_AUTO_TEST_CASE(R_104_R_105_indices_in_pieces) {
    auto const stream = [](numbers const& indices, std::size_t chunk) {
        return [=](hurray::writer& out) -> result<void> {
            auto m = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
            m.values(std::span(example.csr_values)).value();
            for (std::size_t k = 0; k < indices.size(); k += chunk) {
                auto const rest = std::span(indices).subspan(k);
                if (auto ok = m.indices(rest.first(std::min(chunk, rest.size()))); !ok) return ok;
            }
            return m.close();
        };
    };
    for (std::size_t const chunk : {1u, 2u, 5u}) {
        refused({.code = errc::indices_not_increasing, .slice = 0, .position = 1},
                stream({3, 0, 2, 1, 4}, chunk));
        refused({.code = errc::indices_not_increasing, .slice = 2, .position = 1},
                stream({0, 3, 2, 4, 4}, chunk));  // a duplicate
        refused({.code = errc::index_exceeds_shape, .slice = 1, .position = 0},
                stream({0, 3, 5, 1, 4}, chunk));
        refused({.code = errc::index_exceeds_shape, .slice = 2, .position = 1},
                stream({0, 3, 2, 1, ~std::uint64_t{0}}, chunk));
    }
    refused({.code = errc::index_exceeds_shape, .slice = 4, .position = 0},
            [](hurray::writer& out) -> result<void> {
                auto m = out.stream_csc<float>("m", example.shape, example.csc_offsets).value();
                m.values(std::span(example.csc_values)).value();
                return m.indices(numbers{0, 2, 1, 0, 4});  // four rows
            });
}

BOOST_AUTO_TEST_CASE(R_104_R_105_indices_by_slices) {
    for (bool const known : {true, false}) {
        auto const append = [=](numbers const& third) {
            return [=](hurray::writer& out) -> result<void> {
                auto m = known ? out.append_csr<float>("m", example.shape, 5).value()
                               : out.append_csr<float>("m", example.shape.columns).value();
                m.append(numbers{0, 3}, std::vector<float>{1, 2}).value();
                m.append(numbers{}, std::vector<float>{}).value();
                return m.append(third, std::vector<float>(third.size()));
            };
        };
        refused({.code = errc::indices_not_increasing, .slice = 2, .position = 2},
                append({0, 3, 3}), true);
        refused({.code = errc::index_exceeds_shape, .slice = 2, .position = 0}, append({5}), true);
        refused({.code = errc::index_exceeds_shape, .slice = 2, .position = 1}, append({4, 7, 3}),
                true);
    }
}

BOOST_AUTO_TEST_CASE(R_103_R_104_R_105_indices_by_rows_together) {
    using ends = numbers;
    for (bool const known : {true, false}) {
        auto const append = [=](ends const& more, numbers const& indices) {
            return [=](hurray::writer& out) -> result<void> {
                auto m = known ? out.append_csr<float>("m", example.shape, 5).value()
                               : out.append_csr<float>("m", example.shape.columns).value();
                m.append_rows(ends{2, 2}, numbers{0, 3, 1}, std::vector<float>{1, 2, 3}).value();
                if (auto ok = m.append_rows(more, indices, std::vector<float>(indices.size())); !ok)
                    return ok;
                return m.close();
            };
        };
        refused({.code = errc::indices_not_increasing, .slice = 2, .position = 1}, append({4}, {1}),
                true);
        refused({.code = errc::indices_not_increasing, .slice = 2, .position = 2},
                append({5}, {4, 4}), true);
        refused({.code = errc::index_exceeds_shape, .slice = 2, .position = 1}, append({4}, {5}),
                true);
        refused({.code = errc::offsets_decrease, .slice = 2}, append({1}, {2}), true);
        refused({.code = errc::offsets_decrease, .slice = 3}, append({4, 3}, {2, 3}), true);
        refused(errc::sizes_disagree, append({6}, {2}), true);
        refused(errc::matrix_incomplete, append({}, {2, 3}), true);
    }
    auto const fill = [](ends const& after, numbers const& indices) {
        return [=](hurray::writer& out) -> result<void> {
            auto m = out.append_csr<float>("m", {.rows = 2, .columns = 5}, 3).value();
            return m.append_rows(after, indices, std::vector<float>(indices.size()));
        };
    };
    refused(errc::too_many_elements, fill({2, 3, 3}, {1, 2, 3}), true);  // three rows
    refused(errc::too_many_elements, fill({1, 2}, {1, 2, 3}), true);     // an entry in none
    refused(errc::too_many_elements, fill({2, 4}, {0, 1, 2, 3}), true);
    refused(
        errc::needs_a_path,
        [](hurray::writer& out) { return out.append_csr<float>("m", 5).value().restart(); }, true);
}

BOOST_AUTO_TEST_CASE(R_103_R_104_R_105_one_of_many_rows_together) {
    // Rows of two entries: more than are checked at once.
    constexpr std::uint64_t rows = 5000, minor = 7;
    using edit = std::function<void(numbers & ends, numbers & indices)>;
    for (bool const known : {true, false}) {
        auto const append = [=](edit const& change) {
            return [=](hurray::writer& out) -> result<void> {
                numbers ends, indices;
                for (std::uint64_t i = 0; i < rows; ++i) {
                    ends.push_back(2 * (i + 1));
                    indices.insert(indices.end(), {i % 5, i % 5 + 2});
                }
                change(ends, indices);
                extents const shape{.rows = rows, .columns = minor};
                auto m = known ? out.append_csr<float>("m", shape, 2 * rows).value()
                               : out.append_csr<float>("m", minor).value();
                if (auto ok = m.append_rows(ends, indices, std::vector<float>(indices.size())); !ok)
                    return ok;
                return m.close();
            };
        };
        for (auto const row : {0u, 1u, 2047u, 2048u, 2049u, 4999u}) {
            refused({.code = errc::index_exceeds_shape, .slice = row, .position = 1},
                    append([=](auto&, auto& indices) { indices[2 * row + 1] = minor; }), true);
            refused({.code = errc::indices_not_increasing, .slice = row, .position = 1},
                    append([=](auto&, auto& indices) { indices[2 * row + 1] = row % 5; }), true);
            if (row != 0)
                refused({.code = errc::offsets_decrease, .slice = row},
                        append([=](auto& ends, auto&) { ends[row] = ends[row - 1] - 1; }), true);
        }
        refused(errc::sizes_disagree, append([](auto& ends, auto&) { ends.back() += 1; }), true);
        refused(errc::matrix_incomplete, append([](auto& ends, auto&) { ends.pop_back(); }), true);
    }
}

BOOST_AUTO_TEST_CASE(R_101_more_entries_than_places) {
    refused(errc::nnz_exceeds_shape, [](hurray::writer& out) {
        return outcome_of(out.stream_csr<float>("m", {.rows = 1, .columns = 1}, numbers{0, 2}));
    });
    refused(
        errc::nnz_exceeds_shape,
        [](hurray::writer& out) {
            return outcome_of(out.append_csr<float>("m", {.rows = 2, .columns = 2}, 5));
        },
        true);
}

BOOST_AUTO_TEST_CASE(R_138_forbidden_e8m0_values) {
    for (unsigned const bits : {0x00u, 0xFFu})
        refused(errc::forbidden_e8m0_value, [=](hurray::writer& out) {
            auto m = out.stream_csr<hurray::float8_e8m0>("m", {1, 2}, numbers{0, 2}).value();
            std::vector const values{
                hurray::float8_e8m0::from_bits(1),
                hurray::float8_e8m0::from_bits(static_cast<std::uint8_t>(bits))};
            return m.values(std::span(values));
        });
}

BOOST_AUTO_TEST_CASE(R_088_dynamic_dimensions) {
    for (auto const shape : {extents{hurray::dynamic, 5}, extents{5, hurray::dynamic}}) {
        refused(
            errc::dynamic_dimension_written,
            [=](hurray::writer& out) { return outcome_of(out.append_csr<float>("m", shape, 0)); },
            true);
        refused(
            errc::dynamic_dimension_written,
            [=](hurray::writer& out) { return outcome_of(out.append_csc<float>("m", shape, 0)); },
            true);
    }
    refused(
        errc::dynamic_dimension_written,
        [](hurray::writer& out) { return outcome_of(out.append_csr<float>("m", hurray::dynamic)); },
        true);
    refused(errc::dynamic_dimension_written, [](hurray::writer& out) {
        return outcome_of(out.stream_csr<float>("m", {1, hurray::dynamic}, numbers{0, 0}));
    });
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_into_64_bits) {
    auto const huge = std::uint64_t{1} << 62;
    refused(
        errc::too_many_elements,
        [=](hurray::writer& out) {
            return outcome_of(out.append_csr<double>("m", {huge, huge}, huge));
        },
        true);
    refused(
        errc::too_many_elements,
        [=](hurray::writer& out) {
            return outcome_of(out.append_csr<bool>("m", {~std::uint64_t{0} - 1, 1}, 0));
        },
        true);
}

// ---- what a tensor carries besides

BOOST_AUTO_TEST_CASE(R_109_R_163_R_156_sections) {
    auto const with = [](hurray::tensor_options const& o) {
        return [=](hurray::writer& out) { return out.write("m", example.csr(), o); };
    };
    refused(errc::statistics_nnz_mismatch, with({.statistics = {{.nnz = 6}}}));
    refused(errc::bad_statistics, with({.statistics = {{.sparsity_ratio = 1.5}}}));
    refused(errc::bad_statistics, with({.statistics = {{.distribution = {{0, -1}}}}}));
    refused(errc::bad_statistics, with({.statistics = {{.pattern = {{3, 2}}}}}));
    refused(errc::shard_outside_parent, with({.shard = hurray::shard{{8, 5}, {5, 0}}}));
    refused(errc::dynamic_dimension_in_shard,
            with({.shard = hurray::shard{{hurray::dynamic, 5}, {0, 0}}}));
    // Not of rank 2: the descriptor would not be one.
    refused(errc::descriptor_longer_than_its_fields,
            with({.shard = hurray::shard{{8, 5, 1}, {0, 0, 0}}}));

    hurray::tensor_options const wrong{.statistics = {{.nnz = 6}}};
    refused(
        errc::statistics_nnz_mismatch,
        [&](hurray::writer& out) {
            return outcome_of(out.append_csr<float>("m", example.shape, 5, wrong));
        },
        true);
    // With counts unknown it is seen at the end.
    refused(
        errc::statistics_nnz_mismatch,
        [&](hurray::writer& out) {
            auto m = out.append_csr<float>("m", 5, wrong).value();
            m.append(numbers{1}, std::vector<float>{1}).value();
            return m.close();
        },
        true);
}

BOOST_AUTO_TEST_CASE(R_158_R_162_statistics_and_shard_are_as_given) {
    hurray::tensor_options const some{.statistics = {{.nnz = 5, .pattern = {{2, 4}}}},
                                      .shard = hurray::shard{{8, 5}, {4, 0}}};
    temporary_directory const folder;
    auto out = hurray::writer::create(folder / "a.hrry").value();
    out.write("whole", example.csr(), some).value();
    auto m = out.append_csr<float>("rows", 5, some).value();
    for (std::uint64_t i = 0; i < 4; ++i)
        m.append(example.csr().row(i).indices(), example.csr().row(i).values()).value();
    m.close().value();
    out.write("without", example.csr()).value();
    out.close().value();
    auto const file = hurray::file::open(folder / "a.hrry").value();
    for (auto const* name : {"whole", "rows"}) {
        auto const d = file.describe(name).value().descriptor;
        BOOST_TEST((d.statistics == some.statistics));
        BOOST_TEST((d.shard == some.shard));
    }
    auto const d = file.describe("without").value().descriptor;
    BOOST_TEST((!d.statistics && !d.shard && !d.quantization));
    BOOST_TEST(file.verify().has_value());
}

// ---- options and key-values

BOOST_AUTO_TEST_CASE(R_012_alignments) {
    auto const check = [](hurray::write_options const& o) {
        temporary_directory const folder;
        check_error(outcome_of(hurray::writer::create(folder / "a.hrry", o)), errc::bad_option);
        check_error(outcome_of(hurray::writer::onto(memory_sink(), o)), errc::bad_option);
        BOOST_TEST(folder.names().empty());
    };
    for (std::uint32_t const bad : {0u, 64u, 2048u, 4097u, 12288u, 4u << 20})
        check({.data_alignment = bad});
    for (std::uint32_t const bad : {0u, 1u, 32u, 96u, 8192u}) check({.handle_alignment = bad});
}

// every buffer stands where its handle says it may.
BOOST_AUTO_TEST_CASE(R_115_alignment_up_to_2_MiB) {
    for (std::uint32_t const alignment : {4096u, 65536u, 2097152u}) {
        auto const all = example_file({.data_alignment = alignment, .handle_alignment = alignment});
        auto const file = hurray::file_view::parse(all).value();
        BOOST_TEST(file.data_alignment() == alignment);
        for (auto const& entry : file.tensors()) {
            auto const t = file.describe(entry.name).value();
            for (std::size_t k = 0; k < 3; ++k) {
                BOOST_TEST(t.buffers[k].offset % alignment == 0u);
                BOOST_TEST(t.descriptor.buffers[k].alignment == alignment);
            }
        }
        BOOST_TEST(file.verify().has_value());
    }
}

BOOST_AUTO_TEST_CASE(R_058_R_060_R_065_metadata) {
    using namespace std::string_literals;
    auto const check = [](hurray::metadata const& m, errc expected) {
        temporary_directory const folder;
        hurray::write_options o;
        o.metadata = m;
        check_error(outcome_of(hurray::writer::create(folder / "a.hrry", o)), expected);
        check_error(outcome_of(hurray::writer::onto(memory_sink(), o)), expected);
        BOOST_TEST(folder.names().empty());
    };
    check({{"", 1.0}}, errc::bad_metadata_key);
    check({{std::string(65536, 'k'), 1.0}}, errc::bad_metadata_key);
    check({{"\xFF", 1.0}}, errc::bad_metadata_key);
    check({{"k", "\xC0\x80"s}}, errc::bad_metadata_string);
    check({{"k", hurray::metadata_array(std::vector{"good"s, "\x80"s})}},
          errc::bad_metadata_string);
    // An array of 2^32 bools takes half a GiB here and would take 4 GiB in the file.
    hurray::write_options o;
    o.metadata.set("k", hurray::metadata_array(std::vector<bool>(std::size_t{1} << 32)));
    check_error(outcome_of(hurray::writer::onto(memory_sink(), o)), errc::metadata_too_long);
}

BOOST_AUTO_TEST_CASE(R_019_R_020_flags_are_truthful) {
    auto const flags = [](hurray::write_options const& o) {
        return std::to_integer<unsigned>(example_file(o).at(12));
    };
    BOOST_TEST(flags({}) == 4u);
    BOOST_TEST(flags({.metadata = {{"k", 1.0}}}) == 5u);
    BOOST_TEST(flags({.sorted_index = true}) == 6u);
}

BOOST_AUTO_TEST_CASE(R_038_R_039_order_of_the_index) {
    for (bool const sorted : {false, true}) {
        memory_sink memory;
        auto out = hurray::writer::onto(memory, {.sorted_index = sorted}).value();
        for (auto const* name : {"z", "\xCE\xBB", "Z", "a"}) out.write(name, example.csr()).value();
        out.close().value();
        auto const file = hurray::file_view::parse(*memory.got).value();
        names found;
        for (auto const& t : file.tensors()) found.emplace_back(t.name);
        BOOST_TEST(
            found == (sorted ? names{"Z", "a", "z", "\xCE\xBB"} : names{"z", "\xCE\xBB", "Z", "a"}),
            boost::test_tools::per_element());
        BOOST_TEST(file.csr<float>("Z")->value(2, 4) == 5.f);
    }
}

// ---- a matrix in pieces, out of order

BOOST_AUTO_TEST_CASE(pieces_in_a_wrong_order_or_number) {
    auto const stream = [](std::function<result<void>(hurray::matrix_stream<float>&)> const& use) {
        return [=](hurray::writer& out) {
            auto m = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
            return use(m);
        };
    };
    std::span const values(example.csr_values);
    refused(errc::too_many_elements,
            stream([&](auto& m) { return m.indices(example.csr_indices); }));
    refused(errc::too_many_elements, stream([&](auto& m) {
                m.values(values.first(4)).value();
                return m.indices(example.csr_indices);
            }));
    refused(errc::too_many_elements, stream([&](auto& m) {
                m.values(values).value();
                return m.values(values.first(1));
            }));
    refused(errc::too_many_elements, stream([&](auto& m) {
                m.values(values).value();
                m.indices(example.csr_indices).value();
                return m.indices(numbers{1});
            }));
    refused(errc::matrix_incomplete, stream([&](auto& m) { return m.close(); }));
    refused(errc::matrix_incomplete, stream([&](auto& m) {
                m.values(values).value();
                m.indices(numbers{0, 3, 2, 1}).value();
                return m.close();
            }));
}

BOOST_AUTO_TEST_CASE(slices_in_a_wrong_number) {
    using appender = hurray::matrix_appender<float>;
    auto const append = [](std::function<result<void>(appender&)> const& use) {
        return [=](hurray::writer& out) {
            auto m = out.append_csr<float>("m", {.rows = 2, .columns = 5}, 2).value();
            return use(m);
        };
    };
    std::vector<float> const one{1}, two{1, 2}, three{1, 2, 3};
    auto const check = [&](errc expected, std::function<result<void>(appender&)> const& use) {
        refused(expected, append(use), true);
    };
    check(errc::sizes_disagree, [&](auto& m) { return m.append(numbers{0}, two); });
    check(errc::too_many_elements, [&](auto& m) { return m.append(numbers{0, 1, 2}, three); });
    check(errc::too_many_elements, [&](auto& m) {
        m.append(numbers{0, 1}, two).value();
        m.append(numbers{}, {}).value();
        return m.append(numbers{}, {});  // a third row of two
    });
    check(errc::matrix_incomplete, [&](auto& m) {
        m.append(numbers{0, 1}, two).value();
        return m.close();
    });
    check(errc::matrix_incomplete, [&](auto& m) {
        m.append(numbers{0}, one).value();
        m.append(numbers{}, {}).value();
        return m.close();
    });
}

BOOST_AUTO_TEST_CASE(one_matrix_at_a_time) {
    refused(errc::matrix_in_progress, [](hurray::writer& out) {
        auto m = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
        return out.write("n", example.csr());
    });
    refused(errc::matrix_in_progress, [](hurray::writer& out) {
        auto m = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
        return out.close();
    });
    // Forgotten before it was complete, it takes the file with it.
    refused(errc::matrix_incomplete, [](hurray::writer& out) {
        (void)out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
        return out.close();
    });
}

BOOST_AUTO_TEST_CASE(a_stream_may_outlive_its_writer_but_not_write) {
    temporary_directory const folder;
    std::optional<hurray::matrix_stream<float>> stream;
    std::optional<hurray::matrix_appender<float>> appender;
    {
        auto out = hurray::writer::create(folder / "a.hrry").value();
        stream = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
        auto other = hurray::writer::create(folder / "b.hrry").value();
        appender = other.append_csr<float>("m", 5).value();
    }
    check_error(stream->values(std::span(example.csr_values)), errc::writer_closed);
    check_error(stream->indices(example.csr_indices), errc::writer_closed);
    check_error(stream->close(), errc::writer_closed);
    check_error(appender->append(numbers{}, {}), errc::writer_closed);
    check_error(appender->close(), errc::writer_closed);
    BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(after_close_and_after_a_move) {
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    auto m = out.stream_csr<float>("m", example.shape, example.csr_offsets).value();
    m.values(std::span(example.csr_values)).value();
    m.indices(example.csr_indices).value();
    m.close().value();
    check_error(m.close(), errc::writer_closed);
    check_error(m.indices(numbers{}), errc::writer_closed);
    auto moved = std::move(out);
    check_error(out.close(), errc::writer_closed);
    check_error(out.write("n", example.csr()), errc::writer_closed);
    check_error(outcome_of(out.append_csr<float>("n", 5)), errc::writer_closed);
    moved.close().value();
    auto const all = *memory.got;
    check_error(moved.close(), errc::writer_closed);
    check_error(moved.write("n", example.csr()), errc::writer_closed);
    BOOST_TEST(memory.got->size() == all.size());
    BOOST_TEST(hurray::file_view::parse(all)->csr<float>("m").has_value());
}

BOOST_AUTO_TEST_CASE(assigning_to_a_writer_abandons_what_it_wrote) {
    temporary_directory const folder;
    auto out = hurray::writer::create(folder / "a.hrry").value();
    out.write("m", example.csr()).value();
    out = hurray::writer::create(folder / "b.hrry").value();
    out.close().value();
    BOOST_TEST(folder.names() == names{"b.hrry"}, boost::test_tools::per_element());
}

// ---- sinks

BOOST_AUTO_TEST_CASE(R_054_a_sink_sees_the_bytes_once_and_in_order) {
    temporary_directory const folder;
    for (auto const durability :
         {hurray::durability::none, hurray::durability::data, hurray::durability::full}) {
        auto out = hurray::writer::create(folder / "a.hrry", {.durability = durability}).value();
        out.write("rows", example.csr()).value();
        out.write("columns", example.csc()).value();
        out.close().value();
        BOOST_TEST(difference(read_file(folder / "a.hrry"), example_file()) == "");
    }
    // More than fits into any buffer on the way, in pieces of every size.
    std::uint64_t const rows = 300000;
    numbers offsets(rows + 1), indices(rows);
    std::vector<double> values(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
        offsets[i + 1] = i + 1;
        indices[i] = i % 7;
        values[i] = static_cast<double>(i);
    }
    auto const view = hurray::csr_view<double>::over({rows, 7}, offsets, indices, values).value();
    memory_sink memory;
    auto onto = hurray::writer::onto(memory).value();
    onto.write("m", view).value();
    onto.close().value();
    auto out = hurray::writer::create(folder / "a.hrry").value();
    out.write("m", view).value();
    out.close().value();
    BOOST_TEST(difference(read_file(folder / "a.hrry"), *memory.got) == "");
    BOOST_TEST(hurray::file_view::parse(*memory.got)->verify().has_value());
}

BOOST_AUTO_TEST_CASE(a_sink_cannot_be_written_in_three_places) {
    auto const check = [](auto begin) {
        auto out = hurray::writer::onto(memory_sink()).value();
        check_error(outcome_of(begin(out)), errc::needs_a_path);
        check_error(out.close(), errc::needs_a_path);
    };
    check([](auto& out) { return out.template append_csr<float>("m", 5); });
    check([](auto& out) { return out.template append_csc<float>("m", {4, 5}, 5); });
}

BOOST_AUTO_TEST_CASE(a_sink_that_fails_is_quoted_and_left_alone) {
    auto const why = std::make_error_code(std::errc::no_space_on_device);
    auto const complete = example_file();
    // Fails in the n-th call, wherever that is.
    for (int fails_at = 1;; ++fails_at) {
        int calls = 0;
        auto const sink = [&](std::span<std::byte const>) -> std::error_code {
            BOOST_REQUIRE(calls < fails_at);  // never again after a failure
            return ++calls == fails_at ? why : std::error_code{};
        };
        auto out = hurray::writer::onto(sink);
        if (!out) {
            BOOST_TEST(out.error().code == why);
            continue;
        }
        auto const big = std::vector<float>(1 << 20);
        auto const offsets = numbers{0, big.size()};
        auto m = out->stream_csr<float>("m", {1, big.size()}, offsets).value();
        auto ok = m.values(std::span(big));
        if (ok) ok = m.indices(numbers{0, 1});
        if (ok) BOOST_TEST(m.close().error().code == errc::matrix_incomplete);
        if (ok) break;  // that many calls do not happen
        BOOST_TEST(ok.error().code == why);
        BOOST_TEST(m.close().error().code == why);
        BOOST_TEST(out->close().error().code == why);
    }
    // At the very end.
    std::size_t taken = 0;
    auto out = hurray::writer::onto([&](std::span<std::byte const> piece) {
                   taken += piece.size();
                   return taken == complete.size() ? why : std::error_code{};
               }).value();
    out.write("rows", example.csr()).value();
    out.write("columns", example.csc()).value();
    BOOST_TEST(out.close().error().code == why);
    BOOST_TEST(out.close().error().code == why);
}

// ---- paths

BOOST_AUTO_TEST_CASE(nothing_appears_before_close) {
    temporary_directory const folder;
    auto const target = folder / "a.hrry";
    {
        auto out = hurray::writer::create(target).value();
        out.write("m", example.csr()).value();
        BOOST_TEST(!fs::exists(target));
        BOOST_TEST(folder.names().size() == 1u);  // the temporary, beside the target
        auto m = out.append_csr<float>("n", 5).value();
        m.append(numbers{1}, std::vector<float>{1}).value();
    }
    BOOST_TEST(folder.names().empty());
    {
        auto out = hurray::writer::create(target).value();
        out.write("m", example.csr()).value();
        out.close().value();
        BOOST_TEST(folder.names() == names{"a.hrry"}, boost::test_tools::per_element());
    }
    BOOST_TEST(folder.names() == names{"a.hrry"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_replaced_whole_and_readers_keep_theirs) {
    temporary_directory const folder;
    auto const target = folder / "a.hrry";
    write_file(target, example_file());
    auto const old = hurray::file::open(target).value();
    auto out = hurray::writer::create(target).value();
    out.write("other", example.csc()).value();
    BOOST_TEST(difference(read_file(target), example_file()) == "");
    BOOST_TEST(old.unchanged().value());
    out.close().value();
    BOOST_TEST(hurray::file::open(target)->tensors()[0].name == "other");
    BOOST_TEST(old.csr<float>("rows")->value(2, 4) == 5.f);  // the mapping still has the old file
    BOOST_TEST(!old.unchanged().value());
}

BOOST_AUTO_TEST_CASE(replace_false_never_replaces) {
    temporary_directory const folder;
    auto const target = folder / "a.hrry";
    hurray::write_options const careful{.replace = false};
    auto const theirs = to_bytes("theirs");

    write_file(target, theirs);
    BOOST_TEST((hurray::writer::create(target, careful).error().code == std::errc::file_exists));
    BOOST_TEST(difference(read_file(target), theirs) == "");

    // It appears while we write.
    fs::remove(target);
    auto out = hurray::writer::create(target, careful).value();
    out.write("m", example.csr()).value();
    write_file(target, theirs);
    BOOST_TEST((out.close().error().code == std::errc::file_exists));
    BOOST_TEST((out.close().error().code == std::errc::file_exists));
    BOOST_TEST(difference(read_file(target), theirs) == "");
    BOOST_TEST(folder.names() == names{"a.hrry"}, boost::test_tools::per_element());

    fs::remove(target);
    auto again = hurray::writer::create(target, careful).value();
    again.close().value();
    BOOST_TEST(folder.names() == names{"a.hrry"}, boost::test_tools::per_element());
    BOOST_TEST(hurray::file::open(target)->tensors().empty());
}

BOOST_AUTO_TEST_CASE(targets_that_are_no_files) {
    temporary_directory const folder;
    BOOST_TEST((hurray::writer::create(folder.path()).error().code == std::errc::is_a_directory));
    BOOST_TEST((hurray::writer::create(folder / "missing" / "a.hrry").error().code ==
                std::errc::no_such_file_or_directory));
    write_file(folder / "file", to_bytes("x"));
    BOOST_TEST((hurray::writer::create(folder / "file" / "a.hrry").error().code ==
                std::errc::not_a_directory));
    fs::create_symlink("loop", folder / "loop");
    BOOST_TEST((hurray::writer::create(folder / "loop").error().code ==
                std::errc::too_many_symbolic_link_levels));
    BOOST_REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    BOOST_TEST(hurray::writer::create(folder / "fifo").error().code == errc::not_a_regular_file);
    BOOST_TEST(folder.names() == (names{"fifo", "file", "loop"}), boost::test_tools::per_element());
    BOOST_TEST(hurray::writer::create("/proc/a.hrry").has_value() == false);
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_written) {
    if (::geteuid() == 0) {
        std::cout << "writer: root may write everywhere; the read-only folder is not tested\n";
        return;
    }
    temporary_directory const folder;
    ::chmod(folder.path().c_str(), 0500);
    BOOST_TEST(
        (hurray::writer::create(folder / "a.hrry").error().code == std::errc::permission_denied));
    ::chmod(folder.path().c_str(), 0700);
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_is_followed) {
    temporary_directory const folder;
    fs::create_directory(folder / "far");
    write_file(folder / "far" / "a.hrry", to_bytes("old"));
    fs::create_symlink("far/a.hrry", folder / "near");       // relative to the link's folder
    fs::create_symlink(folder / "near", folder / "nearer");  // a link to a link
    fs::create_symlink("far/new.hrry", folder / "dangling");
    for (auto const* link : {"nearer", "dangling"}) {
        auto out = hurray::writer::create(folder / link).value();
        out.write("m", example.csr()).value();
        out.close().value();
        BOOST_TEST(fs::is_symlink(folder / link));
        BOOST_TEST(hurray::file::open(folder / link)->tensors().size() == 1u);
    }
    BOOST_TEST(fs::is_symlink(folder / "near"));
    BOOST_TEST(fs::is_regular_file(fs::symlink_status(folder / "far" / "a.hrry")));
    BOOST_TEST(fs::is_regular_file(fs::symlink_status(folder / "far" / "new.hrry")));
    BOOST_TEST(folder.names() == (names{"dangling", "far", "near", "nearer"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(permissions_stay_and_new_files_get_the_usual_ones) {
    temporary_directory const folder;
    auto const mode_of = [&](char const* name) {
        struct stat s {};
        ::stat((folder / name).c_str(), &s);
        return s.st_mode & 07777u;
    };
    for (unsigned const mode : {0600u, 0640u, 0444u}) {
        fs::remove(folder / "a.hrry");
        write_file(folder / "a.hrry", to_bytes("x"));
        ::chmod((folder / "a.hrry").c_str(), mode);
        auto out = hurray::writer::create(folder / "a.hrry").value();
        out.close().value();
        BOOST_TEST(mode_of("a.hrry") == mode);
    }
    auto const mask = ::umask(022);
    auto out = hurray::writer::create(folder / "new.hrry").value();
    out.close().value();
    BOOST_TEST(mode_of("new.hrry") == 0644u);
    ::umask(mask);
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_is_an_error_and_costs_nothing) {
    temporary_directory const folder;
    auto const target = folder / "a.hrry";
    write_file(target, example_file());
    {
        restored_limit const small(rlim_t{64} << 10);
        auto const offsets = numbers{0, 1 << 20};
        auto out = hurray::writer::create(target).value();
        auto m = out.stream_csr<float>("m", {1, 1 << 20}, offsets);
        std::vector<float> const values(1 << 20);
        auto const ok = m ? m->values(std::span(values)) : outcome_of(m);
        BOOST_REQUIRE(!ok.has_value());
        BOOST_TEST((ok.error().code == std::errc::file_too_large));
        BOOST_TEST((out.close().error().code == std::errc::file_too_large));
    }
    BOOST_TEST(difference(read_file(target), example_file()) == "");
    BOOST_TEST(folder.names() == names{"a.hrry"}, boost::test_tools::per_element());
}

// ---- copying

BOOST_AUTO_TEST_CASE(copies_keep_descriptor_and_buffers) {
    auto const all = example_file();
    auto const from = hurray::file_view::parse(all).value();
    memory_sink memory;
    auto out = hurray::writer::onto(memory, {.data_alignment = 65536}).value();
    out.copy(from, "columns").value();
    out.copy(from, "rows", "again").value();
    out.close().value();
    auto const to = hurray::file_view::parse(*memory.got).value();
    BOOST_TEST(to.csc<float>("columns")->value(2, 4) == 5.f);
    BOOST_TEST(to.csr<float>("again")->value(2, 4) == 5.f);
    BOOST_TEST(to.verify().has_value());

    refused(errc::no_such_tensor, [&](hurray::writer& w) { return w.copy(from, "missing"); });
    refused(errc::duplicate_tensor_name,
            [&](hurray::writer& w) { return w.copy(from, "rows", "before"); });
    refused(errc::tensor_name_not_utf8,
            [&](hurray::writer& w) { return w.copy(from, "rows", "\xFF"); });
}

BOOST_AUTO_TEST_CASE(R_115_R_117_a_copy_promises_the_alignment_that_its_file_has) {
    auto const all = example_file({.data_alignment = 65536, .handle_alignment = 65536});
    auto const from = hurray::file_view::parse(all).value();
    for (auto const& [alignment, expected] : {std::pair{4096u, 4096u}, {131072u, 65536u}}) {
        memory_sink memory;
        auto out = hurray::writer::onto(memory, {.data_alignment = alignment}).value();
        out.copy(from, "rows").value();
        out.close().value();
        auto const to = hurray::file_view::parse(*memory.got).value();
        auto const copied = to.describe("rows").value();
        for (auto const& handle : copied.descriptor.buffers)
            BOOST_TEST(handle.alignment == expected);
        BOOST_TEST(to.verify().has_value());
    }
}

BOOST_AUTO_TEST_CASE(R_171_a_copied_head_is_padded_to_8) {
    hurray::descriptor const head{.layout = hurray::layout::composite,
                                  .element_type = hurray::element_type::float32,
                                  .shape = {8, 5},
                                  .fields = {.composite = {.rule = 3, .members = 0}},
                                  .buffers = {}};
    auto const all = file_of(head, {});
    auto const from = hurray::file_view::parse(all).value();
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    out.copy(from, "t").value();
    out.close().value();
    BOOST_TEST(difference(*memory.got, all) == "");
}

BOOST_AUTO_TEST_CASE(R_153_a_copied_quantized_tensor_stays_as_it_is) {
    hurray::descriptor d{.layout = hurray::layout::row_major,
                         .element_type = hurray::element_type::int8,
                         .shape = {16},
                         .fields = {},
                         .buffers = {{.byte_size = 16}}};
    d.quantization = hurray::quantization{hurray::per_tensor_affine{0.5f, -3}};
    auto const all = file_of(d, bytes(16, std::byte{7}));
    auto const from = hurray::file_view::parse(all).value();
    memory_sink memory;
    auto out = hurray::writer::onto(memory).value();
    out.copy(from, "t").value();
    out.close().value();
    BOOST_TEST(difference(*memory.got, all) == "");
}

BOOST_AUTO_TEST_CASE(R_131_what_is_not_in_host_memory_is_not_copied) {
    hurray::descriptor const d{.layout = hurray::layout::row_major,
                               .element_type = hurray::element_type::int8,
                               .shape = {16},
                               .fields = {},
                               .buffers = {{.byte_size = 16, .device = 1}}};
    auto const all = file_of(d, bytes(16));
    auto const from = hurray::file_view::parse(all).value();
    refused(errc::not_in_host_memory, [&](hurray::writer& w) { return w.copy(from, "t"); });
}

BOOST_AUTO_TEST_SUITE_END()
