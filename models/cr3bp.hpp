// The circular restricted three-body problem, in the frame that turns with the two bodies. Dimensionless: their distance, the sum of their
// masses and their angular speed are 1.
#pragma once

#include "engine/model.hpp"
#include "models/default_state.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

struct Cr3bp {
    static constexpr ModelInfo info{
        .name = "cr3bp",
        .title = "Circular restricted three-body problem",
        .group = "Celestial mechanics",
        .version = "1",
        .summary = "A particle without mass in the field of two bodies on circular orbits about each other: 1-mu at (-mu, 0, 0), mu at "
                   "(1-mu, 0, 0). It starts near L4, which is stable below mu = 0.0385. Arenstorf's closed orbit: mu = 0.012277471 from "
                   "(0.994, 0, 0, 0, -2.00158510637908252, 0), period 17.0652165601579625; an orbit about the Moon, retrograde: "
                   "(0.8, 0, 0, 0, 0.53, 0).",
        .equations = "x'' =  2 y' + x - (1-mu)(x+mu)/r1^3 - mu (x-1+mu)/r2^3\n"
                     "y'' = -2 x' + y - (1-mu) y/r1^3 - mu y/r2^3\n"
                     "z'' = -(1-mu) z/r1^3 - mu z/r2^3\n"
                     "r1^2 = (x+mu)^2 + y^2 + z^2,  r2^2 = (x-1+mu)^2 + y^2 + z^2",
        .citation = "Szebehely 1967, Theory of Orbits; Arenstorf 1963, AJ 68, 548",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 10,
                        .min = -100,
                        .max = 100,
                        .help = "The two bodies turn once in 2 pi: 4.343 days are one unit for Earth and Moon."},
        .error = {.symbol = "|Δr|/|r|",
                  .unit = "1",
                  .threshold = 1e-4,
                  .help = "Distance from the reference's position over its distance from the centre of mass."},
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "r2"};

    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 0.50905, .min = -1.5, .max = 1.5, .atol = 1e-10,
                  .help = "Position along the line through the two bodies."},
        StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "1", .default_value = 0.86602, .min = -1.5, .max = 1.5, .atol = 1e-10,
                  .help = "Position in the orbital plane of the two bodies, in the direction of their motion."},
        StateInfo{.name = "z", .symbol = "z", .latex = "z", .unit = "1", .default_value = 0.01, .min = -1, .max = 1, .atol = 1e-10,
                  .help = "Height above the orbital plane of the two bodies."},
        StateInfo{.name = "vx", .symbol = "vx", .latex = "v_x", .unit = "1", .default_value = 0, .min = -2, .max = 2, .atol = 1e-10,
                  .help = "Velocity in the turning frame."},
        StateInfo{.name = "vy", .symbol = "vy", .latex = "v_y", .unit = "1", .default_value = 0.005, .min = -2.5, .max = 2, .atol = 1e-10,
                  .help = "Velocity in the turning frame."},
        StateInfo{.name = "vz", .symbol = "vz", .latex = "v_z", .unit = "1", .default_value = 0.002, .min = -1, .max = 1, .atol = 1e-10,
                  .help = "Velocity in the turning frame."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "mu", .symbol = "μ", .latex = "\\mu", .unit = "1", .default_value = 0.012150585609624, .min = 1e-6,
                      .max = 0.5, .scale = Scale::log, .hard_min = 0, .hard_max = 1,
                      .help = "Mass of the second body over the sum; 0.012150585609624 is Earth and Moon, 9.537e-4 Sun and Jupiter."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "r1", .symbol = "r₁", .latex = "r_1", .unit = "1", .help = "Distance from the body of mass 1-mu."},
        ObservableInfo{.name = "r2", .symbol = "r₂", .latex = "r_2", .unit = "1", .help = "Distance from the body of mass mu."},
        ObservableInfo{.name = "jacobi", .symbol = "C", .latex = "C", .unit = "1", .help = "Jacobi constant."},
        ObservableInfo{.name = "X", .symbol = "X", .latex = "X", .unit = "1",
                       .help = "Position in the frame that doesn't turn, equal to x at t = 0."},
        ObservableInfo{.name = "Y", .symbol = "Y", .latex = "Y", .unit = "1",
                       .help = "Position in the frame that doesn't turn, equal to y at t = 0."}};

    static constexpr std::array invariants{
        InvariantInfo{.name = "jacobi", .symbol = "C", .latex = "C", .unit = "1",
                      .help = "Jacobi constant, x^2 + y^2 + 2(1-mu)/r1 + 2 mu/r2 - v^2."}};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T mu = p[0], from1 = y[0] + mu, from2 = from1 - T(1);
        const T off_axis = fma(y[1], y[1], y[2] * y[2]);
        const T r1_squared = fma(from1, from1, off_axis), r2_squared = fma(from2, from2, off_axis);
        const T g1 = (mu - T(1)) / (r1_squared * sqrt(r1_squared)), g2 = -mu / (r2_squared * sqrt(r2_squared)), g = g1 + g2;
        dydt[0] = y[3];
        dydt[1] = y[4];
        dydt[2] = y[5];
        dydt[3] = fma(T(2), y[4], fma(g1, from1, fma(g2, from2, y[0])));
        dydt[4] = fma(T(-2), y[3], fma(g, y[1], y[1]));
        dydt[5] = g * y[2];
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<Cr3bp>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& t, const T* y, const T* p, T* out) {
        const T mu = p[0], sine = sin(t), cosine = cos(t);
        out[0] = distance(y, mu);
        out[1] = distance(y, mu - T(1));
        conserved(t, y, p, out + 2);
        out[3] = fma(y[0], cosine, -(y[1] * sine));
        out[4] = fma(y[0], sine, y[1] * cosine);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* y, const T* p, T* out) {
        const T mu = p[0];
        const T potential = (T(1) - mu) / distance(y, mu) + mu / distance(y, mu - T(1));
        const T speed_squared = fma(y[3], y[3], fma(y[4], y[4], y[5] * y[5]));
        out[0] = fma(T(2), potential, fma(y[0], y[0], fma(y[1], y[1], -speed_squared)));
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<3>(y, reference);
    }

private:
    /// From the body at (-offset, 0, 0).
    template <class T>
    HOST_DEVICE static T distance(const T* y, const T& offset) {
        const T x = y[0] + offset;
        return sqrt(fma(x, x, fma(y[1], y[1], y[2] * y[2])));
    }
};

}  // namespace gradscape::models
