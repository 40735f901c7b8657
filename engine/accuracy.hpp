// The accuracy of a run, measured: a subsample against a reference of higher order at a far tighter tolerance.
#pragma once

#include "engine/run_ensemble.hpp"

namespace gradscape {

/// Members of the subsample: `count` of them (all when there are fewer), evenly spread over 0..size-1, ascending.
std::vector<std::int64_t> accuracy_members(std::int64_t size, int count);

/// The request of a reference solution: Verner 7 at `loosened` times the reference tolerance, which is min(1e-12, rtol/1000) but not below
/// 1e-14, a step's own rounding. Absolute tolerances keep their ratio to rtol.
EnsembleRequest reference_request(const EnsembleRequest& request, double loosened = 1);

/// The model's error measure at every row, [member][row], NaN where either solution is missing. Both chunks hold the same members.
std::vector<double> error_against(const Model& model, const EnsembleRequest& request, const EnsembleChunk& chunk,
                                  const EnsembleChunk& reference, InstructionSet set);

/// Compares the members of `chunk` (solved as requested; numbers in `members`) with the reference and says in words whether they are accurate enough.
AccuracyResult measure_accuracy(const Model& model, const EnsembleRequest& request, const std::vector<std::int64_t>& members,
                                const EnsembleChunk& chunk, const RunOptions& options);

}  // namespace gradscape
