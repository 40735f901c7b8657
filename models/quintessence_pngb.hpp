// Thawing quintessence of a pseudo-Nambu-Goldstone boson.
#pragma once

#include "models/quintessence.hpp"

namespace gradscape::models {

/// U = 1 + cos(phi/f)
struct CosinePotential {
    static constexpr int n_parameters = 2;

    template <class T>
    HOST_DEVICE static PotentialValue<T> at(const T& phi, const T* q) {
        const T inverse_f = T(1) / q[0];
        const T angle = phi * inverse_f;
        return {T(1) + cos(angle), -sin(angle) * inverse_f};
    }
};

struct QuintessencePngb : Quintessence<CosinePotential> {
    static constexpr ModelInfo info{
        .name = "quintessence_pngb",
        .title = "Thawing quintessence, cosine potential",
        .group = "Cosmology",
        .version = "1",
        .summary = "Distances in a flat universe whose dark energy is a pseudo-Nambu-Goldstone boson, released at the angle theta_i from "
                   "the top of a cosine. Near the top it is a cosmological constant; too far down, or with too narrow a cosine, there is "
                   "no flat universe with such a field (Om = 0.3: theta_i above 0.348, 0.935, 1.824 for f = 0.3, 0.5, 1).",
        .equations = "E^2 = (Om e^(-3N) + Or e^(-4N) + v U) / (1 - u^2/6),  U = 1 + cos(phi/f),  Or = 4.18e-5 / (H0/100)^2\n"
                     "dphi/dN = u,  phi(start) = f theta_i\n"
                     "du/dN = -(3 - eps) u - 3 v U_phi / E^2,  eps = ((3 Om e^(-3N) + 4 Or e^(-4N)) / E^2 + u^2)/2\n"
                     "dchi/dN = e^(-N)/E\n"
                     "v: the smallest amplitude with E(N = 0) = 1",
        .citation = "Frieman, Hill, Stebbins & Waga 1995, Physical Review Letters 75, 2077; Caldwell & Linder 2005, Physical Review "
                    "Letters 95, 141301",
        .independent = quintessence_efolds,
        .error = distance_error,
        .preferred_method = "vern7",
        .rtol = 3e-9,
        .default_functional = "w"};

    static constexpr auto states = quintessence_states(std::numeric_limits<double>::quiet_NaN());

    static constexpr std::array parameters{
        hubble_parameter, matter_parameter,
        ParameterInfo{.name = "f", .symbol = "f", .latex = "f", .unit = "1", .default_value = 0.5, .min = 0.3, .max = 2,
                      .scale = Scale::log, .hard_min = 1e-3, .hard_max = 1e3,
                      .help = "Width of the cosine, in reduced Planck masses."},
        ParameterInfo{.name = "theta_i", .symbol = "θᵢ", .latex = "\\theta_i", .unit = "rad", .default_value = 0.5, .min = 0.01,
                      .max = 1, .hard_min = -3.2, .hard_max = 3.2,
                      .help = "Angle phi/f at the start, from the top of the potential.", .start_only = true}};

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        y[0] = p[2] * p[3];
        y[1] = T(0);
        y[2] = T(0);
    }
};

}  // namespace gradscape::models
