// One step of an explicit Runge-Kutta pair: stages, solution, error estimate. Written once for every method, number type and processor,
// without branches. Needs no standard header.
//
// A system is anything with
//     dimension()                                    the number of states, constexpr where it is known at compile time
//     rhs(const T& t, const T* y, T* dydt)           the right-hand side
// Arrays over states are contiguous; stages stand one after the other: k[i * dimension + d].
#pragma once

#include "engine/host_device.hpp"
#include "engine/log2_exp2.hpp"
#include "engine/real.hpp"
#include "engine/tableau.hpp"

namespace gradscape {

/// sum_{j<I} a_Ij k_j of one state, zero coefficients left out. `k` points to the state's value in stage 0.
template <class Tableau, int I, int J = 0, class T>
HOST_DEVICE_INLINE T stage_sum(const T* k, int dimension, const T& sum) {
    if constexpr (J == I) {
        return sum;
    } else {
        constexpr double a = Tableau::a(I, J);
        if constexpr (a == 0) {
            return stage_sum<Tableau, I, J + 1>(k, dimension, sum);
        } else if constexpr (J == 0) {
            return stage_sum<Tableau, I, 1>(k, dimension, T(a) * k[0]);
        } else {
            return stage_sum<Tableau, I, J + 1>(k, dimension, fma(T(a), k[J * dimension], sum));
        }
    }
}

/// Stages I..Last-1 of the step from (t, y) to t1 = t + h; `argument` is scratch space for one state vector and holds the last
/// stage's argument afterwards. Stages at the step's end are evaluated at t1 itself, never beyond it by a rounding.
template <class Tableau, int I, int Last, class T, class System>
HOST_DEVICE_INLINE void stages(const System& system, const T& t, const T& t1, const T& h, const T* y, T* k, T* argument) {
    if constexpr (I < Last) {
        const int dimension = system.dimension();
#pragma GCC unroll 8
        for (int d = 0; d < dimension; ++d) argument[d] = fma(h, stage_sum<Tableau, I>(k + d, dimension, T(0)), y[d]);
        constexpr double c = Tableau::c(I);
        if constexpr (c == 1) {
            system.rhs(t1, argument, k + I * dimension);
        } else {
            system.rhs(fma(T(c), h, t), argument, k + I * dimension);
        }
        stages<Tableau, I + 1, Last>(system, t, t1, h, y, k, argument);
    }
}

template <class Tableau, bool error, int J = 0, class T>
HOST_DEVICE_INLINE T weighted_sum(const T* k, int dimension, const T& sum) {
    if constexpr (J == Tableau::stages) {
        return sum;
    } else {
        constexpr double weight = error ? Tableau::b_error(J) : Tableau::b(J);
        if constexpr (weight == 0) {
            return weighted_sum<Tableau, error, J + 1>(k, dimension, sum);
        } else if constexpr (J == 0) {
            return weighted_sum<Tableau, error, 1>(k, dimension, T(weight) * k[0]);
        } else {
            return weighted_sum<Tableau, error, J + 1>(k, dimension, fma(T(weight), k[J * dimension], sum));
        }
    }
}

/// The step from (t, y) to t1 = t + h, with k[0] = f(t, y) given: fills k[1..stages-1] and y1, and returns the squared error
/// (1/n) sum_d (e_d / (atol_d + rtol max(|y_d|, |y1_d|)))^2, which is not finite where y1 isn't.
template <class Tableau, class T, class System>
HOST_DEVICE_INLINE T step(const System& system, const T& t, const T& t1, const T& h, const T* y, const T* atol, const T& rtol, T* k,
                          T* y1) {
    (void)TableauCheck<Tableau>{};
    const int dimension = system.dimension();
    stages<Tableau, 1, Tableau::stages>(system, t, t1, h, y, k, y1);
    T sum = T(0), overflow = T(0);
#pragma GCC unroll 8
    for (int d = 0; d < dimension; ++d) {
        // First same as last: y1 is the last stage's argument already.
        if constexpr (!first_same_as_last<Tableau>) y1[d] = fma(h, weighted_sum<Tableau, false>(k + d, dimension, T(0)), y[d]);
        const T scale = fma(rtol, max(abs(y[d]), abs(y1[d])), atol[d]);
        const T ratio = weighted_sum<Tableau, true>(k + d, dimension, T(0)) * (h * reciprocal_newton(scale));
        sum = fma(ratio, ratio, sum);
        overflow = fma(scale, T(0), overflow);  // 0, or NaN where the scale overflowed and would hide the error
    }
    return fma(sum, T(1.0 / dimension), overflow);
}

}  // namespace gradscape
