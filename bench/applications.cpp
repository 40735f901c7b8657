#include "bench/applications.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/cpu/instruction_set.hpp"

namespace gradscape::bench {
namespace {

struct Application {
    const char *key, *title, *scenario;
    bool end_alone;            ///< one row, the end of the span; else the scenario's rows, at which the peers stop
    double first_step;         ///< of odeint, over the span: about the steps that it then takes
    double accepted_error;     ///< 99th percentile of the model's error measure; 0: not compared with peers
    double ratio;              ///< what is aimed at, against the fastest peer
    std::int64_t members;      ///< of the timed run
    int sample;                ///< members of the error, and of the peers' time
    std::int64_t lane_members; ///< of the run whose lane use is measured
    double lane_use;           ///< what is aimed at; 0: not measured here
};

// The stream is here for its lane use alone: its peers would be those of the orbits.
constexpr Application applications[] = {
    {"orbits", "GD-1 orbits to 1e-4", "gd1_orbits.json", true, 1e-2, 1e-4, 8, 10000, 1000, 0, 0},
    {"quintessence", "Distances, quintessence with shooting, to 1e-6", "thawing_dark_energy.json", false, 5e-2, 1e-6, 8, 10000, 1000,
     100000, 0.95},
    {"stream", "Stream of GD-1, ages 0 to 3 Gyr", "gd1_stream.json", true, 1e-2, 0, 0, 0, 0, 40000, 0.95},
    {"spins", "Spins, r 100 to 10, to 1e-7 rad", "binary_spins.json", true, 1e-3, 1e-7, 8, 2000, 400, 40000, 0.95},
};

/// The fastest accepted configuration of each library. `few`: the case with fewer members in its sample, on which a configuration is tried
/// first; one that comes out three times slower than the fastest so far is left at that. "none": it is accepted at no tolerance.
std::vector<double> fastest_peers(const Application& application, const Case& which, const Case& few, int repetitions, Report& report) {
    std::vector<double> fastest;
    double fastest_of_all = 0;
    const double atol_over_rtol = which.request.solver.atol.front() / which.request.solver.rtol;
    const bool shoots = which.model->description.shooting != nullptr;
    for (const std::vector<Peer>& library : libraries()) {
        fastest.push_back(0);
        for (const Peer& peer : library)
            for (const RowsOfShooting rows : {RowsOfShooting::in_every_solve, RowsOfShooting::in_one_more_solve}) {
                if (rows == RowsOfShooting::in_one_more_solve && !shoots) continue;
                std::string name = peer.name() + (rows == RowsOfShooting::in_one_more_solve ? " + solve" : "");
                const auto at_accepted_error = [&](const Case& on, int times) {
                    const double rtol = rtol_at_error(on, peer, atol_over_rtol, application.accepted_error, rows);
                    return std::pair(rtol, measure(on, peer, rtol, rtol * atol_over_rtol, times, true, rows));
                };
                auto [rtol, m] = at_accepted_error(few, 1);
                if (!(m.error_p99 <= application.accepted_error)) {
                    report.row(which.name, name + ": none", rtol, {.error_p99 = std::numeric_limits<double>::quiet_NaN()}, {});
                    continue;
                }
                if (m.members_per_cpu_second > fastest_of_all / 3)
                    std::tie(rtol, m) = at_accepted_error(which, repetitions);
                else
                    name += " (" + std::to_string(few.sample.size()) + ")";
                report.row(which.name, name, rtol, m, {});
                fastest.back() = std::max(fastest.back(), m.members_per_cpu_second);
                fastest_of_all = std::max(fastest_of_all, fastest.back());
            }
    }
    return fastest;
}

void compare(const Application& application, bool quick, Report& report) {
    const std::int64_t members = quick ? application.members / 2 : application.members;
    const int sample = quick ? application.sample / 4 : application.sample;
    const auto with_sample = [&](int count) {
        return example_case(application.title, application.scenario, members, count, application.end_alone, application.first_step);
    };
    const Case which = with_sample(sample), few = with_sample(quick ? 8 : 20);
    const int repetitions = quick ? 3 : 9;
    report.heading(which.name + ", " + std::to_string(which.members.count()) + " members, one core; " +
                   std::to_string(which.members.rows.size()) + " rows; peers: " + std::to_string(which.sample.size()) +
                   " of the members, or the number in brackets");
    const std::vector<double> others = fastest_peers(application, which, few, repetitions, report);
    const double fastest = *std::max_element(others.begin(), others.end());
    for (const InstructionSet set : sets_to_measure()) {
        double best = 0;
        for (const MethodInfo& method : methods) {
            const SolverRequest& solver = which.request.solver;
            const Settings start{std::string(method.name), solver.rtol, solver.atol.front(), set, 1, set == best_instruction_set() ? repetitions : 3};
            const Settings settings = at_error(which, start, application.accepted_error);
            const Measurement m = measure(which, settings);
            std::vector<double> ratios;
            for (const double other : others) ratios.push_back(m.members_per_cpu_second / other);
            report.row(which.name, std::string(name(set)) + " " + settings.method, settings.rtol, m, ratios);
            best = std::max(best, m.members_per_cpu_second);
        }
        if (set == best_instruction_set())
            report.figure(which.name + ", against the fastest peer, " + std::string(name(set)), best / fastest, application.ratio, true);
    }
}

void measure_lane_use(const Application& application, bool quick, Report& report) {
    const std::int64_t members = quick ? application.lane_members / 4 : application.lane_members;
    const Case which = example_case(application.title, application.scenario, members, 100, application.end_alone, application.first_step);
    const InstructionSet set = best_instruction_set();
    const SolverRequest& solver = which.request.solver;
    const int threads = std::max(1, 256 / cpu_code(set).lanes);
    const Measurement m =
        measure(which, {which.model->description.info.preferred_method, solver.rtol, solver.atol.front(), set, threads, 1});
    report.heading(which.name + ", " + std::to_string(which.members.count()) + " members, default tolerance");
    report.row(which.name, std::to_string(threads) + " threads, " + std::to_string(m.lanes) + " lanes", solver.rtol, m, {});
    report.figure("tries / (iterations x lanes), " + which.name + ", " + std::to_string(m.lanes) + " lanes", m.lane_use,
                  application.lane_use, true);
}

}  // namespace

void run_applications(bool quick, const std::string& only, Report& report) {
    for (const Application& application : applications) {
        if (!only.empty() && only != application.key) continue;
        if (application.accepted_error > 0) compare(application, quick, report);
        if (application.lane_use > 0) measure_lane_use(application, quick, report);
    }
}

std::vector<std::string> application_names() {
    std::vector<std::string> names;
    for (const Application& application : applications) names.emplace_back(application.key);
    return names;
}

}  // namespace gradscape::bench
