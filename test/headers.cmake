# Compiles one public header alone, without exceptions and RTTI, and looks at what it includes.
# Run with: cmake -D COMPILER=... -D INCLUDE=... -D HEADER=hurray/name.hpp -D BOOST=ON|OFF -P headers.cmake
set(flags -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I "${INCLUDE}")
if(NOT BOOST)
  list(APPEND flags -fno-exceptions -fno-rtti)
endif()
execute_process(
  COMMAND "${COMPILER}" ${flags} -include ${HEADER} -fsyntax-only -MD -MF - -x c++ /dev/null
  OUTPUT_VARIABLE included ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${HEADER} does not compile alone:\n${said}")
endif()
if(NOT included MATCHES "/${HEADER}[ \n]")
  message(FATAL_ERROR "The compiler lists no included files, so nothing was checked:\n${included}")
endif()
if(NOT BOOST AND included MATCHES "[^ \n]*/boost/[^ \n]*")
  message(FATAL_ERROR "${HEADER} includes Boost: ${CMAKE_MATCH_0}")
endif()
