#include "bench/peak_memory.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "bench/measurement.hpp"
#include "models/catalogue.hpp"

namespace gradscape::bench {
namespace {

/// VmHWM of this process in bytes.
double peak_of_this_process() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == "VmHWM:") {
            double kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    throw std::runtime_error("/proc/self/status has no VmHWM");
}

}  // namespace

double peak_memory_of_final_states(std::int64_t members) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    const pid_t child = fork();
    if (child == 0) {
        // A process of its own, so that nothing measured before counts.
        EnsembleRequest request = example_case("GD-1 orbits", "gd1_orbits.json", 1000, 1, true, 1e-3).request;
        request.size = members;
        request.solver.rtol = 1e-5;
        run_ensemble(*find_model(request.model), request);
        const double peak = peak_of_this_process();
        const bool written = write(ends[1], &peak, sizeof peak) == sizeof peak;
        _exit(written ? 0 : 1);
    }
    double peak = 0;
    close(ends[1]);
    const bool received = read(ends[0], &peak, sizeof peak) == sizeof peak;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!received) throw std::runtime_error("the run whose memory is measured failed");
    return peak;
}

}  // namespace gradscape::bench
