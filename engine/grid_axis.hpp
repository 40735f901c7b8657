// The values that one quantity takes on a grid, by number.
#pragma once

#include <cstdint>

#include "engine/ensemble.hpp"

namespace gradscape {

/// The values of a uniform or log_uniform draw with `points` or `step`: points spaced evenly, in the logarithm for log_uniform, with both
/// bounds among them to the last bit; or min, min + step, ... as long as they are at most max. A value that misses max by rounding alone is
/// max itself: 0 to 1 with step 0.1 has 11 values.
class GridAxis {
public:
    explicit GridAxis(const Draw& draw);  ///< the draw must be valid

    std::int64_t points() const { return points_; }
    /// Value k of 0..points - 1, ascending.
    double operator()(std::int64_t k) const;

private:
    double min_, max_;
    double step_ = 0;       // used where the values don't end at max; else 0
    double log_ratio_ = 0;  // log(max/min) of a logarithmic axis; else 0
    std::int64_t points_;
};

/// Points of a draw on a grid, at most request_limits' largest_size + 1; 0 when the draw doesn't say.
std::int64_t grid_points(const Draw& draw);

/// Points of the whole grid, at most largest_size + 1: the product over what varies; 0 when a varied quantity doesn't say its points.
std::int64_t grid_size(const EnsembleRequest& request);

}  // namespace gradscape
