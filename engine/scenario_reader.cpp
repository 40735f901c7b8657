// From JSON to a request: keys, types and names. Ranges are validation.cpp's.
#include "engine/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <set>
#include <span>

#include "engine/grid_axis.hpp"
#include "engine/input_text.hpp"
#include "engine/json_section.hpp"
#include "engine/methods/method_list.hpp"
#include "engine/request_limits.hpp"
#include "engine/sampling.hpp"
#include "engine/strict_json.hpp"

namespace gradscape {
namespace {

using nlohmann::json;

constexpr std::int64_t format_version = 1;
constexpr std::uintmax_t largest_scenario = std::uintmax_t{1} << 26;

std::uint64_t seed_number(const json& value, const std::string& path) {
    constexpr double exact = 0x1p53;
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_float())
        if (const double number = value.get<double>(); number >= 0 && number <= exact && number == std::floor(number))
            return static_cast<std::uint64_t>(number);
    refuse(path, value, "a whole number from 0 to 2^64 - 1");
}

/// A bound of a distribution; null is none.
void set_bounds(const JsonSection& section, Draw& draw) {
    for (const auto& [key, bound] : {std::pair{"min", &draw.min}, std::pair{"max", &draw.max}})
        if (const json* value = section.find(key); value != nullptr && !value->is_null()) *bound = real(*value, section.path(key));
}

void require_bounds(const JsonSection& section, Draw& draw) {
    draw.min = section.required("min");
    draw.max = section.required("max");
}

/// Both are for a grid; validate() says when they are missing or don't fit.
void set_points(const JsonSection& section, Draw& draw) {
    section.set("points", draw.points, [](const json& n, const std::string& path) { return whole(n, path, 1, largest_size); });
    if (const json* step = section.find("step")) {
        draw.step = real(*step, section.path("step"));
        if (!(draw.step > 0)) refuse(section.path("step"), *step, "a number above zero");
        if (draw.points > 0) throw InputError(section.path("step") + ": is given beside `points`; leave out one of the two");
    }
}

Draw read_distribution(const json& value, const std::string& path, const json& word) {
    static const std::vector<std::string_view> words{"uniform",   "log_uniform", "normal",     "cosine",
                                                     "power_law", "fixed",       "from_model", "table"};
    const std::string_view name = words[choice(word, key_path(path, "distribution"), words)];
    const std::string kind = "key of the distribution " + in_quotes(name);
    const auto section = [&](std::vector<std::string_view> keys) {
        keys.insert(keys.begin(), "distribution");
        return JsonSection(value, path, std::move(keys), kind);
    };
    Draw draw;
    if (name == "uniform" || name == "log_uniform") {
        draw.kind = name == "uniform" ? Draw::Kind::uniform : Draw::Kind::log_uniform;
        const JsonSection keys = section({"min", "max", "points", "step"});
        require_bounds(keys, draw);
        set_points(keys, draw);
    } else if (name == "normal") {
        draw.kind = Draw::Kind::normal;
        const JsonSection keys = section({"mean", "sd", "min", "max"});
        draw.mean = keys.required("mean");
        draw.sd = keys.required("sd");
        set_bounds(keys, draw);
    } else if (name == "cosine") {
        draw.kind = Draw::Kind::cosine;
        draw.min = 0;
        draw.max = std::numbers::pi;
        set_bounds(section({"min", "max"}), draw);
    } else if (name == "power_law") {
        draw.kind = Draw::Kind::power_law;
        const JsonSection keys = section({"exponent", "min", "max"});
        draw.exponent = keys.required("exponent");
        require_bounds(keys, draw);
    } else if (name == "fixed") {
        draw.value = section({"value"}).required("value");
    } else {
        section({});
        draw.kind = name == "table" ? Draw::Kind::table : Draw::Kind::from_model;
    }
    return draw;
}

Draw read_draw(const json& value, const std::string& path) {
    if (value.is_number()) return {.value = value.get<double>()};
    if (!value.is_object()) refuse(path, value, "a number, a range {\"min\", \"max\"} or a distribution");
    if (const auto word = value.find("distribution"); word != value.end()) return read_distribution(value, path, *word);
    if (value.contains("value")) return {.value = JsonSection(value, path, {"value"}).required("value")};
    const JsonSection range(value, path, {"min", "max", "scale", "points", "step", "distribution"});
    Draw draw{.kind = Draw::Kind::uniform};
    require_bounds(range, draw);
    if (const json* scale = range.find("scale"); scale != nullptr && choice(*scale, range.path("scale"), {"linear", "log"}) == 1)
        draw.kind = Draw::Kind::log_uniform;
    set_points(range, draw);
    return draw;
}

template <class Info>
std::vector<std::string_view> names_of(std::span<const Info> infos) {
    std::vector<std::string_view> names;
    for (const Info& info : infos) names.emplace_back(info.name);
    return names;
}

/// Which quantities the scenario itself speaks of, so that a column of the table can't silently replace them.
struct Given {
    std::vector<bool> parameters, initial_state, draws;
    enum class End { silent, number, table, model };
    End start = End::silent, end = End::silent;
    bool size = false, sampling = false;
};

template <class Info>
void read_draws(const json& value, const std::string& path, std::span<const Info> infos, const std::string& kind, std::vector<Draw>& draws,
                std::vector<bool>& given) {
    const JsonSection section(value, path, names_of(infos), kind);
    for (std::size_t i = 0; i < infos.size(); ++i)
        if (const json* draw = section.find(infos[i].name)) {
            draws[i] = read_draw(*draw, section.path(infos[i].name));
            given[i] = true;
        }
}

/// The model's own draws: each as the model draws it, or a number or a column of the table in its place.
void read_own_draws(const json& value, const ModelDescription& model, const std::string& of_model, EnsembleRequest& request, Given& given) {
    if (model.draws.empty()) throw InputError("draws: the model " + in_quotes(model.info.name) + " draws nothing of its own");
    read_draws(value, "draws", model.draws, "draw" + of_model, request.draws, given.draws);
}

/// An end of the span: a number, {"distribution": "table"}, or {"distribution": "from_model"} where the model draws the start.
Given::End read_span_end(const JsonSection& section, std::string_view key, double& target) {
    const json* value = section.find(key);
    if (value == nullptr) return Given::End::silent;
    if (!value->is_object()) {
        target = real(*value, section.path(key));
        return Given::End::number;
    }
    const JsonSection source(*value, section.path(key), {"distribution"});
    const json* word = source.find("distribution");
    if (word == nullptr) throw InputError(source.path("distribution") + ": is missing");
    return choice(*word, source.path("distribution"), {"table", "from_model"}) == 0 ? Given::End::table : Given::End::model;
}

std::vector<double> read_list(const json& value, const std::string& path) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < value.size(); ++i) numbers.push_back(real(value[i], path + '[' + std::to_string(i) + ']'));
    return numbers;
}

/// Save times by the alias of the independent variable, in any order.
void read_alias_times(const json& value, const std::string& path, const IndependentAlias& alias, SpanRequest& span) {
    if (!value.is_array()) refuse(path, value, "a list of numbers");
    span.alias_times = read_list(value, path);
    for (std::size_t i = 0; i < span.alias_times.size(); ++i)
        if (!std::isfinite(alias.to_independent(span.alias_times[i])))
            throw InputError(path + '[' + std::to_string(i) + "]: " + shortest_text(span.alias_times[i]) + " is no " + alias.name);
    const double direction = span.end < span.start ? -1 : 1;
    std::stable_sort(span.alias_times.begin(), span.alias_times.end(), [&](double a, double b) {
        return direction * alias.to_independent(a) < direction * alias.to_independent(b);
    });
    for (const double number : span.alias_times) span.times.push_back(alias.to_independent(number));
}

void read_save(const json& value, const std::string& path, const IndependentAlias& alias, SpanRequest& span) {
    if (value.is_object()) {
        std::vector<std::string_view> keys{"every"};
        if (alias.name != nullptr) keys.emplace_back(alias.name);
        const JsonSection section(value, path, keys);
        const json* const list = alias.name != nullptr ? section.find(alias.name) : nullptr;
        span.save = list != nullptr ? SpanRequest::Save::list : SpanRequest::Save::every;
        if (list == nullptr)
            span.every = section.required("every");
        else if (section.find("every") != nullptr)
            throw InputError(path + ": has both `every` and `" + alias.name + "`; leave out one of the two");
        else
            read_alias_times(*list, section.path(alias.name), alias, span);
    } else if (value.is_array()) {
        span.save = SpanRequest::Save::list;
        span.times = read_list(value, path);
    } else if (value.is_number()) {
        span.count = whole(value, path, 1, largest_row_count);
    } else {
        refuse(path, value,
               "a count, {\"every\": interval}, " +
                   (alias.name != nullptr ? "{\"" + std::string(alias.name) + "\": [...]} " : std::string()) + "or a list of times");
    }
}

void read_span(const json& value, const IndependentAlias& alias, SpanRequest& span, Given& given) {
    const JsonSection section(value, "span", {"start", "end", "save"});
    given.start = read_span_end(section, "start", span.start);
    given.end = read_span_end(section, "end", span.end);
    if (const json* save = section.find("save")) read_save(*save, section.path("save"), alias, span);
}

void read_groups(const json& value, const std::string& path, EnsembleRequest& request) {
    if (value.is_null()) return;
    const JsonSection section(value, path, {"count", "members_each"});
    for (const auto& [key, number] :
         {std::pair{"count", &request.groups.count}, std::pair{"members_each", &request.groups.members_each}}) {
        const json* given = section.find(key);
        if (given == nullptr && number == &request.groups.count && request.sampling == Sampling::grid) {
            *number = std::clamp<std::int64_t>(grid_size(request), 1, largest_size);  // validate() refuses a grid of another size
            continue;
        }
        if (given == nullptr) throw InputError(section.path(key) + ": is missing");
        *number = whole(*given, section.path(key), 1, largest_size);
    }
}

/// The varied quantities must have been read: the points of a grid are its size.
void read_ensemble(const json& value, EnsembleRequest& request, Given& given) {
    const JsonSection section(value, "ensemble", {"size", "groups", "sampling", "seed", "scramble", "table"});
    if (const json* word = section.find("sampling")) {
        const std::vector<std::string_view> words(std::begin(sampling_words), std::end(sampling_words));
        request.sampling = static_cast<Sampling>(choice(*word, section.path("sampling"), words));
        given.sampling = true;
    }
    if (const json* groups = section.find("groups")) read_groups(*groups, section.path("groups"), request);
    if (request.sampling == Sampling::grid) request.size = std::clamp<std::int64_t>(grid_size(request), 1, largest_size);
    if (request.groups.count > 0) {
        if (request.groups.members_each > largest_size / request.groups.count)
            throw InputError("ensemble.groups: " + std::to_string(request.groups.count) + " groups of " +
                             std::to_string(request.groups.members_each) + " members are more than " + std::to_string(largest_size) +
                             " members in all");
        request.size = request.groups.count * request.groups.members_each;
        given.size = true;
    }
    if (const json* size = section.find("size")) {
        request.size = whole(*size, section.path("size"), 1, largest_size);
        given.size = true;
    }
    if (const json* seed = section.find("seed"); seed != nullptr && !seed->is_null()) {
        request.seed = seed_number(*seed, section.path("seed"));
        request.seed_given = true;
    }
    section.set("scramble", request.scramble, boolean);
    if (const json* table = section.find("table"); table != nullptr && !table->is_null())
        request.table_file = text(*table, section.path("table"));
}

std::string read_method(const json& value, const std::string& path) {
    std::vector<std::string_view> words{"auto"};
    for (const MethodInfo& method : methods) words.push_back(method.name);
    return std::string(words[choice(value, path, words)]);
}

std::string read_device(const json& value, const std::string& path) {
    if (value.is_string() && value.get_ref<const std::string&>().starts_with("cuda"))
        throw InputError(path + ": " + shown(value) + " can't be used: this build has no GPU engine; use \"auto\" or \"cpu\"");
    const std::vector<std::string_view> words(std::begin(devices), std::end(devices));
    return std::string(words[choice(value, path, words)]);
}

std::optional<double> optional_real(const json& value, const std::string& path) {
    if (value.is_null()) return std::nullopt;
    return real(value, path);
}

void read_atol(const json& value, const std::string& path, const ModelDescription& model, std::vector<double>& atol) {
    if (value.is_number()) {
        std::fill(atol.begin(), atol.end(), value.get<double>());
        return;
    }
    if (!value.is_object()) refuse(path, value, "a number, or an object with numbers by state");
    const JsonSection section(value, path, names_of(model.states), "state of the model " + in_quotes(model.info.name));
    for (std::size_t d = 0; d < atol.size(); ++d) section.set(model.states[d].name, atol[d], real);
}

void read_solver(const json& value, const ModelDescription& model, SolverRequest& solver) {
    const JsonSection section(value, "solver", {"method", "rtol", "atol", "max_steps", "max_step", "first_step", "threads", "device"});
    section.set("method", solver.method, read_method);
    section.set("rtol", solver.rtol, real);
    if (const json* atol = section.find("atol")) read_atol(*atol, section.path("atol"), model, solver.atol);
    section.set("max_steps", solver.max_steps,
                [](const json& n, const std::string& path) { return whole(n, path, 1, largest_step_limit); });
    section.set("max_step", solver.max_step, optional_real);
    section.set("first_step", solver.first_step, optional_real);
    section.set("threads", solver.threads,
                [](const json& n, const std::string& path) { return static_cast<int>(whole(n, path, 0, largest_thread_count)); });
    section.set("device", solver.device, read_device);
}

void read_output(const json& value, OutputRequest& output) {
    const JsonSection section(value, "output", {"file", "states", "observables", "statistics", "every", "precision", "compression"});
    section.set("file", output.file, text);
    section.set("states", output.states, boolean);
    section.set("observables", output.observables, boolean);
    section.set("statistics", output.statistics, boolean);
    section.set("every", output.every, [](const json& n, const std::string& path) { return whole(n, path, 1, largest_row_count); });
    section.set("precision", output.precision, [](const json& word, const std::string& path) {
        return static_cast<OutputRequest::Precision>(choice(word, path, {"float64", "float32"}));
    });
    section.set("compression", output.compression, [](const json& word, const std::string& path) {
        return static_cast<OutputRequest::Compression>(choice(word, path, {"auto", "none", "gzip"}));
    });
}

void check_version(const json& scenario) {
    const auto version = scenario.find("gradscape");
    if (version == scenario.end()) return;
    if (version->is_number() && version->get<double>() > static_cast<double>(format_version))
        throw InputError("gradscape: " + shown(*version) + " is a newer version of the scenario format than this program reads, which is " +
                         std::to_string(format_version) + "; use a newer program");
    whole(*version, "gradscape", format_version, format_version);
}

const ModelDescription& find_description(const json& scenario, const ModelNames& models) {
    const std::vector<std::string_view> names(models.all.begin(), models.all.end());
    const auto value = scenario.find("model");
    if (value == scenario.end()) throw InputError("model: is missing; name one of " + listed(names));
    const std::string name = text(*value, "model");
    const ModelDescription* const model = models.find ? models.find(name) : nullptr;
    if (model == nullptr)
        throw InputError("model: there is no model " + in_quotes(name) +
                         (names.empty() ? "" : "; the nearest is " + in_quotes(nearest_name(name, names)) + ", all are " + listed(names)));
    return *model;
}

bool is_hdf5(const std::filesystem::path& file) {
    constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
    char head[8] = {};
    std::ifstream(file, std::ios::binary).read(head, sizeof head);
    return std::string_view(head, sizeof head) == signature;
}

/// What a result file of ours holds beside the draws, so that the draws of one run can be the table of another.
void drop_results(SampleTable& table, const ModelDescription& model) {
    static const std::set<std::string_view> results{"member",     "group",    "row",        "quantile",   "error_level", "sample",
                                                    "status",     "span_start", "span_end", "stopped_at", "n_accepted",  "n_rejected"};
    SampleTable kept;
    for (std::size_t c = 0; c < table.names.size(); ++c) {
        if (results.contains(table.names[c]) || table.names[c] == model.info.independent.name) continue;
        if (model.draws_start() && table.names[c] == "start") continue;  // said by the draw
        kept.names.push_back(std::move(table.names[c]));
        kept.columns.push_back(std::move(table.columns[c]));
    }
    table = std::move(kept);
}

/// Reads the table and marks what it gives.
void read_table(EnsembleRequest& request, const ModelDescription& model, const std::filesystem::path& folder,
                const TableReader& read_hdf5_table, const Given& given) {
    const std::filesystem::path file = folder / request.table_file;
    request.table_file = file.string();
    try {
        if (is_hdf5(file)) {
            if (!read_hdf5_table) throw InputError(one_line(file.string()) + ": HDF5 tables can't be read here; give a CSV file");
            request.table = read_hdf5_table(file);
            drop_results(request.table, model);
        } else {
            request.table = read_csv_table(file);
        }
    } catch (const std::runtime_error& error) {
        throw InputError(std::string("ensemble.table: ") + error.what());
    }
    using Kind = VariedQuantity::Kind;
    for (const std::string& name : request.table.names) {
        const auto quantity = column_quantity(model, name);
        if (!quantity) continue;  // validate() says what there is
        const auto index = static_cast<std::size_t>(quantity->index);
        if (quantity->kind == Kind::parameter && !given.parameters[index]) request.parameters[index] = {.kind = Draw::Kind::table};
        if (quantity->kind == Kind::initial_state && !given.initial_state[index])
            request.initial_state[index] = {.kind = Draw::Kind::table};
        if (quantity->kind == Kind::draw && !given.draws[index]) request.draws[index] = {.kind = Draw::Kind::table};
    }
}

/// An end of the span is said once: here, in the table, or by the model.
void check_span_end(const std::string& key, Given::End given, const EnsembleRequest& request, const ModelDescription& model) {
    if (key == "start" && model.draws_start()) {
        const std::string draw = model.draws[static_cast<std::size_t>(model.start_draw)].name;
        if (given == Given::End::number || given == Given::End::table)
            throw InputError("span.start: the model " + in_quotes(model.info.name) + " draws each member's start, " + in_quotes(draw) +
                             "; leave it out, or give draws." + draw);
        return;
    }
    if (given == Given::End::model)
        throw InputError("span." + key + ": the model " + in_quotes(model.info.name) + " doesn't draw it; give a number");
    const std::vector<std::string>& names = request.table.names;
    const bool column = std::find(names.begin(), names.end(), key) != names.end();
    if (column && given == Given::End::number)
        throw InputError("span." + key + ": is given here and in the table " + one_line(request.table_file) + "; leave out one of the two");
    if (!column && given == Given::End::table) throw InputError("span." + key + ": no table has a column " + in_quotes(key));
}

bool draws_anything(const EnsembleRequest& request) {
    const auto drawn = [](const Draw& draw) { return draw.varied() && draw.kind != Draw::Kind::table; };
    return std::any_of(request.parameters.begin(), request.parameters.end(), drawn) ||
           std::any_of(request.initial_state.begin(), request.initial_state.end(), drawn);
}

}  // namespace

EnsembleRequest default_request(const ModelDescription& model) {
    EnsembleRequest request;
    request.model = model.info.name;
    for (const ParameterInfo& parameter : model.parameters) request.parameters.push_back({.value = parameter.default_value});
    for (const StateInfo& state : model.states) {
        const bool computed = std::isnan(state.default_value);
        request.initial_state.push_back(
            {.kind = computed ? Draw::Kind::from_model : Draw::Kind::fixed, .value = computed ? 0 : state.default_value});
        request.solver.atol.push_back(state.atol);
    }
    request.draws.assign(model.draws.size(), {.kind = Draw::Kind::from_model});
    request.span.model_start = model.draws_start();
    request.span.start = model.info.independent.default_start;
    request.span.end = model.info.independent.default_end;
    request.span.count = model.info.independent.default_save;
    request.solver.rtol = model.info.rtol;
    return request;
}

EnsembleRequest parse_scenario(std::string_view text_of_scenario, const ModelNames& models, const std::filesystem::path& folder,
                               const TableReader& read_hdf5_table) {
    const json scenario = parse_strict_json(text_of_scenario);
    if (!scenario.is_object()) refuse("the scenario", scenario, "an object {...}");
    check_version(scenario);
    const JsonSection top(scenario, "",
                      {"gradscape", "model", "parameters", "initial_state", "draws", "span", "ensemble", "solver", "accuracy", "output",
                       "window"});
    const ModelDescription& model = find_description(scenario, models);
    const std::string of_model = " of the model " + in_quotes(model.info.name);

    EnsembleRequest request = default_request(model);
    Given given{std::vector<bool>(request.parameters.size()), std::vector<bool>(request.initial_state.size()),
                std::vector<bool>(request.draws.size())};
    if (const json* value = top.find("parameters"))
        read_draws(*value, "parameters", model.parameters, "parameter" + of_model, request.parameters, given.parameters);
    if (const json* value = top.find("initial_state"))
        read_draws(*value, "initial_state", model.states, "state" + of_model, request.initial_state, given.initial_state);
    if (const json* value = top.find("draws")) read_own_draws(*value, model, of_model, request, given);
    if (const json* value = top.find("span")) read_span(*value, model.info.independent.alias, request.span, given);
    if (const json* value = top.find("ensemble")) read_ensemble(*value, request, given);
    if (const json* value = top.find("solver")) read_solver(*value, model, request.solver);
    if (const json* value = top.find("accuracy"))
        JsonSection(*value, "accuracy", {"subsample"})
            .set("subsample", request.accuracy_subsample,
                 [](const json& n, const std::string& path) { return static_cast<int>(whole(n, path, 0, largest_subsample)); });
    if (const json* value = top.find("output")) read_output(*value, request.output);
    if (const json* value = top.find("window"); value != nullptr && !value->is_null()) {
        if (!value->is_object()) refuse("window", *value, "an object {...}");
        request.window = value->dump();
    }
    if (!request.table_file.empty()) {
        read_table(request, model, folder, read_hdf5_table, given);
        if (!given.size) request.size = request.table.size();
        if (!given.sampling) request.sampling = draws_anything(request) ? Sampling::random : Sampling::table;
    }
    check_span_end("start", given.start, request, model);
    check_span_end("end", given.end, request, model);
    validate(request, model);
    return request;
}

EnsembleRequest read_scenario(const std::filesystem::path& file, const ModelNames& models, const TableReader& read_hdf5_table) {
    const std::string text_of_scenario = read_text_file(file, largest_scenario);
    try {
        return parse_scenario(text_of_scenario, models, file.parent_path(), read_hdf5_table);
    } catch (const InputError& error) {
        throw InputError(one_line(file.string()) + ": " + error.what());
    }
}

}  // namespace gradscape
