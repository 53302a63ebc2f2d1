# Builds and runs a consumer with what pkg-config says.
# Run with: cmake -D COMPILER=... -D PKG_CONFIG=... -D PREFIX=... -D PROJECT=... -D BINARY=... -P pkg_config.cmake
file(GLOB_RECURSE pc "${PREFIX}/*/hurray.pc")
if(NOT pc)
  message(FATAL_ERROR "no hurray.pc below ${PREFIX}")
endif()
cmake_path(GET pc PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
cmake_path(GET pc_dir PARENT_PATH library_dir)

file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}")
foreach(part file:hurray core:hurray-core)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 name)
  list(GET part 1 package)
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs ${package}
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 "${PROJECT}/${name}.cpp" -o "${BINARY}/${name}" ${flags}
      "-Wl,-rpath,${library_dir}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${BINARY}/${name}" WORKING_DIRECTORY "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
