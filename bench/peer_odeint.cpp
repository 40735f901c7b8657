#include <boost/numeric/odeint.hpp>

#include "bench/peer.hpp"
#include "models/log_halo.hpp"
#include "models/lorenz.hpp"

namespace gradscape::bench {
namespace {

namespace odeint = boost::numeric::odeint;

template <class Model>
PeerRun solve(const Members& members, double rtol, double atol, int repetitions) {
    constexpr std::size_t states = Model::states.size(), parameters = Model::parameters.size();
    using State = std::array<double, states>;
    const std::size_t count = members.count();
    PeerRun run;
    run.states.resize(states * count);
    run.cpu_seconds = 1e300;
    const double first_step = 1e-3 * (members.end - members.start);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const double begin = thread_cpu_seconds();
        std::size_t steps = 0;
        for (std::size_t m = 0; m < count; ++m) {
            const double* const p = members.parameters.data() + m * parameters;
            const auto rhs = [p](const State& y, State& dydt, double t) { Model::rhs(t, y.data(), p, dydt.data()); };
            State y;
            std::copy_n(members.initial.begin() + static_cast<std::ptrdiff_t>(m * states), states, y.begin());
            const auto stepper = odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(atol, rtol);
            steps += odeint::integrate_adaptive(stepper, rhs, y, members.start, members.end, first_step);
            for (std::size_t d = 0; d < states; ++d) run.states[d * count + m] = y[d];
        }
        run.cpu_seconds = std::min(run.cpu_seconds, thread_cpu_seconds() - begin);
        run.accepted = static_cast<double>(steps) / static_cast<double>(count);
    }
    return run;
}

}  // namespace

PeerRun odeint_dopri5_lorenz(const Members& members, double rtol, double atol, int repetitions) {
    return solve<models::Lorenz>(members, rtol, atol, repetitions);
}

PeerRun odeint_dopri5_log_halo(const Members& members, double rtol, double atol, int repetitions) {
    return solve<models::LogHalo>(members, rtol, atol, repetitions);
}

}  // namespace gradscape::bench
