// The request and the result of an ensemble: plain data. A scenario file (engine/scenario.hpp) is an EnsembleRequest on disk.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/status.hpp"

namespace gradscape {

/// How one quantity (parameter or initial value) gets its value in each member.
struct Draw {
    enum class Kind {
        fixed,        ///< `value`
        from_model,   ///< initial states: the model computes it from the parameters; draws: a random number of the member's own
        uniform,      ///< between min and max
        log_uniform,  ///< between min and max, both above zero; density ∝ 1/x
        normal,       ///< mean and sd, cut to min..max (either may be infinite)
        cosine,       ///< an angle in rad between min and max (within 0..π), uniform in its cosine: isotropic directions
        power_law,    ///< between min and max, both above zero; density ∝ x^exponent
        table,        ///< a column of the request's table
    };
    Kind kind = Kind::fixed;
    double value = 0;
    double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
    double mean = 0, sd = 0;
    double exponent = 0;
    std::int64_t points = 0;  ///< on a grid: values from min to max, both included; 0: not given
    double step = 0;          ///< on a grid, in place of points: min, min + step, ... up to max; 0: not given

    bool varied() const { return kind != Kind::fixed && kind != Kind::from_model; }
    bool operator==(const Draw&) const = default;
};

enum class Sampling {
    random,  ///< counter-based pseudo-random numbers
    sobol,   ///< Sobol's sequence, with a digital shift unless `scramble` is off
    table,   ///< every varied quantity is a column of the table
    // The members of these two belong to the ensemble's size (with groups: to their count): they can't be extended.
    grid,             ///< all combinations of the varied quantities' points, the last quantity varying fastest
    latin_hypercube,  ///< of `size` equally probable parts of each varied quantity, every one holds one member
};

/// Columns by name, as read from a CSV or HDF5 file.
struct SampleTable {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;  ///< [column][member]
    std::int64_t size() const { return columns.empty() ? 0 : static_cast<std::int64_t>(columns.front().size()); }
};

struct SpanRequest {
    enum class Save { count, every, list };
    double start = 0, end = 1;      ///< in the model's independent variable; end < start runs backwards
    bool model_start = false;       ///< each member's start is the one that the model draws; `start` isn't used
    Save save = Save::count;
    std::int64_t count = 101;       ///< evenly spaced from start to end, both included; 1 is the end alone
    double every = 0;               ///< start, start ± every, ..., and the end
    std::vector<double> times;      ///< in the order of the run, within the span; repeated ones are kept
    std::vector<double> alias_times = {};  ///< the same by the alias of the independent variable where they were given so; else empty
};

struct SolverRequest {
    std::string method = "auto";    ///< "auto" is the model's preferred method
    double rtol = 1e-8;
    std::vector<double> atol;       ///< one per state
    std::int64_t max_steps = 100000;     ///< accepted plus rejected steps of a member, over all its solves where the model shoots
    std::optional<double> max_step;      ///< largest |h|
    std::optional<double> first_step;    ///< |h| of the first try
    int threads = 0;                ///< 0: all
    std::string device = "auto";
};

struct OutputRequest {
    std::string file;               ///< empty: named after the scenario
    bool states = true, observables = true, statistics = true;
    std::int64_t every = 1;         ///< every k-th save time goes to the file, counted back from the last one
    enum class Precision { float64, float32 } precision = Precision::float64;
    enum class Compression { automatic, none, gzip } compression = Compression::automatic;
};

/// Members 0..members_each-1 are group 0, and so on: a group's members share everything that varies, and differ in the model's draws.
struct GroupRequest {
    std::int64_t count = 0;             ///< 0: no groups, every member varies by itself
    std::int64_t members_each = 1;
    /// The row of the draws, or of the table, that belongs to a member.
    std::int64_t index_of(std::int64_t member) const { return members_each == 1 ? member : member / members_each; }
};

struct EnsembleRequest {
    std::string model;
    std::vector<Draw> parameters;       ///< one per parameter of the model
    std::vector<Draw> initial_state;    ///< one per state
    std::vector<Draw> draws;            ///< one per draw of the model: from_model, fixed or table; empty: all from the model
    SpanRequest span;
    std::int64_t size = 1000;
    GroupRequest groups;
    Sampling sampling = Sampling::random;
    std::uint64_t seed = 1;
    bool seed_given = false;            ///< false: chosen by the program
    bool scramble = true;               ///< Sobol: digital shift by the seed
    std::string table_file;
    SampleTable table;                  ///< read from table_file before the run; not part of the scenario
    SolverRequest solver;
    int accuracy_subsample = 256;       ///< 0: no reference is computed
    OutputRequest output;
    std::string window = "{}";          ///< JSON text of the window's own section, passed through unchanged
};

/// One thing that differs between members, in the order: parameters, initial states, start, end.
struct VariedQuantity {
    enum class Kind { parameter, initial_state, start, end, draw } kind;  ///< `draw`: as a column of a table only
    int index;              ///< of the parameter, state or draw
    std::string name;       ///< "v0"; initial states have "0" appended: "x0"; "start", "end"; "draw_tail"
};

/// The times at which a run is saved. Members share one list unless they have spans of their own and the list is relative to
/// the span (a count or an interval): then each member has its own, of the same length at most.
struct SaveTimes {
    bool per_member = false;
    std::vector<double> shared;     ///< empty when per_member
    std::int64_t rows = 0;          ///< length of every member's list (shorter lists are filled up with NaN)
};

/// A finished block of consecutive members. Arrays over components are [component][member][row]; missing values are NaN.
struct EnsembleChunk {
    std::int64_t first = 0;         ///< number of its first member
    std::int64_t count = 0;
    std::int64_t rows = 0;
    std::vector<double> drawn;      ///< [varied quantity][member]
    std::vector<double> internals;  ///< [input after the parameters: internal, draw, guide's state][member]
    std::vector<double> states;     ///< [state][member][row]
    std::vector<double> observables;///< [observable][member][row]; empty when not asked for
    std::vector<double> row_times;  ///< [member][row]; empty when members share their save times
    std::vector<double> drift;      ///< [invariant][member]: max over rows of |I - I_first| / |I_first|
    std::vector<Status> status;     ///< [member], as are the following
    std::vector<double> span_start, span_end, stopped_at;
    std::vector<std::int32_t> accepted, rejected;
};

/// Receives the chunks of a run in the order of their members, from one thread. An exception ends the run and is passed on.
struct ChunkSink {
    virtual ~ChunkSink() = default;
    virtual void chunk(const EnsembleChunk& chunk) = 0;
};

struct Progress {
    std::int64_t done = 0, total = 0;
    double seconds = 0;             ///< since the run began
};

/// Percentiles that say how many members they describe.
struct Percentiles {
    std::vector<double> levels;     ///< e.g. 0.5 0.9 0.99 1
    std::vector<double> values;     ///< NaN when covered = 0
    std::int64_t covered = 0, of = 0;
};

struct StepCounts {
    std::int32_t min = 0, median = 0, max = 0;
};

struct AccuracyResult {
    std::vector<std::int64_t> members;  ///< the subsample, ascending
    std::int64_t rows = 0;
    std::vector<double> error;          ///< [sample][row], the model's error measure against the reference; NaN where missing
    std::vector<double> row_quantiles;  ///< [error level][row]
    Percentiles maximum;                ///< over members, of each member's largest error
    double reference_disagreement = 0;  ///< 99th percentile of the same measure between two references
    double threshold = 0;
    enum class Verdict { within, exceeded, withheld, not_computed } verdict = Verdict::not_computed;
    std::string sentence;               ///< the verdict in words, with its reason
};

struct EnsembleResult {
    std::int64_t requested = 0, complete = 0;      ///< members
    std::array<std::int64_t, status_count> by_status{};
    StepCounts accepted, rejected;                 ///< over the members that were run
    std::vector<Percentiles> drift;                ///< per invariant
    AccuracyResult accuracy;
    SaveTimes save_times;
    std::vector<VariedQuantity> varied;
    std::string method;                            ///< the one that ran
    std::string instruction_set;
    int threads = 1, lanes = 1;                    ///< lanes of one pack
    std::int64_t tries = 0, iterations = 0;        ///< steps tried by members; packs advanced (lane use = tries/(iterations*lanes))
    double seconds = 0;                            ///< wall time of the solve
    double cpu_seconds = 0;                        ///< CPU time of its threads
    bool cancelled = false;
    std::vector<std::string> remarks;              ///< one sentence each
};

}  // namespace gradscape
