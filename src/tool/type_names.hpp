#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/element.hpp>

namespace hurray::tool {

/// The name of the type after "%%GraphBLAS type"; "" if GraphBLAS has no such type.
std::string_view graphblas_name(element_type type) noexcept;
/// The type that GraphBLAS calls so.
std::optional<element_type> type_of_graphblas(std::string_view name) noexcept;

/// The names of all element types, as the program prints and takes them.
std::vector<std::string> type_names();
/// The type of that name. Throws stop, which suggests close names.
element_type type_named(std::string const& name);

}  // namespace hurray::tool
