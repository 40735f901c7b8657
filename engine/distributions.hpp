// The distributions that quantities are drawn from, by inversion: one uniform number in, one value out, increasing.
#pragma once

#include <cstdint>

#include "engine/ensemble.hpp"

namespace gradscape {

inline constexpr int uniform_bits = 53;  ///< a uniform number is k/2^53 with an integer k of 0..2^53 - 1

/// The top bits of 64 random or quasi-random bits.
constexpr std::uint64_t uniform_integer(std::uint64_t bits) { return bits >> (64 - uniform_bits); }

/// The inverse of a draw's distribution function. `draw` must be valid and of a kind that draws: uniform, log_uniform, normal, cosine or
/// power_law.
class InverseDistribution {
public:
    explicit InverseDistribution(const Draw& draw);

    /// The value at u = k/2^53. k = 0 gives a finite lower bound exactly; no value lies outside the bounds. A normal distribution takes
    /// u in the middle of its interval, (k + 1/2)/2^53, so that an unbounded one stays finite.
    double operator()(std::uint64_t k) const;

private:
    double normal(std::uint64_t k) const;

    Draw draw_;
    double a_ = 0, b_ = 0, c_ = 0;  // constants of the kind: log(max/min), probabilities, ...
};

/// base * exp(exponent), also where the exponential alone overflows.
double times_exp(double base, double exponent);

/// Probability that a normal variable lies below x, and above x; each accurate in its own tail.
double normal_below(double x, double mean, double sd);
double normal_above(double x, double mean, double sd);

/// Probability that the normal distribution of `draw` gives its interval min..max; accurate where both lie in one tail.
double normal_between(const Draw& draw);

}  // namespace gradscape
