#include "bench/measurement.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "engine/accuracy.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/scenario.hpp"
#include "engine/statistics.hpp"
#include "models/catalogue.hpp"

namespace gradscape::bench {
namespace {

constexpr double p99[] = {0.99};

/// Counts steps.
struct StepSums final : ChunkSink {
    void chunk(const EnsembleChunk& chunk) override {
        for (const std::int32_t n : chunk.accepted) accepted += n;
        for (const std::int32_t n : chunk.rejected) rejected += n;
    }
    double accepted = 0, rejected = 0;
};

EnsembleRequest request_with(const Case& which, const Settings& settings) {
    EnsembleRequest request = which.request;
    request.solver.method = settings.method;
    request.solver.rtol = settings.rtol;
    for (double& atol : request.solver.atol) atol *= settings.atol / which.request.solver.atol.front();
    request.solver.threads = settings.threads;
    request.accuracy_subsample = 0;
    return request;
}

/// The members with these numbers.
Members members_of(const Case& which, const std::vector<std::int64_t>& numbers, double first_step) {
    const ModelDescription& model = which.model->description;
    const Sampler sampler(model, which.request);
    const std::size_t states = model.states.size(), parameters = model.parameters.size();
    Members members{.model = &model,
                    .parameters = std::vector<double>(numbers.size() * parameters),
                    .initial = std::vector<double>(numbers.size() * states),
                    .start = 0,
                    .end = 0,
                    .rows = run_save_times(which.request).shared,
                    .first_step = 0};
    for (std::size_t m = 0; m < numbers.size(); ++m)
        sampler.member(numbers[m], members.parameters.data() + m * parameters, members.initial.data() + m * states, members.start,
                       members.end);
    members.first_step = first_step * std::abs(members.end - members.start);
    return members;
}

Case prepared(std::string name, const EnsembleRequest& request, int sample, double first_step) {
    Case result;
    result.name = std::move(name);
    result.model = find_model(request.model);
    result.request = request;
    result.sample = accuracy_members(request.size, sample);
    EnsembleRequest tight = reference_request(request);
    for (double& atol : tight.solver.atol) atol *= 1e-13 / tight.solver.rtol;
    tight.solver.rtol = 1e-13;
    result.reference = solve_members(*result.model, tight, result.sample);
    std::vector<std::int64_t> all(static_cast<std::size_t>(request.size));
    std::iota(all.begin(), all.end(), 0);
    result.members = members_of(result, all, first_step);
    result.sample_members = members_of(result, result.sample, first_step);
    return result;
}

/// 99th percentile over the sample of the largest error over the rows; a member without a solution counts as infinitely wrong.
double error_p99(const Case& which, const EnsembleChunk& solved) {
    const std::vector<double> errors = error_against(*which.model, which.request, solved, which.reference, best_instruction_set());
    const std::size_t members = which.sample.size(), rows = errors.size() / members;
    std::vector<double> largest(members, 0);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const double error = std::isnan(errors[i]) ? std::numeric_limits<double>::max() : errors[i];
        largest[i / rows] = std::max(largest[i / rows], error);
    }
    return percentiles(largest, p99).values[0];
}

double error_p99(const Case& which, const Settings& settings) {
    RunOptions options;
    options.instruction_set = settings.set;
    options.observables = false;
    return error_p99(which, solve_members(*which.model, request_with(which, settings), which.sample, options));
}

double error_p99(const Case& which, const PeerRun& run_of_sample) {
    EnsembleChunk solved = which.reference;
    solved.states = run_of_sample.states;
    solved.internals = run_of_sample.internals;
    return error_p99(which, solved);
}

/// To within 2 %.
template <class ErrorAt>
double loosest(double target, ErrorAt error_at) {
    double low = 1e-13, high = 1e-2;
    for (int i = 0; i < 11; ++i) {
        const double middle = std::sqrt(low * high);
        (error_at(middle) <= target ? low : high) = middle;
    }
    return low;
}

}  // namespace

double thread_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Case lorenz_case(std::int64_t size) {
    EnsembleRequest request = default_request(find_model("lorenz")->description);
    const int rho = ModelDescription::index_of(find_model("lorenz")->description.parameters, "rho");
    request.parameters[static_cast<std::size_t>(rho)] = {.kind = Draw::Kind::table};
    request.sampling = Sampling::table;
    request.size = size;
    request.table.names = {"rho"};
    request.table.columns.emplace_back(static_cast<std::size_t>(size));
    for (std::int64_t m = 0; m < size; ++m)
        request.table.columns[0][static_cast<std::size_t>(m)] = 21 * static_cast<double>(m) / static_cast<double>(size - 1);
    for (std::size_t d = 0; d < 3; ++d) request.initial_state[d] = {.value = d == 0 ? 1.0 : 0.0};
    request.span = {.start = 0, .end = 1, .save = SpanRequest::Save::count, .count = 1, .every = 0, .times = {}};
    std::fill(request.solver.atol.begin(), request.solver.atol.end(), 1e-8);
    return prepared("Lorenz", request, 1000, 1e-3);
}

Case example_case(std::string name, const std::string& file, std::int64_t size, int sample, bool end_alone, double first_step) {
    const auto find = [](std::string_view model_name) {
        const Model* const model = find_model(model_name);
        return model != nullptr ? &model->description : nullptr;
    };
    EnsembleRequest request =
        read_scenario(std::filesystem::path(GRADSCAPE_SOURCE_DIR) / "examples" / file, ModelNames{find, model_names()});
    request.size = size;
    if (end_alone) {
        request.span.save = SpanRequest::Save::count;
        request.span.count = 1;
    }
    return prepared(std::move(name), request, sample, first_step);
}

Measurement measure(const Case& which, const Settings& settings) {
    const EnsembleRequest request = request_with(which, settings);
    Measurement best;
    double warm_up = 0;  // short runs alone would leave the processor in its state of rest
    for (int repetition = 0; repetition < settings.repetitions;) {
        StepSums steps;
        RunOptions options;
        options.sink = &steps;
        options.observables = false;
        options.instruction_set = settings.set;
        const EnsembleResult result = run_ensemble(*which.model, request, options);
        if (warm_up < 0.1) {
            warm_up += result.cpu_seconds;
            continue;
        }
        ++repetition;
        const double speed = static_cast<double>(request.size) / result.cpu_seconds;
        if (speed < best.members_per_cpu_second) continue;
        best.members_per_cpu_second = speed;
        best.ns_per_accepted_step = 1e9 * result.cpu_seconds / steps.accepted;
        best.lanes = result.lanes * result.threads;
        best.lane_use = static_cast<double>(result.tries) / (static_cast<double>(result.iterations) * result.lanes);
        best.accepted = steps.accepted / static_cast<double>(request.size);
        best.rejected = steps.rejected / static_cast<double>(request.size);
    }
    best.error_p99 = error_p99(which, settings);
    return best;
}

Measurement measure(const Case& which, const Peer& peer, double rtol, double atol, int repetitions, bool sample_alone,
                    RowsOfShooting rows) {
    const Members& members = sample_alone ? which.sample_members : which.members;
    const PeerRun run = peer.solve(members, rtol, atol, repetitions, rows);
    const auto count = static_cast<double>(members.count());
    Measurement m;
    m.members_per_cpu_second = count / run.cpu_seconds;
    m.ns_per_accepted_step = 1e9 * run.cpu_seconds / (run.accepted * count);
    m.accepted = run.accepted;
    m.rejected = run.rejected;
    m.lane_use = 1;
    m.error_p99 = error_p99(which, sample_alone ? run : peer.solve(which.sample_members, rtol, atol, 1, rows));
    return m;
}

Settings at_error(const Case& which, Settings settings, double target_p99) {
    const double ratio = settings.atol / settings.rtol;
    const auto with = [&](double rtol) {
        settings.rtol = rtol;
        settings.atol = rtol * ratio;
        return settings;
    };
    return with(loosest(target_p99, [&](double rtol) { return error_p99(which, with(rtol)); }));
}

double rtol_at_error(const Case& which, const Peer& peer, double atol_over_rtol, double target_p99, RowsOfShooting rows) {
    return loosest(target_p99, [&](double rtol) {
        return error_p99(which, peer.solve(which.sample_members, rtol, rtol * atol_over_rtol, 1, rows));
    });
}

std::vector<InstructionSet> sets_to_measure() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::baseline})
        for (const CpuCode* code : cpu_codes())
            if (code->set == set && supported(set)) sets.push_back(set);
    return sets;
}

const std::vector<std::vector<Peer>>& libraries() {
    static const std::vector<std::vector<Peer>> all = {
        odeint_peers(),
#if defined(GRADSCAPE_HAVE_SUNDIALS)
        erkstep_peers(),
#endif
    };
    return all;
}

}  // namespace gradscape::bench
