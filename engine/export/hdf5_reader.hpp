// Reads back what Hdf5Writer wrote, and tables of samples.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

class Hdf5Reader {
public:
    /// Throws std::runtime_error naming the file and what is wrong with it.
    explicit Hdf5Reader(const std::filesystem::path& file);
    ~Hdf5Reader();

    std::string attribute(const std::string& name) const;   ///< of the root, as text
    std::string scenario_json() const;
    bool complete() const;
    std::int64_t requested() const, members() const, rows() const;   ///< rows: of the file, after `output.every`
    bool has(const std::string& dataset) const;
    std::vector<std::int64_t> shape(const std::string& dataset) const;
    std::vector<double> dataset(const std::string& name) const;                                      ///< flattened, as double
    std::vector<double> dataset(const std::string& name, std::int64_t first, std::int64_t count) const;  ///< members first..first+count

    /// The members first..first+count as the run delivered them (for resuming into a new file). Throws std::runtime_error unless the
    /// file holds them whole: states, observables where the request asks for them, `every` = 1 and precision float64.
    EnsembleChunk chunk(const ModelDescription& model, const EnsembleRequest& request, std::int64_t first, std::int64_t count) const;

private:
    struct File;
    std::unique_ptr<File> file_;
};

/// Every one-dimensional numeric dataset of the root as a column; names with the prefix param_ lose it. They must be equally long.
/// Of a Gradscape export: the varied parameters and initial values, and span_start and span_end as `start` and
/// `end` where they differ between members.
/// Throws std::runtime_error naming the file and what is wrong with it.
SampleTable read_hdf5_table(const std::filesystem::path& file);

}  // namespace gradscape
