// Step-size control: Hairer's PI controller and first step. No branches; needs no standard header.
// Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, sections II.4; Hairer & Wanner II, section IV.2.
#pragma once

#include "engine/host_device.hpp"
#include "engine/log2_exp2.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// The PI controller for a method whose error estimate behaves like h^power, with the constants of DOPRI5. All errors are those of
/// step(): squared.
template <int power>
struct PiController {
    static constexpr double beta = 0.04;
    static constexpr double exponent = 1.0 / power - 0.75 * beta;
    static constexpr double log2_safety = -0.15200309344504997;     // log2(0.9)
    static constexpr double log2_grow = 3.3219280948873622;         // log2(10), largest growth of a step
    static constexpr double log2_shrink = -2.3219280948873622;      // log2(0.2), largest cut
    static constexpr double log2_error_floor = -26.575424759098897; // log2(1e-4^2), and the error before the first step
    /// The error at which the largest cut is reached; it counts for all larger ones and for NaN.
    static constexpr double largest_error = exp2_constant(2 * (log2_safety - log2_shrink) / exponent);

    template <class T>
    HOST_DEVICE_INLINE static T log2_error(const T& error_squared) {
        return log2_polynomial(min(error_squared, T(largest_error)));
    }

    /// The step to try after h, `accepted` or not. `log2_before` belongs to the last accepted step; `log2_most` limits the growth: log2_grow
    /// after an accepted step, 0 after a rejected one, so that a step which is accepted right after a rejected try doesn't grow.
    template <class T, class MaskOfT>
    HOST_DEVICE_INLINE static T next_step(const T& h, const T& log2_error, const T& log2_before, const T& log2_most,
                                          const MaskOfT& accepted) {
        const T base = select(accepted, fma(T(0.5 * beta), log2_before, T(log2_safety)), T(log2_safety));
        return exp2_polynomial(min(fma(T(-0.5 * exponent), log2_error, base), log2_most), h);
    }
    /// The same after an accepted step.
    template <class T>
    HOST_DEVICE_INLINE static T next_step(const T& h, const T& log2_error, const T& log2_before, const T& log2_most) {
        const T base = fma(T(0.5 * beta), log2_before, T(log2_safety));
        return exp2_polynomial(min(fma(T(-0.5 * exponent), log2_error, base), log2_most), h);
    }
};

/// Root mean square of v_d / scale_d.
template <class T>
HOST_DEVICE_INLINE T scaled_norm(const T* v, const T* scale, int dimension) {
    T sum = T(0);
    for (int d = 0; d < dimension; ++d) {
        const T ratio = v[d] * reciprocal_polynomial(scale[d]);
        sum = fma(ratio, ratio, sum);
    }
    return sqrt(sum * T(1.0 / dimension));
}

/// Hairer's first step |h| for a method of the given order, f0 = f(t0, y0). Lengths are measured in units of the span |t_end - t0|, so that
/// no unit of the independent variable is built in; nothing is evaluated beyond t0 + direction * largest. `scratch` holds 3 state vectors.
template <int order, class T, class System>
HOST_DEVICE inline T first_step(const System& system, const T& t0, const T& span, const T& direction, const T& largest, const T* y0,
                                const T* f0, const T* atol, const T& rtol, T* scratch) {
    const int dimension = system.dimension();
    T* const scale = scratch;
    T* const y1 = scratch + dimension;
    T* const f1 = scratch + 2 * dimension;
    for (int d = 0; d < dimension; ++d) scale[d] = fma(rtol, abs(y0[d]), atol[d]);
    const T d0 = scaled_norm(y0, scale, dimension);
    const T d1 = scaled_norm(f0, scale, dimension) * span;
    const auto tiny = either(d0 < T(1e-5), d1 < T(1e-5));
    // Not below 1e-12 of the span: d1 is infinite where a state and its absolute tolerance are both zero.
    const T shortest = span * T(1e-12);
    const T guess = min(max(span * select(tiny, T(1e-6), T(0.01) * d0 / select(tiny, T(1), d1)), shortest), largest);
    const T h0 = guess * direction;
    for (int d = 0; d < dimension; ++d) y1[d] = fma(h0, f0[d], y0[d]);
    system.rhs(t0 + h0, y1, f1);
    for (int d = 0; d < dimension; ++d) f1[d] = f1[d] - f0[d];
    const T d2 = scaled_norm(f1, scale, dimension) * span * span / guess;
    const T slope = max(d2, d1);  // d1 where d2 is NaN
    const auto flat = slope <= T(1e-15);
    const T bounded = min(max(slope, T(1e-15)), T(1e300));
    // span (0.01 / slope)^(1/order)
    const T from_slope = exp2_polynomial((T(-6.643856189774724) - log2_polynomial(bounded)) * T(1.0 / order), span);
    const T h1 = select(flat, max(span * T(1e-6), guess * T(1e-3)), from_slope);
    return min(max(min(T(100) * guess, h1), shortest), largest);
}

}  // namespace gradscape
