// The input is a key-value section.

#include "heap_limit.hpp"
#include "model.hpp"
#include "use_rest.hpp"

namespace {

using namespace hurray;

result<file_view> open(std::span<std::byte const> file, read_options const& options) {
    return fuzz::within_heap_limit(file, [&] { return file_view::parse(file, options); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = fuzz::bytes_at(data, size);
    auto const section = fuzz::byte_vector(bytes.begin(), bytes.end());
    auto const file = fuzz::model{.metadata = section}.expand();
    auto const strict = open(file, {}), permissive = open(file, {.mode = mode::permissive});
    auto const summed = open(file, {.checksums = checksums::verify});
    fuzz::require(strict || !summed, "checking sums accepts nothing more");
    if (permissive) fuzz::use_rest(*permissive);
    if (!strict) return 0;
    fuzz::require(permissive.has_value(), "strict implies permissive");
    fuzz::require(fuzz::key_values(*permissive) == fuzz::key_values(*strict),
                  "strict implies permissive");
    // The table of checksums in it may have been repaired.
    auto const placed = fuzz::frame_of(file)->metadata;
    auto const again = fuzz::key_values(*strict);
    fuzz::require(section.empty() ||
                      std::equal(again.begin(), again.end(), placed.begin(), placed.end()),
                  "encode_metadata() is the inverse of a strict decode_metadata()");
    fuzz::use_rest(*strict);
    return 0;
}
