// The list of built-in models, generated from models/CMakeLists.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/kernels.hpp"

namespace gradscape {

std::span<const Model> catalogue();
const Model* find_model(std::string_view name);   ///< nullptr when there is none
std::vector<std::string> model_names();

}  // namespace gradscape
