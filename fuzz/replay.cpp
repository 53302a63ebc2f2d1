// Runs a fuzz target over every file of the given folders, for compilers without libFuzzer.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int count, char** arguments) {
    namespace fs = std::filesystem;
    std::vector<fs::path> inputs;
    for (int i = 1; i < count; ++i) {
        std::error_code absent;
        for (auto const& entry : fs::directory_iterator(arguments[i], absent))
            if (entry.is_regular_file()) inputs.push_back(entry.path());
        if (absent) std::fprintf(stderr, "%s: %s\n", arguments[i], absent.message().c_str());
    }
    std::sort(inputs.begin(), inputs.end());
    for (auto const& path : inputs) {
        std::ifstream in(path, std::ios::binary);
        std::string const bytes(std::istreambuf_iterator<char>(in), {});
        std::fprintf(stderr, "%s\n", path.c_str());
        LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
    }
    std::printf("%zu inputs\n", inputs.size());
    return inputs.empty() ? 1 : 0;
}
