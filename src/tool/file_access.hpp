#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <hurray/file.hpp>

#include "failure.hpp"

// What the commands that read a Hurray file have in common.

namespace hurray::tool {

/// Opens the file. Throws stop.
file open_file(std::filesystem::path const& path, access how, mode strictness = mode::strict,
               checksums sums = checksums::ignore);

/// The tensor of that name. Throws stop, which suggests close names.
tensor described(file const& from, std::filesystem::path const& path, std::string const& name);
/// The tensor of that name, which must be a CSR or CSC matrix.
tensor described_matrix(file const& from, std::filesystem::path const& path,
                        std::string const& name);

/// Throws stop for a quantized matrix: without its scale its numbers mean something else.
void need_unquantized(tensor const& what, std::filesystem::path const& path);

/// Throws stop if `output` is a file that is read.
void need_another_file(std::filesystem::path const& output, std::filesystem::path const& input);

/// The name, if it is not empty, or that of the only CSR or CSC matrix. Throws stop, with the names
/// there are.
std::string name_or_only(file const& from, std::filesystem::path const& path,
                         std::string const& name);

/// The slices of either layout as rows, so that what is done with them is compiled once for both.
template<class View> auto by_slices(View const& view) noexcept {
    if constexpr (View::major_axis == axis::rows)
        return view;
    else
        return view.transposed();
}

/// "row" of a CSR matrix, "column" of a CSC matrix, "row or column" of anything else.
std::string_view slice_word(layout of) noexcept;

/// "csr", or a tag in hexadecimal.
std::string layout_text(layout of);
/// "float64", or a tag in hexadecimal.
std::string type_text(element_type of);
/// "34 x 34"; "scalar".
std::string shape_text(std::span<std::uint64_t const> shape);

/// The layout that --layout names. Throws stop.
axis major_named(std::string const& layout);

}  // namespace hurray::tool
