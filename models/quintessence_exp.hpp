// Thawing quintessence on an exponential potential.
#pragma once

#include "models/default_state.hpp"
#include "models/quintessence.hpp"

namespace gradscape::models {

/// U = exp(-lam phi)
struct ExponentialPotential {
    static constexpr int n_parameters = 1;

    template <class T>
    HOST_DEVICE static PotentialValue<T> at(const T& phi, const T* q) {
        const T U = short_exp(-q[0] * phi);
        return {U, -q[0] * U};
    }
};

struct QuintessenceExp : Quintessence<ExponentialPotential> {
    static constexpr ModelInfo info{
        .name = "quintessence_exp",
        .title = "Thawing quintessence, exponential potential",
        .group = "Cosmology",
        .version = "1",
        .summary = "Distances in a flat universe whose dark energy is a scalar field rolling down an exponential. At lam = 0 it is a "
                   "cosmological constant; the steeper the potential, the further w has risen above -1 today. Beyond about lam = 1.8 to "
                   "2.5 (Om = 0.15 to 0.45) there is no flat universe with such a field.",
        .equations = "E^2 = (Om e^(-3N) + Or e^(-4N) + v U) / (1 - u^2/6),  U = e^(-lam phi),  Or = 4.18e-5 / (H0/100)^2\n"
                     "dphi/dN = u\n"
                     "du/dN = -(3 - eps) u - 3 v U_phi / E^2,  eps = ((3 Om e^(-3N) + 4 Or e^(-4N)) / E^2 + u^2)/2\n"
                     "dchi/dN = e^(-N)/E\n"
                     "v: the smallest amplitude with E(N = 0) = 1",
        .citation = "Ratra & Peebles 1988, Physical Review D 37, 3406; Caldwell & Linder 2005, Physical Review Letters 95, 141301",
        .independent = quintessence_efolds,
        .error = distance_error,
        .preferred_method = "vern7",
        .rtol = 3e-9,
        .default_functional = "w"};

    static constexpr auto states = quintessence_states(0);

    static constexpr std::array parameters{
        hubble_parameter, matter_parameter,
        ParameterInfo{.name = "lam", .symbol = "λ", .latex = "\\lambda", .unit = "1", .default_value = 0.7, .min = 0, .max = 1.7,
                      .hard_min = -20, .hard_max = 20, .help = "Steepness of the potential, per reduced Planck mass."}};

    template <class T>
    HOST_DEVICE static void initial_state(const T* /*p*/, T* y) {
        default_state<QuintessenceExp>(y);
    }
};

}  // namespace gradscape::models
