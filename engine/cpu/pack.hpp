// A pack of SIMD lanes as a number type: two registers side by side, because the chain of dependent operations in one step is too
// short to keep the processor busy with one. Every operation acts on each lane by itself: a lane's bits never depend on its neighbours.
// The architecture is part of the type, so that code compiled for one instruction set never replaces another's at link time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#include "engine/real.hpp"

namespace gradscape {

/// One register, or two side by side; named, not an array: g++ keeps these in registers.
template <class Register, int count>
struct Registers {
    static_assert(count == 2);
    Register low, high;
};
template <class Register>
struct Registers<Register, 1> {
    Register low;
};

template <class Arch, int registers = 2>
struct Mask : Registers<xsimd::batch_bool<double, Arch>, registers> {
    using Register = xsimd::batch_bool<double, Arch>;

    template <class Operation, class... Masks>
    [[gnu::always_inline]] static Mask each(Operation operation, const Masks&... masks) {
        if constexpr (registers == 1)
            return {{operation(masks.low...)}};
        else
            return {{operation(masks.low...), operation(masks.high...)}};
    }
    [[gnu::always_inline]] friend Mask both(const Mask& a, const Mask& b) { return each([](auto x, auto y) { return x & y; }, a, b); }
    [[gnu::always_inline]] friend Mask either(const Mask& a, const Mask& b) { return each([](auto x, auto y) { return x | y; }, a, b); }
    [[gnu::always_inline]] friend Mask operator!(const Mask& a) { return each([](auto x) { return ~x; }, a); }
    [[gnu::always_inline]] friend bool any_of(const Mask& a) {
        if constexpr (registers == 1)
            return any_register(a.low, a.low);
        else
            return any_register(a.low, a.high);
    }
    [[gnu::always_inline]] friend bool all_of(const Mask& a) {
        if constexpr (registers == 1)
            return all_register(a.low, a.low);
        else
            return all_register(a.low, a.low) && all_register(a.high, a.high);
    }
    /// Bit i is lane i.
    [[gnu::always_inline]] std::uint32_t bits() const {
        if constexpr (registers == 1)
            return register_bits(this->low);
        else
            return register_bits(this->low) | register_bits(this->high) << static_cast<int>(Register::size);
    }

private:
    static bool all_register(const Register& a, const Register& b) {
#if defined(__AVX512F__)
        return _kortestc_mask8_u8(a, b);
#else
        return xsimd::all(a & b);
#endif
    }
    static bool any_register(const Register& a, const Register& b) {
#if defined(__AVX512F__)
        return !_kortestz_mask8_u8(a, b);
#else
        return xsimd::any(a | b);
#endif
    }
    static std::uint32_t register_bits(const Register& a) {
#if defined(__AVX512F__)
        // g++ 12 may spill the 8 bits of a mask and reload 32: the instruction itself takes the lowest 8 alone.
        std::uint32_t bits;
        asm("kmovb %1, %0" : "=r"(bits) : "k"(a.data));
        return bits;
#elif defined(__AVX2__)
        return static_cast<std::uint32_t>(_mm256_movemask_pd(a));
#else
        return static_cast<std::uint32_t>(_mm_movemask_pd(a));
#endif
    }
};

template <class Arch, int registers = 2>
struct Pack : Registers<xsimd::batch<double, Arch>, registers> {
    using Register = xsimd::batch<double, Arch>;
    using MaskType = Mask<Arch, registers>;
    using Part = Pack<Arch, 1>;
    static constexpr int register_lanes = static_cast<int>(Register::size);
    static constexpr int lanes = registers * register_lanes;

    Pack() = default;
    [[gnu::always_inline]] explicit Pack(double x) : Pack(each([x] { return Register(x); })) {}
    [[gnu::always_inline]] explicit Pack(const Registers<Register, registers>& all) : Registers<Register, registers>(all) {}

    static Pack load(const double* from) {
        if constexpr (registers == 1)
            return Pack({Register::load_unaligned(from)});
        else
            return Pack({Register::load_unaligned(from), Register::load_unaligned(from + register_lanes)});
    }
    void store(double* to) const {
        this->low.store_unaligned(to);
        if constexpr (registers == 2) this->high.store_unaligned(to + register_lanes);
    }

    template <class Operation, class... Packs>
    [[gnu::always_inline]] static Pack each(Operation operation, const Packs&... packs) {
        if constexpr (registers == 1)
            return Pack({operation(packs.low...)});
        else
            return Pack({operation(packs.low...), operation(packs.high...)});
    }
    template <class Operation>
    [[gnu::always_inline]] static MaskType compare(Operation operation, const Pack& a, const Pack& b) {
        if constexpr (registers == 1)
            return {{operation(a.low, b.low)}};
        else
            return {{operation(a.low, b.low), operation(a.high, b.high)}};
    }

    [[gnu::always_inline]] friend Pack operator+(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x + y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator-(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x - y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator*(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x * y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator/(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x / y; }, a, b); }
    /// The compiler's own negation, which folds into fused products. (xsimd's is 0 - x on AVX-512: +0 for +0.)
    [[gnu::always_inline]] friend Pack operator-(const Pack& a) {
        return each([](auto x) { return Register(-static_cast<typename Register::register_type>(x)); }, a);
    }
    [[gnu::always_inline]] friend MaskType operator<(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x < y; }, a, b);
    }
    [[gnu::always_inline]] friend MaskType operator<=(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x <= y; }, a, b);
    }
    [[gnu::always_inline]] friend MaskType operator>(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x > y; }, a, b);
    }
    [[gnu::always_inline]] friend MaskType operator>=(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x >= y; }, a, b);
    }
    [[gnu::always_inline]] friend MaskType operator==(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x == y; }, a, b);
    }
    [[gnu::always_inline]] friend MaskType operator!=(const Pack& a, const Pack& b) {
        return compare([](auto x, auto y) { return x != y; }, a, b);
    }

    [[gnu::always_inline]] friend Pack select(const MaskType& mask, const Pack& a, const Pack& b) {
        return each([](auto m, auto x, auto y) { return xsimd::select(m, x, y); }, mask, a, b);
    }
    [[gnu::always_inline]] friend Pack min(const Pack& a, const Pack& b) {
        return each([](auto x, auto y) { return xsimd::min(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack max(const Pack& a, const Pack& b) {
        return each([](auto x, auto y) { return xsimd::max(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack max_abs(const Pack& a, const Pack& b) {
        return each(
            [](auto x, auto y) {
#if defined(__AVX512F__)
                return Register(_mm512_range_pd(x, y, 0x0b));  // larger magnitude, sign cleared
#else
                return xsimd::max(xsimd::abs(x), xsimd::abs(y));
#endif
            },
            a, b);
    }
    [[gnu::always_inline]] friend Pack abs(const Pack& a) { return each([](auto x) { return xsimd::abs(x); }, a); }
    [[gnu::always_inline]] friend Pack sqrt(const Pack& a) { return each([](auto x) { return xsimd::sqrt(x); }, a); }

    /// a*b + c with one rounding where the instruction set has it. (xsimd's own fma is a product and a sum on AVX-512.)
    [[gnu::always_inline]] friend Pack fma(const Pack& a, const Pack& b, const Pack& c) {
        return each([](auto x, auto y, auto z) { return fused(x, y, z); }, a, b, c);
    }

    [[gnu::always_inline]] friend Pack exp(const Pack& a) { return each([](auto x) { return xsimd::exp(x); }, a); }
    [[gnu::always_inline]] friend Pack expm1(const Pack& a) { return each([](auto x) { return xsimd::expm1(x); }, a); }
    [[gnu::always_inline]] friend Pack log(const Pack& a) { return each([](auto x) { return xsimd::log(x); }, a); }
    [[gnu::always_inline]] friend Pack log1p(const Pack& a) { return each([](auto x) { return xsimd::log1p(x); }, a); }
    [[gnu::always_inline]] friend Pack pow(const Pack& a, const Pack& b) {  // xsimd's pow(0, 0) is 0
        return each([](auto x, auto y) { return xsimd::select(y == Register(0.0), Register(1.0), xsimd::pow(x, y)); }, a, b);
    }
    [[gnu::always_inline]] friend Pack tanh(const Pack& a) { return each([](auto x) { return xsimd::tanh(x); }, a); }
    [[gnu::always_inline]] friend Pack sinh(const Pack& a) { return each([](auto x) { return xsimd::sinh(x); }, a); }
    [[gnu::always_inline]] friend Pack cosh(const Pack& a) { return each([](auto x) { return xsimd::cosh(x); }, a); }
    [[gnu::always_inline]] friend Pack asin(const Pack& a) { return each([](auto x) { return xsimd::asin(x); }, a); }
    [[gnu::always_inline]] friend Pack acos(const Pack& a) { return each([](auto x) { return xsimd::acos(x); }, a); }
    [[gnu::always_inline]] friend Pack atan(const Pack& a) { return each([](auto x) { return xsimd::atan(x); }, a); }
    [[gnu::always_inline]] friend Pack atan2(const Pack& a, const Pack& b) {  // xsimd's atan2(0, 0) is NaN: there ±1 takes x's place
        return each(
            [](auto y, auto x) {
                const auto origin = (y == Register(0.0)) & (x == Register(0.0));
                return xsimd::atan2(y, xsimd::select(origin, x | Register(1.0), x));
            },
            a, b);
    }
    friend Pack sin(const Pack& a) {
        return reduced(a, [](auto x) { return xsimd::sin(x); }, [](double x) { return std::sin(x); });
    }
    friend Pack cos(const Pack& a) {
        return reduced(a, [](auto x) { return xsimd::cos(x); }, [](double x) { return std::cos(x); });
    }
    friend Pack tan(const Pack& a) {
        return reduced(a, [](auto x) { return xsimd::tan(x); }, [](double x) { return std::tan(x); });
    }

    // Exponent and mantissa as in engine/real.hpp. A whole number below 2^52 becomes a double by writing it under the exponent of 2^52.
    [[gnu::always_inline]] friend Pack exponent_of(const Pack& a) {
        return each(
            [](auto x) {
#if defined(__AVX512F__)
                return Register(_mm512_getexp_pd(x));
#else
                const Bits biased = (xsimd::bitwise_cast<Bits>(x) >> 52) | Bits(0x4330000000000000);
                return xsimd::bitwise_cast<Register>(biased) - Register(4503599627370496.0 + 1023);
#endif
            },
            a);
    }
    [[gnu::always_inline]] friend Pack mantissa_of(const Pack& a) {
        return each(
            [](auto x) {
                const Bits bits = xsimd::bitwise_cast<Bits>(x), fraction(0x000fffffffffffff), one(0x3ff0000000000000);
#if defined(__AVX512F__)
                return xsimd::bitwise_cast<Register>(Bits(_mm512_ternarylogic_epi64(bits, fraction, one, 0xea)));  // (a & b) | c
#else
                return xsimd::bitwise_cast<Register>((bits & fraction) | one);
#endif
            },
            a);
    }
    [[gnu::always_inline]] friend Pack power_of_two(const Pack& a) {
        return each([](auto x) { return xsimd::bitwise_cast<Register>(xsimd::bitwise_cast<Bits>(x) << 52); }, a);
    }
    [[gnu::always_inline]] friend Pack reciprocal_guess(const Pack& a) {
        return each([](auto x) { return xsimd::bitwise_cast<Register>(Bits(0x7fde623822835eea) - xsimd::bitwise_cast<Bits>(x)); }, a);
    }

private:
    using Bits = xsimd::batch<std::int64_t, Arch>;

    static Register fused(const Register& a, const Register& b, const Register& c) {
#if defined(__AVX512F__)
        return Register(_mm512_fmadd_pd(a, b, c));
#elif defined(__FMA__)
        return Register(_mm256_fmadd_pd(a, b, c));
#else
        return a * b + c;
#endif
    }

    /// xsimd's range reduction takes one route for a whole register, chosen by its largest lane. So the lanes of each route are computed
    /// with the others replaced by a value of that route, and those beyond all routes (NaN included) singly.
    template <class Packed, class Single>
    static Pack reduced(const Pack& a, Packed packed, Single single) {
        return each([&](const Register& x) { return reduced_register(x, packed, single); }, a);
    }
    template <class Packed, class Single>
    static Register reduced_register(const Register& x, Packed packed, Single single) {
        constexpr double short_route = 62.83185307179586;  // xsimd's `twentypi`
        constexpr double long_route = 823549.66;           // just below xsimd's `mediumpi`
        const Register size = xsimd::abs(x);
        const auto near = size <= Register(short_route);
        Register result = packed(xsimd::select(near, x, Register(0.0)));
        if (xsimd::all(near)) return result;
        const auto middle = (size > Register(short_route)) & (size <= Register(long_route));
        result = xsimd::select(middle, packed(xsimd::select(middle, x, Register(100.0))), result);
        if (xsimd::all(near | middle)) return result;
        double argument[Register::size], value[Register::size];
        x.store_unaligned(argument);
        result.store_unaligned(value);
        for (std::size_t lane = 0; lane < Register::size; ++lane)
            if (!(argument[lane] <= long_route && argument[lane] >= -long_route)) value[lane] = single(argument[lane]);
        return Register::load_unaligned(value);
    }
};

/// Lanes of a number type; the mask of its comparisons.
template <class T>
struct LaneTraits {
    static constexpr int lanes = T::lanes;
    using MaskType = typename T::MaskType;
    using Part = typename T::Part;  ///< one register of it
    static T load(const double* from) { return T::load(from); }
    static void store(const T& x, double* to) { x.store(to); }
    static std::uint32_t bits(const MaskType& mask) { return mask.bits(); }
    /// The mask of one lane.
    static MaskType only(int lane) {
        alignas(64) static constexpr double numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        return T::load(numbers) == T(lane);
    }
};
template <>
struct LaneTraits<double> {
    static constexpr int lanes = 1;
    using MaskType = bool;
    using Part = double;
    static double load(const double* from) { return *from; }
    static void store(double x, double* to) { *to = x; }
    static std::uint32_t bits(bool mask) { return mask ? 1u : 0u; }
    static bool only(int) { return true; }
};

}  // namespace gradscape
