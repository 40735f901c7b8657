// The loop over packs of one thread: each lane integrates its own trajectory with its own steps; a lane that finishes takes the next
// member at once, so that nothing waits for the slowest. Everything acts lane by lane: a member's bits don't depend on its lane, on its
// neighbours or on when it was begun. A member whose model shoots is solved again and again with other values of its unknown; between two
// solves it waits in a queue and its lane takes somebody else.
#pragma once

#include <cstdint>

#include "engine/cpu/lane_job.hpp"
#include "engine/cpu/pack.hpp"
#include "engine/dense_output.hpp"
#include "engine/explicit_rk.hpp"
#include "engine/model.hpp"
#include "engine/step_control.hpp"

namespace gradscape {

/// A model behind its table of functions, its dimension known at run time. Steps whole packs, because the table does.
template <class T>
struct TableSystem {
    using Number = T;
    static constexpr int fixed_dimension = 0, fixed_inputs = 0;
    const ModelFunctions<T>* functions;
    const Number* p;
    int dimension() const { return functions->n_states; }
    void rhs(const Number& t, const Number* y, Number* dydt) const { functions->rhs(t, y, p, dydt); }
};

/// A model compiled into the loop. Steps one register after the other: the processor then works on the stages of one while the step-size
/// control of the other, a long chain of dependent operations, goes on.
template <class Model, class T>
struct InlinedSystem {
    using Number = typename LaneTraits<T>::Part;
    static constexpr int fixed_dimension = static_cast<int>(Model::states.size());
    static constexpr int fixed_inputs = inputs_of<Model>;
    const ModelFunctions<T>* functions;
    const Number* p;
    static constexpr int dimension() { return fixed_dimension; }
    [[gnu::always_inline]] void rhs(const Number& t, const Number* y, Number* dydt) const { Model::rhs(t, y, p, dydt); }
};

/// `count` numbers: an array where the size is known at compile time, else from the job's workspace.
template <class T, int count>
struct LaneArray {
    T values[count]{};
    void allocate(LaneJob&, int) {}
    T* data() { return values; }
};
template <class T>
struct LaneArray<T, 0> {
    T* values;
    void allocate(LaneJob& job, int count) {
        values = reinterpret_cast<T*>(job.workspace(static_cast<std::size_t>(count) * LaneTraits<T>::lanes));
    }
    T* data() { return values; }
};

// One lane of a number, read and written. As bytes: written as a double, the compiler may take the pack for unchanged.
template <class T>
inline double lane_of(const T& x, int lane) {
    double value;
    __builtin_memcpy(&value, reinterpret_cast<const char*>(&x) + static_cast<std::size_t>(lane) * sizeof value, sizeof value);
    return value;
}
template <class T>
inline void set_lane(T& x, int lane, double value) {
    __builtin_memcpy(reinterpret_cast<char*>(&x) + static_cast<std::size_t>(lane) * sizeof value, &value, sizeof value);
}

template <class Tableau, class T, class System>
class LaneSolver {
public:
    LaneSolver(const ModelFunctions<T>& functions, LaneJob& job)
        : functions_(functions),
          job_(job),
          n_states_(functions.n_states),
          n_inputs_(functions.n_inputs),
          waiting_p_(pack_array(n_inputs_)),
          waiting_y_(pack_array(n_states_)),
          waiting_f_(pack_array(n_states_)),
          waiting_atol_(pack_array(n_states_)),
          scratch_(pack_array(3 * n_states_)),
          shoots_(functions.residual != nullptr) {
        if (shoots_) allocate_shots();
        atol_.allocate(job, n_states_);
        row_.allocate(job, n_states_);
        for (int d = 0; d < n_states_; ++d) {
            waiting_atol_[d] = T(job.solver.atol[d]);
            atol_.data()[d] = Number(job.solver.atol[d]);
        }
        for (Group& group : groups_) {
            group.p.allocate(job, n_inputs_);
            group.y.allocate(job, n_states_);
            group.y1.allocate(job, n_states_);
            group.k.allocate(job, n_states_ * (Tableau::stages + Tableau::extra_stages));
        }
    }

    void run() {
        for (int lane = 0; lane < lanes; ++lane) refill(lane);
        find_next_limit();
        while (active_ != 0) {
            if (iteration_ % iterations_between_cancel_checks == 0 && job_.cancelled()) [[unlikely]] {
                cancel();
                break;
            }
            ++iteration_;
            for (int group = 0; group < groups; ++group) {
                std::uint32_t ended = advance(groups_[group], group * group_lanes);
                for (; ended != 0; ended &= ended - 1) refill(__builtin_ctz(ended));
            }
            if (iteration_ >= next_limit_) [[unlikely]] end_at_limit();
        }
        job_.iterations += iteration_;
    }

private:
    using Traits = LaneTraits<T>;
    using Number = typename System::Number;  ///< a pack, or one register of it
    using NumberTraits = LaneTraits<Number>;
    using NumberMask = typename NumberTraits::MaskType;
    using Control = PiController<Tableau::embedded_order + 1>;
    static constexpr int lanes = Traits::lanes, group_lanes = NumberTraits::lanes, groups = lanes / group_lanes;
    static constexpr std::int64_t iterations_between_cancel_checks = 16;

    /// The lanes of one Number.
    struct Group {
        Number t{}, end{}, h{}, direction{}, next_time{}, next_event{}, log2_before{}, log2_most{}, rejected{}, error_before{};
        LaneArray<Number, System::fixed_inputs> p;
        LaneArray<Number, System::fixed_dimension> y, y1;
        LaneArray<Number, System::fixed_dimension*(Tableau::stages + Tableau::extra_stages)> k;
    };

    /// A member whose model shoots, from its first solve to its last.
    struct Shot {
        LaneMember member;
        FirstCrossing search;
        double start, end;
        std::int64_t tried;           ///< steps of all solves so far ...
        double rejected;              ///< ... and how many of them were rejected
        double first_step;            ///< of all solves but the first, signed, see aim()
        int stalls;
        bool keeps_rows;              ///< this solve's are saved, see aim()
        bool found;                   ///< this solve is for the rows alone
    };

    T* pack_array(int count) { return reinterpret_cast<T*>(job_.workspace(static_cast<std::size_t>(count) * lanes)); }
    template <class Item>
    Item* array(int count) {
        return reinterpret_cast<Item*>(job_.workspace(static_cast<std::size_t>(count) * sizeof(Item) / sizeof(double) + 1));
    }

    /// Tries a step in all lanes of a group, the first of which is `first_lane`; returns the lanes that are free then. Nearly always no row
    /// and no end lies in the step and it is accepted in all lanes: that way is short, the other one gives the same bits.
    [[gnu::always_inline]] std::uint32_t advance(Group& at, int first_lane) {
        const System system{&functions_, at.p.data()};
        const int dimension = system.dimension();
        Number* const y = at.y.data();
        Number* const y1 = at.y1.data();
        Number* const k = at.k.data();
        Number h = at.h, t1 = at.t + h;
        const bool reaches = any_of((fma(Number(1.01), h, at.t) - at.next_event) * at.direction >= Number(0));
        if (reaches) [[unlikely]] {
            const NumberMask last = (fma(Number(1.01), h, at.t) - at.end) * at.direction >= Number(0);
            h = select(last, at.end - at.t, h);
            t1 = select(last, at.end, t1);
        }

        if constexpr (!first_same_as_last<Tableau>) system.rhs(at.t, y, k);
        const Number error_squared = step<Tableau>(system, at.t, t1, h, y, atol_.data(), Number(job_.solver.rtol), k, y1);
        if (reaches || !all_of(both(error_squared <= Number(1), t1 != at.t))) [[unlikely]]
            return end_step(at, first_lane, error_squared, t1, h);

        const Number log2_error = Control::log2_error(error_squared);
        at.h = limited(Control::next_step(h, log2_error, at.log2_before, at.log2_most));
        at.t = t1;
        at.log2_before = max(log2_error, Number(Control::log2_error_floor));
        at.log2_most = Number(Control::log2_grow);
        at.error_before = error_squared;
#pragma GCC unroll 8
        for (int d = 0; d < dimension; ++d) {
            y[d] = y1[d];
            if constexpr (first_same_as_last<Tableau>) k[d] = k[(Tableau::stages - 1) * dimension + d];
        }
        return 0;
    }

    [[gnu::always_inline]] Number limited(const Number& h) const {
        if (job_.solver.largest_step < __builtin_inf()) [[unlikely]] {
            const Number largest(job_.solver.largest_step);
            return max(-largest, min(largest, h));
        }
        return h;
    }

    /// The end of a try in the general case.
    [[gnu::noinline]] std::uint32_t end_step(Group& at, int first_lane, const Number& error_squared, const Number& t1, const Number& h) {
        const int dimension = functions_.n_states;
        const Number log2_error = Control::log2_error(error_squared);
        const NumberMask accepted = error_squared <= Number(1);
        const Number next_h = Control::next_step(h, log2_error, at.log2_before, at.log2_most, accepted);
        const NumberMask event = both(accepted, (t1 - at.next_event) * at.direction >= Number(0));
        const NumberMask stuck = t1 == at.t;
        at.rejected = select(either(accepted, stuck), at.rejected, at.rejected + Number(1));  // a try that can't move t counts for nothing
        std::uint32_t ended = 0;
        if (any_of(either(event, stuck))) ended = handle_events(at, first_lane, error_squared, t1, h);
        at.t = select(accepted, t1, at.t);
        at.h = limited(next_h);
        at.log2_before = select(accepted, max(log2_error, Number(Control::log2_error_floor)), at.log2_before);
        at.log2_most = select(accepted, Number(Control::log2_grow), Number(0));
        at.error_before = error_squared;
        Number* const y = at.y.data();
        const Number* const y1 = at.y1.data();
        Number* const k = at.k.data();
        for (int d = 0; d < dimension; ++d) {
            y[d] = select(accepted, y1[d], y[d]);
            if constexpr (first_same_as_last<Tableau>) k[d] = select(accepted, k[(Tableau::stages - 1) * dimension + d], k[d]);
        }
        return ended;
    }

    /// Prepares the next members, a pack of them at once: initial state, right-hand side, first step. Members that end before their first
    /// step are finished here. Returns whether any is waiting.
    bool prepare() {
        waiting_ = waiting_next_ = 0;
        while (waiting_ == 0) {
            LaneMember members[lanes];
            Shot* shots[lanes]{};
            int count = 0;
            if (again_ < lanes)  // else the queue fills a pack
                count = job_.take(lanes, members, reinterpret_cast<double*>(waiting_p_), reinterpret_cast<double*>(waiting_y_),
                                  reinterpret_cast<double*>(&waiting_start_), reinterpret_cast<double*>(&waiting_end_));
            const bool again = count == 0 && again_ > 0;
            if (again) count = take_again(members, shots);
            if (count == 0) return false;
            for (int lane = count; lane < lanes; ++lane) {  // idle lanes hold benign values
                for (int i = 0; i < n_inputs_; ++i) set_lane(waiting_p_[i], lane, lane_of(waiting_p_[i], 0));
                for (int d = 0; d < n_states_; ++d) set_lane(waiting_y_[d], lane, lane_of(waiting_y_[d], 0));
                set_lane(waiting_start_, lane, lane_of(waiting_start_, 0));
                set_lane(waiting_end_, lane, lane_of(waiting_end_, 0));
            }
            if (shoots_ && !again) start_lowest(count);
            if (job_.solver.computes_initial_state) {
                functions_.initial_state(waiting_p_, scratch_);
                for (int d = 0; d < n_states_; ++d) waiting_y_[d] = select(waiting_y_[d] == waiting_y_[d], waiting_y_[d], scratch_[d]);
            }
            const T span = abs(waiting_end_ - waiting_start_);
            waiting_direction_ = select(waiting_end_ < waiting_start_, T(-1), T(1));
            const T largest = min(span, T(job_.solver.largest_step));
            functions_.rhs(waiting_start_, waiting_y_, waiting_p_, waiting_f_);
            T y_overflow(0), f_overflow(0);
            for (int d = 0; d < n_states_; ++d) {
                y_overflow = y_overflow + waiting_y_[d] * T(0);
                f_overflow = f_overflow + waiting_f_[d] * T(0);
            }
            const std::uint32_t y_finite = Traits::bits(y_overflow == T(0)), f_finite = Traits::bits(f_overflow == T(0));
            if (again) {
                waiting_h_ = again_first_step_;
            } else if (job_.solver.first_step > 0) {
                waiting_h_ = min(T(job_.solver.first_step), largest) * waiting_direction_;
            } else {
                const TableSystem<T> system{&functions_, waiting_p_};
                waiting_h_ = first_step<Tableau::order>(system, waiting_start_, span, waiting_direction_, largest, waiting_y_, waiting_f_,
                                                        waiting_atol_, T(job_.solver.rtol), scratch_) *
                             waiting_direction_;
            }
            for (int lane = 0; lane < count; ++lane) {
                LaneMember& member = members[lane];
                const double start = lane_of(waiting_start_, lane), end = lane_of(waiting_end_, lane);
                for (int d = 0; d < n_states_; ++d) member.initial[d * member.initial_stride] = lane_of(waiting_y_[d], lane);
                if ((y_finite >> lane & 1u) == 0) {
                    finish_unbegun(member, shots[lane], Status::bad_input, start);
                    continue;
                }
                const double direction = end < start ? -1 : 1;
                std::int64_t row = 0;
                while (row < member.rows && (member.times[row] - start) * direction < 0) ++row;  // before its own span: missing
                // A list beyond the end: of a star whose stream runs the other way. Its rows at the end are still reached.
                while (row < member.rows && (member.times[row] - end) * direction > 0) ++row;
                for (; row < member.rows && member.times[row] == start; ++row)
                    for (int d = 0; d < n_states_; ++d)
                        member.values[d * member.state_stride + row] = lane_of(waiting_y_[d], lane);
                member.next_row = row;
                if (start == end) {
                    finish_unbegun(member, shots[lane], shoots_ ? Status::bad_input : Status::ok, end);
                } else if (shoots_ && !again && !begin_search(member, shots[lane], lane)) {
                    finish_unbegun(member, nullptr, Status::shooting_failed, start);
                } else if ((f_finite >> lane & 1u) == 0) {
                    finish_unbegun(member, shots[lane], Status::non_finite, start);
                } else {
                    waiting_lane_[waiting_] = lane;
                    if (shoots_) waiting_shot_[waiting_] = shots[lane];
                    waiting_member_[waiting_++] = member;
                }
            }
        }
        return true;
    }

    /// A member that ends before the first step of its solve. `shot` is null where it has none, or hasn't yet.
    void finish_unbegun(const LaneMember& member, Shot* shot, Status status, double at) {
        double accepted = 0, rejected = 0;
        if (shot != nullptr) {
            rejected = shot->rejected;
            accepted = static_cast<double>(shot->tried) - rejected;
            job_.tries += shot->tried;
            release(shot);
        }
        if (shoots_) clear_rows(member);
        job_.finish(member, status, at, accepted, rejected);
    }

    void allocate_shots() {
        Shot* const shots = array<Shot>(most_shots);
        free_shots_ = array<Shot*>(most_shots);
        again_shots_ = array<Shot*>(most_shots);
        for (int i = 0; i < most_shots; ++i) free_shots_[i] = shots + i;
        free_ = most_shots;
        computed_ = array<bool>(n_states_);
        shooting_p_ = pack_array(n_inputs_);
        closing_ = pack_array(n_inputs_);
    }
    void release(Shot* shot) { free_shots_[free_++] = shot; }

    /// The lowest unknown of the members in waiting_p_.
    [[gnu::noinline]] void start_lowest(int count) {
        for (int d = 0; d < n_states_; ++d) {
            const double value = lane_of(waiting_y_[d], 0);
            computed_[d] = value != value;
        }
        for (int d = 0; d < n_states_; ++d) scratch_[n_states_ + d] = waiting_y_[d];
        if (job_.solver.computes_initial_state) {
            functions_.initial_state(waiting_p_, scratch_);
            for (int d = 0; d < n_states_; ++d)
                scratch_[n_states_ + d] = select(waiting_y_[d] == waiting_y_[d], waiting_y_[d], scratch_[d]);
        }
        T lowest;
        functions_.lowest_unknown(scratch_ + n_states_, waiting_p_, &lowest);
        for (int lane = 0; lane < count; ++lane) {
            const double value = lane_of(lowest, lane);
            if (!(value > 0 && value <= functions_.search.largest)) set_lane(lowest, lane, __builtin_nan(""));
        }
        waiting_p_[functions_.unknown] = lowest;
    }

    /// Whether the member has a lowest unknown; then it gets a shot.
    [[gnu::noinline]] bool begin_search(const LaneMember& member, Shot*& shot, int lane) {
        const double lowest = lane_of(waiting_p_[functions_.unknown], lane);
        if (!(lowest == lowest)) return false;
        shot = free_shots_[--free_];
        *shot = Shot{};
        shot->member = member;
        shot->start = lane_of(waiting_start_, lane);
        shot->end = lane_of(waiting_end_, lane);
        shot->keeps_rows = member.next_row == member.rows || member.times[member.next_row] == shot->end;  // no rows within steps
        return shot->search.begin(lowest, functions_.search);
    }

    /// Up to a pack of the members that go on with another unknown.
    [[gnu::noinline]] int take_again(LaneMember* members, Shot** shots) {
        int count = 0;
        for (; count < lanes && again_ > 0; ++count) {
            Shot* const shot = shots[count] = again_shots_[first_again_];
            first_again_ = (first_again_ + 1) % most_shots;
            --again_;
            const LaneMember& member = members[count] = shot->member;
            for (int i = 0; i < n_inputs_; ++i) set_lane(waiting_p_[i], count, member.inputs[i * member.input_stride]);
            set_lane(waiting_p_[functions_.unknown], count, shot->search.x);
            for (int d = 0; d < n_states_; ++d)
                set_lane(waiting_y_[d], count, computed_[d] ? __builtin_nan("") : member.initial[d * member.initial_stride]);
            set_lane(waiting_start_, count, shot->start);
            set_lane(waiting_end_, count, shot->end);
            set_lane(again_first_step_, count, shot->first_step);
        }
        return count;
    }

    /// After a solve of a member whose model shoots, which ended with `status`: whether the member goes on with another unknown. If not,
    /// `status` is the member's last; its rows are missing unless that is `ok`.
    [[gnu::noinline]] bool aim(int lane, Status& status, std::int64_t tried, double rejected) {
        Group& at = groups_[lane / group_lanes];
        const int i = lane % group_lanes;
        Shot* const shot = shot_[lane];
        const LaneMember& member = shot->member;
        const int unknown = functions_.unknown;
        if (status == Status::ok) {
            for (int j = 0; j < n_inputs_; ++j) shooting_p_[j] = T(lane_of(at.p.data()[j], i));
            for (int d = 0; d < n_states_; ++d) scratch_[d] = T(lane_of(at.y1.data()[d], i));
            T residual;
            functions_.residual(scratch_, shooting_p_, &residual);
            const double f = lane_of(residual, 0);
            // The steps of one solve tell where to begin in the others: at their mean. The same for all of them, so that the residual is
            // smooth.
            if (shot->tried == 0) {
                const double span = shot->end - shot->start, mean = span / (static_cast<double>(tried) - rejected);
                const double asked = span < 0 ? -job_.solver.first_step : job_.solver.first_step;
                const double limit = job_.solver.largest_step;
                shot->first_step = asked != 0 ? asked : mean > limit ? limit : mean < -limit ? -limit : mean;
            }
            FirstCrossing::Verdict verdict = FirstCrossing::Verdict::found;
            if (!shot->found) verdict = shot->search.report(f, functions_.search);
            if (verdict == FirstCrossing::Verdict::stalled) {
                // The solver's error jumps where a step more or less is taken; by chance the crossing lies in such a jump. With other steps
                // the jumps lie elsewhere. Where they lie close (a coarse tolerance, a flat residual), the answer has the solver's error.
                if (shot->stalls < most_stalls) {
                    ++shot->stalls;
                    shot->first_step *= 0.9;
                    functions_.lowest_unknown(start_of(member), shooting_p_, &residual);
                    if (shot->search.begin(lane_of(residual, 0), functions_.search)) verdict = FirstCrossing::Verdict::evaluate;
                } else if (f <= job_.solver.rtol && f >= -job_.solver.rtol) {
                    verdict = FirstCrossing::Verdict::found;
                }
            }
            if (!(f - f == 0)) {
                status = Status::non_finite;
            } else if (verdict == FirstCrossing::Verdict::found && shot->keeps_rows) {
                functions_.close(scratch_, shooting_p_, closing_);
                double* const solved = member.inputs + unknown * member.input_stride;
                solved[0] = shot->search.x;
                for (int j = unknown + 1; j < n_inputs_; ++j)
                    solved[(j - unknown) * member.input_stride] = lane_of(closing_[j - unknown - 1], 0);
            } else if (verdict != FirstCrossing::Verdict::evaluate && verdict != FirstCrossing::Verdict::found) {
                status = Status::shooting_failed;
            } else if (static_cast<double>(tried) >= job_.solver.max_steps) {
                status = Status::step_limit;
            } else {
                // Rows within steps cost a third of a solve. So they are saved only where the solve is likely to be the last; one that
                // turns out to have been the last already is done again, to the same bits: or, if it was the first, with other steps, and
                // its residual counts anew.
                shot->found = verdict == FirstCrossing::Verdict::found && shot->tried > 0;
                shot->keeps_rows = shot->keeps_rows || verdict == FirstCrossing::Verdict::found || (f < likely_last && f > -likely_last);
                shot->tried = tried;
                shot->rejected = rejected;
                again_shots_[(first_again_ + again_++) % most_shots] = shot;
                return true;
            }
        }
        if (status != Status::ok) clear_rows(member);
        release(shot);
        return false;
    }

    /// The member's initial state, in all lanes.
    const T* start_of(const LaneMember& member) {
        T* const y = scratch_ + n_states_;
        for (int d = 0; d < n_states_; ++d) y[d] = T(member.initial[d * member.initial_stride]);
        return y;
    }

    /// Rows of a solve that isn't the member's answer.
    void clear_rows(const LaneMember& member) const {
        for (int d = 0; d < n_states_; ++d)
            for (std::int64_t row = 0; row < member.rows; ++row) member.values[d * member.state_stride + row] = __builtin_nan("");
    }

    /// Gives the lane the next member, or lays it idle: it then stands still at benign values.
    [[gnu::noinline]] void refill(int lane) {
        Group& at = groups_[lane / group_lanes];
        const int i = lane % group_lanes;
        if (waiting_next_ == waiting_ && !prepare()) {
            active_ &= ~(1u << lane);
            if (member_[lane].block == nullptr) {  // never had a member
                Group& first = groups_[0];
                for (int j = 0; j < n_inputs_; ++j) set_lane(at.p.data()[j], i, lane_of(first.p.data()[j], 0));
                for (int d = 0; d < n_states_; ++d) set_lane(at.y.data()[d], i, lane_of(first.y.data()[d], 0));
            }
            set_lane(at.h, i, 0);
            set_lane(at.end, i, lane_of(at.t, i));
            return;
        }
        const int from_waiting = waiting_next_++, from = waiting_lane_[from_waiting];
        LaneMember& member = member_[lane] = waiting_member_[from_waiting];
        active_ |= 1u << lane;
        begun_[lane] = iteration_;
        double rejected = 0;
        bool keeps_rows = true;
        if (shoots_) {
            const Shot& shot = *(shot_[lane] = waiting_shot_[from_waiting]);
            rejected = shot.rejected;
            keeps_rows = shot.keeps_rows;
            begun_[lane] -= shot.tried;
            const std::int64_t limit = begun_[lane] + static_cast<std::int64_t>(job_.solver.max_steps);
            if (limit < next_limit_) next_limit_ = limit;
        }
        // Whole registers are written: the loop's loads would have to wait for stores of single lanes.
        const NumberMask here = NumberTraits::only(i);
        const auto put = [&](Number& to, double value) { to = select(here, Number(value), to); };
        for (int j = 0; j < n_inputs_; ++j) put(at.p.data()[j], lane_of(waiting_p_[j], from));
        for (int d = 0; d < n_states_; ++d) {
            put(at.y.data()[d], lane_of(waiting_y_[d], from));
            put(at.k.data()[d], lane_of(waiting_f_[d], from));
        }
        const double direction = lane_of(waiting_direction_, from), end = lane_of(waiting_end_, from);
        const double time = keeps_rows ? next_time(member, direction) : __builtin_inf() * direction;
        put(at.t, lane_of(waiting_start_, from));
        put(at.end, end);
        put(at.h, lane_of(waiting_h_, from));
        put(at.direction, direction);
        put(at.next_time, time);
        put(at.next_event, next_event(time, end, direction));
        put(at.log2_before, Control::log2_error_floor);
        put(at.log2_most, Control::log2_grow);
        put(at.rejected, rejected);
        put(at.error_before, 0);
    }

    /// The next row, or the end behind the last one.
    static double next_event(double next_time, double end, double direction) {
        return (end - next_time) * direction > 0 ? next_time : end;
    }

    /// The first iteration in which a member can reach its limit of steps.
    void find_next_limit() {
        std::int64_t first = iteration_;
        for (std::uint32_t left = active_; left != 0; left &= left - 1) {
            const std::int64_t begun = begun_[__builtin_ctz(left)];
            if (begun < first) first = begun;
        }
        next_limit_ = first + static_cast<std::int64_t>(job_.solver.max_steps);
    }
    std::int64_t tries(int lane) const { return iteration_ - begun_[lane]; }

    static double next_time(const LaneMember& member, double direction) {
        const double time = member.next_row < member.rows ? member.times[member.next_row] : __builtin_nan("");
        return time == time ? time : __builtin_inf() * direction;
    }

    /// Saves rows and finishes members after a try with this error; returns the lanes that are free then. In masks, bit 0 is `first_lane`.
    [[gnu::noinline]] std::uint32_t handle_events(Group& at, int first_lane, const Number& error_squared, const Number& t1,
                                                  const Number& h) {
        const std::uint32_t active = active_ >> first_lane & (~0u >> (32 - group_lanes));
        const std::uint32_t stuck = NumberTraits::bits(t1 == at.t);
        const std::uint32_t accepted = NumberTraits::bits(error_squared <= Number(1)) & ~stuck & active;
        const std::uint32_t event = NumberTraits::bits((t1 - at.next_event) * at.direction >= Number(0)) & accepted;
        std::uint32_t rows = 0, done = 0;
        for (std::uint32_t left = event; left != 0; left &= left - 1) {
            const int i = __builtin_ctz(left);
            const double time = lane_of(t1, i);
            if ((time - lane_of(at.next_time, i)) * lane_of(at.direction, i) >= 0) rows |= 1u << i;
            if (time == lane_of(at.end, i)) done |= 1u << i;
        }
        if (rows != 0) save_rows(at, first_lane, rows, t1, h);
        for (std::uint32_t left = event & ~done; left != 0; left &= left - 1) {
            const int i = __builtin_ctz(left);
            set_lane(at.next_event, i, next_event(lane_of(at.next_time, i), lane_of(at.end, i), lane_of(at.direction, i)));
        }
        const std::uint32_t ended = (done | stuck) & active;
        for (std::uint32_t left = ended; left != 0; left &= left - 1) {
            const int i = __builtin_ctz(left);
            const bool is_stuck = stuck >> i & 1u;
            const Status status = !is_stuck                                                ? Status::ok
                                  : lane_of(at.error_before, i) <= 1.7976931348623157e308 ? Status::step_underflow
                                                                                          : Status::non_finite;
            finish(first_lane + i, status, is_stuck ? lane_of(at.t, i) : lane_of(t1, i), tries(first_lane + i) - (is_stuck ? 1 : 0));
        }
        return ended << first_lane;
    }

    void finish(int lane, Status status, double stopped_at, std::int64_t tried) {
        const double rejected = lane_of(groups_[lane / group_lanes].rejected, lane % group_lanes);
        if (shoots_ && aim(lane, status, tried, rejected)) return;
        job_.tries += tried;
        job_.finish(member_[lane], status, stopped_at, static_cast<double>(tried) - rejected, rejected);
    }

    /// Ends the members that have reached the limit of steps.
    [[gnu::noinline]] void end_at_limit() {
        for (std::uint32_t left = active_; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            if (static_cast<double>(tries(lane)) < job_.solver.max_steps) continue;
            finish(lane, Status::step_limit, lane_of(groups_[lane / group_lanes].t, lane % group_lanes), tries(lane));
            refill(lane);
        }
        find_next_limit();
    }

    /// Rows within the step just accepted; a row at its end is y1 itself.
    void save_rows(Group& at, int first_lane, std::uint32_t due, const Number& t1, const Number& h) {
        const System system{&functions_, at.p.data()};
        const int dimension = system.dimension();
        const Number* const y1 = at.y1.data();
        Number* const row = row_.data();
        bool have_stages = false;
        while (due != 0) {
            const NumberMask at_end = at.next_time == t1;
            if ((due & ~NumberTraits::bits(at_end)) != 0) {
                if (Tableau::extra_stages > 0 && !have_stages)
                    dense_stages<Tableau>(system, at.t, t1, h, at.y.data(), at.k.data(), row);
                have_stages = true;
                interpolate<Tableau>((at.next_time - at.t) / h, h, at.y.data(), at.k.data(), dimension, row);
                for (int d = 0; d < dimension; ++d) row[d] = select(at_end, y1[d], row[d]);
            } else {
                for (int d = 0; d < dimension; ++d) row[d] = y1[d];
            }
            std::uint32_t still_due = 0;
            for (std::uint32_t left = due; left != 0; left &= left - 1) {
                const int i = __builtin_ctz(left);
                LaneMember& member = member_[first_lane + i];
                for (int d = 0; d < dimension; ++d) member.values[d * member.state_stride + member.next_row] = lane_of(row[d], i);
                ++member.next_row;
                const double direction = lane_of(at.direction, i), time = next_time(member, direction);
                set_lane(at.next_time, i, time);
                if ((lane_of(t1, i) - time) * direction >= 0) still_due |= 1u << i;
            }
            due = still_due;
        }
    }

    void cancel() {
        for (std::uint32_t left = active_; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            finish(lane, Status::cancelled, lane_of(groups_[lane / group_lanes].t, lane % group_lanes), tries(lane));
        }
        for (; waiting_next_ < waiting_; ++waiting_next_) {
            const double start = lane_of(waiting_start_, waiting_lane_[waiting_next_]);
            Shot* const shot = shoots_ ? waiting_shot_[waiting_next_] : nullptr;
            const bool begun = shot != nullptr && shot->tried > 0;
            finish_unbegun(waiting_member_[waiting_next_], shot, begun ? Status::cancelled : Status::not_run, start);
        }
        for (; again_ > 0; --again_) {
            Shot* const shot = again_shots_[(first_again_ + again_ - 1) % most_shots];
            finish_unbegun(shot->member, shot, Status::cancelled, shot->start);
        }
        active_ = 0;
    }

    const ModelFunctions<T>& functions_;
    LaneJob& job_;
    const int n_states_, n_inputs_;

    // Members that are prepared but not yet in a lane.
    int waiting_ = 0, waiting_next_ = 0;
    int waiting_lane_[lanes];
    LaneMember waiting_member_[lanes];
    T *waiting_p_, *waiting_y_, *waiting_f_, *waiting_atol_, *scratch_;
    T waiting_start_{}, waiting_end_{}, waiting_h_{}, waiting_direction_{};

    // Of a model that shoots. Members go on in the order in which they queued. New ones are taken while fewer than a pack queue
    // and none is waiting, so there are never more than three packs of shots: in the lanes, waiting and queueing.
    const bool shoots_;
    static constexpr int most_shots = 3 * lanes, most_stalls = 3;
    static constexpr double likely_last = 1e-5;       ///< after a residual this small the next one is within the tolerance
    Shot *shot_[lanes], *waiting_shot_[lanes];
    Shot **free_shots_, **again_shots_;
    int free_ = 0, again_ = 0, first_again_ = 0;
    bool* computed_;                                  ///< states whose initial value the model computes
    T *shooting_p_, *closing_;
    T again_first_step_{};

    // The members in the lanes; bit i of active_ is lane i.
    std::uint32_t active_ = 0;
    LaneMember member_[lanes]{};
    std::int64_t begun_[lanes]{};                     ///< the iteration before its first step
    std::int64_t iteration_ = 0, next_limit_ = 0;
    Group groups_[groups];
    LaneArray<Number, System::fixed_dimension> atol_, row_;
};

template <class Tableau, class T, class System>
void solve_lanes(const void* functions, LaneJob& job) {
    LaneSolver<Tableau, T, System>(*static_cast<const ModelFunctions<T>*>(functions), job).run();
}

}  // namespace gradscape
