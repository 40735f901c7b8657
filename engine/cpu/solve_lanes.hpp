// The loop over packs of one thread: each lane integrates its own trajectory with its own steps; a lane that finishes takes the next
// member at once, so that nothing waits for the slowest. Everything acts lane by lane: a member's bits don't depend on its lane, on its
// neighbours or on when it was begun.
#pragma once

#include "engine/cpu/lane_job.hpp"
#include "engine/cpu/pack.hpp"
#include "engine/dense_output.hpp"
#include "engine/explicit_rk.hpp"
#include "engine/model.hpp"
#include "engine/step_control.hpp"

namespace gradscape {

/// A model behind its table of functions, its dimension known at run time.
template <class T>
struct TableSystem {
    static constexpr int fixed_dimension = 0;
    const ModelFunctions<T>* functions;
    const T* p;
    int dimension() const { return functions->n_states; }
    void rhs(const T& t, const T* y, T* dydt) const { functions->rhs(t, y, p, dydt); }
};

/// A model compiled into the loop.
template <class Model, class T>
struct InlinedSystem {
    static constexpr int fixed_dimension = static_cast<int>(Model::states.size());
    const ModelFunctions<T>* functions;
    const T* p;
    static constexpr int dimension() { return fixed_dimension; }
    [[gnu::always_inline]] void rhs(const T& t, const T* y, T* dydt) const { Model::rhs(t, y, p, dydt); }
};

/// `count` numbers: an array where the dimension is known at compile time, else from the job's workspace.
template <class T, int count>
struct LaneArray {
    T values[count];
    LaneArray(LaneJob&, int) {}
    T* data() { return values; }
};
template <class T>
struct LaneArray<T, 0> {
    T* values;
    LaneArray(LaneJob& job, int count)
        : values(reinterpret_cast<T*>(job.workspace(static_cast<std::size_t>(count) * LaneTraits<T>::lanes))) {}
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
          dimension_(functions.n_states),
          parameters_(functions.n_parameters),
          p_(pack_array(parameters_)),
          waiting_p_(pack_array(parameters_)),
          waiting_y_(pack_array(dimension_)),
          waiting_f_(pack_array(dimension_)),
          scratch_(pack_array(3 * dimension_)),
          atol_(job, dimension_),
          y_(job, dimension_),
          y1_(job, dimension_),
          k_(job, dimension_ * (Tableau::stages + Tableau::extra_stages)),
          row_(job, dimension_) {
        for (int d = 0; d < dimension_; ++d) atol_.data()[d] = T(job.solver.atol[d]);
    }

    void run() {
        const System system{&functions_, p_};
        const int dimension = System::fixed_dimension > 0 ? System::fixed_dimension : dimension_;
        const T rtol(job_.solver.rtol), largest(job_.solver.largest_step), max_steps(job_.solver.max_steps);
        T* const y = y_.data();
        T* const y1 = y1_.data();
        T* const k = k_.data();
        T* const atol = atol_.data();
        constexpr int last_stage = Tableau::stages - 1;
        using Control = PiController<Tableau::embedded_order + 1>;

        for (int lane = 0; lane < lanes; ++lane) refill(lane);
        while (active_ != 0) {
            if (job_.cancelled()) {
                cancel();
                break;
            }
            ++job_.iterations;
            const T remaining = end_ - t_;
            const MaskType last = T(1.01) * abs(h_) >= abs(remaining);
            const T h = select(last, remaining, h_);
            const T t1 = select(last, end_, t_ + h);
            const MaskType moved = t1 != t_;

            if constexpr (!first_same_as_last<Tableau>) system.rhs(t_, y, k);
            const T error_squared = step<Tableau>(system, t_, t1, h, y, atol, rtol, k, y1);
            const MaskType finite = error_squared <= T(1.7976931348623157e308);
            const MaskType accepted = both(error_squared <= T(1), moved);
            const MaskType cautious = cautious_ > T(0);
            const T log2_error = Control::log2_error(error_squared);
            const T factor = Control::factor(log2_error, log2_error_before_, accepted, cautious);
            const T next_h = min(abs(h * factor), largest) * direction_;

            accepted_ = accepted_ + select(accepted, T(1), T(0));
            rejected_ = rejected_ + select(accepted, T(0), select(moved, T(1), T(0)));
            non_finite_ = select(moved, select(finite, T(0), T(1)), non_finite_);
            const MaskType done = both(accepted, last);
            const MaskType row_due = both(accepted, (t1 - next_time_) * direction_ >= T(0));
            const MaskType at_limit = accepted_ + rejected_ >= max_steps;
            std::uint32_t ended = 0;
            if (any_of(either(either(done, row_due), either(at_limit, !moved)))) {
                const std::uint32_t rows = Traits::bits(row_due) & active_;
                if (rows != 0) save_rows(system, rows, t1, h, y, y1, k);
                ended = (Traits::bits(done) | Traits::bits(at_limit) | ~Traits::bits(moved)) & active_;
                if (ended != 0) finish(ended, Traits::bits(done), Traits::bits(accepted), t1);
            }

            t_ = select(accepted, t1, t_);
            h_ = next_h;
            log2_error_before_ = select(accepted, max(log2_error, T(Control::log2_error_floor)), log2_error_before_);
            cautious_ = select(accepted, T(0), T(1));
#pragma GCC unroll 8
            for (int d = 0; d < dimension; ++d) {
                y[d] = select(accepted, y1[d], y[d]);
                if constexpr (first_same_as_last<Tableau>) k[d] = select(accepted, k[last_stage * dimension + d], k[d]);
            }
            for (; ended != 0; ended &= ended - 1) refill(__builtin_ctz(ended));
        }
    }

private:
    using Traits = LaneTraits<T>;
    using MaskType = typename Traits::MaskType;
    static constexpr int lanes = Traits::lanes;

    T* pack_array(int count) { return reinterpret_cast<T*>(job_.workspace(static_cast<std::size_t>(count) * lanes)); }

    /// Prepares the next members, a pack of them at once: initial state, right-hand side, first step. Members that end before their first
    /// step are finished here. Returns whether any is waiting.
    bool prepare() {
        waiting_ = waiting_next_ = 0;
        while (waiting_ == 0) {
            LaneMember members[lanes];
            const int count = job_.take(lanes, members, reinterpret_cast<double*>(waiting_p_), reinterpret_cast<double*>(waiting_y_),
                                        reinterpret_cast<double*>(&waiting_start_), reinterpret_cast<double*>(&waiting_end_));
            if (count == 0) return false;
            for (int lane = count; lane < lanes; ++lane) {  // idle lanes hold benign values
                for (int i = 0; i < parameters_; ++i) set_lane(waiting_p_[i], lane, lane_of(waiting_p_[i], 0));
                for (int d = 0; d < dimension_; ++d) set_lane(waiting_y_[d], lane, lane_of(waiting_y_[d], 0));
                set_lane(waiting_start_, lane, lane_of(waiting_start_, 0));
                set_lane(waiting_end_, lane, lane_of(waiting_end_, 0));
            }
            if (job_.solver.computes_initial_state) {
                functions_.initial_state(waiting_p_, scratch_);
                for (int d = 0; d < dimension_; ++d) waiting_y_[d] = select(waiting_y_[d] == waiting_y_[d], waiting_y_[d], scratch_[d]);
            }
            const T span = abs(waiting_end_ - waiting_start_);
            waiting_direction_ = select(waiting_end_ < waiting_start_, T(-1), T(1));
            const T largest = min(span, T(job_.solver.largest_step));
            functions_.rhs(waiting_start_, waiting_y_, waiting_p_, waiting_f_);
            T y_overflow(0), f_overflow(0);
            for (int d = 0; d < dimension_; ++d) {
                y_overflow = y_overflow + waiting_y_[d] * T(0);
                f_overflow = f_overflow + waiting_f_[d] * T(0);
            }
            const std::uint32_t y_finite = Traits::bits(y_overflow == T(0)), f_finite = Traits::bits(f_overflow == T(0));
            if (job_.solver.first_step > 0) {
                waiting_h_ = min(T(job_.solver.first_step), largest) * waiting_direction_;
            } else {
                const TableSystem<T> system{&functions_, waiting_p_};
                waiting_h_ = first_step<Tableau::order>(system, waiting_start_, span, waiting_direction_, largest, waiting_y_, waiting_f_,
                                                        atol_.data(), T(job_.solver.rtol), scratch_) *
                             waiting_direction_;
            }
            for (int lane = 0; lane < count; ++lane) {
                LaneMember& member = members[lane];
                const double start = lane_of(waiting_start_, lane), end = lane_of(waiting_end_, lane);
                for (int d = 0; d < dimension_; ++d) member.initial[d * member.initial_stride] = lane_of(waiting_y_[d], lane);
                if ((y_finite >> lane & 1u) == 0) {
                    job_.finish(member, Status::bad_input, start, 0, 0);
                    continue;
                }
                const double direction = end < start ? -1 : 1;
                std::int64_t row = 0;
                while (row < member.rows && (member.times[row] - start) * direction < 0) ++row;  // before its own span: missing
                for (; row < member.rows && member.times[row] == start; ++row)
                    for (int d = 0; d < dimension_; ++d)
                        member.values[d * member.state_stride + row] = lane_of(waiting_y_[d], lane);
                member.next_row = row;
                if (start == end) {
                    job_.finish(member, Status::ok, end, 0, 0);
                } else if ((f_finite >> lane & 1u) == 0) {
                    job_.finish(member, Status::non_finite, start, 0, 0);
                } else {
                    waiting_lane_[waiting_] = lane;
                    waiting_member_[waiting_++] = member;
                }
            }
        }
        return true;
    }

    /// Gives the lane the next member, or lays it idle: it then stands still at benign values.
    void refill(int lane) {
        if (waiting_next_ == waiting_ && !prepare()) {
            active_ &= ~(1u << lane);
            if (member_[lane].block == nullptr) {  // never had a member
                for (int i = 0; i < parameters_; ++i) set_lane(p_[i], lane, lane_of(p_[i], 0));
                for (int d = 0; d < dimension_; ++d) set_lane(y_.data()[d], lane, lane_of(y_.data()[d], 0));
            }
            set_lane(h_, lane, 0);
            set_lane(end_, lane, lane_of(t_, lane));
            return;
        }
        const int from = waiting_lane_[waiting_next_];
        member_[lane] = waiting_member_[waiting_next_++];
        active_ |= 1u << lane;
        for (int i = 0; i < parameters_; ++i) set_lane(p_[i], lane, lane_of(waiting_p_[i], from));
        for (int d = 0; d < dimension_; ++d) {
            set_lane(y_.data()[d], lane, lane_of(waiting_y_[d], from));
            set_lane(k_.data()[d], lane, lane_of(waiting_f_[d], from));
        }
        set_lane(t_, lane, lane_of(waiting_start_, from));
        set_lane(end_, lane, lane_of(waiting_end_, from));
        set_lane(h_, lane, lane_of(waiting_h_, from));
        set_lane(direction_, lane, lane_of(waiting_direction_, from));
        set_lane(log2_error_before_, lane, PiController<Tableau::embedded_order + 1>::log2_error_floor);
        set_lane(cautious_, lane, 0);
        set_lane(accepted_, lane, 0);
        set_lane(rejected_, lane, 0);
        set_lane(non_finite_, lane, 0);
        set_lane(next_time_, lane, next_time(member_[lane], lane_of(direction_, lane)));
    }

    static double next_time(const LaneMember& member, double direction) {
        const double time = member.next_row < member.rows ? member.times[member.next_row] : __builtin_nan("");
        return time == time ? time : __builtin_inf() * direction;
    }

    /// Rows within the step just accepted; a row at its end is y1 itself.
    void save_rows(const System& system, std::uint32_t due, const T& t1, const T& h, const T* y, const T* y1, T* k) {
        T* const row = row_.data();
        bool have_stages = false;
        while (due != 0) {
            const MaskType at_end = next_time_ == t1;
            if ((due & ~Traits::bits(at_end)) != 0) {
                if (Tableau::extra_stages > 0 && !have_stages) dense_stages<Tableau>(system, t_, t1, h, y, k, row);
                have_stages = true;
                interpolate<Tableau>((next_time_ - t_) / h, h, y, k, dimension_, row);
                for (int d = 0; d < dimension_; ++d) row[d] = select(at_end, y1[d], row[d]);
            } else {
                for (int d = 0; d < dimension_; ++d) row[d] = y1[d];
            }
            std::uint32_t still_due = 0;
            for (std::uint32_t left = due; left != 0; left &= left - 1) {
                const int lane = __builtin_ctz(left);
                LaneMember& member = member_[lane];
                for (int d = 0; d < dimension_; ++d)
                    member.values[d * member.state_stride + member.next_row] = lane_of(row[d], lane);
                ++member.next_row;
                const double direction = lane_of(direction_, lane), time = next_time(member, direction);
                set_lane(next_time_, lane, time);
                if ((lane_of(t1, lane) - time) * direction >= 0) still_due |= 1u << lane;
            }
            due = still_due;
        }
    }

    void finish(std::uint32_t ended, std::uint32_t done, std::uint32_t accepted, const T& t1) {
        for (; ended != 0; ended &= ended - 1) {
            const int lane = __builtin_ctz(ended);
            const double tried = lane_of(accepted_, lane) + lane_of(rejected_, lane);
            const bool reached_end = done >> lane & 1u;
            const Status status = reached_end                        ? Status::ok
                                  : tried >= job_.solver.max_steps   ? Status::step_limit
                                  : lane_of(non_finite_, lane) > 0   ? Status::non_finite
                                                                     : Status::step_underflow;
            const double stopped_at = accepted >> lane & 1u ? lane_of(t1, lane) : lane_of(t_, lane);
            job_.tries += static_cast<std::int64_t>(tried);
            job_.finish(member_[lane], status, stopped_at, lane_of(accepted_, lane), lane_of(rejected_, lane));
        }
    }

    void cancel() {
        for (std::uint32_t left = active_; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            job_.finish(member_[lane], Status::cancelled, lane_of(t_, lane), lane_of(accepted_, lane), lane_of(rejected_, lane));
        }
        for (; waiting_next_ < waiting_; ++waiting_next_)
            job_.finish(waiting_member_[waiting_next_], Status::not_run, lane_of(waiting_start_, waiting_lane_[waiting_next_]), 0, 0);
        active_ = 0;
    }

    const ModelFunctions<T>& functions_;
    LaneJob& job_;
    const int dimension_, parameters_;

    // Members that are prepared but not yet in a lane.
    int waiting_ = 0, waiting_next_ = 0;
    int waiting_lane_[lanes];
    LaneMember waiting_member_[lanes];

    // The members in the lanes; bit i of active_ is lane i.
    std::uint32_t active_ = 0;
    LaneMember member_[lanes]{};
    T *p_, *waiting_p_, *waiting_y_, *waiting_f_, *scratch_;
    T waiting_start_{}, waiting_end_{}, waiting_h_{}, waiting_direction_{};
    T t_{}, end_{}, h_{}, direction_{}, log2_error_before_{}, cautious_{}, accepted_{}, rejected_{}, non_finite_{}, next_time_{};
    LaneArray<T, System::fixed_dimension> atol_, y_, y1_;
    LaneArray<T, System::fixed_dimension*(Tableau::stages + Tableau::extra_stages)> k_;
    LaneArray<T, System::fixed_dimension> row_;
};

template <class Tableau, class T, class System>
void solve_lanes(const void* functions, LaneJob& job) {
    LaneSolver<Tableau, T, System>(*static_cast<const ModelFunctions<T>*>(functions), job).run();
}

}  // namespace gradscape
