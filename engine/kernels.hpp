// A model as the engine runs it: its description, and its functions compiled once per instruction set.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "engine/methods/method_list.hpp"
#include "engine/model.hpp"

namespace gradscape {

enum class InstructionSet { scalar, baseline, avx2, avx512 };

inline constexpr std::string_view instruction_set_names[] = {"scalar", "baseline", "avx2", "avx512"};
constexpr std::string_view name(InstructionSet set) { return instruction_set_names[static_cast<int>(set)]; }

class LaneJob;

/// Integrates members until the job has none left: the loop over packs of one thread. `functions` is a ModelFunctions<T> of the
/// instruction set's number type T.
using SolveLanes = void (*)(const void* functions, LaneJob& job);

/// A model's functions for one instruction set, type-erased.
struct Kernels {
    InstructionSet set;
    const void* functions;      ///< ModelFunctions<T>
    /// Indexed as `methods`: the whole solve compiled for this model, a few small hot ones only; nullptr: the generic one runs.
    std::array<SolveLanes, methods.size()> inlined{};
    const void* guide = nullptr;  ///< likewise of the model's guide, where it has one
    std::array<SolveLanes, methods.size()> inlined_guide{};
};

struct Model {
    ModelDescription description;
    std::vector<Kernels> kernels;   ///< those that were built, in the order of InstructionSet
};

}  // namespace gradscape
