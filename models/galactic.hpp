// What the Galactic models share: constants, the state, the Sun's place and motion, observables and invariants of orbits in an
// axisymmetric static potential. Galactocentric, right-handed, the Sun at negative x, z to the north; kpc, km/s, Gyr.
#pragma once

#include "engine/model.hpp"
#include "models/default_state.hpp"
#include "models/relative_error.hpp"
#include "models/sky.hpp"

namespace gradscape::models {

inline constexpr double kpc_per_gyr = 1.022712165045695;         ///< 1 km/s in kpc/Gyr
inline constexpr double gravitational_1e10 = 43009.17270036279;  ///< G times 1e10 solar masses, kpc (km/s)^2
inline constexpr double gravitational = 4.300917270036279e-06;   ///< G times a solar mass, kpc (km/s)^2

struct GalacticStart {
    double x, y, z, vx, vy, vz;
};

consteval std::array<StateInfo, 6> galactic_states(const GalacticStart& start) {
    constexpr double atol_position = 1e-8, atol_velocity = 1e-6;
    return {StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "kiloparsec", .default_value = start.x, .min = 2, .max = 60,
                      .atol = atol_position, .help = "From the Galactic centre away from the Sun, which is at negative x."},
            StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "kiloparsec", .default_value = start.y, .min = -30, .max = 30,
                      .atol = atol_position, .help = "In the plane; at the Sun the disk turns towards positive y."},
            StateInfo{.name = "z", .symbol = "z", .latex = "z", .unit = "kiloparsec", .default_value = start.z, .min = -30, .max = 30,
                      .atol = atol_position, .help = "Height above the plane, positive to the north."},
            StateInfo{.name = "vx", .symbol = "vx", .latex = "v_x", .unit = "km/s", .default_value = start.vx, .min = -250, .max = 250,
                      .atol = atol_velocity, .help = "Velocity along x."},
            StateInfo{.name = "vy", .symbol = "vy", .latex = "v_y", .unit = "km/s", .default_value = start.vy, .min = -300, .max = 300,
                      .atol = atol_velocity, .help = "Velocity along y."},
            StateInfo{.name = "vz", .symbol = "vz", .latex = "v_z", .unit = "km/s", .default_value = start.vz, .min = -250, .max = 250,
                      .atol = atol_velocity, .help = "Velocity along z."}};
}

consteval IndependentInfo galactic_time(double default_end) {
    return {.name = "time",
            .symbol = "t",
            .unit = "Gyr",
            .default_start = 0,
            .default_end = default_end,
            .min = -10,
            .max = 10,
            .help = "An end before the start integrates into the past."};
}

inline constexpr ErrorInfo galactic_error{
    .symbol = "|Δr|/|r|", .unit = "1", .threshold = 1e-4, .help = "Distance from the reference's position over its Galactocentric radius."};

inline constexpr int sun_parameters = 5;

/// The potential's parameters, then the Sun's: those decide what is seen on the sky, and nothing else.
template <std::size_t n>
consteval std::array<ParameterInfo, n + sun_parameters> with_sun(const std::array<ParameterInfo, n>& potential) {
    const std::array sun{
        ParameterInfo{.name = "R_sun", .symbol = "R₀", .latex = "R_0", .unit = "kiloparsec", .default_value = 8.122, .min = 7.5, .max = 8.7,
                      .hard_min = 1, .hard_max = 100,
                      .help = "Distance of the Sun from the Galactic centre (GRAVITY Collaboration 2018, A&A 615, L15)."},
        ParameterInfo{.name = "z_sun", .symbol = "z₀", .latex = "z_0", .unit = "kiloparsec", .default_value = 0.0208, .min = -0.05,
                      .max = 0.05, .hard_min = -0.5, .hard_max = 0.5,
                      .help = "Height of the Sun above the Galactic plane (Bennett & Bovy 2019, MNRAS 482, 1417)."},
        ParameterInfo{.name = "vx_sun", .symbol = "vx☉", .latex = "v_{x,\\odot}", .unit = "km/s", .default_value = 12.9, .min = 0,
                      .max = 25,
                      .help = "Velocity of the Sun along x, towards the Galactic centre (Drimmel & Poggio 2018, RNAAS 2, 210)."},
        ParameterInfo{.name = "vy_sun", .symbol = "vy☉", .latex = "v_{y,\\odot}", .unit = "km/s", .default_value = 245.6, .min = 220,
                      .max = 270, .help = "Velocity of the Sun along y, with the rotation of the disk."},
        ParameterInfo{.name = "vz_sun", .symbol = "vz☉", .latex = "v_{z,\\odot}", .unit = "km/s", .default_value = 7.78, .min = 0,
                      .max = 15, .help = "Velocity of the Sun along z, to the north."}};
    std::array<ParameterInfo, n + sun_parameters> all{};
    for (std::size_t i = 0; i < n; ++i) all[i] = potential[i];
    for (std::size_t i = 0; i < sun_parameters; ++i) all[n + i] = sun[i];
    return all;
}

inline constexpr std::array galactic_observables{
    ObservableInfo{.name = "R", .symbol = "R", .latex = "R", .unit = "kiloparsec", .help = "Distance from the axis of the Galaxy."},
    ObservableInfo{.name = "phi", .symbol = "φ", .latex = "\\phi", .unit = "degree", .period = 360,
                   .help = "Azimuth from the x axis, -180 to 180; the Sun is at 180."},
    ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "kiloparsec", .help = "Distance from the Galactic centre."},
    ObservableInfo{.name = "vR", .symbol = "vR", .latex = "v_R", .unit = "km/s", .help = "Velocity away from the axis."},
    ObservableInfo{.name = "vphi", .symbol = "vφ", .latex = "v_\\phi", .unit = "km/s",
                   .help = "Velocity around the axis, Lz/R; negative with the disk."},
    ObservableInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "km^2/s^2", .help = "Energy per mass, v^2/2 + Phi."},
    ObservableInfo{.name = "Lz", .symbol = "Lz", .latex = "L_z", .unit = "kiloparsec*km/s",
                   .help = "Angular momentum around the axis, x vy - y vx; negative with the disk."},
    ObservableInfo{.name = "L", .symbol = "L", .latex = "L", .unit = "kiloparsec*km/s", .help = "Length of the angular momentum."},
    ObservableInfo{.name = "ra", .symbol = "α", .latex = "\\alpha", .unit = "degree", .period = 360,
                   .help = "Right ascension (ICRS), 0 to 360."},
    ObservableInfo{.name = "dec", .symbol = "δ", .latex = "\\delta", .unit = "degree", .help = "Declination (ICRS)."},
    ObservableInfo{.name = "distance", .symbol = "d", .latex = "d", .unit = "kiloparsec", .help = "Distance from the Sun."},
    ObservableInfo{.name = "pm_ra", .symbol = "μα*", .latex = "\\mu_{\\alpha*}", .unit = "milliarcsecond/yr",
                   .help = "Proper motion in right ascension, cos(dec) included."},
    ObservableInfo{.name = "pm_dec", .symbol = "μδ", .latex = "\\mu_\\delta", .unit = "milliarcsecond/yr",
                   .help = "Proper motion in declination."},
    ObservableInfo{.name = "v_r", .symbol = "v_r", .latex = "v_r", .unit = "km/s",
                   .help = "Radial velocity, seen from the Sun; positive when receding."},
    ObservableInfo{.name = "phi1", .symbol = "φ₁", .latex = "\\phi_1", .unit = "degree", .period = 360,
                   .help = "Angle along the stream GD-1, -180 to 180 (frame of Koposov, Rix & Hogg 2010, ApJ 712, 260)."},
    ObservableInfo{.name = "phi2", .symbol = "φ₂", .latex = "\\phi_2", .unit = "degree", .help = "Angle across the stream GD-1."},
    ObservableInfo{.name = "pm_phi1", .symbol = "μφ₁*", .latex = "\\mu_{\\phi_1*}", .unit = "milliarcsecond/yr",
                   .help = "Proper motion along the stream GD-1, cos(phi2) included."},
    ObservableInfo{.name = "pm_phi2", .symbol = "μφ₂", .latex = "\\mu_{\\phi_2}", .unit = "milliarcsecond/yr",
                   .help = "Proper motion across the stream GD-1."}};

inline constexpr std::array galactic_invariants{
    InvariantInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "km^2/s^2", .help = "The potential is static."},
    InvariantInfo{.name = "Lz", .symbol = "Lz", .latex = "L_z", .unit = "kiloparsec*km/s", .help = "The potential is axisymmetric."}};

template <class T>
HOST_DEVICE inline T galactic_energy(const T* y, const T& potential) {
    return fma(T(0.5), fma(y[3], y[3], fma(y[4], y[4], y[5] * y[5])), potential);
}

/// potential: at the position of y, in (km/s)^2. sun: the last parameters of with_sun.
template <class T>
HOST_DEVICE inline void observe_galactic(const T* y, const T& potential, const T* sun, T* out) {
    const T R_squared = fma(y[0], y[0], y[1] * y[1]);
    const T R = sqrt(R_squared);
    const T Lx = fma(y[1], y[5], -(y[2] * y[4])), Ly = fma(y[2], y[3], -(y[0] * y[5])), Lz = fma(y[0], y[4], -(y[1] * y[3]));
    const SkyCoordinates<T> sky = sky_coordinates(y, sun);
    out[0] = R;
    out[1] = T(57.29577951308232) * atan2(y[1], y[0]);
    out[2] = sqrt(fma(y[2], y[2], R_squared));
    out[3] = fma(y[0], y[3], y[1] * y[4]) / R;
    out[4] = Lz / R;
    out[5] = galactic_energy(y, potential);
    out[6] = Lz;
    out[7] = sqrt(fma(Lx, Lx, fma(Ly, Ly, Lz * Lz)));
    out[8] = sky.icrs.longitude;
    out[9] = sky.icrs.latitude;
    out[10] = sky.distance;
    out[11] = sky.icrs.pm_longitude;
    out[12] = sky.icrs.pm_latitude;
    out[13] = sky.radial_velocity;
    out[14] = sky.stream.longitude;
    out[15] = sky.stream.latitude;
    out[16] = sky.stream.pm_longitude;
    out[17] = sky.stream.pm_latitude;
}

template <class T>
HOST_DEVICE inline void conserved_galactic(const T* y, const T& potential, T* out) {
    out[0] = galactic_energy(y, potential);
    out[1] = fma(y[0], y[4], -(y[1] * y[3]));
}

}  // namespace gradscape::models
