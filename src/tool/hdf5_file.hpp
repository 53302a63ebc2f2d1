#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compressed_import.hpp"

namespace hurray::tool {

/// A matrix, or a table without zeros left out, that lies in an HDF5 file.
struct hdf5_matrix {
    std::string path;  ///< "X", "layers/counts"
    bool dense = false;
    axis major{};
    extents shape{};
    std::uint64_t nnz = 0;
    std::string type{};  ///< as it is shown
};

/// An HDF5 file with the matrices of AnnData and of 10x.
class hdf5_file {
public:
    /// Throws stop: the file cannot be read, or this program was built without libhdf5.
    static hdf5_file open(std::filesystem::path const& path);

    /// What is there, in the order of the names.
    std::vector<hdf5_matrix> matrices() const;
    /// The arrays of one that is not dense. Throws stop.
    compressed_source read(hdf5_matrix const& what) const;

private:
    struct state;
    explicit hdf5_file(std::shared_ptr<state const> opened) : state_(std::move(opened)) {}
    std::shared_ptr<state const> state_;
};

}  // namespace hurray::tool
