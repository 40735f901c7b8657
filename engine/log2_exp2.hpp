// log2 and exp2 for step-size control: polynomials shared by all processors, so that CPU and GPU choose the same steps bit for bit.
// Needs no standard header.
#pragma once

#include "engine/host_device.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// log2 of a positive normal number; absolute error below 5e-8.
template <class T>
HOST_DEVICE inline T log2_polynomial(const T& x) {
    const T mantissa = mantissa_of(x);
    const auto upper = mantissa > T(1.4142135623730951);
    const T u = select(upper, mantissa * T(0.5), mantissa) - T(1);
    T q = T(-0.145751678521);
    q = fma(q, u, T(0.236880192812));
    q = fma(q, u, T(-0.250062206833));
    q = fma(q, u, T(0.286708890567));
    q = fma(q, u, T(-0.360088058569));
    q = fma(q, u, T(0.480939377811));
    q = fma(q, u, T(-0.721357122707));
    q = fma(q, u, T(1.44269477357));
    return fma(q, u, exponent_of(x) + select(upper, T(1), T(0)));
}

/// 2^x for |x| below 1022; relative error below 8e-8.
template <class T>
HOST_DEVICE inline T exp2_polynomial(const T& x) {
    const T whole = nearest_whole(x);
    const T f = x - whole;
    T q = T(0.00132764519394);
    q = fma(q, f, T(0.00967554117427));
    q = fma(q, f, T(0.0555071333553));
    q = fma(q, f, T(0.240221197278));
    q = fma(q, f, T(0.693146967027));
    q = fma(q, f, T(1.00000007165));
    return q * power_of_two(whole);
}

}  // namespace gradscape
