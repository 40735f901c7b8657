// log2, exp2 and the reciprocal for step-size control, shared by all processors, so that CPU and GPU choose the same steps bit for bit.
// As coarse as the control of steps allows, and in Estrin's scheme, because every step waits for them. Needs no standard header.
#pragma once

#include "engine/host_device.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// log2 of a positive number; absolute error below 7e-4. Zero and subnormal numbers count as a little below 2^-1022.
template <class T>
HOST_DEVICE_INLINE T log2_polynomial(const T& x) {
    const T m = mantissa_of(x);
    const T q01 = fma(m, T(3.047884148), T(-2.15362071103)), q23 = fma(m, T(0.158248702765), T(-1.05187502245));
    return exponent_of(x) + fma(m * m, q23, q01);
}

/// factor 2^x for |x| below 1021; relative error below 8e-5.
template <class T>
HOST_DEVICE_INLINE T exp2_polynomial(const T& x, const T& factor) {
    const T shifted = x + T(power_shift);
    const T f = x - (shifted - T(power_shift));
    const T q01 = fma(f, T(0.693260985457), T(0.99992807354)), q23 = fma(f, T(0.0551716690749), T(0.242611122194));
    return fma(f * f, q23, q01) * (factor * power_of_two(shifted));
}

/// 1/x for a positive normal x; relative error below 1.4e-4. Infinity gives infinity, so that an error measured with it is not finite. A
/// division would cost as much as a third of the whole step.
template <class T>
HOST_DEVICE_INLINE T reciprocal_polynomial(const T& x) {
    const T guess = reciprocal_guess(x);
    const T e = fma(-x, guess, T(1));
    return fma(guess, fma(e, e, e), guess);  // guess (1 + e + e^2), and 1/x = guess / (1 - e)
}

/// 2^x at compile time.
constexpr double exp2_constant(double x) {
    double power = 1;
    for (; x >= 1; x -= 1) power *= 2;
    for (; x < 0; x += 1) power /= 2;
    double term = power, sum = 0;
    for (int n = 1; n < 30; ++n) {
        sum += term;
        term *= 0.6931471805599453 * x / n;
    }
    return sum;
}

}  // namespace gradscape
