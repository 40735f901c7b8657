// One measured configuration: a case, a method, a tolerance, an instruction set, a number of threads.
#pragma once

#include <string>
#include <vector>

#include "bench/peer.hpp"
#include "engine/run_ensemble.hpp"

namespace gradscape::bench {

/// What is integrated, with the final states of a reference (Verner 7 at rtol 1e-13) for the error.
struct Case {
    std::string name;
    const Model* model;
    EnsembleRequest request;     ///< one row: the end
    std::vector<std::int64_t> sample;
    EnsembleChunk reference;     ///< of the sample
    Members members;             ///< for the peers
};

/// Lorenz, rho = linspace(0, 21, size), t 0..1, from (1, 0, 0).
Case lorenz_case(std::int64_t size);
/// The orbits of examples/gd1_orbits.json.
Case gd1_case(std::int64_t size);

struct Settings {
    std::string method;
    double rtol, atol;           ///< atol of the first state; the others' keep their proportion to it
    InstructionSet set;
    int threads = 1;
    int repetitions = 9;
};

struct Measurement {
    double members_per_cpu_second = 0;
    double ns_per_accepted_step = 0;  ///< CPU time over all accepted steps of all members
    double lane_use = 0;              ///< tries / (iterations x lanes)
    int lanes = 1;
    double accepted = 0, rejected = 0;  ///< per member, mean
    double error_p99 = 0;             ///< of the model's error measure at the end of the span
};

Measurement measure(const Case& which, const Settings& settings);

/// 99th percentile of the error of one member after the other, states [state][member of the whole ensemble].
double error_p99(const Case& which, const std::vector<double>& states);

/// The tolerance (rtol = atol factor kept) at which our method has the given 99th percentile; found by bisection, without timing.
Settings at_error(const Case& which, Settings settings, double target_p99);

}  // namespace gradscape::bench
