#include "engine/sobol_sequence.hpp"

#include <boost/random/sobol.hpp>

namespace gradscape {

SobolSequence::SobolSequence(int dimension) : direction_numbers_(std::size_t{64} * static_cast<std::size_t>(dimension)) {
    const auto dimensions = static_cast<std::size_t>(dimension);
    boost::random::sobol engine(dimensions);
    for (unsigned bit = 0; bit < 63; ++bit) {
        // The point whose index has the Gray code 2^bit is 2^(bit+1) - 1: its coordinates are the direction numbers themselves.
        engine.seed((std::uint64_t{2} << bit) - 2);
        for (std::size_t d = 0; d < dimensions; ++d) direction_numbers_[64 * d + bit] = engine();
    }
}

}  // namespace gradscape
