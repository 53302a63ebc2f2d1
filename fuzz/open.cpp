// The input is a file.

#include "mutate.hpp"
#include "use_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    // An exact fit on the heap, aligned, so that a sanitizer sees what is read outside of it.
    auto const bytes = hurray::fuzz::bytes_at(data, size);
    hurray::fuzz::use_file(hurray::fuzz::byte_vector(bytes.begin(), bytes.end()));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
    return hurray::fuzz::mutate_file({data, size, room}, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* a, std::size_t a_size,
                                                 std::uint8_t const* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t room,
                                                 unsigned seed) {
    using hurray::fuzz::bytes_at;
    return hurray::fuzz::cross_files(bytes_at(a, a_size), bytes_at(b, b_size), {out, 0, room},
                                     seed);
}
