// What a model says about itself. Nothing else in the program knows a model by name: panels, files, documentation, tests
// and the command line read the description.
//
// A model is one struct in one header (models/<name>.hpp):
//
//     struct Lorenz {
//         static constexpr ModelInfo info{...};
//         static constexpr std::array states{StateInfo{...}, ...};
//         static constexpr std::array parameters{ParameterInfo{...}, ...};
//         static constexpr std::array observables{ObservableInfo{...}, ...};
//         static constexpr std::array<InvariantInfo, 0> invariants{};
//         template <class T> static void rhs(const T& t, const T* y, const T* p, T* dydt);
//         template <class T> static void initial_state(const T* p, T* y);
//         template <class T> static void observe(const T& t, const T* y, const T* p, T* out);   // out[observables.size()]
//         template <class T> static void conserved(const T& t, const T* y, const T* p, T* out); // out[invariants.size()]
//         // the model's error measure, of a member and its reference
//         template <class T> static T error(const T* y, const T* p, const T* y_reference, const T* p_reference);
//     };
//
// p holds the member's inputs: the parameters, and after them, where the model declares `static constexpr std::array internals{...}`,
// what the member has besides them (InternalInfo); then its draws, then its guide's state, where the model has these:
//
//     // random numbers of each member's own, whatever the scenario varies
//     static constexpr std::array draws{DrawInfo{...}, ...};
//     static void draw(const double* p, const double* standard, double* out);   // both [draws.size()]
//     static constexpr int start_draw = 0;                                      // one of them may be the member's start
//     // another model's trajectory, integrated once for all members that share it; p ends with its state at the member's start
//     using Guide = LogHalo;
//     static void guide(const double* p, double* guide_p, double* guide_y, double& start, double& end);
//
// `draw` and `guide` see the inputs before them in p.
//
// A model that shoots has an unknown in p, found member by member so that a condition holds at the end of the span. It declares
//
//         static constexpr ShootingInfo shooting{...};
//         static constexpr std::array internals{...};  // the unknown, then values that are kept of the final solve ("closing values")
//         template <class T> static T lowest_unknown(const T* y_start, const T* p);     // the search goes up from here; residual <= 0
//         template <class T> static T residual(const T* y_end, const T* p);             // of the condition
//         template <class T> static void close(const T* y_end, const T* p, T* closing); // closing[internals.size() - 1]
//
// Its right-hand side and initial state must not read the closing values.
//
// T is a number type: double, a pack of SIMD lanes, later an expression. The functions contain no `if` and no comparison used as
// a bool: `select(x < y, a, b)` instead. They call unqualified sqrt, sin, cos, tan, asin, acos, atan2, exp, expm1, log, log1p, pow,
// abs, min, max, select and fma, which argument-dependent look-up or engine/real.hpp provides; constants are written T(2).
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/first_crossing.hpp"

namespace gradscape {

enum class Scale { linear, log };

/// The most entries of p, states, observables or invariants that a model may have.
inline constexpr int most_components = 128;

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

struct ParameterInfo {
    const char* name;           ///< ASCII identifier, the key in files
    const char* symbol;         ///< as shown on screen, e.g. "v₀"
    const char* latex;          ///< e.g. "v_0"
    const char* unit;           ///< as in files: "km/s", "kpc", "1" when dimensionless
    double default_value;
    double min, max;            ///< range offered for exploring
    Scale scale = Scale::linear;
    double hard_min = -no_limit, hard_max = no_limit;  ///< inclusive limits of what the model accepts
    const char* help = "";      ///< one sentence
    bool start_only = false;    ///< only `initial_state` reads it, and no right-hand side or observable
};

/// An input of a member that the user doesn't set.
struct InternalInfo {
    const char* name;
    const char* symbol;
    const char* latex;
    const char* unit;
    const char* help = "";
};

/// A random number that every member has of its own: from the seed and the member's number alone, so that varying a parameter changes no
/// draw. The model makes it from a number of a standard distribution.
struct DrawInfo {
    enum class Standard {
        uniform,  ///< in [0, 1)
        normal,   ///< mean 0, standard deviation 1
        sign,     ///< -1 or +1, equally likely
    };
    const char* name;
    const char* symbol;
    const char* latex;
    const char* unit;
    Standard standard;
    const char* help = "";      ///< one sentence that names the distribution
};

struct StateInfo {
    const char* name;
    const char* symbol;
    const char* latex;
    const char* unit;
    double default_value;       ///< initial value; NaN where `initial_state` computes it from the parameters
    double min, max;            ///< range offered for exploring the initial value
    double hard_min = -no_limit, hard_max = no_limit;
    double atol = 1e-10;        ///< default absolute tolerance, in the state's unit
    const char* help = "";
};

struct ObservableInfo {
    const char* name;
    const char* symbol;
    const char* latex;
    const char* unit;
    double period = 0;          ///< of a circular observable, in its unit (360 or 2π); 0 when it isn't circular
    const char* help = "";
};

struct InvariantInfo {
    const char* name;
    const char* symbol;
    const char* latex;
    const char* unit;
    const char* help = "";
};

/// Another quantity by which save times may be given: a monotone function of the independent variable.
struct IndependentAlias {
    const char* name = nullptr;                 ///< the key in scenarios, "redshift"; null where there is none
    double (*to_independent)(double) = nullptr;
    double (*from_independent)(double) = nullptr;
};

/// A number that says how far the members lie apart at the last save time.
struct SpreadInfo {
    enum class Kind {
        extent,  ///< from the 5th to the 95th percentile of the observable
        width,   ///< robust standard deviation of the observable about its running median along another one
    };
    Kind kind;
    const char* observable;
    const char* along = "";     ///< the other observable of a width
    const char* frame = "";     ///< of which coordinates, where that isn't plain: "GD-1's frame"
};

struct IndependentInfo {
    const char* name;           ///< "time", "redshift", ...; never a plural English time unit
    const char* symbol;
    const char* unit;
    double default_start, default_end;
    double min, max;            ///< range offered for exploring start and end
    double hard_min = -no_limit, hard_max = no_limit;
    int default_save = 101;     ///< number of save times of the default span
    const char* help = "";
    IndependentAlias alias = {};
    bool only_default_end = false;         ///< every span ends at default_end
    bool computed_start_elsewhere = true;  ///< false: what initial_state computes belongs to default_start alone
};

/// What a model that shoots says about its closing condition.
struct ShootingInfo {
    double end;                 ///< where the condition holds, in the independent variable: every member's span ends here
    CrossingRules search;       ///< the first zero of the residual above the lowest unknown is taken
    const char* condition;      ///< "E(N = 0) = 1"
    const char* no_solution;    ///< the sentence for members that end with shooting_failed
};

struct ErrorInfo {
    const char* symbol;         ///< "|Δr|/|r|"
    const char* unit;
    double threshold;           ///< acceptance, on the 99th percentile over members of the maximum over rows
    const char* help = "";
};

struct ModelInfo {
    const char* name;           ///< ASCII identifier
    const char* title;
    const char* group;          ///< "Galactic dynamics", "Chaos", ...
    const char* version;        ///< changes whenever results do
    const char* summary;        ///< two or three sentences
    const char* equations;      ///< right-hand side as readable text, lines separated by \n
    const char* citation;
    IndependentInfo independent;
    ErrorInfo error;
    const char* preferred_method;    ///< "tsit5", "vern7"
    double rtol;                     ///< default: over the default ranges the error's 99th percentile stays below threshold/10
    const char* default_functional;  ///< name of the state or observable whose final value is shown first
};

/// The trajectory of another model that the members start from.
struct GuideDescription {
    int states = 0, inputs = 0;  ///< of the guide's model; its states are in the units of the model's first ones and share their tolerances
    /// The guide's inputs, initial state and span, from the parameters, internals and draws of a member.
    void (*begin)(const double* p, double* guide_p, double* guide_y, double& start, double& end) = nullptr;
};

/// The run-time view of a model's description.
struct ModelDescription {
    ModelInfo info;
    std::span<const StateInfo> states;
    std::span<const ParameterInfo> parameters;
    std::span<const ObservableInfo> observables;
    std::span<const InvariantInfo> invariants;
    std::span<const InternalInfo> internals = {};
    const ShootingInfo* shooting = nullptr;  ///< null where the model doesn't shoot
    std::span<const DrawInfo> draws = {};
    void (*draw)(const double* p, const double* standard, double* out) = nullptr;
    int start_draw = -1;         ///< the draw that is the member's start; -1: the scenario gives it
    GuideDescription guide = {};
    std::span<const SpreadInfo> spreads = {};

    /// Entries of p, and where the draws and the guide's state begin in it.
    std::size_t inputs() const { return first_of_guide() + static_cast<std::size_t>(guide.states); }
    std::size_t first_draw() const { return parameters.size() + internals.size(); }
    std::size_t first_of_guide() const { return first_draw() + draws.size(); }
    bool draws_start() const { return start_draw >= 0; }

    /// Index of a name in a list of infos, or -1.
    template <class Info>
    static int index_of(std::span<const Info> infos, std::string_view name) {
        for (std::size_t i = 0; i < infos.size(); ++i)
            if (name == infos[i].name) return static_cast<int>(i);
        return -1;
    }
};

template <class Model>
constexpr std::span<const InternalInfo> internals_of() {
    if constexpr (requires { Model::internals; })
        return Model::internals;
    else
        return {};
}

template <class Model>
concept HasDraws = requires { Model::draws; };
template <class Model>
concept HasGuide = requires { typename Model::Guide; };

template <class Model>
constexpr std::span<const DrawInfo> draws_of() {
    if constexpr (HasDraws<Model>)
        return Model::draws;
    else
        return {};
}

template <class Model>
constexpr std::size_t guide_states_of() {
    if constexpr (HasGuide<Model>)
        return Model::Guide::states.size();
    else
        return 0;
}

/// Entries of a model's p.
template <class Model>
inline constexpr int inputs_of =
    static_cast<int>(Model::parameters.size() + internals_of<Model>().size() + draws_of<Model>().size() + guide_states_of<Model>());

template <class Model>
concept Shoots = requires { Model::shooting; };

template <class Model>
ModelDescription describe() {
    static_assert(inputs_of<Model> <= most_components && Model::states.size() <= most_components &&
                  Model::observables.size() <= most_components && Model::invariants.size() <= most_components);
    ModelDescription description{Model::info, Model::states, Model::parameters, Model::observables, Model::invariants,
                                 internals_of<Model>()};
    if constexpr (HasDraws<Model>) {
        description.draws = Model::draws;
        description.draw = &Model::draw;
    }
    if constexpr (requires { Model::start_draw; }) description.start_draw = Model::start_draw;
    if constexpr (HasGuide<Model>) {
        static_assert(Model::Guide::states.size() <= Model::states.size());
        description.guide = {static_cast<int>(Model::Guide::states.size()), inputs_of<typename Model::Guide>, &Model::guide};
    }
    if constexpr (Shoots<Model>) description.shooting = &Model::shooting;
    if constexpr (requires { Model::spreads; }) description.spreads = Model::spreads;
    return description;
}

/// A model's functions for one number type, whole packs at a time. The methods call through this table; compiled models, the
/// interpreter of typed equations and any later compiler fit behind it.
template <class T>
struct ModelFunctions {
    int n_states, n_inputs, n_observables, n_invariants;
    void (*rhs)(const T& t, const T* y, const T* p, T* dydt);
    void (*initial_state)(const T* p, T* y);
    void (*observe)(const T& t, const T* y, const T* p, T* out);
    void (*conserved)(const T& t, const T* y, const T* p, T* out);
    void (*error)(const T* y, const T* p, const T* y_reference, const T* p_reference, T* out);  ///< one number

    // Of a model that shoots; null for others. `unknown` is an index into p.
    int unknown = 0;
    CrossingRules search{};
    void (*lowest_unknown)(const T* y_start, const T* p, T* out) = nullptr;
    void (*residual)(const T* y_end, const T* p, T* out) = nullptr;
    void (*close)(const T* y_end, const T* p, T* closing) = nullptr;
};

template <class Model, class T>
constexpr ModelFunctions<T> functions_of() {
    ModelFunctions<T> functions{
        static_cast<int>(Model::states.size()),
        inputs_of<Model>,
        static_cast<int>(Model::observables.size()),
        static_cast<int>(Model::invariants.size()),
        &Model::template rhs<T>,
        &Model::template initial_state<T>,
        &Model::template observe<T>,
        &Model::template conserved<T>,
        [](const T* y, const T* p, const T* y_reference, const T* p_reference, T* out) {
                *out = Model::error(y, p, y_reference, p_reference);
        }};
    if constexpr (Shoots<Model>) {
        functions.unknown = static_cast<int>(Model::parameters.size());
        functions.search = Model::shooting.search;
        functions.lowest_unknown = [](const T* y_start, const T* p, T* out) { *out = Model::lowest_unknown(y_start, p); };
        functions.residual = [](const T* y_end, const T* p, T* out) { *out = Model::residual(y_end, p); };
        functions.close = &Model::template close<T>;
    }
    return functions;
}

}  // namespace gradscape
