# Configures, builds and tests the consumer from nothing; installs what it built if PREFIX is given.
# Run with: cmake -D PROJECT=... -D BINARY=... -D GENERATOR=...
#   -D "OPTIONS=-D..." [-D PREFIX=...] -P build.cmake
separate_arguments(OPTIONS)
set(ENV{DESTDIR} "")
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${BINARY}")
run("${CMAKE_COMMAND}" -S "${PROJECT}" -B "${BINARY}" -G "${GENERATOR}" ${OPTIONS})
run("${CMAKE_COMMAND}" --build "${BINARY}" --parallel 2)
run("${CMAKE_CTEST_COMMAND}" --test-dir "${BINARY}" --output-on-failure --no-tests=error)
if(PREFIX)
  file(REMOVE_RECURSE "${PREFIX}")
  run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${PREFIX}")
endif()
