// Orbits in a flattened logarithmic halo. Binney & Tremaine (2008), section 2.3.2.
#pragma once

#include "models/galactic.hpp"

namespace gradscape::models {

struct LogHalo {
    static constexpr ModelInfo info{
        .name = "log_halo",
        .title = "Orbit in a flattened logarithmic halo",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "A star, or the progenitor of a stream, as a test particle in a flattened halo with a flat rotation curve: in the "
                   "plane the circular speed is v0 R / sqrt(rc^2 + R^2).",
        .equations = "dx/dt  = K vx,  dy/dt = K vy,  dz/dt = K vz,  K = 1.022712165045695 kpc/Gyr per km/s\n"
                     "dvx/dt = -K v0^2 x / D\n"
                     "dvy/dt = -K v0^2 y / D\n"
                     "dvz/dt = -K v0^2 z / (q^2 D)\n"
                     "D = rc^2 + x^2 + y^2 + z^2/q^2,  Phi = v0^2/2 ln(D / kpc^2)",
        .citation = "Binney & Tremaine 2008, Galactic Dynamics, 2nd edition, section 2.3.2; Koposov, Rix & Hogg 2010, ApJ 712, 260",
        .independent = galactic_time(3),
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-8,
        .default_functional = "r"};

    static constexpr auto states = galactic_states({.x = 8, .y = 0, .z = 0.5, .vx = 30, .vy = 200, .vz = 40});

    static constexpr auto parameters = with_sun(std::array{
        ParameterInfo{.name = "v0", .symbol = "v₀", .latex = "v_0", .unit = "km/s", .default_value = 220, .min = 100, .max = 350,
                      .hard_min = 0, .hard_max = 1e5, .help = "Circular speed far outside the core."},
        ParameterInfo{.name = "rc", .symbol = "rc", .latex = "r_c", .unit = "kiloparsec", .default_value = 1, .min = 0.05, .max = 10,
                      .scale = Scale::log, .hard_min = 0, .hard_max = 1e6, .help = "Core radius."},
        ParameterInfo{.name = "q", .symbol = "q", .latex = "q", .unit = "1", .default_value = 0.9, .min = 0.6, .max = 1.4,
                      .hard_min = 1e-3, .hard_max = 1e3,
                      .help = "Axis ratio of the potential. Below 0.71 the density that belongs to it is negative near the axis."}});

    static constexpr int potential_parameters = 3;  ///< the rest are the Sun's
    static constexpr auto observables = galactic_observables;
    static constexpr auto invariants = galactic_invariants;

    // Numerator and denominator of grad Phi are multiplied by q^2: one division serves all three components.
    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T v0 = p[0], rc = p[1], q = p[2];
        const T q_squared = q * q;
        const T in_plane = fma(rc, rc, fma(y[0], y[0], y[1] * y[1]));
        const T g_z = T(-kpc_per_gyr) * v0 * v0 / fma(q_squared, in_plane, y[2] * y[2]);
        const T g_plane = g_z * q_squared;
        dydt[0] = T(kpc_per_gyr) * y[3];
        dydt[1] = T(kpc_per_gyr) * y[4];
        dydt[2] = T(kpc_per_gyr) * y[5];
        dydt[3] = g_plane * y[0];
        dydt[4] = g_plane * y[1];
        dydt[5] = g_z * y[2];
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<LogHalo>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* p, T* out) {
        observe_galactic(y, potential(y, p), p + 3, out);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* y, const T* p, T* out) {
        conserved_galactic(y, potential(y, p), out);
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<3>(y, reference);
    }

    /// (km/s)^2
    template <class T>
    HOST_DEVICE static T potential(const T* y, const T* p) {
        const T z = y[2] / p[2];
        return T(0.5) * p[0] * p[0] * log(fma(p[1], p[1], fma(y[0], y[0], fma(y[1], y[1], z * z))));
    }

    /// Second derivative of the potential along the ray from the centre through y, e_r.H e_r with the Hessian H; (km/s/kpc)^2. With
    /// m^2 = x^2 + y^2 + z^2/q^2, which grows as the square of the distance along the ray, it is
    /// v0^2 (m/r)^2 (rc^2 - m^2) / (rc^2 + m^2)^2.
    template <class T>
    HOST_DEVICE static T potential_rr(const T* y, const T* p) {
        const T z = y[2] / p[2];
        const T R_squared = fma(y[0], y[0], y[1] * y[1]);
        const T r_squared = fma(y[2], y[2], R_squared), m_squared = fma(z, z, R_squared);
        const T D = fma(p[1], p[1], m_squared);
        return p[0] * p[0] * m_squared * fma(p[1], p[1], -m_squared) / (r_squared * D * D);
    }
};

}  // namespace gradscape::models
