# What is true of everything built in this tree and never exported: warnings, sanitizers, defaults.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
endif()

add_library(hurray_developer INTERFACE)
target_compile_features(hurray_developer INTERFACE cxx_std_20)
target_compile_options(hurray_developer INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow $<$<BOOL:${HURRAY_WERROR}>:-Werror>)
if(HURRAY_SANITIZE)
  target_compile_options(hurray_developer INTERFACE
    -fsanitize=${HURRAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hurray_developer INTERFACE -fsanitize=${HURRAY_SANITIZE})
endif()

# GCC 12 sees accesses out of bounds in the library's own vectors and strings that are not there (its bugs 105329, 105651,
# 105580); other versions and Clang check the same code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(hurray_developer INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
