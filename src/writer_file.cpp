#include <hurray/writer.hpp>

#include <algorithm>
#include <utility>

#include "os.hpp"
#include "output.hpp"
#include "writer_state.hpp"

namespace hurray {
namespace {

class file_spool final : public spool {
public:
    explicit file_spool(os::handle file) noexcept : file_(std::move(file)) {}
    result<void> write(std::uint64_t offset, std::span<std::byte const> bytes) override {
        return os::write_at(file_, offset, bytes);
    }
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const override {
        return os::read_at(file_, offset, into);
    }

private:
    os::handle file_;
};

/// A temporary file beside the target, which takes the target's name when it is published.
class file_output final : public output {
public:
    file_output(os::temporary made, std::filesystem::path target, write_options const& options)
        : made_(std::move(made)), target_(std::move(target)), durability_(options.durability),
          replace_(options.replace) {}

    result<void> set_permissions(std::uint32_t permissions) {
        return os::set_permissions(made_.file(), permissions);
    }

    bool any_order() const noexcept override { return true; }
    result<void> write(std::uint64_t offset, std::span<std::byte const> bytes) override {
        if (durability_ == durability::none) return os::write_at(made_.file(), offset, bytes);
        // The disk works on one part while the next is copied, and close() waits for the last only.
        constexpr std::size_t part = std::size_t{16} << 20;
        while (!bytes.empty()) {
            auto const now = bytes.first(std::min(part, bytes.size()));
            if (auto ok = os::write_at(made_.file(), offset, now); !ok) return ok;
            os::start_write_back(made_.file(), offset, now.size());
            offset += now.size();
            bytes = bytes.subspan(now.size());
        }
        return {};
    }
    result<void> reserve(std::uint64_t offset, std::uint64_t size) override {
        return os::reserve(made_.file(), offset, size);
    }
    result<std::unique_ptr<spool>> make_spool() override {
        auto file = os::create_nameless(target_);
        if (!file) return file.error();
        return std::unique_ptr<spool>(std::make_unique<file_spool>(*std::move(file)));
    }

    result<void> publish(std::uint64_t size) override {
        if (auto ok = os::set_size(made_.file(), size); !ok) return ok;
        if (durability_ != durability::none)
            if (auto ok = os::sync(made_.file()); !ok) return ok;
        // Opened before: what can still fail after the rename is only the directory's own sync.
        os::handle directory;
        if (durability_ == durability::full) {
            auto opened = os::open_directory_of(target_);
            if (!opened) return opened.error();
            directory = *std::move(opened);
        }
        auto const renamed =
            replace_ ? os::rename(made_.path(), target_) : os::rename_to_new(made_.path(), target_);
        if (!renamed) return renamed;
        made_.keep();
        return directory.is_open() ? os::sync_directory(directory) : result<void>();
    }

private:
    os::temporary made_;
    std::filesystem::path target_;
    hurray::durability durability_;
    bool replace_;
};

/// The file that will be replaced: links followed, directories refused.
/// A target that exists keeps its permissions.
struct target {
    std::filesystem::path path;
    std::optional<std::uint32_t> permissions;
};
result<target> find_target(std::filesystem::path const& path) {
    std::error_code failed;
    target found{.path = path, .permissions = {}};
    for (int links = 0; std::filesystem::is_symlink(found.path, failed); ++links) {
        if (links == 40)
            return error{.code = std::make_error_code(std::errc::too_many_symbolic_link_levels)};
        auto const to = std::filesystem::read_symlink(found.path, failed);
        if (failed) return error{.code = failed};
        found.path = to.is_absolute() ? to : found.path.parent_path() / to;
    }
    auto const existing = os::identify(found.path);
    if (!existing) {
        if (existing.error().code == std::errc::no_such_file_or_directory) return found;
        return existing.error();
    }
    if (existing->directory) return error{.code = std::make_error_code(std::errc::is_a_directory)};
    if (!existing->regular) return errc::not_a_regular_file;
    found.permissions = existing->permissions;
    return found;
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

result<writer> writer::create(std::string const& path, write_options const& options) {
    auto to = find_target(path);
    if (!to) return to.error();
    if (to->permissions && !options.replace)
        return error{.code = std::make_error_code(std::errc::file_exists)};
    auto made = os::create_beside(to->path);
    if (!made) return made.error();
    auto out = std::make_unique<file_output>(*std::move(made), to->path, options);
    if (to->permissions)
        if (auto ok = out->set_permissions(*to->permissions); !ok) return ok.error();
    auto state = start_writing(std::move(out), options);
    if (!state) return state.error();
    return writer(*std::move(state));
}

}  // namespace v0
}  // namespace hurray
