// Chunks as HDF5's filters shuffle and deflate leave them, made in several threads: the library has one for all its work, and deflate is far
// slower than the disk. Internal to engine/export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace gradscape {

struct PlainChunk {
    const std::byte* values;
    std::size_t bytes, element_bytes;
};

struct CompressedChunk {
    std::vector<std::byte> bytes;
    std::uint32_t skipped_filters;  ///< as H5Dwrite_chunk takes it: bit 1 where deflate would have made the chunk longer; both in a hurry
};

/// In the order of the chunks. `threads`: 0 for all of the machine. Chunks that aren't begun when `hurry` asks for a stop stay as they are.
std::vector<CompressedChunk> compress(const std::vector<PlainChunk>& chunks, int threads, const std::stop_token& hurry);

}  // namespace gradscape
