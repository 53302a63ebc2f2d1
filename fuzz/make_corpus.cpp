// Writes seeds for all targets: make_corpus FOLDER [FILE ...]
// Files given besides are taken as they are. The valid and damaged files are those of the tests.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <corruption.hpp>

#include "model.hpp"

namespace {

using namespace hurray;
namespace fs = std::filesystem;

class corpus {
public:
    explicit corpus(fs::path folder) : folder_(std::move(folder)) {}

    void add(std::string_view target, std::string_view name, std::span<std::byte const> bytes) {
        auto const into = folder_ / target;
        fs::create_directories(into);
        std::ofstream out(into / name, std::ios::binary);
        auto const text = fuzz::text_of(bytes);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!out.flush()) throw std::runtime_error("cannot write to " + into.string());
    }

    /// A file, legal or not, for every target that reads one or a part of one.
    void add_file(std::string const& name, std::span<std::byte const> file) {
        add("open", name, file);
        auto const frame = fuzz::frame_of(file);
        if (!frame) return;
        if (!frame->metadata.empty()) add("metadata", name, frame->metadata);
        for (auto const& t : fuzz::tensors_of(file, *frame))
            if (!t.descriptor.empty())
                add("descriptor", name + "_" + std::to_string(descriptors_++), t.descriptor);
        auto const model = fuzz::model::of_file(file);
        if (!model) return;
        add("open_compact", name, model->encode());
        // Strict mode; the first bytes of values, indices and offsets change to 1 and back.
        fuzz::byte_vector changing{std::byte{0}, std::byte{20}};
        for (unsigned const at : {0x1000u, 0x2000u, 0x3008u, 0x50u})
            for (unsigned const part : {at & 0xFF, at >> 8, 0u, 1u, 0u})
                changing.push_back(static_cast<std::byte>(part));
        auto const encoded = model->encode();
        changing.insert(changing.end(), encoded.begin(), encoded.end());
        add("changing_source", name, changing);
    }

private:
    fs::path folder_;
    std::size_t descriptors_ = 0;
};

/// Numbers for the targets whose input is a program. Small ones are frequent.
fuzz::byte_vector numbers(unsigned seed, std::size_t count) {
    std::mt19937_64 random(seed);
    fuzz::byte_vector all(count);
    for (auto& b : all) b = static_cast<std::byte>(random() >> (random() % 64));
    return all;
}

std::string file_name(std::string text) {
    for (auto& c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
    return text;
}

void add_all(corpus& seeds) {
    for (auto const& [name, file] : hurray_test::valid_files())
        seeds.add_file("valid_" + file_name(name), file);
    std::size_t row = 0;
    for (auto const& c : hurray_test::all_corruptions()) {
        auto const code = std::to_string(static_cast<int>(c.code));
        seeds.add_file("errc_" + code + "_" + std::to_string(row++), c.file());
    }
    for (unsigned type = 0; type < element_types.size(); ++type) {
        auto bytes = numbers(type, 600);
        bytes[0] = static_cast<std::byte>(type);
        bytes[6] = std::byte{16};  // offsets begin and end where they should
        seeds.add("view", "numbers_" + std::to_string(type), bytes);
        seeds.add("round_trip", "numbers_" + std::to_string(type), numbers(100 + type, 900));
    }
}

fuzz::byte_vector content(fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    auto const bytes = fuzz::bytes_of(text);
    return {bytes.begin(), bytes.end()};
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return std::fputs("make_corpus FOLDER [FILE ...]\n", stderr), 2;
    corpus seeds(arguments[1]);
    add_all(seeds);
    for (int i = 2; i < count; ++i) {
        fs::path const path = arguments[i];
        if (path.extension() == ".mtx")
            seeds.add("matrix_market", path.filename().string(), content(path));
        else
            seeds.add_file(path.filename().string(), content(path));
    }
}
