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
    return {InstructionSet::GRADSCAPE_SET, &model_functions<Model, Number>, {}};
}

/// With the whole solve compiled for the model too.
template <class Model>
consteval Kernels kernels_inlined() {
    return {InstructionSet::GRADSCAPE_SET,
            &model_functions<Model, Number>,
            {solve_lanes<Tsit5, Number, InlinedSystem<Model, Number>>, solve_lanes<Vern7, Number, InlinedSystem<Model, Number>>}};
}

}  // namespace gradscape
