// The input is a model of a file, and what happens to the file's bytes while it is read.

#include "restless.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace hurray;
    fuzz::input in(data, size);
    auto const mode = in.up_to(1) == 0 ? mode::strict : mode::permissive;
    auto const changes = in.take(in.number<std::uint8_t>());
    fuzz::restless_file file(fuzz::model::decode(in.rest()).expand(), changes);

    file.expect_each_byte_once();
    auto const catalog = catalog::read(file, {.mode = mode});
    if (!catalog) return 0;
    for (auto const& entry : catalog->tensors()) {
        file.expect_each_byte_once();
        auto const what = catalog->describe(file, entry);
        if (!what) continue;
        for (auto const& buffer : what->buffers)
            fuzz::require(buffer.within(file.size()), "an accepted range is inside the file");
    }
    if (auto const view = file_view::parse(file.bytes(), {.mode = mode}))
        for (auto const& entry : view->tensors()) file.walk_while_changing(*view, entry.name);
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
    return hurray::fuzz::mutate_behind_prefix({data, size, room}, seed);
}
