#include "app/run_scenario.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "app/number_text.hpp"
#include "app/scenario_input.hpp"
#include "app/version.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "engine/export/hdf5_writer.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/scenario.hpp"
#include "engine/statistics.hpp"
#include "models/catalogue.hpp"

namespace gradscape {
namespace {

namespace fs = std::filesystem;

constexpr const char* incomplete_suffix = ".incomplete.h5";

fs::path incomplete_name(const fs::path& target) { return fs::path(target).replace_extension(incomplete_suffix); }

/// NAME.h5 of NAME.incomplete.h5.
fs::path complete_name(const fs::path& incomplete) {
    const std::string name = incomplete.string();
    const std::string_view suffix = incomplete_suffix;
    if (!name.ends_with(suffix))
        throw UsageError("--resume: `" + name + "` doesn't end in " + incomplete_suffix + "; name the file to write with --out");
    return name.substr(0, name.size() - suffix.size()) + ".h5";
}

std::uint64_t random_seed() {
    std::random_device device;
    const std::uint64_t high = device(), low = device();
    return (high << 32 | low) >> 1;  // 63 bits: fits a signed attribute
}

/// Why a run of this request can't be gone on with from its incomplete file, which then lacks a part of what the summary needs; or "".
std::string not_resumable(const EnsembleRequest& request) {
    if (!request.output.states) return "output.states is false";
    if (request.output.every != 1) return "output.every is " + std::to_string(request.output.every);
    if (request.output.precision != OutputRequest::Precision::float64) return "output.precision is not float64";
    return "";
}

std::string file_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in || fs::is_directory(file)) throw InputError(file.string() + ": can't be read: " + std::strerror(fs::is_directory(file) ? EISDIR : errno));
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string shell_word(const std::string& text) {
    const auto harmless = [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80 || std::string_view("._-/+,:=@%").find(static_cast<char>(c)) != std::string_view::npos; };
    if (!text.empty() && std::all_of(text.begin(), text.end(), harmless)) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// The members of an interrupted run, read back in blocks while the new run passes by.
class PreviousRun {
public:
    explicit PreviousRun(const fs::path& file) : file_(file), reader_(file) {
        if (reader_.complete()) throw InputError(file.string() + ": this run is complete, there is nothing to resume");
    }

    EnsembleRequest request(const Overrides& overrides) const {
        EnsembleRequest request = overridden_scenario(reader_.scenario_json(), overrides, {});
        request.seed_given = reader_.attribute("seed_origin") == "user";
        if (const std::string reason = not_resumable(request); !reason.empty())
            throw InputError(file_.string() + ": can't be resumed, because " + reason + "; run its scenario again");
        return request;
    }

    /// The results must be those of this program's model, so that old and new members belong together.
    void check_model(const ModelDescription& model) const {
        if (const std::string version = reader_.attribute("model_version"); version != model.info.version)
            throw InputError(file_.string() + ": was written with version " + version + " of the model " + model.info.name +
                             ", this program has version " + model.info.version + "; run its scenario again");
    }

    std::string source() const { return reader_.attribute("source"); }
    std::int64_t members() const { return reader_.members(); }

    EnsembleChunk chunk(const ModelDescription& model, const EnsembleRequest& request, const Sampler& sampler, std::int64_t first,
                        std::int64_t count) const {
        EnsembleChunk chunk = reader_.chunk(model, request, first, count);
        check_draws(model, request, sampler, chunk);
        return chunk;
    }

private:
    /// A table that was edited since would otherwise go unnoticed.
    void check_draws(const ModelDescription& model, const EnsembleRequest& request, const Sampler& sampler, const EnsembleChunk& chunk) const {
        const std::vector<VariedQuantity> varied = varied_quantities(model, request);
        std::vector<double> parameters(model.parameters.size()), initial(model.states.size());
        for (std::int64_t m = 0; m < chunk.count; ++m) {
            const Status status = chunk.status[static_cast<std::size_t>(m)];
            if (status == Status::cancelled || status == Status::not_run) continue;
            double start = 0, end = 0;
            sampler.member(chunk.first + m, parameters.data(), initial.data(), start, end);
            for (std::size_t q = 0; q < varied.size(); ++q) {
                const auto index = static_cast<std::size_t>(varied[q].index);
                const double before = chunk.drawn[q * static_cast<std::size_t>(chunk.count) + static_cast<std::size_t>(m)];
                double now = 0;
                switch (varied[q].kind) {
                    case VariedQuantity::Kind::parameter: now = parameters[index]; break;
                    case VariedQuantity::Kind::initial_state: now = initial[index]; break;
                    case VariedQuantity::Kind::start: now = start; break;
                    case VariedQuantity::Kind::end: now = end; break;
                }
                if (before != now && !(std::isnan(before) && std::isnan(now)))
                    throw InputError(file_.string() + ": " + varied[q].name + " of member " + std::to_string(chunk.first + m) + " was " +
                                     number_text(before, 17) + " and would now be " + number_text(now, 17) + "; was the table changed?");
            }
        }
    }

    fs::path file_;
    Hdf5Reader reader_;
};

/// Hands each chunk to the file, the statistics and the ranges of stops.
class RunSink final : public ChunkSink {
public:
    RunSink(Hdf5Writer& writer, StatisticsCollector* statistics, std::array<StopRange, status_count>& stopped)
        : writer_(writer), statistics_(statistics), stopped_(stopped) {}

    void chunk(const EnsembleChunk& chunk) override {
        for (std::size_t m = 0; m < chunk.status.size(); ++m) {
            StopRange& range = stopped_[static_cast<std::size_t>(chunk.status[m])];
            range.min = std::fmin(range.min, chunk.stopped_at[m]);
            range.max = std::fmax(range.max, chunk.stopped_at[m]);
        }
        if (statistics_ != nullptr) statistics_->add(chunk);
        writer_.chunk(chunk);
        delivered_ = chunk.first + chunk.count;
    }

    std::int64_t delivered() const { return delivered_; }

private:
    Hdf5Writer& writer_;
    StatisticsCollector* statistics_;
    std::array<StopRange, status_count>& stopped_;
    std::int64_t delivered_ = 0;
};

/// The file to write, with the default's folder.
fs::path target_of(const RunJob& job, const EnsembleRequest& request) {
    if (!job.out.empty()) return job.out;
    if (!job.resume.empty()) return complete_name(job.resume);
    if (!request.output.file.empty()) return request.output.file;
    return fs::path("gradscape-out") / job.scenario.stem().concat(".h5");
}

void check_target(const RunJob& job, const fs::path& target) {
    std::error_code ignored;
    if (job.overwrite) return;
    if (fs::exists(target, ignored)) throw InputError(target.string() + ": exists already; --overwrite replaces it, --out names another file");
    const fs::path incomplete = incomplete_name(target);
    if (fs::exists(incomplete, ignored) && !(!job.resume.empty() && fs::equivalent(incomplete, job.resume, ignored)))
        throw InputError(incomplete.string() + ": holds the members of an interrupted run; --resume " + shell_word(incomplete.string()) +
                         " goes on with it, --overwrite begins again");
}

std::string shape_text(const EnsembleRequest& request, const ModelDescription& model, const SaveTimes& times) {
    return std::to_string(request.size) + " members x " + std::to_string(times.rows) + " rows x " +
           std::to_string((request.output.states ? model.states.size() : 0) + (request.output.observables ? model.observables.size() : 0)) +
           " states and observables";
}

/// Refuses what the disk can't hold, before the first byte.
void check_disk(const fs::path& target, std::uint64_t bytes, const std::string& shape) {
    fs::path folder = target.parent_path();
    if (folder.empty()) folder = ".";
    std::error_code failed;
    const fs::space_info space = fs::space(folder, failed);
    if (failed || bytes <= space.available) return;
    throw InputError(target.string() + ": the result needs about " + bytes_text(bytes) + " (" + shape + "), the disk has " +
                     bytes_text(space.available) + " free; reduce ensemble.size or span.save, or set output.every, output.states or output.precision");
}

/// Chunks are streamed, so memory doesn't grow with the number of members, but the blocks in work and the accuracy's subsample must fit.
void check_memory(const EnsembleRequest& request, const ModelDescription& model, const SaveTimes& times) {
    constexpr double blocks = 12, smallest_block = 16, subsamples = 5;
    const double member = 8.0 * static_cast<double>(times.rows) * static_cast<double>(model.states.size() + model.observables.size() + 1);
    const double members = blocks * std::min(smallest_block, static_cast<double>(request.size)) +
                           subsamples * std::min(static_cast<double>(request.accuracy_subsample), static_cast<double>(request.size));
    const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (member * members <= present) return;
    throw InputError("span.save: " + std::to_string(times.rows) + " rows need about " + bytes_text(static_cast<std::uint64_t>(std::min(member * members, 1e19))) +
                     " of memory while the run is in work, this machine has " + bytes_text(static_cast<std::uint64_t>(present)) +
                     "; save fewer rows or reduce accuracy.subsample");
}

/// What was kept of an interrupted run, and the command that goes on with it.
std::string interrupted_text(const RunJob& job, const RunReport& report) {
    if (report.file.empty()) return "interrupted before the first member was complete; nothing is kept";
    const std::string text = "interrupted; " + std::to_string(report.result.complete) + " of " + std::to_string(report.result.requested) +
                             " members are kept in " + report.file.string();
    if (const std::string reason = not_resumable(report.request); !reason.empty()) return text + "; the run can't be resumed, because " + reason;
    return text + "; to go on: gradscape-run --resume " + shell_word(report.file.string()) + (job.overwrite ? " --overwrite" : "");
}

std::string kept_text(const fs::path& kept) { return kept.empty() ? std::string("no member was complete, nothing is kept") : "the complete members are kept in " + kept.string(); }

}  // namespace

RunReport run_scenario(const RunJob& job, const RunHooks& hooks) {
    RunReport report;
    std::unique_ptr<const PreviousRun> previous;
    EnsembleRequest& request = report.request;
    if (!job.resume.empty()) {
        previous = std::make_unique<PreviousRun>(job.resume);
        request = previous->request(job.overrides);
    } else {
        request = overridden_scenario(file_text(job.scenario), job.overrides, job.scenario.parent_path());
        if (!request.seed_given) request.seed = random_seed();
    }
    report.model = find_model(request.model);
    const Model& model = *report.model;
    const ModelDescription& description = model.description;
    if (previous) previous->check_model(description);
    if (!request.table_file.empty()) request.table_file = fs::absolute(request.table_file).string();  // the file may be read from anywhere

    const fs::path target = target_of(job, request);
    check_target(job, target);
    request.output.file = target.string();
    const SaveTimes times = run_save_times(request);
    const std::vector<VariedQuantity> varied = varied_quantities(description, request);
    const RunPlan plan{target, request.size, times.rows, previous ? previous->members() : 0, estimated_size(description, request, times)};
    check_memory(request, description, times);
    check_disk(target, plan.bytes, shape_text(request, description, times));
    if (hooks.planned) hooks.planned(plan);

    const InstructionSet set = best_instruction_set();
    Provenance provenance;
    provenance.program = std::string("gradscape ") + version;
    provenance.commit = git_commit;
    provenance.backend = "CPU " + std::string(name(set));
    provenance.method = request.solver.method == "auto" ? description.info.preferred_method : request.solver.method;
    provenance.scenario_json = to_json(request, description);
    provenance.model_source = description.info.equations;
    if (job.out.empty() && !previous && target.parent_path() == "gradscape-out") fs::create_directories(target.parent_path());
    Hdf5Writer writer(target, job.overwrite, description, request, times, varied, provenance);

    std::unique_ptr<StatisticsCollector> statistics;
    if (request.output.statistics)
        statistics = std::make_unique<StatisticsCollector>(description, request.size, times.rows, request.output.states, request.output.observables);
    RunSink sink(writer, statistics.get(), report.stopped);
    const Sampler sampler(description, request);
    RunOptions options;
    options.stop = hooks.stop;
    options.sink = &sink;
    options.progress = hooks.progress;
    options.states = request.output.states;
    options.observables = request.output.observables;
    options.instruction_set = set;
    if (previous) {
        options.previous_members = previous->members();
        options.previous = [&](std::int64_t first, std::int64_t count) { return previous->chunk(description, request, sampler, first, count); };
    }
    try {
        report.result = run_ensemble(model, request, options);
        report.interrupted = hooks.stop.stop_requested();
        if (report.interrupted) {
            report.file = writer.keep_incomplete();
        } else {
            writer.finish(report.result, statistics ? statistics->result() : EnsembleStatistics{});
            report.file = target;
        }
    } catch (const std::exception& error) {
        // The disk is full, usually. The file of the run that was resumed is not given up for a shorter one.
        if (previous && sink.delivered() <= previous->members())
            throw std::runtime_error(std::string(error.what()) + "; " + job.resume.string() + " is as it was");
        throw std::runtime_error(std::string(error.what()) + "; " + kept_text(writer.keep_incomplete()));
    }
    std::error_code ignored;
    if (!report.file.empty()) report.bytes = fs::file_size(report.file, ignored);
    if (report.interrupted) {
        report.sentence = interrupted_text(job, report);
        return report;
    }
    if (previous) fs::remove(job.resume, ignored);
    if (job.overwrite) fs::remove(incomplete_name(target), ignored);
    return report;
}

}  // namespace gradscape
