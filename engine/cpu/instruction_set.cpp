#include "engine/cpu/instruction_set.hpp"

#include <immintrin.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "engine/cpu/built_sets.hpp"

namespace gradscape {
namespace {
[[gnu::target("avx")]] void zero_upper() { _mm256_zeroupper(); }
}  // namespace

std::span<const CpuCode* const> cpu_codes() { return built_cpu_codes; }

bool supported(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
        case InstructionSet::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        case InstructionSet::baseline:
        case InstructionSet::scalar: return true;
    }
    return false;
}

InstructionSet best_instruction_set() {
    if (const char* wanted = std::getenv("GRADSCAPE_INSTRUCTION_SET"); wanted != nullptr && *wanted != '\0') {
        for (const CpuCode* code : cpu_codes())
            if (name(code->set) == wanted && supported(code->set)) return code->set;
        throw std::invalid_argument("GRADSCAPE_INSTRUCTION_SET: `" + std::string(wanted) +
                                    "` is not an instruction set that this build and this processor have");
    }
    InstructionSet best = InstructionSet::baseline;
    for (const CpuCode* code : cpu_codes())
        if (supported(code->set)) best = std::max(best, code->set);
    return best;
}

const CpuCode& cpu_code(InstructionSet set) {
    for (const CpuCode* code : cpu_codes())
        if (code->set == set && supported(set)) return *code;
    throw std::invalid_argument("the instruction set " + std::string(name(set)) + " is not in this build or not in this processor");
}

void clear_upper_halves() {
    if (__builtin_cpu_supports("avx")) zero_upper();
}

}  // namespace gradscape
