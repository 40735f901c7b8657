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
HOST_DEVICE inline double abs(double x) { return ::fabs(x); }
#else
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::expm1, std::fma, std::log, std::log1p,
    std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
HOST_DEVICE constexpr double abs(double x) { return __builtin_fabs(x); }
#endif

HOST_DEVICE constexpr double select(bool mask, double a, double b) { return mask ? a : b; }
HOST_DEVICE constexpr bool any_of(bool mask) { return mask; }
HOST_DEVICE constexpr bool all_of(bool mask) { return mask; }
/// The logic of masks; `&` of two bools would be an int.
HOST_DEVICE constexpr bool both(bool a, bool b) { return a && b; }
HOST_DEVICE constexpr bool either(bool a, bool b) { return a || b; }
/// As the processor's min and max: the second operand where either is NaN.
HOST_DEVICE constexpr double min(double a, double b) { return a < b ? a : b; }
HOST_DEVICE constexpr double max(double a, double b) { return a > b ? a : b; }
/// The larger of |a| and |b|; which one where either is NaN is left open.
HOST_DEVICE constexpr double max_abs(double a, double b) { return max(abs(a), abs(b)); }

// Exponent and mantissa of a positive normal number: x = mantissa * 2^exponent with 1 <= mantissa < 2.
HOST_DEVICE constexpr double exponent_of(double x) {
    return static_cast<double>((__builtin_bit_cast(unsigned long long, x) >> 52) & 0x7ffu) - 1023;
}
HOST_DEVICE constexpr double mantissa_of(double x) {
    return __builtin_bit_cast(double, (__builtin_bit_cast(unsigned long long, x) & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
}
/// 2^n for a whole n within -1022..1023, given as n + power_shift: the sum's last bits are the exponent field.
inline constexpr double power_shift = 6755399441055744.0 + 1023;  // 1.5 * 2^52 + 1023
HOST_DEVICE constexpr double power_of_two(double shifted_n) {
    return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, shifted_n) << 52);
}
/// 1/x within 5.1 %, by negating the exponent: the start of Newton's iteration.
HOST_DEVICE constexpr double reciprocal_guess(double x) {
    return __builtin_bit_cast(double, 0x7fde623822835eeaull - __builtin_bit_cast(unsigned long long, x));
}
}  // namespace gradscape
