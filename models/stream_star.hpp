// Stellar streams by particle spray: every member is one star, released from its progenitor at a time of its own near one of the
// progenitor's two Lagrange points, and followed until today. Fardal, Huang & Weinberg 2015, MNRAS 452, 301; Chen, Valluri, Gnedin & Ash
// 2025, ApJS 276, 32.
#pragma once

#include <limits>

#include "models/log_halo.hpp"
#include "models/milky_way.hpp"

namespace gradscape::models {

/// Where the stars leave the progenitor: position X, velocity V, tidal radius and the directions outwards, along the motion and along
/// the angular momentum.
template <class T>
struct ReleaseFrame {
    T X[3], V[3];
    T e_r[3], e_t[3], e_z[3];
    T tidal_radius;  ///< kpc
    T angular_speed; ///< km/s/kpc
    T mass;          ///< of the progenitor, Msun
};

/// w: the progenitor's position and velocity. NaN where the host holds a star too weakly for a tidal radius to exist.
template <class Host, class T>
HOST_DEVICE ReleaseFrame<T> release_frame(const T* w, const T* potential, const T& mass) {
    ReleaseFrame<T> frame;
    T L[3];
    for (int i = 0; i < 3; ++i) {
        frame.X[i] = w[i];
        frame.V[i] = w[3 + i];
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        L[i] = fma(w[j], w[3 + k], -(w[k] * w[3 + j]));
    }
    const auto length_squared = [](const T* v) { return fma(v[0], v[0], fma(v[1], v[1], v[2] * v[2])); };
    const T r_squared = length_squared(w);
    const T inverse_r = T(1) / sqrt(r_squared), L_length = sqrt(length_squared(L));
    for (int i = 0; i < 3; ++i) {
        frame.e_r[i] = w[i] * inverse_r;
        frame.e_z[i] = L[i] / L_length;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        frame.e_t[i] = fma(frame.e_z[j], frame.e_r[k], -(frame.e_z[k] * frame.e_r[j]));
    }
    frame.angular_speed = L_length / r_squared;
    frame.mass = mass;
    const T tide = fma(frame.angular_speed, frame.angular_speed, -Host::potential_rr(w, potential));
    frame.tidal_radius = pow(T(gravitational) * mass / tide, T(1.0 / 3));
    return frame;
}

/// Positions and velocities in units of the tidal radius and of the circular motion there: Fardal, Huang & Weinberg 2015, section 2.
struct Fardal2015 {
    static constexpr const char* name = "fardal2015";
    static constexpr std::array draws{
        DrawInfo{.name = "kr", .symbol = "kr", .latex = "k_r", .unit = "1", .standard = DrawInfo::Standard::normal,
                 .help = "Radial offset at release in tidal radii: normal, mean 2, standard deviation 0.4."},
        DrawInfo{.name = "kvt", .symbol = "kvt", .latex = "k_{v,t}", .unit = "1", .standard = DrawInfo::Standard::normal,
                 .help = "Offset of the tangential velocity in tidal radii times angular speed: normal, mean 0.3, standard deviation 0.4."},
        DrawInfo{.name = "kz", .symbol = "kz", .latex = "k_z", .unit = "1", .standard = DrawInfo::Standard::normal,
                 .help = "Vertical offset at release in tidal radii: normal, mean 0, standard deviation 0.5."},
        DrawInfo{.name = "kvz", .symbol = "kvz", .latex = "k_{v,z}", .unit = "1", .standard = DrawInfo::Standard::normal,
                 .help = "Offset of the vertical velocity in tidal radii times angular speed: normal, mean 0, standard deviation 0.5."}};

    static void draw(const double* standard, double* out) {
        out[0] = 2.0 + 0.4 * standard[0];
        out[1] = 0.3 + 0.4 * standard[1];
        out[2] = 0.5 * standard[2];
        out[3] = 0.5 * standard[3];
    }

    template <class T>
    HOST_DEVICE static void release(const ReleaseFrame<T>& at, const T& tail, const T* k, T* y) {
        const T length = tail * at.tidal_radius, speed = length * at.angular_speed;
        for (int i = 0; i < 3; ++i) {
            y[i] = fma(length, fma(k[0], at.e_r[i], k[2] * at.e_z[i]), at.X[i]);
            y[3 + i] = fma(speed, fma(k[1], at.e_t[i], k[3] * at.e_z[i]), at.V[i]);
        }
    }
};

/// A distance in tidal radii, and directions of the offsets in position and velocity; meant for the progenitor's gravity switched on.
/// Chen, Valluri, Gnedin & Ash 2025, table 1.
struct Chen2025 {
    static constexpr const char* name = "chen2025";
    static constexpr std::array draws{
        DrawInfo{.name = "k", .symbol = "k", .latex = "k", .unit = "1", .standard = DrawInfo::Standard::normal,
                 .help = "Distance from the progenitor at release in tidal radii: normal, mean 1.6, standard deviation 0.35."},
        DrawInfo{.name = "phi_pos", .symbol = "φ_x", .latex = "\\phi", .unit = "degree", .standard = DrawInfo::Standard::normal,
                 .help = "Azimuth of the offset in position, from outwards towards the motion: normal, mean -30, standard deviation 23."},
        DrawInfo{.name = "theta_pos", .symbol = "θ_x", .latex = "\\theta", .unit = "degree", .standard = DrawInfo::Standard::normal,
                 .help = "Elevation of the offset in position: normal, mean 0, standard deviation 12."},
        DrawInfo{.name = "phi_vel", .symbol = "α_v", .latex = "\\alpha", .unit = "degree", .standard = DrawInfo::Standard::normal,
                 .help = "Azimuth of the offset in velocity: normal, mean 20, standard deviation 20, correlated with k (covariance -4.9)."},
        DrawInfo{.name = "theta_vel", .symbol = "β_v", .latex = "\\beta", .unit = "degree", .standard = DrawInfo::Standard::normal,
                 .help = "Elevation of the offset in velocity: normal, mean 0, standard deviation 22."}};

    static void draw(const double* standard, double* out) {
        constexpr double k_sd = 0.35, covariance = -4.9, along_k = covariance / k_sd;  // Cholesky factor of the 2 x 2 covariance matrix
        constexpr double beside_k = 14.282856857085697;                                // sqrt(400 - along_k^2)
        out[0] = 1.6 + k_sd * standard[0];
        out[1] = -30 + 23 * standard[1];
        out[2] = 12 * standard[2];
        out[3] = 20 + along_k * standard[0] + beside_k * standard[3];
        out[4] = 22 * standard[4];
    }

    template <class T>
    HOST_DEVICE static void release(const ReleaseFrame<T>& at, const T& tail, const T* draws, T* y) {
        constexpr double radians = 0.017453292519943295;
        const T distance = abs(draws[0]) * at.tidal_radius;  // the normal distribution leaves one star in 4e5 below zero
        const T escape_speed = sqrt(T(2 * gravitational) * at.mass / distance);
        offset(at, tail * distance, distance, T(radians) * draws[1], T(radians) * draws[2], at.X, y);
        offset(at, tail * escape_speed, escape_speed, T(radians) * draws[3], T(radians) * draws[4], at.V, y + 3);
    }

private:
    template <class T>
    HOST_DEVICE static void offset(const ReleaseFrame<T>& at, const T& in_plane, const T& vertical, const T& azimuth, const T& elevation,
                                   const T* from, T* to) {
        const T outwards = in_plane * cos(elevation) * cos(azimuth), along = in_plane * cos(elevation) * sin(azimuth);
        const T up = vertical * sin(elevation);
        for (int i = 0; i < 3; ++i) to[i] = from[i] + fma(outwards, at.e_r[i], fma(along, at.e_t[i], up * at.e_z[i]));
    }
};

template <class Part, std::size_t... n>
constexpr auto joined(const std::array<Part, n>&... parts) {
    std::array<Part, (n + ...)> all{};
    std::size_t i = 0;
    const auto append = [&](const auto& part) {
        for (const Part& info : part) all[i++] = info;
    };
    (append(parts), ...);
    return all;
}

/// What the streams have in common. p: the host's parameters and the Sun's, the stream's own, the draws (release time, tail, kernel), the
/// progenitor's state at the release.
template <class Host, class Kernel, bool self_gravity>
struct StreamStarOf {
    static constexpr IndependentInfo independent{
        .name = "time",
        .symbol = "t",
        .unit = "Gyr",
        .default_start = -2,
        .default_end = 0,
        .min = -6,
        .max = 0,
        .default_save = 1,
        .help = "Today is 0, where every span ends. Each star starts at its own release.",
        .only_default_end = true};

    static constexpr auto states = [] {
        constexpr double computed = std::numeric_limits<double>::quiet_NaN();
        auto star = galactic_states({computed, computed, computed, computed, computed, computed});
        star[0].min = -60;
        if constexpr (!self_gravity) {
            return star;
        } else {
            auto progenitor = star;
            constexpr const char* names[] = {"xp", "yp", "zp", "vxp", "vyp", "vzp"};
            constexpr const char* latex[] = {"x_p", "y_p", "z_p", "v_{x,p}", "v_{y,p}", "v_{z,p}"};
            for (std::size_t i = 0; i < progenitor.size(); ++i) {
                progenitor[i].name = progenitor[i].symbol = names[i];
                progenitor[i].latex = latex[i];
                progenitor[i].help = i < 3 ? "Position of the progenitor." : "Velocity of the progenitor.";
            }
            return joined(star, progenitor);
        }
    }();

    static constexpr std::array stream_parameters{
        ParameterInfo{.name = "Mp", .symbol = "Mp", .latex = "M_p", .unit = "Msun", .default_value = 2e4, .min = 1e3, .max = 1e8,
                      .scale = Scale::log, .hard_min = 1e-3, .hard_max = 1e12, .help = "Mass of the progenitor.",
                      .start_only = !self_gravity},
        ParameterInfo{.name = "bp", .symbol = "bp", .latex = "b_p", .unit = "kiloparsec", .default_value = 0.01, .min = 0.002, .max = 0.5,
                      .scale = Scale::log, .hard_min = 1e-6, .hard_max = 1e3,
                      .help = self_gravity ? "Plummer radius of the progenitor."
                                           : "Plummer radius of the progenitor; not used without its gravity."},
        ParameterInfo{.name = "t_strip", .symbol = "t_strip", .latex = "t_\\mathrm{strip}", .unit = "Gyr", .default_value = 2, .min = 0.2,
                      .max = 6, .hard_min = -100, .hard_max = 100,
                      .help = "Stars are released from -t_strip until today. A negative one runs the stream backwards, from releases in "
                              "the future."},
        ParameterInfo{.name = "X0", .symbol = "X₀", .latex = "X_0", .unit = "kiloparsec", .default_value = 8.2, .min = -60, .max = 60,
                      .help = "Progenitor's position today: from the Galactic centre away from the Sun, which is at negative X."},
        ParameterInfo{.name = "Y0", .symbol = "Y₀", .latex = "Y_0", .unit = "kiloparsec", .default_value = 0.2, .min = -60, .max = 60,
                      .help = "Progenitor's position today, in the plane; at the Sun the disk turns towards positive Y."},
        ParameterInfo{.name = "Z0", .symbol = "Z₀", .latex = "Z_0", .unit = "kiloparsec", .default_value = 16.6, .min = -60, .max = 60,
                      .help = "Progenitor's height above the plane today."},
        ParameterInfo{.name = "VX0", .symbol = "VX₀", .latex = "V_{X,0}", .unit = "km/s", .default_value = -50, .min = -300, .max = 300,
                      .help = "Progenitor's velocity along X today."},
        ParameterInfo{.name = "VY0", .symbol = "VY₀", .latex = "V_{Y,0}", .unit = "km/s", .default_value = -110, .min = -300, .max = 300,
                      .help = "Progenitor's velocity along Y today."},
        ParameterInfo{.name = "VZ0", .symbol = "VZ₀", .latex = "V_{Z,0}", .unit = "km/s", .default_value = -16, .min = -300, .max = 300,
                      .help = "Progenitor's velocity along Z today."}};
    static constexpr auto parameters = joined(Host::parameters, stream_parameters);

    static constexpr auto draws = joined(
        std::array{DrawInfo{.name = "t_release", .symbol = "t_rel", .latex = "t_\\mathrm{rel}", .unit = "Gyr",
                            .standard = DrawInfo::Standard::uniform, .help = "Time of the release: uniform in [-t_strip, 0)."},
                   DrawInfo{.name = "tail", .symbol = "tail", .latex = "s", .unit = "1", .standard = DrawInfo::Standard::sign,
                            .help = "1: trailing tail, released outwards; -1: leading tail, released inwards; half the stars each."}},
        Kernel::draws);
    static constexpr int start_draw = 0;

    static constexpr auto observables = joined(
        galactic_observables,
        std::array{ObservableInfo{.name = "energy_offset", .symbol = "ΔE", .latex = "\\Delta E", .unit = "km^2/s^2",
                                  .help = "Energy in the host's potential, less the progenitor's; the trailing tail has more."},
                   ObservableInfo{.name = "Lz_offset", .symbol = "ΔLz", .latex = "\\Delta L_z", .unit = "kiloparsec*km/s",
                                  .help = "Angular momentum around the axis, less the progenitor's."}});
    static constexpr auto invariants = [] {
        auto conserved = galactic_invariants;
        if constexpr (self_gravity) {
            conserved[0].name = "progenitor_energy";
            conserved[1].name = "progenitor_Lz";
        }
        return conserved;
    }();
    static constexpr std::array spreads{SpreadInfo{.kind = SpreadInfo::Kind::extent, .observable = "phi1", .frame = "GD-1's frame"},
                                        SpreadInfo{.kind = SpreadInfo::Kind::width, .observable = "phi2", .along = "phi1",
                                                   .frame = "GD-1's frame"}};

    static constexpr int sun = Host::potential_parameters;
    static constexpr int stream = static_cast<int>(Host::parameters.size());  // Mp, bp, t_strip, then the progenitor today
    static constexpr int first_draw = static_cast<int>(parameters.size());    // t_release, tail, then the kernel's
    static constexpr int progenitor = first_draw + static_cast<int>(draws.size());

    static void draw(const double* p, const double* standard, double* out) {
        out[0] = -p[stream + 2] * (1 - standard[0]);  // exact, so never 0
        out[1] = standard[1];
        Kernel::draw(standard + 2, out + 2);
    }

    /// The progenitor's orbit, from today back to the earliest release. Where the Sun is doesn't matter to it.
    using Guide = Host;
    static void guide(const double* p, double* guide_p, double* guide_y, double& start, double& end) {
        for (int i = 0; i < stream; ++i) guide_p[i] = i < Host::potential_parameters ? p[i] : 0;
        for (int i = 0; i < 6; ++i) guide_y[i] = p[stream + 3 + i];
        start = 0;
        end = -p[stream + 2];
    }

    template <class T>
    HOST_DEVICE static void rhs(const T& t, const T* y, const T* p, T* dydt) {
        Host::rhs(t, y, p, dydt);
        if constexpr (self_gravity) {
            Host::rhs(t, y + 6, p, dydt + 6);
            const T apart[3] = {y[0] - y[6], y[1] - y[7], y[2] - y[8]};
            const T b = p[stream + 1];
            const T a_squared = fma(b, b, fma(apart[0], apart[0], fma(apart[1], apart[1], apart[2] * apart[2])));
            const T pull = T(-kpc_per_gyr * gravitational) * p[stream] / (a_squared * sqrt(a_squared));
            for (int i = 0; i < 3; ++i) dydt[3 + i] = fma(pull, apart[i], dydt[3 + i]);
        }
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        Kernel::release(frame(p), p[first_draw + 1], p + first_draw + 2, y);
        if constexpr (self_gravity)
            for (int i = 0; i < 6; ++i) y[6 + i] = p[progenitor + i];
    }

    /// At the star's release.
    template <class T>
    HOST_DEVICE static ReleaseFrame<T> frame(const T* p) {
        return release_frame<Host>(p + progenitor, p, p[stream]);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* p, T* out) {
        const T potential = Host::potential(y, p);
        observe_galactic(y, potential, p + sun, out);
        const T* const today = p + stream + 3;
        T of_star[2], of_progenitor[2];
        conserved_galactic(y, potential, of_star);
        conserved_galactic(today, Host::potential(today, p), of_progenitor);
        for (std::size_t i = 0; i < 2; ++i) out[galactic_observables.size() + i] = of_star[i] - of_progenitor[i];
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* y, const T* p, T* out) {
        const T* const free = self_gravity ? y + 6 : y;  // nothing but the host acts on it
        conserved_galactic(free, Host::potential(free, p), out);
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<3>(y, reference);
    }
};

inline constexpr const char* stream_citation_fardal = "Fardal, Huang & Weinberg 2015, MNRAS 452, 301";
inline constexpr const char* stream_citation_chen = "Chen, Valluri, Gnedin & Ash 2025, ApJS 276, 32";

inline constexpr const char* stream_equations_fardal =
    "Release at t_rel from the progenitor's orbit (X, V), L = X x V, Omega = |L|/r^2, e_r = X/r, e_z = L/|L|, e_t = e_z x e_r:\n"
    "r_t = (G Mp / (Omega^2 - d2Phi/dr2))^(1/3),  G = 4.300917270036279e-06 kpc (km/s)^2 per Msun\n"
    "x = X + tail r_t (kr e_r + kz e_z),  v = V + tail Omega r_t (kvt e_t + kvz e_z)\n"
    "then dx/dt = K v,  dv/dt = -K grad Phi until today,  K = 1.022712165045695 kpc/Gyr per km/s";
inline constexpr const char* stream_equations_chen =
    "Release at t_rel from the progenitor's orbit (X, V), L = X x V, Omega = |L|/r^2, e_r = X/r, e_z = L/|L|, e_t = e_z x e_r:\n"
    "r_t = (G Mp / (Omega^2 - d2Phi/dr2))^(1/3),  G = 4.300917270036279e-06 kpc (km/s)^2 per Msun\n"
    "D = k r_t,  v_e = sqrt(2 G Mp/D)\n"
    "x = X + tail D cos(theta_pos) (cos(phi_pos) e_r + sin(phi_pos) e_t) + D sin(theta_pos) e_z\n"
    "v = V + tail v_e cos(theta_vel) (cos(phi_vel) e_r + sin(phi_vel) e_t) + v_e sin(theta_vel) e_z\n"
    "then star and progenitor together until today, K = 1.022712165045695 kpc/Gyr per km/s:\n"
    "dx/dt = K v,  dv/dt = -K grad Phi(x) - K G Mp (x - X) / (|x - X|^2 + bp^2)^(3/2)\n"
    "dX/dt = K V,  dV/dt = -K grad Phi(X)";

struct StreamStar : StreamStarOf<LogHalo, Fardal2015, false> {
    static constexpr ModelInfo info{
        .name = "stream_star",
        .title = "Stellar stream in a flattened logarithmic halo",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "Each member is one star of a stream, released from the progenitor's orbit at a random time (particle spray) and "
                   "followed until today. The potential Phi is that of log_halo; the progenitor's gravity is left out.",
        .equations = stream_equations_fardal,
        .citation = stream_citation_fardal,
        .independent = independent,
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-8,
        .default_functional = "phi2"};
};

struct StreamStarMilkyWay : StreamStarOf<MilkyWay, Fardal2015, false> {
    static constexpr ModelInfo info{
        .name = "stream_star_milky_way",
        .title = "Stellar stream in the Milky Way",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "Each member is one star of a stream, released from the progenitor's orbit at a random time (particle spray) and "
                   "followed until today. The potential Phi is that of milky_way; the progenitor's gravity is left out.",
        .equations = stream_equations_fardal,
        .citation = stream_citation_fardal,
        .independent = independent,
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "phi2"};
};

struct StreamStarSelfGravity : StreamStarOf<LogHalo, Chen2025, true> {
    static constexpr ModelInfo info{
        .name = "stream_star_self_gravity",
        .title = "Stellar stream with its progenitor's gravity, in a flattened logarithmic halo",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "Each member is one star of a stream, released from the progenitor's orbit at a random time (particle spray) and "
                   "followed until today, together with the progenitor, a Plummer sphere that pulls at it. The potential Phi is that of "
                   "log_halo.",
        .equations = stream_equations_chen,
        .citation = stream_citation_chen,
        .independent = independent,
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "phi2"};
};

struct StreamStarMilkyWaySelfGravity : StreamStarOf<MilkyWay, Chen2025, true> {
    static constexpr ModelInfo info{
        .name = "stream_star_milky_way_self_gravity",
        .title = "Stellar stream with its progenitor's gravity, in the Milky Way",
        .group = "Galactic dynamics",
        .version = "1",
        .summary = "Each member is one star of a stream, released from the progenitor's orbit at a random time (particle spray) and "
                   "followed until today, together with the progenitor, a Plummer sphere that pulls at it. The potential Phi is that of "
                   "milky_way.",
        .equations = stream_equations_chen,
        .citation = stream_citation_chen,
        .independent = independent,
        .error = galactic_error,
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "phi2"};
};

}  // namespace gradscape::models
