#include "app/previous_run.hpp"

#include <cmath>
#include <limits>

#include "app/scenario_input.hpp"
#include "engine/number_text.hpp"
#include "engine/scenario.hpp"

namespace gradscape {
namespace {

constexpr std::string_view incomplete_suffix = ".incomplete";

/// A member's value of a varied quantity.
double value_of(const VariedQuantity& quantity, const std::vector<double>& parameters, const std::vector<double>& initial, double start,
                double end) {
    const auto index = static_cast<std::size_t>(quantity.index);
    switch (quantity.kind) {
        case VariedQuantity::Kind::parameter: return parameters[index];
        case VariedQuantity::Kind::initial_state: return initial[index];
        case VariedQuantity::Kind::start: return start;
        case VariedQuantity::Kind::end:
        case VariedQuantity::Kind::draw: break;
    }
    return end;
}

}  // namespace

std::filesystem::path complete_path(const std::filesystem::path& incomplete) {
    std::string stem = incomplete.stem().string();
    if (!stem.ends_with(incomplete_suffix))
        throw InputError(incomplete.string() + ": isn't named NAME.incomplete.h5; name the file to write with --out");
    stem.resize(stem.size() - incomplete_suffix.size());
    return incomplete.parent_path() / (stem + incomplete.extension().string());
}

std::string not_resumable(const EnsembleRequest& request) {
    if (!request.output.states) return "output.states is false";
    if (request.output.every != 1) return "output.every is " + std::to_string(request.output.every);
    if (request.output.precision != OutputRequest::Precision::float64) return "output.precision is not float64";
    return "";
}

PreviousRun::PreviousRun(const std::filesystem::path& file) : file_(file), reader_(file) {
    if (reader_.complete()) throw InputError(file.string() + ": this run is complete, there is nothing to resume");
}

EnsembleRequest PreviousRun::request(const Overrides& overrides) const {
    EnsembleRequest request = overridden_scenario(reader_.scenario_json(), overrides, {});
    request.seed_given = reader_.attribute("seed_origin") == "user";
    if (const std::string reason = not_resumable(request); !reason.empty())
        throw InputError(file_.string() + ": can't be resumed, because " + reason + "; run its scenario again");
    return request;
}

void PreviousRun::check_model(const ModelDescription& model) const {
    if (const std::string version = reader_.attribute("model_version"); version != model.info.version)
        throw InputError(file_.string() + ": was written with version " + version + " of the model " + model.info.name +
                         ", this program has version " + model.info.version + "; run its scenario again");
}

std::array<std::int64_t, status_count> PreviousRun::by_status() const {
    std::array<std::int64_t, status_count> counts{};
    for (const double status : reader_.dataset("status")) ++counts.at(static_cast<std::size_t>(status));
    counts[static_cast<std::size_t>(Status::not_run)] += reader_.requested() - reader_.members();
    return counts;
}

EnsembleChunk PreviousRun::chunk(const ModelDescription& model, const EnsembleRequest& request, const Sampler& sampler, std::int64_t first,
                                 std::int64_t count) const {
    EnsembleChunk chunk = reader_.chunk(model, request, first, count);
    const std::vector<VariedQuantity> varied = varied_quantities(model, request);
    std::vector<double> parameters(model.inputs(), std::numeric_limits<double>::quiet_NaN()), initial(model.states.size());
    std::vector<double> draws(model.draws.size());
    for (std::int64_t m = 0; m < chunk.count; ++m) {
        const Status status = chunk.status[static_cast<std::size_t>(m)];
        if (status == Status::cancelled || status == Status::not_run) continue;
        double start = 0, end = 0;
        const auto refuse_other = [&](const std::string& name, double before, double now) {
            if (before != now && !(std::isnan(before) && std::isnan(now)))
                throw InputError(file_.string() + ": " + name + " of member " + std::to_string(chunk.first + m) + " was " +
                                 number_text(before, 17) + " and would now be " + number_text(now, 17) + "; was the table changed?");
        };
        const auto members = static_cast<std::size_t>(chunk.count), member = static_cast<std::size_t>(m);
        sampler.member(chunk.first + m, parameters.data(), initial.data(), start, end);
        for (std::size_t q = 0; q < varied.size(); ++q)
            refuse_other(varied[q].name, chunk.drawn[q * members + member], value_of(varied[q], parameters, initial, start, end));
        sampler.draws(chunk.first + m, parameters.data(), draws.data());
        for (std::size_t i = 0; i < draws.size(); ++i)
            refuse_other(std::string("draw_") + model.draws[i].name, chunk.internals[(model.internals.size() + i) * members + member],
                         draws[i]);
    }
    return chunk;
}

}  // namespace gradscape
