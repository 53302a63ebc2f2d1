#include "peers.hpp"

#if HURRAY_BENCH_HDF5
#include <hdf5.h>

#include <stdexcept>

namespace bench {
namespace {

hid_t need(hid_t id) {
    if (id < 0) throw std::runtime_error("HDF5 refuses");
    return id;
}

void write(hid_t file, char const* name, hid_t type, void const* data, std::uint64_t count) {
    hsize_t const size = count;
    auto const space = need(H5Screate_simple(1, &size, nullptr));
    auto const set =
        need(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    need(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(set);
    H5Sclose(space);
}

void read(hid_t file, char const* name, hid_t type, std::uint64_t first, std::uint64_t count,
          void* into) {
    auto const set = need(H5Dopen2(file, name, H5P_DEFAULT));
    auto const space = need(H5Dget_space(set));
    hsize_t const from = first;
    hsize_t const size = count;
    need(H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, nullptr, &size, nullptr));
    auto const memory = need(H5Screate_simple(1, &size, nullptr));
    need(H5Dread(set, type, memory, space, H5P_DEFAULT, into));
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

}  // namespace

bool hdf5_write(std::filesystem::path const& path, seen const& a) {
    auto const file = need(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    write(file, "offsets", H5T_NATIVE_UINT64, a.offsets, a.rows + 1);
    write(file, "indices", H5T_NATIVE_UINT64, a.indices, a.nnz);
    write(file, "values", H5T_NATIVE_DOUBLE, a.values, a.nnz);
    H5Fclose(file);
    return true;
}

runner hdf5_row(std::filesystem::path const& path, std::uint64_t i, runner before) {
    return [path, i, before] {
        before();
        return seconds_of([&] {
            auto const file = need(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
            std::uint64_t ends[2];
            read(file, "offsets", H5T_NATIVE_UINT64, i, 2, ends);
            auto const count = ends[1] - ends[0];
            std::vector<std::uint64_t> indices(count);
            std::vector<double> values(count);
            read(file, "indices", H5T_NATIVE_UINT64, ends[0], count, indices.data());
            read(file, "values", H5T_NATIVE_DOUBLE, ends[0], count, values.data());
            H5Fclose(file);
            keep(indices);
            keep(values);
        });
    };
}

}  // namespace bench
#else
namespace bench {
bool hdf5_write(std::filesystem::path const&, seen const&) { return false; }
runner hdf5_row(std::filesystem::path const&, std::uint64_t, runner) { return {}; }
}  // namespace bench
#endif
