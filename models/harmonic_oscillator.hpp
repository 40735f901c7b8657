// The damped harmonic oscillator, with a closed form. Dimensionless.
#pragma once

#include "engine/model.hpp"
#include "models/default_state.hpp"

namespace gradscape::models {

struct HarmonicOscillator {
    static constexpr ModelInfo info{
        .name = "harmonic_oscillator",
        .title = "Damped harmonic oscillator",
        .group = "Tests",
        .version = "1",
        .summary = "A mass on a spring with friction. It swings below zeta = 1 and creeps back beyond; without friction its energy is "
                   "conserved.",
        .equations = "dx/dt = v\n"
                     "dv/dt = -omega^2 x - 2 zeta omega v",
        .citation = "Landau & Lifshitz 1976, Mechanics, section 25",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 20,
                        .min = 0,
                        .max = 200,
                        .help = "The period is 2 pi/(omega sqrt(1 - zeta^2))."},
        .error = {.symbol = "√(Δx² + Δv²/ω²)",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Distance from the reference in the plane of x and v/omega. Not relative: a damped swing dies out, the start has "
                          "size one."},
        .preferred_method = "vern7",
        .rtol = 1e-7,
        .default_functional = "x"};

    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 1, .min = -2, .max = 2, .atol = 1e-8,
                  .help = "Displacement."},
        StateInfo{.name = "v", .symbol = "v", .latex = "v", .unit = "1", .default_value = 0, .min = -2, .max = 2, .atol = 1e-8,
                  .help = "Velocity."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "omega", .symbol = "ω", .latex = "\\omega", .unit = "1", .default_value = 1, .min = 0.1, .max = 10,
                      .scale = Scale::log, .hard_min = 1e-100, .hard_max = 1e100, .help = "Angular frequency without friction."},
        ParameterInfo{.name = "zeta", .symbol = "ζ", .latex = "\\zeta", .unit = "1", .default_value = 0.05, .min = 0, .max = 2,
                      .help = "Damping ratio; 1 is critical."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "1",
                       .help = "Energy per mass, (v^2 + omega^2 x^2)/2; conserved where zeta is 0."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T omega = p[0], zeta = p[1];
        dydt[0] = y[1];
        dydt[1] = -(omega * fma(omega, y[0], T(2) * zeta * y[1]));
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<HarmonicOscillator>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* p, T* out) {
        const T omega_x = p[0] * y[0];
        out[0] = T(0.5) * fma(y[1], y[1], omega_x * omega_x);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* p, const T* reference, const T* /*p_reference*/) {
        const T dx = y[0] - reference[0], dv = (y[1] - reference[1]) / p[0];
        return sqrt(fma(dx, dx, dv * dv));
    }
};

}  // namespace gradscape::models
