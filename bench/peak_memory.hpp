// Peak memory of a large run.
#pragma once

#include <cstdint>

namespace gradscape::bench {

/// Peak resident memory in bytes of a run of so many GD-1 orbits with final states only, in a process of its own.
double peak_memory_of_final_states(std::int64_t members);

}  // namespace gradscape::bench
