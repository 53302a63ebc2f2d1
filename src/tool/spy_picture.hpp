#pragma once

#include <string>

#include "spy_raster.hpp"

namespace hurray::tool {

/// What is written over the picture.
struct spy_caption {
    std::string name;
    std::string about;  ///< shape, layout, type, entries
};

/// As many cells as the picture of a matrix of that shape has.
raster raster_for_picture(extents shape);

/// The picture as a PNG file: the darker, the more entries. Axes count rows and columns.
std::string spy_png(raster const& from, extents shape, spy_caption const& caption);

}  // namespace hurray::tool
