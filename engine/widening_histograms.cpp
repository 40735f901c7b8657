#include "engine/widening_histograms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/statistics.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double largest_range = 1e300;  // beyond, ranges overflow; such values are counted here

}  // namespace

WideningHistograms::WideningHistograms(std::size_t rows, std::size_t bins)
    : bins_(bins),
      most_outside_(std::max<std::size_t>(bins / 32, 4)),
      low_(rows, missing),
      width_(rows, missing),
      inverse_width_(rows, missing),
      smallest_(rows, std::numeric_limits<double>::infinity()),
      largest_(rows, -std::numeric_limits<double>::infinity()),
      bin_(rows),
      counts_(rows * bins),
      outside_(rows) {}

void WideningHistograms::begin(std::size_t row, std::span<double> values) {
    const auto last = std::partition(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    const std::span<double> finite(values.begin(), last);
    if (finite.size() > most_outside_) set_range(row, finite);
    for (const double value : finite) count_one(row, value);
}

void WideningHistograms::add(const double* values) {
    const std::size_t rows = low_.size();
    // Without branches, so that it runs over rows in vector registers.
    for (std::size_t row = 0; row < rows; ++row) bin_[row] = bin_of(row, values[row]);
    for (std::size_t row = 0; row < rows; ++row) {
        smallest_[row] = values[row] < smallest_[row] ? values[row] : smallest_[row];
        largest_[row] = values[row] > largest_[row] ? values[row] : largest_[row];
    }
    std::uint32_t* counts = counts_.data();
    for (std::size_t row = 0; row < rows; ++row, counts += bins_) {
        if (bin_[row] >= 0)
            ++counts[bin_[row]];
        else if (std::isfinite(values[row]))
            add_outside(row, values[row]);
    }
}

/// -1 outside the range, and for values that aren't finite.
std::int32_t WideningHistograms::bin_of(std::size_t row, double value) const {
    const double position = (value - low_[row]) * inverse_width_[row];
    const double inside = position < static_cast<double>(bins_) ? position : -1.0;
    return static_cast<std::int32_t>(inside >= 0 ? inside : -1.0);
}

void WideningHistograms::count_one(std::size_t row, double value) {
    smallest_[row] = std::min(smallest_[row], value);
    largest_[row] = std::max(largest_[row], value);
    const std::int32_t bin = bin_of(row, value);
    if (bin >= 0)
        ++counts_[row * bins_ + static_cast<std::size_t>(bin)];
    else
        add_outside(row, value);
}

void WideningHistograms::add_outside(std::size_t row, double value) {
    std::vector<double>& outside = outside_[row];
    outside.push_back(std::clamp(value, -largest_range, largest_range));
    if (outside.size() <= most_outside_) return;
    if (std::isnan(low_[row])) set_range(row, outside);
    absorb(row);
    while (outside.size() > most_outside_ / 2) {
        const auto above = std::count_if(outside.begin(), outside.end(), [&](double x) { return x >= low_[row]; });
        widen(row, 2 * above >= static_cast<std::ptrdiff_t>(outside.size()));
        absorb(row);
    }
}

// The middle nine tenths and as much again on either side, but not more than there are values for.
void WideningHistograms::set_range(std::size_t row, std::span<double> values) {
    const auto bounded = [](double x) { return std::clamp(x, -largest_range, largest_range); };
    const double a = bounded(quantile(values, 0.05)), b = bounded(quantile(values, 0.95));
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    double spread = b - a;
    if (spread == 0) spread = std::max(std::ldexp(std::fabs(a), -40), 1e-290);
    const double low = std::max(a - spread, *min - spread / 8), high = std::min(b + spread, *max + spread / 8);
    low_[row] = low;
    width_[row] = (high - low) / static_cast<double>(bins_);
    inverse_width_[row] = 1 / width_[row];
}

void WideningHistograms::widen(std::size_t row, bool upwards) {
    std::uint32_t* const counts = counts_.data() + row * bins_;
    const std::size_t half = bins_ / 2;
    for (std::size_t i = 0; i < half; ++i) counts[i] = counts[2 * i] + counts[2 * i + 1];
    std::fill_n(counts + half, half, 0);
    if (!upwards) {
        std::copy_n(counts, half, counts + half);
        std::fill_n(counts, half, 0);
        low_[row] -= width_[row] * static_cast<double>(bins_);
    }
    width_[row] *= 2;
    inverse_width_[row] = 1 / width_[row];
}

void WideningHistograms::absorb(std::size_t row) {
    std::erase_if(outside_[row], [&](double value) {
        const std::int32_t bin = bin_of(row, value);
        if (bin >= 0) ++counts_[row * bins_ + static_cast<std::size_t>(bin)];
        return bin >= 0;
    });
}

std::vector<double> WideningHistograms::quantiles(std::size_t row, std::span<const double> levels) const {
    std::vector<double> outside = outside_[row];
    std::sort(outside.begin(), outside.end());
    std::vector<double> result;
    if (std::isnan(low_[row])) {
        for (const double level : levels) result.push_back(quantile(outside, level));
        return result;
    }
    const std::uint32_t* const counts = counts_.data() + row * bins_;
    const std::size_t inside = std::accumulate(counts, counts + bins_, std::size_t{0});
    const auto below = static_cast<std::size_t>(std::lower_bound(outside.begin(), outside.end(), low_[row]) - outside.begin());
    // Values within a bin are taken as evenly spread over it.
    const auto order_statistic = [&](std::size_t rank) {
        if (rank < below) return outside[rank];
        if (rank >= below + inside) return outside[rank - inside];
        std::size_t bin = 0, first = below;
        while (rank >= first + counts[bin]) first += counts[bin++];
        const double within = (static_cast<double>(rank - first) + 0.5) / counts[bin];
        return std::clamp(low_[row] + width_[row] * (static_cast<double>(bin) + within), smallest_[row], largest_[row]);
    };
    for (const double level : levels) {
        const double position = level * static_cast<double>(inside + outside.size() - 1);
        const auto rank = static_cast<std::size_t>(position);
        const double fraction = position - static_cast<double>(rank);
        const double value = order_statistic(rank);
        result.push_back(fraction == 0 ? value : std::lerp(value, order_statistic(rank + 1), fraction));
    }
    return result;
}

double WideningHistograms::bin_width(std::size_t row) const { return std::isnan(low_[row]) ? 0 : width_[row]; }

}  // namespace gradscape
