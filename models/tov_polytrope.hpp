// A relativistic star of a polytropic equation of state, and how the tide of a companion deforms it. Units: G = c = one solar mass = 1.
#pragma once

#include "engine/model.hpp"

namespace gradscape::models {

struct TovPolytrope {
    static constexpr double computed = std::numeric_limits<double>::quiet_NaN();
    static constexpr double pi = 3.141592653589793;
    static constexpr double rho_ref = 1e-3;             // 6.18e14 g/cm^3
    static constexpr double start = 1e-4;
    static constexpr double km_per_unit = 1.4766250385;  // G M_sun/c^2

    static constexpr ModelInfo info{
        .name = "tov_polytrope",
        .title = "Neutron star from a polytrope",
        .group = "Stars",
        .version = "1",
        .summary = "Structure of a cold relativistic star (Tolman, Oppenheimer & Volkoff) and its tidal deformability, for the pressure "
                   "P_ref (rho/rho_ref)^Gamma. The pseudo-enthalpy h is the independent variable, so that the surface is where the span "
                   "ends: at x = 20 radius and mass are the star's to 2e-9.",
        .equations = "du/dx = 2 u g\n"
                     "dw/dx = (4 pi e - 3 w) g\n"
                     "dY/dx = -g {Y^2 + Y lam [1 + 4 pi u (P - e)] + 4 pi u lam [5 e + 9 P + (e+P)^2/(Gamma P)]\n"
                     "            - 6 lam - 4 lam^2 u^2 D^2}\n"
                     "u = r^2,  w = m/r^3,  Y = r H'/H of the static l = 2 perturbation\n"
                     "D = w + 4 pi P,  lam = 1/(1 - 2 u w),  g = h (1 - 2 u w)/(u D),  h = h_c e^(-x)\n"
                     "P/rho = (Gamma-1)/Gamma (e^h - 1),  rho = rho_ref (P/rho rho_ref/P_ref)^(1/(Gamma-1)),  e = rho + P/(Gamma-1)\n"
                     "start at x = 1e-4: expansion about the centre, to second order in u and first in w and Y",
        .citation = "Lindblom 1992, ApJ 398, 569; Hinderer 2008, ApJ 677, 1216; Postnikov, Prakash & Lattimer 2010, PRD 82, 024016",
        .independent = {.name = "enthalpy_depth",
                        .symbol = "x",
                        .unit = "1",
                        .default_start = start,
                        .default_end = 20,
                        .min = start,
                        .max = 25,
                        .hard_min = start,
                        .help = "x = -ln(h/h_c) with the pseudo-enthalpy h = ln((e+P)/rho). A start that is computed belongs to x = 1e-4 "
                                "and to no other.",
                        .computed_start_elsewhere = false},
        .error = {.symbol = "|Δln u, Δln w, ΔY|",
                  .unit = "1",
                  .threshold = 1e-6,
                  .help = "Root of the sum of squares of the relative errors of u and w and of that of Y, the latter relative to |Y| or 1, "
                          "whichever is larger."},
        .preferred_method = "vern7",
        .rtol = 1e-8,
        .default_functional = "mass"};

    static constexpr std::array states{
        StateInfo{.name = "u", .symbol = "u", .latex = "u", .unit = "1", .default_value = computed, .min = 0, .max = 400, .atol = 1e-12,
                  .help = "Square of the areal radius."},
        StateInfo{.name = "w", .symbol = "w", .latex = "w", .unit = "1", .default_value = computed, .min = 0, .max = 0.1, .atol = 1e-13,
                  .help = "Mass within the radius over its cube."},
        StateInfo{.name = "Y", .symbol = "Y", .latex = "Y", .unit = "1", .default_value = computed, .min = 0, .max = 2, .atol = 1e-10,
                  .help = "Logarithmic slope r H'/H of the tidal perturbation."}};

    static constexpr std::array parameters{
        ParameterInfo{.name = "P_ref", .symbol = "P_ref", .latex = "P_\\mathrm{ref}", .unit = "1", .default_value = 1e-4, .min = 4e-5,
                      .max = 3e-4, .scale = Scale::log, .hard_min = 1e-100, .hard_max = 1e100,
                      .help = "Pressure at the density rho_ref = 1e-3, 6.18e14 g/cm^3; 1e-4 is K = 100 at Gamma = 2."},
        ParameterInfo{.name = "Gamma", .symbol = "Γ", .latex = "\\Gamma", .unit = "1", .default_value = 2, .min = 1.6, .max = 3.2,
                      .hard_min = 1.2, .hard_max = 10,
                      .help = "Adiabatic exponent. Sound is faster than light where Gamma P is above e + P; that isn't refused."},
        ParameterInfo{.name = "rho_c", .symbol = "ρc", .latex = "\\rho_\\mathrm{c}", .unit = "1", .default_value = 1.28e-3, .min = 3e-4,
                      .max = 6e-3, .scale = Scale::log, .hard_min = 1e-100, .hard_max = 1e100, .help = "Central rest-mass density."}};

    static constexpr std::array observables{
        ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "1", .help = "Areal radius in G Msun/c^2; the star's at the end."},
        ObservableInfo{.name = "radius", .symbol = "R", .latex = "R", .unit = "km", .help = "Areal radius; the star's at the end."},
        ObservableInfo{.name = "mass", .symbol = "m", .latex = "m", .unit = "Msun",
                       .help = "Mass within the radius; the star's at the end."},
        ObservableInfo{.name = "compactness", .symbol = "C", .latex = "C", .unit = "1", .help = "G m/(r c^2); the star's at the end."},
        ObservableInfo{.name = "pressure", .symbol = "P", .latex = "P", .unit = "1", .help = "Pressure."},
        ObservableInfo{.name = "density", .symbol = "ρ", .latex = "\\rho", .unit = "1", .help = "Rest-mass density."},
        ObservableInfo{.name = "k2", .symbol = "k₂", .latex = "k_2", .unit = "1",
                       .help = "Tidal Love number if the star ended here: meant for the last row. About 1e-16/C^5 of it is rounding."},
        ObservableInfo{.name = "Lambda", .symbol = "Λ", .latex = "\\Lambda", .unit = "1",
                       .help = "Tidal deformability 2 k2/(3 C^5) if the star ended here: meant for the last row."}};

    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    HOST_DEVICE static void rhs(const T& x, const T* y, const T* p, T* dydt) {
        const T u = y[0], w = y[1], Y = y[2], Gamma = p[1];
        const Matter<T> at = matter(central_enthalpy(p) * exp(-x), p);
        const T D = fma(T(4 * pi), at.pressure, w), hole = fma(T(-2) * u, w, T(1)), lam = T(1) / hole;
        const T g = at.enthalpy * hole / (u * D), four_pi_u = T(4 * pi) * u;
        const T compression = at.energy + at.pressure, uD = u * D;
        const T sources = fma(T(5), at.energy, fma(T(9), at.pressure, compression * compression / (Gamma * at.pressure)));
        const T linear = fma(four_pi_u, at.pressure - at.energy, T(1));
        const T constant = fma(four_pi_u, sources, fma(T(-4) * lam, uD * uD, T(-6)));
        dydt[0] = T(2) * u * g;
        dydt[1] = fma(T(4 * pi), at.energy, T(-3) * w) * g;
        dydt[2] = -(g * fma(Y, Y, lam * fma(Y, linear, constant)));
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        constexpr double depth = 9.999500016666251e-05;  // 1 - e^(-start)
        const Matter<T> c = matter(central_enthalpy(p), p);
        const T compression = c.energy + c.pressure, kappa = compression * compression / (p[1] * c.pressure);
        const T tau = c.enthalpy * T(depth), w_c = T(4 * pi / 3) * c.energy;
        const T D0 = fma(T(4 * pi), c.pressure, w_c), D1 = T(-4 * pi) * fma(T(0.2), kappa, compression), u1 = T(2) / D0;
        const T u = u1 * tau * fma(T(-0.5) * tau, fma(T(2) * w_c, u1, D1 / D0), T(1));
        y[0] = u;
        y[1] = fma(T(-4 * pi / 5) * kappa, tau, w_c);
        y[2] = fma(T(-4 * pi / 7) * fma(T(11), c.pressure, fma(T(1.0 / 3), c.energy, kappa)), u, T(2));
    }

    template <class T>
    HOST_DEVICE static void observe(const T& x, const T* y, const T* p, T* out) {
        const T r = sqrt(y[0]), C = y[0] * y[1], k2 = love_number(C, y[2]);
        const Matter<T> at = matter(central_enthalpy(p) * exp(-x), p);
        out[0] = r;
        out[1] = T(km_per_unit) * r;
        out[2] = C * r;
        out[3] = C;
        out[4] = at.pressure;
        out[5] = at.density;
        out[6] = k2;
        out[7] = T(2.0 / 3) * k2 / (C * C * C * C * C);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*x*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        const T du = (y[0] - reference[0]) / max(T(1e-300), abs(reference[0]));
        const T dw = (y[1] - reference[1]) / max(T(1e-300), abs(reference[1]));
        const T dY = (y[2] - reference[2]) / max(T(1), abs(reference[2]));
        return sqrt(fma(du, du, fma(dw, dw, dY * dY)));
    }

private:
    template <class T>
    struct Matter {
        T enthalpy, pressure, density, energy;
    };

    /// At the pseudo-enthalpy h.
    template <class T>
    HOST_DEVICE static Matter<T> matter(const T& h, const T* p) {
        const T P_ref = p[0], over = T(1) / (p[1] - T(1));
        const T pressure_per_density = expm1(h) / (T(1) + over);  // (Gamma-1)/Gamma (e^h - 1)
        const T density = T(rho_ref) * pow(pressure_per_density * T(rho_ref) / P_ref, over);
        const T pressure = pressure_per_density * density;
        return {h, pressure, density, fma(over, pressure, density)};
    }
    template <class T>
    HOST_DEVICE static T central_enthalpy(const T* p) {
        const T P_ref = p[0], Gamma = p[1], ratio = p[2] * T(1 / rho_ref);
        return log1p(Gamma / (Gamma - T(1)) * P_ref * T(1 / rho_ref) * pow(ratio, Gamma - T(1)));
    }
    /// Hinderer 2008, equation 23.
    template <class T>
    HOST_DEVICE static T love_number(const T& C, const T& Y) {
        const T left = fma(T(-2), C, T(1)), C2 = C * C;
        const T slope = fma(T(2) * C, Y - T(1), T(2) - Y);
        const T first = T(2) * C * fma(T(-3), Y, fma(T(3) * C, fma(T(5), Y, T(-8)), T(6)));
        const T second = T(4) * C2 * C * fma(C, fma(T(3), Y, T(-2)), fma(T(2) * C2, T(1) + Y, fma(T(-11), Y, T(13))));
        const T third = T(3) * left * left * slope * log1p(T(-2) * C);
        return T(1.6) * C2 * C2 * C * left * left * slope / (first + second + third);
    }
};

}  // namespace gradscape::models
