// Serve rows from an engine's own I/O: the catalog says where bytes are, the engine fetches them.

#include <cstdint>
#include <fstream>
#include <iostream>
#include <span>
#include <vector>

#include <hurray/hurray.hpp>

// Stands for an object store or a buffer pool. It counts what is fetched.
class store : public hurray::source {
public:
    explicit store(char const* path)
        : in_(path, std::ios::binary | std::ios::ate),
          size_(static_cast<std::uint64_t>(in_.tellg())) {}
    std::uint64_t size() const noexcept override { return size_; }
    hurray::result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        in_.seekg(static_cast<std::streamoff>(offset));
        in_.read(static_cast<char*>(static_cast<void*>(into.data())),
                 static_cast<std::streamsize>(into.size()));
        fetched_ += into.size();
        if (!in_)
            return hurray::error{.code = std::make_error_code(std::errc::io_error),
                                 .offset = offset};
        return {};
    }
    std::uint64_t fetched() const { return fetched_; }

private:
    mutable std::ifstream in_;
    std::uint64_t size_;
    mutable std::uint64_t fetched_ = 0;
};

// Elements [first, first + count) of a buffer. The range comes from the file: what lies outside is
// refused, not fetched.
template<class T> hurray::result<std::vector<T>> fetch(store const& from, hurray::byte_range buffer,
                                                       std::uint64_t first, std::uint64_t count) {
    auto const held = buffer.length / sizeof(T);
    if (first > held || count > held - first) return hurray::errc::offsets_decrease;
    std::vector<T> made(count);
    auto const done =
        from.read(buffer.offset + first * sizeof(T), std::as_writable_bytes(std::span(made)));
    if (!done) return done.error();
    return made;
}

int main() {
    auto out = hurray::writer::create("table.hrry").value();
    auto rows = out.append_csr<float>("table", 1000).value();
    for (std::uint64_t i = 0; i < 20'000; ++i)
        rows.append(std::vector<std::uint64_t>{i % 500, 500 + i % 499},
                    std::vector<float>{1, static_cast<float>(i)})
            .value();
    rows.close().value();
    out.close().value();

    store const disk("table.hrry");
    auto const catalog = hurray::catalog::read(disk).value();  // header, trailer, index: once
    auto const table = catalog.describe(disk, "table").value();
    auto const values = table.buffers[0], indices = table.buffers[1], offsets = table.buffers[2];

    // Row 12345 is two numbers of the offsets, then as many indices and values as they say.
    auto const bounds = fetch<std::uint64_t>(disk, offsets, 12'345, 2).value();
    auto const count = bounds[1] - bounds[0];
    auto const columns = fetch<std::uint64_t>(disk, indices, bounds[0], count).value();
    auto const numbers = fetch<float>(disk, values, bounds[0], count).value();

    // over() checks what was fetched, as a view of a file would have.
    std::vector<std::uint64_t> const one_row{0, count};
    auto const row =
        hurray::csr_view<float>::over({.rows = 1, .columns = table.descriptor.shape[1]}, one_row,
                                      columns, numbers)
            .value();
    for (auto const [column, value] : row.row(0)) std::cout << column << ' ' << value << '\n';
    std::cout << "fetched " << disk.fetched() << " of " << disk.size() << " bytes\n";
}
