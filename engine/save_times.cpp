#include "engine/save_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradscape {
namespace {

const std::vector<double>* column(const SampleTable& table, const char* name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    return found == table.names.end() ? nullptr : &table.columns[static_cast<std::size_t>(found - table.names.begin())];
}

/// Number of multiples start, start ± every, ... that come before the end.
std::int64_t multiples_before_end(double every, double start, double end) {
    // start, end and every are decimals rounded to doubles, so a multiple that should meet the end misses it by a few roundings.
    const double roundings = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
    const double nearest = std::round(std::abs(end - start) / every);
    const double miss = std::fma(nearest, every, -std::abs(end - start));
    const std::int64_t before_end = static_cast<std::int64_t>(nearest) + (miss < -roundings ? 1 : 0);
    return start != end ? std::max<std::int64_t>(before_end, 1) : 0;
}

std::vector<double> evenly_spaced(std::int64_t count, double start, double end) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(count));
    const double length = end - start, intervals = static_cast<double>(count - 1);
    const double lower = std::min(start, end), upper = std::max(start, end);
    for (std::int64_t k = 0; k < count - 1; ++k) {
        const double multiple = static_cast<double>(k) * length;  // first, so that 0..1 in 100 intervals gives k/100 as typed
        const double offset = std::isfinite(multiple) ? multiple / intervals : static_cast<double>(k) * (length / intervals);
        times.push_back(std::clamp(start + offset, lower, upper));
    }
    times.push_back(end);
    return times;
}

std::vector<double> multiples(double every, double start, double end) {
    const std::int64_t before_end = multiples_before_end(every, start, end);
    const double step = end < start ? -every : every;
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(before_end) + 1);
    for (std::int64_t k = 0; k < before_end; ++k) times.push_back(std::fma(static_cast<double>(k), step, start));
    times.push_back(end);
    return times;
}

}  // namespace

std::vector<double> save_times(const SpanRequest& span, double start, double end) {
    switch (span.save) {
        case SpanRequest::Save::count: return evenly_spaced(span.count, start, end);
        case SpanRequest::Save::every: return multiples(span.every, start, end);
        case SpanRequest::Save::list: break;
    }
    return span.times;
}

std::int64_t save_time_count(const SpanRequest& span, double start, double end) {
    switch (span.save) {
        case SpanRequest::Save::count: return span.count;
        case SpanRequest::Save::every: return multiples_before_end(span.every, start, end) + 1;
        case SpanRequest::Save::list: break;
    }
    return static_cast<std::int64_t>(span.times.size());
}

bool has_member_spans(const EnsembleRequest& request) {
    return request.span.model_start || column(request.table, "start") != nullptr || column(request.table, "end") != nullptr;
}

bool has_member_times(const EnsembleRequest& request) {
    const SpanRequest& span = request.span;
    if (!has_member_spans(request) || span.save == SpanRequest::Save::list) return false;
    return span.save != SpanRequest::Save::count || span.count != 1 || column(request.table, "end") != nullptr;
}

MemberSpan member_span(const EnsembleRequest& request, std::int64_t i) {
    const std::vector<double>*const starts = column(request.table, "start"), *const ends = column(request.table, "end");
    const auto member = static_cast<std::size_t>(request.groups.index_of(i));
    return {starts != nullptr ? (*starts)[member] : request.span.start, ends != nullptr ? (*ends)[member] : request.span.end};
}

SaveTimes run_save_times(const EnsembleRequest& request) {
    const SpanRequest& span = request.span;
    SaveTimes result;
    result.per_member = has_member_times(request);
    if (!result.per_member) {
        result.shared = save_times(span, span.start, span.end);
        result.rows = static_cast<std::int64_t>(result.shared.size());
        return result;
    }
    if (span.save == SpanRequest::Save::count) {
        result.rows = span.count;
        return result;
    }
    for (std::int64_t i = 0; i < request.size; ++i) {
        const MemberSpan member = member_span(request, i);
        result.rows = std::max(result.rows, save_time_count(span, member.start, member.end));
    }
    return result;
}

std::vector<std::int64_t> exported_rows(std::int64_t rows, std::int64_t every) {
    std::vector<std::int64_t> exported;
    if (rows <= 0) return exported;
    for (std::int64_t k = (rows - 1) % every; k < rows; k += every) exported.push_back(k);
    return exported;
}

}  // namespace gradscape
