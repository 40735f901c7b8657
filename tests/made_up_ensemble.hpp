// An ensemble whose values are known in closed form, for tests of the export: nothing is integrated.
#pragma once

#include <cmath>
#include <limits>

#include "engine/export/hdf5_writer.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"

namespace gradscape::made_up {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

inline constexpr std::array states{
    StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "kiloparsec", .default_value = 8, .min = 1, .max = 20, .help = "Distance."},
    StateInfo{.name = "vx", .symbol = "vx", .latex = "\\dot x", .unit = "km/s", .default_value = missing, .min = -300, .max = 300,
              .help = "Velocity."}};
inline constexpr std::array parameters{
    ParameterInfo{.name = "v0", .symbol = "v₀", .latex = "v_0", .unit = "km/s", .default_value = 220, .min = 180, .max = 260,
                  .help = "Circular velocity."},
    ParameterInfo{.name = "M", .symbol = "M", .latex = "M", .unit = "1e10 Msun", .default_value = 5, .min = 1, .max = 9, .help = "Mass."},
    ParameterInfo{.name = "q", .symbol = "q", .latex = "q", .unit = "1", .default_value = 0.9, .min = 0.5, .max = 1.5,
                  .help = "Flattening, µ-free."}};
inline constexpr std::array observables{
    ObservableInfo{.name = "phi", .symbol = "φ", .latex = "\\phi", .unit = "degree", .period = 360, .help = "Azimuth."},
    ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "kiloparsec", .help = "Radius."}};
inline constexpr std::array invariants{
    InvariantInfo{.name = "energy", .symbol = "E", .latex = "E", .unit = "km^2/s^2", .help = "The potential is static."}};
inline constexpr std::array internals{
    InternalInfo{.name = "v", .symbol = "v", .latex = "v", .unit = "km/s", .help = "What was solved for."}};

inline ModelDescription model() {
    ModelInfo info{};
    info.name = "made_up";
    info.title = "Made-up orbit";
    info.group = "Tests";
    info.version = "1";
    info.summary = "Values in closed form.";
    info.equations = "dx/dt = vx";
    info.citation = "none";
    info.independent = {.name = "time", .symbol = "t", .unit = "Gyr", .default_start = 0, .default_end = 1, .min = 0, .max = 10,
                        .help = "From now on."};
    info.error = {.symbol = "|Δx|/|x|", .unit = "1", .threshold = 1e-4, .help = "Relative distance."};
    info.preferred_method = "vern7";
    info.default_functional = "x";
    return {info, states, parameters, observables, invariants, internals};
}

/// v0, q and x0 are drawn; M is fixed; vx comes from the model.
inline EnsembleRequest request(std::int64_t members, std::int64_t rows) {
    EnsembleRequest request;
    request.model = "made_up";
    Draw v0{.kind = Draw::Kind::uniform, .min = 180, .max = 260};
    Draw mass{.kind = Draw::Kind::fixed, .value = 5};
    Draw q{.kind = Draw::Kind::normal, .mean = 0.9, .sd = 0.1};
    request.parameters = {v0, mass, q};
    request.initial_state = {Draw{.kind = Draw::Kind::log_uniform, .min = 1, .max = 20}, Draw{.kind = Draw::Kind::from_model}};
    request.span.count = rows;
    request.size = members;
    request.solver.atol = {1e-10, 1e-8};
    request.output.compression = OutputRequest::Compression::none;
    return request;
}

/// Spans of their own: member i from 0 to 1 + i.
inline EnsembleRequest request_with_spans(std::int64_t members, std::int64_t rows) {
    EnsembleRequest with_spans = request(members, rows);
    std::vector<double> ends;
    for (std::int64_t i = 0; i < members; ++i) ends.push_back(1 + static_cast<double>(i));
    with_spans.table = {{"end"}, {ends}};
    return with_spans;
}

/// Every seventh member stops half-way.
inline Status status(std::int64_t member) { return member % 7 == 3 ? Status::step_limit : Status::ok; }

inline double value(std::size_t component, std::int64_t member, std::int64_t row, std::int64_t rows) {
    if (status(member) != Status::ok && 2 * row >= rows) return missing;
    if (component == 2) return std::fmod(static_cast<double>(37 * member + row), 360);  // phi
    return static_cast<double>(component + 1) * 1000 + static_cast<double>(member % 1000) + static_cast<double>(row) / 1024;
}

inline EnsembleChunk chunk(const EnsembleRequest& request, std::int64_t first, std::int64_t count) {
    const ModelDescription description = model();
    const SaveTimes times = run_save_times(request);
    EnsembleChunk chunk;
    chunk.first = first;
    chunk.count = count;
    chunk.rows = times.rows;
    const auto varied = varied_quantities(description, request);
    for (std::size_t q = 0; q < varied.size(); ++q)
        for (std::int64_t m = first; m < first + count; ++m)
            chunk.drawn.push_back(varied[q].kind == VariedQuantity::Kind::end ? 1 + static_cast<double>(m)
                                                                              : static_cast<double>(q) + static_cast<double>(m) / 7);
    for (std::int64_t m = first; m < first + count; ++m)
        chunk.internals.push_back(status(m) == Status::ok ? static_cast<double>(m) / 3 : missing);
    const auto fill = [&](std::vector<double>& values, std::size_t component) {
        for (std::int64_t m = first; m < first + count; ++m)
            for (std::int64_t row = 0; row < times.rows; ++row) values.push_back(value(component, m, row, times.rows));
    };
    fill(chunk.states, 0);
    fill(chunk.states, 1);
    fill(chunk.observables, 2);
    fill(chunk.observables, 3);
    for (std::int64_t m = first; m < first + count; ++m) {
        const double end = times.per_member ? 1 + static_cast<double>(m) : 1;
        if (times.per_member)
            for (const double t : save_times(request.span, 0, end)) chunk.row_times.push_back(t);
        chunk.drift.push_back(1e-9 * static_cast<double>(m));
        chunk.status.push_back(status(m));
        chunk.span_start.push_back(0);
        chunk.span_end.push_back(end);
        chunk.stopped_at.push_back(status(m) == Status::ok ? end : end / 2);
        chunk.accepted.push_back(static_cast<std::int32_t>(100 + m));
        chunk.rejected.push_back(static_cast<std::int32_t>(m % 5));
    }
    return chunk;
}

inline Provenance provenance() {
    return {"gradscape 0.1.0", "1a2b3c4", "CPU avx512", "vern7", R"({"gradscape": 1, "model": "made_up"})", "dx/dt = vx  // µ"};
}

inline std::unique_ptr<Hdf5Writer> writer(const std::filesystem::path& file, const EnsembleRequest& request, bool overwrite = false,
                                          const Provenance& from = provenance(), std::stop_token hurry = {}) {
    const ModelDescription description = model();
    return std::make_unique<Hdf5Writer>(file, overwrite, description, request, run_save_times(request),
                                        varied_quantities(description, request), from, std::move(hurry));
}

/// The result of a run of this request, as far as the export needs it.
inline EnsembleResult result(const EnsembleRequest& request) {
    EnsembleResult result;
    result.requested = result.complete = request.size;
    result.remarks = {"one remark"};
    const SaveTimes times = run_save_times(request);
    AccuracyResult& accuracy = result.accuracy;
    accuracy.rows = times.rows;
    for (std::int64_t m = 0; m < request.size; m += 1 + request.size / 16) accuracy.members.push_back(m);
    accuracy.error.assign(accuracy.members.size() * static_cast<std::size_t>(times.rows), 1e-9);
    for (std::size_t level = 0; level < std::size(error_levels); ++level)
        for (std::int64_t row = 0; row < times.rows; ++row)
            accuracy.row_quantiles.push_back(1e-9 * static_cast<double>(level + 1) + 1e-12 * static_cast<double>(row));
    accuracy.threshold = 1e-4;
    accuracy.verdict = AccuracyResult::Verdict::within;
    accuracy.sentence = "within the threshold";
    return result;
}

/// Writes the whole ensemble in chunks of so many members.
inline void write(const std::filesystem::path& file, const EnsembleRequest& request, std::int64_t chunk_members, bool overwrite = false,
                  const Provenance& from = provenance()) {
    const auto to = writer(file, request, overwrite, from);
    StatisticsCollector statistics(model(), request.size, run_save_times(request).rows, true, true);
    for (std::int64_t first = 0; first < request.size; first += chunk_members) {
        const EnsembleChunk part = chunk(request, first, std::min(chunk_members, request.size - first));
        statistics.add(part);
        to->chunk(part);
    }
    to->finish(result(request), statistics.result());
}

}  // namespace gradscape::made_up
