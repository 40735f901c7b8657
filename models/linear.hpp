// Equal, uncoupled exponentials: every trajectory takes the same steps, whatever its neighbours. The control case. Dimensionless.
#pragma once

#include "models/default_state.hpp"
#include "models/numbered.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

/// `linear` has d = 3; others are named linear_<d>.
template <int d>
struct Linear {
    static constexpr auto numbered_name = with_number<d>("linear_");
    static constexpr auto numbered_title = with_number<d>("Exponential growth, dimension ");

    static constexpr ModelInfo info{
        .name = d == 3 ? "linear" : numbered_name.text,
        .title = numbered_title.text,
        .group = "Tests",
        .version = "1",
        .summary = "Uncoupled exponentials of the same rate a. With a closed form and equal steps for all members, it shows what the "
                   "integrator itself costs and errs.",
        .equations = "dy_i/dt = a y_i\n"
                     "start: y_i = 1 + i/8,  i = 0, 1, ...",
        .citation = "Hairer, Nørsett & Wanner 1993, Solving Ordinary Differential Equations I, section I.12",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 1,
                        .min = -10,
                        .max = 10,
                        .help = "The solution changes by a factor e in 1/a."},
        .error = {.symbol = "|Δy|/|y|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Length of the difference of the states over the reference's length."},
        .preferred_method = "vern7",
        .rtol = 1e-8,
        .default_functional = "y0"};

    static constexpr auto states = numbered_states<d>({.unit = "1", .min = -10, .max = 10, .atol = 1e-12, .help = "Value."},
                                                      [](int i) { return 1 + i / 8.0; });

    static constexpr std::array parameters{ParameterInfo{.name = "a", .symbol = "a", .latex = "a", .unit = "1", .default_value = 1.01,
                                                         .min = -5, .max = 5, .help = "Rate; below 0 the solution dies out."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "radius", .symbol = "|y|", .latex = "|y|", .unit = "1", .help = "Distance from the origin."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        for (int i = 0; i < d; ++i) dydt[i] = p[0] * y[i];
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<Linear>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* /*p*/, T* out) {
        T sum = y[0] * y[0];
        for (int i = 1; i < d; ++i) sum = fma(y[i], y[i], sum);
        out[0] = sqrt(sum);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<d>(y, reference);
    }
};

}  // namespace gradscape::models
