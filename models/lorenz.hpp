// The Lorenz system: convection reduced to three modes. Lorenz (1963). Dimensionless.
#pragma once

#include "engine/model.hpp"
#include "models/default_state.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

struct Lorenz {
    static constexpr ModelInfo info{
        .name = "lorenz",
        .title = "Lorenz system",
        .group = "Chaos",
        .version = "1",
        .summary = "Thermal convection reduced to three modes. Below rho = 1 every trajectory dies out, up to rho = 24.06 nearly all "
                   "settle on steady convection, beyond there is a strange attractor. Benchmarks of ensembles use rho from 0 to 21.",
        .equations = "dx/dt = sigma (y - x)\n"
                     "dy/dt = x (rho - z) - y\n"
                     "dz/dt = x y - beta z",
        .citation = "Lorenz 1963, Journal of the Atmospheric Sciences 20, 130",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 1,
                        .min = 0,
                        .max = 50,
                        .help = "In the chaotic range neighbouring trajectories separate by a factor e in about 1.1; compare with "
                                "references up to 10."},
        .error = {.symbol = "|Δy|/|y|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Length of the difference of the states over the reference's length."},
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "x"};

    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 1, .min = -20, .max = 20, .atol = 1e-11,
                  .help = "Strength of the convection."},
        StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "1", .default_value = 0, .min = -30, .max = 30, .atol = 1e-11,
                  .help = "Temperature difference between rising and sinking fluid."},
        StateInfo{.name = "z", .symbol = "z", .latex = "z", .unit = "1", .default_value = 0, .min = 0, .max = 50, .atol = 1e-11,
                  .help = "Departure of the vertical temperature profile from a straight line."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "sigma", .symbol = "σ", .latex = "\\sigma", .unit = "1", .default_value = 10, .min = 1, .max = 30,
                      .help = "Prandtl number."},
        ParameterInfo{.name = "rho", .symbol = "ρ", .latex = "\\rho", .unit = "1", .default_value = 28, .min = 0, .max = 120,
                      .help = "Rayleigh number over its critical value; 28 is Lorenz' chaotic case."},
        ParameterInfo{.name = "beta", .symbol = "β", .latex = "\\beta", .unit = "1", .default_value = 8.0 / 3.0, .min = 0.5, .max = 5,
                      .help = "Geometry of the convection cell."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "radius", .symbol = "|y|", .latex = "|y|", .unit = "1",
                       .help = "Distance from the origin, the state at rest."},
        ObservableInfo{.name = "speed", .symbol = "|ẏ|", .latex = "|\\dot y|", .unit = "1", .help = "Length of the right-hand side."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T sigma = p[0], rho = p[1], beta = p[2];
        dydt[0] = sigma * (y[1] - y[0]);
        dydt[1] = fma(y[0], rho - y[2], -y[1]);
        dydt[2] = fma(-beta, y[2], y[0] * y[1]);
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<Lorenz>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& t, const T* y, const T* p, T* out) {
        T f[3];
        rhs(t, y, p, f);
        out[0] = sqrt(fma(y[0], y[0], fma(y[1], y[1], y[2] * y[2])));
        out[1] = sqrt(fma(f[0], f[0], fma(f[1], f[1], f[2] * f[2])));
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<3>(y, reference);
    }
};

}  // namespace gradscape::models
