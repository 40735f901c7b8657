#include <boost/numeric/odeint.hpp>

#include "bench/peer_run.hpp"
#include "models/bbh_precession.hpp"
#include "models/log_halo.hpp"
#include "models/lorenz.hpp"
#include "models/quintessence_exp.hpp"

namespace gradscape::bench {
namespace {

namespace odeint = boost::numeric::odeint;

/// odeint::integrate_adaptive, with steps counted, and a step that was cut at a row taken up again behind it.
template <class Model, template <class> class Stepper>
class OdeintIntegrator {
    using State = std::array<double, Model::states.size()>;

public:
    OdeintIntegrator(const Members& members, double rtol, double atol)
        : rtol_(rtol),
          first_step_(members.end < members.start ? -members.first_step : members.first_step),
          stepper_(odeint::make_controlled<Stepper<State>>(atol, rtol)) {}

    void begin(const double* p, double t, const double* y, double first_step_factor) {
        p_ = p;
        t_ = t;
        std::copy_n(y, y_.size(), y_.begin());
        step_ = first_step_ * first_step_factor;
        if constexpr (requires { stepper_.reset(); }) stepper_.reset();  // the right-hand side that is kept for the next step
    }

    void to(double end) {
        const double* const p = p_;
        const auto rhs = [p](const State& y, State& dydt, double t) { Model::rhs(t, y.data(), p, dydt.data()); };
        while (odeint::detail::less_with_sign(t_, end, step_)) {
            const double wanted = step_;
            const bool cut = odeint::detail::less_with_sign(end, t_ + step_, step_);
            if (cut) step_ = end - t_;
            bool whole = true;
            while (stepper_.try_step(rhs, y_, t_, step_) == odeint::fail) {
                whole = false;
                if (++rejected > 1'000'000'000) throw std::runtime_error("odeint doesn't get on");
            }
            ++accepted;
            if (cut && whole && std::abs(step_) < std::abs(wanted)) step_ = wanted;
        }
    }

    const double* state() const { return y_.data(); }
    double relative_tolerance() const { return rtol_; }

    long accepted = 0, rejected = 0;

private:
    const double rtol_, first_step_;
    const double* p_ = nullptr;
    double t_ = 0, step_ = 0;
    State y_{};
    typename odeint::result_of::make_controlled<Stepper<State>>::type stepper_;
};

template <template <class> class Stepper>
struct MakeOdeint {
    double rtol, atol;
    template <class Model>
    OdeintIntegrator<Model, Stepper> integrator(const Members& members) const {
        return {members, rtol, atol};
    }
};

template <template <class> class Stepper>
PeerRun run(const Members& members, double rtol, double atol, int repetitions, RowsOfShooting rows) {
    return run_model<MakeOdeint<Stepper>, models::Lorenz, models::LogHalo, models::QuintessenceExp, models::BbhPrecession>(
        {rtol, atol}, members, repetitions, rows);
}

// odeint's steppers have defaulted parameters that aren't all types.
template <class State>
using Dopri5 = odeint::runge_kutta_dopri5<State>;
template <class State>
using Fehlberg78 = odeint::runge_kutta_fehlberg78<State>;

}  // namespace

const std::vector<Peer>& odeint_peers() {
    static const std::vector<Peer> all = {{"Boost.odeint", "dopri5", run<Dopri5>}, {"Boost.odeint", "fehlberg78", run<Fehlberg78>}};
    return all;
}

}  // namespace gradscape::bench
