// Quantiles of a stream in bounded memory: one histogram per row that doubles its range when values fall outside. The counts stay
// exact, so a quantile is wrong by less than the bin's width. A few values far outside are kept as they are, so that one runaway
// member doesn't make the bins too wide for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gradscape {

class WideningHistograms {
public:
    /// `bins` per row, even. Counts are 32 bits wide: at most 4e9 values per row.
    WideningHistograms(std::size_t rows, std::size_t bins);

    /// First values of a row, which decide where its range begins; they are counted. Reordered.
    void begin(std::size_t row, std::span<double> values);

    /// One value per row; values that aren't finite are not counted.
    void add(const double* values);

    /// Type 7 as quantile() in engine/statistics.hpp, each within bin_width() of the exact one; NaN when the row has no values.
    std::vector<double> quantiles(std::size_t row, std::span<const double> levels) const;
    double bin_width(std::size_t row) const;  ///< 0 while all values of the row are kept as they are

private:
    void add_outside(std::size_t row, double value);
    void set_range(std::size_t row, std::span<double> values);
    void widen(std::size_t row, bool upwards);
    void absorb(std::size_t row);
    std::int32_t bin_of(std::size_t row, double value) const;
    void count_one(std::size_t row, double value);

    std::size_t bins_, most_outside_;
    std::vector<double> low_, width_, inverse_width_;  // [row]; NaN until there are enough values. Width of one bin
    std::vector<double> smallest_, largest_;           // [row], of all values: equal values have exactly that value as quantile
    std::vector<std::int32_t> bin_;                    // [row], scratch of add()
    std::vector<std::uint32_t> counts_;                // [row][bin]
    std::vector<std::vector<double>> outside_;         // [row], values outside the range
};

}  // namespace gradscape
