// Dense output of an explicit Runge-Kutta step. No branches; needs no standard header.
#pragma once

#include "engine/explicit_rk.hpp"
#include "engine/host_device.hpp"
#include "engine/real.hpp"

namespace gradscape {

/// The stages that only the dense output needs; call once for a step in which a row lies. `argument` is scratch for one state vector.
template <class Tableau, class T, class System>
HOST_DEVICE_INLINE void dense_stages(const System& system, const T& t, const T& t1, const T& h, const T* y, T* k, T* argument) {
    stages<Tableau, Tableau::stages, Tableau::stages + Tableau::extra_stages>(system, t, t1, h, y, k, argument);
}

/// b_I(theta) by Horner's scheme from power J downwards.
template <class Tableau, int I, int J, class T>
HOST_DEVICE_INLINE T dense_weight(const T& theta, const T& sum) {
    if constexpr (J < 0) {
        return sum * theta;
    } else {
        return dense_weight<Tableau, I, J - 1>(theta, fma(sum, theta, T(Tableau::p(I, J))));
    }
}

/// Whether stage I takes part in the dense output.
template <class Tableau>
HOST_DEVICE constexpr bool in_dense_output(int i) {
    for (int j = 0; j < Tableau::dense_degree; ++j)
        if (Tableau::p(i, j) != 0) return true;
    return false;
}

template <class Tableau, int I, class T>
HOST_DEVICE_INLINE void add_dense_stages(const T& theta, const T* k, int dimension, T* sum) {
    if constexpr (I < Tableau::stages + Tableau::extra_stages) {
        if constexpr (in_dense_output<Tableau>(I)) {
            constexpr int highest = Tableau::dense_degree - 1;
            const T weight = dense_weight<Tableau, I, highest - 1>(theta, T(Tableau::p(I, highest)));
#pragma GCC unroll 8
            for (int d = 0; d < dimension; ++d) sum[d] = fma(weight, k[I * dimension + d], sum[d]);
        }
        add_dense_stages<Tableau, I + 1>(theta, k, dimension, sum);
    }
}

/// y(t + theta h) = y + h sum_i b_i(theta) k_i, 0 <= theta <= 1, after dense_stages().
template <class Tableau, class T>
HOST_DEVICE_INLINE void interpolate(const T& theta, const T& h, const T* y, const T* k, int dimension, T* result) {
#pragma GCC unroll 8
    for (int d = 0; d < dimension; ++d) result[d] = T(0);
    add_dense_stages<Tableau, 0>(theta, k, dimension, result);
#pragma GCC unroll 8
    for (int d = 0; d < dimension; ++d) result[d] = fma(h, result[d], y[d]);
}

}  // namespace gradscape
