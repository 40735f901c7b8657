// What a request must fulfil, whoever made it.
#include "engine/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/distributions.hpp"
#include "engine/grid_axis.hpp"
#include "engine/input_text.hpp"
#include "engine/methods/method_list.hpp"
#include "engine/request_limits.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/sobol_sequence.hpp"

namespace gradscape {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) { throw InputError(path + ": " + what); }

void require_finite(const std::string& path, double value) {
    if (!std::isfinite(value)) refuse(path, shortest_text(value) + " is not a finite number");
}

void require_above_zero(const std::string& path, double value) {
    require_finite(path, value);
    if (!(value > 0)) refuse(path, shortest_text(value) + " is not above zero");
}

void require_between(const std::string& path, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
        refuse(path, std::to_string(value) + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

/// What the model accepts for one quantity.
struct HardLimits {
    double min, max;
    void require(const std::string& path, double value) const {
        require_finite(path, value);
        if (value < min) refuse(path, shortest_text(value) + " is below " + shortest_text(min) + ", the least that the model accepts");
        if (value > max) refuse(path, shortest_text(value) + " is above " + shortest_text(max) + ", the most that the model accepts");
    }
};

void require_in_order(const std::string& path, const Draw& draw) {
    if (!(draw.min <= draw.max)) refuse(path + ".min", shortest_text(draw.min) + " is above max, which is " + shortest_text(draw.max));
}

void check_range(const std::string& path, const Draw& draw, const HardLimits& limits) {
    limits.require(path + ".min", draw.min);
    limits.require(path + ".max", draw.max);
    require_in_order(path, draw);
}

void check_normal(const std::string& path, const Draw& draw, const HardLimits& limits) {
    require_finite(path + ".mean", draw.mean);
    require_finite(path + ".sd", draw.sd);
    if (!(draw.sd > 0))
        refuse(path + ".sd", shortest_text(draw.sd) + " is not above zero; give a number in place of the distribution for a fixed value");
    if (std::isnan(draw.min) || draw.min == std::numeric_limits<double>::infinity()) require_finite(path + ".min", draw.min);
    if (std::isnan(draw.max) || draw.max == -std::numeric_limits<double>::infinity()) require_finite(path + ".max", draw.max);
    if (std::isfinite(draw.min)) limits.require(path + ".min", draw.min);
    if (std::isfinite(draw.max)) limits.require(path + ".max", draw.max);
    require_in_order(path, draw);
    constexpr double smallest_probability = 1e-300;
    if (!(normal_between(draw) >= smallest_probability))
        refuse(path, "the bounds " + shortest_text(draw.min) + " to " + shortest_text(draw.max) +
                         " leave nothing of the normal distribution with mean " + shortest_text(draw.mean) + " and sd " +
                         shortest_text(draw.sd));
}

void check_draw(const std::string& path, const Draw& draw, const HardLimits& limits, const char* unit, bool can_come_from_model) {
    switch (draw.kind) {
        case Draw::Kind::fixed: limits.require(path, draw.value); break;
        case Draw::Kind::from_model:
            if (!can_come_from_model) refuse(path, "only initial states can come from the model");
            break;
        case Draw::Kind::uniform:
            check_range(path, draw, limits);
            if (!std::isfinite(draw.max - draw.min))
                refuse(path, "the range " + shortest_text(draw.min) + " to " + shortest_text(draw.max) + " is too wide");
            break;
        case Draw::Kind::log_uniform:
            require_above_zero(path + ".min", draw.min);
            check_range(path, draw, limits);
            break;
        case Draw::Kind::normal: check_normal(path, draw, limits); break;
        case Draw::Kind::cosine:
            if (std::string_view(unit) != "rad" && std::string_view(unit) != "1")
                refuse(path, "the distribution `cosine` is for angles in rad, the unit here is " + std::string(unit));
            check_range(path, draw, {std::max(limits.min, 0.0), std::min(limits.max, std::numbers::pi)});
            break;
        case Draw::Kind::power_law:
            require_finite(path + ".exponent", draw.exponent);
            require_above_zero(path + ".min", draw.min);
            check_range(path, draw, limits);
            break;
        case Draw::Kind::table: break;
    }
}

template <class Info>
void check_draws(const std::string& section, const std::vector<Draw>& draws, std::span<const Info> infos, bool states) {
    if (draws.size() != infos.size())
        refuse(section, std::to_string(draws.size()) + " entries are given, the model has " + std::to_string(infos.size()));
    for (std::size_t i = 0; i < draws.size(); ++i)
        check_draw(section + '.' + infos[i].name, draws[i], {infos[i].hard_min, infos[i].hard_max}, infos[i].unit, states);
}

/// A draw is the model's, a number in its place, or a column of the table.
void check_own_draws(const EnsembleRequest& request, const ModelDescription& model) {
    if (request.draws.size() != model.draws.size())
        refuse("draws", std::to_string(request.draws.size()) + " entries are given, the model has " + std::to_string(model.draws.size()));
    for (std::size_t i = 0; i < request.draws.size(); ++i) {
        using Kind = Draw::Kind;
        const std::string path = std::string("draws.") + model.draws[i].name;
        const Kind kind = request.draws[i].kind;
        if (kind != Kind::fixed && kind != Kind::from_model && kind != Kind::table)
            refuse(path, "has the model's own distribution; a number or a column of the table can take its place, no other distribution");
        if (kind == Kind::fixed) require_finite(path, request.draws[i].value);
        const std::string name = std::string("draw_") + model.draws[i].name;
        const auto allowed = [&](double value) { return model.draws[i].standard != DrawInfo::Standard::sign || std::abs(value) == 1; };
        if (kind == Kind::fixed && !allowed(request.draws[i].value)) refuse(path, shortest_text(request.draws[i].value) + " is not -1 or 1");
        for (std::size_t c = 0; c < request.table.names.size(); ++c)
            for (std::size_t row = 0; request.table.names[c] == name && row < request.table.columns[c].size(); ++row)
                if (!allowed(request.table.columns[c][row]))
                    refuse("ensemble.table: column " + in_quotes(name) + ", row " + std::to_string(row + 1),
                           shortest_text(request.table.columns[c][row]) + " is not -1 or 1");
    }
}

void check_groups(const EnsembleRequest& request) {
    const GroupRequest& groups = request.groups;
    if (groups.count == 0) return;
    require_between("ensemble.groups.count", groups.count, 1, largest_size);
    require_between("ensemble.groups.members_each", groups.members_each, 1, largest_size);
    const std::string what = std::to_string(groups.count) + " groups of " + std::to_string(groups.members_each) + " members";
    if (groups.members_each > largest_size / groups.count)
        refuse("ensemble.groups", what + " are more than " + std::to_string(largest_size) + " members in all");
    if (const std::int64_t all = groups.count * groups.members_each; request.size != all)
        refuse("ensemble.size", std::to_string(request.size) + " is not the " + std::to_string(all) + " members of ensemble.groups (" +
                                    what + "); leave one of the two out, an ensemble with groups is made larger by more groups");
}

/// The points of one quantity, which has some.
void check_axis(const std::string& path, const Draw& draw) {
    const std::string range = shortest_text(draw.min) + " to " + shortest_text(draw.max);
    const bool by_step = draw.step > 0, logarithmic = draw.kind == Draw::Kind::log_uniform;
    const std::string key = path + (by_step ? ".step" : ".points"), given = by_step ? shortest_text(draw.step) : std::to_string(draw.points);
    if (by_step && logarithmic) refuse(key, given + " is a step of a linear scale; on a logarithmic one give `points`");
    if (draw.min == draw.max) {
        if (!by_step && draw.points > 1) refuse(key, given + " points from " + range + " are the same; it must be 1, or min below max");
        return;
    }
    const std::int64_t points = grid_points(draw);
    if (points > largest_size) refuse(key, given + " gives more than " + std::to_string(largest_size) + " points from " + range);
    if (points == 1)
        refuse(key, by_step ? given + " is longer than the range " + range
                            : "1 point can't hold both ends of the range " + range + "; it must be at least 2");
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    const double intervals = static_cast<double>(points - 1);
    const double spacing = logarithmic ? (std::log(draw.max) - std::log(draw.min)) / intervals : (draw.max - draw.min) / intervals;
    if (spacing < rounding * (logarithmic ? 1 : std::max(std::abs(draw.min), std::abs(draw.max))))
        refuse(key, given + " leaves points from " + range + " too close together to tell them apart");
}

/// Whatever varies on a grid has points, and nothing else has.
template <class Info>
void check_points(const std::string& section, const std::vector<Draw>& draws, std::span<const Info> infos, Sampling sampling) {
    using Kind = Draw::Kind;
    for (std::size_t i = 0; i < draws.size(); ++i) {
        const Draw& draw = draws[i];
        const std::string path = section + '.' + infos[i].name;
        if (draw.points != 0) require_between(path + ".points", draw.points, 1, largest_size);
        if (draw.step != 0) require_above_zero(path + ".step", draw.step);
        const bool range = draw.kind == Kind::uniform || draw.kind == Kind::log_uniform, has_points = draw.points > 0 || draw.step > 0;
        if (has_points && (sampling != Sampling::grid || !range))
            refuse(path + (draw.points > 0 ? ".points" : ".step"),
                   (draw.points > 0 ? std::to_string(draw.points) : shortest_text(draw.step)) + " is for the ranges of a grid" +
                       (sampling != Sampling::grid ? "; ensemble.sampling is " +
                                                         in_quotes(sampling_words[static_cast<std::size_t>(sampling)]) + ", not `grid`"
                                                   : ""));
        if (sampling != Sampling::grid || !draw.varied()) continue;
        if (!range) refuse(path, "has a distribution that has no place on a grid; give min, max and points or step");
        if (!has_points) refuse(path, "has no `points` and no `step`, which every range of a grid needs");
        if (draw.points > 0 && draw.step > 0) refuse(path + ".step", "is given beside `points`; leave out one of the two");
        check_axis(path, draw);
    }
}

/// "8 x 8 points".
std::string points_text(const EnsembleRequest& request) {
    std::string text;
    for (const std::vector<Draw>* draws : {&request.parameters, &request.initial_state})
        for (const Draw& draw : *draws)
            if (draw.varied()) text += (text.empty() ? "" : " x ") + std::to_string(grid_points(draw));
    return text + " points";
}

void check_grid(const EnsembleRequest& request, const ModelDescription& model) {
    if (request.sampling == Sampling::grid && (!request.table_file.empty() || !request.table.names.empty()))
        refuse("ensemble.table", "can't be used with ensemble.sampling `grid`, which combines the points of ranges; `table` takes its rows");
    check_points("parameters", request.parameters, model.parameters, request.sampling);
    check_points("initial_state", request.initial_state, model.states, request.sampling);
    if (request.sampling != Sampling::grid) return;
    if (varied_quantities(model, request).empty())
        refuse("ensemble.sampling", "`grid` needs a parameter or initial value that varies, with min, max and points");
    const std::int64_t points = grid_size(request);
    const std::string grid = "a grid of " + points_text(request);
    if (points > largest_size) refuse("ensemble.sampling", grid + " has more than " + std::to_string(largest_size) + " members");
    const bool grouped = request.groups.count > 0;
    if (const std::int64_t asked = grouped ? request.groups.count : request.size; asked != points)
        refuse(grouped ? "ensemble.groups.count" : "ensemble.size",
               grid + " has " + std::to_string(points) + (grouped ? " groups" : " members") + ", not " + std::to_string(asked) +
                   "; leave it out, a grid belongs to its points and can't be extended");
}

void check_ensemble(const EnsembleRequest& request) {
    require_between("ensemble.size", request.size, 1, largest_size);
    check_groups(request);
    std::size_t drawn = 0;
    for (const std::vector<Draw>* draws : {&request.parameters, &request.initial_state})
        for (const Draw& draw : *draws) drawn += draw.varied() && draw.kind != Draw::Kind::table;
    if (request.sampling == Sampling::sobol && drawn > SobolSequence::largest_dimension)
        refuse("ensemble.sampling", "sobol serves up to " + std::to_string(SobolSequence::largest_dimension) +
                                        " drawn quantities, these are " + std::to_string(drawn));
    if (request.sampling == Sampling::table && request.table.names.empty())
        refuse("ensemble.table", "is missing; ensemble.sampling is `table`");
    if (request.sampling == Sampling::table && drawn > 0)
        refuse("ensemble.sampling",
               "with `table` every varied quantity must be a column of the table; choose `random`, `sobol` or `latin_hypercube` for the others");
}

/// Names that a table's columns may have, in the model's order.
std::vector<std::string> column_names(const ModelDescription& model) {
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : model.parameters) names.emplace_back(parameter.name);
    for (const StateInfo& state : model.states) names.push_back(state.name + std::string("0"));
    for (const DrawInfo& draw : model.draws) names.push_back(std::string("draw_") + draw.name);
    if (!model.draws_start()) names.emplace_back("start");
    names.emplace_back("end");
    return names;
}

std::string in_a_list(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

void check_column(const EnsembleRequest& request, const ModelDescription& model, std::size_t c, std::set<std::string>& seen) {
    using Kind = VariedQuantity::Kind;
    const std::string& name = request.table.names[c];
    const std::vector<double>& values = request.table.columns[c];
    const std::string path = "ensemble.table: column " + in_quotes(name);
    const auto quantity = column_quantity(model, name);
    if (!quantity) {
        const std::vector<std::string> names = column_names(model);
        throw InputError(path + " is no quantity of the model " + in_quotes(model.info.name) + "; the nearest is " +
                         in_quotes(nearest_name(name, {names.begin(), names.end()})) + ", all are " + in_a_list(names));
    }
    if (!seen.insert(quantity->name).second) throw InputError(path + " gives " + quantity->name + " for the second time");
    if (values.size() != request.table.columns.front().size())
        throw InputError(path + " has " + std::to_string(values.size()) + " rows, the first column has " +
                         std::to_string(request.table.columns.front().size()));
    HardLimits span_limits{-no_limit, no_limit};  // a member with a parameter outside its limits gets the status bad_input
    const auto index = static_cast<std::size_t>(quantity->index);
    if (quantity->kind == Kind::draw) {
        if (request.draws[index].kind != Draw::Kind::table)
            throw InputError(std::string("draws.") + model.draws[index].name + ": is given here and in column " + in_quotes(name) +
                             " of the table; leave out one of the two");
        if (request.groups.count > 0)
            throw InputError(path + " can't be used with ensemble.groups: a row of the table is then a group, and its members differ in "
                                    "their draws");
    } else if (quantity->kind == Kind::parameter || quantity->kind == Kind::initial_state) {
        const bool parameter = quantity->kind == Kind::parameter;
        if ((parameter ? request.parameters : request.initial_state)[index].kind != Draw::Kind::table)
            throw InputError((parameter ? "parameters." + std::string(model.parameters[index].name)
                                        : "initial_state." + std::string(model.states[index].name)) +
                             ": is given here and in column " + in_quotes(name) + " of the table; leave out one of the two");
    } else {
        span_limits = {model.info.independent.hard_min, model.info.independent.hard_max};
    }
    for (std::size_t row = 0; row < values.size(); ++row)
        span_limits.require("ensemble.table: column " + in_quotes(name) + ", row " + std::to_string(row + 1), values[row]);
}

void check_table(const EnsembleRequest& request, const ModelDescription& model) {
    const SampleTable& table = request.table;
    if (table.names.size() != table.columns.size())
        refuse("ensemble.table",
               "has " + std::to_string(table.names.size()) + " names for " + std::to_string(table.columns.size()) + " columns");
    std::set<std::string> seen;
    for (std::size_t c = 0; c < table.names.size(); ++c) check_column(request, model, c, seen);
    const bool grouped = request.groups.count > 0;
    const std::int64_t rows = grouped ? request.groups.count : request.size;
    if (!table.names.empty() && rows > table.size())
        refuse(grouped ? "ensemble.groups.count" : "ensemble.size",
               std::to_string(rows) + (grouped ? " groups" : " members") + " are asked for, the table has " + std::to_string(table.size()) +
                   " rows");
    const auto require_column = [&](const std::vector<Draw>& draws, const std::string& section, auto infos, const char* suffix) {
        for (std::size_t i = 0; i < draws.size(); ++i)
            if (draws[i].kind == Draw::Kind::table && !seen.contains(infos[i].name + std::string(suffix)))
                refuse(section + '.' + infos[i].name, "no table has a column " + in_quotes(infos[i].name + std::string(suffix)));
    };
    require_column(request.parameters, "parameters", model.parameters, "");
    require_column(request.initial_state, "initial_state", model.states, "0");
    for (std::size_t i = 0; i < request.draws.size(); ++i)
        if (const std::string name = std::string("draw_") + model.draws[i].name;
            request.draws[i].kind == Draw::Kind::table && !seen.contains(name))
            refuse(std::string("draws.") + model.draws[i].name, "no table has a column " + in_quotes(name));
}

/// The spans of all members.
struct Spans {
    double least, most;              // over all starts and ends
    bool forward = false, backward = false;
    std::int64_t rows = 0;           // of the longest
};

void check_interval(const std::string& path, double every, double start, double end) {
    const double resolution = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
    if (every < resolution)
        refuse(path,
               shortest_text(every) + " is too short to tell times from " + shortest_text(start) + " to " + shortest_text(end) + " apart");
    if (std::abs(end - start) / every > static_cast<double>(largest_row_count))
        refuse(path, shortest_text(every) + " gives more than " + std::to_string(largest_row_count) + " rows from " + shortest_text(start) +
                         " to " + shortest_text(end));
}

/// A model that shoots closes its condition at the end of the span.
void check_closing_end(const std::string& path, const MemberSpan& span, const ShootingInfo& shooting) {
    if (span.end != shooting.end)
        refuse(path + "end", shortest_text(span.end) + " is not " + shortest_text(shooting.end) + ", where the model's closing condition " +
                                 shooting.condition + " holds");
    if (span.start == span.end)
        refuse(path + "start", shortest_text(span.start) + " is the end of the span, where the model's closing condition " +
                                   shooting.condition + " holds; start elsewhere");
}

Spans check_spans(const EnsembleRequest& request, const ShootingInfo* shooting) {
    const bool own_spans = has_member_spans(request);
    Spans spans{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (std::int64_t i = 0; i < (own_spans ? request.size : 1); ++i) {
        const MemberSpan member = own_spans ? member_span(request, i) : MemberSpan{request.span.start, request.span.end};
        if (shooting != nullptr)
            check_closing_end(own_spans ? "ensemble.table: row " + std::to_string(i + 1) + ", " : "span.", member, *shooting);
        if (!std::isfinite(member.end - member.start))
            refuse("span", shortest_text(member.start) + " to " + shortest_text(member.end) + " is too long");
        if (request.span.save == SpanRequest::Save::every) check_interval("span.save.every", request.span.every, member.start, member.end);
        spans.least = std::min({spans.least, member.start, member.end});
        spans.most = std::max({spans.most, member.start, member.end});
        spans.forward = spans.forward || member.end > member.start;
        spans.backward = spans.backward || member.end < member.start;
        spans.rows = std::max(spans.rows, save_time_count(request.span, member.start, member.end));
    }
    return spans;
}

/// Times are named by the alias of the independent variable where they were given so.
void check_list(const SpanRequest& request, const Spans& spans, const IndependentAlias& alias) {
    const std::vector<double>& times = request.times;
    const bool by_alias = !request.alias_times.empty();
    if (times.empty()) refuse("span.save", "the list is empty");
    if (by_alias && (alias.name == nullptr || request.alias_times.size() != times.size()))
        refuse("span.save", "the save times and those by the alias of the independent variable differ in number");
    const auto shown = [&](double time) { return shortest_text(by_alias ? alias.from_independent(time) : time); };
    if (spans.forward && spans.backward)
        refuse("span.save", "a list can't serve members that run forwards and backwards; give a count or an interval");
    const std::string span =
        shown(spans.backward ? spans.most : spans.least) + " to " + shown(spans.backward ? spans.least : spans.most);
    for (std::size_t k = 0; k < times.size(); ++k) {
        // By the alias they were sorted: their numbers are not those of the list that was given.
        const std::string path = by_alias ? "span.save." + std::string(alias.name) : "span.save[" + std::to_string(k) + ']';
        const double given = by_alias ? request.alias_times[k] : times[k];
        require_finite(path, given);
        if (!(times[k] >= spans.least && times[k] <= spans.most)) refuse(path, shortest_text(given) + " lies outside the span " + span);
        if (k > 0 && (spans.backward ? times[k] > times[k - 1] : times[k] < times[k - 1]))
            refuse(path, shortest_text(given) + " comes after " + shown(times[k - 1]) +
                             "; list the times in the order of the run, " + span);
    }
}

/// The members' earliest start (latest, of backward runs), where a guide that depends on nothing varied ends; NaN where it isn't known.
double first_possible_start(const EnsembleRequest& request, const ModelDescription& model) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (model.guide.begin == nullptr) return unknown;
    std::vector<double> p(model.inputs(), unknown), guide_p(static_cast<std::size_t>(model.guide.inputs)),
        guide_y(static_cast<std::size_t>(model.guide.states));
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
        if (!request.parameters[i].varied()) p[i] = request.parameters[i].value;
    double start = unknown, end = unknown;
    model.guide.begin(p.data(), guide_p.data(), guide_y.data(), start, end);
    return end;
}

/// A list for members that start where the model says: forwards to the common end, or backwards to it.
void check_list_before_end(const std::vector<double>& times, double first_start, double end) {
    if (times.empty()) refuse("span.save", "the list is empty");
    const bool known = std::isfinite(first_start) && first_start != end, backward = known ? first_start > end : times.front() > end;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const std::string path = "span.save[" + std::to_string(k) + ']';
        require_finite(path, times[k]);
        if (backward ? times[k] < end : times[k] > end)
            refuse(path, shortest_text(times[k]) + " lies beyond the end, " + shortest_text(end));
        if (k > 0 && (backward ? times[k] > times[k - 1] : times[k] < times[k - 1]))
            refuse(path,
                   shortest_text(times[k]) + " comes after " + shortest_text(times[k - 1]) + "; list the times in the order of the run");
        if (known && (backward ? times[k] > first_start : times[k] < first_start))
            refuse(path, shortest_text(times[k]) + " lies before every member's start; the first possible one is " + shortest_text(first_start));
    }
}

/// Returns the rows of a member whose start the model draws.
std::int64_t check_span_with_model_start(const EnsembleRequest& request, const ModelDescription& model) {
    const SpanRequest& span = request.span;
    const double first_start = first_possible_start(request, model);
    const auto start_draw = static_cast<std::size_t>(model.start_draw);
    if (const Draw& start = request.draws[start_draw]; start.kind == Draw::Kind::fixed && std::isfinite(first_start))
        HardLimits{std::min(first_start, span.end), std::max(first_start, span.end)}.require(
            std::string("draws.") + model.draws[start_draw].name, start.value);
    const auto& names = request.table.names;
    if (std::find(names.begin(), names.end(), "start") != names.end())
        refuse("ensemble.table: column " + in_quotes("start"), "the model draws each member's start");
    if (span.save == SpanRequest::Save::every)
        refuse("span.save.every", "the members' starts are drawn, so their rows would be as many as differ; give a count or a list");
    if (span.save == SpanRequest::Save::list) check_list_before_end(span.times, first_start, span.end);
    return save_time_count(span, span.start, span.end);
}

/// An initial value that the model computes for the start of its default span holds there alone.
void check_computed_start(const EnsembleRequest& request, const ModelDescription& model) {
    for (std::size_t d = 0; d < request.initial_state.size(); ++d) {
        if (request.initial_state[d].kind != Draw::Kind::from_model) continue;
        const auto& names = request.table.names;
        const bool column = std::find(names.begin(), names.end(), "start") != names.end();
        const double only = model.info.independent.default_start;
        if (!column && request.span.start == only) continue;
        refuse(column ? "ensemble.table: column `start`" : "span.start",
               (column ? "" : shortest_text(request.span.start) + " can't be used: ") + "the model computes the start at " +
                   shortest_text(only) + " alone; give initial_state." + model.states[d].name + " to start elsewhere");
    }
}

/// Returns the rows of a member.
std::int64_t check_span(const EnsembleRequest& request, const ModelDescription& model) {
    const SpanRequest& span = request.span;
    const HardLimits limits{model.info.independent.hard_min, model.info.independent.hard_max};
    if (span.model_start != model.draws_start())
        refuse("span.start", model.draws_start() ? "the model draws each member's start" : "the model doesn't draw it");
    if (!span.model_start) limits.require("span.start", span.start);
    if (const double end = model.info.independent.default_end; model.info.independent.only_default_end && span.end != end)
        refuse("span.end", shortest_text(span.end) + " is not " + shortest_text(end) + ", where every span of this model ends");
    if (!model.info.independent.computed_start_elsewhere) check_computed_start(request, model);
    limits.require("span.end", span.end);
    if (span.save == SpanRequest::Save::count) require_between("span.save", span.count, 1, largest_row_count);
    if (span.save == SpanRequest::Save::every) require_above_zero("span.save.every", span.every);
    if (span.model_start) {
        const std::int64_t rows = check_span_with_model_start(request, model);
        require_between("span.save", rows, 1, largest_row_count);
        return rows;
    }
    const Spans spans = check_spans(request, model.shooting);
    if (span.save == SpanRequest::Save::list) check_list(span, spans, model.info.independent.alias);
    require_between("span.save", spans.rows, 1, largest_row_count);
    return spans.rows;
}

void check_atol(const std::vector<double>& atol, const ModelDescription& model) {
    if (atol.size() != model.states.size())
        refuse("solver.atol",
               std::to_string(atol.size()) + " entries are given, the model has " + std::to_string(model.states.size()) + " states");
    for (std::size_t d = 0; d < atol.size(); ++d) {
        const std::string path = std::string("solver.atol.") + model.states[d].name;
        require_finite(path, atol[d]);
        if (!(atol[d] >= 0)) refuse(path, shortest_text(atol[d]) + " is below zero");
    }
    if (std::all_of(atol.begin(), atol.end(), [](double value) { return value == 0; }))
        refuse("solver.atol", "0 for every state leaves no tolerance near zero; give one above zero");
}

void check_solver(const SolverRequest& solver, const ModelDescription& model) {
    if (solver.method != "auto" && method_index(solver.method) < 0) {
        std::vector<std::string> names{"auto"};
        for (const MethodInfo& method : methods) names.emplace_back(method.name);
        refuse("solver.method", in_quotes(solver.method) + " is not one of " + in_a_list(names));
    }
    require_finite("solver.rtol", solver.rtol);
    if (!(solver.rtol >= smallest_rtol && solver.rtol <= largest_rtol))
        refuse("solver.rtol", shortest_text(solver.rtol) + " is not between " + shortest_text(smallest_rtol) +
                                  ", the floor of double precision, and " + shortest_text(largest_rtol));
    check_atol(solver.atol, model);
    require_between("solver.max_steps", solver.max_steps, 1, largest_step_limit);
    if (solver.max_step) require_above_zero("solver.max_step", *solver.max_step);
    if (solver.first_step) require_above_zero("solver.first_step", *solver.first_step);
    require_between("solver.threads", solver.threads, 0, largest_thread_count);
    if (std::find(std::begin(devices), std::end(devices), solver.device) == std::end(devices))
        refuse("solver.device", in_quotes(solver.device) + " can't be used: this build has no GPU engine; use \"auto\" or \"cpu\"");
}

/// A largest step with which the step limit ends every member.
void check_step_limit(const EnsembleRequest& request) {
    const SolverRequest& solver = request.solver;
    const double length = std::abs(request.span.end - request.span.start);
    if (!solver.max_step || has_member_spans(request) || length / *solver.max_step <= static_cast<double>(solver.max_steps)) return;
    refuse("solver.max_step", shortest_text(*solver.max_step) + " asks for more steps over the span of " + shortest_text(length) +
                                  " than solver.max_steps allows, which is " + std::to_string(solver.max_steps) + "; it must be at least " +
                                  shortest_text(length / static_cast<double>(solver.max_steps)));
}

void check_output(const OutputRequest& output) {
    require_between("output.every", output.every, 1, largest_row_count);
    if (output.file.find('\0') != std::string::npos) refuse("output.file", in_quotes(output.file) + " is no name of a file");
}

/// Positions in the result are 64 bits wide, in bytes.
void check_total(const EnsembleRequest& request, const ModelDescription& model, std::int64_t rows) {
    const auto components = static_cast<std::int64_t>(model.states.size() + model.observables.size() + 1);
    const auto row_bytes = static_cast<std::int64_t>(sizeof(double)) * components;
    if (rows > std::numeric_limits<std::int64_t>::max() / row_bytes / request.size)
        refuse("span.save", std::to_string(rows) + " rows of " + std::to_string(request.size) + " members are more than a file can hold");
}

}  // namespace

void validate(const EnsembleRequest& request, const ModelDescription& model) {
    if (request.model != model.info.name) refuse("model", in_quotes(request.model) + " is not " + in_quotes(model.info.name));
    check_draws("parameters", request.parameters, model.parameters, false);
    check_draws("initial_state", request.initial_state, model.states, true);
    check_own_draws(request, model);
    check_grid(request, model);
    check_ensemble(request);
    check_table(request, model);
    const std::int64_t rows = check_span(request, model);
    check_solver(request.solver, model);
    check_step_limit(request);
    require_between("accuracy.subsample", request.accuracy_subsample, 0, largest_subsample);
    check_output(request.output);
    check_total(request, model, rows);
    if (const auto window = nlohmann::json::parse(request.window, nullptr, false); !window.is_object())
        refuse("window", in_quotes(request.window) + " is not a JSON object");
}

}  // namespace gradscape
