// The only entry point of the engine: runs an ensemble on the CPU or the GPU.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "engine/ensemble.hpp"
#include "engine/kernels.hpp"

namespace gradscape {

struct RunOptions {
    std::stop_token stop;                               ///< asks the run to end; members not finished get a status that says so
    ChunkSink* sink = nullptr;                          ///< may be null: only the summary is kept
    std::function<void(const Progress&)> progress;      ///< called from the calling thread, about ten times a second
    bool observables = true;                            ///< whether the chunks carry them; states they always do
    std::int64_t chunk_members = 0;                     ///< 0: sized so that a few chunks stay below 64 MiB each
    std::optional<InstructionSet> instruction_set;      ///< default: the best that processor and build have
    /// Members of an earlier, interrupted run: members 0..previous_members are asked for in blocks and those with a final status
    /// are passed on as they are; cancelled and not_run ones are integrated again. Threads of the run call for them, one at a time. A stop
    /// before all of them have come ends the run there: the sink has then got fewer members than there were.
    std::int64_t previous_members = 0;
    std::function<EnsembleChunk(std::int64_t first, std::int64_t count)> previous;
};

/// Runs the request on the model. The request must be valid (engine/scenario.hpp: validate). Nothing of the result depends on the
/// number of threads, the chunks or the other members. Throws what the sink throws.
EnsembleResult run_ensemble(const Model& model, const EnsembleRequest& request, const RunOptions& options = {});

/// Solves the given members alone, with the same bits as in the ensemble: states [state][k][row], statuses and the rest as in a chunk.
EnsembleChunk solve_members(const Model& model, const EnsembleRequest& request, const std::vector<std::int64_t>& members,
                            const RunOptions& options = {});

}  // namespace gradscape
