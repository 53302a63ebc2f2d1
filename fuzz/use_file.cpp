// Compiled once for the targets that use files.

#include "use_file.hpp"

#include "heap_limit.hpp"
#include "walk.hpp"

namespace hurray::fuzz {

static result<file_view> open_within_limits(std::span<std::byte const> file,
                                            read_options const& options) {
    return within_heap_limit(file, [&] { return file_view::parse(file, options); });
}

/// What is accepted with its checksums is accepted without, as the same.
static void use_checksums(std::span<std::byte const> file, file_view const* without) {
    auto const with = open_within_limits(file, {.checksums = checksums::verify});
    if (!with) return;
    require(without != nullptr, "checking sums accepts nothing more");
    require_implied(use_tensors(*with), use_tensors(*without), false);
    bool const verified = use_rest(*with);
    require(use_rest(*without) || !verified, "checking sums accepts nothing more");
}

void use_file(std::span<std::byte const> file) {
    auto const strict = open_within_limits(file, {});
    auto const permissive = open_within_limits(file, {.mode = mode::permissive});
    if (!strict && !permissive) return use_checksums(file, nullptr);
    require(permissive.has_value(), "strict implies permissive");
    if (strict) {
        require_strict_implies_permissive(*strict, *permissive);
        if (strict->catalog().has_checksums()) use_checksums(file, &*strict);
    } else {
        use_tensors(*permissive);
        use_rest(*permissive);
    }
}

}  // namespace hurray::fuzz
