// What a request may ask for at most, whatever the model.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace gradscape {

inline constexpr std::int64_t largest_size = 1'000'000'000;
inline constexpr std::int64_t largest_row_count = 100'000'000;
inline constexpr std::int64_t largest_step_limit = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t largest_thread_count = 4096;
inline constexpr std::int64_t largest_subsample = 1'000'000;
inline constexpr double smallest_rtol = 1e-14;  ///< below it the rounding errors of doubles drown the error estimate
inline constexpr double largest_rtol = 0.1;

/// By number of Sampling.
inline constexpr std::string_view sampling_words[] = {"random", "sobol", "table", "grid", "latin_hypercube"};
inline constexpr std::string_view devices[] = {"auto", "cpu"};

}  // namespace gradscape
