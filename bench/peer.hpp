// Other people's integrators on the same members: scalar, one member after the other.
#pragma once

#include <string>
#include <vector>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape::bench {

/// The members of a case, drawn beforehand, so that no peer pays for sampling.
struct Members {
    const ModelDescription* model;
    std::vector<double> parameters;  ///< [member][parameter]
    std::vector<double> initial;     ///< [member][state], NaN where the model computes it
    double start, end;
    std::vector<double> rows;        ///< where the states are wanted, in the order of the run
    double first_step;               ///< for peers that choose none, in the independent variable, above zero
    std::size_t count() const { return initial.size() / model->states.size(); }
};

struct PeerRun {
    std::vector<double> states;      ///< [state][member][row], as in an EnsembleChunk; NaN for members that failed
    std::vector<double> internals;   ///< [internal input][member]
    double cpu_seconds = 0;          ///< best of the repetitions, thread CPU time
    double accepted = 0, rejected = 0;  ///< per member, mean, over all its solves
};

/// When a peer stops at the rows, if it solves a member again and again: in every solve, or in one more with the unknown that was found.
/// Which is faster depends on how many steps a solve takes.
enum class RowsOfShooting { in_every_solve, in_one_more_solve };

using PeerSolver = PeerRun (*)(const Members& members, double rtol, double atol, int repetitions, RowsOfShooting rows);

struct Peer {
    std::string package, method;
    PeerSolver solve;
    std::string name() const { return package + " " + method; }
};

/// CPU time of the calling thread in seconds.
double thread_cpu_seconds();

/// Boost.odeint, controlled, with its own error norm and controller: Dormand & Prince 5(4) first, Fehlberg 7(8).
const std::vector<Peer>& odeint_peers();

/// SUNDIALS ERKStep, its memory reused from member to member, with the tables of order 5 and above that version 6.4 has: Dormand & Prince
/// 5(4) first, Verner 6(5), Fehlberg 8(7). It has none of order 7.
const std::vector<Peer>& erkstep_peers();

}  // namespace gradscape::bench
