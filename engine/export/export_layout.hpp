// What an export holds, as plain data: every dataset with its type, dimensions and attributes, where its values come from, and the
// shape of the chunks. Knows nothing of HDF5.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"
#include "engine/statistics.hpp"

namespace gradscape {

enum class ElementType { int8, int32, int64, float32, float64 };

std::size_t size_of(ElementType type);

struct Attribute {
    std::string name;
    std::variant<std::string, double, std::int64_t, std::int8_t, std::vector<double>, std::vector<std::int8_t>> value;
};

/// A dataset is a dimension scale where its only dimension has its own name.
struct DatasetLayout {
    std::string name;
    ElementType type = ElementType::float64;
    std::vector<std::string> dimensions;  ///< names of scales; none: a scalar
    std::vector<Attribute> attributes;    ///< without _FillValue, which every float dataset gets
};

/// A dataset whose values are known when it is created.
struct FixedDataset {
    DatasetLayout layout;
    std::vector<std::int64_t> shape;
    std::vector<double> values;
};

/// A dataset that grows with the members: [member] or [member][row].
struct MemberDataset {
    enum class Source {
        number, group, drawn, internal, status, span_start, span_end, stopped_at, accepted, rejected, drift, row_time, state, observable
    };
    DatasetLayout layout;
    Source source;
    std::size_t index = 0;  ///< of the varied quantity, internal, invariant, state or observable; of `group`: members of each
    bool over_rows() const { return layout.dimensions.size() == 2; }
};

/// Chunks of the datasets over members and rows, and how many of them are written together.
struct ChunkShape {
    std::int64_t members = 1, rows = 1;
    std::int64_t row_blocks = 1;        ///< chunks along the rows
    std::int64_t batch_members = 1;     ///< a multiple of `members`
    std::int64_t list_members = 1;      ///< chunk of the datasets over members alone
};

struct ExportLayout {
    std::vector<std::int64_t> rows;            ///< indices of the exported save times
    std::string row_dimension;                 ///< the independent variable's name; "row" where members have save times of their own
    std::vector<FixedDataset> fixed;           ///< scales and scalars, before the first batch
    std::vector<MemberDataset> members;        ///< the first one is the scale `member`
    ChunkShape chunk;
    bool compressed = false;
    std::string coordinates;                   ///< of the file, where no trajectory is in it to name them; else empty
};

/// Under which name the file holds an internal input of the model.
std::string dataset_name(const InternalInfo& internal);

/// Throws std::runtime_error where two datasets would have the same name.
ExportLayout export_layout(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times,
                           const std::vector<VariedQuantity>& varied);

/// Statistics over members and the accuracy of the subsample, with the scales they need.
std::vector<FixedDataset> summary_datasets(const ModelDescription& model, const ExportLayout& layout, const EnsembleStatistics& statistics,
                                           const AccuracyResult& accuracy);

/// The scale `line` of the log.
FixedDataset line_numbers(std::size_t lines);

}  // namespace gradscape
