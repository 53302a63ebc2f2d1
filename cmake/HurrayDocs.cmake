# `cmake --build build --target docs` makes the pages in docs/html; a warning of Doxygen's fails it.
find_program(HURRAY_DOXYGEN doxygen)
mark_as_advanced(HURRAY_DOXYGEN)
if(NOT HURRAY_DOXYGEN)
  message(STATUS "No target docs: no doxygen")
  return()
endif()
set(HURRAY_DOCS_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/docs")
configure_file(cmake/docs/Doxyfile.in "${HURRAY_DOCS_OUTPUT}/Doxyfile" @ONLY)
add_custom_target(docs
  COMMAND "${HURRAY_DOXYGEN}" "${HURRAY_DOCS_OUTPUT}/Doxyfile"
  COMMENT "Pages in ${HURRAY_DOCS_OUTPUT}/html"
  VERBATIM)
