// The engine's own code per instruction set, and the choice among them at run time.
#pragma once

#include <array>
#include <span>

#include "engine/cpu/lane_job.hpp"
#include "engine/kernels.hpp"

namespace gradscape {

/// What is compiled once per instruction set and serves every model.
struct CpuCode {
    InstructionSet set;
    int lanes;                                         ///< of one pack
    std::array<SolveLanes, methods.size()> solve;      ///< indexed as `methods`; the dimension is known at run time
    void (*evaluate)(const void* functions, PointFunction function, const PointBlock& block);
};

/// Those that were built, in the order of InstructionSet.
std::span<const CpuCode* const> cpu_codes();

/// Whether this processor can run the set.
bool supported(InstructionSet set);

/// The best set that was built and that the processor has; GRADSCAPE_INSTRUCTION_SET in the environment names another one.
InstructionSet best_instruction_set();

/// Throws std::invalid_argument when the set wasn't built or the processor lacks it.
const CpuCode& cpu_code(InstructionSet set);

/// Zeroes the upper halves of the vector registers. A thread inherits them from its parent, and where some library left them in use, SSE
/// code that calls the C library's AVX functions runs fifty times slower.
void clear_upper_halves();

}  // namespace gradscape
