// The save times of a run and of each member.
#pragma once

#include "engine/ensemble.hpp"

namespace gradscape {

/// Save times from start to end, either way, as the request asks: k*every to one rounding, never a running sum; the end is always kept, and
/// a multiple that meets it but for rounding is the end. A list is returned as it is.
std::vector<double> save_times(const SpanRequest& span, double start, double end);

/// How many there are.
std::int64_t save_time_count(const SpanRequest& span, double start, double end);

/// Whether the members of the request have spans of their own (a table with `start` or `end`, or a start that the model draws).
bool has_member_spans(const EnsembleRequest& request);

/// Whether each member then has save times of its own: a list is shared, and so is a common end that alone is saved.
bool has_member_times(const EnsembleRequest& request);

struct MemberSpan {
    double start, end;
};

/// The span of member i: from the table where it has the columns. A start that the model draws isn't known here.
MemberSpan member_span(const EnsembleRequest& request, std::int64_t i);

/// The rows of a run. For per-member lists `rows` is the longest member's length (needs the table's start and end columns; with a start
/// that the model draws, only a count or a list can be asked for).
SaveTimes run_save_times(const EnsembleRequest& request);

/// Rows that go to the file with `output.every`: indices k such that (rows - 1 - k) % every == 0, ascending.
std::vector<std::int64_t> exported_rows(std::int64_t rows, std::int64_t every);

}  // namespace gradscape
