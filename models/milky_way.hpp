// Orbits in the Milky Way: Hernquist bulge, Miyamoto-Nagai disk, NFW halo flattened in the potential.
#pragma once

#include "models/galactic.hpp"

namespace gradscape::models {

struct MilkyWay {
    static constexpr ModelInfo info{
        .name = "milky_way",
        .title = "Orbit in the Milky Way",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "A star, or the progenitor of a stream, as a test particle in bulge, disk and flattened dark halo. The circular speed "
                   "of the defaults is 229.4 km/s at 8.2 kpc.",
        .equations = "dr/dt = K v,  dv/dt = -K grad Phi,  K = 1.022712165045695 kpc/Gyr per km/s\n"
                     "Phi = - G Mb / (r + ab)                                  bulge (Hernquist)\n"
                     "      - G Md / sqrt(x^2 + y^2 + (ad + B)^2)              disk (Miyamoto-Nagai)\n"
                     "      - G Mh ln(1 + m/rh) / m                            halo (NFW, flattened)\n"
                     "r = sqrt(x^2 + y^2 + z^2),  B = sqrt(z^2 + bd^2),  m = sqrt(x^2 + y^2 + z^2/qh^2)\n"
                     "G = 43009.17270036279 kpc (km/s)^2 per 1e10 Msun",
        .citation = "Hernquist 1990, ApJ 356, 359; Miyamoto & Nagai 1975, PASJ 27, 533; Navarro, Frenk & White 1996, ApJ 462, 563; "
                    "values: Price-Whelan 2017, JOSS 2, 388 (gala)",
        .independent = galactic_time(2),
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "r"};

    static constexpr auto states = galactic_states({.x = 8.2, .y = 0, .z = 0.02, .vx = 11, .vy = 240, .vz = 7});

    static constexpr auto parameters = with_sun(std::array{
        ParameterInfo{.name = "Mb", .symbol = "Mb", .latex = "M_b", .unit = "1e10 Msun", .default_value = 0.5, .min = 0.1, .max = 2,
                      .scale = Scale::log, .hard_min = 0, .hard_max = 1e6, .help = "Mass of the bulge."},
        ParameterInfo{.name = "ab", .symbol = "ab", .latex = "a_b", .unit = "kiloparsec", .default_value = 1, .min = 0.2, .max = 2,
                      .scale = Scale::log, .hard_min = 1e-6, .hard_max = 1e6, .help = "Scale radius of the bulge."},
        ParameterInfo{.name = "Md", .symbol = "Md", .latex = "M_d", .unit = "1e10 Msun", .default_value = 6.8, .min = 2, .max = 12,
                      .hard_min = 0, .hard_max = 1e6, .help = "Mass of the disk."},
        ParameterInfo{.name = "ad", .symbol = "ad", .latex = "a_d", .unit = "kiloparsec", .default_value = 3, .min = 1.5, .max = 6,
                      .hard_min = 0, .hard_max = 1e6, .help = "Scale length of the disk."},
        ParameterInfo{.name = "bd", .symbol = "bd", .latex = "b_d", .unit = "kiloparsec", .default_value = 0.28, .min = 0.1, .max = 1,
                      .scale = Scale::log, .hard_min = 1e-6, .hard_max = 1e6, .help = "Scale height of the disk."},
        ParameterInfo{.name = "Mh", .symbol = "Mh", .latex = "M_h", .unit = "1e10 Msun", .default_value = 54, .min = 20, .max = 200,
                      .scale = Scale::log, .hard_min = 0, .hard_max = 1e6,
                      .help = "Scale mass of the halo, 4 pi rho0 rh^3; not the virial mass."},
        ParameterInfo{.name = "rh", .symbol = "rh", .latex = "r_h", .unit = "kiloparsec", .default_value = 15.62, .min = 5, .max = 40,
                      .scale = Scale::log, .hard_min = 1e-6, .hard_max = 1e6, .help = "Scale radius of the halo."},
        ParameterInfo{.name = "qh", .symbol = "qh", .latex = "q_h", .unit = "1", .default_value = 0.95, .min = 0.6, .max = 1.4,
                      .hard_min = 1e-3, .hard_max = 1e3, .help = "Axis ratio of the halo's potential."}});

    static constexpr int potential_parameters = 8;  ///< the rest are the Sun's
    static constexpr auto observables = galactic_observables;
    static constexpr auto invariants = galactic_invariants;

    // grad Phi = (b + d + q^2 h) x, (b + d + q^2 h) y, (b + d (ad + B)/B + h) z with q = qh, u = q m, w = q rh and
    //     b = G Mb / (r (r + ab)^2)
    //     d = G Md / S^(3/2),  S = x^2 + y^2 + (ad + B)^2
    //     h = G Mh q [ln(1 + u/w) - u/(u + w)] / u^3 = G Mh q w [(1 + s) ln(1 + s) - s] / ((u + w) u^3),  s = u/w
    // and all three quotients from one division by the product of their denominators.
    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T ab = p[1], ad = p[3], bd = p[4], rh = p[6], qh = p[7];
        const T q_squared = qh * qh, w = qh * rh;
        const T R_squared = fma(y[0], y[0], y[1] * y[1]);
        const T z_squared = fma(y[2], y[2], T(centre_squared));
        const T r = sqrt(R_squared + z_squared);
        const T B = sqrt(fma(bd, bd, z_squared));
        const T disk_height = ad + B;
        const T S = fma(disk_height, disk_height, R_squared);
        const T u_squared = fma(q_squared, R_squared, z_squared);
        const T u = sqrt(u_squared);

        const T bulge_denominator = r * (r + ab) * (r + ab);
        const T disk_denominator = S * sqrt(S) * B;
        const T halo_denominator = (u + w) * u_squared * u;
        const T bulge_disk = bulge_denominator * disk_denominator;
        const T inverse = T(1) / (bulge_disk * halo_denominator);
        const T inverse_bulge_disk = inverse * halo_denominator;
        const T b = T(-kpc_per_gyr * gravitational_1e10) * p[0] * disk_denominator * inverse_bulge_disk;
        const T d_over_B = T(-kpc_per_gyr * gravitational_1e10) * p[2] * bulge_denominator * inverse_bulge_disk;
        const T h = T(-kpc_per_gyr * gravitational_1e10) * p[5] * qh * w * halo_bracket(u / w) * bulge_disk * inverse;

        const T g_plane = fma(q_squared, h, fma(d_over_B, B, b));
        const T g_z = fma(d_over_B, disk_height, b + h);
        dydt[0] = T(kpc_per_gyr) * y[3];
        dydt[1] = T(kpc_per_gyr) * y[4];
        dydt[2] = T(kpc_per_gyr) * y[5];
        dydt[3] = g_plane * y[0];
        dydt[4] = g_plane * y[1];
        dydt[5] = g_z * y[2];
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<MilkyWay>(y);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* p, T* out) {
        observe_galactic(y, potential(y, p), p + 8, out);
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
        const T R_squared = fma(y[0], y[0], y[1] * y[1]);
        const T z_squared = fma(y[2], y[2], T(centre_squared));
        const T disk_height = p[3] + sqrt(fma(p[4], p[4], z_squared));
        const T m = sqrt(R_squared + z_squared / (p[7] * p[7]));
        const T bulge = p[0] / (sqrt(R_squared + z_squared) + p[1]);
        const T disk = p[2] / sqrt(fma(disk_height, disk_height, R_squared));
        const T halo = p[5] * log1p(m / p[6]) / m;
        return T(-gravitational_1e10) * (bulge + disk + halo);
    }

    /// Second derivative of the potential along the ray from the centre through y, e_r.H e_r with the Hessian H; (km/s/kpc)^2. Along the
    /// ray r and m grow in proportion and B^2 = z^2 + bd^2, so that with ' = d/dr times r
    ///     bulge  -2 G Mb / (r + ab)^3
    ///     disk   G Md (2 S S'' - 3 S'^2) / (4 r^2 S^(5/2)),  S' = 2 (R^2 + h B'),  S'' = 2 (R^2 + B'^2 + h B''),  h = ad + B,
    ///            B' = z^2/B,  B'' = z^2 bd^2/B^3
    ///     halo   G Mh [s (2 + 3 s)/(1 + s)^2 - 2 ln(1 + s)] / (m r^2),  s = m/rh
    template <class T>
    HOST_DEVICE static T potential_rr(const T* y, const T* p) {
        const T R_squared = fma(y[0], y[0], y[1] * y[1]);
        const T z_squared = fma(y[2], y[2], T(centre_squared));
        const T r_squared = R_squared + z_squared;
        const T from_bulge = sqrt(r_squared) + p[1];
        const T bulge = T(-2) * p[0] / (from_bulge * from_bulge * from_bulge);
        const T B_squared = fma(p[4], p[4], z_squared);
        const T B = sqrt(B_squared);
        const T B_1 = z_squared / B, B_2 = z_squared * p[4] * p[4] / (B_squared * B);
        const T h = p[3] + B;
        const T S = fma(h, h, R_squared), S_1 = T(2) * fma(h, B_1, R_squared), S_2 = T(2) * fma(h, B_2, fma(B_1, B_1, R_squared));
        const T disk = T(0.25) * p[2] * fma(T(2) * S, S_2, T(-3) * S_1 * S_1) / (r_squared * S * S * sqrt(S));
        const T m = sqrt(R_squared + z_squared / (p[7] * p[7]));
        const T halo = p[5] * halo_curvature(m / p[6]) / (m * r_squared);
        return T(gravitational_1e10) * (bulge + disk + halo);
    }

    /// s (2 + 3 s)/(1 + s)^2 - 2 ln(1 + s) for s >= 0; below 1e-3, where it cancels, -2 (s^3/3 - 3 s^4/4 + 6 s^5/5 - 5 s^6/3 + ...).
    template <class T>
    HOST_DEVICE static T halo_curvature(const T& s) {
        T series = fma(s, T(10.0 / 3), T(-12.0 / 5));
        series = fma(s, series, T(3.0 / 2));
        series = fma(s, series, T(-2.0 / 3));
        const T one_more = T(1) + s;
        return select(s < T(1e-3), s * s * s * series, s * fma(T(3), s, T(2)) / (one_more * one_more) - T(2) * log1p(s));
    }

    /// (1 + s) ln(1 + s) - s for s >= 0; below 0.01, where it cancels, s^2/2 - s^3/6 + ... + (-s)^n/(n(n - 1)) to n = 8.
    template <class T>
    HOST_DEVICE static T halo_bracket(const T& s) {
        T series = fma(s, T(1.0 / 56), T(-1.0 / 42));
        series = fma(s, series, T(1.0 / 30));
        series = fma(s, series, T(-1.0 / 20));
        series = fma(s, series, T(1.0 / 12));
        series = fma(s, series, T(-1.0 / 6));
        series = fma(s, series, T(0.5));
        return select(s < T(0.01), s * s * series, fma(T(1) + s, log1p(s), -s));
    }

private:
    // Bulge and halo have cusps. This (kpc^2), far below rounding anywhere else, makes the force at the very centre zero instead of 0/0.
    static constexpr double centre_squared = 1e-100;
};

}  // namespace gradscape::models
