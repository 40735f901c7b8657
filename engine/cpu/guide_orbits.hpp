// The guides of a block's members (engine/model.hpp): every distinct one is integrated once, by the same loop over lanes as the members,
// and its state at the members' starts comes from dense output. A guide's steps depend on nothing but its own inputs, so a member's bits
// don't depend on who shares it.
#pragma once

#include <atomic>
#include <vector>

#include "engine/cpu/instruction_set.hpp"
#include "engine/ensemble.hpp"
#include "engine/kernels.hpp"

namespace gradscape {

struct EnsembleBlock;

class GuideOrbits {
public:
    /// For a model with a guide. `method` is an index into `methods`.
    GuideOrbits(const ModelDescription& model, const SolverRequest& solver, const Kernels& kernels, const CpuCode& code,
                std::size_t method);

    /// Writes the guide's states at the members' starts into the block's inputs. A member that can't start gets a status in
    /// block.before_start: the guide's where that failed, bad_input where the start lies outside the guide's span; members that have one
    /// already are left out. Safe to call for different blocks at once.
    void solve(EnsembleBlock& block, const std::atomic<bool>& cancelled) const;

private:
    struct Orbits;
    Orbits distinct_orbits(const EnsembleBlock& block) const;

    const ModelDescription& model_;
    SolverRequest solver_;
    const void* functions_;
    SolveLanes solve_;
    std::size_t lanes_;
};

}  // namespace gradscape
