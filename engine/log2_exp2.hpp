// log2, exp2 and the reciprocal for step-size control, shared by all processors, so that CPU and GPU choose the same steps bit for bit.
// As coarse as the control of steps allows, and in Estrin's scheme, because every step waits for them. Needs no standard header.
#pragma once

#include "engine/host_device.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// log2 of a positive number; absolute error below 8e-3, continuous. Zero and subnormal numbers count as a little below 2^-1022.
template <class T>
HOST_DEVICE_INLINE T log2_polynomial(const T& x) {
    const T m = mantissa_of(x);
    return fma(m, fma(m, T(-0.34655538594076), T(2.03966615782228)), exponent_of(x) - T(1.69311077188152));
}

/// factor 2^x for |x| below 1021; relative error below 3e-3, continuous.
template <class T>
HOST_DEVICE_INLINE T exp2_polynomial(const T& x, const T& factor) {
    const T shifted = x + T(power_shift);
    const T f = x - (shifted - T(power_shift));
    return fma(f, fma(f, T(0.23548892507574), T(0.70655745742977)), T(1.00096395487572)) * (factor * power_of_two(shifted));
}

/// 1/x for a positive normal x; relative error below 1.4e-3. Infinity gives minus infinity, so that an error measured with it is not
/// finite. A division would cost as much as a third of the whole step.
template <class T>
HOST_DEVICE_INLINE T reciprocal_polynomial(const T& x) {
    const T guess = reciprocal_guess(x);
    return guess * fma(-x, guess, T(2.0013084792));
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
