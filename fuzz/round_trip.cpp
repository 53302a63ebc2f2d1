// The input is a program of writer calls: its bytes do not depend on the pieces, and read back
// equal.

#include "program.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace hurray;
    fuzz::input in(data, size);
    fuzz::program const program(in);
    auto const bytes = program.write_whole();
    fuzz::require(program.write_in_pieces(in) == bytes, "the pieces do not show in the file");
    auto const file = file_view::parse(bytes, {.checksums = checksums::verify}).value();
    auto const added = program.options.checksums ? 1u : 0u;
    fuzz::require(file.notes().empty(), "nothing had to be tolerated");
    fuzz::require(file.metadata().size() == program.options.metadata.size() + added,
                  "there are no other key-values");
    for (auto const& [key, value] : program.options.metadata)
        fuzz::require(*file.metadata().find(key) == value, "the key-values are read back");
    fuzz::require(file.tensors().size() == program.matrices.size(), "all matrices are read back");
    for (auto const& m : program.matrices) fuzz::require_same(file, m);
    fuzz::require(file.verify().has_value(), "what was written is verified");
    fuzz::require(program.copy(file) == bytes, "a copy of all tensors is the same file");
    return 0;
}
