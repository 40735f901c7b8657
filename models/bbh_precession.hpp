// Precession of the spins of two black holes on their way inwards, averaged over the orbit. Gerosa & Kesden (2016), Gerosa et al. (2023).
// G = c = 1, and the binary's total mass M = 1.
#pragma once

#include "engine/model.hpp"
#include "models/short_log.hpp"
#include "models/vector3.hpp"

namespace gradscape::models {

/// A component of a unit vector, computed from the start angles.
constexpr StateInfo direction_component(const char* name, const char* symbol, const char* latex, const char* help) {
    return {.name = name, .symbol = symbol, .latex = latex, .unit = "1", .default_value = std::numeric_limits<double>::quiet_NaN(),
            .min = -1, .max = 1, .atol = 2e-10, .help = help};
}

struct BbhPrecession {
    static constexpr double pi = 3.141592653589793, two_pi = 6.283185307179586;
    static constexpr double euler_gamma = 0.5772156649015329, log_4 = 1.3862943611198906;

    static constexpr ModelInfo info{
        .name = "bbh_precession",
        .title = "Spin precession of a binary black hole",
        .group = "Compact binaries",
        .version = "1",
        .summary = "The directions of the orbital angular momentum and of both spins during the inspiral on circular orbits: precession "
                   "averaged over the orbit, at leading and next order with the quadrupole-monopole term, and radiation reaction to 3.5PN. "
                   "Spins are isotropic where theta1 and theta2 have the distribution `cosine` and deltaPhi is uniform from -pi to pi.",
        .equations = "d(L, s1, s2)/dv = [d(L, s1, s2)/dt] / (dv/dt),  v = r^(-1/2),  G = c = M = 1\n"
                     "ds1/dt = W1 x s1,  ds2/dt = W2 x s2,  dL/dt = -(v/eta) (S1 ds1/dt + S2 ds2/dt)\n"
                     "W1 = eta v^5 (2 + 3q/2) L + v^6/2 [S2 s2 - 3 (S2 k2 + q S1 k1) L]\n"
                     "W2 = eta v^5 (2 + 3/(2q)) L + v^6/2 [S1 s1 - 3 (S1 k1 + S2 k2/q) L]\n"
                     "dv/dt = 32/5 eta v^9 [1 - v^2 (743 + 924 eta)/336\n"
                     "  + v^3 (4 pi - chi1 k1 (113 m1^2/12 + 25 eta/4) - chi2 k2 (113 m2^2/12 + 25 eta/4))\n"
                     "  + v^4 (34103/18144 + 13661 eta/2016 + 59 eta^2/18 + eta chi1 chi2 (721 k1 k2 - 247 k12)/48\n"
                     "         + (m1 chi1)^2 (719 k1^2 - 233)/96 + (m2 chi2)^2 (719 k2^2 - 233)/96)\n"
                     "  - v^5 pi (4159 + 15876 eta)/672\n"
                     "  + v^6 (16447322263/139708800 + 16 pi^2/3 - 1712/105 (gamma + ln 4v) + (451 pi^2/48 - 56198689/217728) eta\n"
                     "         + 541 eta^2/896 - 5605 eta^3/2592)\n"
                     "  + v^7 pi (-4415/4032 + 358675 eta/6048 + 91495 eta^2/1512)]\n"
                     "m1 = 1/(1+q),  m2 = q/(1+q),  eta = m1 m2,  S1 = chi1 m1^2,  S2 = chi2 m2^2,  k1 = L.s1,  k2 = L.s2,  k12 = s1.s2\n"
                     "start: L = (0, 0, 1), s1 = (sin theta1, 0, cos theta1),\n"
                     "       s2 = (sin theta2 cos deltaPhi, sin theta2 sin deltaPhi, cos theta2)",
        .citation = "Gerosa & Kesden 2016, PRD 93, 124066; Gerosa, Fumagalli, Mould et al. 2023, PRD 108, 024042 (`precession` 2)",
        .independent = {.name = "orbital_speed",
                        .symbol = "v",
                        .unit = "1",
                        .default_start = 0.1,
                        .default_end = 0.31622776601683794,
                        .min = 0.03162277660168379,
                        .max = 0.408248290463863,
                        .hard_min = 1e-3,
                        .hard_max = 1,
                        .help = "Orbital speed in units of c, v = 1/sqrt(r) with the separation r in G M/c^2: r = 1000, 500, 100, 10 and 6 "
                                "are v = 0.0316227766, 0.0447213595, 0.1, 0.316227766 and 0.40824829. It grows on the way inwards."},
        .error = {.symbol = "max |Δθ₁|, |Δθ₂|, |Δ(ΔΦ)|",
                  .unit = "rad",
                  .threshold = 1e-7,
                  .help = "Largest difference of theta1, theta2 and deltaPhi from the reference's; that of deltaPhi wrapped, and weighed "
                          "with min(1, sin theta1, sin theta2), because deltaPhi has no meaning at alignment."},
        .preferred_method = "vern7",
        .rtol = 2e-10,
        .default_functional = "theta1"};

    static constexpr std::array states{
        direction_component("Lx", "Lx", "\\hat L_x", "Direction of the orbital angular momentum."),
        direction_component("Ly", "Ly", "\\hat L_y", "Direction of the orbital angular momentum."),
        direction_component("Lz", "Lz", "\\hat L_z", "Direction of the orbital angular momentum."),
        direction_component("s1x", "s₁x", "\\hat s_{1x}", "Direction of the spin of the heavier black hole."),
        direction_component("s1y", "s₁y", "\\hat s_{1y}", "Direction of the spin of the heavier black hole."),
        direction_component("s1z", "s₁z", "\\hat s_{1z}", "Direction of the spin of the heavier black hole."),
        direction_component("s2x", "s₂x", "\\hat s_{2x}", "Direction of the spin of the lighter black hole."),
        direction_component("s2y", "s₂y", "\\hat s_{2y}", "Direction of the spin of the lighter black hole."),
        direction_component("s2z", "s₂z", "\\hat s_{2z}", "Direction of the spin of the lighter black hole.")};

    static constexpr std::array parameters{
        ParameterInfo{.name = "q", .symbol = "q", .latex = "q", .unit = "1", .default_value = 0.8, .min = 0.1, .max = 1, .hard_min = 1e-9,
                      .hard_max = 1, .help = "Mass ratio, lighter over heavier."},
        ParameterInfo{.name = "chi1", .symbol = "χ₁", .latex = "\\chi_1", .unit = "1", .default_value = 0.7, .min = 0.01, .max = 0.99,
                      .hard_min = 0, .hard_max = 1, .help = "Dimensionless spin of the heavier black hole."},
        ParameterInfo{.name = "chi2", .symbol = "χ₂", .latex = "\\chi_2", .unit = "1", .default_value = 0.6, .min = 0.01, .max = 0.99,
                      .hard_min = 0, .hard_max = 1, .help = "Dimensionless spin of the lighter black hole."},
        ParameterInfo{.name = "theta1", .symbol = "θ₁", .latex = "\\theta_1", .unit = "rad", .default_value = 1, .min = 0, .max = pi,
                      .hard_min = 0, .hard_max = pi, .help = "Angle between the heavier black hole's spin and L at the start.",
                      .start_only = true},
        ParameterInfo{.name = "theta2", .symbol = "θ₂", .latex = "\\theta_2", .unit = "rad", .default_value = 1.4, .min = 0, .max = pi,
                      .hard_min = 0, .hard_max = pi, .help = "Angle between the lighter black hole's spin and L at the start.",
                      .start_only = true},
        ParameterInfo{.name = "deltaPhi", .symbol = "ΔΦ", .latex = "\\Delta\\Phi", .unit = "rad", .default_value = 0.5, .min = -pi,
                      .max = pi,
                      .help = "Angle between the spins' projections on the orbital plane at the start, from the first to the second.",
                      .start_only = true}};

    static constexpr std::array observables{
        ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "1", .help = "Separation in G M/c^2."},
        ObservableInfo{.name = "theta1", .symbol = "θ₁", .latex = "\\theta_1", .unit = "rad",
                       .help = "Angle between the heavier black hole's spin and L."},
        ObservableInfo{.name = "theta2", .symbol = "θ₂", .latex = "\\theta_2", .unit = "rad",
                       .help = "Angle between the lighter black hole's spin and L."},
        ObservableInfo{.name = "deltaPhi", .symbol = "ΔΦ", .latex = "\\Delta\\Phi", .unit = "rad", .period = two_pi,
                       .help = "Angle between the spins' projections on the orbital plane, from the first to the second, -π to π."},
        ObservableInfo{.name = "theta12", .symbol = "θ₁₂", .latex = "\\theta_{12}", .unit = "rad", .help = "Angle between the two spins."},
        ObservableInfo{.name = "chi_eff", .symbol = "χeff", .latex = "\\chi_\\mathrm{eff}", .unit = "1",
                       .help = "Effective spin: the spins' components along L, weighed with the masses."},
        ObservableInfo{.name = "chi_p_heuristic", .symbol = "χp", .latex = "\\chi_\\mathrm{p}", .unit = "1",
                       .help = "Precession parameter, the larger of the two spins' contributions (Schmidt et al. 2015)."},
        ObservableInfo{.name = "chi_p_generalised", .symbol = "χp gen", .latex = "\\chi_\\mathrm{p}^\\mathrm{gen}", .unit = "1",
                       .help = "Precession parameter with both spins' contributions, 0 to 2 (Gerosa et al. 2021)."},
        ObservableInfo{.name = "J", .symbol = "J", .latex = "J", .unit = "1", .help = "Length of the total angular momentum in G M^2/c."},
        ObservableInfo{.name = "theta_L", .symbol = "θL", .latex = "\\theta_L", .unit = "rad",
                       .help = "Angle between the total and the orbital angular momentum."},
        ObservableInfo{.name = "kappa", .symbol = "κ", .latex = "\\kappa", .unit = "1",
                       .help = "Asymptotic angular momentum, (J^2 - L^2)/(2 L) with L = eta/v."},
        ObservableInfo{.name = "S", .symbol = "S", .latex = "S", .unit = "1", .help = "Length of the total spin in G M^2/c."},
        ObservableInfo{.name = "f_gw", .symbol = "f", .latex = "f_\\mathrm{GW}", .unit = "1",
                       .help = "Frequency of the gravitational wave, v^3/pi, in c^3/(G M); 2.030254e5 Hz for one solar mass."}};

    // Drifts are relative, and chi_eff may be zero: it is counted from -2.
    static constexpr std::array invariants{
        InvariantInfo{.name = "chi_eff", .symbol = "2 + χeff", .latex = "2 + \\chi_\\mathrm{eff}", .unit = "1",
                      .help = "2 plus the effective spin."},
        InvariantInfo{.name = "L_length", .symbol = "|L|", .latex = "|\\hat L|", .unit = "1", .help = "Length of (Lx, Ly, Lz)."},
        InvariantInfo{.name = "s1_length", .symbol = "|s₁|", .latex = "|\\hat s_1|", .unit = "1", .help = "Length of (s1x, s1y, s1z)."},
        InvariantInfo{.name = "s2_length", .symbol = "|s₂|", .latex = "|\\hat s_2|", .unit = "1", .help = "Length of (s2x, s2y, s2z)."}};

    // The equations with eta and the masses divided out. x1 = chi1 k1, x2 = q chi2 k2 and x = x1 + x2 = (1+q) chi_eff hold all that the
    // projections on L contribute: (S2 k2 + q S1 k1)/eta = x and (S1 k1 + S2 k2/q)/eta = x/q. The directions of the three derivatives are
    // found beside the sum `flux` and its division, which everything waits for.
    template <class T>
    HOST_DEVICE static void rhs(const T& v, const T* y, const T* p, T* dydt) {
        const T* const L = y;
        const T* const s1 = y + 3;
        const T* const s2 = y + 6;
        const T q = p[0], chi1 = p[1], q_chi2 = q * p[2];
        const T x1 = chi1 * dot(L, s1), x2 = q_chi2 * dot(L, s2), x = x1 + x2;
        const T m1 = T(1) / (T(1) + q), m1_squared = m1 * m1, eta = q * m1_squared;

        // dv/dt = 32/5 eta v^9 flux
        constexpr double c6_without_log = 16447322263.0 / 139708800 + 16 * pi * pi / 3 - 1712.0 / 105 * (euler_gamma + log_4);
        const T v2 = v * v;
        const T c3 = fma(-m1_squared, fma(x1, fma(T(25.0 / 4), q, T(113.0 / 12)), x2 * fma(T(113.0 / 12), q, T(25.0 / 4))), T(4 * pi));
        const T spin_squares = fma(T(4), x1 * x2, fma(T(719), x * x, T(-233) * fma(chi1, chi1, q_chi2 * q_chi2)));
        const T c4 = fma(m1_squared * T(1.0 / 96), fma(T(-494), chi1 * q_chi2 * dot(s1, s2), spin_squares),
                         fma(eta, fma(T(59.0 / 18), eta, T(13661.0 / 2016)), T(34103.0 / 18144)));
        const T c5 = fma(T(-15876 * pi / 672), eta, T(-4159 * pi / 672));
        const T c6 = fma(eta, fma(eta, fma(T(-5605.0 / 2592), eta, T(541.0 / 896)), T(451 * pi * pi / 48 - 56198689.0 / 217728)),
                         fma(T(-1712.0 / 105), short_log(v), T(c6_without_log)));
        const T c7 = fma(eta, fma(T(91495 * pi / 1512), eta, T(358675 * pi / 6048)), T(-4415 * pi / 4032));
        const T without_spins = fma(v2, fma(v2 * v, fma(v2, c7, fma(v, c6, c5)), fma(T(-924.0 / 336), eta, T(-743.0 / 336))), T(1));
        const T flux = fma(v2 * v, fma(v, c4, c3), without_spins);

        const T per_q = T(5.0 / 32) / (q * (v2 * v2) * flux), per_one = q * per_q;
        const T quadrupole = T(1.5) * v * x, half_v = T(0.5) * v;
        const T about_L1 = fma(T(1.5), q, T(2)) - quadrupole, about_L2 = fma(T(2), q, T(1.5)) - quadrupole;
        const T about_s2 = half_v * q_chi2, about_s1 = half_v * chi1;
        T axis1[3], axis2[3], turn1[3], turn2[3];
        for (int i = 0; i < 3; ++i) {
            axis1[i] = fma(about_L1, L[i], about_s2 * s2[i]);
            axis2[i] = fma(about_L2, L[i], about_s1 * s1[i]);
        }
        cross(axis1, s1, turn1);
        cross(axis2, s2, turn2);
        const T recoil = -(v * per_q);
        for (int i = 0; i < 3; ++i) {
            dydt[i] = recoil * fma(chi1, turn1[i], q_chi2 * turn2[i]);
            dydt[3 + i] = per_one * turn1[i];
            dydt[6 + i] = per_q * turn2[i];
        }
    }

    template <class T>
    HOST_DEVICE static void initial_state(const T* p, T* y) {
        const T theta1 = p[3], theta2 = p[4], delta_phi = p[5];
        y[0] = T(0);
        y[1] = T(0);
        y[2] = T(1);
        y[3] = sin(theta1);
        y[4] = T(0);
        y[5] = cos(theta1);
        y[6] = sin(theta2) * cos(delta_phi);
        y[7] = sin(theta2) * sin(delta_phi);
        y[8] = cos(theta2);
    }

    template <class T>
    HOST_DEVICE static void observe(const T& v, const T* y, const T* p, T* out) {
        const T q = p[0], chi1 = p[1], chi2 = p[2];
        const T m1 = T(1) / (T(1) + q), m2 = q * m1, eta = m1 * m2;
        const T S1 = chi1 * m1 * m1, S2 = chi2 * m2 * m2, orbital = eta / v;
        const T* const L = y;
        const Angles<T> angles(y);
        T spin[3], total[3];
        for (int i = 0; i < 3; ++i) {
            spin[i] = fma(S1, y[3 + i], S2 * y[6 + i]);
            total[i] = fma(orbital, L[i], spin[i]);
        }
        const T weight2 = q * fma(T(4), q, T(3)) / fma(T(3), q, T(4));
        const T contribution1 = chi1 * angles.sin_theta1, contribution2 = weight2 * chi2 * angles.sin_theta2;
        const T overlap = chi1 * weight2 * chi2 * dot(angles.L_s1, angles.L_s2);
        const T both_squared = fma(contribution1, contribution1, fma(contribution2, contribution2, T(2) * overlap));
        out[0] = T(1) / (v * v);
        out[1] = angles.theta1;
        out[2] = angles.theta2;
        out[3] = angles.delta_phi;
        out[4] = angle_between(y + 3, y + 6);
        out[5] = effective_spin(y, p);
        out[6] = max(contribution1, contribution2);
        out[7] = sqrt(max(T(0), both_squared));
        out[8] = length(total);
        out[9] = angle_between(total, L);
        out[10] = fma(T(0.5) / orbital, dot(spin, spin), dot(L, spin));  // the definition with L's square cancelled
        out[11] = length(spin);
        out[12] = v * v * v * T(1 / pi);
    }

    template <class T>
    HOST_DEVICE static void conserved(const T& /*v*/, const T* y, const T* p, T* out) {
        out[0] = T(2) + effective_spin(y, p);
        out[1] = length(y);
        out[2] = length(y + 3);
        out[3] = length(y + 6);
    }

    template <class T>
    HOST_DEVICE static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        const Angles<T> a(y), b(reference);
        const T apart = abs(a.delta_phi - b.delta_phi);
        const T wrapped = min(apart, abs(T(two_pi) - apart));
        const T weight = min(T(1), min(b.sin_theta1, b.sin_theta2));
        // deltaPhi last: it isn't a number where any of the others isn't, and max() then gives its second operand.
        return max(max(abs(a.theta1 - b.theta1), abs(a.theta2 - b.theta2)), weight * wrapped);
    }

private:
    template <class T>
    struct Angles {
        T L_s1[3], L_s2[3], sin_theta1, sin_theta2, theta1, theta2, delta_phi;

        HOST_DEVICE explicit Angles(const T* y) {
            const T* const L = y;
            cross(L, y + 3, L_s1);
            cross(L, y + 6, L_s2);
            sin_theta1 = length(L_s1);
            sin_theta2 = length(L_s2);
            theta1 = atan2(sin_theta1, dot(L, y + 3));
            theta2 = atan2(sin_theta2, dot(L, y + 6));
            T along_L[3];
            cross(L_s1, L_s2, along_L);
            delta_phi = atan2(dot(L, along_L), dot(L_s1, L_s2));
        }
    };

    template <class T>
    HOST_DEVICE static T effective_spin(const T* y, const T* p) {
        return fma(p[1], dot(y, y + 3), p[0] * p[2] * dot(y, y + 6)) / (T(1) + p[0]);
    }
};

}  // namespace gradscape::models
