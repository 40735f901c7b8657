// log2, exp2 and the reciprocal for step-size control, shared by all processors, so that CPU and GPU choose the same steps bit for bit.
// Needs no standard header.
#pragma once

#include "engine/host_device.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// log2 of a positive normal number; absolute error below 5e-8.
template <class T>
HOST_DEVICE_INLINE T log2_polynomial(const T& x) {
    const T mantissa = mantissa_of(x);
    const auto upper = mantissa > T(1.4142135623730951);
    const T u = select(upper, mantissa * T(0.5), mantissa) - T(1);
    // Estrin's scheme: the step waits for this result.
    const T u2 = u * u, u4 = u2 * u2;
    const T q01 = fma(u, T(-0.721357122707), T(1.44269477357)), q23 = fma(u, T(-0.360088058569), T(0.480939377811));
    const T q45 = fma(u, T(-0.250062206833), T(0.286708890567)), q67 = fma(u, T(-0.145751678521), T(0.236880192812));
    const T q = fma(u4, fma(u2, q67, q45), fma(u2, q23, q01));
    return fma(q, u, exponent_of(x) + select(upper, T(1), T(0)));
}

/// 2^x for |x| below 1022; relative error below 8e-8.
template <class T>
HOST_DEVICE_INLINE T exp2_polynomial(const T& x) {
    const T whole = nearest_whole(x);
    const T f = x - whole;
    const T f2 = f * f;
    const T q01 = fma(f, T(0.693146967027), T(1.00000007165)), q23 = fma(f, T(0.0555071333553), T(0.240221197278));
    const T q45 = fma(f, T(0.00132764519394), T(0.00967554117427));
    const T q = fma(f2, fma(f2, q45, q23), q01);
    return q * power_of_two(whole);
}

/// 1/x for a positive normal x; relative error below 7e-6. A division would cost as much as a third of the whole step.
template <class T>
HOST_DEVICE_INLINE T reciprocal_newton(const T& x) {
    T r = reciprocal_guess(x);
    r = fma(r, fma(T(0) - x, r, T(1)), r);
    return fma(r, fma(T(0) - x, r, T(1)), r);
}

}  // namespace gradscape
