#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "number_stream.hpp"

namespace hurray::tool {

/// What stands before the numbers of a .npy array.
struct npy_header {
    char kind = 0;       ///< b i u f c S U, as numpy has them
    unsigned width = 0;  ///< bytes
    bool swapped = false;
    std::vector<std::uint64_t> shape;
};

/// Reads the text of the header, a Python dictionary. False if it is none or of another kind.
bool parse_npy_header(std::string const& text, npy_header& into);

/// A file of numpy arrays, stored or deflated.
class npz_archive {
public:
    /// Throws stop: the file cannot be read, or this program was built without libzip.
    static npz_archive open(std::filesystem::path const& path);

    bool has(std::string const& array) const;
    /// The numbers of a one-dimensional array, without ".npy". Throws stop when there is none.
    std::unique_ptr<number_stream> numbers(std::string const& array) const;
    /// The text of an array that is one string. Throws stop.
    std::string text(std::string const& array) const;

private:
    struct state;
    explicit npz_archive(std::shared_ptr<state const> opened) : state_(std::move(opened)) {}
    std::shared_ptr<state const> state_;
};

}  // namespace hurray::tool
