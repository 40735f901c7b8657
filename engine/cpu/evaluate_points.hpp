// Observables, invariants and the error measure at many points, a pack of points at a time.
#pragma once

#include "engine/cpu/lane_job.hpp"
#include "engine/cpu/pack.hpp"
#include "engine/model.hpp"

namespace gradscape {

template <class T>
void evaluate_points(const void* table, PointFunction function, const PointBlock& block) {
    constexpr int lanes = LaneTraits<T>::lanes;
    const auto& functions = *static_cast<const ModelFunctions<T>*>(table);
    const int quantities = function == PointFunction::observe     ? functions.n_observables
                           : function == PointFunction::conserved ? functions.n_invariants
                                                                  : 1;
    alignas(64) double buffer[lanes];
    std::int64_t point[lanes], member[lanes], row[lanes];
    T t, y[most_components], p[most_components], y_reference[most_components], p_reference[most_components], out[most_components];
    for (std::int64_t first = 0; first < block.points; first += lanes) {
        const int count = static_cast<int>(block.points - first < lanes ? block.points - first : lanes);
        const std::int64_t first_member = first / block.rows;
        for (int lane = 0; lane < lanes; ++lane) {
            point[lane] = lane < count ? first + lane : first;  // the lanes of an unfinished pack repeat its first point
            member[lane] = first_member;
            row[lane] = point[lane] - first_member * block.rows;
            while (row[lane] >= block.rows) {
                row[lane] -= block.rows;
                ++member[lane];
            }
        }
        const auto gather = [&](const double* values, const std::int64_t* index) {
            for (int lane = 0; lane < lanes; ++lane) buffer[lane] = values[index[lane]];
            return LaneTraits<T>::load(buffer);
        };
        const auto at_points = [&](const double* values) {
            return count == lanes ? LaneTraits<T>::load(values + first) : gather(values, point);
        };
        t = gather(block.times, block.times_per_point ? point : row);
        const bool one_member = member[count - 1] == first_member;
        for (int i = 0; i < functions.n_inputs; ++i) {
            const double* const values = block.inputs + i * block.input_stride;
            p[i] = one_member ? T(values[first_member]) : gather(values, member);
            if (function == PointFunction::error) p_reference[i] = gather(block.reference_inputs + i * block.input_stride, member);
        }
        for (int d = 0; d < functions.n_states; ++d) {
            y[d] = at_points(block.states + d * block.state_stride);
            if (function == PointFunction::error) y_reference[d] = at_points(block.reference_states + d * block.state_stride);
        }
        switch (function) {
            case PointFunction::observe: functions.observe(t, y, p, out); break;
            case PointFunction::conserved: functions.conserved(t, y, p, out); break;
            case PointFunction::error: functions.error(y, p, y_reference, p_reference, out); break;
        }
        for (int q = 0; q < quantities; ++q) {
            LaneTraits<T>::store(out[q], buffer);
            for (int lane = 0; lane < count; ++lane) block.out[q * block.out_stride + first + lane] = buffer[lane];
        }
    }
}

}  // namespace gradscape
