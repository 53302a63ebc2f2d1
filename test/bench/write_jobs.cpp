#include "jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace bench {
namespace {

hurray::write_options no_sync() { return {.durability = hurray::durability::none}; }

enum class plainly { reserved, synced, synced_pieces };

/// The limit: the three arrays, with room made for all of them or synced in the end; each at once
/// or in pieces of 4 MiB.
void write_plainly(std::filesystem::path const& path, seen const& a, plainly how) {
    auto const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) throw std::runtime_error("cannot create a file");
    std::uint64_t at = 0;
    struct part {
        void const* bytes;
        std::uint64_t size;
    };
    part const parts[] = {
        {a.values, a.nnz * 8}, {a.indices, a.nnz * 8}, {a.offsets, (a.rows + 1) * 8}};
    auto const most = how == plainly::synced_pieces ? std::uint64_t{4} << 20 : ~std::uint64_t{0};
    if (how == plainly::reserved)
        (void)::fallocate(file, 0, 0, static_cast<off_t>(a.nnz * 16 + (a.rows + 1) * 8));
    for (auto const& [bytes, size] : parts)
        for (std::uint64_t done = 0; done < size;) {
            auto const got = ::pwrite(file, static_cast<char const*>(bytes) + done,
                                      std::min(most, size - done), static_cast<off_t>(at + done));
            if (got <= 0) throw std::runtime_error("cannot write");
            done += static_cast<std::uint64_t>(got);
            if (done == size) at += size;
        }
    if (how != plainly::reserved && ::fsync(file) != 0) throw std::runtime_error("cannot sync");
    ::close(file);
}

void append_rows(hurray::writer& out, hurray::csr_view<double> const& a, bool known,
                 std::uint64_t together) {
    auto to = known ? out.append_csr<double>("a", a.shape(), a.nnz()).value()
                    : out.append_csr<double>("a", a.minor()).value();
    for (std::uint64_t i = 0; i < a.major();) {
        auto const count = std::min(together, a.major() - i);
        auto const first = a.offsets()[i], size = a.offsets()[i + count] - first;
        auto const indices = a.indices().subspan(first, size);
        auto const values = a.values().subspan(first, size);
        if (together == 1)
            to.append(indices, values).value();
        else
            to.append_rows(a.offsets().subspan(i + 1, count), indices, values).value();
        i += count;
    }
    to.close().value();
}

}  // namespace

void write_jobs(context& c) {
    auto const a =
        with_values(c.scaled(5'000'000), c.scaled(5'000'000), c.scaled(50'000'000), false);
    auto const view = view_of(a);
    auto const path = c.file("written");
    auto const timed = [&path](auto write) -> runner {
        return [&path, write] {
            ::sync();  // what others wrote before is not written back beside this
            auto const spent = seconds_of(write);
            std::filesystem::remove(path);
            return spent;
        };
    };
    auto const appended = [&](bool known, std::uint64_t together) {
        return timed([&, known, together] {
            auto out = hurray::writer::create(path, no_sync()).value();
            append_rows(out, view, known, together);
            out.close().value();
        });
    };
    side whole{"ours", timed([&] { write_file(path, view); })};
    constexpr std::uint64_t many = 10'000;
    side known{"ours", appended(true, 1)}, known_many{"ours", appended(true, many)};
    side unknown{"ours", appended(false, 1)}, unknown_many{"ours", appended(false, many)};
    side limit{"fallocate, pwrite",
               timed([&] { write_plainly(path, look_at(a), plainly::reserved); })};
    alternate({&whole, &limit, &known, &known_many, &unknown, &unknown_many}, c.of(11));
    auto const size = std::to_string(a.indices.size()) + " nnz";
    c.results.add("write a view, no sync, " + size, whole, &limit, {}, {0.90});
    c.results.add("write by rows of 10, counts known", known, &limit, {}, {0.60});
    c.results.add("the same, 10,000 rows together", known_many, &limit, {}, {0.60});
    c.results.add("write by rows of 10, counts unknown", unknown, &limit, {}, {0.40});
    c.results.add("the same, 10,000 rows together", unknown_many, &limit, {}, {0.40});

    side durable{"ours", timed([&] {
                     auto out = hurray::writer::create(path).value();
                     out.write("a", view).value();
                     out.close().value();
                 })};
    side synced{"pwrite of arrays, fsync",
                timed([&] { write_plainly(path, look_at(a), plainly::synced); })};
    side pieces{"pwrite of 4 MiB, fsync",
                timed([&] { write_plainly(path, look_at(a), plainly::synced_pieces); })};
    alternate({&durable, &synced, &pieces}, c.of(9));
    c.results.add("write a view, durable, " + size, durable, &pieces, {}, {1.5});
    c.results.add("the same, beside whole arrays", durable, &synced, {}, {});
}

void read_jobs(context& c) {
    auto const path = c.file("read.hrry");
    write_file(path, view_of(with_values(c.scaled(5'000'000), c.scaled(5'000'000),
                                         c.scaled(50'000'000), false)));
    auto const size = std::filesystem::file_size(path);
    side us{"ours", [&] {
                std::unique_ptr<hurray::file> file;
                return seconds_of([&] {
                    file = std::make_unique<hurray::file>(
                        hurray::file::open(path, {.load = hurray::load::read}).value());
                });
            }};
    side limit{"fread", [&] {
                   void* bytes = nullptr;
                   auto const spent = seconds_of([&] {
                       auto* const file = std::fopen(path.c_str(), "rb");
                       bytes = std::malloc(size);
                       if (file == nullptr || bytes == nullptr ||
                           std::fread(bytes, 1, size, file) != size)
                           throw std::runtime_error("cannot read");
                       std::fclose(file);
                       keep(bytes);
                   });
                   std::free(bytes);
                   return spent;
               }};
    alternate({&us, &limit}, c.of(15));
    c.results.add("load::read", us, &limit, {}, {1.5});
    std::filesystem::remove(path);
}

}  // namespace bench
