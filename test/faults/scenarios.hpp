#pragma once

// What a writer and a reader do, for tests that break the ground under them.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <hurray/hurray.hpp>
#include <hurray/transpose.hpp>

namespace faults {

/// A matrix of `rows` rows with a pattern of its own for each seed.
struct matrix {
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint64_t> indices;
    std::vector<double> values;
    std::uint64_t columns = 64;

    explicit matrix(std::uint64_t rows, std::uint64_t seed = 1) {
        for (std::uint64_t i = 0; i < rows; ++i) {
            for (std::uint64_t j = (i * seed) % 7; j < columns; j += 5 + (i + seed) % 3) {
                indices.push_back(j);
                values.push_back(double(i * 1000 + j + seed));
            }
            offsets.push_back(indices.size());
        }
    }
    hurray::csr_view<double> view() const {
        return hurray::csr_view<double>::over({offsets.size() - 1, columns}, offsets, indices,
                                              values)
            .value();
    }
};

using path = std::filesystem::path;

inline hurray::result<void> write_whole(path const& target, matrix const& m,
                                        hurray::write_options const& options = {}) {
    auto out = hurray::writer::create(target, options);
    if (!out) return out.error();
    if (auto ok = out->write("A", m.view()); !ok) return ok;
    return out->close();
}

inline hurray::result<void> write_rows(path const& target, matrix const& m, bool counted) {
    auto out = hurray::writer::create(target);
    if (!out) return out.error();
    auto const view = m.view();
    auto rows = counted ? out->append_csr<double>("A", view.shape(), view.nnz())
                        : out->append_csr<double>("A", view.shape().columns);
    if (!rows) return rows.error();
    for (std::uint64_t i = 0; i < view.major(); ++i) {
        auto const row = view.row(i);
        if (auto ok = rows->append(row.indices(), row.values()); !ok) return ok;
    }
    if (auto ok = rows->close(); !ok) return ok;
    return out->close();
}

inline hurray::result<void> write_several(path const& target, matrix const& m) {
    auto out = hurray::writer::create(
        target, {.metadata = {{"origin", "example"}}, .sorted_index = true, .checksums = true});
    if (!out) return out.error();
    for (auto const* const name : {"c", "a", "b"}) {
        if (auto ok = out->write(name, m.view()); !ok) return ok;
        if (auto ok = out->write(std::string(name) + "'", m.view().transposed()); !ok) return ok;
    }
    return out->close();
}

inline hurray::result<void> read_all(path const& source, hurray::load load, hurray::access access) {
    auto const in = hurray::file::open(
        source, {.load = load, .access = access, .checksums = hurray::checksums::verify});
    if (!in) return in.error();
    auto const lazy = in->csr<double>("A", hurray::lazy);
    if (!lazy) return lazy.error();
    if (auto const row = lazy->row(1); !row) return row.error();
    if (auto const view = in->csr<double>("A"); !view) return view.error();
    if (auto const all = in->verify(); !all) return all.error();
    if (auto const same = in->unchanged(); !same) return same.error();
    return {};
}

struct scenario {
    std::string name;
    bool writes = true;
    bool replaces = false;  ///< a good file is there already
    std::function<hurray::result<void>(path const&)> run;
};

inline std::vector<scenario> const& writers() {
    static matrix const m(40);
    static std::vector<scenario> const all{
        {"new file", true, false, [](path const& p) { return write_whole(p, m); }},
        {"replace", true, true, [](path const& p) { return write_whole(p, m); }},
        {"new file only", true, false,
         [](path const& p) { return write_whole(p, m, {.replace = false}); }},
        {"rows counted", true, true, [](path const& p) { return write_rows(p, m, true); }},
        {"rows spooled", true, true, [](path const& p) { return write_rows(p, m, false); }},
        {"key-values, checksums, several tensors", true, true,
         [](path const& p) { return write_several(p, m); }},
    };
    return all;
}

inline std::vector<scenario> const& readers() {
    using hurray::access, hurray::load;
    static std::vector<scenario> const all{
        {"map", false, true,
         [](path const& p) { return read_all(p, load::map, access::sequential); }},
        {"populate", false, true,
         [](path const& p) { return read_all(p, load::map, access::populate); }},
        {"read", false, true,
         [](path const& p) { return read_all(p, load::read, access::normal); }},
    };
    return all;
}

}  // namespace faults
