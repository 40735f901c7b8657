// Observables, invariants and the error measure at many points, a pack of points at a time.
#pragma once

#include "engine/cpu/lane_job.hpp"
#include "engine/cpu/pack.hpp"
#include "engine/model.hpp"

namespace gradscape {

template <class T>
void evaluate_points(const void* table, PointFunction function, const PointBlock& block) {
    constexpr int lanes = LaneTraits<T>::lanes;
    constexpr int most = 128;  // states, parameters or quantities of a model
    const auto& functions = *static_cast<const ModelFunctions<T>*>(table);
    const int quantities = function == PointFunction::observe     ? functions.n_observables
                           : function == PointFunction::conserved ? functions.n_invariants
                                                                  : 1;
    alignas(64) double buffer[lanes];
    T t, y[most], reference[most], p[most], out[most];
    for (std::int64_t first = 0; first < block.points; first += lanes) {
        const int count = static_cast<int>(block.points - first < lanes ? block.points - first : lanes);
        // The lanes of an unfinished pack repeat its first point.
        const auto gather = [&](auto&& value) {
            for (int lane = 0; lane < lanes; ++lane) buffer[lane] = value(first + (lane < count ? lane : 0));
            return LaneTraits<T>::load(buffer);
        };
        t = gather([&](std::int64_t i) { return block.times[block.times_per_point ? i : i % block.rows]; });
        for (int i = 0; i < functions.n_parameters; ++i)
            p[i] = gather([&](std::int64_t j) { return block.parameters[i * block.parameter_stride + j / block.rows]; });
        for (int d = 0; d < functions.n_states; ++d) {
            y[d] = gather([&](std::int64_t j) { return block.states[d * block.state_stride + j]; });
            if (function == PointFunction::error)
                reference[d] = gather([&](std::int64_t j) { return block.reference[d * block.state_stride + j]; });
        }
        switch (function) {
            case PointFunction::observe: functions.observe(t, y, p, out); break;
            case PointFunction::conserved: functions.conserved(t, y, p, out); break;
            case PointFunction::error: functions.error(y, reference, p, out); break;
        }
        for (int q = 0; q < quantities; ++q) {
            LaneTraits<T>::store(out[q], buffer);
            for (int lane = 0; lane < count; ++lane) block.out[q * block.out_stride + first + lane] = buffer[lane];
        }
    }
}

}  // namespace gradscape
