// The loop over lanes for every method and any model, compiled once per instruction set.
#include "engine/cpu/solve_lanes.hpp"

#include "engine/cpu/evaluate_points.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/cpu/number_type.hpp"

namespace gradscape {

extern const CpuCode GRADSCAPE_NAME(cpu_code);
const CpuCode GRADSCAPE_NAME(cpu_code) = {
    InstructionSet::GRADSCAPE_SET,
    LaneTraits<Number>::lanes,
    {solve_lanes<Tsit5, Number, TableSystem<Number>>, solve_lanes<Vern7, Number, TableSystem<Number>>},
    evaluate_points<Number>,
};

}  // namespace gradscape
