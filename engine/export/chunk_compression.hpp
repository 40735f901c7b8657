// Chunks as HDF5's filters shuffle and deflate leave them, made in several threads: the library has one for all its work, and deflate is far
// slower than the disk. Internal to engine/export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradscape {

struct PlainChunk {
    const std::byte* values;
    std::size_t bytes, element_bytes;
};

struct CompressedChunk {
    std::vector<std::byte> bytes;
    std::uint32_t skipped_filters;  ///< as H5Dwrite_chunk takes it: bit 1 where deflate would have made the chunk longer
};

/// In the order of the chunks.
std::vector<CompressedChunk> compress(const std::vector<PlainChunk>& chunks);

}  // namespace gradscape
