// The description of a model as aligned text and as JSON.
#include "models/description_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/units.hpp"

namespace gradscape {
namespace {

using nlohmann::json;

std::string number(double x) {
    if (std::isnan(x)) return "computed";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x).ptr;
    return {text, end};
}

json finite_or_null(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

std::string_view scale_name(Scale scale) { return scale == Scale::log ? "log" : "linear"; }

std::string unit_symbol(std::string_view name) {
    const Unit* unit = find_unit(name);
    return std::string(unit ? unit->symbol : name);
}

std::string range(double min, double max) { return number(min) + ".." + number(max); }

/// "", "≥ 0", "≤ 5" or "0..5"
std::string limits(double hard_min, double hard_max) {
    const bool below = std::isfinite(hard_min), above = std::isfinite(hard_max);
    if (below && above) return range(hard_min, hard_max);
    if (below) return "≥ " + number(hard_min);
    if (above) return "≤ " + number(hard_max);
    return "";
}

/// Columns on a terminal: characters, not bytes.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

using Row = std::vector<std::string>;

/// The first row is the heading. Columns that are empty below the heading are left out.
std::string table(const std::vector<Row>& rows) {
    std::string text;
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (std::size_t column = 0; column < widths.size(); ++column) {
        for (std::size_t row = 1; row < rows.size(); ++row) widths[column] = std::max(widths[column], width(rows[row][column]));
        if (widths[column] > 0) widths[column] = std::max(widths[column], width(rows[0][column]));
    }
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column)
            if (widths[column] > 0) line.append("  ").append(row[column]).append(widths[column] - width(row[column]), ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string section(const std::string& heading, const std::vector<Row>& rows) {
    return '\n' + heading + '\n' + (rows.size() > 1 ? table(rows) : "  none\n");
}

std::string indented(std::string_view lines) {
    std::string text(2, ' ');
    for (const char c : lines) {
        text += c;
        if (c == '\n') text.append(2, ' ');
    }
    return text + '\n';
}

/// Breaks between words so that lines stay within 100 characters.
std::string wrapped(std::string_view paragraph) {
    std::string text, line;
    while (!paragraph.empty()) {
        const std::string_view word = paragraph.substr(0, paragraph.find(' '));
        paragraph.remove_prefix(std::min(paragraph.size(), word.size() + 1));
        if (!line.empty() && width(line) + 1 + width(word) > 100) {
            text += line + '\n';
            line.clear();
        }
        if (!line.empty()) line += ' ';
        line += word;
    }
    return text + line + '\n';
}

json unit_json(std::string_view name) {
    json unit{{"name", name}};
    if (const Unit* known = find_unit(name))
        unit.update({{"symbol", known->symbol}, {"si", known->si}, {"si_symbol", known->si_symbol}});
    return unit;
}

/// What every kind of info has.
template <class Info>
json common(const Info& info) {
    return {{"name", info.name}, {"symbol", info.symbol}, {"latex", info.latex}, {"unit", unit_json(info.unit)}, {"help", info.help}};
}

/// What states and parameters have too.
template <class Info>
json drawable(const Info& info) {
    json object = common(info);
    object.update({{"default", finite_or_null(info.default_value)},
                   {"min", info.min},
                   {"max", info.max},
                   {"hard_min", finite_or_null(info.hard_min)},
                   {"hard_max", finite_or_null(info.hard_max)}});
    return object;
}

json to_json(const StateInfo& state) {
    json object = drawable(state);
    object["atol"] = state.atol;
    return object;
}

json to_json(const ParameterInfo& parameter) {
    json object = drawable(parameter);
    object["scale"] = scale_name(parameter.scale);
    return object;
}

json to_json(const ObservableInfo& observable) {
    json object = common(observable);
    object["period"] = observable.period > 0 ? json(observable.period) : json(nullptr);
    return object;
}

json to_json(const DrawInfo& draw) { return common(draw); }

json to_json(const InvariantInfo& invariant) { return common(invariant); }
json to_json(const InternalInfo& internal) { return common(internal); }

template <class Info>
json array_of(std::span<const Info> infos) {
    json array = json::array();
    for (const Info& info : infos) array.push_back(to_json(info));
    return array;
}

}  // namespace

std::string description_text(const ModelDescription& model) {
    const ModelInfo& info = model.info;
    const IndependentInfo& t = info.independent;

    std::vector<Row> states{{"name", "symbol", "unit", "default", "range", "limits", "atol", ""}};
    for (const StateInfo& s : model.states)
        states.push_back({s.name, s.symbol, unit_symbol(s.unit), number(s.default_value), range(s.min, s.max),
                          limits(s.hard_min, s.hard_max), number(s.atol), s.help});
    std::vector<Row> parameters{{"name", "symbol", "unit", "default", "range", "scale", "limits", ""}};
    for (const ParameterInfo& p : model.parameters)
        parameters.push_back({p.name, p.symbol, unit_symbol(p.unit), number(p.default_value), range(p.min, p.max),
                              std::string(scale_name(p.scale)), limits(p.hard_min, p.hard_max), p.help});
    std::vector<Row> draws{{"name", "symbol", "unit", ""}};
    for (const DrawInfo& d : model.draws) draws.push_back({d.name, d.symbol, unit_symbol(d.unit), d.help});
    std::vector<Row> observables{{"name", "symbol", "unit", "circular", ""}};
    for (const ObservableInfo& o : model.observables)
        observables.push_back({o.name, o.symbol, unit_symbol(o.unit), o.period > 0 ? number(o.period) : "", o.help});
    std::vector<Row> invariants{{"name", "symbol", "unit", ""}};
    for (const InvariantInfo& i : model.invariants) invariants.push_back({i.name, i.symbol, unit_symbol(i.unit), i.help});

    std::vector<Row> internals{{"name", "symbol", "unit", ""}};
    for (const InternalInfo& i : model.internals) internals.push_back({i.name, i.symbol, unit_symbol(i.unit), i.help});

    std::string text = std::string(info.name) + ": " + info.title + "  (" + info.group + ", version " + info.version + ")\n\n";
    text += wrapped(info.summary);
    text += "\nEquations\n" + indented(info.equations);
    text += section("Independent variable",
                    {{"name", "symbol", "unit", "default", "range", "limits", "rows", ""},
                     {t.name, t.symbol, unit_symbol(t.unit), range(t.default_start, t.default_end), range(t.min, t.max),
                      limits(t.hard_min, t.hard_max), std::to_string(t.default_save), t.help}});
    if (t.alias.name != nullptr) text += std::string("  Save times may be given as {\"") + t.alias.name + "\": [...]} too.\n";
    text += section("States", states);
    text += section("Parameters", parameters);
    if (model.shooting != nullptr) {
        text += section("Solved for, member by member", internals);
        text += std::string("  so that ") + model.shooting->condition + "; the search goes up to " +
                number(model.shooting->search.largest) + ", with at most " + std::to_string(model.shooting->search.most_evaluations) +
                " solves and one more for the rows. Where none is found, the status is shooting_failed: " + model.shooting->no_solution + '\n';
    }
    if (!model.draws.empty()) text += section("Draws of each member", draws);
    text += section("Observables", observables);
    text += section("Invariants", invariants);
    const std::string error_unit = unit_symbol(info.error.unit);
    text += std::string("\nAccuracy\n  ") + info.error.symbol + ", wanted below " + number(info.error.threshold) + ' ' +
            (error_unit.empty() ? "" : error_unit + " ") + "for 99 % of the members. " + info.error.help + '\n';
    text += std::string("  Defaults: method ") + info.preferred_method + ", rtol " + number(info.rtol) + "; shown first: " +
            info.default_functional + '\n';
    text += std::string("\nReference\n  ") + info.citation + '\n';
    return text;
}

std::string description_json(const ModelDescription& model) {
    const ModelInfo& info = model.info;
    const IndependentInfo& t = info.independent;
    return json{{"name", info.name},
                {"title", info.title},
                {"group", info.group},
                {"version", info.version},
                {"summary", info.summary},
                {"equations", info.equations},
                {"citation", info.citation},
                {"independent",
                 {{"name", t.name},
                  {"symbol", t.symbol},
                  {"unit", unit_json(t.unit)},
                  {"default_start", t.default_start},
                  {"default_end", t.default_end},
                  {"default_save", t.default_save},
                  {"min", t.min},
                  {"max", t.max},
                  {"hard_min", finite_or_null(t.hard_min)},
                  {"hard_max", finite_or_null(t.hard_max)},
                  {"alias", t.alias.name != nullptr ? json(t.alias.name) : json(nullptr)},
                  {"help", t.help}}},
                {"shooting", model.shooting == nullptr ? json(nullptr)
                                                       : json{{"condition", model.shooting->condition},
                                                              {"end", model.shooting->end},
                                                              {"tolerance", model.shooting->search.tolerance},
                                                              {"largest", model.shooting->search.largest},
                                                              {"most_solves", model.shooting->search.most_evaluations},
                                                              {"no_solution", model.shooting->no_solution}}},
                {"internals", array_of(model.internals)},
                {"error",
                 {{"symbol", info.error.symbol},
                  {"unit", unit_json(info.error.unit)},
                  {"threshold", info.error.threshold},
                  {"help", info.error.help}}},
                {"preferred_method", info.preferred_method},
                {"rtol", info.rtol},
                {"default_functional", info.default_functional},
                {"states", array_of(model.states)},
                {"parameters", array_of(model.parameters)},
                {"draws", array_of(model.draws)},
                {"observables", array_of(model.observables)},
                {"invariants", array_of(model.invariants)}}
        .dump(2);
}

std::string list_text(std::span<const Model> models) {
    std::vector<Row> rows{{"name", "title"}};
    for (const Model& model : models) rows.push_back({model.description.info.name, model.description.info.title});
    return table(rows);
}

std::string list_json(std::span<const Model> models) {
    json array = json::array();
    for (const Model& model : models) {
        const ModelInfo& info = model.description.info;
        array.push_back({{"name", info.name}, {"title", info.title}, {"group", info.group}, {"summary", info.summary}});
    }
    return array.dump(2);
}

}  // namespace gradscape
