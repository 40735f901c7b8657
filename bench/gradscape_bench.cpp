// Speed as ratios to other integrators: thread CPU time, best of nine, on the same core in the same run, with step counts and achieved
// errors.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "bench/applications.hpp"
#include "bench/export_speed.hpp"
#include "bench/peak_memory.hpp"
#include "engine/cpu/instruction_set.hpp"

namespace gradscape::bench {
namespace {

/// The pairs of order 5(4), which each library has first.
std::vector<Measurement> measure_peers(const Case& which, double rtol, int repetitions, Report& report) {
    std::vector<Measurement> results;
    for (const std::vector<Peer>& library : libraries()) {
        results.push_back(measure(which, library.front(), rtol, rtol, repetitions));
        report.row(which.name, library.front().name(), rtol, results.back(), {});
    }
    return results;
}

std::vector<double> ratios(const Measurement& m, const std::vector<Measurement>& others) {
    std::vector<double> all;
    for (const Measurement& other : others) all.push_back(m.members_per_cpu_second / other.members_per_cpu_second);
    return all;
}

void run_case(const Case& which, double rtol, int repetitions, Report& report) {
    char text[80];
    std::snprintf(text, sizeof text, "%s, rtol = %g, %zu members, one core", which.name.c_str(), rtol, which.members.count());
    report.heading(text);
    const bool lorenz = which.name == "Lorenz";
    const auto others = measure_peers(which, rtol, repetitions, report);
    for (const InstructionSet set : sets_to_measure()) {
        const std::string name_of_set(name(set));
        double best_at_error = 0;
        for (const MethodInfo& method : methods) {
            Settings settings{std::string(method.name), rtol, rtol, set, 1, repetitions};
            const Measurement nominal = measure(which, settings);
            report.row(which.name, name_of_set + " " + settings.method, rtol, nominal, ratios(nominal, others));
            const Settings matched = at_error(which, settings, others[0].error_p99);
            const Measurement equal = measure(which, matched);
            report.row(which.name, name_of_set + " " + settings.method + " at odeint's error", matched.rtol, equal, ratios(equal, others));
            best_at_error = std::max(best_at_error, equal.members_per_cpu_second / others[0].members_per_cpu_second);
            if (lorenz && rtol == 1e-8 && method.name == "tsit5" && set != InstructionSet::baseline) {
                const bool wide = set == InstructionSet::avx512;
                report.figure("Lorenz 1e-8, Tsit5 at the same nominal tolerance, against odeint's dopri5, " + name_of_set,
                              nominal.members_per_cpu_second / others[0].members_per_cpu_second, wide ? 9 : 4, true);
                if (wide) report.figure("ns per accepted Tsit5 step, Lorenz 1e-8, avx512", nominal.ns_per_accepted_step, 6.5, false);
            }
        }
        if (lorenz && rtol == 1e-8 && set != InstructionSet::baseline)
            report.figure("Lorenz 1e-8, best method at odeint's achieved 99th-percentile error, " + name_of_set, best_at_error,
                          set == InstructionSet::avx512 ? 14 : 6, true);
    }
}

void run_threads(const Case& which, int repetitions, Report& report) {
    const InstructionSet set = best_instruction_set();
    const int lanes = cpu_code(set).lanes, cores = static_cast<int>(std::thread::hardware_concurrency());
    const std::string method = which.model->description.info.preferred_method;
    Settings settings{method, which.request.solver.rtol, which.request.solver.atol.front(), set, 1, repetitions};
    const Measurement one = measure(which, settings);
    settings.threads = cores;
    const Measurement all = measure(which, settings);
    settings.threads = std::max(1, 256 / lanes);
    settings.repetitions = 1;
    const Measurement many = measure(which, settings);
    report.heading(which.name + ", default tolerance, threads");
    report.row(which.name, "1 thread", settings.rtol, one, {});
    report.row(which.name, std::to_string(cores) + " threads", settings.rtol, all, {});
    const std::string lanes_text = std::to_string(many.lanes) + " lanes";
    report.row(which.name, std::to_string(settings.threads) + " threads, " + lanes_text, settings.rtol, many, {});
    if (which.name != "Lorenz")  // 20,000 members of a few dozen steps are too few for 256 lanes
        report.figure("tries / (iterations x lanes), " + which.name + ", " + lanes_text, many.lane_use, 0.97, true);
    report.figure("members per CPU-second with all cores against one thread, " + which.name,
                  all.members_per_cpu_second / one.members_per_cpu_second, 0.95, true);
}

int run(int argc, char** argv) {
    CLI::App app("Speed of Gradscape's engine against other integrators, on one core, in one run.", "gradscape-bench");
    bool quick = false, as_json = false, memory = false;
    std::string export_folder, only;
    std::vector<std::string> cases = application_names();
    cases.insert(cases.begin(), {"lorenz", "gd1"});
    app.add_flag("--quick", quick, "fewer members and repetitions: a minute");
    app.add_option("--case", only, "only one case: " + CLI::detail::join(cases, ", "))->check(CLI::IsMember(cases))->type_name("NAME");
    app.add_flag("--json", as_json, "the rows and figures as one JSON object");
    app.add_flag("--memory", memory, "only the peak memory of a run of 10^6 members");
    app.add_option("--export", export_folder, "only the speed of the export of 2 GB into this folder, against dd")->type_name("FOLDER");
    CLI11_PARSE(app, argc, argv);

    Report report(as_json);
    if (memory) {
        report.figure("peak memory of a run of 10^6 members, final states only, MB", peak_memory_of_final_states(1'000'000) / 1e6, 300,
                      false);
    } else if (!export_folder.empty()) {
        const ExportSpeed speed = measure_export(export_folder, std::uint64_t{2'000'000'000});
        if (!as_json)
            std::printf("%.2f GB: export %.2f s, dd conv=fsync %.2f s\n", speed.bytes / 1e9, speed.export_seconds, speed.dd_seconds);
        report.figure("export, uncompressed, fsync included, against dd conv=fsync of the same bytes", speed.ratio(), 0.6, true);
    } else {
        const int repetitions = quick ? 3 : 9;
        if (only.empty() || only == "lorenz") {
            const Case lorenz = lorenz_case(quick ? 4000 : 20000);
            run_case(lorenz, 1e-8, repetitions, report);
            run_case(lorenz, 1e-6, repetitions, report);
            run_threads(lorenz_case(quick ? 40000 : 200000), repetitions, report);  // else threads hardly start before all is done
        }
        if (only.empty() || only == "gd1") {
            const Case orbits = example_case("GD-1 orbits", "gd1_orbits.json", quick ? 2000 : 10000, 1000, true, 1e-3);
            run_case(orbits, 1e-8, quick ? 1 : repetitions, report);
            run_threads(example_case("GD-1 orbits", "gd1_orbits.json", quick ? 5000 : 50000, 1000, true, 1e-3), quick ? 1 : repetitions,
                        report);
        }
        run_applications(quick, only, report);
        if (libraries().size() == 1 && !as_json) std::printf("\nbuilt without SUNDIALS: no comparison with ERKStep\n");
    }
    if (as_json) std::cout << report.result().dump(2) << '\n';
    return 0;
}

}  // namespace
}  // namespace gradscape::bench

int main(int argc, char** argv) {
    try {
        return gradscape::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "gradscape-bench: " << error.what() << '\n';
        return 1;
    }
}
