// Running statistics over members, per component and row: count, mean, standard deviation and quantiles in memory that doesn't grow
// with the number of members. Quantiles are exact while all values fit into the budget, otherwise from histograms that widen as
// values arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// Linear interpolation between order statistics (Hyndman & Fan 1996, type 7) of the finite values; NaN when there are none.
/// `values` is reordered.
double quantile(std::span<double> values, double level);
Percentiles percentiles(std::span<const double> values, std::span<const double> levels);  ///< covered = finite values, of = all

inline constexpr double quantile_levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
inline constexpr double error_levels[] = {0.5, 0.9, 0.99, 1};

/// Statistics of one component: a state or an observable.
struct ComponentStatistics {
    std::vector<double> quantiles;      ///< [level][row]; NaN where count = 0
    std::vector<double> mean, standard_deviation;  ///< [row]; the sample's (n - 1); circular mean and deviation for circular observables
    std::vector<std::int64_t> count;    ///< [row], finite values
    bool exact = true;
    std::vector<double> bin_width;      ///< [row], bound on the quantiles' error when not exact; empty when exact
};

struct EnsembleStatistics {
    std::vector<ComponentStatistics> states, observables;
};

/// Collects chunks, which must arrive in the order of their members. The result doesn't depend on where one chunk ends and the next
/// begins. Circular observables (period > 0) get no quantiles (NaN), but a circular mean and the circular deviation sqrt(-2 ln R) in
/// their own unit; the mean lies in 0..period where no value is negative, else in -period/2..period/2.
class StatisticsCollector {
public:
    /// `memory_budget` in bytes is for quantiles, values or histograms; beside it the result itself needs about ten numbers per
    /// component and row. Histograms have 1024 bins, fewer (at least 32) where components x rows is so large that the budget asks it.
    StatisticsCollector(const ModelDescription& model, std::int64_t members, std::int64_t rows, bool states, bool observables,
                        std::uint64_t memory_budget = 64u << 20);
    ~StatisticsCollector();
    void add(const EnsembleChunk& chunk);
    EnsembleStatistics result() const;

private:
    struct Accumulators;
    std::unique_ptr<Accumulators> accumulators_;
};

}  // namespace gradscape
