// Little models that only tests use: problems with closed forms, the equations of known solver faults, the number type's functions.
// Dimensionless; the states start at their defaults. Register a new one in tests/CMakeLists.txt.
#pragma once

#include <array>

#include "engine/log2_exp2.hpp"
#include "engine/model.hpp"
#include "models/relative_error.hpp"

namespace gradscape::models {

consteval ModelInfo small_info(const char* name, const char* equations) {
    return {.name = name,
            .title = name,
            .group = "Tests",
            .version = "1",
            .summary = "A model that only tests use.",
            .equations = equations,
            .citation = "none",
            .independent = {.name = "time", .symbol = "t", .unit = "1", .default_start = 0, .default_end = 1, .min = -1e300, .max = 1e300},
            .error = {.symbol = "|Δy|/|y|", .unit = "1", .threshold = 1e-6},
            .preferred_method = "tsit5",
            .rtol = 1e-8,
            .default_functional = ""};
}

constexpr StateInfo small_state(const char* name, double value) {
    return {.name = name, .symbol = name, .latex = name, .unit = "1", .default_value = value, .min = -1e300, .max = 1e300};
}

consteval ParameterInfo small_parameter(const char* name, double value) {
    return {.name = name, .symbol = name, .latex = name, .unit = "1", .default_value = value, .min = -1e300, .max = 1e300};
}

consteval ObservableInfo small_observable(const char* name) { return {.name = name, .symbol = name, .latex = name, .unit = "1"}; }

/// What the models have in common; a model with observables hides `observables` and `observe`.
template <class Model>
struct SmallModel {
    static constexpr std::array<ObservableInfo, 0> observables{};
    static constexpr std::array<InvariantInfo, 0> invariants{};

    template <class T>
    static void initial_state(const T* /*p*/, T* y) {
        for (std::size_t i = 0; i < Model::states.size(); ++i) y[i] = T(Model::states[i].default_value);
    }
    template <class T>
    static void observe(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}
    template <class T>
    static void conserved(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* /*out*/) {}
    template <class T>
    static T error(const T* y, const T* /*p*/, const T* reference, const T* /*p_reference*/) {
        return relative_error<static_cast<int>(Model::states.size())>(y, reference);
    }
};

struct ConstantSlope : SmallModel<ConstantSlope> {
    static constexpr ModelInfo info = small_info("constant_slope", "y' = slope");
    static constexpr std::array states{small_state("y", 0)};
    static constexpr std::array parameters{small_parameter("slope", -0.3)};
    template <class T>
    static void rhs(const T& /*t*/, const T* /*y*/, const T* p, T* dydt) {
        dydt[0] = p[0];
    }
};

/// The observable `time` is the t that the model was handed.
struct SlopeOfTime : SmallModel<SlopeOfTime> {
    static constexpr ModelInfo info = small_info("slope_of_time", "y' = a t");
    static constexpr std::array states{small_state("y", 2)};
    static constexpr std::array parameters{small_parameter("a", -0.4)};
    static constexpr std::array observables{small_observable("time")};
    template <class T>
    static void rhs(const T& t, const T* /*y*/, const T* p, T* dydt) {
        dydt[0] = p[0] * t;
    }
    template <class T>
    static void observe(const T& t, const T* /*y*/, const T* /*p*/, T* out) {
        out[0] = t;
    }
};

struct Exponential : SmallModel<Exponential> {
    static constexpr ModelInfo info = small_info("exponential", "y' = k y");
    static constexpr std::array states{small_state("y", 1)};
    static constexpr std::array parameters{small_parameter("k", 1)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        dydt[0] = p[0] * y[0];
    }
};

struct ExponentialPair : SmallModel<ExponentialPair> {
    static constexpr ModelInfo info = small_info("exponential_pair", "a' = k a, b' = m b");
    static constexpr std::array states{small_state("a", 1), small_state("b", 1)};
    static constexpr std::array parameters{small_parameter("k", 1), small_parameter("m", 1)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        dydt[0] = p[0] * y[0];
        dydt[1] = p[1] * y[1];
    }
};

/// Field case B17: the length of a zero vector.
struct RadialDecay : SmallModel<RadialDecay> {
    static constexpr ModelInfo info = small_info("radial_decay", "x' = -p x r, y' = -p y r, r = sqrt(x^2 + y^2)");
    static constexpr std::array states{small_state("x", 0), small_state("y", 0)};
    static constexpr std::array parameters{small_parameter("p", 2)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        const T r = sqrt(fma(y[0], y[0], y[1] * y[1]));
        dydt[0] = -p[0] * y[0] * r;
        dydt[1] = -p[0] * y[1] * r;
    }
};

/// Field case B50: s = H0 times the age of the universe against ln a.
struct CosmicAge : SmallModel<CosmicAge> {
    static constexpr ModelInfo info = small_info("cosmic_age", "ds/dx = 1/sqrt(0.3 e^(-3x) + 9e-5 e^(-4x) + 0.69991)");
    static constexpr std::array states{small_state("s", 5.2704622e-19)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& t, const T* /*y*/, const T* /*p*/, T* dydt) {
        dydt[0] = T(1) / sqrt(T(0.3) * exp(T(-3) * t) + T(9e-5) * exp(T(-4) * t) + T(0.69991));
    }
};

struct Oscillator : SmallModel<Oscillator> {
    static constexpr ModelInfo info = small_info("oscillator", "x' = v, v' = -x");
    static constexpr std::array states{small_state("x", 1), small_state("v", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = y[1];
        dydt[1] = -y[0];
    }
};

/// The frequency v is solved for, so that x(1) = c: acos(c) where g = 0.
struct TunedOscillator : SmallModel<TunedOscillator> {
    static constexpr ModelInfo info = small_info("tuned_oscillator", "x'' = -v^2 x + g x^3");
    static constexpr std::array states{small_state("x", 1), small_state("s", std::numeric_limits<double>::quiet_NaN())};
    static constexpr std::array parameters{small_parameter("c", 0), small_parameter("g", 0)};
    static constexpr std::array observables{small_observable("phase_left")};
    static constexpr std::array internals{InternalInfo{.name = "v", .symbol = "v", .latex = "v", .unit = "1", .help = "Frequency."},
                                          InternalInfo{.name = "s_end", .symbol = "s(1)", .latex = "s(1)", .unit = "1",
                                                       .help = "s at the end."}};
    static constexpr ShootingInfo shooting{.end = 1,
                                           .search = {.tolerance = 1e-11, .largest = 20},
                                           .condition = "x(1) = c",
                                           .no_solution = "No frequency up to 20 brings the oscillator to c."};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        dydt[0] = y[1];
        dydt[1] = p[1] * y[0] * y[0] * y[0] - p[2] * p[2] * y[0];
    }
    template <class T>
    static void initial_state(const T* /*p*/, T* y) {
        y[0] = T(1);
        y[1] = T(0);
    }
    template <class T>
    static void observe(const T& t, const T* /*y*/, const T* p, T* out) {
        out[0] = p[2] * (T(1) - t);
    }
    template <class T>
    static T lowest_unknown(const T* /*y_start*/, const T* /*p*/) {
        return T(0.1);
    }
    template <class T>
    static T residual(const T* y_end, const T* p) {
        return p[0] - y_end[0];
    }
    template <class T>
    static void close(const T* y_end, const T* /*p*/, T* closing) {
        closing[0] = y_end[1];
    }
};

/// Two oscillators of very different size and frequency.
struct TwoOscillators : SmallModel<TwoOscillators> {
    static constexpr ModelInfo info = small_info("two_oscillators", "x' = u, u' = -100 x, y' = v, v' = -y");
    static constexpr std::array states{small_state("x", 1e-9), small_state("u", 0), small_state("y", 1), small_state("v", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = y[1];
        dydt[1] = T(-100) * y[0];
        dydt[2] = y[3];
        dydt[3] = -y[2];
    }
};

/// Blows up at t = 1/(a y0) when a y0 > 0.
struct SquareGrowth : SmallModel<SquareGrowth> {
    static constexpr ModelInfo info = small_info("square_growth", "y' = a y^2");
    static constexpr std::array states{small_state("y", 1)};
    static constexpr std::array parameters{small_parameter("a", 1)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        dydt[0] = p[0] * y[0] * y[0];
    }
};

/// Not a number beyond t_end.
struct RootOfTimeLeft : SmallModel<RootOfTimeLeft> {
    static constexpr ModelInfo info = small_info("root_of_time_left", "y' = sqrt(t_end - t)");
    static constexpr std::array states{small_state("y", 2)};
    static constexpr std::array parameters{small_parameter("t_end", 0.001)};
    template <class T>
    static void rhs(const T& t, const T* /*y*/, const T* p, T* dydt) {
        dydt[0] = sqrt(p[0] - t);
    }
};

/// Not a number beyond t_end, and as smooth as can be before: a step is rejected only if it was evaluated there.
struct SmoothUntilTheEnd : SmallModel<SmoothUntilTheEnd> {
    static constexpr ModelInfo info = small_info("smooth_until_the_end", "y' = 1 + t/10 while t <= t_end");
    static constexpr std::array states{small_state("y", 0)};
    static constexpr std::array parameters{small_parameter("t_end", 0.7)};
    template <class T>
    static void rhs(const T& t, const T* /*y*/, const T* p, T* dydt) {
        dydt[0] = select(t > p[0], T(__builtin_nan("")), fma(T(0.1), t, T(1)));
    }
};

/// A pulse of height 500 between t = 50 and 50.01, on a decay.
struct ShortPulse : SmallModel<ShortPulse> {
    static constexpr ModelInfo info = small_info("short_pulse", "y' = -y/20 + (500 if 50 < t < 50.01 else 0)");
    static constexpr std::array states{small_state("y", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};

    template <class T>
    static void rhs(const T& t, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = T(-0.05) * y[0] + select(t > T(50), select(t < T(50.01), T(500), T(0)), T(0));
    }
};

struct StiffCosine : SmallModel<StiffCosine> {
    static constexpr ModelInfo info = small_info("stiff_cosine", "y' = -rate (y - cos t)");
    static constexpr std::array states{small_state("y", 0)};
    static constexpr std::array parameters{small_parameter("rate", 1000)};
    template <class T>
    static void rhs(const T& t, const T* y, const T* p, T* dydt) {
        dydt[0] = p[0] * (cos(t) - y[0]);
    }
};

/// sin t; not a number where a trial step leaves |y| <= 1.
struct SlopeOfSine : SmallModel<SlopeOfSine> {
    static constexpr ModelInfo info = small_info("slope_of_sine", "y' = sqrt(1 - y^2)");
    static constexpr std::array states{small_state("y", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = sqrt(T(1) - y[0] * y[0]);
    }
};

/// Not a number beyond t = 1/p.
struct RootDecay : SmallModel<RootDecay> {
    static constexpr ModelInfo info = small_info("root_decay", "y' = -y sqrt(1 - p t)");
    static constexpr std::array states{small_state("y", 1)};
    static constexpr std::array parameters{small_parameter("p", 1)};
    template <class T>
    static void rhs(const T& t, const T* y, const T* p, T* dydt) {
        dydt[0] = -y[0] * sqrt(T(1) - p[0] * t);
    }
};

struct StiffPair : SmallModel<StiffPair> {
    static constexpr ModelInfo info = small_info("stiff_pair", "a' = -10001 a - 10000 b, b' = a");
    static constexpr std::array states{small_state("a", 1), small_state("b", 1)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = T(-10001) * y[0] - T(10000) * y[1];
        dydt[1] = y[0];
    }
};

struct VanDerPol : SmallModel<VanDerPol> {
    static constexpr ModelInfo info = small_info("van_der_pol", "y' = v, v' = mu (1 - y^2) v - y");
    static constexpr std::array states{small_state("y", 2), small_state("v", 0)};
    static constexpr std::array parameters{small_parameter("mu", 1000)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        dydt[0] = y[1];
        dydt[1] = p[0] * (T(1) - y[0] * y[0]) * y[1] - y[0];
    }
};

struct ThreeFates : SmallModel<ThreeFates> {
    static constexpr ModelInfo info = small_info("three_fates", "a' = 1, b' = -b, c' = 0");
    static constexpr std::array states{small_state("a", 0), small_state("b", 1), small_state("c", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = T(1);
        dydt[1] = -y[1];
        dydt[2] = T(0);
    }
};

/// y = 1/(1 + t^2), z = t/(1 + t^2): nonlinear, coupled, dependent on time, and of + - * alone.
struct Witch : SmallModel<Witch> {
    static constexpr ModelInfo info = small_info("witch", "y' = -2 z y^2 (1 + t^2), z' = y - 2 z^2");
    static constexpr std::array states{small_state("y", 1), small_state("z", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& t, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = T(-2) * y[1] * y[0] * y[0] * fma(t, t, T(1));
        dydt[1] = y[0] - T(2) * y[1] * y[1];
    }
};

/// u = exp(sin t^2), w = 1 + sin t^2, c = cos t^2: couples every state with every elementary function's help.
struct CoupledWaves : SmallModel<CoupledWaves> {
    static constexpr ModelInfo info = small_info("coupled_waves", "u' = 2 t c exp(w - 1), w' = 2 t c u exp(1 - w), c' = -2 t log u");
    static constexpr std::array states{small_state("u", 1), small_state("w", 1), small_state("c", 1)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    template <class T>
    static void rhs(const T& t, const T* y, const T* /*p*/, T* dydt) {
        dydt[0] = T(2) * t * y[2] * exp(y[1] - T(1));
        dydt[1] = T(2) * t * y[2] * y[0] * exp(T(1) - y[1]);
        dydt[2] = T(-2) * t * log(y[0]);
    }
};

/// Lorenz' ring of 40 cells: more states than any method keeps in registers.
struct Ring : SmallModel<Ring> {
    static constexpr int cells = 40;
    static constexpr ModelInfo info = small_info("ring", "y_i' = (y_{i+1} - y_{i-2}) y_{i-1} - y_i + F");
    static constexpr std::array<StateInfo, cells> states = [] {
        std::array<StateInfo, cells> all;
        for (int i = 0; i < cells; ++i) all[static_cast<std::size_t>(i)] = small_state("y", 8 + (i == 0 ? 0.5 : 0) - 0.05 * ((7 * i) % 5));
        return all;
    }();
    static constexpr std::array parameters{small_parameter("F", 8)};
    template <class T>
    static void rhs(const T& /*t*/, const T* y, const T* p, T* dydt) {
        for (int i = 0; i < cells; ++i)
            dydt[i] = (y[(i + 1) % cells] - y[(i + cells - 2) % cells]) * y[(i + cells - 1) % cells] - y[i] + p[0];
    }
};

/// The number type's functions as observables of (a, b, c): what one lane gives for one triple.
struct NumberFunctions : SmallModel<NumberFunctions> {
    static constexpr ModelInfo info = small_info("number_functions", "");
    static constexpr std::array states{small_state("a", 0), small_state("b", 0), small_state("c", 0)};
    static constexpr std::array<ParameterInfo, 0> parameters{};
    static constexpr std::array observables{
        small_observable("sqrt"),  small_observable("exp"),   small_observable("expm1"), small_observable("log"),
        small_observable("log1p"), small_observable("sin"),   small_observable("cos"),   small_observable("tan"),
        small_observable("asin"),  small_observable("acos"),  small_observable("atan"),  small_observable("sinh"),
        small_observable("cosh"),  small_observable("tanh"),  small_observable("pow"),   small_observable("atan2"),
        small_observable("add"),   small_observable("subtract"), small_observable("multiply"), small_observable("divide"),
        small_observable("fma"),   small_observable("min"),   small_observable("max"),   small_observable("abs"),
        small_observable("negate"), small_observable("select"), small_observable("log2_polynomial"), small_observable("exp2_polynomial"),
        small_observable("reciprocal_polynomial"), small_observable("max_abs")};
    template <class T>
    static void rhs(const T& /*t*/, const T* /*y*/, const T* /*p*/, T* dydt) {
        for (std::size_t i = 0; i < states.size(); ++i) dydt[i] = T(0);
    }
    template <class T>
    static void observe(const T& /*t*/, const T* y, const T* /*p*/, T* out) {
        const T a = y[0], b = y[1], c = y[2];
        out[0] = sqrt(a);
        out[1] = exp(a);
        out[2] = expm1(a);
        out[3] = log(a);
        out[4] = log1p(a);
        out[5] = sin(a);
        out[6] = cos(a);
        out[7] = tan(a);
        out[8] = asin(a);
        out[9] = acos(a);
        out[10] = atan(a);
        out[11] = sinh(a);
        out[12] = cosh(a);
        out[13] = tanh(a);
        out[14] = pow(a, b);
        out[15] = atan2(a, b);
        out[16] = a + b;
        out[17] = a - b;
        out[18] = a * b;
        out[19] = a / b;
        out[20] = fma(a, b, c);
        out[21] = min(a, b);
        out[22] = max(a, b);
        out[23] = abs(a);
        out[24] = -a;
        out[25] = select(a < b, b, c);
        out[26] = log2_polynomial(a);
        out[27] = exp2_polynomial(a, T(1));
        out[28] = reciprocal_polynomial(a);
        out[29] = max_abs(a, b);
    }
};

}  // namespace gradscape::models
