// An interrupted run that is gone on with: its scenario and its members, read from NAME.incomplete.h5.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "app/command_line.hpp"
#include "engine/ensemble.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "engine/model.hpp"
#include "engine/sampling.hpp"

namespace gradscape {

/// NAME.h5 of NAME.incomplete.h5, the inverse of incomplete_path (engine/export/part_file.hpp). Throws InputError.
std::filesystem::path complete_path(const std::filesystem::path& incomplete);

/// Why a run of this request can't be gone on with: its incomplete file lacks what the statistics and the accuracy need. "" when it can.
std::string not_resumable(const EnsembleRequest& request);

class PreviousRun {
public:
    /// Throws InputError when the run is complete, std::runtime_error when the file isn't one of ours.
    explicit PreviousRun(const std::filesystem::path& file);

    /// The scenario as it was run; of the overrides `threads` alone may be set. Throws InputError when the run can't be gone on with.
    EnsembleRequest request(const Overrides& overrides) const;

    /// Throws InputError when this program's model gives other results than the one that ran.
    void check_model(const ModelDescription& model) const;

    std::string source() const { return reader_.attribute("source"); }   ///< program, commit and backend
    std::int64_t members() const { return reader_.members(); }
    std::array<std::int64_t, status_count> by_status() const;            ///< of all that were asked for

    /// For RunOptions::previous. Throws InputError when a member's draws aren't those that the sampler gives: the table was edited.
    EnsembleChunk chunk(const ModelDescription& model, const EnsembleRequest& request, const Sampler& sampler, std::int64_t first,
                        std::int64_t count) const;

private:
    std::filesystem::path file_;
    Hdf5Reader reader_;
};

}  // namespace gradscape
