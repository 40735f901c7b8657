// How each member of an ensemble ended. The same words stand in code, JSON, HDF5 and window.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gradscape {

enum class Status : std::int8_t {
    ok = 0,
    event_stop = 1,
    step_limit = 2,
    step_underflow = 3,
    non_finite = 4,
    shooting_failed = 5,
    bad_input = 6,
    cancelled = 7,
    not_run = 8,
};

inline constexpr int status_count = 9;

struct StatusText {
    std::string_view word;
    std::string_view sentence;
};

/// Indexed by the status' number.
inline constexpr std::array<StatusText, status_count> status_texts = {{
    {"ok", "The end of the span was reached and every row within the span holds a computed value."},
    {"event_stop", "A stopping event ended the trajectory before the end of its span."},
    {"step_limit", "The step limit was reached before the end of the span: it is too small for a long span or a tight tolerance, or the problem is stiff."},
    {"step_underflow", "The step became too small to change the independent variable; the solution may blow up here, or the tolerance is out of reach."},
    {"non_finite", "The right-hand side gave no finite value, however small the step."},
    {"shooting_failed", "No solution fulfils the closing condition for these parameters."},
    {"bad_input", "A parameter, draw or initial value lies outside its limits or is not a finite number."},
    {"cancelled", "The run was cancelled while this member was being integrated."},
    {"not_run", "The run ended before this member was begun."},
}};

constexpr std::string_view word(Status status) { return status_texts[static_cast<std::size_t>(status)].word; }
constexpr std::string_view sentence(Status status) { return status_texts[static_cast<std::size_t>(status)].sentence; }

}  // namespace gradscape
