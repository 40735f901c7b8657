// The vocabulary of the number type `double`: what models, stepper and controller call unqualified. A pack of SIMD lanes
// (engine/cpu/pack.hpp) offers the same names. Comparisons of doubles give bool, those of packs a mask; both work with `select`.
#pragma once

#include "engine/host_device.hpp"

#if !defined(__CUDACC_RTC__)
#include <cmath>
#endif

namespace gradscape {

#if defined(__CUDACC_RTC__)
using ::acos, ::asin, ::atan, ::atan2, ::cos, ::cosh, ::exp, ::expm1, ::fma, ::log, ::log1p, ::pow, ::sin, ::sinh, ::sqrt, ::tan, ::tanh;
#else
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::expm1, std::fma, std::log, std::log1p,
    std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
#endif

HOST_DEVICE constexpr double select(bool mask, double a, double b) { return mask ? a : b; }
HOST_DEVICE constexpr bool any_of(bool mask) { return mask; }
HOST_DEVICE inline double abs(double x) { return x < 0 ? -x : x == 0 ? 0.0 : x; }
/// As the processor's min and max: the second operand where either is NaN.
HOST_DEVICE constexpr double min(double a, double b) { return a < b ? a : b; }
HOST_DEVICE constexpr double max(double a, double b) { return a > b ? a : b; }

}  // namespace gradscape
