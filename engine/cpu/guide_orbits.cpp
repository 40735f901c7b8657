#include "engine/cpu/guide_orbits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "engine/cpu/ensemble_blocks.hpp"
#include "engine/request_limits.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double no_atol = 1e-300;  // in place of zero, so that 0/0 doesn't arise

// Tolerances of the guide against those of the members, so that the error of a member is its own: with 0.1 the errors of stream stars are
// 0.6 to 1.3 times those with an exact guide.
constexpr double tightening = 0.1;

}  // namespace

/// The distinct guides of a block, and its members in the order in which the guides pass their starts.
struct GuideOrbits::Orbits {
    /// Some rows of one guide. A guide that few others stand beside is integrated in several lanes, each of which serves a part of its
    /// rows: the lanes would be idle otherwise.
    struct Part {
        std::size_t orbit, first_row, rows;
    };
    std::size_t width = 0;             ///< numbers per guide: inputs, states, start, end
    std::vector<double> begin;         ///< [guide][width]
    std::vector<std::size_t> orbit;    ///< [member]
    std::vector<std::size_t> members;  ///< [row]: which member's start the row is
    std::vector<double> times;         ///< [row]
    std::vector<Part> parts;

    const double* inputs(std::size_t i) const { return begin.data() + i * width; }
    double start(std::size_t i) const { return begin[(i + 1) * width - 2]; }
    double end(std::size_t i) const { return begin[(i + 1) * width - 1]; }
};

namespace {

/// Hands the parts to the lanes of one thread.
template <class Orbits>
class GuideJob final : public LaneJob {
public:
    GuideJob(const SolverConstants& constants, const GuideDescription& guide, const Orbits& orbits, EnsembleBlock& block,
             const std::atomic<bool>& cancelled)
        : LaneJob(constants),
          values(static_cast<std::size_t>(guide.states) * orbits.times.size(), missing),
          status(orbits.begin.size() / orbits.width, Status::ok),
          guide_(guide),
          orbits_(orbits),
          block_(block),
          cancelled_(cancelled),
          initial_(static_cast<std::size_t>(guide.states) * orbits.parts.size()) {}

    int take(int count, LaneMember* members, double* p, double* y0, double* start, double* end) override {
        const auto lanes = static_cast<std::size_t>(count);
        std::size_t taken = 0;
        for (; taken < lanes && next_ < orbits_.parts.size(); ++taken, ++next_) {
            const auto& part = orbits_.parts[next_];
            const double* const inputs = orbits_.inputs(part.orbit);
            const auto n_inputs = static_cast<std::size_t>(guide_.inputs), n_states = static_cast<std::size_t>(guide_.states);
            for (std::size_t i = 0; i < n_inputs; ++i) p[i * lanes + taken] = inputs[i];
            for (std::size_t d = 0; d < n_states; ++d) y0[d * lanes + taken] = inputs[n_inputs + d];
            start[taken] = orbits_.start(part.orbit);
            end[taken] = orbits_.end(part.orbit);
            LaneMember& member = members[taken];
            member = {};
            member.block = &block_;
            member.index = static_cast<std::int64_t>(part.orbit);
            member.times = orbits_.times.data() + part.first_row;
            member.rows = static_cast<std::int64_t>(part.rows);
            member.values = values.data() + part.first_row;
            member.state_stride = static_cast<std::int64_t>(orbits_.times.size());
            member.initial = initial_.data() + next_;
            member.initial_stride = static_cast<std::int64_t>(orbits_.parts.size());
        }
        return static_cast<int>(taken);
    }
    void finish(const LaneMember& member, Status how, double /*stopped_at*/, double /*accepted*/, double /*rejected*/) override {
        if (how != Status::ok) status[static_cast<std::size_t>(member.index)] = how;
    }
    bool cancelled() const override { return cancelled_.load(std::memory_order_relaxed); }

    std::vector<double> values;  ///< [state][row]
    std::vector<Status> status;  ///< [guide]

private:
    const GuideDescription& guide_;
    const Orbits& orbits_;
    EnsembleBlock& block_;
    const std::atomic<bool>& cancelled_;
    std::vector<double> initial_;  // [state][part]
    std::size_t next_ = 0;
};

}  // namespace

GuideOrbits::GuideOrbits(const ModelDescription& model, const SolverRequest& solver, const Kernels& kernels, const CpuCode& code,
                         std::size_t method)
    : model_(model),
      solver_(solver),
      functions_(kernels.guide),
      solve_(kernels.inlined_guide[method] != nullptr ? kernels.inlined_guide[method] : code.solve[method]),
      lanes_(static_cast<std::size_t>(code.lanes)) {
    solver_.rtol = std::max(smallest_rtol, tightening * solver.rtol);
    solver_.atol.resize(static_cast<std::size_t>(model.guide.states));
    for (double& atol : solver_.atol) atol = std::max(tightening * atol, no_atol);
}

GuideOrbits::Orbits GuideOrbits::distinct_orbits(const EnsembleBlock& block) const {
    const auto count = static_cast<std::size_t>(block.chunk.count), n_inputs = static_cast<std::size_t>(model_.guide.inputs);
    Orbits orbits;
    orbits.width = n_inputs + static_cast<std::size_t>(model_.guide.states) + 2;
    orbits.orbit.assign(count, 0);
    std::vector<double> keys(count * orbits.width, 0.0);  // refers to by `known`
    std::unordered_map<std::string_view, std::size_t> known;
    std::vector<std::size_t> rows_of;
    std::array<double, most_components> p;
    const double* before = nullptr;
    for (std::size_t m = 0; m < count; ++m) {
        if (block.before_start[m] != Status::ok) continue;
        for (std::size_t i = 0; i < model_.first_of_guide(); ++i) p[i] = block.inputs[i * count + m];
        double* const key = keys.data() + m * orbits.width;
        model_.guide.begin(p.data(), key, key + n_inputs, key[orbits.width - 2], key[orbits.width - 1]);
        if (before != nullptr && std::equal(key, key + orbits.width, before)) {  // mostly: neighbours share it
            orbits.orbit[m] = orbits.orbit[static_cast<std::size_t>(before - keys.data()) / orbits.width];
        } else {
            const std::string_view bytes(reinterpret_cast<const char*>(key), orbits.width * sizeof(double));
            const auto [at, is_new] = known.try_emplace(bytes, rows_of.size());
            if (is_new) {
                rows_of.push_back(0);
                orbits.begin.insert(orbits.begin.end(), key, key + orbits.width);
            }
            orbits.orbit[m] = at->second;
        }
        before = key;
        ++rows_of[orbits.orbit[m]];
        orbits.members.push_back(m);
    }
    const std::vector<double>& start = block.chunk.span_start;
    std::vector<double> passed(count, 0.0);  // when the guide comes by
    for (const std::size_t m : orbits.members) {
        const std::size_t i = orbits.orbit[m];
        passed[m] = orbits.end(i) < orbits.start(i) ? -start[m] : start[m];
    }
    std::sort(orbits.members.begin(), orbits.members.end(), [&](std::size_t a, std::size_t b) {
        if (orbits.orbit[a] != orbits.orbit[b]) return orbits.orbit[a] < orbits.orbit[b];
        return passed[a] != passed[b] ? passed[a] < passed[b] : a < b;
    });
    if (rows_of.empty()) return orbits;

    const std::size_t most_parts = std::max<std::size_t>(1, lanes_ / rows_of.size());
    std::vector<std::size_t> dealt;
    dealt.reserve(orbits.members.size());
    std::size_t first = 0;
    for (std::size_t i = 0; i < rows_of.size(); first += rows_of[i++]) {
        const std::size_t parts = std::min(most_parts, rows_of[i]);
        for (std::size_t part = 0; part < parts; ++part) {
            orbits.parts.push_back({i, dealt.size(), 0});
            for (std::size_t row = part; row < rows_of[i]; row += parts) dealt.push_back(orbits.members[first + row]);
            orbits.parts.back().rows = dealt.size() - orbits.parts.back().first_row;
        }
    }
    orbits.members = std::move(dealt);
    for (const std::size_t m : orbits.members) orbits.times.push_back(start[m]);
    return orbits;
}

void GuideOrbits::solve(EnsembleBlock& block, const std::atomic<bool>& cancelled) const {
    const Orbits orbits = distinct_orbits(block);
    if (orbits.parts.empty()) return;
    SolverConstants constants{};
    constants.rtol = solver_.rtol;
    constants.atol = solver_.atol.data();
    constants.largest_step = solver_.max_step.value_or(std::numeric_limits<double>::infinity());
    constants.max_steps = static_cast<double>(solver_.max_steps);
    GuideJob<Orbits> job(constants, model_.guide, orbits, block, cancelled);
    solve_(functions_, job);

    const auto count = static_cast<std::size_t>(block.chunk.count), rows = orbits.times.size();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t m = orbits.members[row];
        const Status status = job.status[orbits.orbit[m]];
        if (status != Status::ok) {
            block.before_start[m] = status;
            continue;
        }
        for (std::size_t d = 0; d < static_cast<std::size_t>(model_.guide.states); ++d)
            block.inputs[(model_.first_of_guide() + d) * count + m] = job.values[d * rows + row];
        if (std::isnan(job.values[row])) block.before_start[m] = Status::bad_input;  // the guide doesn't pass this start
    }
}

}  // namespace gradscape
