// Speed as ratios to other integrators: thread CPU time, best of nine, on the same core in the same run, with step counts and achieved
// errors.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/export_speed.hpp"
#include "bench/measurement.hpp"
#include "bench/peak_memory.hpp"
#include "engine/cpu/instruction_set.hpp"

namespace gradscape::bench {
namespace {

using nlohmann::json;

struct Peer {
    std::string name;
    PeerSolver lorenz, log_halo;
};

const std::vector<Peer>& peers() {
    static const std::vector<Peer> all = {
        {"Boost.odeint dopri5", odeint_dopri5_lorenz, odeint_dopri5_log_halo},
#if defined(GRADSCAPE_HAVE_SUNDIALS)
        {"SUNDIALS ERKStep order 5", erkstep_lorenz, erkstep_log_halo},
#endif
    };
    return all;
}

/// Prints the rows, and keeps them for --json.
class Report {
public:
    explicit Report(bool quiet) : quiet_(quiet) {}

    void heading(const std::string& text) const {
        if (!quiet_) std::printf("\n%s\n%-34s %10s %9s %9s %9s %7s %9s %9s %9s\n", text.c_str(), "", "members", "ns per", "accepted",
                                 "rejected", "lane", "error", "against", "against");
        if (!quiet_) std::printf("%-34s %10s %9s %9s %9s %7s %9s %9s %9s\n", "", "per CPU-s", "step", "steps", "steps", "use", "99 %",
                                 "odeint", "ERKStep");
    }

    void row(const std::string& which, const std::string& name, double rtol, const Measurement& m, const std::vector<double>& ratios) {
        json entry = {{"case", which}, {"name", name}, {"rtol", rtol}, {"members_per_cpu_second", m.members_per_cpu_second},
                      {"ns_per_accepted_step", m.ns_per_accepted_step}, {"accepted", m.accepted}, {"rejected", m.rejected},
                      {"lane_use", m.lane_use}, {"lanes", m.lanes}, {"error_p99", m.error_p99}, {"ratios", json::object()}};
        std::string against;
        for (std::size_t i = 0; i < peers().size(); ++i) {
            char text[16];
            std::snprintf(text, sizeof text, " %9.2f", i < ratios.size() ? ratios[i] : 1.0);
            against += i < ratios.size() ? text : "          ";
            if (i < ratios.size()) entry["ratios"][peers()[i].name] = ratios[i];
        }
        rows_.push_back(entry);
        if (!quiet_)
            std::printf("%-34s %10.3g %9.2f %9.1f %9.1f %7.3f %9.2e%s\n", name.c_str(), m.members_per_cpu_second, m.ns_per_accepted_step,
                        m.accepted, m.rejected, m.lane_use, m.error_p99, against.c_str());
        std::fflush(stdout);
    }

    void figure(const std::string& name, double value, double target, bool at_least) {
        const bool reached = at_least ? value >= target : value <= target;
        figures_.push_back({{"name", name}, {"value", value}, {"target", target}, {"at_least", at_least}, {"reached", reached}});
        if (!quiet_)
            std::printf("%-90s %8.3g  (%s %g: %s)\n", name.c_str(), value, at_least ? "at least" : "at most", target,
                        reached ? "reached" : "missed");
        std::fflush(stdout);
    }

    json result() const { return {{"rows", rows_}, {"figures", figures_}}; }

private:
    bool quiet_;
    json rows_ = json::array(), figures_ = json::array();
};

std::vector<InstructionSet> sets_to_measure() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::baseline})
        for (const CpuCode* code : cpu_codes())
            if (code->set == set && supported(set)) sets.push_back(set);
    return sets;
}

struct PeerResult {
    double members_per_cpu_second, error_p99;
};

std::vector<PeerResult> measure_peers(const Case& which, double rtol, double atol, int repetitions, Report& report) {
    std::vector<PeerResult> results;
    for (const Peer& peer : peers()) {
        const PeerSolver solver = which.name == "Lorenz" ? peer.lorenz : peer.log_halo;
        const PeerRun run = solver(which.members, rtol, atol, repetitions);
        Measurement m;
        const auto count = static_cast<double>(which.members.count());
        m.members_per_cpu_second = count / run.cpu_seconds;
        m.ns_per_accepted_step = 1e9 * run.cpu_seconds / (run.accepted * count);
        m.accepted = run.accepted;
        m.rejected = run.rejected;
        m.lane_use = 1;
        m.error_p99 = error_p99(which, run.states);
        report.row(which.name, peer.name, rtol, m, {});
        results.push_back({m.members_per_cpu_second, m.error_p99});
    }
    return results;
}

std::vector<double> ratios(const Measurement& m, const std::vector<PeerResult>& others) {
    std::vector<double> all;
    for (const PeerResult& other : others) all.push_back(m.members_per_cpu_second / other.members_per_cpu_second);
    return all;
}

void run_case(const Case& which, double rtol, int repetitions, Report& report) {
    char text[80];
    std::snprintf(text, sizeof text, "%s, rtol = %g, %zu members, one core", which.name.c_str(), rtol, which.members.count());
    report.heading(text);
    const bool lorenz = which.name == "Lorenz";
    const auto others = measure_peers(which, rtol, rtol, repetitions, report);
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
        report.figure("tries / (iterations x lanes), " + which.name + ", " + std::to_string(many.lanes) + " lanes", many.lane_use, 0.97, true);
    report.figure("members per CPU-second with all cores against one thread, " + which.name,
                  all.members_per_cpu_second / one.members_per_cpu_second, 0.95, true);
}

int run(int argc, char** argv) {
    CLI::App app("Speed of Gradscape's engine against other integrators, on one core, in one run.", "gradscape-bench");
    bool quick = false, as_json = false, memory = false;
    std::string export_folder;
    app.add_flag("--quick", quick, "fewer members and repetitions: half a minute");
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
        const Case lorenz = lorenz_case(quick ? 4000 : 20000), orbits = gd1_case(quick ? 2000 : 10000);
        run_case(lorenz, 1e-8, repetitions, report);
        run_case(lorenz, 1e-6, repetitions, report);
        run_case(orbits, 1e-8, quick ? 1 : repetitions, report);
        run_threads(lorenz, repetitions, report);
        run_threads(orbits, quick ? 1 : repetitions, report);
        if (peers().size() == 1 && !as_json) std::printf("\nbuilt without SUNDIALS: no comparison with ERKStep\n");
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
