// A batch of members in memory, laid out as its chunks lie in the file: internal to engine/export.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/export/export_layout.hpp"

namespace gradscape {

class Batch {
public:
    explicit Batch(const ExportLayout& layout);

    /// Empties it; its first member will be number `first`.
    void begin(std::int64_t first);

    /// Copies members of the chunk from number `from` on, as many as fit, `most` at most; how many they were.
    std::int64_t take(const EnsembleChunk& chunk, std::int64_t from, std::int64_t most);

    std::int64_t first() const { return first_; }
    std::int64_t count() const { return count_; }
    bool full() const;

    /// Of member dataset i: [member], or [chunk of members][block of rows][member of the chunk][row of the block], of the dataset's type.
    const std::byte* values(std::size_t dataset) const { return values_[dataset].get(); }
    const std::byte* chunk_values(std::size_t dataset, std::int64_t member_chunk, std::int64_t row_block) const;

    /// Members of the last, partly filled chunk that nobody has: NaN.
    void pad();

private:
    void copy_rows(std::size_t dataset, const double* member, std::int64_t position);

    const ExportLayout* layout_;
    std::int64_t first_ = 0, count_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> values_;  // [member dataset]
};

}  // namespace gradscape
