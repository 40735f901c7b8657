#include "bench/report.hpp"

#include <cstdio>

namespace gradscape::bench {

void Report::heading(const std::string& text) const {
    if (quiet_) return;
    std::printf("\n%s\n%-38s %9s %10s %9s %9s %9s %7s %9s %9s %9s\n", text.c_str(), "", "rtol", "members", "ns per", "accepted",
                "rejected", "lane", "error", "against", "against");
    std::printf("%-38s %9s %10s %9s %9s %9s %7s %9s %9s %9s\n", "", "", "per CPU-s", "step", "steps", "steps", "use", "99 %", "odeint",
                "ERKStep");
}

void Report::row(const std::string& which, const std::string& name, double rtol, const Measurement& m, const std::vector<double>& ratios) {
    nlohmann::json entry = {{"case", which}, {"name", name}, {"rtol", rtol}, {"members_per_cpu_second", m.members_per_cpu_second},
                            {"ns_per_accepted_step", m.ns_per_accepted_step}, {"accepted", m.accepted}, {"rejected", m.rejected},
                            {"lane_use", m.lane_use}, {"lanes", m.lanes}, {"error_p99", m.error_p99}, {"ratios", nlohmann::json::object()}};
    std::string against;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        char text[16];
        std::snprintf(text, sizeof text, " %9.2f", ratios[i]);
        against += text;
        entry["ratios"][libraries()[i].front().package] = ratios[i];
    }
    rows_.push_back(entry);
    if (quiet_) return;
    std::printf("%-38s %9.2e %10.3g %9.2f %9.1f %9.1f %7.3f %9.2e%s\n", name.c_str(), rtol, m.members_per_cpu_second,
                m.ns_per_accepted_step, m.accepted, m.rejected, m.lane_use, m.error_p99, against.c_str());
    std::fflush(stdout);
}

void Report::figure(const std::string& name, double value, double target, bool at_least) {
    const bool reached = at_least ? value >= target : value <= target;
    figures_.push_back({{"name", name}, {"value", value}, {"target", target}, {"at_least", at_least}, {"reached", reached}});
    if (quiet_) return;
    std::printf("%-90s %8.3g  (%s %g: %s)\n", name.c_str(), value, at_least ? "at least" : "at most", target,
                reached ? "reached" : "missed");
    std::fflush(stdout);
}

}  // namespace gradscape::bench
