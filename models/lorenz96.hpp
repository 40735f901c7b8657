// The Lorenz 96 system: one quantity of the weather along a circle of latitude, at d sites. Lorenz (1996). Dimensionless.
#pragma once

#include "models/numbered.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

/// `lorenz96` has d = 8; others are named lorenz96_<d>.
template <int d>
struct Lorenz96 {
    static_assert(d >= 4);
    static constexpr auto numbered_name = with_number<d>("lorenz96_");
    static constexpr auto numbered_title = with_number<d>("Lorenz 96 system, dimension ");

    static constexpr ModelInfo info{
        .name = d == 8 ? "lorenz96" : numbered_name.text,
        .title = numbered_title.text,
        .group = "Chaos",
        .version = "1",
        .summary = "An atmospheric quantity at sites around a circle of latitude, with advection, damping and a constant forcing F. Below "
                   "F = 8/9 everything settles on y = F; waves follow, and chaos beyond F = 4 or so.",
        .equations = "dy_i/dt = (y_{i+1} - y_{i-2}) y_{i-1} - y_i + F,  indices cyclic\n"
                     "start: y_i = F + 0.5 [i = 0] - 0.05 ((7 i) mod 5),  i = 0, 1, ...",
        .citation = "Lorenz 1996, Predictability: a problem partly solved, ECMWF Seminar on Predictability I, 1",
        .independent = {.name = "time",
                        .symbol = "t",
                        .unit = "1",
                        .default_start = 0,
                        .default_end = 1,
                        .min = 0,
                        .max = 50,
                        .help = "One unit is about five days of weather. At F = 8 neighbouring trajectories separate by a factor e in "
                                "about 0.6; compare with references up to 10."},
        .error = {.symbol = "|Δy|/|y|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Length of the difference of the states over the reference's length."},
        .preferred_method = "vern7",
        .rtol = 1e-10,
        .default_functional = "mean_energy"};

    static constexpr auto states = numbered_states<d>({.unit = "1", .min = -15, .max = 20, .atol = 1e-11, .help = "Value at the site."},
                                                      [](int) { return std::numeric_limits<double>::quiet_NaN(); });

    static constexpr std::array parameters{ParameterInfo{.name = "F", .symbol = "F", .latex = "F", .unit = "1", .default_value = 8,
                                                         .min = 0, .max = 16, .help = "Forcing; 8 is Lorenz' chaotic case."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "mean", .symbol = "⟨y⟩", .latex = "\\langle y\\rangle", .unit = "1", .help = "Mean over the sites."},
        ObservableInfo{.name = "mean_energy", .symbol = "⟨y²⟩/2", .latex = "\\langle y^2\\rangle/2", .unit = "1",
                       .help = "Half the mean square over the sites."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T F = p[0];
        const auto at_site = [&](int before_last, int last, int i, int next) {
            dydt[i] = fma(y[next] - y[before_last], y[last], F - y[i]);
        };
        at_site(d - 2, d - 1, 0, 1);
        at_site(d - 1, 0, 1, 2);
        for (int i = 2; i < d - 1; ++i) at_site(i - 2, i - 1, i, i + 1);
        at_site(d - 3, d - 2, d - 1, 0);
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        for (int i = 0; i < d; ++i) y[i] = p[0] + T((i == 0 ? 0.5 : 0) - 0.05 * (7 * i % 5));
    }

    template <class T>
    HOST_DEVICE static void observe(const T& /*t*/, const T* y, const T* /*p*/, T* out) {
        T sum = y[0], squares = y[0] * y[0];
        for (int i = 1; i < d; ++i) {
            sum = sum + y[i];
            squares = fma(y[i], y[i], squares);
        }
        out[0] = sum * T(1.0 / d);
        out[1] = squares * T(0.5 / d);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<d>(y, reference);
    }
};

}  // namespace gradscape::models
