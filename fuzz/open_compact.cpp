// The input is a model of a file: everything but the padding, and how to falsify it.

#include "mutate.hpp"
#include "use_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const model = hurray::fuzz::model::decode(hurray::fuzz::bytes_at(data, size));
    hurray::fuzz::use_file(model.expand());
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
    return hurray::fuzz::mutate_model({data, size, room}, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* a, std::size_t a_size,
                                                 std::uint8_t const* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t room,
                                                 unsigned seed) {
    using hurray::fuzz::bytes_at;
    return hurray::fuzz::cross_models(bytes_at(a, a_size), bytes_at(b, b_size), {out, 0, room},
                                      seed);
}
