#pragma once

// What others do with the same arrays. A runner that is none: this peer is not on the machine.

#include <filesystem>
#include <string>

#include "matrices.hpp"
#include "measure.hpp"

namespace bench {

/// CSR to CSC, into memory that is fresh each time.
runner eigen_transpose(seen const&);
runner graphblas_transpose(seen const&, unsigned threads);

/// y = A x.
runner eigen_multiply(seen const&, double const* x, double* y);

/// Reading of a Matrix Market file of doubles.
runner eigen_read_market(std::filesystem::path const&);

/// Writes the three arrays as contiguous datasets; false: no HDF5.
bool hdf5_write(std::filesystem::path const&, seen const&);
/// Opens the file and reads row `i`.
runner hdf5_row(std::filesystem::path const&, std::uint64_t i, runner before);

/// Python with SciPy, in a process of its own that does what it is told, line by line.
class scipy {
public:
    /// Starts it. Absent if there is no Python with SciPy.
    explicit scipy(std::filesystem::path const& script);
    scipy(scipy const&) = delete;
    ~scipy();
    /// CSR to CSC of arrays in files of raw numbers, made beside `base`.
    runner transpose(seen const&, std::filesystem::path const& base);
    runner read_market(std::filesystem::path const&);
    /// Lets go of what it holds.
    void forget();

private:
    double ask(std::string const& line);
    int to_ = -1;
    int from_ = -1;
    long process_ = 0;
};

}  // namespace bench
