// The rows and figures of a run: printed as they come, and kept for --json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measurement.hpp"

namespace gradscape::bench {

class Report {
public:
    explicit Report(bool quiet) : quiet_(quiet) {}

    void heading(const std::string& text) const;

    /// `ratios`: members per CPU-second over those of each library of peers, in the order of libraries(); empty for the peers themselves.
    void row(const std::string& which, const std::string& name, double rtol, const Measurement& m, const std::vector<double>& ratios);

    void figure(const std::string& name, double value, double target, bool at_least);

    nlohmann::json result() const { return {{"rows", rows_}, {"figures", figures_}}; }

private:
    bool quiet_;
    nlohmann::json rows_ = nlohmann::json::array(), figures_ = nlohmann::json::array();
};

}  // namespace gradscape::bench
