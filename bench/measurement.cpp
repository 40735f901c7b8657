#include "bench/measurement.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/accuracy.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/sampling.hpp"
#include "engine/scenario.hpp"
#include "engine/statistics.hpp"
#include "models/catalogue.hpp"

namespace gradscape::bench {
namespace {

constexpr double p99[] = {0.99};

/// The final states of all members, [state][member].
struct FinalStates final : ChunkSink {
    FinalStates(std::size_t state_count, std::size_t member_count) : states(state_count * member_count), members(member_count) {}
    void chunk(const EnsembleChunk& chunk) override {
        const auto count = static_cast<std::size_t>(chunk.count), first = static_cast<std::size_t>(chunk.first);
        for (std::size_t d = 0; d * members < states.size(); ++d)
            std::copy_n(chunk.states.begin() + static_cast<std::ptrdiff_t>(d * count), count,
                        states.begin() + static_cast<std::ptrdiff_t>(d * members + first));
        for (std::size_t m = 0; m < count; ++m) {
            accepted += chunk.accepted[m];
            rejected += chunk.rejected[m];
        }
    }
    std::vector<double> states;
    std::size_t members;
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

Case prepared(std::string name, EnsembleRequest request) {
    Case result;
    result.name = std::move(name);
    result.model = find_model(request.model);
    const ModelDescription& model = result.model->description;
    request.span.save = SpanRequest::Save::count;
    request.span.count = 1;
    result.request = request;
    result.sample = accuracy_members(request.size, 1000);
    EnsembleRequest tight = reference_request(request);
    for (double& atol : tight.solver.atol) atol *= 1e-13 / tight.solver.rtol;
    tight.solver.rtol = 1e-13;
    result.reference = solve_members(*result.model, tight, result.sample);
    const Sampler sampler(model, request);
    const auto count = static_cast<std::size_t>(request.size), states = model.states.size(), parameters = model.parameters.size();
    result.members = {&model, std::vector<double>(count * parameters), std::vector<double>(count * states), 0, 0};
    for (std::size_t m = 0; m < count; ++m)
        sampler.member(static_cast<std::int64_t>(m), result.members.parameters.data() + m * parameters,
                       result.members.initial.data() + m * states, result.members.start, result.members.end);
    return result;
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
    request.span.start = 0;
    request.span.end = 1;
    std::fill(request.solver.atol.begin(), request.solver.atol.end(), 1e-8);
    return prepared("Lorenz", request);
}

Case gd1_case(std::int64_t size) {
    const auto find = [](std::string_view name) {
        const Model* const model = find_model(name);
        return model != nullptr ? &model->description : nullptr;
    };
    const ModelNames names{find, model_names()};
    EnsembleRequest request = read_scenario(std::filesystem::path(GRADSCAPE_SOURCE_DIR) / "examples/gd1_orbits.json", names);
    request.size = size;
    return prepared("GD-1 orbits", request);
}

Measurement measure(const Case& which, const Settings& settings) {
    const EnsembleRequest request = request_with(which, settings);
    Measurement best;
    for (int repetition = 0; repetition < settings.repetitions; ++repetition) {
        FinalStates final_states(which.model->description.states.size(), static_cast<std::size_t>(request.size));
        RunOptions options;
        options.sink = &final_states;
        options.observables = false;
        options.instruction_set = settings.set;
        const EnsembleResult result = run_ensemble(*which.model, request, options);
        const double speed = static_cast<double>(request.size) / result.cpu_seconds;
        if (speed < best.members_per_cpu_second) continue;
        best.members_per_cpu_second = speed;
        best.ns_per_accepted_step = 1e9 * result.cpu_seconds / final_states.accepted;
        best.lanes = result.lanes * result.threads;
        best.lane_use = static_cast<double>(result.tries) / (static_cast<double>(result.iterations) * result.lanes);
        best.accepted = final_states.accepted / static_cast<double>(request.size);
        best.rejected = final_states.rejected / static_cast<double>(request.size);
        if (repetition == 0) best.error_p99 = error_p99(which, final_states.states);
    }
    return best;
}

double error_p99(const Case& which, const std::vector<double>& states) {
    EnsembleChunk chunk = which.reference;
    const std::size_t members = states.size() / which.model->description.states.size(), count = which.sample.size();
    for (std::size_t d = 0; d < which.model->description.states.size(); ++d)
        for (std::size_t k = 0; k < count; ++k)
            chunk.states[d * count + k] = states[d * members + static_cast<std::size_t>(which.sample[k])];
    return percentiles(error_against(*which.model, which.request, chunk, which.reference, best_instruction_set()), p99).values[0];
}

Settings at_error(const Case& which, Settings settings, double target_p99) {
    const double ratio = settings.atol / settings.rtol;
    double low = 1e-13, high = 1e-2;
    for (int i = 0; i < 24; ++i) {
        settings.rtol = std::sqrt(low * high);
        settings.atol = settings.rtol * ratio;
        const EnsembleRequest request = request_with(which, settings);
        RunOptions options;
        options.instruction_set = settings.set;
        const EnsembleChunk solved = solve_members(*which.model, request, which.sample, options);
        const double error = percentiles(error_against(*which.model, which.request, solved, which.reference, settings.set), p99).values[0];
        (error <= target_p99 ? low : high) = settings.rtol;
    }
    settings.rtol = low;
    settings.atol = low * ratio;
    return settings;
}

}  // namespace gradscape::bench
