# Compiles a case twice: as it is, which must work, and with OFFENDING defined, which must be
# refused with a message that matches the case's `// refused:` line.
# Run with: cmake -D COMPILER=... -D INCLUDE=... -D CASE=file.cpp -P check.cmake
set(command "${CMAKE_COMMAND}" -E env LC_ALL=C "${COMPILER}" -std=c++20 -Werror -fsyntax-only -I "${INCLUDE}" "${CASE}")

file(STRINGS "${CASE}" expected REGEX "^// refused: ")
if(NOT expected)
  message(FATAL_ERROR "${CASE} does not say what it expects of the compiler")
endif()
string(REGEX REPLACE "^// refused: " "" expected "${expected}")

execute_process(COMMAND ${command} ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${CASE} does not compile without the offending line:\n${said}")
endif()
execute_process(COMMAND ${command} -D OFFENDING ERROR_VARIABLE said RESULT_VARIABLE status)
if(status EQUAL 0)
  message(FATAL_ERROR "${CASE} compiles with the offending line")
endif()
if(NOT said MATCHES "error: [^\n]*(${expected})")
  message(FATAL_ERROR "${CASE} is refused for another reason than \"${expected}\":\n${said}")
endif()
