# Looks at what a shared library exports: names that the public headers show, and nothing else.
# Run with: cmake -D NM=... -D PREFIX=... -P symbols.cmake
file(GLOB_RECURSE libraries "${PREFIX}/*/libhurray.so")
if(NOT libraries)
  message(FATAL_ERROR "no libhurray.so below ${PREFIX}")
endif()
execute_process(COMMAND "${NM}" --dynamic --demangle --defined-only ${libraries}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," symbols "${symbols}")
string(STRIP "${symbols}" symbols)
string(REPLACE "\n" ";" symbols "${symbols}")

file(GLOB headers "${PREFIX}/include/hurray/*.hpp")
set(shown "")
foreach(header IN LISTS headers)
  file(READ "${header}" text)
  string(APPEND shown "${text}")
endforeach()

set(others "")
foreach(symbol IN LISTS symbols)
  if(NOT symbol MATCHES
      "^[0-9a-f]+ [A-Za-z] (typeinfo name for |typeinfo for |vtable for |guard variable for )?hurray::v0::(detail::)?([a-z0-9_]+)"
      OR NOT shown MATCHES "[^a-z0-9_]${CMAKE_MATCH_3}[^a-z0-9_]")
    list(APPEND others "${symbol}")
  endif()
endforeach()
if(others)
  list(JOIN others "\n" others)
  message(FATAL_ERROR "exported, and not meant to be:\n${others}")
endif()
if(NOT symbols MATCHES "hurray::v0::file::open" OR NOT symbols MATCHES "typeinfo for hurray::v0::failure")
  message(FATAL_ERROR "file::open() and failure are not exported")
endif()
list(LENGTH symbols count)
message(STATUS "${count} symbols, all of names that the public headers show")
