#include "app/run_limits.hpp"
#include "engine/number_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/scenario.hpp"

namespace gradscape {
namespace {

/// Save times that a span from `start` to `end` asks for, counted without making them.
double rows_asked(const SpanRequest& span) {
    switch (span.save) {
        case SpanRequest::Save::count: return static_cast<double>(span.count);
        case SpanRequest::Save::every: return std::fabs(span.end - span.start) / span.every + 2;
        case SpanRequest::Save::list: break;
    }
    return static_cast<double>(span.times.size());
}

}  // namespace

void check_memory(const EnsembleRequest& request, const ModelDescription& model) {
    constexpr double blocks = 12, smallest_block = 16;         // engine/run_ensemble.cpp
    constexpr double solutions = 5;                            // of the subsample: run, references, errors
    constexpr double statistics = 16;                          // numbers per component and row
    const double rows = rows_asked(request.span), size = static_cast<double>(request.size);
    const double row = 8.0 * static_cast<double>(model.states.size() + model.observables.size() + 1);
    const double subsample = std::min<double>(request.accuracy_subsample, size);
    const double run = rows * row * (blocks * std::min(smallest_block, size) + statistics), accuracy = rows * row * solutions * subsample;
    const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (run + accuracy <= present) return;
    const auto text = [](double bytes) {
        constexpr double most = 1e19;  // fits the integer
        return bytes_text(static_cast<std::uint64_t>(std::min(bytes, most)));
    };
    const std::string machine = ", this machine has " + text(present) + "; ";
    if (run > present)
        throw InputError("span.save: " + number_text(rows) + " rows need about " + text(run) + " of memory while the run is in work" +
                         machine + "save fewer rows");
    throw InputError("accuracy.subsample: " + number_text(subsample, 10) + " members with " + number_text(rows) +
                     " rows (span.save) and their references need about " + text(accuracy) + " of memory beside the run's " + text(run) +
                     machine + "compare fewer members or save fewer rows");
}

}  // namespace gradscape
