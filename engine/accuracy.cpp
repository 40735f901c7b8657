#include "engine/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/cpu/instruction_set.hpp"
#include "engine/number_text.hpp"
#include "engine/sampling.hpp"
#include "engine/statistics.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double rtol_floor = 1e-14;  // a step's own rounding

/// Largest error of each member over its rows; NaN where every row is missing.
std::vector<double> largest_per_member(const std::vector<double>& error, std::size_t members, std::size_t rows) {
    std::vector<double> largest(members, missing);
    for (std::size_t m = 0; m < members; ++m)
        for (std::size_t r = 0; r < rows; ++r) largest[m] = std::fmax(largest[m], error[m * rows + r]);
    return largest;
}

/// The entries of p, [input][member]: fixed parameters, drawn ones and the model's internal inputs.
std::vector<double> inputs_of_members(const ModelDescription& model, const EnsembleRequest& request, const EnsembleChunk& chunk) {
    const auto members = static_cast<std::size_t>(chunk.count);
    std::vector<double> inputs(model.inputs() * members);
    const std::vector<VariedQuantity> varied = varied_quantities(model, request);
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
        std::fill_n(inputs.begin() + static_cast<std::ptrdiff_t>(i * members), members, request.parameters[i].value);
    for (std::size_t q = 0; q < varied.size(); ++q)
        if (varied[q].kind == VariedQuantity::Kind::parameter)
            std::copy_n(chunk.drawn.begin() + static_cast<std::ptrdiff_t>(q * members), members,
                        inputs.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(varied[q].index) * members));
    std::copy(chunk.internals.begin(), chunk.internals.end(), inputs.begin() + static_cast<std::ptrdiff_t>(model.parameters.size() * members));
    return inputs;
}

/// Solves those members again that `chunk` has a solution of (`solved`, indices into `members`); the others' states are missing.
EnsembleChunk solve_again(const Model& model, const EnsembleRequest& request, const std::vector<std::int64_t>& members,
                          const std::vector<std::size_t>& solved, const EnsembleChunk& chunk, const RunOptions& options) {
    std::vector<std::int64_t> numbers(solved.size());
    for (std::size_t k = 0; k < solved.size(); ++k) numbers[k] = members[solved[k]];
    const EnsembleChunk part = solve_members(model, request, numbers, options);
    EnsembleChunk all;
    all.count = chunk.count;
    all.rows = chunk.rows;
    all.drawn = chunk.drawn;
    all.internals.assign(chunk.internals.size(), missing);
    const std::size_t internals = model.description.inputs() - model.description.parameters.size();
    for (std::size_t i = 0; i < internals && !part.internals.empty(); ++i)
        for (std::size_t k = 0; k < solved.size(); ++k)
            all.internals[i * members.size() + solved[k]] = part.internals[i * solved.size() + k];
    all.states.assign(chunk.states.size(), missing);
    const auto rows = static_cast<std::size_t>(chunk.rows);
    for (std::size_t d = 0; d < model.description.states.size() && !part.states.empty(); ++d)
        for (std::size_t k = 0; k < solved.size(); ++k)
            std::copy_n(part.states.begin() + static_cast<std::ptrdiff_t>((d * solved.size() + k) * rows), rows,
                        all.states.begin() + static_cast<std::ptrdiff_t>((d * members.size() + solved[k]) * rows));
    return all;
}

}  // namespace

std::vector<std::int64_t> accuracy_members(std::int64_t size, int count) {
    const std::int64_t taken = std::min<std::int64_t>(size, count);
    std::vector<std::int64_t> members(static_cast<std::size_t>(std::max<std::int64_t>(taken, 0)));
    for (std::int64_t k = 0; k < taken; ++k) {
        // One of each of `taken` equal parts, its place there by the golden ratio: every 16th Sobol point lies in one 16th of the range.
        const std::int64_t first = k * size / taken, length = (k + 1) * size / taken - first;
        const std::uint64_t place = static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u >> 32;  // over 2^32
        members[static_cast<std::size_t>(k)] = first + static_cast<std::int64_t>(place * static_cast<std::uint64_t>(length) >> 32);
    }
    return members;
}

EnsembleRequest reference_request(const EnsembleRequest& request, double loosened) {
    EnsembleRequest reference = request;
    reference.solver.method = "vern7";
    reference.solver.rtol = std::max(rtol_floor, std::min(1e-12, request.solver.rtol / 1000)) * loosened;
    for (double& atol : reference.solver.atol) atol *= reference.solver.rtol / request.solver.rtol;
    reference.solver.first_step.reset();
    reference.solver.max_steps = std::max<std::int64_t>(request.solver.max_steps, 10'000'000);
    return reference;
}

std::vector<double> error_against(const Model& model, const EnsembleRequest& request, const EnsembleChunk& chunk,
                                  const EnsembleChunk& reference, InstructionSet set) {
    const auto points = static_cast<std::size_t>(chunk.count * chunk.rows);
    std::vector<double> error(points, missing);
    if (points == 0) return error;
    const ModelDescription& description = model.description;
    const std::vector<double> inputs = inputs_of_members(description, request, chunk),
                              reference_inputs = inputs_of_members(description, request, reference);
    const std::vector<double> times(points, 0);
    PointBlock block{};
    block.points = chunk.count * chunk.rows;
    block.rows = chunk.rows;
    block.times = times.data();
    block.times_per_point = true;
    block.states = chunk.states.data();
    block.state_stride = block.points;
    block.inputs = inputs.data();
    block.input_stride = chunk.count;
    block.reference_states = reference.states.data();
    block.reference_inputs = reference_inputs.data();
    block.out = error.data();
    block.out_stride = block.points;
    const auto kernels = std::find_if(model.kernels.begin(), model.kernels.end(), [&](const Kernels& k) { return k.set == set; });
    cpu_code(set).evaluate(kernels->functions, PointFunction::error, block);
    for (std::size_t i = 0; i < points; ++i)
        if (std::isnan(chunk.states[i]) || std::isnan(reference.states[i])) error[i] = missing;
    return error;
}

AccuracyResult measure_accuracy(const Model& model, const EnsembleRequest& request, const std::vector<std::int64_t>& members,
                                const EnsembleChunk& chunk, const RunOptions& options) {
    AccuracyResult result;
    result.members = members;
    result.rows = chunk.rows;
    result.threshold = model.description.info.error.threshold;
    RunOptions reference_options;
    reference_options.stop = options.stop;
    reference_options.instruction_set = options.instruction_set;
    const InstructionSet set = options.instruction_set.value_or(best_instruction_set());
    const EnsembleRequest tight = reference_request(request), looser = reference_request(request, 10);
    const auto count = members.size(), rows = static_cast<std::size_t>(chunk.rows);
    std::vector<std::size_t> solved;
    for (std::size_t m = 0; m < count; ++m)
        if (std::any_of(&chunk.states[m * rows], &chunk.states[m * rows] + rows, [](double x) { return !std::isnan(x); })) solved.push_back(m);
    const EnsembleChunk reference = solve_again(model, tight, members, solved, chunk, reference_options);
    const EnsembleChunk second = solve_again(model, looser, members, solved, chunk, reference_options);
    if (options.stop.stop_requested()) {
        result.sentence = "not computed: the run was stopped";
        return result;
    }

    result.error = error_against(model, request, chunk, reference, set);
    std::vector<double> column(count);
    result.row_quantiles.assign(std::size(error_levels) * rows, missing);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t m = 0; m < count; ++m) column[m] = result.error[m * rows + r];
        const Percentiles at_row = percentiles(column, error_levels);
        for (std::size_t level = 0; level < std::size(error_levels); ++level) result.row_quantiles[level * rows + r] = at_row.values[level];
    }
    result.maximum = percentiles(largest_per_member(result.error, count, rows), error_levels);
    const std::vector<double> between = error_against(model, request, second, reference, set);
    result.reference_disagreement = percentiles(largest_per_member(between, count, rows), std::span(error_levels).subspan(2, 1)).values[0];

    using Verdict = AccuracyResult::Verdict;
    // At most a tenth of rtol, with room for rounding: ten times 1e-14 need not be the double 1e-13.
    const bool reference_is_tighter = 9 * tight.solver.rtol <= request.solver.rtol;
    const std::string threshold = number_text(result.threshold);
    const double p99 = result.maximum.values[2];
    if (result.maximum.covered == 0) {
        result.verdict = Verdict::withheld;
        result.sentence = "withheld: no member of the subsample has both a solution and a reference";
    } else if (!reference_is_tighter) {
        result.verdict = Verdict::withheld;
        result.sentence = "withheld: rtol " + number_text(request.solver.rtol) +
                          " leaves double precision no room for a reference at a tenth of it; what is shown is how far the result lies "
                          "from Verner 7 at rtol " + number_text(tight.solver.rtol);
    } else if (!(result.reference_disagreement <= 0.1 * result.threshold)) {
        result.verdict = Verdict::withheld;
        result.sentence = "withheld: two references (Verner 7 at rtol " + number_text(tight.solver.rtol) + " and " +
                          number_text(looser.solver.rtol) + ") differ by " + number_text(result.reference_disagreement) +
                          " at the 99th percentile, more than a tenth of the threshold " + threshold +
                          "; the trajectories are too sensitive for a reference in double precision";
    } else if (p99 <= result.threshold) {
        result.verdict = Verdict::within;
        result.sentence = "accurate enough: 99 % of the members stay within " + number_text(p99) + ", the threshold is " + threshold;
    } else {
        result.verdict = Verdict::exceeded;
        result.sentence = "not accurate enough: the 99th percentile is " + number_text(p99) + ", the threshold is " + threshold +
                          "; tighten rtol and atol";
    }
    return result;
}

}  // namespace gradscape
