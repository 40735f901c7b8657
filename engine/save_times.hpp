// The save times of a run and of each member.
#pragma once

#include "engine/ensemble.hpp"

namespace gradscape {

/// Save times from start to end as the request asks: k*every to one rounding, never a running sum; the end is always kept.
std::vector<double> save_times(const SpanRequest& span, double start, double end);

/// Whether the members of the request have spans of their own (a table with `start` or `end`).
bool has_member_spans(const EnsembleRequest& request);

/// The rows of a run. For per-member lists `rows` is the longest member's length (needs the table's start and end columns).
SaveTimes run_save_times(const EnsembleRequest& request);

/// Rows that go to the file with `output.every`: indices k such that (rows - 1 - k) % every == 0, ascending.
std::vector<std::int64_t> exported_rows(std::int64_t rows, std::int64_t every);

}  // namespace gradscape
