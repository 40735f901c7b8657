#include "engine/latin_hypercube.hpp"

#include <cmath>

#include "engine/counter_random.hpp"
#include "engine/distributions.hpp"

namespace gradscape {
namespace {

KeyedPermutation::Keys keys(std::uint64_t seed, std::uint32_t dimension) {
    KeyedPermutation::Keys keys;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        keys[k] = random_bits(seed, RandomStream::latin_permutation, dimension, k);
        if (k % 2 == 0) keys[k] |= 1;  // a factor that tells all digits apart
    }
    return keys;
}

/// The upper 64 bits of a product.
std::uint64_t high_product(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{x} * y >> 64);
}

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint32_t n, const Keys& keys) : n_(n), key_count_(2 * (n < few ? rounds_of_few : rounds)), keys_(keys) {
    a_ = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))));
    b_ = (n + a_ - 1) / a_;
}

LatinDimension::LatinDimension(std::uint64_t seed, std::uint32_t dimension, std::int64_t n)
    : seed_(seed), dimension_(dimension), n_(static_cast<std::uint64_t>(n)), quotient_((std::uint64_t{1} << uniform_bits) / n_),
      remainder_((std::uint64_t{1} << uniform_bits) % n_), permutation_(static_cast<std::uint32_t>(n), keys(seed, dimension)) {}

std::uint64_t LatinDimension::coordinate(std::uint32_t part, std::uint64_t i) const {
    // Part s is s 2^53/n <= k < (s + 1) 2^53/n: whole numbers throughout, so no coordinate is rounded into the part beside it.
    const std::uint64_t s = part;
    const std::uint64_t whole = s * remainder_ / n_, rest = s * remainder_ - whole * n_;
    const std::uint64_t first = whole + (rest > 0 ? 1 : 0);
    const std::uint64_t next = whole + (rest + remainder_ > n_ ? 2 : rest + remainder_ > 0 ? 1 : 0);
    return s * quotient_ + first + high_product(random_bits(seed_, RandomStream::latin_place, dimension_, i), quotient_ + next - first);
}

}  // namespace gradscape
