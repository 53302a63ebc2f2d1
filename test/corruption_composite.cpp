// What can be wrong between a composite head and the tensors that follow it: R-170 ... R-176.

#include <boost/test/unit_test.hpp>

#include "corruption.hpp"

namespace hurray_test {
namespace {

using hurray::descriptor;
using hurray::element_type;
using hurray::errc;

descriptor head(std::uint8_t rule, std::uint32_t members) {
    auto d = make::composite(rule, members);
    d.shape = {8, 5};
    return d;
}

descriptor member(std::uint64_t row, std::uint64_t rows,
                  std::optional<hurray::composite_role> role = {}) {
    auto d = make::matrix(hurray::layout::csr, element_type::float32, rows, 5, 0);
    d.shard = hurray::shard{{8, 5}, {row, 0}};
    d.member = role;
    return d;
}

bytes file_with(std::vector<descriptor> const& all) {
    file_builder to;
    for (std::size_t i = 0; i < all.size(); ++i) to.tensor("t" + std::to_string(i), all[i]);
    return to.build();
}

bytes partition() { return file_with({head(1, 2), member(0, 4), member(4, 4)}); }
bytes overlay() {
    return file_with({head(2, 2), member(0, 8, hurray::composite_role::base),
                      member(2, 3, hurray::composite_role::correction)});
}

bytes nested(std::size_t depth) {
    std::vector<descriptor> all(depth, head(3, 1));
    all.push_back(make::dense(element_type::float32, {2}));
    return file_with(all);
}

}  // namespace

std::vector<corruption> composite_corruptions() {
    constexpr auto disagree = errc::composite_members_disagree;
    std::vector<corruption> all;
    auto const made = [&](std::string what, std::vector<descriptor> const& tensors, errc code,
                          std::size_t shown_at, permissive mildly = same) {
        auto const file = file_with(tensors);
        auto const offset = map_of(file).tensors.at(shown_at).descriptor.offset;
        add_row(
            all, std::move(what), [file] { return file; }, {}, stage::verify, code, byte_at(offset),
            mildly);
    };
    // The count of members lies 4 bytes into the fields of the head.
    add_row(all, "a partition with a member too few", partition, {u32(fields(4), 3)}, stage::verify,
            errc::torn_composite, in_descriptor(0), tolerates);
    add_row(all, "an overlay with a member too few", overlay, {u32(fields(4), 3)}, stage::verify,
            errc::torn_composite, in_descriptor(0), tolerates);
    made("a group at the end of the file", {head(3, 1)}, errc::torn_composite, 0, tolerates);
    add_row(
        all, "a ninth head inside the eighth", [] { return nested(9); }, {}, stage::verify,
        errc::composite_too_deep, byte_at(map_of(nested(9)).tensors[8].descriptor.offset));

    using hurray::composite_role;
    made("a partition's member with a role",
         {head(1, 2), member(0, 4), member(4, 4, composite_role::correction)},
         errc::composite_role_wrong, 2);
    made("a group's member with a role", {head(3, 1), member(0, 4, composite_role::base)},
         errc::composite_role_wrong, 1);
    made("an overlay's member without a role",
         {head(2, 2), member(0, 8, composite_role::base), member(0, 4)}, errc::composite_role_wrong,
         2);

    // A member's shard section: the parent's rows and columns, then its first row and column.
    add_row(all, "a member of a parent of 9 rows", partition, {u64(sections(0, 2), 9)},
            stage::verify, disagree, in_descriptor(0, 2));
    add_row(all, "a member one row up: an overlap and a gap", partition, {u64(sections(16, 2), 3)},
            stage::verify, disagree, in_descriptor(0));
    add_row(all, "one member twice", partition, {u64(sections(16, 2), 0)}, stage::verify, disagree,
            in_descriptor(0));
    add_row(all, "a partition that is whole before its last member", partition, {u32(fields(4), 1)},
            stage::verify, disagree, in_descriptor(0));
    made("a partition without members", {head(1, 0)}, disagree, 0);
    made("a member without a shard section",
         {head(1, 2), member(0, 4),
          make::matrix(hurray::layout::csr, element_type::float32, 4, 5, 0)},
         disagree, 2);
    auto other = member(4, 4);
    other.element_type = element_type::int32;
    made("a member of another element type", {head(1, 2), member(0, 4), other}, disagree, 2);
    auto solid = make::dense(element_type::float32, {4, 5, 1});
    solid.shard = hurray::shard{{8, 5, 1}, {4, 0, 0}};
    made("a member of another rank", {head(1, 2), member(0, 4), solid}, disagree, 2);
    made("an overlay that begins with a correction",
         {head(2, 1), member(0, 8, composite_role::correction)}, disagree, 1);
    made("an overlay on two bases",
         {head(2, 2), member(0, 8, composite_role::base), member(0, 8, composite_role::base)},
         disagree, 2);
    made("an overlay on less than the whole", {head(2, 1), member(0, 4, composite_role::base)},
         disagree, 1);
    return all;
}

}  // namespace hurray_test

BOOST_AUTO_TEST_SUITE(corruption_composite)

BOOST_AUTO_TEST_CASE(R_170_R_172_R_173_R_175_R_176_composites) {
    hurray_test::run(hurray_test::composite_corruptions());
}

BOOST_AUTO_TEST_SUITE_END()
