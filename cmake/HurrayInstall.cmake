include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hurray")
get_target_property(type hurray TYPE)

# One export per component: who takes `core` alone needs no Boost.
install(TARGETS hurray_headers hurray_core EXPORT hurray-core-targets FILE_SET HEADERS FILE_SET interop)
install(TARGETS hurray EXPORT hurray-file-targets)
foreach(component core file)
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
foreach(name hurray hurray-core)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

if(TARGET hurray_tool)
  if(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(hurray_tool PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS hurray_tool)
endif()
