// What users write, over the built-in models: scenarios with the command line's values in them, and names of models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/command_line.hpp"
#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// parse_scenario (engine/scenario.hpp) of `json` with the overrides in it; they are there before the scenario is checked. Throws
/// InputError, or UsageError that names the option when its value is what is wrong.
EnsembleRequest overridden_scenario(std::string_view json, const Overrides& overrides, const std::filesystem::path& folder);

/// The model that --describe names. Throws UsageError with the nearest name.
const ModelDescription& described_model(const std::string& name);

}  // namespace gradscape
