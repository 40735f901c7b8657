#include "app/closing_table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/input_text.hpp"
#include "engine/methods/method_list.hpp"
#include "engine/number_text.hpp"
#include "engine/units.hpp"

namespace gradscape {
namespace {

constexpr std::size_t label_width = 17;
constexpr std::size_t number_width = 11;

/// Columns on a terminal: characters, not bytes of UTF-8.
std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(std::string text, std::size_t width) {
    const std::size_t present = text_width(text);
    return text + std::string(width > present ? width - present : 1, ' ');
}

std::string right(const std::string& text, std::size_t width) {
    const std::size_t present = text_width(text);
    return std::string(width > present ? width - present : 1, ' ') + text;
}

std::string line(const std::string& label, const std::string& text) { return padded(label, label_width) + text + '\n'; }

std::string columns(const std::string& label, const std::vector<std::string>& cells) {
    std::string text = padded(label, label_width);
    for (const std::string& cell : cells) text += right(cell, number_width);
    return text + '\n';
}

/// "near t = 0.12" or "between t = 0.1 and 0.3", with the unit.
std::string stop_text(const StopRange& range, const ModelDescription& model) {
    const IndependentInfo& t = model.info.independent;
    const Unit* unit = find_unit(t.unit);
    const std::string min = number_text(range.min), max = number_text(range.max);
    std::string text =
        min == max ? "near " + std::string(t.symbol) + " = " + min : "between " + std::string(t.symbol) + " = " + min + " and " + max;
    if (const std::string_view symbol = unit != nullptr ? unit->symbol : t.unit; !symbol.empty()) text += ' ' + std::string(symbol);
    return text;
}

double at_level(const Percentiles& percentiles, double level) {
    for (std::size_t i = 0; i < percentiles.levels.size(); ++i)
        if (percentiles.levels[i] == level) return percentiles.values[i];
    return std::numeric_limits<double>::quiet_NaN();
}

std::string level_name(double level) { return level == 1 ? "max" : number_text(100 * level) + " %"; }

double rate(const EnsembleResult& result) { return result.seconds > 0 ? static_cast<double>(result.complete) / result.seconds : 0; }

double lane_use(const EnsembleResult& result) {
    const double offered = static_cast<double>(result.iterations) * result.lanes;
    return offered > 0 ? static_cast<double>(result.tries) / offered : std::numeric_limits<double>::quiet_NaN();
}

std::string members_part(const RunReport& report) {
    std::string text;
    for (std::size_t s = 0; s < status_texts.size(); ++s) {
        const std::int64_t count = report.result.by_status[s];
        if (count == 0) continue;
        std::string entry = right(std::to_string(count), number_width) + ' ' + std::string(status_texts[s].word);
        if (static_cast<Status>(s) != Status::ok) {
            const ShootingInfo* const shooting = report.model->description.shooting;
            const bool unsolved = static_cast<Status>(s) == Status::shooting_failed && shooting != nullptr;
            entry += ": " + (unsolved ? std::string(shooting->no_solution) : std::string(status_texts[s].sentence));
            if (!report.stopped[s].empty()) entry += " Stopped " + stop_text(report.stopped[s], report.model->description) + ".";
        }
        text += line(text.empty() ? "members" : "", entry);
    }
    return text;
}

std::string accuracy_part(const RunReport& report) {
    const AccuracyResult& accuracy = report.result.accuracy;
    const ErrorInfo& error = report.model->description.info.error;
    std::string text;
    if (!accuracy.maximum.levels.empty()) {
        std::vector<std::string> heads, values;
        for (std::size_t i = 0; i < accuracy.maximum.levels.size(); ++i) {
            heads.push_back(level_name(accuracy.maximum.levels[i]));
            values.push_back(number_text(accuracy.maximum.values[i]));
        }
        text += columns("", heads) + columns("error " + std::string(error.symbol), values);
        text += line("", "of " + std::to_string(accuracy.maximum.covered) + " of " + std::to_string(accuracy.maximum.of) +
                             " members compared with a reference; threshold " + number_text(accuracy.threshold));
    }
    return text + line("accuracy", accuracy.sentence);
}

std::string drift_part(const RunReport& report) {
    const auto& invariants = report.model->description.invariants;
    if (invariants.empty()) return "";
    std::string text = "\n" + columns("", {"median", "max"});
    for (std::size_t i = 0; i < invariants.size() && i < report.result.drift.size(); ++i)
        text += columns("drift of " + std::string(invariants[i].symbol),
                        {number_text(at_level(report.result.drift[i], 0.5)), number_text(at_level(report.result.drift[i], 1))}) ;
    return text;
}

template <class Info>
const Info& named(std::span<const Info> infos, const char* name) {
    return infos[static_cast<std::size_t>(ModelDescription::index_of(infos, name))];
}

std::string spread_part(const RunReport& report) {
    const ModelDescription& model = report.model->description;
    std::string text;
    for (std::size_t i = 0; i < report.spreads.size(); ++i) {
        const SpreadInfo& spread = model.spreads[i];
        const ObservableInfo& observable = named(model.observables, spread.observable);
        const bool width = spread.kind == SpreadInfo::Kind::width;
        const Unit* const known = find_unit(observable.unit);
        const std::string unit(known != nullptr ? known->symbol : observable.unit);
        text += line((width ? "width of " : "extent of ") + std::string(observable.symbol),
                     std::isnan(report.spreads[i])
                         ? "too few members"
                         : right(number_text(report.spreads[i]), number_width) + ' ' + unit + ": " +
                               (width ? "robust standard deviation about the median along " +
                                            std::string(named(model.observables, spread.along).symbol)
                                      : "5th to 95th percentile at the last save time") +
                               (*spread.frame != '\0' ? std::string(", in ") + spread.frame : "") +
                               (report.request.groups.count > 1 ? ", median over the groups" : ""));
    }
    return text.empty() ? "" : '\n' + text;
}

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json percentiles_json(const Percentiles& percentiles) {
    nlohmann::ordered_json object;
    for (std::size_t i = 0; i < percentiles.levels.size(); ++i) {
        const double level = percentiles.levels[i];
        object[level == 1 ? std::string("max") : std::string("p") + number_text(100 * level)] = number(percentiles.values[i]);
    }
    object["covered"] = percentiles.covered;
    object["of"] = percentiles.of;
    return object;
}

std::string verdict_word(AccuracyResult::Verdict verdict) {
    constexpr std::array words = {"within", "exceeded", "withheld", "not_computed"};
    return words[static_cast<std::size_t>(verdict)];
}

nlohmann::ordered_json steps_json(const StepCounts& steps) { return {{"min", steps.min}, {"median", steps.median}, {"max", steps.max}}; }

}  // namespace

std::string closing_table(const RunReport& report) {
    const EnsembleResult& result = report.result;
    const ModelInfo& model = report.model->description.info;
    const int method = method_index(result.method);
    std::string text = std::string(model.title) + " (" + model.name + ")\n\n";
    text += members_part(report);
    text += line("speed", number_text(rate(result), 4) + " members/s; " + number_text(result.seconds) + " s on " +
                              std::to_string(result.threads) + (result.threads == 1 ? " thread" : " threads") + " x " +
                              std::to_string(result.lanes) + " lanes (" + result.instruction_set +
                              (result.tries > 0 ? ", " + number_text(100 * lane_use(result)) + " % of lanes used)" : ")"));
    text += line("method",
                 (method >= 0 ? std::string(methods[static_cast<std::size_t>(method)].title) + " (" + result.method + ")" : result.method) +
                     ", rtol " + number_text(report.request.solver.rtol));
    text += line("seed", std::to_string(report.request.seed) + (report.request.seed_given ? "" : " (chosen by the program)"));
    text += '\n' + columns("", {"min", "median", "max"});
    const auto steps = [](const StepCounts& counts) {
        return std::vector{std::to_string(counts.min), std::to_string(counts.median), std::to_string(counts.max)};
    };
    text += columns("accepted steps", steps(result.accepted)) + columns("rejected steps", steps(result.rejected));
    text += '\n' + accuracy_part(report) + drift_part(report) + spread_part(report);
    text += '\n' + line("file", one_line(report.file.string()) + ", " + bytes_text(report.bytes));
    for (const std::string& remark : result.remarks) text += line("remark", remark);
    // JSON's string is Python's too.
    text += "\nimport xarray as xr\nds = xr.open_dataset(" +
            nlohmann::json(report.file.string()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ")\nprint(ds)\n";
    return text;
}

std::string closing_json(const RunReport& report) {
    using nlohmann::ordered_json;
    const EnsembleResult& result = report.result;
    const ModelDescription& model = report.model->description;
    ordered_json statuses, stopped = ordered_json::object(), drift = ordered_json::object();
    for (std::size_t s = 0; s < status_texts.size(); ++s) {
        statuses[std::string(status_texts[s].word)] = result.by_status[s];
        if (static_cast<Status>(s) != Status::ok && !report.stopped[s].empty())
            stopped[std::string(status_texts[s].word)] = {{"min", report.stopped[s].min}, {"max", report.stopped[s].max}};
    }
    for (std::size_t i = 0; i < model.invariants.size() && i < result.drift.size(); ++i)
        drift[model.invariants[i].name] = {{"median", number(at_level(result.drift[i], 0.5))},
                                           {"max", number(at_level(result.drift[i], 1))}};
    ordered_json spreads = ordered_json::object();
    for (std::size_t i = 0; i < report.spreads.size(); ++i) {
        const SpreadInfo& spread = model.spreads[i];
        spreads[(spread.kind == SpreadInfo::Kind::width ? "width_of_" : "extent_of_") + std::string(spread.observable)] =
            number(report.spreads[i]);
    }
    ordered_json error = percentiles_json(result.accuracy.maximum);
    error["threshold"] = number(result.accuracy.threshold);
    error["reference_disagreement"] = number(result.accuracy.reference_disagreement);
    error["verdict"] = verdict_word(result.accuracy.verdict);
    error["sentence"] = result.accuracy.sentence;
    const ordered_json object{
        {"model", model.info.name},
        {"complete", !report.interrupted},
        {"file", report.file.empty() ? ordered_json(nullptr) : ordered_json(report.file.string())},
        {"file_bytes", report.bytes},
        {"members", {{"requested", result.requested}, {"complete", result.complete}, {"by_status", statuses}, {"stopped_at", stopped}}},
        {"steps", {{"accepted", steps_json(result.accepted)}, {"rejected", steps_json(result.rejected)}}},
        {"speed",
         {{"members_per_second", number(rate(result))},
          {"seconds", number(result.seconds)},
          {"cpu_seconds", number(result.cpu_seconds)},
          {"threads", result.threads},
          {"lanes", result.lanes},
          {"lane_use", number(lane_use(result))},
          {"instruction_set", result.instruction_set}}},
        {"method", result.method},
        {"rtol", report.request.solver.rtol},
        {"seed", report.request.seed},
        {"seed_given", report.request.seed_given},
        {"error", error},
        {"drift", drift},
        {"spreads", spreads},
        {"remarks", result.remarks}};
    return object.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::string failure_line(const RunReport& report) {
    const EnsembleResult& result = report.result;
    std::string list;
    std::int64_t failed = 0;
    for (std::size_t s = 0; s < status_texts.size(); ++s) {
        if (static_cast<Status>(s) == Status::ok || result.by_status[s] == 0) continue;
        failed += result.by_status[s];
        list += (list.empty() ? "" : ", ") + std::string(status_texts[s].word) + ' ' + std::to_string(result.by_status[s]);
        std::string detail;
        if (!report.stopped[s].empty()) detail = "stopped " + stop_text(report.stopped[s], report.model->description);
        if (static_cast<Status>(s) == Status::step_limit)
            detail += (detail.empty() ? "" : "; ") +
                      std::string("a stiff problem under an explicit method does this, or solver.max_steps is too small");
        if (!detail.empty()) list += " (" + detail + ')';
    }
    if (failed == 0) return "";
    return std::to_string(failed) + " of " + std::to_string(result.requested) + (result.requested == 1 ? " member" : " members") +
           " failed: " + list;
}

}  // namespace gradscape
