// Thawing quintessence in a flat universe: a scalar field that Hubble friction held still and that has begun to roll. Shared by the models
// of one potential each.
//
// Units: reduced Planck mass 1 for the field, H0 for H; V = 3 H0^2 v U(phi) with the dimensionless amplitude v. ' is d/dN, N = ln a.
//     E^2 = (Om e^(-3N) + Or e^(-4N) + v U) / (1 - phi'^2/6),  E = H/H0,  Or = omega_r / (H0/100 km/s/Mpc)^2
//     phi'' = -(3 - eps) phi' - 3 v U_phi / E^2,  eps = ((3 Om e^(-3N) + 4 Or e^(-4N)) / E^2 + phi'^2)/2 = -H'/H
//     chi' = e^(-N)/E                 comoving distance in units of c/H0
// Spatial flatness, E = 1 today, closes the system: v is solved for.
// Caldwell & Linder 2005, Physical Review Letters 95, 141301; Hogg 1999, arXiv:astro-ph/9905116 (distances).
#pragma once

#include <cmath>

#include "engine/host_device.hpp"
#include "engine/model.hpp"
#include "models/short_exp.hpp"

namespace gradscape::models {

inline constexpr double light_speed = 299792.458;      // km/s
/// Omega_r h^2: photons and 3.04 massless neutrinos.
inline constexpr double radiation_density = 4.18e-5;

constexpr IndependentInfo quintessence_efolds{
    .name = "efolds",
    .symbol = "N",
    .unit = "1",
    .default_start = -7,
    .default_end = 0,
    .min = -7,
    .max = 0,
    .hard_min = -20,
    .hard_max = 0,
    .default_save = 101,
    .help = "Logarithm of the scale factor, N = ln a = -ln(1 + z); 0 today.",
    .alias = {.name = "redshift",
              .to_independent = [](double z) { return 0.0 - std::log1p(z); },  // 0 rather than -0 today
              .from_independent = [](double N) { return std::expm1(0.0 - N); }}};

constexpr ErrorInfo distance_error{
    .symbol = "|ΔD_L|/D_L", .unit = "1", .threshold = 1e-6, .help = "Difference of the luminosity distances over the reference's."};

constexpr ShootingInfo flatness{
    .end = 0,
    .search = {.tolerance = 1e-11, .largest = 60},
    .condition = "E(N = 0) = 1",
    .no_solution = "No amplitude of the potential up to v = 60 was found that makes the universe flat for these parameters."};

constexpr std::array flatness_internals{
    InternalInfo{.name = "v", .symbol = "v", .latex = "v", .unit = "1",
                 .help = "Amplitude of the potential, V = 3 H0^2 v U; the root of the flatness condition."},
    InternalInfo{.name = "chi_today", .symbol = "χ(0)", .latex = "\\chi(0)", .unit = "1",
                 .help = "Comoving distance covered from the start until today, in units of c/H0."}};

/// The states for a start of the field at phi; NaN where the model computes it.
consteval std::array<StateInfo, 3> quintessence_states(double phi) {
    return {StateInfo{.name = "phi", .symbol = "φ", .latex = "\\phi", .unit = "1", .default_value = phi, .min = -3, .max = 3, .atol = 1e-8,
                      .help = "Field in reduced Planck masses."},
            StateInfo{.name = "u", .symbol = "φ′", .latex = "\\phi'", .unit = "1", .default_value = 0, .min = -1, .max = 1, .atol = 1e-8,
                      .help = "Change of the field per e-fold, dphi/dN."},
            StateInfo{.name = "chi", .symbol = "χ", .latex = "\\chi", .unit = "1", .default_value = 0, .min = 0, .max = 4, .atol = 1e-9,
                      .help = "Comoving distance covered since the start, in units of c/H0."}};
}

constexpr ParameterInfo hubble_parameter{.name = "H0", .symbol = "H₀", .latex = "H_0", .unit = "km/s/megaparsec", .default_value = 70,
                                         .min = 60, .max = 80, .hard_min = 1, .hard_max = 1000, .help = "Hubble constant."};
constexpr ParameterInfo matter_parameter{.name = "Om", .symbol = "Ωm", .latex = "\\Omega_m", .unit = "1", .default_value = 0.31,
                                         .min = 0.1, .max = 0.5, .hard_min = 0, .hard_max = 1,
                                         .help = "Density of matter today over the critical density."};

constexpr std::array quintessence_observables{
    ObservableInfo{.name = "z", .symbol = "z", .latex = "z", .unit = "1", .help = "Redshift."},
    ObservableInfo{.name = "E", .symbol = "E", .latex = "E", .unit = "1", .help = "Expansion rate over today's, H/H0."},
    ObservableInfo{.name = "H", .symbol = "H", .latex = "H", .unit = "km/s/megaparsec", .help = "Expansion rate."},
    ObservableInfo{.name = "w", .symbol = "w", .latex = "w", .unit = "1", .help = "Pressure of the field over its density."},
    ObservableInfo{.name = "Omega_m", .symbol = "Ωm(z)", .latex = "\\Omega_m(z)", .unit = "1",
                   .help = "Density of matter over the critical density at the time."},
    ObservableInfo{.name = "Omega_phi", .symbol = "Ωφ(z)", .latex = "\\Omega_\\phi(z)", .unit = "1",
                   .help = "Density of the field over the critical density at the time."},
    ObservableInfo{.name = "Omega_r", .symbol = "Ωr(z)", .latex = "\\Omega_r(z)", .unit = "1",
                   .help = "Density of radiation over the critical density at the time."},
    ObservableInfo{.name = "D_C", .symbol = "D_C", .latex = "D_C", .unit = "megaparsec", .help = "Comoving distance."},
    ObservableInfo{.name = "D_A", .symbol = "D_A", .latex = "D_A", .unit = "megaparsec", .help = "Angular diameter distance."},
    ObservableInfo{.name = "D_L", .symbol = "D_L", .latex = "D_L", .unit = "megaparsec", .help = "Luminosity distance."},
    ObservableInfo{.name = "D_H", .symbol = "D_H", .latex = "D_H", .unit = "megaparsec", .help = "Hubble distance c/H."},
    ObservableInfo{.name = "D_V", .symbol = "D_V", .latex = "D_V", .unit = "megaparsec",
                   .help = "Distance averaged over the directions, (z D_C^2 D_H)^(1/3)."},
    ObservableInfo{.name = "mu", .symbol = "μ", .latex = "\\mu", .unit = "1",
                   .help = "Distance modulus, 5 log10(D_L/Mpc) + 25; missing at redshift 0."}};

template <class T>
struct PotentialValue {
    T value, slope;
};

/// Potential::parameters are the potential's own; Potential::at(phi, q) is U and dU/dphi, with its parameters q.
template <class Potential>
struct Quintessence {
    static constexpr auto observables = quintessence_observables;
    static constexpr std::array<InvariantInfo, 0> invariants{};
    static constexpr auto internals = flatness_internals;
    static constexpr ShootingInfo shooting = flatness;

    // p: H0, Om, the potential's parameters, v, chi(0)
    static constexpr int potential_at = 2, amplitude_at = potential_at + Potential::n_parameters, chi_today_at = amplitude_at + 1;

    // Both sides of E^2 times H0^2, so that Or needs no division: H0^2 Or = 1e4 omega_r.
    template <class T>
    HOST_DEVICE static void rhs(const T& N, const T* y, const T* p, T* dydt) {
        const T inverse_a = short_exp(-N);
        const T H0_squared = p[0] * p[0];
        const T inverse_a3 = inverse_a * inverse_a * inverse_a;
        const T matter = H0_squared * p[1] * inverse_a3, radiation = T(1e4 * radiation_density) * (inverse_a3 * inverse_a);
        const T amplitude = H0_squared * p[amplitude_at];
        const PotentialValue<T> U = Potential::at(y[0], p + potential_at);
        const T u = y[1];
        const T inverse_density = fma(T(-1.0 / 6) * u, u, T(1)) / (matter + radiation + amplitude * U.value);  // 1/(H0 E)^2
        const T eps = T(0.5) * fma(fma(T(3), matter, T(4) * radiation), inverse_density, u * u);
        dydt[0] = u;
        dydt[1] = fma(eps - T(3), u, T(-3) * amplitude * U.slope * inverse_density);
        dydt[2] = inverse_a * p[0] * sqrt(inverse_density);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& N, const T* y, const T* p, T* out) {
        const T z = expm1(T(0) - N), inverse_a = T(1) + z;
        const T inverse_a3 = inverse_a * inverse_a * inverse_a;
        const T matter = p[1] * inverse_a3, radiation = radiation_today(p) * (inverse_a3 * inverse_a);
        const T potential = p[amplitude_at] * Potential::at(y[0], p + potential_at).value;
        const T E_squared = (matter + radiation + potential) / fma(T(-1.0 / 6) * y[1], y[1], T(1));
        const T kinetic = T(1.0 / 6) * y[1] * y[1] * E_squared;
        const T E = sqrt(E_squared), H = p[0] * E;
        const T D_C = T(light_speed) / p[0] * (p[chi_today_at] - y[2]), D_L = inverse_a * D_C, D_H = T(light_speed) / H;
        const T volume = z * D_C * D_C * D_H;
        out[0] = z;
        out[1] = E;
        out[2] = H;
        out[3] = (kinetic - potential) / (kinetic + potential);
        out[4] = matter / E_squared;
        out[5] = (kinetic + potential) / E_squared;
        out[6] = radiation / E_squared;
        out[7] = D_C;
        out[8] = D_C / inverse_a;
        out[9] = D_L;
        out[10] = D_H;
        out[11] = select(volume > T(0), exp(T(1.0 / 3) * log(max(volume, T(1e-300)))), T(0));
        out[12] = select(D_L > T(0), fma(T(5 / 2.302585092994046), log(max(D_L, T(1e-300))), T(25)), T(__builtin_nan("")));
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*N*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    // (1 + z) and c/H0 are the same on both sides.
    template <class T>
    HOST_DEVICE static T error(const T* y, const T* p, const T* reference, const T* p_reference) {
        const T D = p[chi_today_at] - y[2], D_reference = p_reference[chi_today_at] - reference[2];
        return abs(D - D_reference) / max(T(1e-300), abs(D_reference));
    }

    /// The cosmological constant's amplitude: a field that rolls only loses energy. One that is thrown uphill gains some, so the search
    /// begins far below.
    template <class T>
    HOST_DEVICE static T lowest_unknown(const T* y_start, const T* p) {
        const T constant = (T(1) - p[1] - radiation_today(p)) / Potential::at(y_start[0], p + potential_at).value;
        return constant * select(abs(y_start[1]) > T(0), T(0.02), T(1));
    }

    /// (E^2 - 1)(1 - u^2/6) today.
    template <class T>
    HOST_DEVICE static T residual(const T* y, const T* p) {
        const T potential = p[amplitude_at] * Potential::at(y[0], p + potential_at).value;
        return (p[1] + radiation_today(p) + potential) + fma(T(1.0 / 6) * y[1], y[1], T(-1));
    }

    template <class T>
    HOST_DEVICE static void close(const T* y, const T* /*p*/, T* closing) {
        closing[0] = y[2];
    }

private:
    template <class T>
    HOST_DEVICE static T radiation_today(const T* p) {
        return T(1e4 * radiation_density) / (p[0] * p[0]);
    }
};

}  // namespace gradscape::models
