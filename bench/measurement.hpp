// One measured configuration: a case, a method, a tolerance, an instruction set, a number of threads.
#pragma once

#include <string>
#include <vector>

#include "bench/peer.hpp"
#include "engine/run_ensemble.hpp"

namespace gradscape::bench {

/// What is integrated, with a reference (Verner 7 at rtol 1e-13) for the error.
struct Case {
    std::string name;
    const Model* model;
    EnsembleRequest request;
    std::vector<std::int64_t> sample;
    EnsembleChunk reference;     ///< of the sample
    Members members;             ///< all of them, for the peers
    Members sample_members;
};

/// Lorenz, rho = linspace(0, 21, size), t 0..1, from (1, 0, 0); one row, the end.
Case lorenz_case(std::int64_t size);
/// A scenario of examples/ at another size: with one row, the end, or with its own. `first_step`, over the span, is for odeint, which
/// chooses none.
Case example_case(std::string name, const std::string& file, std::int64_t size, int sample, bool end_alone, double first_step);

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
    double accepted = 0, rejected = 0;  ///< per member, mean; over all solves of a member
    double error_p99 = 0;             ///< over the sample, of the largest of the model's error measure over the rows
};

Measurement measure(const Case& which, const Settings& settings);
/// The time is that of all members; of the sample alone where `sample_alone`.
Measurement measure(const Case& which, const Peer& peer, double rtol, double atol, int repetitions, bool sample_alone = false,
                    RowsOfShooting rows = RowsOfShooting::in_every_solve);

/// The loosest tolerance (rtol/atol kept) at which a method has the 99th percentile asked for; found by bisection, without timing.
Settings at_error(const Case& which, Settings settings, double target_p99);
double rtol_at_error(const Case& which, const Peer& peer, double atol_over_rtol, double target_p99,
                     RowsOfShooting rows = RowsOfShooting::in_every_solve);

/// The instruction sets that were built and that this processor has, widest first; not the scalar one.
std::vector<InstructionSet> sets_to_measure();

/// The peers by library.
const std::vector<std::vector<Peer>>& libraries();

}  // namespace gradscape::bench
