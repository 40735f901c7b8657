// Sobol's sequence by index: any point without the points before it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace gradscape {

/// Point 0 is the zero point; point i >= 1 is element i - 1 of Boost.Random's sobol, whose direction numbers (Joe & Kuo 2008) it uses.
class SobolSequence {
public:
    static constexpr int largest_dimension = 3667;

    explicit SobolSequence(int dimension);  ///< 1..largest_dimension

    /// Coordinate of a point as a fraction of 2^64: the XOR of the direction numbers that the bits of the index' Gray code select.
    std::uint64_t coordinate(std::uint64_t index, int dimension) const {
        const std::uint64_t* const numbers = direction_numbers_.data() + std::size_t{64} * static_cast<std::size_t>(dimension);
        std::uint64_t fraction = 0;
        for (std::uint64_t gray = index ^ (index >> 1); gray != 0; gray &= gray - 1) fraction ^= numbers[std::countr_zero(gray)];
        return fraction;
    }

private:
    std::vector<std::uint64_t> direction_numbers_;  // [dimension][bit]
};

}  // namespace gradscape
