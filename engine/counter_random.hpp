// Counter-based random numbers: Philox 4x32-10. The numbers are a pure function of (key, counter), so any member can be drawn at any time
// by any thread. Salmon, Moraes, Dror & Shaw (2011), Parallel random numbers: as easy as 1, 2, 3; SC'11, doi:10.1145/2063384.2063405.
#pragma once

#include <array>
#include <cstdint>

namespace gradscape {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
                   static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
        key[0] += 0x9E3779B9;  // golden ratio
        key[1] += 0xBB67AE85;  // sqrt(3) - 1
    }
    return counter;
}

/// What the random numbers of one seed are used for; each purpose has numbers of its own.
enum class RandomStream : std::uint32_t { draws = 0, digital_shift = 1, internal_draws = 2, latin_permutation = 3, latin_place = 4 };

/// 64 random bits for (seed, stream, which, member).
constexpr std::uint64_t random_bits(std::uint64_t seed, RandomStream stream, std::uint32_t which, std::uint64_t member) {
    const PhiloxCounter words = philox4x32_10(
        {static_cast<std::uint32_t>(member), static_cast<std::uint32_t>(member >> 32), which, static_cast<std::uint32_t>(stream)},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return std::uint64_t{words[1]} << 32 | words[0];
}

}  // namespace gradscape
