// The job of gradscape-run: a scenario file in, an ensemble in an HDF5 file out.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>

#include "app/command_line.hpp"
#include "engine/kernels.hpp"
#include "engine/run_ensemble.hpp"

namespace gradscape {

struct RunJob {
    std::filesystem::path scenario;   ///< either this one
    std::filesystem::path resume;     ///< or the incomplete file of an interrupted run
    std::filesystem::path out;        ///< empty: the scenario's output.file, else gradscape-out/<scenario>.h5; resumed: NAME.h5 beside it
    Overrides overrides;              ///< with `resume` only `threads`
    bool overwrite = false;
};

/// What is known before anything is computed.
struct RunPlan {
    std::filesystem::path file;
    std::int64_t size = 0, rows = 0;
    std::int64_t before = 0;          ///< members in the interrupted run's file
    std::uint64_t bytes = 0;          ///< estimated, before compression
};

struct RunHooks {
    std::stop_token stop;
    std::function<void(const RunPlan&)> planned;
    std::function<void(const Progress&)> progress;
};

/// Where the members of one status stopped, in the independent variable; min > max when there are none.
struct StopRange {
    double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
    bool empty() const { return !(min <= max); }
};

struct RunReport {
    const Model* model = nullptr;
    EnsembleRequest request;          ///< as run, with overrides and the chosen seed
    EnsembleResult result;
    std::array<StopRange, status_count> stopped{};
    std::vector<double> spreads;      ///< one per spread of the model; empty without observables
    std::filesystem::path file;       ///< interrupted: NAME.incomplete.h5, or the resumed file as it was; empty when no member was complete
    std::uint64_t bytes = 0;          ///< size of the file
    bool interrupted = false;
    std::string sentence;             ///< interrupted: what was kept, and the command that goes on with it
};

/// Throws InputError, UsageError (the value of an option) or std::runtime_error, each with one line; then nothing stands under the final
/// name that wasn't there before.
RunReport run_scenario(const RunJob& job, const RunHooks& hooks = {});

}  // namespace gradscape
