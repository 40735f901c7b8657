// What is refused before anything is computed: more than memory or the disk holds.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// Throws InputError when the blocks in work, the accuracy's subsample and the statistics need more memory than the machine has. Chunks
/// are streamed, so the number of members doesn't count.
void check_memory(const EnsembleRequest& request, const ModelDescription& model);

/// Throws InputError when a file of `bytes` (of that many rows) is more than the folder's disk has free.
void check_disk(const EnsembleRequest& request, std::int64_t rows, std::uint64_t bytes, const std::filesystem::path& folder);

}  // namespace gradscape
