// From a request to JSON, with every default spelled out.
#include "engine/scenario.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/request_limits.hpp"

namespace gradscape {
namespace {

using nlohmann::json;

json from_table() { return {{"distribution", "table"}}; }

json finite_or_null(double bound) { return std::isfinite(bound) ? json(bound) : json(); }

json written_range(const Draw& draw, const char* scale) {
    json range = {{"min", draw.min}, {"max", draw.max}, {"scale", scale}};
    if (draw.points > 0) range["points"] = draw.points;
    if (draw.step > 0) range["step"] = draw.step;
    return range;
}

json written(const Draw& draw) {
    switch (draw.kind) {
        case Draw::Kind::fixed: break;
        case Draw::Kind::from_model: return {{"distribution", "from_model"}};
        case Draw::Kind::uniform: return written_range(draw, "linear");
        case Draw::Kind::log_uniform: return written_range(draw, "log");
        case Draw::Kind::normal:
            return {{"distribution", "normal"},
                    {"mean", draw.mean},
                    {"sd", draw.sd},
                    {"min", finite_or_null(draw.min)},
                    {"max", finite_or_null(draw.max)}};
        case Draw::Kind::cosine: return {{"distribution", "cosine"}, {"min", draw.min}, {"max", draw.max}};
        case Draw::Kind::power_law:
            return {{"distribution", "power_law"}, {"exponent", draw.exponent}, {"min", draw.min}, {"max", draw.max}};
        case Draw::Kind::table: return from_table();
    }
    return draw.value;
}

template <class Info>
json written(const std::vector<Draw>& draws, std::span<const Info> infos) {
    json object = json::object();
    for (std::size_t i = 0; i < infos.size(); ++i) object[infos[i].name] = written(draws[i]);
    return object;
}

json written(const SpanRequest& span, const SampleTable& table, const IndependentAlias& alias) {
    const auto end = [&](const char* name, double value) {
        return std::find(table.names.begin(), table.names.end(), name) != table.names.end() ? from_table() : json(value);
    };
    json save;
    switch (span.save) {
        case SpanRequest::Save::count: save = span.count; break;
        case SpanRequest::Save::every: save = {{"every", span.every}}; break;
        case SpanRequest::Save::list:
            save = span.alias_times.empty() ? json(span.times) : json{{alias.name, span.alias_times}};
            break;
    }
    const json start = span.model_start ? json{{"distribution", "from_model"}} : end("start", span.start);
    return {{"start", start}, {"end", end("end", span.end)}, {"save", save}};
}

json written(const SolverRequest& solver, const ModelDescription& model) {
    json atol = json::object();
    for (std::size_t d = 0; d < model.states.size(); ++d) atol[model.states[d].name] = solver.atol[d];
    return {{"method", solver.method},
            {"rtol", solver.rtol},
            {"atol", atol},
            {"max_steps", solver.max_steps},
            {"max_step", solver.max_step ? json(*solver.max_step) : json()},
            {"first_step", solver.first_step ? json(*solver.first_step) : json()},
            {"threads", solver.threads},
            {"device", solver.device}};
}

json written(const OutputRequest& output) {
    constexpr const char* precisions[] = {"float64", "float32"};
    constexpr const char* compressions[] = {"auto", "none", "gzip"};
    return {{"file", output.file},
            {"states", output.states},
            {"observables", output.observables},
            {"statistics", output.statistics},
            {"every", output.every},
            {"precision", precisions[static_cast<int>(output.precision)]},
            {"compression", compressions[static_cast<int>(output.compression)]}};
}

}  // namespace

std::string to_json(const EnsembleRequest& request, const ModelDescription& model) {
    const GroupRequest& groups = request.groups;
    json scenario = {{"gradscape", 1},
                           {"model", request.model},
                           {"parameters", written(request.parameters, model.parameters)},
                           {"initial_state", written(request.initial_state, model.states)},
                           {"span", written(request.span, request.table, model.info.independent.alias)},
                           {"ensemble",
                            {{"size", request.size},
                             {"groups", groups.count > 0 ? json{{"count", groups.count}, {"members_each", groups.members_each}} : json()},
                             {"sampling", sampling_words[static_cast<std::size_t>(request.sampling)]},
                             {"seed", request.seed},
                             {"scramble", request.scramble},
                             {"table", request.table_file.empty() ? json() : json(request.table_file)}}},
                           {"solver", written(request.solver, model)},
                           {"accuracy", {{"subsample", request.accuracy_subsample}}},
                           {"output", written(request.output)},
                           {"window", json::parse(request.window)}};
    if (!model.draws.empty()) scenario["draws"] = written(request.draws, model.draws);
    return scenario.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace gradscape
