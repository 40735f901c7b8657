#include "bench/export_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "bench/measurement.hpp"
#include "engine/export/hdf5_writer.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/scenario.hpp"

namespace gradscape::bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

ExportSpeed measure_export(const std::filesystem::path& folder, std::uint64_t bytes) {
    const Case orbits = example_case("GD-1 orbits", "gd1_orbits.json", 1000, 1, true, 1e-3);
    const ModelDescription& model = orbits.model->description;
    EnsembleRequest request = orbits.request;
    request.span.save = SpanRequest::Save::count;
    request.span.count = 101;
    request.output.compression = OutputRequest::Compression::none;
    request.output.statistics = false;
    request.accuracy_subsample = 0;
    std::vector<std::int64_t> members(1000);
    for (std::size_t m = 0; m < members.size(); ++m) members[m] = static_cast<std::int64_t>(m);
    EnsembleChunk chunk = solve_members(*orbits.model, request, members);
    const std::uint64_t per_chunk = 8 * (chunk.states.size() + chunk.observables.size());
    const auto chunks = static_cast<std::int64_t>(bytes / per_chunk + 1);
    request.size = chunks * chunk.count;
    EnsembleResult result;
    result.requested = result.complete = request.size;
    result.method = request.solver.method;
    result.save_times = run_save_times(request);
    result.varied = varied_quantities(model, request);

    const std::filesystem::path file = folder / "gradscape_bench.h5", copy = folder / "gradscape_bench.dd";
    const std::string dd = "dd if='" + file.string() + "' of='" + copy.string() + "' bs=1M conv=fsync status=none";
    ExportSpeed speed;
    speed.export_seconds = speed.dd_seconds = 1e300;
    for (int repetition = 0; repetition < 3; ++repetition) {
        auto begin = std::chrono::steady_clock::now();
        Hdf5Writer writer(file, true, model, request, result.save_times, result.varied, {"gradscape-bench", "", "", "", "{}", ""});
        for (chunk.first = 0; chunk.first < request.size; chunk.first += chunk.count) writer.chunk(chunk);
        writer.finish(result, {});
        speed.export_seconds = std::min(speed.export_seconds, seconds_since(begin));
        speed.bytes = static_cast<double>(std::filesystem::file_size(file));
        begin = std::chrono::steady_clock::now();
        if (std::system(dd.c_str()) != 0) throw std::runtime_error("dd failed: " + dd);
        speed.dd_seconds = std::min(speed.dd_seconds, seconds_since(begin));
        std::filesystem::remove(copy);
        std::filesystem::remove(file);
    }
    return speed;
}

}  // namespace gradscape::bench
