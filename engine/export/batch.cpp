#include "engine/export/batch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace gradscape {
namespace {

using Source = MemberDataset::Source;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Numbers of the dataset's type.
void put(ElementType type, std::byte* to, double value) {
    const auto store = [&](auto number) { std::memcpy(to, &number, sizeof number); };
    switch (type) {
        case ElementType::int8: return store(static_cast<std::int8_t>(value));
        case ElementType::int32: return store(static_cast<std::int32_t>(value));
        case ElementType::int64: return store(static_cast<std::int64_t>(value));
        case ElementType::float32: return store(static_cast<float>(value));
        case ElementType::float64: return store(value);
    }
}

/// The value of a dataset over members alone, for member m of the chunk.
double list_value(const MemberDataset& dataset, const EnsembleChunk& chunk, std::size_t m) {
    const std::size_t count = at(chunk.count);
    switch (dataset.source) {
        case Source::number: return static_cast<double>(chunk.first) + static_cast<double>(m);
        case Source::group: return static_cast<double>((at(chunk.first) + m) / dataset.index);
        case Source::internal: return chunk.internals[dataset.index * count + m];
        case Source::drawn: return chunk.drawn[dataset.index * count + m];
        case Source::status: return static_cast<double>(chunk.status[m]);
        case Source::span_start: return chunk.span_start[m];
        case Source::span_end: return chunk.span_end[m];
        case Source::stopped_at: return chunk.stopped_at[m];
        case Source::accepted: return chunk.accepted[m];
        case Source::rejected: return chunk.rejected[m];
        case Source::drift: return chunk.drift[dataset.index * count + m];
        case Source::row_time:
        case Source::state:
        case Source::observable: break;
    }
    throw std::logic_error("dataset over members and rows");
}

const std::vector<double>& trajectories(const MemberDataset& dataset, const EnsembleChunk& chunk) {
    if (dataset.source == Source::state) return chunk.states;
    return dataset.source == Source::observable ? chunk.observables : chunk.row_times;
}

template <class T>
void copy_block(const double* member, const std::int64_t* rows, std::int64_t count, std::int64_t width, T* to) {
    const bool contiguous = count > 0 && rows[count - 1] - rows[0] == count - 1;
    if (contiguous)
        std::copy_n(member + rows[0], count, to);
    else
        for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(member[rows[i]]);
    std::fill(to + count, to + width, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace

Batch::Batch(const ExportLayout& layout) : layout_(&layout) {
    const ChunkShape& shape = layout.chunk;
    for (const MemberDataset& dataset : layout.members) {
        const std::int64_t rows = dataset.over_rows() ? shape.rows * shape.row_blocks : 1;
        values_.push_back(std::make_unique_for_overwrite<std::byte[]>(at(shape.batch_members * rows) * size_of(dataset.layout.type)));
    }
}

void Batch::begin(std::int64_t first) {
    first_ = first;
    count_ = 0;
}

bool Batch::full() const { return count_ == layout_->chunk.batch_members; }

std::int64_t Batch::take(const EnsembleChunk& chunk, std::int64_t from, std::int64_t most) {
    const std::int64_t n = std::min({layout_->chunk.batch_members - count_, chunk.first + chunk.count - from, most});
    const std::int64_t skipped = from - chunk.first;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const MemberDataset& dataset = layout_->members[i];
        if (dataset.over_rows()) {
            const double* values = trajectories(dataset, chunk).data() + (at(chunk.count) * dataset.index + at(skipped)) * at(chunk.rows);
            for (std::int64_t m = 0; m < n; ++m) copy_rows(i, values + m * chunk.rows, count_ + m);
        } else {
            const std::size_t size = size_of(dataset.layout.type);
            for (std::int64_t m = 0; m < n; ++m)
                put(dataset.layout.type, values_[i].get() + at(count_ + m) * size, list_value(dataset, chunk, at(skipped + m)));
        }
    }
    count_ += n;
    return n;
}

void Batch::copy_rows(std::size_t dataset, const double* member, std::int64_t position) {
    const ChunkShape& shape = layout_->chunk;
    const auto rows = static_cast<std::int64_t>(layout_->rows.size());
    for (std::int64_t block = 0; block < shape.row_blocks; ++block) {
        const std::int64_t first = block * shape.rows, count = std::min(shape.rows, rows - first);
        const std::int64_t offset =
            ((position / shape.members * shape.row_blocks + block) * shape.members + position % shape.members) * shape.rows;
        if (layout_->members[dataset].layout.type == ElementType::float32)
            copy_block(member, layout_->rows.data() + first, count, shape.rows, reinterpret_cast<float*>(values_[dataset].get()) + offset);
        else
            copy_block(member, layout_->rows.data() + first, count, shape.rows, reinterpret_cast<double*>(values_[dataset].get()) + offset);
    }
}

const std::byte* Batch::chunk_values(std::size_t dataset, std::int64_t member_chunk, std::int64_t row_block) const {
    const ChunkShape& shape = layout_->chunk;
    const std::int64_t chunk = member_chunk * shape.row_blocks + row_block;
    return values_[dataset].get() + at(chunk * shape.members * shape.rows) * size_of(layout_->members[dataset].layout.type);
}

void Batch::pad() {
    const std::vector<double> missing(at(layout_->rows.back() + 1), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (layout_->members[i].over_rows())
            for (std::int64_t position = count_; position % layout_->chunk.members != 0; ++position) copy_rows(i, missing.data(), position);
}

}  // namespace gradscape
