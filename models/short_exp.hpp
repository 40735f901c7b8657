// An exponential for right-hand sides.
#pragma once

#include "engine/real.hpp"

namespace gradscape::models {

/// e^x to 7e-16 relative; x counts as -708 below and as 709 above, so that the value is neither zero nor infinite. In Estrin's scheme and
/// without a division: with two of these in the right-hand side instead of `exp`, quintessence takes 0.7 of the time.
template <class T>
HOST_DEVICE_INLINE T short_exp(const T& x) {
    const T bounded = max(T(-708), min(T(709), x));  // in this order NaN stays NaN
    const T shifted = fma(bounded, T(1.4426950408889634), T(power_shift));
    const T n = shifted - T(power_shift);
    // x - n ln 2, the first product exact
    const T f = fma(n, T(-1.9082149292705877e-10), fma(n, T(-0.6931471803691238), bounded)), f2 = f * f, f4 = f2 * f2;
    // e^f for |f| <= ln(2)/2: the polynomial through it at the Chebyshev points of degree 10.
    const T c0 = fma(f, T(1.0000000000000067), T(1)), c2 = fma(f, T(0.16666666666554406), T(0.5000000000000006));
    const T c4 = fma(f, T(0.008333333385667782), T(0.04166666666657314)), c6 = fma(f, T(0.0001984117027043967), T(0.0013888888932488599));
    const T c8 = fma(f2, T(2.762635724158546e-07), fma(f, T(2.7640180796375797e-06), T(2.4801504346997354e-05)));
    const T low = fma(f4, fma(f2, c6, c4), fma(f2, c2, c0));
    return fma(f4 * f4, c8, low) * power_of_two(shifted);
}

}  // namespace gradscape::models
