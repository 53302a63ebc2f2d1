include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hurray")
set(type "")
if(TARGET hurray)
  get_target_property(type hurray TYPE)
endif()
# What is not said to be a part of the library's package or of the program's is for those who build against it.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

# One export per component: who takes `core` alone needs no Boost.
install(TARGETS hurray_headers hurray_core EXPORT hurray-core-targets FILE_SET HEADERS FILE_SET interop)
set(hurray_components core)
if(TARGET hurray)
  list(APPEND hurray_components file)
  install(TARGETS hurray EXPORT hurray-file-targets LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
endif()
foreach(component IN LISTS hurray_components)
  install(EXPORT hurray-${component}-targets NAMESPACE hurray:: DESTINATION "${package_dir}")
endforeach()

set(hurray_needs_boost TRUE)
if(type STREQUAL "SHARED_LIBRARY")
  set(hurray_needs_boost FALSE)
endif()
configure_package_config_file(cmake/hurray-config.cmake.in hurray-config.cmake
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(hurray-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/hurray-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/hurray-config-version.cmake"
  DESTINATION "${package_dir}")

# pkg-config files find their prefix from where they lie, so that an installed tree can be moved.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
  NORMALIZE OUTPUT_VARIABLE pkg_config_dir)
cmake_path(APPEND pkg_config_dir pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkg_config_dir}"
  OUTPUT_VARIABLE pkg_config_prefix)
set(pkg_config_libraries "-lhurray")
set(pkg_config_requires "")
if(hurray_needs_boost)
  string(APPEND pkg_config_libraries " -lboost_iostreams")
  set(pkg_config_requires "hurray-core = ${PROJECT_VERSION}")
endif()
set(pkg_config_names hurray-core)
if(TARGET hurray)
  list(APPEND pkg_config_names hurray)
endif()
foreach(name IN LISTS pkg_config_names)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

if(TARGET hurray_tool)
  if(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(hurray_tool PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS hurray_tool RUNTIME COMPONENT tool)
endif()

# Debian packages, one for each component: `cpack -G DEB` in a build with BUILD_SHARED_LIBS and CMAKE_INSTALL_PREFIX=/usr.
if(PROJECT_IS_TOP_LEVEL)
  set(HURRAY_PACKAGE_CONTACT "nobody <nobody@localhost>" CACHE STRING "Who maintains the Debian packages")
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "${HURRAY_PACKAGE_CONTACT}")
  set(CPACK_PACKAGE_VENDOR "${PROJECT_NAME}")
  set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_COMPONENTS_ALL dev)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  # Where the program's own library is looked for, which no installed package has.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}/src")
  set(CPACK_DEBIAN_DEV_PACKAGE_NAME libhurray-dev)
  set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
  set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and static libraries for programs that read and write sparse matrices in Hurray files.")
  set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libboost-dev, libeigen3-dev, libsuitesparse-dev, libgraphblas-dev")
  if(type STREQUAL "SHARED_LIBRARY")
    list(APPEND CPACK_COMPONENTS_ALL library)
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libhurray${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
    set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library that reads and writes sparse matrices in Hurray files.")
    set(CPACK_COMPONENT_DEV_DEPENDS library)
    set(CPACK_COMPONENT_TOOL_DEPENDS library)
  elseif(type STREQUAL "STATIC_LIBRARY")
    set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libboost-iostreams-dev)
  endif()
  if(TARGET hurray_tool)
    list(APPEND CPACK_COMPONENTS_ALL tool)
    set(CPACK_DEBIAN_TOOL_PACKAGE_NAME hurray)
    set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
    # Loaded by the commands that read .npz and HDF5, so no dependency is seen in the program.
    set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "libzip4, libhdf5-103-1")
    set(CPACK_COMPONENT_TOOL_DESCRIPTION "The program that imports, inspects, verifies and exports sparse matrices in Hurray files.")
  endif()
  include(CPack)
endif()
