// What a finished run says: a table for people, one JSON object for programs, a line for stderr when members failed.
#pragma once

#include <string>

#include "app/run_scenario.hpp"

namespace gradscape {

std::string closing_table(const RunReport& report);  ///< UTF-8, ends with three lines of Python that open the file in xarray
std::string closing_json(const RunReport& report);   ///< numbers that don't exist are null

/// "1 of 8 members failed: step_limit 1 (stopped near t = 0.12)"; empty when all are ok.
std::string failure_line(const RunReport& report);

}  // namespace gradscape
