#pragma once

#include <hdf5.h>

#include "shared_library.hpp"

namespace hurray::tool {

/// What is used of libhdf5.
struct hdf5_library {
    shared_library library{HURRAY_LIBHDF5, "HDF5"};
    HURRAY_LOADED(H5Aclose);
    HURRAY_LOADED(H5Aexists);
    HURRAY_LOADED(H5Aget_space);
    HURRAY_LOADED(H5Aget_type);
    HURRAY_LOADED(H5Aopen);
    HURRAY_LOADED(H5Aread);
    HURRAY_LOADED(H5Dclose);
    HURRAY_LOADED(H5Dget_create_plist);
    HURRAY_LOADED(H5Dget_space);
    HURRAY_LOADED(H5Dget_storage_size);
    HURRAY_LOADED(H5Dget_type);
    HURRAY_LOADED(H5Dopen2);
    HURRAY_LOADED(H5Dread);
    HURRAY_LOADED(H5Eset_auto2);
    HURRAY_LOADED(H5Fclose);
    HURRAY_LOADED(H5Fopen);
    HURRAY_LOADED(H5Gget_info);
    HURRAY_LOADED(H5Iget_type);
    HURRAY_LOADED(H5Lexists);
    HURRAY_LOADED(H5Lget_info);
    HURRAY_LOADED(H5Lget_name_by_idx);
    HURRAY_LOADED(H5Oclose);
    HURRAY_LOADED(H5Oopen);
    HURRAY_LOADED(H5Pclose);
    HURRAY_LOADED(H5Pcreate);
    HURRAY_LOADED(H5Pget_chunk);
    HURRAY_LOADED(H5Pget_external_count);
    HURRAY_LOADED(H5Pget_filter2);
    HURRAY_LOADED(H5Pget_layout);
    HURRAY_LOADED(H5Pget_nfilters);
    HURRAY_LOADED(H5Pset_chunk_cache);
    HURRAY_LOADED(H5Sclose);
    HURRAY_LOADED(H5Screate_simple);
    HURRAY_LOADED(H5Sget_simple_extent_dims);
    HURRAY_LOADED(H5Sget_simple_extent_ndims);
    HURRAY_LOADED(H5Sget_simple_extent_npoints);
    HURRAY_LOADED(H5Sselect_hyperslab);
    HURRAY_LOADED(H5Tclose);
    HURRAY_LOADED(H5Tcopy);
    HURRAY_LOADED(H5Tcreate);
    HURRAY_LOADED(H5Tget_class);
    HURRAY_LOADED(H5Tget_ebias);
    HURRAY_LOADED(H5Tget_fields);
    HURRAY_LOADED(H5Tget_member_class);
    HURRAY_LOADED(H5Tget_member_index);
    HURRAY_LOADED(H5Tget_member_type);
    HURRAY_LOADED(H5Tget_nmembers);
    HURRAY_LOADED(H5Tget_precision);
    HURRAY_LOADED(H5Tget_sign);
    HURRAY_LOADED(H5Tget_size);
    HURRAY_LOADED(H5Tinsert);
    HURRAY_LOADED(H5Tis_variable_str);
    HURRAY_LOADED(H5Tset_order);
    HURRAY_LOADED(H5free_memory);
    HURRAY_LOADED(H5open);

    // H5F_ACC_RDONLY, which as a macro calls the library by its linked name.
    static constexpr unsigned read_only = 0;
    // Variables of the library, which are set once it is open.
    herr_t opened = H5open();
    hid_t native_float = *library.get<hid_t*>("H5T_NATIVE_FLOAT_g");
    hid_t native_double = *library.get<hid_t*>("H5T_NATIVE_DOUBLE_g");
    hid_t native_uint64 = *library.get<hid_t*>("H5T_NATIVE_UINT64_g");
    hid_t dataset_access = *library.get<hid_t*>("H5P_CLS_DATASET_ACCESS_ID_g");
};

/// Throws stop when it cannot be loaded.
inline hdf5_library const& hdf5() {
    static hdf5_library const loaded;
    return loaded;
}

}  // namespace hurray::tool
