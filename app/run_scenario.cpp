#include "app/run_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <random>

#include "app/previous_run.hpp"
#include "app/run_limits.hpp"
#include "app/scenario_input.hpp"
#include "app/version.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "engine/export/hdf5_writer.hpp"
#include "engine/export/part_file.hpp"
#include "engine/input_text.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/scenario.hpp"
#include "engine/spread.hpp"
#include "engine/statistics.hpp"
#include "models/catalogue.hpp"

namespace gradscape {
namespace {

namespace fs = std::filesystem;

const fs::path default_folder = "gradscape-out";

std::uint64_t random_seed() {
    std::random_device device;
    const std::uint64_t high = device(), low = device();
    return (high << 32 | low) >> 1;  // 63 bits: fits a signed attribute
}

std::string shell_word(const std::string& text) {
    constexpr const char* harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:=@%";
    if (text.find_first_not_of(harmless) == std::string::npos) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// Hands each chunk to the file, the statistics and the ranges of stops.
class RunSink final : public ChunkSink {
public:
    RunSink(Hdf5Writer& writer, StatisticsCollector* statistics, SpreadCollector& spreads, std::array<StopRange, status_count>& stopped)
        : writer_(writer), statistics_(statistics), spreads_(spreads), stopped_(stopped) {}

    std::int64_t received() const { return received_; }  ///< members

    void chunk(const EnsembleChunk& chunk) override {
        received_ += chunk.count;
        for (std::size_t m = 0; m < chunk.status.size(); ++m) {
            StopRange& range = stopped_[static_cast<std::size_t>(chunk.status[m])];
            range.min = std::fmin(range.min, chunk.stopped_at[m]);
            range.max = std::fmax(range.max, chunk.stopped_at[m]);
        }
        if (statistics_ != nullptr) statistics_->add(chunk);
        spreads_.add(chunk);
        writer_.chunk(chunk);
    }

private:
    Hdf5Writer& writer_;
    StatisticsCollector* statistics_;
    SpreadCollector& spreads_;
    std::array<StopRange, status_count>& stopped_;
    std::int64_t received_ = 0;
};

/// Where a symbolic link leads to: the file there is written, and the link stays.
fs::path behind_links(fs::path file) {
    std::error_code error;
    for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(file, error)); ++links)
        file = file.parent_path() / fs::read_symlink(file, error);
    return file;
}

/// The file to write, with the default's folder.
fs::path target_of(const RunJob& job, const EnsembleRequest& request) {
    if (!job.out.empty()) return job.out;
    if (!job.resume.empty()) return complete_path(job.resume);
    if (!request.output.file.empty()) return request.output.file;
    return default_folder / job.scenario.stem().concat(".h5");
}

/// Members in the part file of a run that was killed; 0 when there is none, or nothing in it can be read.
std::int64_t kept_members(const fs::path& part) {
    std::error_code ignored;
    if (!fs::exists(part, ignored)) return 0;
    try {
        return Hdf5Reader(part).members();
    } catch (const std::exception&) {
        return 0;
    }
}

void check_existing(const RunJob& job, const EnsembleRequest& request, const fs::path& target) {
    std::error_code ignored;
    for (const fs::path& input : {job.scenario, fs::path(request.table_file)})
        if (!input.empty() && fs::equivalent(input, target, ignored))
            throw InputError(target.string() + ": the run reads this file and can't write it; --out names another one");
    const fs::path part = part_path(target);
    const std::string name_to_resume = shell_word(incomplete_path(target).lexically_normal().string());
    const std::string to_resume = "`mv " + shell_word(part.string()) + " " + name_to_resume + " && gradscape-run --resume " + name_to_resume + "`";
    if (!job.resume.empty() && fs::equivalent(job.resume, part, ignored))
        throw InputError(part.string() + ": can't be resumed under this name: " + to_resume);
    if (job.overwrite) return;
    if (fs::exists(target, ignored))
        throw InputError(target.string() + ": exists already; --overwrite replaces it, --out names another file");
    const fs::path incomplete = incomplete_path(target).lexically_normal();
    if (fs::exists(incomplete, ignored) && (job.resume.empty() || !fs::equivalent(incomplete, job.resume, ignored)))
        throw InputError(incomplete.string() + ": holds the members of an interrupted run; --resume " + shell_word(incomplete.string()) +
                         " goes on with it, --overwrite begins again");
    if (kept_members(part) > 0)
        throw InputError(part.string() + ": holds the members of a run that was killed; " + to_resume +
                         " goes on with it, --overwrite begins again");
}

/// What was kept of an interrupted run, and the command that goes on with it. `as_it_was`: the resumed file, untouched.
std::string interrupted_text(const RunJob& job, const RunReport& report, bool as_it_was) {
    if (report.file.empty()) return "interrupted before the first member was complete; nothing is kept";
    const std::string file = report.file.string(), requested = std::to_string(report.result.requested);
    const std::string part = std::to_string(report.result.complete) + " of " + requested + " members";
    std::string text = "interrupted; ";
    if (as_it_was)
        text += file + " is as it was, with " + part;
    else if (report.result.complete == report.result.requested)
        text += "all " + requested + " members are kept in " + file + ", only statistics and accuracy are missing";
    else
        text += part + " are kept in " + file;
    if (const std::string reason = not_resumable(report.request); !reason.empty())
        return text + "; the run can't be resumed, because " + reason;
    return text + "; to go on: gradscape-run --resume " + shell_word(file) +
           (as_it_was && !job.out.empty() ? " --out " + shell_word(job.out.string()) : "") +
           (job.overwrite && fs::exists(report.request.output.file) ? " --overwrite" : "");
}

/// Members with a final status.
std::int64_t complete_members(const std::array<std::int64_t, status_count>& by_status) {
    std::int64_t complete = 0;
    for (std::size_t s = 0; s < by_status.size(); ++s)
        if (static_cast<Status>(s) != Status::cancelled && static_cast<Status>(s) != Status::not_run) complete += by_status[s];
    return complete;
}

/// After a failure: keeps what is on file, and says so.
std::string kept_after_failure(const RunJob& job, const PreviousRun* previous, const fs::path& target, std::unique_ptr<Hdf5Writer> writer) {
    const fs::path part = part_path(target), incomplete = incomplete_path(target).lexically_normal();
    std::error_code ignored;
    if (previous != nullptr && writer->members_saved() <= previous->members()) {  // not given up for a shorter one
        writer.reset();
        fs::remove(part, ignored);
        return job.resume.string() + " is as it was";
    }
    try {
        if (writer->keep_incomplete().empty()) return "no member was complete, nothing is kept";
        return "the complete members are kept in " + incomplete.string();
    } catch (const std::exception&) {  // the writer itself has failed: what it had flushed is in its part file
        writer.reset();
    }
    if (!fs::exists(part, ignored)) return "nothing is kept";
    rename_into_place(part, incomplete, true);
    return "this file is now " + incomplete.string();
}

/// What the scenario, the command line and an interrupted run ask for.
EnsembleRequest requested(const RunJob& job, const PreviousRun* previous) {
    EnsembleRequest request;
    if (previous != nullptr) {
        request = previous->request(job.overrides);
    } else {
        constexpr std::uintmax_t most = std::uintmax_t{1} << 26;  // bytes
        const std::string text = read_text_file(job.scenario, most);
        try {
            request = overridden_scenario(text, job.overrides, job.scenario.parent_path());
        } catch (const InputError& error) {
            throw InputError(one_line(job.scenario.string()) + ": " + error.what());
        }
        if (!request.seed_given) request.seed = random_seed();
    }
    if (!request.table_file.empty()) request.table_file = fs::absolute(request.table_file).string();  // the file may be read from anywhere
    return request;
}

Provenance provenance_of(const EnsembleRequest& request, const ModelDescription& model, InstructionSet set) {
    Provenance provenance;
    provenance.program = std::string("gradscape ") + version;
    provenance.commit = git_commit;
    provenance.backend = "CPU " + std::string(name(set));
    provenance.method = request.solver.method == "auto" ? model.info.preferred_method : request.solver.method;
    provenance.scenario_json = to_json(request, model);
    provenance.model_source = model.info.equations;
    return provenance;
}

/// Whether a file's attribute `source` names this program, commit and backend.
bool same_program(const std::string& source, const Provenance& provenance) {
    return source.starts_with(provenance.program) && source.find(provenance.commit) != std::string::npos &&
           source.ends_with(provenance.backend);
}

}  // namespace

RunReport run_scenario(const RunJob& job, const RunHooks& hooks) {
    RunReport report;
    const auto previous = job.resume.empty() ? nullptr : std::make_unique<const PreviousRun>(job.resume);
    report.request = requested(job, previous.get());
    EnsembleRequest& request = report.request;
    report.model = find_model(request.model);
    const Model& model = *report.model;
    const ModelDescription& description = model.description;
    if (previous) previous->check_model(description);

    const fs::path target = behind_links(target_of(job, request));
    check_existing(job, request, target);
    if (std::error_code error; target.parent_path() == default_folder && (fs::create_directories(default_folder, error), error))
        throw InputError(default_folder.string() + ": the folder can't be created here: " + error.message());
    request.output.file = target.string();
    check_target(target, job.overwrite);
    SaveTimes times;
    std::uint64_t bytes = 0;
    try {
        check_memory(request, description);
        times = run_save_times(request);
        bytes = estimated_size(description, request, times);
        check_disk(description, request, times, target);
    } catch (const InputError& error) {
        throw InputError(one_line((previous ? job.resume : job.scenario).string()) + ": " + error.what());
    }
    if (hooks.planned) hooks.planned({target, request.size, times.rows, previous ? previous->members() : 0, bytes});

    const InstructionSet set = best_instruction_set();
    const Provenance provenance = provenance_of(request, description, set);
    auto writer = std::make_unique<Hdf5Writer>(target, job.overwrite, description, request, times, varied_quantities(description, request),
                                               provenance, hooks.stop);
    std::unique_ptr<StatisticsCollector> statistics;
    if (request.output.statistics)
        statistics =
            std::make_unique<StatisticsCollector>(description, request.size, times.rows, request.output.states, request.output.observables);
    SpreadCollector spreads(description, request.groups);
    RunSink sink(*writer, statistics.get(), spreads, report.stopped);
    const Sampler sampler(description, request);
    RunOptions options;
    options.stop = hooks.stop;
    options.sink = &sink;
    options.progress = hooks.progress;
    options.observables = request.output.observables;
    options.instruction_set = set;
    if (previous) {
        options.previous_members = previous->members();
        options.previous = [&](std::int64_t first, std::int64_t count) {
            return previous->chunk(description, request, sampler, first, count);
        };
    }
    bool as_it_was = false;
    try {
        report.result = run_ensemble(model, request, options);
        report.interrupted = hooks.stop.stop_requested();
        if (request.output.observables) report.spreads = spreads.result();
        for (std::string& remark : request_remarks(description, request)) report.result.remarks.push_back(std::move(remark));
        if (previous && !same_program(previous->source(), provenance))
            report.result.remarks.push_back("The first " + std::to_string(previous->members()) + " members come from " +
                                            previous->source() + ".");
        if (report.interrupted && previous) {
            const auto before = previous->by_status();
            as_it_was = sink.received() < previous->members() || report.result.complete <= complete_members(before);
            if (as_it_was) {
                report.result.by_status = before;
                report.result.complete = complete_members(before);
            }
        }
        if (as_it_was) {  // taking over the rest would hold up the end of the program
            writer.reset();
            report.file = job.resume;
        } else if (report.interrupted) {
            report.file = writer->keep_incomplete().lexically_normal();
        } else {
            writer->finish(report.result, statistics ? statistics->result() : EnsembleStatistics{});
            report.file = target;
        }
    } catch (const std::exception& error) {  // the disk is full, usually
        const std::string what = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "not enough memory" : error.what();
        throw std::runtime_error(what + "; " + kept_after_failure(job, previous.get(), target, std::move(writer)));
    }
    std::error_code ignored;
    if (!report.file.empty()) report.bytes = fs::file_size(report.file, ignored);
    if (report.interrupted) {
        report.sentence = interrupted_text(job, report, as_it_was);
        return report;
    }
    if (previous && !fs::equivalent(job.resume, target, ignored)) fs::remove(job.resume, ignored);
    if (job.overwrite) fs::remove(incomplete_path(target), ignored);
    return report;
}

}  // namespace gradscape
