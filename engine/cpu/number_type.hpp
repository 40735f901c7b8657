// The number type of the instruction set that a file is compiled for: GRADSCAPE_SET and GRADSCAPE_SET_IS_<set> come from
// cmake/instruction_sets.cmake.
#pragma once

#include "engine/cpu/pack.hpp"

#define GRADSCAPE_JOIN_(a, b) a##_##b
#define GRADSCAPE_JOIN(a, b) GRADSCAPE_JOIN_(a, b)
/// A name with the instruction set appended.
#define GRADSCAPE_NAME(name) GRADSCAPE_JOIN(name, GRADSCAPE_SET)

namespace gradscape {
namespace {

#if defined(GRADSCAPE_SET_IS_scalar)
using Number = double;
#elif defined(__AVX512F__)
using Number = Pack<xsimd::avx512bw>;
#elif defined(__AVX2__)
using Number = Pack<xsimd::fma3<xsimd::avx2>>;
#else
using Number = Pack<xsimd::sse2>;
#endif

}  // namespace
}  // namespace gradscape
