// Damage of every kind, on files without checksums. Each damaged file is refused with an errc, or
// decodes to what the whole one does, or differs in a way that exhaustive/meanings.hpp lists.
// Every run takes a sample; test/exhaustive builds the same with HURRAY_DAMAGE_EVERY 1: all of it.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>

#include "exhaustive/fields.hpp"
#include "exhaustive/judge.hpp"
#include "exhaustive/meanings.hpp"

#ifndef HURRAY_DAMAGE_EVERY
#define HURRAY_DAMAGE_EVERY 100
#endif

namespace {

using hurray_test::aspects;
using hurray_test::bytes;
using hurray_test::field;
using hurray_test::judge;
using hurray_test::named_file;

/// Takes every n-th case, spread evenly over any pattern in their order.
class sampler {
public:
    bool take() {
        state_ += 0x9E3779B97F4A7C15;
        auto mixed = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9;
        mixed ^= mixed >> 27;
        return mixed % HURRAY_DAMAGE_EVERY == 0;
    }

private:
    std::uint64_t state_ = 0;
};

/// Counts outcomes, and complains about those that nothing explains.
class tally {
public:
    /// What was done to which file, for those who have to look.
    std::string doing;

    void add(hurray_test::verdict const& v, std::initializer_list<field> where) {
        ++cases_;
        if (!v.broken.empty()) return complain(v.broken, where, v.changed);
        if (v.refused) {
            ++refused_;
            ++by_error_[v.refused->code.value()];
            return;
        }
        if (!is_explained(v.changed, where)) return complain("accepted", where, v.changed);
        ++(v.changed == 0 ? equal_ : explained_);
        if (v.changed != 0 && where.size() == 1) ++by_field_[std::string(where.begin()->name)];
    }
    void must_be_refused(hurray_test::verdict const& v) { add(v, {{"", 0, 0}}); }

    void report(char const* what) const {
        std::printf(
            "%s: %llu cases: %llu refused with %zu different errc, %llu accepted and equal, "
            "%llu accepted and explained\n",
            what, n(cases_), n(refused_), by_error_.size(), n(equal_), n(explained_));
        for (auto const& [name, count] : by_field_)
            std::printf("    %10llu %s\n", n(count), name.c_str());
        std::fflush(stdout);
        BOOST_TEST(cases_ != 0u);
        BOOST_TEST(cases_ == refused_ + equal_ + explained_);
    }

private:
    static bool is_explained(aspects changed, std::initializer_list<field> where) {
        if (where.size() == 2) {
            auto const* const m =
                hurray_test::joint_meaning_of(where.begin()->name, where.begin()[1].name);
            if (m != nullptr) return (changed & ~m->may_change) == 0;
        }
        aspects allowed = 0;
        for (auto const& f : where) {
            auto const* const m = hurray_test::meaning_of(f.name);
            if (m == nullptr) return false;
            allowed |= m->may_change;
        }
        return (changed & ~allowed) == 0;
    }

    static unsigned long long n(std::uint64_t count) { return count; }

    void complain(std::string const& what, std::initializer_list<field> where, aspects changed) {
        std::string at;
        for (auto const& f : where) at += " " + std::string(f.name) + " at " + std::to_string(f.at);
        if (++complaints_ <= 40)
            BOOST_ERROR(doing + at + ": " + what + ", changed " + hurray_test::names_of(changed));
    }

    std::uint64_t cases_ = 0, refused_ = 0, equal_ = 0, explained_ = 0, complaints_ = 0;
    std::map<int, std::uint64_t> by_error_;
    std::map<std::string, std::uint64_t> by_field_;
};

/// The tests' own files; the reference files where they are.
std::vector<named_file> files() {
    auto all = hurray_test::valid_files();
    std::filesystem::path const golden = std::filesystem::path(HURRAY_SHARED) / "golden";
    if (std::string_view(HURRAY_SHARED).empty() || !std::filesystem::exists(golden)) {
        std::printf("damage: no reference files\n");
        return all;
    }
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator(golden))
        if (entry.path().extension() == ".hrry") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (auto const& path : paths)
        all.push_back({path.filename().string(), hurray_test::read_file(path)});
    return all;
}

void flip_bits(judge const& j, std::vector<field> const& fields, sampler& sample, tally& all) {
    auto file = j.whole();
    for (auto const& f : fields)
        for (std::uint64_t i = 0; i < 8 * f.width; ++i) {
            if (!sample.take()) continue;
            auto& byte = file[f.at + i / 8];
            auto const before = byte;
            byte ^= static_cast<std::byte>(1u << i % 8);
            all.add(j.look_at(file), {f});
            byte = before;
        }
}

/// The numbers at which fields of this width go wrong.
std::array<std::uint64_t, 16> boundaries(std::uint64_t width, std::uint64_t was,
                                         std::uint64_t file_size) {
    auto const most = width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
    std::array<std::uint64_t, 16> all{0,
                                      1,
                                      2,
                                      3,
                                      8,
                                      most,
                                      most - 1,
                                      most / 2,
                                      most / 2 + 1,
                                      most / 2 + 2,
                                      was + 1,
                                      was - 1,
                                      was + 8,
                                      was * 2,
                                      file_size,
                                      file_size - 40};
    for (auto& v : all) v &= most;
    return all;
}

/// One field of a file with other numbers in it, and what it was again afterwards.
class changing_field {
public:
    changing_field(bytes& file, field const& f)
        : file_(file), field_(f),
          was_(hurray_test::number_at(file, f.at, static_cast<unsigned>(f.width))) {}
    std::array<std::uint64_t, 16> values() const {
        return boundaries(field_.width, was_, file_.size());
    }
    std::uint64_t was() const { return was_; }
    void put(std::uint64_t value) {
        hurray_test::put_number(file_, field_.at, value, static_cast<unsigned>(field_.width));
    }
    void restore() { put(was_); }

private:
    bytes& file_;
    field const& field_;
    std::uint64_t was_;
};

/// CSR 2 x 3 of int8 with two entries, or row-major of a type of our own, with what is asked for.
named_file with_sections(bool quantized, bool extension, bool shard, bool statistics, bool member) {
    using namespace hurray_test;
    auto d = extension ? make::extension(16)
                       : make::matrix(hurray::layout::csr, hurray::element_type::int8, 2, 3, 2);
    std::string name = extension ? "row-major, extension type" : "CSR";
    if (quantized) {
        d.quantization = make::per_tensor().quantization;
        name += ", quantization";
    }
    if (shard) {
        d.shard = hurray::shard{.parent_shape = std::vector<std::uint64_t>(d.shape.size(), 8),
                                .offset = std::vector<std::uint64_t>(d.shape.size(), 1)};
        name += ", shard";
    }
    if (statistics) {
        d.statistics = make::with_statistics().statistics;
        d.statistics->nnz = 2;
        d.statistics->sparsity_ratio = 2. / 3;
        name += ", statistics";
    }
    if (member) {
        d.member = hurray::composite_role::base;
        name += ", composite member";
    }
    std::vector<bytes> buffers;
    if (!extension)
        buffers = {byte_writer().u8(1).u8(2).take(), byte_writer().u64(0).u64(2).take(),
                   byte_writer().u64(0).u64(1).u64(2).take()};
    return {std::move(name), file_builder().tensor("t", d, std::move(buffers)).build()};
}

std::vector<named_file> combinations() {
    std::vector<named_file> all;
    for (unsigned bits = 0; bits < 32; ++bits)
        if ((bits & 3) != 3)  // a type of somebody's own has no quantization
            all.push_back(with_sections(bits & 1, bits & 2, bits & 4, bits & 8, bits & 16));
    return all;
}

void change_pairs(judge const& j, std::vector<field> const& fields, sampler& sample, tally& all) {
    auto file = j.whole();
    for (auto const& a : fields)
        for (auto const& b : fields) {
            if (b.at <= a.at) continue;
            changing_field first(file, a), second(file, b);
            for (auto const x : first.values())
                for (auto const y : second.values()) {
                    if (x == first.was() || y == second.was() || !sample.take()) continue;
                    first.put(x);
                    second.put(y);
                    all.add(j.look_at(file), {a, b});
                }
            first.restore();
            second.restore();
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(damage)

BOOST_AUTO_TEST_CASE(bits_of_all_metadata) {
    sampler sample;
    tally all;
    for (auto const& [name, file] : files()) {
        all.doing = name + ", a bit:";
        flip_bits(judge(file), hurray_test::metadata_fields(file), sample, all);
    }
    all.report("single bits of all metadata");
}

BOOST_AUTO_TEST_CASE(bits_of_whole_files) {
    sampler sample;
    tally all;
    for (auto const* const wanted :
         {"worked example, CSR", "two matrices", "bool row", "MXFP", "seed_csc_f32.hrry",
          "kv_all_types.hrry", "composite_partition.hrry"})
        for (auto const& [name, file] : files()) {
            if (name != wanted) continue;
            all.doing = name + ", a bit:";
            flip_bits(judge(file), hurray_test::all_fields(file), sample, all);
        }
    all.report("single bits of whole files");
}

BOOST_AUTO_TEST_CASE(every_length) {
    sampler sample;
    tally all;
    for (auto const& [name, file] : files()) {
        judge const j(file);
        for (std::size_t size = 0; size < file.size(); ++size) {
            if (!sample.take()) continue;
            all.doing = name + " cut to " + std::to_string(size);
            all.must_be_refused(j.look_at(std::span(file).first(size)));
        }
    }
    all.report("files cut short");
}

BOOST_AUTO_TEST_CASE(bytes_appended) {
    sampler sample;
    tally all;
    std::mt19937 dice(3);
    for (auto const& [name, file] : files()) {
        judge const j(file);
        auto longer = file;
        for (std::size_t more = 1; more <= 64; ++more)
            for (int kind = 0; kind < 3; ++kind) {
                if (!sample.take()) continue;
                longer.resize(file.size() + more);
                auto const tail = std::span(longer).subspan(file.size());
                for (auto& b : tail) b = kind == 0 ? std::byte{} : static_cast<std::byte>(dice());
                if (kind == 2)  // what the file ends with, once more
                    std::copy_n(file.end() - static_cast<std::ptrdiff_t>(more), more, tail.begin());
                all.doing = name + " and " + std::to_string(more) + " bytes more";
                all.must_be_refused(j.look_at(longer));
            }
    }
    all.report("bytes appended");
}

BOOST_AUTO_TEST_CASE(fields_at_their_boundaries) {
    sampler sample;
    tally all;
    auto every = files();
    for (auto& more : combinations()) every.push_back(std::move(more));
    for (auto const& [name, file] : every) {
        judge const j(file);
        auto damaged = file;
        auto const sum_at = file.size() - 12;
        for (auto const& f : hurray_test::metadata_fields(file)) {
            if (!f.number) continue;
            bool const sealed = f.name.starts_with("index.") ||
                                f.name.starts_with("trailer.index_o") ||
                                f.name.starts_with("trailer.index_l");
            changing_field one(damaged, f);
            for (auto const value : one.values()) {
                if (value == one.was() || !sample.take()) continue;
                all.doing = name + ", now " + std::to_string(value) + ":";
                one.put(value);
                if (sealed) hurray_test::reseal(damaged);
                all.add(j.look_at(damaged), {f});
            }
            one.restore();
            if (sealed)
                std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(sum_at), 4,
                            damaged.begin() + static_cast<std::ptrdiff_t>(sum_at));
        }
        BOOST_TEST((damaged == file));
    }
    all.report("fields at 16 boundary values");
}

BOOST_AUTO_TEST_CASE(pairs_of_fields_at_their_boundaries) {
    sampler sample;
    tally all;
    for (auto const& [name, file] : combinations()) {
        all.doing = name + ":";
        auto const where = hurray_test::map_of(file).tensors.at(0).descriptor;
        change_pairs(judge(file), hurray_test::descriptor_fields(file, where), sample, all);
    }
    all.report("pairs of a descriptor's fields at 16 x 16 boundary values");
}

BOOST_AUTO_TEST_SUITE_END()
