#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "spy_raster.hpp"
#include "text.hpp"

namespace hurray::tool {

/// Maps densities to shades: logarithmic, over at least two powers of ten, so that chance does not
/// look like structure.
class shading {
public:
    explicit shading(raster const& from) {
        for (std::uint64_t y = 0; y < from.rows().count(); ++y)
            for (std::uint64_t x = 0; x < from.columns().count(); ++x) {
                if (from.count(y, x) == 0) continue;
                auto const density = from.density(y, x);
                least_ = filled_ != 0 ? std::min(least_, density) : density;
                most_ = filled_ != 0 ? std::max(most_, density) : density;
                ++filled_;
            }
        pale_ = std::min(least_, most_ / 100);
    }
    /// From 0, the palest that there may be, to 1. Precondition: some cell has this density.
    double part(double density) const {
        return std::clamp(std::log(density / pale_) / std::log(most_ / pale_), 0.0, 1.0);
    }
    /// Cells that have entries.
    std::uint64_t filled() const noexcept { return filled_; }
    /// "grey: density 0.1 %, black: 100 %"
    std::string text(std::string const& pale, std::string const& dark) const {
        if (filled_ == 0) return "no entries";
        if (percent(least_) == percent(most_)) return pale + ": density " + percent(most_);
        return pale + ": density " + percent(least_) + ", " + dark + ": " + percent(most_);
    }

private:
    std::uint64_t filled_ = 0;
    double least_ = 0, most_ = 0, pale_ = 0;
};

}  // namespace hurray::tool
