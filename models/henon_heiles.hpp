// A star in the meridional plane of a galaxy, as Hénon & Heiles (1964) simplified it. Dimensionless.
#pragma once

#include "engine/model.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

struct HenonHeiles {
    static constexpr double computed = std::numeric_limits<double>::quiet_NaN();

    static constexpr ModelInfo info{
        .name = "henon_heiles",
        .title = "Hénon-Heiles system",
        .group = "Chaos",
        .version = "1",
        .summary = "A star in the meridional plane of an axisymmetric galaxy, with a third integral at low energy and chaos near the "
                   "energy of escape, 1/(6 lambda^2). It starts on the surface of section x = 0, px > 0 from the energy E, y and py.",
        .equations = "dx/dt = px,  dpx/dt = -x - 2 lambda x y\n"
                     "dy/dt = py,  dpy/dt = -y - lambda (x^2 - y^2)\n"
                     "H = (px^2 + py^2)/2 + (x^2 + y^2)/2 + lambda (x^2 y - y^3/3)\n"
                     "start: x = 0, px = sqrt(2 E - py^2 - y^2 + 2 lambda y^3/3)",
        .citation = "Hénon & Heiles 1964, AJ 69, 73",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 40,
                        .min = -1000,
                        .max = 1000,
                        .help = "Small swings have the period 2 pi. Near the energy of escape compare with references up to 20 or so."},
        .error = {.symbol = "|Δy|/|y|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Length of the difference of the states over the reference's length."},
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "y"};

    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 0, .min = -0.8, .max = 0.8, .atol = 1e-10,
                  .help = "Position across the symmetry axis of the potential."},
        StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "1", .default_value = computed, .min = -0.5, .max = 1, .atol = 1e-10,
                  .help = "Position along the symmetry axis of the potential."},
        StateInfo{.name = "px", .symbol = "px", .latex = "p_x", .unit = "1", .default_value = computed, .min = -0.6, .max = 0.6,
                  .atol = 1e-10, .help = "Momentum that belongs to x."},
        StateInfo{.name = "py", .symbol = "py", .latex = "p_y", .unit = "1", .default_value = computed, .min = -0.6, .max = 0.6,
                  .atol = 1e-10, .help = "Momentum that belongs to y."}};

    // The ranges of y_start and py_start hold at every energy that is offered.
    static constexpr std::array parameters{
        ParameterInfo{.name = "lambda", .symbol = "λ", .latex = "\\lambda", .unit = "1", .default_value = 1, .min = 0, .max = 1,
                      .help = "Strength of the cubic coupling; 0 is two harmonic oscillators."},
        ParameterInfo{.name = "E", .symbol = "E", .latex = "E", .unit = "1", .default_value = 1.0 / 12, .min = 0.01, .max = 1.0 / 6,
                      .hard_min = 0, .help = "Energy that the start's px is computed from.", .start_only = true},
        ParameterInfo{.name = "y_start", .symbol = "y₀", .latex = "y_0", .unit = "1", .default_value = 0.08, .min = -0.09, .max = 0.09,
                      .help = "y at the start. A member ends as bad_input where py^2 + y^2 - 2 lambda y^3/3 is above 2 E.",
                      .start_only = true},
        ParameterInfo{.name = "py_start", .symbol = "py₀", .latex = "p_{y0}", .unit = "1", .default_value = 0, .min = -0.09, .max = 0.09,
                      .help = "py at the start; see y_start.", .start_only = true}};

    static constexpr std::array observables{
        ObservableInfo{.name = "energy", .symbol = "H", .latex = "H", .unit = "1", .help = "Value of the Hamiltonian."},
        ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "1", .help = "Distance from the centre."}};

    static constexpr std::array invariants{
        InvariantInfo{.name = "energy", .symbol = "H", .latex = "H", .unit = "1", .help = "Value of the Hamiltonian."}};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T lambda = p[0];
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = -fma(T(2) * lambda * y[0], y[1], y[0]);
        dydt[3] = -fma(lambda, fma(y[0], y[0], -(y[1] * y[1])), y[1]);
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        const T lambda = p[0], E = p[1], y_start = p[2], py_start = p[3];
        y[0] = T(0);
        y[1] = y_start;
        y[2] = sqrt(fma(T(2), E, fma(y_start * y_start, fma(T(2.0 / 3) * lambda, y_start, T(-1)), -(py_start * py_start))));
        y[3] = py_start;
    }

    template <class T>
    HOST_DEVICE static void observe(const T& t, const T* y, const T* p, T* out) {
        conserved(t, y, p, out);
        out[1] = sqrt(fma(y[0], y[0], y[1] * y[1]));
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* y, const T* p, T* out) {
        const T x_squared = y[0] * y[0], y_squared = y[1] * y[1];
        const T squares = fma(y[2], y[2], fma(y[3], y[3], x_squared + y_squared));
        out[0] = fma(T(0.5), squares, p[0] * y[1] * fma(T(-1.0 / 3), y_squared, x_squared));
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<4>(y, reference);
    }
};

}  // namespace gradscape::models
