// A description without equations, for tests of what reads descriptions: parameters with and without hard limits, an angle, a mass on a
// logarithmic scale, and a state that the model computes.
#pragma once

#include <array>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

struct DescribedModel {
    static constexpr ModelInfo info{.name = "toy",
                                    .title = "Toy",
                                    .group = "Tests",
                                    .version = "1",
                                    .summary = "A model that only tests use.",
                                    .equations = "",
                                    .citation = "none",
                                    .independent = {.name = "time", .symbol = "t", .unit = "1", .default_start = 0, .default_end = 2,
                                                    .min = -10, .max = 10, .hard_min = -1000, .hard_max = 1000, .default_save = 51},
                                    .error = {.symbol = "e", .unit = "1", .threshold = 1e-6},
                                    .preferred_method = "vern7",
                                    .rtol = 1e-9,
                                    .default_functional = "x"};
    static constexpr std::array states{
        StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 1, .min = -1, .max = 1, .hard_min = -50, .hard_max = 50,
                  .atol = 1e-11},
        StateInfo{.name = "y", .symbol = "y", .latex = "y", .unit = "1", .default_value = std::numeric_limits<double>::quiet_NaN(), .min = -1,
                  .max = 1, .atol = 1e-12}};
    static constexpr std::array parameters{
        ParameterInfo{.name = "rho", .symbol = "ρ", .latex = "\\rho", .unit = "1", .default_value = 28, .min = 0, .max = 120},
        ParameterInfo{.name = "sigma", .symbol = "σ", .latex = "\\sigma", .unit = "km/s", .default_value = 10, .min = 1, .max = 30,
                      .hard_min = 0, .hard_max = 100},
        ParameterInfo{.name = "tilt", .symbol = "i", .latex = "i", .unit = "rad", .default_value = 0.5, .min = 0, .max = 3},
        ParameterInfo{.name = "mass", .symbol = "M", .latex = "M", .unit = "1", .default_value = 1, .min = 0.1, .max = 10, .scale = Scale::log,
                      .hard_min = 1e-300, .hard_max = 1e300}};
    static constexpr std::array observables{ObservableInfo{.name = "radius", .symbol = "r", .latex = "r", .unit = "1"}};
    static constexpr std::array<InvariantInfo, 0> invariants{};
};

/// A request on the model with its defaults: nothing varies.
inline EnsembleRequest described_request() {
    EnsembleRequest request;
    request.model = "toy";
    for (const ParameterInfo& parameter : DescribedModel::parameters) request.parameters.push_back({.value = parameter.default_value});
    request.initial_state = {{.value = 1}, {.kind = Draw::Kind::from_model}};
    request.span.end = 2;
    request.solver.rtol = 1e-9;
    request.solver.atol = {1e-11, 1e-12};
    return request;
}

}  // namespace gradscape
