// What is refused before anything is computed: more than memory holds.
#pragma once

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// Throws InputError when the blocks in work, the accuracy's subsample and the statistics need more memory than the machine has. Chunks
/// are streamed, so the number of members doesn't count.
void check_memory(const EnsembleRequest& request, const ModelDescription& model);

}  // namespace gradscape
