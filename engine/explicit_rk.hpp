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

// Rows of a tableau: weights of the stages' sum.
template <class Tableau, int I>
struct StageWeights {
    HOST_DEVICE static constexpr double weight(int j) { return Tableau::a(I, j); }
};
template <class Tableau>
struct SolutionWeights {
    HOST_DEVICE static constexpr double weight(int j) { return Tableau::b(j); }
};
template <class Tableau>
struct ErrorWeights {
    HOST_DEVICE static constexpr double weight(int j) { return Tableau::b_error(j); }
};

/// Whether a weight before `last` differs from zero.
template <class Weights>
HOST_DEVICE constexpr bool any_nonzero(int last) {
    for (int j = 0; j < last; ++j)
        if (Weights::weight(j) != 0) return true;
    return false;
}

/// sum_{j<last} weight_j k_j of one state, zero weights left out. `k` points to the state's value in stage 0, stages lie `dimension` apart.
template <class Weights, int last, int J = 0, class T>
HOST_DEVICE_INLINE T stage_sum(const T* k, int dimension, const T& sum) {
    if constexpr (J == last) {
        return sum;
    } else if constexpr (Weights::weight(J) == 0) {
        return stage_sum<Weights, last, J + 1>(k, dimension, sum);
    } else if constexpr (!any_nonzero<Weights>(J)) {
        return stage_sum<Weights, last, J + 1>(k, dimension, T(Weights::weight(J)) * k[J * dimension]);
    } else {
        return stage_sum<Weights, last, J + 1>(k, dimension, fma(T(Weights::weight(J)), k[J * dimension], sum));
    }
}

/// result = y + h sum_{j<last} weight_j k_j. The latest stage is added last, in one operation, because the next one waits for it.
template <class Weights, int last, class T>
HOST_DEVICE_INLINE void advance(const T& h, const T* y, const T* k, int dimension, T* result) {
    if constexpr (Weights::weight(last - 1) == 0) {
        advance<Weights, last - 1>(h, y, k, dimension, result);
    } else {
        const T h_latest = T(Weights::weight(last - 1)) * h;
#pragma GCC unroll 8
        for (int d = 0; d < dimension; ++d) {
            T sum = y[d];
            if constexpr (any_nonzero<Weights>(last - 1)) sum = fma(h, stage_sum<Weights, last - 1>(k + d, dimension, T(0)), sum);
            result[d] = fma(h_latest, k[(last - 1) * dimension + d], sum);
        }
    }
}

/// Stages I..Last-1 of the step from (t, y) to t1 = t + h; `argument` is scratch space for one state vector and holds the last
/// stage's argument afterwards. Stages at the step's end are evaluated at t1 itself, never beyond it by a rounding.
template <class Tableau, int I, int Last, class T, class System>
HOST_DEVICE_INLINE void stages(const System& system, const T& t, const T& t1, const T& h, const T* y, T* k, T* argument) {
    if constexpr (I < Last) {
        const int dimension = system.dimension();
        advance<StageWeights<Tableau, I>, I>(h, y, k, dimension, argument);
        constexpr double c = Tableau::c(I);
        if constexpr (c == 1) {
            system.rhs(t1, argument, k + I * dimension);
        } else {
            system.rhs(fma(T(c), h, t), argument, k + I * dimension);
        }
        stages<Tableau, I + 1, Last>(system, t, t1, h, y, k, argument);
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
    // First same as last: y1 is the last stage's argument already.
    if constexpr (!first_same_as_last<Tableau>) advance<SolutionWeights<Tableau>, Tableau::stages>(h, y, k, dimension, y1);
    T sum = T(0);
#pragma GCC unroll 8
    for (int d = 0; d < dimension; ++d) {
        const T scale = fma(rtol, max_abs(y[d], y1[d]), atol[d]);
        const T ratio = stage_sum<ErrorWeights<Tableau>, Tableau::stages>(k + d, dimension, T(0)) * reciprocal_polynomial(scale);
        sum = fma(ratio, ratio, sum);
    }
    return sum * (h * h * T(1.0 / dimension));
}

}  // namespace gradscape
