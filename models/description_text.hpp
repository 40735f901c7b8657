// What a model says about itself, for people (aligned text, UTF-8) and for machines (JSON, keys sorted): `gradscape-run --describe` and
// `--list-models`.
#pragma once

#include <span>
#include <string>

#include "engine/kernels.hpp"

namespace gradscape {

std::string description_text(const ModelDescription& model);

/// One object. Infinite limits, and initial values that the model computes, are null.
std::string description_json(const ModelDescription& model);

/// One line per model: name and title.
std::string list_text(std::span<const Model> models);

/// An array of objects: name, title, group, summary.
std::string list_json(std::span<const Model> models);

}  // namespace gradscape
