// The input is a key-value section.

#include "heap_limit.hpp"
#include "model.hpp"
#include "walk.hpp"

namespace {

using namespace hurray;

result<file_view> open(std::span<std::byte const> file, hurray::mode mode) {
    return fuzz::within_heap_limit(file, [&] { return file_view::parse(file, {.mode = mode}); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = fuzz::bytes_at(data, size);
    auto const section = fuzz::byte_vector(bytes.begin(), bytes.end());
    auto const file = fuzz::model{.metadata = section}.expand();
    auto const strict = open(file, mode::strict), permissive = open(file, mode::permissive);
    if (permissive) fuzz::use_rest(*permissive);
    if (!strict) return 0;
    fuzz::require(permissive.has_value(), "strict implies permissive");
    fuzz::require(fuzz::key_values(*permissive) == fuzz::key_values(*strict),
                  "strict implies permissive");
    fuzz::require(section.empty() || fuzz::key_values(*strict) == section,
                  "encode_metadata() is the inverse of a strict decode_metadata()");
    fuzz::use_rest(*strict);
    return 0;
}
