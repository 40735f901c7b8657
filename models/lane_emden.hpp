// A self-gravitating polytrope. Dimensionless: density rho_c theta^n, radius in units of sqrt((n+1) P_c / (4 pi G rho_c^2)).
#pragma once

#include "engine/model.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

struct LaneEmden {
    static constexpr double computed = std::numeric_limits<double>::quiet_NaN();
    static constexpr double start = 0.01;  // the series' next terms are below 1e-17 there

    static constexpr ModelInfo info{
        .name = "lane_emden",
        .title = "Lane-Emden equation",
        .group = "Stars",
        .version = "1",
        .summary = "The structure of a star whose pressure is K rho^(1+1/n). The surface is the first zero of theta, at xi = 2.449, 3.142, "
                   "3.654, 6.897 and 31.84 for n = 0, 1, 1.5, 3 and 4.5; n = 5 has none. Beyond it the solution goes on with theta^n = 0 "
                   "and has no meaning.",
        .equations = "dtheta/dxi = -m/xi^2\n"
                     "dm/dxi = xi^2 theta^n,  theta^n = max(theta, 0)^n\n"
                     "start at xi = 0.01, with c = n (8n - 5):\n"
                     "theta = 1 - xi^2/6 + n xi^4/120 - c xi^6/15120,  m = xi^3/3 - n xi^5/30 + c xi^7/2520",
        .citation = "Chandrasekhar 1939, An Introduction to the Study of Stellar Structure, chapter IV",
        .independent = {.name = "xi",
                        .symbol = "ξ",
                        .unit = "1",
                        .default_start = start,
                        .default_end = 3.65,
                        .min = start,
                        .max = 40,
                        .hard_min = start,
                        .help = "Radius. A start that is computed belongs to xi = 0.01 and to no other.",
                        .computed_start_elsewhere = false},
        .error = {.symbol = "|Δ(θ, m)|/|(θ, m)|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Length of the difference of (theta, m) over the reference's length."},
        .preferred_method = "vern7",
        .rtol = 1e-9,
        .default_functional = "theta"};

    static constexpr std::array states{
        StateInfo{.name = "theta", .symbol = "θ", .latex = "\\theta", .unit = "1", .default_value = computed, .min = 0, .max = 1,
                  .atol = 1e-11, .help = "Temperature over the central one, where the gas is ideal; rho/rho_c = theta^n."},
        StateInfo{.name = "m", .symbol = "m", .latex = "m", .unit = "1", .default_value = computed, .min = 0, .max = 5, .atol = 1e-12,
                  .help = "Mass within xi, -xi^2 dtheta/dxi, in units of 4 pi rho_c times the cube of the unit of radius."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "n", .symbol = "n", .latex = "n", .unit = "1", .default_value = 1.5, .min = 0, .max = 4.9, .hard_min = 0,
                      .hard_max = 5, .help = "Polytropic index: 1.5 for convective stars and cold white dwarfs, 3 for radiative stars."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "density", .symbol = "ρ/ρc", .latex = "\\rho/\\rho_\\mathrm{c}", .unit = "1",
                       .help = "Density over the central one; 0 beyond the surface."},
        ObservableInfo{.name = "concentration", .symbol = "ρc/ρ̄", .latex = "\\rho_\\mathrm{c}/\\bar\\rho", .unit = "1",
                       .help = "Central density over the mean one within xi, xi^3/(3 m); at the surface that of the star."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& xi, const T* y, const T* p, T* dydt) {
        const T xi_squared = xi * xi;
        dydt[0] = -(y[1] / xi_squared);
        dydt[1] = xi_squared * pow(max(T(0), y[0]), p[0]);
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        constexpr double s = start * start;
        const T n = p[0], c = n * fma(T(8), n, T(-5));
        y[0] = fma(T(-s * s * s / 15120), c, fma(T(s * s / 120), n, T(1 - s / 6)));
        y[1] = T(s * start) * fma(T(s * s / 2520), c, fma(T(-s / 30), n, T(1.0 / 3)));
    }

    template <class T>
    HOST_DEVICE static void observe(const T& xi, const T* y, const T* p, T* out) {
        out[0] = select(y[0] <= T(0), T(0), pow(max(T(0), y[0]), p[0]));
        out[1] = xi * xi * xi / (T(3) * y[1]);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*xi*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<2>(y, reference);
    }
};

}  // namespace gradscape::models
