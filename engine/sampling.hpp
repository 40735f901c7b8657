// Draws every member's parameters, initial values and span. Counter-based: member i is the same whatever the size of the
// ensemble, the thread that asks, or a later extension.
#pragma once

#include <memory>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// The varied quantities of a request in their fixed order.
std::vector<VariedQuantity> varied_quantities(const ModelDescription& model, const EnsembleRequest& request);

class Sampler {
public:
    /// The request must be valid (engine/scenario.hpp checks it); both arguments are copied as needed.
    Sampler(const ModelDescription& model, const EnsembleRequest& request);
    ~Sampler();

    /// Writes member i's parameters [P], initial values [D] (NaN where the model computes them), start and end. Safe to call from many threads.
    void member(std::int64_t i, double* parameters, double* initial_state, double& start, double& end) const;

private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

}  // namespace gradscape
