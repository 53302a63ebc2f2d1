// Writes seeds for all targets: make_corpus FOLDER [FILE ...]
// Files given besides are taken as they are. The valid and damaged files are those of the tests.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <hurray/writer.hpp>

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

/// The same tensors with checksums of everything.
hurray_test::bytes with_checksums(hurray_test::bytes const& file) {
    hurray_test::bytes out;
    auto const append = [&](std::span<std::byte const> piece) {
        out.insert(out.end(), piece.begin(), piece.end());
        return std::error_code{};
    };
    auto const view = file_view::parse(file).value();
    auto to = writer::onto(append, {.metadata = view.metadata(), .checksums = true}).value();
    for (auto const& t : view.tensors()) to.copy(view, t.name).value();
    to.close().value();
    return out;
}

void add_all(corpus& seeds) {
    for (bool const sorted : {false, true})
        seeds.add_file("checksums_" + std::to_string(sorted),
                       with_checksums(hurray_test::two_matrices(sorted)));
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

void add_texts(corpus& seeds) {
    std::string const start = "%%MatrixMarket matrix ";
    std::string const texts[] = {
        start + "coordinate real general\n% comment\n3 4 3\n1 1 1.5\n3 4 -2e3\n\n2 1 .5\n",
        start + "coordinate integer general\n2 2 2\n1 1 -7\n2 2 9223372036854775807\n",
        start + "coordinate unsigned-integer general\n1 2 1\n1 2 18446744073709551615\n",
        start + "coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 -4\n",
        start + "coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
        start + "coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 1 -0\n",
        start + "coordinate double general\r\n2 2 3\r\n1 1 1e308\r\n1 1 1e308\r\n2 2 1\r\n",
        start + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
        start + "array integer symmetric\n2 2\n1\n2\n3\n",
        start + "array real skew-symmetric\n3 3\n1\n2\n3\n",
        start + "coordinate integer general\n%%GraphBLAS type int8_t\n2 2 1\n2 1 -128\n",
        start + "coordinate integer general\n%%GraphBLAS type bool\n2 2 1\n2 1 1\n",
        start + "coordinate integer general\n%%Hurray type uint4\n2 2 2\n2 1 15\n2 1 1\n",
        start + "coordinate real general\n%%Hurray type float6_e3m2\n2 2 1\n2 1 28\n",
        start + "coordinate real general\n%%Hurray type float128\n2 2 1\n2 1 0.1\n",
        start + "coordinate real general\n%%Hurray type bfloat16\n2 2 1\n1 1 nan\n",
        start + "coordinate pattern general\n0 0 0\n",
    };
    std::size_t number = 0;
    for (auto const& text : texts)
        seeds.add("matrix_market", "text_" + std::to_string(number++), fuzz::bytes_of(text));
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
    add_texts(seeds);
    for (int i = 2; i < count; ++i) {
        fs::path const path = arguments[i];
        if (path.extension() == ".mtx")
            seeds.add("matrix_market", path.filename().string(), content(path));
        else
            seeds.add_file(path.filename().string(), content(path));
    }
}
