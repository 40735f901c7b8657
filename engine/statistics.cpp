#include "engine/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "engine/widening_histograms.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t n_levels = std::size(quantile_levels);

// Members whose values decide where a histogram begins.
constexpr std::uint64_t first_members = 1024;

bool finite(double x) { return x - x == 0; }

/// What a collector may keep per component.
struct Capacity {
    std::size_t rows;
    std::size_t buffered_members;  ///< values of so many members are kept before histograms take over
    std::size_t bins;
};

/// Moments and quantiles of one component whose values lie on a line.
class LinearAccumulator {
public:
    explicit LinearAccumulator(const Capacity& capacity)
        : capacity_(capacity), count_(capacity.rows), mean_(capacity.rows), m2_(capacity.rows) {}

    /// [member][row]
    void add(const double* values, std::size_t members) {
        const std::size_t rows = capacity_.rows;
        for (std::size_t m = 0; m < members; ++m) {
            const double* member = values + m * rows;
            add_moments(member);
            if (!histograms_) {
                if (buffer_.size() < capacity_.buffered_members * rows) {
                    if (buffer_.empty()) buffer_.reserve(capacity_.buffered_members * rows);
                    buffer_.insert(buffer_.end(), member, member + rows);
                    continue;
                }
                begin_histograms();
            }
            histograms_->add(member);
        }
    }

    ComponentStatistics result() const {
        const std::size_t rows = capacity_.rows;
        ComponentStatistics statistics;
        statistics.quantiles.resize(n_levels * rows);
        statistics.mean.assign(rows, missing);
        statistics.standard_deviation.assign(rows, missing);
        statistics.count.assign(count_.begin(), count_.end());
        statistics.exact = !histograms_;
        if (histograms_) statistics.bin_width.resize(rows);
        std::vector<double> column;
        for (std::size_t row = 0; row < rows; ++row) {
            if (count_[row] > 0) statistics.mean[row] = mean_[row];
            if (count_[row] > 1) statistics.standard_deviation[row] = std::sqrt(m2_[row] / (count_[row] - 1));
            if (histograms_) {
                const auto values = histograms_->quantiles(row, quantile_levels);
                for (std::size_t level = 0; level < n_levels; ++level) statistics.quantiles[level * rows + row] = values[level];
                statistics.bin_width[row] = histograms_->bin_width(row);
            } else {
                buffered_column(row, column);
                for (std::size_t level = 0; level < n_levels; ++level)
                    statistics.quantiles[level * rows + row] = quantile(column, quantile_levels[level]);
            }
        }
        return statistics;
    }

private:
    // Welford (1962), without branches so that it runs over rows in vector registers.
    void add_moments(const double* member) {
        double* const count = count_.data();
        double* const mean = mean_.data();
        double* const m2 = m2_.data();
        for (std::size_t row = 0; row < capacity_.rows; ++row) {
            const double value = member[row];
            const bool counts = finite(value);
            const double n = count[row] + (counts ? 1.0 : 0.0);
            const double difference = value - mean[row];
            const double moved = mean[row] + difference / n;
            m2[row] = counts ? m2[row] + difference * (value - moved) : m2[row];
            mean[row] = counts ? moved : mean[row];
            count[row] = n;
        }
    }

    void buffered_column(std::size_t row, std::vector<double>& column) const {
        column.clear();
        for (std::size_t i = row; i < buffer_.size(); i += capacity_.rows) column.push_back(buffer_[i]);
    }

    void begin_histograms() {
        histograms_.emplace(capacity_.rows, capacity_.bins);
        std::vector<double> column;
        for (std::size_t row = 0; row < capacity_.rows; ++row) {
            buffered_column(row, column);
            histograms_->begin(row, column);
        }
        buffer_ = {};
    }

    Capacity capacity_;
    std::vector<double> count_, mean_, m2_;  // [row]; counts as double, exact to 2^53
    std::vector<double> buffer_;             // [member][row]
    std::optional<WideningHistograms> histograms_;
};

/// Mean direction and its scatter of one component whose values lie on a circle.
class CircularAccumulator {
public:
    CircularAccumulator(std::size_t rows, double period)
        : period_(period), count_(rows), cos_(rows), sin_(rows), smallest_(rows, std::numeric_limits<double>::infinity()) {}

    void add(const double* values, std::size_t members) {
        const std::size_t rows = count_.size();
        const double to_radians = 2 * std::numbers::pi / period_;
        for (std::size_t m = 0; m < members; ++m)
            for (std::size_t row = 0; row < rows; ++row) {
                const double value = values[m * rows + row];
                if (!finite(value)) continue;
                ++count_[row];
                cos_[row] += std::cos(value * to_radians);
                sin_[row] += std::sin(value * to_radians);
                smallest_[row] = std::min(smallest_[row], value);
            }
    }

    ComponentStatistics result() const {
        const std::size_t rows = count_.size();
        const double from_radians = period_ / (2 * std::numbers::pi);
        ComponentStatistics statistics;
        statistics.quantiles.assign(n_levels * rows, missing);
        statistics.mean.assign(rows, missing);
        statistics.standard_deviation.assign(rows, missing);
        statistics.count = count_;
        for (std::size_t row = 0; row < rows; ++row) {
            if (count_[row] == 0) continue;
            const double mean = std::atan2(sin_[row], cos_[row]) * from_radians;
            statistics.mean[row] = mean < 0 && smallest_[row] >= 0 ? mean + period_ : mean;
            const double resultant = std::hypot(cos_[row], sin_[row]) / static_cast<double>(count_[row]);
            if (count_[row] > 1) statistics.standard_deviation[row] = std::sqrt(-2 * std::log(std::min(resultant, 1.0))) * from_radians;
        }
        return statistics;
    }

private:
    double period_;
    std::vector<std::int64_t> count_;
    std::vector<double> cos_, sin_, smallest_;
};

/// Finite values to the front; how many there are.
std::size_t gather_finite(std::span<double> values) {
    return static_cast<std::size_t>(std::partition(values.begin(), values.end(), finite) - values.begin());
}

}  // namespace

double quantile(std::span<double> values, double level) {
    const std::size_t n = gather_finite(values);
    if (n == 0) return missing;
    const double position = std::clamp(level, 0.0, 1.0) * static_cast<double>(n - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(n);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), at, end);
    const double fraction = position - static_cast<double>(below);
    if (fraction == 0 || at + 1 == end) return *at;
    return std::lerp(*at, *std::min_element(at + 1, end), fraction);
}

Percentiles percentiles(std::span<const double> values, std::span<const double> levels) {
    std::vector<double> copy(values.begin(), values.end());
    Percentiles result;
    result.of = static_cast<std::int64_t>(values.size());
    result.covered = static_cast<std::int64_t>(gather_finite(copy));
    for (const double level : levels) {
        result.levels.push_back(level);
        result.values.push_back(quantile(copy, level));
    }
    return result;
}

struct StatisticsCollector::Accumulators {
    std::size_t rows;
    std::vector<LinearAccumulator> states, linear_observables;
    std::vector<CircularAccumulator> circular_observables;
    std::vector<bool> circular;  // per observable: which of the two lists holds it, in order

    void add_observables(const EnsembleChunk& chunk) {
        const auto members = static_cast<std::size_t>(chunk.count);
        auto line = linear_observables.begin();
        auto circle = circular_observables.begin();
        for (std::size_t i = 0; i < circular.size(); ++i) {
            const double* values = chunk.observables.data() + i * members * rows;
            if (circular[i])
                (circle++)->add(values, members);
            else
                (line++)->add(values, members);
        }
    }
};

StatisticsCollector::StatisticsCollector(const ModelDescription& model, std::int64_t members, std::int64_t rows, bool states,
                                         bool observables, std::uint64_t memory_budget)
    : accumulators_(std::make_unique<Accumulators>()) {
    Accumulators& a = *accumulators_;
    a.rows = static_cast<std::size_t>(rows);
    if (observables)
        for (const ObservableInfo& observable : model.observables) a.circular.push_back(observable.period > 0);
    const auto on_a_line = static_cast<std::uint64_t>(std::count(a.circular.begin(), a.circular.end(), false));
    const std::uint64_t linear = (states ? model.states.size() : 0) + on_a_line;
    const std::uint64_t cells = std::max<std::uint64_t>(1, linear * a.rows);
    const std::uint64_t fit = memory_budget / (sizeof(double) * cells);
    const auto wanted = static_cast<std::uint64_t>(members);
    Capacity capacity{};
    capacity.rows = a.rows;
    capacity.buffered_members = wanted <= fit ? wanted : std::clamp<std::uint64_t>(fit, 16, first_members);
    capacity.bins = 2 * std::clamp<std::uint64_t>(memory_budget / (2 * sizeof(std::uint32_t) * cells), 16, 512);
    if (states) a.states.assign(model.states.size(), LinearAccumulator(capacity));
    a.linear_observables.assign(on_a_line, LinearAccumulator(capacity));
    for (std::size_t i = 0; i < a.circular.size(); ++i)
        if (a.circular[i]) a.circular_observables.emplace_back(a.rows, model.observables[i].period);
}

StatisticsCollector::~StatisticsCollector() = default;

void StatisticsCollector::add(const EnsembleChunk& chunk) {
    Accumulators& a = *accumulators_;
    const auto members = static_cast<std::size_t>(chunk.count);
    for (std::size_t d = 0; d < a.states.size(); ++d) a.states[d].add(chunk.states.data() + d * members * a.rows, members);
    a.add_observables(chunk);
}

EnsembleStatistics StatisticsCollector::result() const {
    const Accumulators& a = *accumulators_;
    EnsembleStatistics statistics;
    for (const LinearAccumulator& state : a.states) statistics.states.push_back(state.result());
    auto line = a.linear_observables.begin();
    auto circle = a.circular_observables.begin();
    for (const bool circular : a.circular) statistics.observables.push_back(circular ? (circle++)->result() : (line++)->result());
    return statistics;
}

}  // namespace gradscape
