// A peer's run through the members, whichever its integrator.
//
// An integrator has
//     begin(p, t, y, first_step_factor)   begins a solve; p stays valid until the next one
//     to(t)                               goes on to t, exactly
//     state()                             the state there
//     accepted, rejected                  steps of all solves so far
//     relative_tolerance()
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "bench/peer.hpp"
#include "engine/first_crossing.hpp"

namespace gradscape::bench {

template <class Model, class Integrator>
class PeerMembers {
public:
    PeerMembers(const Members& members, Integrator& integrator, RowsOfShooting rows)
        : members_(members), integrator_(integrator), when_(rows), initial_(members.initial) {
        for (std::size_t m = 0; m < members.count(); ++m) {
            double computed[states];
            Model::initial_state(members.parameters.data() + m * parameters, computed);
            for (std::size_t d = 0; d < states; ++d)
                if (double& y = initial_[m * states + d]; y != y) y = computed[d];
        }
    }

    PeerRun run(int repetitions) {
        const std::size_t count = members_.count();
        PeerRun result;
        result.states.assign(states * count * members_.rows.size(), std::numeric_limits<double>::quiet_NaN());
        result.internals.assign((inputs - parameters) * count, std::numeric_limits<double>::quiet_NaN());
        result.cpu_seconds = std::numeric_limits<double>::infinity();
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            const double begin = thread_cpu_seconds();
            integrator_.accepted = integrator_.rejected = 0;
            for (std::size_t m = 0; m < count; ++m) {
                double p[inputs]{};
                std::copy_n(members_.parameters.begin() + static_cast<std::ptrdiff_t>(m * parameters), parameters, p);
                const double* const y = initial_.data() + m * states;
                if constexpr (Shoots<Model>) {
                    if (!shoot(p, y, m, result)) continue;
                } else {
                    solve(p, y, 1, m, &result);
                }
                for (std::size_t i = parameters; i < inputs; ++i) result.internals[(i - parameters) * count + m] = p[i];
            }
            result.cpu_seconds = std::min(result.cpu_seconds, thread_cpu_seconds() - begin);
        }
        result.accepted = static_cast<double>(integrator_.accepted) / static_cast<double>(count);
        result.rejected = static_cast<double>(integrator_.rejected) / static_cast<double>(count);
        return result;
    }

private:
    static constexpr std::size_t states = Model::states.size(), parameters = Model::parameters.size(), inputs = inputs_of<Model>;

    /// From start to end, with the rows where there is a result to put them in.
    void solve(const double* p, const double* y, double first_step_factor, std::size_t m, PeerRun* result) {
        integrator_.begin(p, members_.start, y, first_step_factor);
        const std::size_t rows = members_.rows.size(), stride = members_.count() * rows;
        if (result != nullptr)
            for (std::size_t row = 0; row < rows; ++row) {
                integrator_.to(members_.rows[row]);
                for (std::size_t d = 0; d < states; ++d) result->states[d * stride + m * rows + row] = integrator_.state()[d];
            }
        integrator_.to(members_.end);
    }

    /// The same search as in the lanes (LaneSolver::aim), its way out of a jump of the residual included. Returns whether it found the
    /// unknown.
    bool shoot(double* p, const double* y, std::size_t m, PeerRun& result)
        requires Shoots<Model>
    {
        using Verdict = FirstCrossing::Verdict;
        const CrossingRules& rules = Model::shooting.search;
        const bool in_every_solve = when_ == RowsOfShooting::in_every_solve;
        FirstCrossing search{};
        double first_step_factor = 1;
        if (!search.begin(Model::lowest_unknown(y, p), rules)) return false;
        for (int stalls = 0;;) {
            p[parameters] = search.x;
            solve(p, y, first_step_factor, m, in_every_solve ? &result : nullptr);
            const double f = Model::residual(integrator_.state(), p);
            Verdict verdict = search.report(f, rules);
            if (verdict == Verdict::stalled) {
                if (stalls < 3) {
                    ++stalls;
                    first_step_factor *= 0.9;
                    if (search.begin(Model::lowest_unknown(y, p), rules)) verdict = Verdict::evaluate;
                } else if (std::abs(f) <= integrator_.relative_tolerance()) {
                    verdict = Verdict::found;
                }
            }
            if (verdict == Verdict::found) break;
            if (verdict != Verdict::evaluate) return false;
        }
        if (!in_every_solve) solve(p, y, first_step_factor, m, &result);
        double closing[inputs];
        Model::close(integrator_.state(), p, closing);
        std::copy_n(closing, inputs - parameters - 1, p + parameters + 1);
        return true;
    }

    const Members& members_;
    Integrator& integrator_;
    const RowsOfShooting when_;
    std::vector<double> initial_;  ///< [member][state]
};

/// The run with the integrator made for the members' model, one of those given: Make::integrator<Model>(members).
template <class Make, class Model, class... Others>
PeerRun run_model(const Make& make, const Members& members, int repetitions, RowsOfShooting rows) {
    if (std::string_view(members.model->info.name) == Model::info.name) {
        auto integrator = make.template integrator<Model>(members);
        return PeerMembers<Model, decltype(integrator)>(members, integrator, rows).run(repetitions);
    }
    if constexpr (sizeof...(Others) > 0)
        return run_model<Make, Others...>(make, members, repetitions, rows);
    else
        throw std::invalid_argument("no peer is compiled for the model " + std::string(members.model->info.name));
}

}  // namespace gradscape::bench
