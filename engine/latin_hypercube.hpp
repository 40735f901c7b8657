// Latin hypercube sampling by index: any point of any dimension without the other points. McKay, Beckman & Conover (1979), Technometrics
// 21, 239, doi:10.2307/1268522.
#pragma once

#include <array>
#include <cstdint>

namespace gradscape {

/// A permutation of 0..n - 1 that a key chooses, in constant memory: a Feistel network over the a x b >= n numbers of two digits; what falls
/// outside 0..n - 1 walks on along its cycle. Black & Rogaway (2002), Ciphers with arbitrary finite domains, CT-RSA 2002, LNCS 2271, 114,
/// doi:10.1007/3-540-45760-7_9. With a and b next to sqrt(n), fewer than sqrt(n) numbers fall outside.
class KeyedPermutation {
public:
    /// Of few numbers, the permutations are equally likely only after many rounds: with 6 of them, those of 5 numbers differ by a third.
    static constexpr std::size_t rounds = 6, rounds_of_few = 24;
    static constexpr std::uint32_t few = 1024;
    using Keys = std::array<std::uint64_t, 2 * rounds_of_few>;

    KeyedPermutation(std::uint32_t n, const Keys& keys);  ///< 1 <= n <= 2^31

    std::uint32_t operator()(std::uint32_t i) const {
        do i = once(i);
        while (i >= n_);
        return i;
    }

private:
    /// 32 random bits for one digit of a number.
    static std::uint32_t mixed(std::uint32_t digit, std::uint64_t factor, std::uint64_t summand) {
        std::uint64_t bits = factor * digit + summand;
        bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93;  // an odd number without a pattern: the middle bits reach the upper ones
        return static_cast<std::uint32_t>(bits >> 32);
    }
    static std::uint32_t rotated(std::uint32_t digit, std::uint32_t bits, std::uint32_t base) {
        const std::uint32_t sum = digit + static_cast<std::uint32_t>(std::uint64_t{bits} * base >> 32);
        return sum >= base ? sum - base : sum;
    }
    std::uint32_t once(std::uint32_t i) const {
        std::uint32_t high = i / b_, low = i - high * b_;  // high < a, low < b
        for (std::size_t k = 0; k < key_count_; k += 4) {
            high = rotated(high, mixed(low, keys_[k], keys_[k + 1]), a_);
            low = rotated(low, mixed(high, keys_[k + 2], keys_[k + 3]), b_);
        }
        return high * b_ + low;
    }

    std::uint32_t n_, a_, b_;
    std::size_t key_count_;
    Keys keys_;
};

/// One dimension of a Latin hypercube of n points: every one of n equal parts of 0..1 holds exactly one point, at a random place.
class LatinDimension {
public:
    /// `dimension` is the number of the quantity, which chooses the random numbers together with the seed. 1 <= n <= 2^31.
    LatinDimension(std::uint64_t seed, std::uint32_t dimension, std::int64_t n);

    /// Coordinate of point i of 0..n - 1 in units of 2^-53.
    std::uint64_t operator()(std::uint64_t i) const { return coordinate(part(i), i); }
    /// The same in two steps: the part 0..n - 1 that point i lies in, and its place there.
    std::uint32_t part(std::uint64_t i) const { return permutation_(static_cast<std::uint32_t>(i)); }
    std::uint64_t coordinate(std::uint32_t part, std::uint64_t i) const;

private:
    std::uint64_t seed_;
    std::uint32_t dimension_;
    std::uint64_t n_, quotient_, remainder_;  // 2^53 = quotient n + remainder
    KeyedPermutation permutation_;
};

}  // namespace gradscape
