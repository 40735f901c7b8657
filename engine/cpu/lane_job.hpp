// Where a thread's lanes get their members from and where they leave the results. Plain data and out-of-line functions: the code that is
// compiled for each instruction set includes this and must not instantiate anything that carries no instruction set in its name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/status.hpp"

namespace gradscape {

struct EnsembleBlock;

/// One member while it is being integrated.
struct LaneMember {
    EnsembleBlock* block;        ///< the block of the ensemble it belongs to
    std::int64_t index;          ///< within the block
    const double* times;         ///< its save times, NaN-padded
    std::int64_t rows;           ///< how many
    double* values;              ///< first row of state 0; rows are contiguous
    std::int64_t state_stride;   ///< from one state to the next
    double* initial;             ///< receives the initial value of state 0 ...
    std::int64_t initial_stride; ///< ... and of the others at this stride
    double* inputs;              ///< its p[0] ...
    std::int64_t input_stride;   ///< ... and the other entries; receives the unknown that was solved for and the closing values
    std::int64_t next_row;       ///< kept by the lanes
};

struct SolverConstants {
    double rtol;
    const double* atol;          ///< per state, above zero
    double largest_step;         ///< infinite when there is no limit
    double first_step;           ///< 0: chosen by the method
    double max_steps;            ///< accepted plus rejected, over all solves of a member
    bool computes_initial_state; ///< some initial value comes from the model
};

class LaneJob {
public:
    explicit LaneJob(const SolverConstants& constants) : solver(constants) {}
    LaneJob(const LaneJob&) = delete;
    LaneJob& operator=(const LaneJob&) = delete;
    virtual ~LaneJob();

    /// Hands out up to `count` members: fills members[i] and, with i the fastest index, p[input][count], y0[state][count] (NaN where the
    /// model computes it), start[count], end[count]. Returns how many; 0 when there are none left.
    virtual int take(int count, LaneMember* members, double* p, double* y0, double* start, double* end) = 0;
    virtual void finish(const LaneMember& member, Status status, double stopped_at, double accepted, double rejected) = 0;
    virtual bool cancelled() const = 0;

    /// Zeroed scratch memory, aligned to 64 bytes, that lives until release_workspace().
    double* workspace(std::size_t doubles);
    void release_workspace();

    const SolverConstants solver;
    std::int64_t tries = 0, iterations = 0;

private:
    struct Allocation {
        Allocation* before;
    };
    Allocation* allocations_ = nullptr;
};

/// Points in structure-of-arrays layout at which observables, invariants or the error measure are wanted. Point i belongs to member
/// i / rows and to row i % rows.
struct PointBlock {
    std::int64_t points, rows;
    const double* times;         ///< [row], or [point] where times_per_point
    bool times_per_point;
    const double* states;        ///< [state][point]
    std::int64_t state_stride;
    const double* inputs;        ///< [input][member], see the model's p
    std::int64_t input_stride;
    const double* reference_states;  ///< [state][point], for the error measure; else unused
    const double* reference_inputs;  ///< [input][member], likewise
    double* out;                 ///< [quantity][point]
    std::int64_t out_stride;
};

enum class PointFunction { observe, conserved, error };

}  // namespace gradscape
