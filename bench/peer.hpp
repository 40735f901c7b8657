// Other people's integrators on the same members: scalar, one member after the other, final states only.
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
    std::vector<double> initial;     ///< [member][state]
    double start, end;
    std::size_t count() const { return initial.size() / model->states.size(); }
};

struct PeerRun {
    std::vector<double> states;      ///< [state][member], as in an EnsembleChunk with one row
    double cpu_seconds = 0;          ///< best of the repetitions, thread CPU time
    double accepted = 0, rejected = 0;  ///< per member, mean; 0 where the peer doesn't tell
};

using PeerSolver = PeerRun (*)(const Members& members, double rtol, double atol, int repetitions);

/// CPU time of the calling thread in seconds.
double thread_cpu_seconds();

/// Boost.odeint: runge_kutta_dopri5, controlled, its own error norm and controller.
PeerRun odeint_dopri5_lorenz(const Members& members, double rtol, double atol, int repetitions);
PeerRun odeint_dopri5_log_halo(const Members& members, double rtol, double atol, int repetitions);

/// SUNDIALS ERKStep with Dormand & Prince's pair of order 5(4), its memory reused from member to member.
PeerRun erkstep_lorenz(const Members& members, double rtol, double atol, int repetitions);
PeerRun erkstep_log_halo(const Members& members, double rtol, double atol, int repetitions);

}  // namespace gradscape::bench
