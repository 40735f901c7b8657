// Two bodies in their plane, from orbital elements: the test problem with a closed form. Dimensionless, or au, yr and solar masses with
// mu = 4 pi^2.
#pragma once

#include "engine/model.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

struct Kepler {
    static constexpr double computed = std::numeric_limits<double>::quiet_NaN();
    static constexpr double smallest_eccentricity_gap = 0x1p-53;  // 1 - gap is the double before 1

    static constexpr ModelInfo info{
        .name = "kepler",
        .title = "Kepler orbit",
        .group = "Celestial mechanics",
        .version = "1",
        .summary = "Relative motion of two bodies in the plane of their orbit. The start is the pericentre on the positive x axis, from "
                   "the semi-major axis a and the eccentricity e; a start given by x, y, vx, vy takes their place.",
        .equations = "dx/dt  = vx\n"
                     "dy/dt  = vy\n"
                     "dvx/dt = -mu x / r^3\n"
                     "dvy/dt = -mu y / r^3\n"
                     "r = sqrt(x^2 + y^2)\n"
                     "start: x = a (1 - e), y = 0, vx = 0, vy = sqrt(mu/a (1 + e)/(1 - e))",
        .citation = "Murray & Dermott 1999, Solar System Dynamics, chapter 2",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 20,
                        .min = -200,
                        .max = 200,
                        .help = "The period is 2 pi sqrt(a^3/mu)."},
        .error = {.symbol = "|Δr|/|r|", .unit = "1", .threshold = 1e-4, .help = "Distance from the reference's position over its radius."},
        .preferred_method = "vern7",
        .rtol = 2e-11,
        .default_functional = "r"};

    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = computed, .min = -5, .max = 5, .atol = 1e-12,
                  .help = "Position."},
        StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "1", .default_value = computed, .min = -5, .max = 5, .atol = 1e-12,
                  .help = "Position."},
        StateInfo{.name = "vx", .symbol = "vx", .latex = "v_x", .unit = "1", .default_value = computed, .min = -2, .max = 2, .atol = 1e-12,
                  .help = "Velocity."},
        StateInfo{.name = "vy", .symbol = "vy", .latex = "v_y", .unit = "1", .default_value = computed, .min = -2, .max = 2, .atol = 1e-12,
                  .help = "Velocity."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "mu", .symbol = "μ", .latex = "\\mu", .unit = "1", .default_value = 1, .min = 0.1, .max = 10,
                      .scale = Scale::log, .hard_min = 1e-100, .hard_max = 1e100,
                      .help = "Gravitational parameter G (m1 + m2); 39.476926421373 for au, yr and solar masses."},
        ParameterInfo{.name = "a", .symbol = "a", .latex = "a", .unit = "1", .default_value = 1, .min = 0.1, .max = 30, .scale = Scale::log,
                      .hard_min = 1e-100, .hard_max = 1e100, .help = "Semi-major axis of the orbit that the start is computed from.", .start_only = true},
        ParameterInfo{.name = "e", .symbol = "e", .latex = "e", .unit = "1", .default_value = 0.3, .min = 0, .max = 0.95, .hard_min = 0,
                      .hard_max = 1 - smallest_eccentricity_gap,
                      .help = "Eccentricity of the orbit that the start is computed from.", .start_only = true}};

    static constexpr std::array observables{
        ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "1", .help = "Distance of the two bodies."},
        ObservableInfo{.name = "phi", .symbol = "φ", .latex = "\\phi", .unit = "rad", .period = 6.283185307179586,
                       .help = "Polar angle from the x axis, -π to π."},
        ObservableInfo{.name = "true_anomaly", .symbol = "ν", .latex = "\\nu", .unit = "rad", .period = 6.283185307179586,
                       .help = "Angle from the pericentre in the direction of motion, -π to π; without meaning on a circle."},
        ObservableInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "1", .help = "Energy per reduced mass."}};

    // A vector can be zero, so the Laplace vector (length mu e) is counted from -mu: its drift is then one relative to mu.
    static constexpr std::array invariants{
        InvariantInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "1", .help = "v^2/2 - mu/r."},
        InvariantInfo{.name = "angular_momentum", .symbol = "h", .latex = "h", .unit = "1", .help = "x vy - y vx."},
        InvariantInfo{.name = "laplace_x", .symbol = "μ + Ax", .latex = "\\mu + A_x", .unit = "1",
                      .help = "mu plus the x component of the Laplace vector, vy h - mu x/r."},
        InvariantInfo{.name = "laplace_y", .symbol = "μ + Ay", .latex = "\\mu + A_y", .unit = "1",
                      .help = "mu plus the y component of the Laplace vector, -vx h - mu y/r."}};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T r_squared = fma(y[0], y[0], y[1] * y[1]);
        const T g = -p[0] / (r_squared * sqrt(r_squared));
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = g * y[0];
        dydt[3] = g * y[1];
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        const T mu = p[0], a = p[1], e = p[2];
        y[0] = a * (T(1) - e);
        y[1] = T(0);
        y[2] = T(0);
        y[3] = sqrt(mu / a * ((T(1) + e) / (T(1) - e)));
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* p, T* out) {
        const T mu = p[0], r = radius(y), h = angular_momentum(y);
        const T radial_velocity = fma(y[0], y[2], y[1] * y[3]) / r;
        out[0] = r;
        out[1] = atan2(y[1], y[0]);
        out[2] = atan2(abs(h) * radial_velocity, h * h / r - mu);  // mu e sin(nu), mu e cos(nu)
        out[3] = energy(y, mu);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* y, const T* p, T* out) {
        const T mu = p[0], r = radius(y), h = angular_momentum(y);
        out[0] = energy(y, mu);
        out[1] = h;
        out[2] = fma(y[3], h, mu * (T(1) - y[0] / r));
        out[3] = fma(-y[2], h, mu * (T(1) - y[1] / r));
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<2>(y, reference);
    }

private:
    template <class T>
    HOST_DEVICE static T radius(const T* y) {
        return sqrt(fma(y[0], y[0], y[1] * y[1]));
    }
    template <class T>
    HOST_DEVICE static T energy(const T* y, const T& mu) {
        return fma(T(0.5), fma(y[2], y[2], y[3] * y[3]), -mu / radius(y));
    }
    template <class T>
    HOST_DEVICE static T angular_momentum(const T* y) {
        return fma(y[0], y[3], -(y[1] * y[2]));
    }
};

}  // namespace gradscape::models
