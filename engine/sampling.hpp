// Draws every member's parameters, initial values and span. Counter-based: member i is the same whatever the size of the
// ensemble, the thread that asks, or a later extension.
//
// A draw's uniform number u = k/2^53 has the top 53 of 64 bits as k. These are
//     random:  words 1 (high) and 0 of Philox 4x32-10 with the seed as key (low word first) and the counter (member, low word first;
//              number of the quantity among the model's parameters, then states; 0): varying one more quantity changes no other;
//     sobol:   the coordinate of point i in the sequence, whose dimensions are the drawn quantities in their fixed order (columns of the
//              table don't count), XORed with words 1 and 0 of Philox with the counter (0, 0; dimension; 1) unless `scramble` is off;
//     latin_hypercube: a place in part s of n equal ones, where n is the size of the ensemble, s comes from the member's number by the
//              permutation that the counters (0..47, 0; number of the quantity; 3) key (engine/latin_hypercube.hpp), and the place from
//              the counter (member, low word first; number of the quantity; 4).
// On a grid nothing is random: with quantities of n1, n2, ..., nd points in their fixed order, member i has the points j1, j2, ..., jd of
// i = (...(j1 n2 + j2) n3 + ...) nd + jd. The last one varies fastest, as in an array [n1, n2, ..., nd] in C order.
// With groups, the group's number takes the member's place. A model's own draws are random whatever the sampling, from Philox with the
// counter (member, low word first; number of the draw; 2).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// The varied quantities of a request in their fixed order.
std::vector<VariedQuantity> varied_quantities(const ModelDescription& model, const EnsembleRequest& request);

/// The quantity that a column of a table gives: `start`, `end`, a parameter's name, a draw's with "draw_" before it, else a state's name
/// with or without "0" appended.
std::optional<VariedQuantity> column_quantity(const ModelDescription& model, std::string_view column);

class Sampler {
public:
    /// The request must be valid (engine/scenario.hpp checks it); both arguments are copied as needed.
    Sampler(const ModelDescription& model, const EnsembleRequest& request);
    ~Sampler();

    /// Writes member i's parameters [P], initial values [D] (NaN where the model computes them), start and end. Safe to call from many
    /// threads.
    void member(std::int64_t i, double* parameters, double* initial_state, double& start, double& end) const;
    /// The same for `count` members at once: number i's parameter q goes to parameters[q * stride + i], and so on.
    void members(std::span<const std::int64_t> numbers, double* parameters, double* initial_state, std::int64_t stride, double* start,
                 double* end) const;

    /// Writes member i's draws [draws of the model]; p holds its parameters and internals. A draw that is the start is the member's start.
    void draws(std::int64_t i, const double* p, double* out) const;

private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

}  // namespace gradscape
