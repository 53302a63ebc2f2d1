#include <hurray/file.hpp>

#include <cerrno>
#include <limits>
#include <optional>

#include <boost/iostreams/device/mapped_file.hpp>

#include "os.hpp"

namespace hurray {
namespace {

error system_error(std::errc code) { return {.code = std::make_error_code(code)}; }

/// An open file as a source: metadata is read, not mapped, so nothing is read ahead.
class file_source final : public source {
public:
    file_source(os::handle const& file, std::uint64_t size) noexcept : file_(file), size_(size) {}
    std::uint64_t size() const noexcept override { return size_; }
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        return os::read_at(file_, offset, into);
    }

private:
    os::handle const& file_;
    std::uint64_t size_;
};

result<os::identity> check_regular(os::handle const& opened) {
    auto const id = os::identify(opened);
    if (!id) return id;
    if (id->directory) return system_error(std::errc::is_a_directory);
    if (!id->regular) return errc::not_a_regular_file;
    if (id->size > std::numeric_limits<std::size_t>::max() / 2) return errc::file_too_large;
    return id;
}

/// Maps the whole of the file that is open. Boost says only "iostream error": errno says why.
result<boost::iostreams::mapped_file_source> map(os::handle const& opened) {
    errno = 0;
    try {
        return boost::iostreams::mapped_file_source(os::path_of(opened).string());
    } catch (std::ios_base::failure const&) {
        auto const why = errno;
        if (why == ENOMEM) return errc::file_too_large;
        if (why == 0) return system_error(std::errc::io_error);
        return error{.code = {why, std::system_category()}};
    }
}

/// Bytes of a mapping cannot be had: the file was cut short since, or the disk cannot read it.
error why_pages_are_missing(os::handle const& opened, os::identity const& before) {
    auto const now = os::identify(opened);
    if (now && now->size < before.size) return {.code = errc::file_changed, .offset = now->size};
    return system_error(std::errc::io_error);
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

struct file::backing {
    std::filesystem::path path;
    os::identity id;
    boost::iostreams::mapped_file_source mapping;
    std::optional<os::memory> copy;

    std::span<std::byte const> bytes() const noexcept {
        if (copy) return copy->bytes();
        return std::as_bytes(std::span(mapping.data(), mapping.size()));
    }
};

result<file> file::open(std::string const& path, read_options const& options) {
    auto const opened = os::open_for_reading(path);
    if (!opened) return opened.error();
    auto const id = check_regular(*opened);
    if (!id) return id.error();
    auto held = std::make_shared<backing>();
    held->path = path;
    held->id = *id;

    if (options.load == load::read) {
        auto memory = os::memory::allocate(id->size);
        if (!memory) return errc::too_large_for_memory;
        if (auto ok = os::read_at(*opened, 0, memory->bytes()); !ok) return ok.error();
        held->copy.emplace(*std::move(memory));
        auto view = file_view::parse(held->bytes(), options);
        if (!view) return view.error();
        return file(*std::move(view), std::move(held));
    }

    os::expect_random_reads(*opened);
    // The trailer and most of the index are on their way while the header is waited for.
    os::fetch_soon(*opened, id->size, 8192);
    auto catalog = catalog::read(file_source(*opened, id->size), options);
    if (!catalog) return catalog.error();
    auto mapping = map(*opened);
    if (!mapping) return mapping.error();
    held->mapping = *std::move(mapping);
    if (held->bytes().size() != id->size) return errc::file_changed;
    if (!os::advise(held->bytes(), options.access)) return why_pages_are_missing(*opened, *id);
    file_view view(*std::move(catalog), held->bytes());
    return file(std::move(view), std::move(held));
}

result<bool> file::unchanged() const {
    auto const now = os::identify(backing_->path);
    if (!now) return now.error();
    return *now == backing_->id;
}

}  // namespace v0
}  // namespace hurray
