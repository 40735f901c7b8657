// How far the members of an ensemble lie apart at the last save time, in the observables that the model's description names (SpreadInfo):
// the length and the width of a stream on the sky, say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// From the 5th to the 95th percentile. With a period, values are taken on the side of the circle where their mean direction is.
/// NaN for fewer than 20 values.
double extent(std::span<const double> values, double period = 0);

/// 1.4826 times the median distance of `values` from their running median along `along`, which is the standard deviation where they are
/// normal; the track is linear between the medians of neighbouring values. NaN for fewer than 100 pairs.
double width_about_track(std::span<const double> values, std::span<const double> along, double period_of_along = 0);

/// Collects chunks, which must arrive in the order of their members; those with the status ok count. Beyond 2^18 members every 2nd, 4th,
/// ... is kept, so that the memory is bounded; the result doesn't depend on where one chunk ends and the next begins.
class SpreadCollector {
public:
    /// With groups, the result is the median over the groups that have enough members.
    explicit SpreadCollector(const ModelDescription& model, const GroupRequest& groups = {});
    void add(const EnsembleChunk& chunk);

    /// One number per spread of the model, in the unit of its observable.
    std::vector<double> result() const;

private:
    /// The values of one observable.
    struct Column {
        std::size_t observable;
        std::vector<double> values;
    };
    const std::vector<double>& values(const char* observable) const;
    double spread_of(const SpreadInfo& spread, std::size_t first, std::size_t last) const;

    const ModelDescription& model_;
    const GroupRequest groups_;
    std::vector<Column> columns_;
    std::int64_t stride_ = 1;
};

}  // namespace gradscape
