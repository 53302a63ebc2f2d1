// What a matrix holds: the four invariants, and the rules of element data.

#include "corruption.hpp"

#include <boost/test/unit_test.hpp>

namespace hurray_test {
namespace {

using hurray::element_type;
using hurray::errc;
using hurray::layout;

constexpr std::uint64_t most = ~std::uint64_t{0};

std::string number(std::uint64_t n) { return std::to_string(n); }

void add_invariants(std::vector<corruption>& all) {
    auto const add = [&](std::string what, layout l, edit e, errc code, place where) {
        all.push_back(
            {std::move(what), [l] { return worked_example(l); }, {e}, stage::eager, code, where});
    };
    for (auto const l : {layout::csr, layout::csc}) {
        auto const last = l == layout::csr ? 4u : 5u;
        for (std::uint64_t const first : {std::uint64_t{1}, most})
            add("first offset " + number(first), l, u64(in_buffer(2, 0), first),
                errc::offsets_not_anchored, in_buffer(2, 0));
        for (std::uint64_t const end : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{6}, most})
            add("last offset " + number(end), l, u64(in_buffer(2, 8 * last), end),
                errc::offsets_not_anchored, in_buffer(2, 8 * last));
        for (std::uint64_t const beyond : {std::uint64_t{6}, std::uint64_t{1} << 61, most})
            add("an offset of " + number(beyond), l, u64(in_buffer(2, 8), beyond),
                errc::offsets_not_anchored, in_buffer(2, 8));
    }
    add("an offset below the one before", layout::csr, u64(in_buffer(2, 16), 1),
        errc::offsets_decrease, in_buffer(2, 16));
    add("an offset below the one before", layout::csc, u64(in_buffer(2, 24), 1),
        errc::offsets_decrease, in_buffer(2, 24));

    add("an index twice", layout::csr, u64(in_buffer(1, 8), 0), errc::indices_not_increasing,
        in_buffer(1, 8));
    add("an index twice in the last row", layout::csr, u64(in_buffer(1, 32), 1),
        errc::indices_not_increasing, in_buffer(1, 32));
    add("an index above the one after", layout::csr, u64(in_buffer(1, 24), 4),
        errc::indices_not_increasing, in_buffer(1, 32));
    for (std::uint64_t const index : {std::uint64_t{5}, std::uint64_t{1} << 32, most})
        add("column " + number(index) + " of 5", layout::csr, u64(in_buffer(1, 8), index),
            errc::index_exceeds_shape, in_buffer(1, 8));
    add("row 4 of 4", layout::csc, u64(in_buffer(1, 32), 4), errc::index_exceeds_shape,
        in_buffer(1, 32));
}

void add_elements(std::vector<corruption>& all) {
    auto const add = [&](std::string what, std::function<bytes()> from, edit e, stage at,
                         errc code) {
        add_row(all, std::move(what), std::move(from), {e}, at, code, e.where);
    };
    struct tail {
        element_type type;
        std::uint64_t nnz, at, value;
    };
    for (auto const t :
         {tail{element_type::boolean, 3, 0, 0x08}, tail{element_type::boolean, 9, 1, 0x80},
          tail{element_type::int2, 3, 0, 0x40}, tail{element_type::uint2, 1, 0, 0x04},
          tail{element_type::int4, 1, 0, 0x10}, tail{element_type::uint4, 3, 1, 0x80},
          tail{element_type::float4_e2m1, 1, 0, 0x10}, tail{element_type::float6_e2m3, 1, 0, 0x40},
          tail{element_type::float6_e2m3, 1, 2, 0x01}, tail{element_type::float6_e3m2, 2, 1, 0x10},
          tail{element_type::float6_e3m2, 7, 5, 0x04}}) {
        auto const zeros = hurray::bytes_for(t.type, t.nnz).value();
        auto const what =
            std::string(hurray::name(t.type)) + ", a bit after element " + number(t.nnz);
        add(
            "CSR of " + what, [t, zeros] { return one_row(t.type, t.nnz, bytes(zeros)); },
            u8(in_buffer(0, t.at), t.value), stage::eager, errc::packed_tail_not_zero);
        for (auto const l : {layout::row_major, layout::column_major})
            add(
                "dense of " + what,
                [t, l] {
                    return file_of(make::dense(t.type, {1, t.nnz}, l));
                },
                u8(in_buffer(0, t.at), t.value), stage::verify, errc::packed_tail_not_zero);
        add(
            "COO of " + what,
            [t, zeros] {
                auto d = make::coo();
                d.element_type = t.type;
                d.fields = {.nnz = t.nnz};
                d.buffers[0].byte_size = zeros;
                d.buffers[1].byte_size = 16 * t.nnz;
                return file_of(d);
            },
            u8(in_buffer(0, t.at), t.value), stage::verify, errc::packed_tail_not_zero);
    }

    constexpr std::uint64_t many = 200;
    bytes const ones(many, std::byte{1});
    for (unsigned const forbidden : {0x00u, 0xFFu})
        for (std::uint64_t const at : {0, 70, 199}) {
            auto const what =
                "e8m0 " + hex(bytes{static_cast<std::byte>(forbidden)}) + " at " + number(at);
            auto const e = u8(in_buffer(0, at), forbidden);
            add(
                "CSR of " + what, [=] { return one_row(element_type::float8_e8m0, many, ones); }, e,
                stage::eager, errc::forbidden_e8m0_value);
            for (auto const l : {layout::row_major, layout::column_major})
                add(
                    "dense of " + what,
                    [=] {
                        auto const d = make::dense(element_type::float8_e8m0, {1, many}, l);
                        return file_builder().tensor("t", d, {ones}).build();
                    },
                    e, stage::verify, errc::forbidden_e8m0_value);
            add(
                "COO of " + what,
                [=] {
                    auto d = make::coo();
                    d.element_type = element_type::float8_e8m0;
                    d.fields = {.nnz = many};
                    d.buffers[0].byte_size = many;
                    d.buffers[1].byte_size = 16 * many;
                    return file_builder().tensor("t", d.encode(), {ones, bytes(16 * many)}).build();
                },
                e, stage::verify, errc::forbidden_e8m0_value);
        }
}

}  // namespace

std::vector<corruption> element_corruptions() {
    std::vector<corruption> all;
    add_invariants(all);
    add_elements(all);
    return all;
}

}  // namespace hurray_test

BOOST_AUTO_TEST_SUITE(corruption_element)

BOOST_AUTO_TEST_CASE(every_row_in_both_modes) {
    hurray_test::run(hurray_test::element_corruptions());
}

BOOST_AUTO_TEST_SUITE_END()
