// The input is a descriptor.

#include <hurray/descriptor.hpp>

#include "mutate.hpp"

using namespace hurray;

static void look_at(descriptor const& d, std::size_t size) {
    fuzz::require(d.shape.size() <= 64, "rank at most 64");
    fuzz::require(d.buffers.size() <= size / 16, "each buffer has a handle");
    for (auto const& note : d.notes) fuzz::require(note.offset < size, "a note is about a byte");
    (void)d.nnz();
    (void)d.bytes_of(~std::uint64_t{0});
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = fuzz::bytes_at(data, size);
    auto const strict = descriptor::decode(bytes);
    auto const permissive = descriptor::decode(bytes, mode::permissive);
    if (permissive) look_at(*permissive, size);
    if (!strict) return fuzz::require(strict.error().offset <= size, "errors have a place"), 0;
    fuzz::require(permissive.has_value(), "strict implies permissive");
    auto const again = strict->encode();
    fuzz::require(permissive->encode() == again, "strict implies permissive");
    // Not written again: what a later minor version adds, statistics not stated.
    bool const same = std::equal(again.begin(), again.end(), bytes.begin(), bytes.end());
    bool const alike = data[5] != 0 || (strict->statistics && again.size() == size);
    fuzz::require(same || alike, "encode() is the inverse of a strict decode()");
    auto const decoded = descriptor::decode(again);
    fuzz::require(decoded && decoded->encode() == again, "what encode() gives is a descriptor");
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
    return hurray::fuzz::mutate_descriptor({data, size, room}, seed);
}
