// A model's functions for the instruction set of the including file; see add_models in cmake/instruction_sets.cmake.
#pragma once

#include "engine/cpu/number_type.hpp"
#include "engine/cpu/solve_lanes.hpp"
#include "engine/kernels.hpp"

namespace gradscape {

template <class Model, class T>
inline constexpr ModelFunctions<T> model_functions = functions_of<Model, T>();

template <class Model>
consteval Kernels kernels() {
    Kernels kernels{InstructionSet::GRADSCAPE_SET, &model_functions<Model, Number>};
    if constexpr (HasGuide<Model>) kernels.guide = &model_functions<typename Model::Guide, Number>;
    return kernels;
}

template <class Model, class T>
consteval std::array<SolveLanes, methods.size()> inlined_solves() {
    return {solve_lanes<Tsit5, T, InlinedSystem<Model, T>>, solve_lanes<Vern7, T, InlinedSystem<Model, T>>};
}

/// With the whole solve compiled for the model too.
template <class Model>
consteval Kernels kernels_inlined() {
    Kernels inlined = kernels<Model>();
    inlined.inlined = inlined_solves<Model, Number>();
    if constexpr (HasGuide<Model>) inlined.inlined_guide = inlined_solves<typename Model::Guide, Number>();
    return inlined;
}

}  // namespace gradscape
