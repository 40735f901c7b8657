// What is refused before anything is computed: results that neither disk nor memory holds.
#pragma once

#include <filesystem>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// Throws InputError when the blocks in work, the accuracy's subsample and the statistics need more memory than the machine has. Chunks
/// are streamed, so the number of members doesn't count.
void check_memory(const EnsembleRequest& request, const ModelDescription& model);

/// Throws InputError when the finished file of `bytes` doesn't fit onto the disk of `target`.
void check_disk(const std::filesystem::path& target, std::uint64_t bytes, const EnsembleRequest& request, std::int64_t rows);

}  // namespace gradscape
