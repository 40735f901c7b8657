// The applications that users come for, at the error that their field accepts, against the fastest accepted configuration of each peer.
#pragma once

#include "bench/report.hpp"

namespace gradscape::bench {

/// Orbits, distances with shooting, spins; `only` names one of them, or is empty.
void run_applications(bool quick, const std::string& only, Report& report);

std::vector<std::string> application_names();

}  // namespace gradscape::bench
