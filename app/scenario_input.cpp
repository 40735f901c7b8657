#include "app/scenario_input.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/export/hdf5_reader.hpp"
#include "engine/scenario.hpp"
#include "engine/strict_json.hpp"
#include "models/catalogue.hpp"

namespace gradscape {
namespace {

using nlohmann::json;

struct OptionKey {
    const char *option, *section, *key;
};

ModelNames known_models() {
    return {[](std::string_view name) {
                const Model* model = find_model(name);
                return model != nullptr ? &model->description : nullptr;
            },
            model_names()};
}

/// Writes the overrides into the scenario and returns the keys written.
std::vector<OptionKey> write_overrides(const Overrides& overrides, json& scenario) {
    std::vector<OptionKey> written;
    const auto write = [&](const OptionKey& place, const auto& value) {
        if (!value) return;
        scenario[place.section][place.key] = *value;
        written.push_back(place);
    };
    write({"--size", "ensemble", "size"}, overrides.size);
    write({"--seed", "ensemble", "seed"}, overrides.seed);
    write({"--threads", "solver", "threads"}, overrides.threads);
    write({"--rtol", "solver", "rtol"}, overrides.rtol);
    write({"--atol", "solver", "atol"}, overrides.atol);
    write({"--method", "solver", "method"}, overrides.method);
    return written;
}

/// Whether the overrides can be written: otherwise the scenario's own reader says what is wrong with it.
bool has_sections(const json& scenario) {
    if (!scenario.is_object()) return false;
    for (const char* section : {"ensemble", "solver"})
        if (scenario.contains(section) && !scenario[section].is_object()) return false;
    return true;
}

/// Another size would change every member, which nobody means who asks for more of the same.
void check_size_of_latin_hypercube(const json& scenario, const Overrides& overrides) {
    if (!overrides.size || !scenario.contains("ensemble")) return;
    const json& ensemble = scenario["ensemble"];
    if (!ensemble.contains("sampling") || ensemble["sampling"] != "latin_hypercube") return;
    if (!ensemble.contains("size") || ensemble["size"] == *overrides.size) return;
    throw UsageError("--size: " + std::to_string(*overrides.size) + " members can't be made of a Latin hypercube of " +
                     ensemble["size"].dump() + "; its members belong to its size, so it can't be extended. Another ensemble.size in the "
                     "scenario makes another one, with other members");
}

}  // namespace

EnsembleRequest overridden_scenario(std::string_view text, const Overrides& overrides, const std::filesystem::path& folder) {
    json scenario = parse_strict_json(text);
    if (!has_sections(scenario)) return parse_scenario(text, known_models(), folder, read_hdf5_table);
    check_size_of_latin_hypercube(scenario, overrides);
    const std::vector<OptionKey> written = write_overrides(overrides, scenario);
    try {
        return parse_scenario(scenario.dump(), known_models(), folder, read_hdf5_table);
    } catch (const InputError& error) {
        const std::string_view message = error.what();
        for (const OptionKey& place : written) {
            const std::string path = std::string(place.section) + '.' + place.key;
            if (message.starts_with(path + ": ")) throw UsageError(place.option + std::string(message.substr(path.size())));
            if (message.find(path) != std::string_view::npos) throw UsageError(std::string(place.option) + ": " + std::string(message));
        }
        throw;
    }
}

const ModelDescription& described_model(const std::string& name) {
    try {
        return find_model(parse_scenario(json{{"gradscape", 1}, {"model", name}}.dump(-1, ' ', false, json::error_handler_t::replace),
                                         known_models())
                              .model)
            ->description;
    } catch (const InputError& error) {
        throw UsageError(std::string("--describe: ") + error.what());
    }
}

}  // namespace gradscape
