#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <stdexcept>

#include "bench/peer.hpp"
#include "models/log_halo.hpp"
#include "models/lorenz.hpp"

namespace gradscape::bench {
namespace {

template <class Model>
int rhs(realtype t, N_Vector y, N_Vector dydt, void* parameters) {
    Model::rhs(t, N_VGetArrayPointer(y), static_cast<const double*>(parameters), N_VGetArrayPointer(dydt));
    return 0;
}

template <class Model>
PeerRun solve(const Members& members, double rtol, double atol, int repetitions) {
    constexpr std::size_t states = Model::states.size(), parameters = Model::parameters.size();
    const std::size_t count = members.count();
    PeerRun run;
    run.states.resize(states * count);
    run.cpu_seconds = 1e300;
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(static_cast<sunindextype>(states), context);
    const auto load = [&](std::size_t m) {
        std::copy_n(members.initial.begin() + static_cast<std::ptrdiff_t>(m * states), states, N_VGetArrayPointer(y));
    };
    load(0);
    void* solver = ERKStepCreate(rhs<Model>, members.start, y, context);
    ERKStepSStolerances(solver, rtol, atol);
    ERKStepSetTableNum(solver, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSetMaxNumSteps(solver, 1'000'000);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const double begin = thread_cpu_seconds();
        long accepted = 0, attempts = 0;
        for (std::size_t m = 0; m < count; ++m) {
            load(m);
            ERKStepReInit(solver, rhs<Model>, members.start, y);
            ERKStepSetUserData(solver, const_cast<double*>(members.parameters.data() + m * parameters));
            ERKStepSetStopTime(solver, members.end);
            realtype reached = members.start;
            if (ERKStepEvolve(solver, members.end, y, &reached, ARK_NORMAL) < 0) throw std::runtime_error("ERKStep failed");
            for (std::size_t d = 0; d < states; ++d) run.states[d * count + m] = N_VGetArrayPointer(y)[d];
            long of_member = 0, attempts_of_member = 0;
            ERKStepGetNumSteps(solver, &of_member);
            ERKStepGetNumStepAttempts(solver, &attempts_of_member);
            accepted += of_member;
            attempts += attempts_of_member;
        }
        run.cpu_seconds = std::min(run.cpu_seconds, thread_cpu_seconds() - begin);
        run.accepted = static_cast<double>(accepted) / static_cast<double>(count);
        run.rejected = static_cast<double>(attempts - accepted) / static_cast<double>(count);
    }
    ERKStepFree(&solver);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return run;
}

}  // namespace

PeerRun erkstep_lorenz(const Members& members, double rtol, double atol, int repetitions) {
    return solve<models::Lorenz>(members, rtol, atol, repetitions);
}

PeerRun erkstep_log_halo(const Members& members, double rtol, double atol, int repetitions) {
    return solve<models::LogHalo>(members, rtol, atol, repetitions);
}

}  // namespace gradscape::bench
