#include "engine/grid_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/distributions.hpp"
#include "engine/request_limits.hpp"

namespace gradscape {
namespace {

struct Steps {
    std::int64_t count;   // largest_size at most
    bool reach_max;
};

Steps steps_between(double min, double max, double step) {
    // min, max and step are decimals rounded to doubles, so a multiple that should meet max misses it by a few roundings.
    const double roundings = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(min), std::abs(max));
    const double length = max - min, nearest = std::round(length / step);
    if (!(nearest < static_cast<double>(largest_size))) return {largest_size, false};
    const double miss = std::fma(nearest, step, -length);
    return {static_cast<std::int64_t>(nearest) - (miss > roundings ? 1 : 0), std::abs(miss) <= roundings};
}

}  // namespace

std::int64_t grid_points(const Draw& draw) {
    if (draw.points > 0) return std::min(draw.points, largest_size + 1);
    return draw.step > 0 && draw.max >= draw.min ? steps_between(draw.min, draw.max, draw.step).count + 1 : 0;
}

std::int64_t grid_size(const EnsembleRequest& request) {
    std::int64_t size = 1;
    for (const std::vector<Draw>* draws : {&request.parameters, &request.initial_state})
        for (const Draw& draw : *draws)
            if (draw.varied()) size = std::min(size * grid_points(draw), largest_size + 1);
    return size;
}

GridAxis::GridAxis(const Draw& draw) : min_(draw.min), max_(draw.max), points_(grid_points(draw)) {
    if (draw.kind == Draw::Kind::log_uniform) log_ratio_ = std::log(max_) - std::log(min_);
    if (draw.points == 0 && !steps_between(min_, max_, draw.step).reach_max) step_ = draw.step;
}

double GridAxis::operator()(std::int64_t k) const {
    if (k == 0) return min_;
    const double number = static_cast<double>(k), intervals = static_cast<double>(points_ - 1);
    if (step_ > 0) return std::min(std::fma(number, step_, min_), max_);
    if (k == points_ - 1) return max_;
    if (log_ratio_ > 0) return std::clamp(times_exp(min_, number / intervals * log_ratio_), min_, max_);
    const double multiple = number * (max_ - min_);  // first, so that 0 to 1 in 10 intervals gives k/10 as typed
    const double offset = std::isfinite(multiple) ? multiple / intervals : number * ((max_ - min_) / intervals);
    return std::clamp(min_ + offset, min_, max_);
}

}  // namespace gradscape
