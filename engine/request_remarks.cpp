// What a valid request makes one wonder about.
#include "engine/scenario.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/distributions.hpp"
#include "engine/input_text.hpp"
#include "engine/sampling.hpp"

namespace gradscape {
namespace {

/// Two digits.
std::string rounded(double value) {
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 1);
    return shortest_text(value == 0 ? 0 : std::round(value / unit) * unit);
}

/// The size that an initial value has; 0 when it isn't known.
double typical_size(const Draw& draw, const SampleTable& table, std::string_view column) {
    switch (draw.kind) {
        case Draw::Kind::fixed: return std::abs(draw.value);
        case Draw::Kind::normal: return std::abs(draw.mean) + draw.sd;
        case Draw::Kind::uniform:
        case Draw::Kind::log_uniform:
        case Draw::Kind::power_law:
        case Draw::Kind::cosine: return std::max(std::abs(draw.min), std::abs(draw.max));
        case Draw::Kind::table: {
            double largest = 0;
            for (std::size_t c = 0; c < table.names.size(); ++c)
                if (table.names[c] == column || table.names[c] + "0" == column)
                    for (const double value : table.columns[c]) largest = std::max(largest, std::abs(value));
            return largest;
        }
        case Draw::Kind::from_model: break;
    }
    return 0;
}

void remark_on_size(const ModelDescription& model, const EnsembleRequest& request, bool varies, std::vector<std::string>& remarks) {
    const bool grouped = request.groups.count > 0;
    const std::int64_t points = grouped ? request.groups.count : request.size;
    const std::string key = grouped ? "ensemble.groups.count" : "ensemble.size", size = std::to_string(points);
    if (grouped && model.draws.empty() && request.groups.members_each > 1)
        remarks.push_back(std::string("ensemble.groups: the model ") + model.info.name +
                          " draws nothing for its members, so all members of a group are the same.");
    if (!varies && model.draws.empty() && request.size > 1)
        remarks.push_back("ensemble.size: nothing varies, so all " + std::to_string(request.size) + " members are the same.");
    if (varies && request.sampling == Sampling::sobol && !std::has_single_bit(static_cast<std::uint64_t>(points))) {
        const std::uint64_t below = std::bit_floor(static_cast<std::uint64_t>(points));
        remarks.push_back(key + ": " + size + " is no power of two; Sobol points are balanced at powers of two, such as " +
                          std::to_string(below) + " and " + std::to_string(2 * below) + ".");
    }
    if (request.table.size() > points)
        remarks.push_back(key + ": the first " + size + " of the table's " + std::to_string(request.table.size()) +
                          " rows are used.");
}

/// Draws of a normal distribution that the model will refuse.
template <class Info>
void remark_on_limits(const std::string& section, const std::vector<Draw>& draws, std::span<const Info> infos,
                      std::vector<std::string>& remarks) {
    constexpr double worth_a_remark = 1e-6;
    for (std::size_t i = 0; i < draws.size(); ++i) {
        if (draws[i].kind != Draw::Kind::normal) continue;
        Draw accepted = draws[i];
        accepted.min = std::max(accepted.min, infos[i].hard_min);
        accepted.max = std::min(accepted.max, infos[i].hard_max);
        const double refused = accepted.min < accepted.max ? 1 - normal_between(accepted) / normal_between(draws[i]) : 1;
        if (refused > worth_a_remark)
            remarks.push_back(section + '.' + infos[i].name + ": about " + rounded(100 * refused) +
                              " % of the draws lie outside the model's limits " + shortest_text(infos[i].hard_min) + " to " +
                              shortest_text(infos[i].hard_max) +
                              " and will end with the status bad_input; min and max cut the distribution.");
    }
}

/// Parameters of the initial state, where no value of it is left to the model.
void remark_on_unused(const ModelDescription& model, const EnsembleRequest& request, std::vector<std::string>& remarks) {
    const auto from_model = [](const Draw& draw) { return draw.kind == Draw::Kind::from_model; };
    if (std::any_of(request.initial_state.begin(), request.initial_state.end(), from_model)) return;
    for (std::size_t i = 0; i < request.parameters.size(); ++i) {
        const Draw& draw = request.parameters[i];
        if (model.parameters[i].start_only && (draw.varied() || draw.value != model.parameters[i].default_value))
            remarks.push_back(std::string("parameters.") + model.parameters[i].name +
                              ": has no effect, because initial_state gives every initial value.");
    }
}

}  // namespace

std::vector<std::string> request_remarks(const ModelDescription& model, const EnsembleRequest& request) {
    std::vector<std::string> remarks;
    remark_on_size(model, request, !varied_quantities(model, request).empty(), remarks);
    remark_on_unused(model, request, remarks);
    remark_on_limits("parameters", request.parameters, model.parameters, remarks);
    remark_on_limits("initial_state", request.initial_state, model.states, remarks);
    for (std::size_t d = 0; d < model.states.size(); ++d) {
        const double size = typical_size(request.initial_state[d], request.table, model.states[d].name + std::string("0"));
        if (size > 0 && request.solver.atol[d] > size)
            remarks.push_back(std::string("solver.atol.") + model.states[d].name + ": " + shortest_text(request.solver.atol[d]) +
                              " is above the size of the state, which starts at " + shortest_text(size) +
                              "; what happens to it will be lost.");
    }
    return remarks;
}

}  // namespace gradscape
