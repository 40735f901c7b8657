#include "app/run_limits.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/number_text.hpp"
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
    const double members =
        blocks * std::min(smallest_block, size) + solutions * std::min<double>(request.accuracy_subsample, size) + statistics;
    const double needed = rows * row * members;
    const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (needed <= present) return;
    constexpr double most = 1e19;  // fits the integer
    throw InputError("span.save: " + number_text(rows) + " rows need about " +
                     bytes_text(static_cast<std::uint64_t>(std::min(needed, most))) +
                     " of memory while the run is in work, this machine has " + bytes_text(static_cast<std::uint64_t>(present)) +
                     "; save fewer rows or reduce accuracy.subsample");
}

void check_disk(const EnsembleRequest& request, std::int64_t rows, std::uint64_t bytes, const std::filesystem::path& folder) {
    std::error_code unknown;
    const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, unknown);
    if (unknown || space.available == 0 || bytes <= space.available) return;  // 0: a folder that holds no files says so itself
    throw InputError("ensemble.size: " + std::to_string(request.size) + " members with " + std::to_string(rows) +
                     " rows (span.save) need about " + bytes_text(bytes) + " in the file, the disk has " + bytes_text(space.available) +
                     " free; fewer members, fewer rows (output.every) or output.precision float32 need less");
}

}  // namespace gradscape
