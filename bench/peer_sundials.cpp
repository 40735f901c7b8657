#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include "bench/peer_run.hpp"
#include "models/bbh_precession.hpp"
#include "models/log_halo.hpp"
#include "models/lorenz.hpp"
#include "models/quintessence_exp.hpp"

namespace gradscape::bench {
namespace {

template <class Model>
int rhs(realtype t, N_Vector y, N_Vector dydt, void* parameters) {
    Model::rhs(t, N_VGetArrayPointer(y), static_cast<const double*>(parameters), N_VGetArrayPointer(dydt));
    return 0;
}

template <class Model>
class ErkStepIntegrator {
public:
    ErkStepIntegrator(const Members& members, double rtol, double atol, ARKODE_ERKTableID table)
        : rtol_(rtol), first_step_(members.end < members.start ? -members.first_step : members.first_step) {
        SUNContext_Create(nullptr, &context_);
        y_ = N_VNew_Serial(static_cast<sunindextype>(Model::states.size()), context_);
        N_VConst(1, y_);
        solver_ = ERKStepCreate(rhs<Model>, members.start, y_, context_);
        ERKStepSStolerances(solver_, rtol, atol);
        ERKStepSetTableNum(solver_, table);
        ERKStepSetMaxNumSteps(solver_, most_steps);
        ERKStepSetMaxErrTestFails(solver_, 100);
        ERKStepSetErrFile(solver_, nullptr);
    }
    ErkStepIntegrator(const ErkStepIntegrator&) = delete;
    ErkStepIntegrator& operator=(const ErkStepIntegrator&) = delete;
    ~ErkStepIntegrator() {
        ERKStepFree(&solver_);
        N_VDestroy(y_);
        SUNContext_Free(&context_);
    }

    /// The first step is ERKStep's own, unless it is to differ.
    void begin(const double* p, double t, const double* y, double first_step_factor) {
        std::copy_n(y, Model::states.size(), N_VGetArrayPointer(y_));
        t_ = t;
        ERKStepReInit(solver_, rhs<Model>, t, y_);
        ERKStepSetUserData(solver_, const_cast<double*>(p));
        if (first_step_factor != factor_) {
            factor_ = first_step_factor;
            ERKStepSetInitStep(solver_, factor_ == 1 ? 0 : factor_ * first_step_);
        }
        counted_ = attempts_ = 0;
        failed_ = false;
    }

    void to(double end) {
        if (end == t_ || failed_) return;
        ERKStepSetStopTime(solver_, end);
        failed_ = ERKStepEvolve(solver_, end, y_, &t_, ARK_NORMAL) < 0;  // at some coarse tolerances
        if (failed_) N_VConst(std::numeric_limits<double>::quiet_NaN(), y_);
        t_ = end;
        long steps = 0, attempts = 0;
        ERKStepGetNumSteps(solver_, &steps);
        ERKStepGetNumStepAttempts(solver_, &attempts);
        accepted += steps - counted_;
        rejected += attempts - attempts_ - (steps - counted_);
        counted_ = steps;
        attempts_ = attempts;
    }

    const double* state() const { return N_VGetArrayPointer(y_); }
    double relative_tolerance() const { return rtol_; }

    long accepted = 0, rejected = 0;

private:
    static constexpr long most_steps = 30'000;  ///< of one solve; whatever needs more isn't the fastest

    const double rtol_, first_step_;
    double factor_ = 1;
    realtype t_ = 0;
    long counted_ = 0, attempts_ = 0;  ///< of this solve
    bool failed_ = false;
    SUNContext context_ = nullptr;
    N_Vector y_ = nullptr;
    void* solver_ = nullptr;
};

struct MakeErkStep {
    double rtol, atol;
    ARKODE_ERKTableID table;
    template <class Model>
    ErkStepIntegrator<Model> integrator(const Members& members) const {
        return {members, rtol, atol, table};
    }
};

template <ARKODE_ERKTableID table>
PeerRun run(const Members& members, double rtol, double atol, int repetitions, RowsOfShooting rows) {
    return run_model<MakeErkStep, models::Lorenz, models::LogHalo, models::QuintessenceExp, models::BbhPrecession>(
        {rtol, atol, table}, members, repetitions, rows);
}

}  // namespace

const std::vector<Peer>& erkstep_peers() {
    static const std::vector<Peer> all = {{"SUNDIALS ERKStep", "order 5", run<ARKODE_DORMAND_PRINCE_7_4_5>},
                                          {"SUNDIALS ERKStep", "order 6", run<ARKODE_VERNER_8_5_6>},
                                          {"SUNDIALS ERKStep", "order 8", run<ARKODE_FEHLBERG_13_7_8>}};
    return all;
}

}  // namespace gradscape::bench
