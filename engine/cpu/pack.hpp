// A pack of SIMD lanes as a number type: several registers side by side, because the chain of dependent operations in one step is too
// short to keep the processor busy with one. Every operation acts on each lane by itself: a lane's bits never depend on its neighbours.
// The architecture is part of the type, so that code compiled for one instruction set never replaces another's at link time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#include "engine/real.hpp"

namespace gradscape {

template <class Arch, int registers>
struct Mask {
    using Register = xsimd::batch_bool<double, Arch>;
    Register r[registers];

    [[gnu::always_inline]] friend Mask both(const Mask& a, const Mask& b) {
        Mask c;
        for (int i = 0; i < registers; ++i) c.r[i] = a.r[i] & b.r[i];
        return c;
    }
    [[gnu::always_inline]] friend Mask either(const Mask& a, const Mask& b) {
        Mask c;
        for (int i = 0; i < registers; ++i) c.r[i] = a.r[i] | b.r[i];
        return c;
    }
    [[gnu::always_inline]] friend Mask operator!(const Mask& a) {
        Mask c;
        for (int i = 0; i < registers; ++i) c.r[i] = ~a.r[i];
        return c;
    }
    /// Bit i is lane i.
    std::uint32_t bits() const {
        std::uint32_t all = 0;
        for (int i = 0; i < registers; ++i) all |= register_bits(r[i]) << (i * static_cast<int>(Register::size));
        return all;
    }
    [[gnu::always_inline]] friend bool any_of(const Mask& a) {
        Register any = a.r[0];
        for (int i = 1; i < registers; ++i) any = any | a.r[i];
        return xsimd::any(any);
    }

private:
    static std::uint32_t register_bits(const Register& a) {
#if defined(__AVX512F__)
        return a.data;
#elif defined(__AVX2__)
        return static_cast<std::uint32_t>(_mm256_movemask_pd(a));
#else
        return static_cast<std::uint32_t>(_mm_movemask_pd(a));
#endif
    }
};

template <class Arch, int registers>
struct Pack {
    using Register = xsimd::batch<double, Arch>;
    using MaskType = Mask<Arch, registers>;
    static constexpr int lanes = registers * static_cast<int>(Register::size);
    Register r[registers];

    Pack() = default;
    explicit Pack(double x) {
        for (int i = 0; i < registers; ++i) r[i] = Register(x);
    }

    static Pack load(const double* from) {
        Pack a;
        for (int i = 0; i < registers; ++i) a.r[i] = Register::load_unaligned(from + i * Register::size);
        return a;
    }
    void store(double* to) const {
        for (int i = 0; i < registers; ++i) r[i].store_unaligned(to + i * Register::size);
    }

    template <class Operation, class... Packs>
    [[gnu::always_inline]] static Pack each(Operation operation, const Packs&... packs) {
        Pack c;
        for (int i = 0; i < registers; ++i) c.r[i] = operation(packs.r[i]...);
        return c;
    }
    template <class Operation>
    [[gnu::always_inline]] static MaskType compare(Operation operation, const Pack& a, const Pack& b) {
        MaskType c;
        for (int i = 0; i < registers; ++i) c.r[i] = operation(a.r[i], b.r[i]);
        return c;
    }

    [[gnu::always_inline]] friend Pack operator+(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x + y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator-(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x - y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator*(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x * y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator/(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return x / y; }, a, b); }
    [[gnu::always_inline]] friend Pack operator-(const Pack& a) { return each([](auto x) { return -x; }, a); }
    [[gnu::always_inline]] friend MaskType operator<(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x < y; }, a, b); }
    [[gnu::always_inline]] friend MaskType operator<=(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x <= y; }, a, b); }
    [[gnu::always_inline]] friend MaskType operator>(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x > y; }, a, b); }
    [[gnu::always_inline]] friend MaskType operator>=(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x >= y; }, a, b); }
    [[gnu::always_inline]] friend MaskType operator==(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x == y; }, a, b); }
    [[gnu::always_inline]] friend MaskType operator!=(const Pack& a, const Pack& b) { return compare([](auto x, auto y) { return x != y; }, a, b); }

    [[gnu::always_inline]] friend Pack select(const MaskType& mask, const Pack& a, const Pack& b) {
        Pack c;
        for (int i = 0; i < registers; ++i) c.r[i] = xsimd::select(mask.r[i], a.r[i], b.r[i]);
        return c;
    }
    [[gnu::always_inline]] friend Pack min(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return xsimd::min(x, y); }, a, b); }
    [[gnu::always_inline]] friend Pack max(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return xsimd::max(x, y); }, a, b); }
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
    [[gnu::always_inline]] friend Pack pow(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return xsimd::pow(x, y); }, a, b); }
    [[gnu::always_inline]] friend Pack tanh(const Pack& a) { return each([](auto x) { return xsimd::tanh(x); }, a); }
    [[gnu::always_inline]] friend Pack sinh(const Pack& a) { return each([](auto x) { return xsimd::sinh(x); }, a); }
    [[gnu::always_inline]] friend Pack cosh(const Pack& a) { return each([](auto x) { return xsimd::cosh(x); }, a); }
    [[gnu::always_inline]] friend Pack asin(const Pack& a) { return each([](auto x) { return xsimd::asin(x); }, a); }
    [[gnu::always_inline]] friend Pack acos(const Pack& a) { return each([](auto x) { return xsimd::acos(x); }, a); }
    [[gnu::always_inline]] friend Pack atan(const Pack& a) { return each([](auto x) { return xsimd::atan(x); }, a); }
    [[gnu::always_inline]] friend Pack atan2(const Pack& a, const Pack& b) { return each([](auto x, auto y) { return xsimd::atan2(x, y); }, a, b); }
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
                const Bits biased = (xsimd::bitwise_cast<Bits>(x) >> 52) | Bits(0x4330000000000000);
                return xsimd::bitwise_cast<Register>(biased) - Register(4503599627370496.0 + 1023);
            },
            a);
    }
    [[gnu::always_inline]] friend Pack mantissa_of(const Pack& a) {
        return each(
            [](auto x) {
                const Bits bits = (xsimd::bitwise_cast<Bits>(x) & Bits(0x000fffffffffffff)) | Bits(0x3ff0000000000000);
                return xsimd::bitwise_cast<Register>(bits);
            },
            a);
    }
    [[gnu::always_inline]] friend Pack power_of_two(const Pack& a) {
        return each(
            [](auto x) {
                return xsimd::bitwise_cast<Register>(xsimd::bitwise_cast<Bits>(x + Register(4503599627370496.0 + 1023)) << 52);
            },
            a);
    }
    [[gnu::always_inline]] friend Pack nearest_whole(const Pack& a) {
        const Pack shift(6755399441055744.0);  // 1.5 * 2^52
        return (a + shift) - shift;
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
        constexpr double short_route = 62.83185307179586;  // xsimd's `twentypi`
        constexpr double long_route = 823549.66;           // just below xsimd's `mediumpi`
        Pack result;
        for (int i = 0; i < registers; ++i) {
            const Register size = xsimd::abs(a.r[i]);
            const auto near = size <= Register(short_route);
            result.r[i] = packed(xsimd::select(near, a.r[i], Register(0.0)));
            if (!xsimd::all(near)) {
                const auto middle = (size > Register(short_route)) & (size <= Register(long_route));
                const Register far = packed(xsimd::select(middle, a.r[i], Register(100.0)));
                result.r[i] = xsimd::select(middle, far, result.r[i]);
                if (!xsimd::all(near | middle)) {
                    double x[Register::size], value[Register::size];
                    a.r[i].store_unaligned(x);
                    result.r[i].store_unaligned(value);
                    for (std::size_t lane = 0; lane < Register::size; ++lane)
                        if (!(x[lane] <= long_route && x[lane] >= -long_route)) value[lane] = single(x[lane]);
                    result.r[i] = Register::load_unaligned(value);
                }
            }
        }
        return result;
    }
};

/// Lanes of a number type; the mask of its comparisons.
template <class T>
struct LaneTraits {
    static constexpr int lanes = T::lanes;
    using MaskType = typename T::MaskType;
    static T load(const double* from) { return T::load(from); }
    static void store(const T& x, double* to) { x.store(to); }
    static std::uint32_t bits(const MaskType& mask) { return mask.bits(); }
};
template <>
struct LaneTraits<double> {
    static constexpr int lanes = 1;
    using MaskType = bool;
    static double load(const double* from) { return *from; }
    static void store(double x, double* to) { *to = x; }
    static std::uint32_t bits(bool mask) { return mask ? 1u : 0u; }
};

}  // namespace gradscape
