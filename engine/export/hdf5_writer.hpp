// Streams an ensemble into one HDF5 file that netCDF-4 readers open too: an own target, the only one that knows HDF5.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "engine/ensemble.hpp"
#include "engine/export/part_file.hpp"
#include "engine/model.hpp"
#include "engine/statistics.hpp"

namespace gradscape {

/// What the file says about where it comes from, beside the request.
struct Provenance {
    std::string program;            ///< "gradscape 0.1.0"
    std::string commit;             ///< short git hash, empty when unknown
    std::string backend;            ///< "CPU avx512"
    std::string method;             ///< the method that ran
    std::string scenario_json;      ///< engine/scenario.hpp to_json
    std::string model_source;       ///< right-hand side as text
};

/// Estimated size of the finished file in bytes, before compression.
std::uint64_t estimated_size(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times);

/// Throws InputError when that is more than the disk of the target's folder has free.
void check_disk(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times, const std::filesystem::path& target);

/// Writes `.<name>.part` beside the target; finish() verifies it and renames it over the target. Every HDF5 call is made by one
/// thread of the writer's own, fed by a bounded queue, so chunk() blocks only when the disk is slower than the run. A failure there
/// (disk full) is thrown by the next call as std::runtime_error; the part file is kept then, as last flushed, if it holds members.
class Hdf5Writer : public ChunkSink {
public:
    /// Throws std::runtime_error (folder missing or read-only, target exists and !overwrite, another run is writing it) or what check_disk
    /// throws before anything is written. A part file that an earlier run left is replaced. Compression has `solver.threads` threads;
    /// once `hurry` asks for a stop, chunks are written as they are, without it.
    Hdf5Writer(const std::filesystem::path& target, bool overwrite, const ModelDescription& model, const EnsembleRequest& request,
               const SaveTimes& times, const std::vector<VariedQuantity>& varied, const Provenance& provenance,
               std::stop_token hurry = {});
    ~Hdf5Writer() override;         ///< without finish() or keep_incomplete(): the part file is removed

    /// Members must arrive in order. The values are copied: rows thinned to `output.every`, converted to `output.precision`.
    void chunk(const EnsembleChunk& chunk) override;

    /// Statistics (where not empty), accuracy (where computed), complete = 1, fsync, verification, atomic rename.
    void finish(const EnsembleResult& result, const EnsembleStatistics& statistics);

    /// Keeps the complete members as NAME.incomplete.h5 (complete = 0), which is returned; removes it when there are none (empty
    /// path). An incomplete file of the same scenario with more complete members is kept instead.
    std::filesystem::path keep_incomplete();

    std::uint64_t bytes_written() const;   ///< size of the file as last flushed
    std::int64_t members_saved() const;    ///< members that are on file whatever happens to this process

private:
    struct File;
    std::unique_ptr<File> file_;
};

}  // namespace gradscape
