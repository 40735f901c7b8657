// A method is data: the coefficients of an explicit Runge-Kutta pair with its dense output. The table is checked where a method is
// instantiated; properties such as "first same as last" are derived. Needs no standard header.
//
// Notation (Hairer, Nørsett & Wanner I, chapter II):
//     k_i = f(t + c_i h, y0 + h sum_{j<i} a_ij k_j),   y1 = y0 + h sum_i b_i k_i,   e = h sum_i b_error_i k_i = y1 - y_hat.
#pragma once

#include "engine/host_device.hpp"

namespace gradscape {

template <class Tableau>
struct TableauCheck {
    static constexpr double tolerance = 1e-13;
    static constexpr bool small(double x) { return x < tolerance && x > -tolerance; }

    static constexpr bool rows_sum_to_c() {
        for (int i = 0; i < Tableau::stages + Tableau::extra_stages; ++i) {
            double sum = -Tableau::c(i);
            for (int j = 0; j < i; ++j) sum += Tableau::a(i, j);
            if (!small(sum)) return false;
        }
        return true;
    }
    static constexpr bool weights_sum_to_one() {
        double sum = -1, error = 0;
        for (int i = 0; i < Tableau::stages; ++i) {
            sum += Tableau::b(i);
            error += Tableau::b_error(i);
        }
        return small(sum) && small(error);
    }
    static constexpr bool dense_output_ends_at_y1() {
        for (int i = 0; i < Tableau::stages + Tableau::extra_stages; ++i) {
            double sum = i < Tableau::stages ? -Tableau::b(i) : 0;
            for (int j = 0; j < Tableau::dense_degree; ++j) sum += Tableau::p(i, j);
            if (!(sum < 1e-11 && sum > -1e-11)) return false;
        }
        return true;
    }
    static constexpr bool first_same_as_last() {
        if (Tableau::c(Tableau::stages - 1) != 1) return false;
        for (int j = 0; j < Tableau::stages - 1; ++j)
            if (Tableau::a(Tableau::stages - 1, j) != Tableau::b(j)) return false;
        return Tableau::b(Tableau::stages - 1) == 0;
    }

    static_assert(rows_sum_to_c(), "a row of the tableau does not sum to its node");
    static_assert(weights_sum_to_one(), "the weights do not sum to one, or those of the error not to zero");
    static_assert(dense_output_ends_at_y1(), "the dense output does not end at y1");
};

/// Whether the last stage's argument is y1, so that its k is the next step's first.
template <class Tableau>
inline constexpr bool first_same_as_last = TableauCheck<Tableau>::first_same_as_last();

}  // namespace gradscape
