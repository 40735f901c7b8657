#include "engine/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/statistics.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_values = std::size_t{1} << 18;
constexpr std::size_t least_values = 20;  // a twentieth on either side is at least one
constexpr std::size_t pairs_per_median = 50, most_medians = 200;

double median(std::vector<double> values) { return quantile(values, 0.5); }

/// On a circle: differences from the mean direction, within half a period.
std::vector<double> unwrapped(std::span<const double> values, double period) {
    std::vector<double> line(values.begin(), values.end());
    if (period == 0) return line;
    const double to_radians = 2 * std::numbers::pi / period;
    double cosine = 0, sine = 0;
    for (const double value : values) {
        cosine += std::cos(value * to_radians);
        sine += std::sin(value * to_radians);
    }
    const double mean = std::atan2(sine, cosine) / to_radians;
    for (double& value : line) value = std::remainder(value - mean, period);
    return line;
}

}  // namespace

double extent(std::span<const double> values, double period) {
    if (values.size() < least_values) return missing;
    std::vector<double> line = unwrapped(values, period);
    return quantile(line, 0.95) - quantile(line, 0.05);
}

double width_about_track(std::span<const double> values, std::span<const double> along, double period_of_along) {
    const std::size_t n = values.size();
    if (n < 2 * pairs_per_median) return missing;
    const std::vector<double> x = unwrapped(along, period_of_along);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : a < b; });

    const std::size_t medians = std::min(n / pairs_per_median, most_medians);
    std::vector<double> track_x, track_y;
    for (std::size_t i = 0; i < medians; ++i) {
        std::vector<double> xs, ys;
        for (std::size_t k = i * n / medians; k < (i + 1) * n / medians; ++k) {
            xs.push_back(x[order[k]]);
            ys.push_back(values[order[k]]);
        }
        track_x.push_back(median(std::move(xs)));
        track_y.push_back(median(std::move(ys)));
    }
    std::vector<double> distance;
    for (std::size_t i = 0; i < n; ++i) {
        double track = track_y[0];
        if (medians > 1) {
            const auto after = std::upper_bound(track_x.begin() + 1, track_x.end() - 1, x[i]) - track_x.begin();
            const auto k = static_cast<std::size_t>(after);
            const double length = track_x[k] - track_x[k - 1];
            track = length > 0 ? std::lerp(track_y[k - 1], track_y[k], (x[i] - track_x[k - 1]) / length) : track_y[k];
        }
        distance.push_back(std::abs(values[i] - track));
    }
    constexpr double normal = 1.482602218505602;  // standard deviation against median distance
    return normal * median(std::move(distance));
}

SpreadCollector::SpreadCollector(const ModelDescription& model, const GroupRequest& groups) : model_(model), groups_(groups) {
    for (const SpreadInfo& spread : model.spreads)
        for (const char* name : {spread.observable, spread.along})
            if (const int i = ModelDescription::index_of(model.observables, name); i >= 0) {
                const auto observable = static_cast<std::size_t>(i);
                if (std::none_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.observable == observable; }))
                    columns_.push_back({observable, {}});
            }
}

void SpreadCollector::add(const EnsembleChunk& chunk) {
    if (columns_.empty() || chunk.observables.empty() || chunk.rows == 0) return;
    const auto count = static_cast<std::size_t>(chunk.count), rows = static_cast<std::size_t>(chunk.rows);
    for (std::size_t m = 0; m < count; ++m) {
        if ((chunk.first + static_cast<std::int64_t>(m)) % stride_ != 0) continue;
        for (Column& column : columns_)
            column.values.push_back(chunk.status[m] == Status::ok ? chunk.observables[((column.observable * count) + m) * rows + rows - 1]
                                                                  : missing);
        if (columns_.front().values.size() < most_values) continue;
        for (Column& column : columns_) {
            for (std::size_t i = 0; 2 * i < column.values.size(); ++i) column.values[i] = column.values[2 * i];
            column.values.resize((column.values.size() + 1) / 2);
        }
        stride_ *= 2;
    }
}

const std::vector<double>& SpreadCollector::values(const char* observable) const {
    const auto index = static_cast<std::size_t>(ModelDescription::index_of(model_.observables, observable));
    return std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.observable == index; })->values;
}

/// Of the values first..last-1; NaN where they are too few.
double SpreadCollector::spread_of(const SpreadInfo& spread, std::size_t first, std::size_t last) const {
    const auto period = [&](const char* name) {
        return model_.observables[static_cast<std::size_t>(ModelDescription::index_of(model_.observables, name))].period;
    };
    std::vector<double> value, along;
    const std::vector<double>& values_of = values(spread.observable);
    const bool width = spread.kind == SpreadInfo::Kind::width;
    for (std::size_t i = first; i < last; ++i) {
        if (!std::isfinite(values_of[i])) continue;
        value.push_back(values_of[i]);
        if (width) along.push_back(values(spread.along)[i]);
    }
    if (value.empty()) return missing;
    return width ? width_about_track(value, along, period(spread.along)) : extent(value, period(spread.observable));
}

std::vector<double> SpreadCollector::result() const {
    const std::size_t count = columns_.empty() ? 0 : columns_.front().values.size();
    std::vector<double> all;
    for (const SpreadInfo& spread : model_.spreads) {
        if (groups_.count <= 1) {
            all.push_back(spread_of(spread, 0, count));
            continue;
        }
        std::vector<double> of_groups;
        for (std::size_t first = 0; first < count;) {
            const auto group = [&](std::size_t i) { return groups_.index_of(static_cast<std::int64_t>(i) * stride_); };
            std::size_t last = first + 1;
            while (last < count && group(last) == group(first)) ++last;
            if (const double value = spread_of(spread, first, last); std::isfinite(value)) of_groups.push_back(value);
            first = last;
        }
        all.push_back(of_groups.empty() ? missing : median(std::move(of_groups)));
    }
    return all;
}

}  // namespace gradscape
