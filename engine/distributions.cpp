#include "engine/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace gradscape {
namespace {

/// x with erfc(x) = y, for 0 < y <= 1.
double inverse_erfc(double y) {
    using namespace boost::math::policies;
    return boost::math::erfc_inv(y, policy<promote_double<false>, overflow_error<ignore_error>, underflow_error<ignore_error>>());
}

double square(double x) { return x * x; }

}  // namespace

double times_exp(double base, double exponent) {
    const double root = std::exp(0.5 * exponent);
    return base * root * root;
}

double normal_below(double x, double mean, double sd) { return 0.5 * std::erfc(-(x - mean) / (sd * std::numbers::sqrt2)); }
double normal_above(double x, double mean, double sd) { return 0.5 * std::erfc((x - mean) / (sd * std::numbers::sqrt2)); }

double normal_between(const Draw& draw) {
    if (draw.min >= draw.mean) return normal_above(draw.min, draw.mean, draw.sd) - normal_above(draw.max, draw.mean, draw.sd);
    if (draw.max <= draw.mean) return normal_below(draw.max, draw.mean, draw.sd) - normal_below(draw.min, draw.mean, draw.sd);
    return 1 - normal_below(draw.min, draw.mean, draw.sd) - normal_above(draw.max, draw.mean, draw.sd);
}

InverseDistribution::InverseDistribution(const Draw& draw) : draw_(draw) {
    switch (draw.kind) {
        case Draw::Kind::log_uniform: a_ = std::log(draw.max) - std::log(draw.min); break;
        case Draw::Kind::power_law:
            a_ = std::log(draw.max) - std::log(draw.min);
            b_ = draw.exponent + 1;
            c_ = std::expm1(-std::abs(b_) * a_);
            break;
        case Draw::Kind::normal:
            a_ = normal_below(draw.min, draw.mean, draw.sd);
            b_ = normal_above(draw.max, draw.mean, draw.sd);
            c_ = normal_between(draw);
            break;
        case Draw::Kind::cosine:  // sin^2(angle/2) = (1 - cos(angle))/2 is uniform; it and cos^2 resolve both ends
            a_ = square(std::sin(0.5 * draw.min));
            b_ = square(std::cos(0.5 * draw.max));
            c_ = std::sin(0.5 * (draw.max - draw.min)) * std::sin(0.5 * (draw.max + draw.min));
            break;
        case Draw::Kind::uniform:
        case Draw::Kind::fixed:
        case Draw::Kind::from_model:
        case Draw::Kind::table: break;
    }
}

double InverseDistribution::operator()(std::uint64_t k) const {
    if (k == 0 && std::isfinite(draw_.min)) return draw_.min;
    constexpr double unit = 0x1p-53;
    const double u = static_cast<double>(k) * unit, rest = static_cast<double>((std::uint64_t{1} << uniform_bits) - k) * unit;  // exact
    double value = 0;
    switch (draw_.kind) {
        case Draw::Kind::uniform: value = draw_.min + u * (draw_.max - draw_.min); break;
        case Draw::Kind::log_uniform: value = times_exp(draw_.min, u * a_); break;
        case Draw::Kind::normal: value = normal(k); break;
        case Draw::Kind::cosine: value = 2 * std::atan2(std::sqrt(std::fma(u, c_, a_)), std::sqrt(std::fma(rest, c_, b_))); break;
        case Draw::Kind::power_law:
            // (x/max)^b = 1 + rest ((min/max)^b - 1) for b > 0, (x/min)^b = 1 + u ((max/min)^b - 1) for b < 0: neither power overflows.
            if (b_ > 0) value = times_exp(draw_.max, std::max(std::log1p(rest * c_) / b_, -a_));
            else if (b_ < 0) value = times_exp(draw_.min, std::min(std::log1p(u * c_) / b_, a_));
            else value = times_exp(draw_.min, u * a_);
            break;
        case Draw::Kind::fixed:
        case Draw::Kind::from_model:
        case Draw::Kind::table: break;
    }
    return std::clamp(value, draw_.min, draw_.max);
}

double InverseDistribution::normal(std::uint64_t k) const {
    constexpr double half_unit = 0x1p-54;
    constexpr std::uint64_t all = std::uint64_t{1} << uniform_bits;
    const double below = a_ + static_cast<double>(2 * k + 1) * half_unit * c_;
    if (below < 0.5) return draw_.mean - draw_.sd * std::numbers::sqrt2 * inverse_erfc(2 * below);
    const double above = b_ + static_cast<double>(2 * (all - k) - 1) * half_unit * c_;
    return draw_.mean + draw_.sd * std::numbers::sqrt2 * inverse_erfc(2 * std::min(above, 0.5));
}

}  // namespace gradscape
