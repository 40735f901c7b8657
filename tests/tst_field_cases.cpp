// Faults that users of similar programs reported in public, each as a requirement (the number in brackets is the case's): steps, ends of
// runs, limits, save times, bad members, cancelling. Every case runs with every method and instruction set. Unless a case says otherwise
// rtol is 1e-8 and atol 1e-10, and an error of 1e-6 max(1, |value|) is accepted.
// Left out: the first part of B26 (Robertson's reactions) and the second of B27, which need an implicit method.
#include "tests/ensemble_runs.hpp"

#include <sys/mman.h>

#include <chrono>
#include <functional>
#include <numeric>

#include "engine/scenario.hpp"
#include "engine/statistics.hpp"

namespace {

using namespace gradscape;
using namespace gradscape::tests;

void set_parameter(EnsembleRequest& request, std::size_t i, double value) {
    request.parameters[i] = {.kind = Draw::Kind::fixed, .value = value};
}

void save_every(EnsembleRequest& request, double start, double end, double interval) {
    request.span = {.start = start, .end = end, .save = SpanRequest::Save::every, .count = 0, .every = interval, .times = {}};
}

bool steps_equal(const Run& a, const Run& b) { return a.all.accepted == b.all.accepted && a.all.rejected == b.all.rejected; }

ModelNames test_model_names() {
    return {[](std::string_view name) { return &model_named(name).description; }, {}};
}

/// One line, naming the key.
void verify_refused(const std::function<void()>& action, const QString& key) {
    try {
        action();
        QFAIL("nothing was refused");
    } catch (const InputError& error) {
        const QString message = error.what();
        QVERIFY2(message.contains(key) && !message.contains('\n'), error.what());
    }
}

/// Zeros of which only those take memory that are written to.
class SparseArray {
public:
    explicit SparseArray(std::int64_t size) : bytes_(static_cast<std::size_t>(size) * sizeof(double)) {
        void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped != MAP_FAILED) values_ = static_cast<double*>(mapped);
    }
    SparseArray(const SparseArray&) = delete;
    SparseArray& operator=(const SparseArray&) = delete;
    ~SparseArray() {
        if (values_ != nullptr) munmap(values_, bytes_);
    }
    double* values() const { return values_; }  ///< null where the system refuses so much

private:
    std::size_t bytes_;
    double* values_ = nullptr;
};

/// Members of a' = -p a, b' = -2 p b whose rows lie where they would in the results of the whole ensemble, [state][50000 members][rows].
class PairJob final : public LaneJob {
public:
    static constexpr std::int64_t members = 50000;
    PairJob(const SolverConstants& constants, std::vector<std::int64_t> numbers, const std::vector<double>& times, double* results)
        : LaneJob(constants), numbers_(std::move(numbers)), times_(times), results_(results), initial_(2 * numbers_.size()),
          inputs_(2 * numbers_.size()) {}

    int take(int count, LaneMember* handed, double* p, double* y0, double* start, double* end) override {
        const auto rows = static_cast<std::int64_t>(times_.size()), all = static_cast<std::int64_t>(numbers_.size());
        const int taken = static_cast<int>(std::min<std::int64_t>(count, all - next_));
        for (int lane = 0; lane < taken; ++lane, ++next_) {
            const std::int64_t number = numbers_[static_cast<std::size_t>(next_)];
            handed[lane] = {nullptr, next_, times_.data(), rows, results_ + number * rows, members * rows,
                            initial_.data() + next_, all, inputs_.data() + next_, all, 0};
            for (int i = 0; i < 2; ++i) {
                p[i * count + lane] = -(i + 1) * static_cast<double>(number + 1) / static_cast<double>(members);
                y0[i * count + lane] = 1;
            }
            start[lane] = times_.front();
            end[lane] = times_.back();
        }
        return taken;
    }
    void finish(const LaneMember&, Status status, double, double, double) override { ok += int{status == Status::ok}; }
    bool cancelled() const override { return false; }

    std::int64_t ok = 0;

private:
    std::vector<std::int64_t> numbers_;
    const std::vector<double>& times_;
    double* results_;
    std::vector<double> initial_, inputs_;
    std::int64_t next_ = 0;
};

}  // namespace

#define ACCEPT(value, expected) COMPARE_WITHIN(value, expected, 1e-6 * std::max(1.0, std::abs(expected)))
#define VERIFY_OK(run) QVERIFY2((run).all.status[0] == Status::ok, qPrintable((run).how()))

class TestFieldCases : public QObject {
    Q_OBJECT

private slots:
    void a_backward_run_with_a_constant_slope_ends_data() { add_rows(); }
    void a_backward_run_with_a_constant_slope_ends();
    void output_spacing_close_to_the_step_does_not_stall_data() { add_rows(); }
    void output_spacing_close_to_the_step_does_not_stall();
    void a_blow_up_ends_with_a_status_data() { add_rows(); }
    void a_blow_up_ends_with_a_status();
    void one_bad_member_leaves_the_others_untouched_data() { add_rows(); }
    void one_bad_member_leaves_the_others_untouched();
    void save_times_are_honoured_one_for_one_data() { add_rows(); }
    void save_times_are_honoured_one_for_one();
    void a_save_interval_yields_every_multiple_data() { add_rows(); }
    void a_save_interval_yields_every_multiple();
    void almost_equal_save_times_change_nothing_data() { add_rows(); }
    void almost_equal_save_times_change_nothing();
    void a_span_of_zero_length_returns_the_start_data() { add_rows(); }
    void a_span_of_zero_length_returns_the_start();
    void backward_runs_report_the_true_time_data() { add_rows(); }
    void backward_runs_report_the_true_time();
    void the_clock_may_start_anywhere_data() { add_rows(); }
    void the_clock_may_start_anywhere();
    void nothing_is_evaluated_outside_the_span_data() { add_rows(); }
    void nothing_is_evaluated_outside_the_span();
    void a_short_pulse_is_seen_with_a_largest_step_data() { add_rows(); }
    void a_short_pulse_is_seen_with_a_largest_step();
    void the_step_limit_is_never_hidden_data() { add_rows(); }
    void the_step_limit_is_never_hidden();
    void the_step_limit_does_not_depend_on_the_rows_data() { add_rows(); }
    void the_step_limit_does_not_depend_on_the_rows();
    void a_trial_step_without_a_number_is_retried_smaller_data() { add_rows(); }
    void a_trial_step_without_a_number_is_retried_smaller();
    void the_last_point_of_a_regular_grid_is_kept_data() { add_rows(); }
    void the_last_point_of_a_regular_grid_is_kept();
    void there_is_no_hidden_time_scale_data() { add_rows(); }
    void there_is_no_hidden_time_scale();
    void tolerances_below_double_precision_are_refused();
    void the_tightest_tolerance_does_not_hang_data() { add_rows(); }
    void the_tightest_tolerance_does_not_hang();
    void absolute_tolerance_is_per_component_data() { add_rows(); }
    void absolute_tolerance_is_per_component();
    void a_stiff_problem_stops_and_says_why_data() { add_rows(); }
    void a_stiff_problem_stops_and_says_why();
    void whole_numbers_are_numbers_data() { add_rows(); }
    void whole_numbers_are_numbers();
    void results_beyond_32_bit_indices_are_right_data() { add_rows(); }
    void results_beyond_32_bit_indices_are_right();
    void rows_are_written_beyond_32_bit_positions_data() { add_rows(); }
    void rows_are_written_beyond_32_bit_positions();
    void strides_beyond_32_bits_are_followed_data() { add_rows(); }
    void strides_beyond_32_bits_are_followed();
    void time_keeps_its_resolution_far_from_zero_data() { add_rows(); }
    void time_keeps_its_resolution_far_from_zero();
    void cancel_stops_the_work_data() { add_rows(); }
    void cancel_stops_the_work();
    void a_state_at_zero_does_not_stop_the_first_step_data() { add_rows(); }
    void a_state_at_zero_does_not_stop_the_first_step();
    void the_length_of_a_zero_vector_is_usable_data() { add_rows(); }
    void the_length_of_a_zero_vector_is_usable();
    void a_cosmic_age_falls_steadily_with_redshift_data() { add_rows(); }
    void a_cosmic_age_falls_steadily_with_redshift();
    void percentiles_say_how_many_members_they_describe();
    void no_saved_cell_is_left_uninitialised_data() { add_rows(); }
    void no_saved_cell_is_left_uninitialised();
};

void TestFieldCases::a_backward_run_with_a_constant_slope_ends() {  // B01
    const Model& model = model_named("constant_slope");
    EnsembleRequest request = request_for(model, 1e-5, 1e-6);
    save_evenly(request, 0, -17.3, 1);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QVERIFY(run.all.stopped_at[0] == -17.3);
    ACCEPT(run.last(0), 5.19);
    QVERIFY2(run.all.accepted[0] < 60, qPrintable(run.how()));
}

void TestFieldCases::the_length_of_a_zero_vector_is_usable() {  // B17, the solution
    const Model& model = model_named("radial_decay");
    EnsembleRequest request = request_for(model, 1e-10);
    save_evenly(request, 0, 1, 1);
    const Run zero = run_row(model, request);
    VERIFY_OK(zero);
    QVERIFY(zero.last(0) == 0 && zero.last(1) == 0);
    request.initial_state[0].value = 0.003;
    request.initial_state[1].value = 0.004;
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QVERIFY(std::abs(run.last(0) - 0.0029702970297) < 1e-12 && std::abs(run.last(1) - 0.0039603960396) < 1e-12);
}

void TestFieldCases::a_cosmic_age_falls_steadily_with_redshift() {  // B50
    const Model& model = model_named("cosmic_age");
    EnsembleRequest request = request_for(model, 1e-10, 1e-30);
    request.span.start = std::log(1e-10);
    request.span.end = 0;
    save_at(request, {-std::log(26001.0), -std::log(25001.0), -std::log(24001.0), 0.0});
    request.span.start = std::log(1e-10);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    constexpr double right[] = {7.48494128e-8, 8.08314919e-8, 8.75608942e-8, 0.9637004557};
    for (std::size_t row = 0; row < 4; ++row)
        QVERIFY2(std::abs(run.state(0, row) / right[row] - 1) < 1e-7, qPrintable(QString::number(run.state(0, row), 'g', 12)));
}

void TestFieldCases::output_spacing_close_to_the_step_does_not_stall() {  // B02
    const Model& model = model_named("oscillator");
    EnsembleRequest request = request_for(model, 1e-9);
    request.solver.max_step = 0.1001502;
    save_evenly(request, 0, 60, 600);
    const Run rows = run_row(model, request);
    VERIFY_OK(rows);
    ACCEPT(rows.last(0), -0.9524129804);
    save_evenly(request, 0, 60, 1);
    QVERIFY2(steps_equal(rows, run_row(model, request)), qPrintable(rows.how()));
}

void TestFieldCases::a_blow_up_ends_with_a_status() {  // B03
    const Model& model = model_named("square_growth");
    EnsembleRequest request = request_for(model);
    save_at(request, {0, 0.5, 0.9, 1.5, 2});
    const auto before = std::chrono::steady_clock::now();
    const Run run = run_row(model, request);
    QVERIFY(std::chrono::steady_clock::now() - before < std::chrono::seconds(1));
    const Status status = run.all.status[0];
    QVERIFY2(status == Status::step_underflow || status == Status::non_finite, qPrintable(run.how()));
    COMPARE_WITHIN(run.all.stopped_at[0], 1.0, 1e-6);
    QCOMPARE(run.state(0, 0), 1.0);
    ACCEPT(run.state(0, 1), 2.0);
    ACCEPT(run.state(0, 2), 10.0);
    QVERIFY(std::isnan(run.state(0, 3)) && std::isnan(run.state(0, 4)));
}

void TestFieldCases::one_bad_member_leaves_the_others_untouched() {  // B04
    const Model& model = model_named("root_decay");
    EnsembleRequest request = request_for(model);
    save_evenly(request, 0, 0.9, 1);
    EnsembleRequest good = request;
    vary(request, model, "p", {0, 0.5, 2, 1});
    const Run run = run_row(model, request);
    for (const auto& [member, value] : {std::pair{0, 0.4065696597}, std::pair{1, 0.4540814110}, std::pair{3, 0.5243558010}}) {
        QVERIFY2(run.all.status[static_cast<std::size_t>(member)] == Status::ok, qPrintable(run.how(static_cast<std::size_t>(member))));
        ACCEPT(run.last(0, static_cast<std::size_t>(member)), value);
    }
    QVERIFY2(run.all.status[2] == Status::non_finite || run.all.status[2] == Status::step_underflow, qPrintable(run.how(2)));
    COMPARE_WITHIN(run.all.stopped_at[2], 0.5, 1e-3);
    QVERIFY(std::isnan(run.last(0, 2)));
    vary(good, model, "p", {0, 0.5, 1});
    const Run without = run_row(model, good);
    QVERIFY(same(run.last(0, 0), without.last(0, 0)));
    QVERIFY(same(run.last(0, 1), without.last(0, 1)));
    QVERIFY(same(run.last(0, 3), without.last(0, 2)));
}

void TestFieldCases::save_times_are_honoured_one_for_one() {  // B06
    const Model& model = model_named("slope_of_time");
    EnsembleRequest request = request_for(model);
    save_at(request, {0, 0, 0.25, 0.25, 1, 4, 4});
    validate(request, model.description);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QCOMPARE(run.rows, std::size_t{7});
    const double expected[] = {2, 2, 1.9875, 1.9875, 1.8, -1.2, -1.2};
    for (std::size_t row = 0; row < 7; ++row) ACCEPT(run.state(0, row), expected[row]);
    for (const std::vector<double>& wrong : {std::vector{0.0, 0.25, 0.0, 4.0}, std::vector{0.0, 4.5}, std::vector{-0.1, 4.0}}) {
        request.span.times = wrong;
        verify_refused([&] { validate(request, model.description); }, "span.save");
    }
}

void TestFieldCases::a_save_interval_yields_every_multiple() {  // B07
    const Model& model = model_named("exponential");
    EnsembleRequest request = request_for(model);
    set_parameter(request, 0, 1e6);
    start_at(request, {0.5});
    save_every(request, 0, 8.99e-7, 1e-7);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QCOMPARE(run.rows, std::size_t{10});
    const std::vector<double>& times = run.result.save_times.shared;
    for (int k = 0; k < 9; ++k) QCOMPARE(times[static_cast<std::size_t>(k)], k * 1e-7);
    QCOMPARE(times[9], 8.99e-7);
    ACCEPT(run.state(0, 8), 1.1127704642);
    ACCEPT(run.state(0, 9), 1.2285723687);
}

void TestFieldCases::almost_equal_save_times_change_nothing() {  // B08
    const Model& model = model_named("kepler");
    EnsembleRequest request = request_for(model);
    start_at(request, {0.4, 0, 0, 2});
    save_at(request, {0, 0.0031, 0.0972, 1.6541, 1.7296, 1.7296 + 1e-17});
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    const double expected[][2] = {{0.4, 0}, {0.3999699698, 0.0061998448}, {0.3714395525, 0.1898297272}, {-1.1512788766, 0.6674568332},
                                  {-1.1972315369, 0.6416551055}, {-1.1972315369, 0.6416551055}};
    for (std::size_t row = 0; row < run.rows; ++row)
        for (std::size_t d = 0; d < 2; ++d) ACCEPT(run.state(d, row), expected[row][d]);
    save_at(request, {0, 1.7296});
    QVERIFY(steps_equal(run, run_row(model, request)));
}

void TestFieldCases::a_span_of_zero_length_returns_the_start() {  // B09
    const Model& model = model_named("exponential_pair");
    EnsembleRequest request = request_for(model);
    set_parameter(request, 0, 2);
    set_parameter(request, 1, 2);
    start_at(request, {1, -3});
    save_at(request, {2.5, 2.5});
    validate(request, model.description);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QCOMPARE(run.all.accepted[0] + run.all.rejected[0], 0);
    QCOMPARE(run.all.stopped_at[0], 2.5);
    for (std::size_t row = 0; row < 2; ++row) {
        QCOMPARE(run.state(0, row), 1.0);
        QCOMPARE(run.state(1, row), -3.0);
    }
}

void TestFieldCases::backward_runs_report_the_true_time() {  // B10
    const Model& model = model_named("slope_of_time");
    EnsembleRequest request = request_for(model);
    set_parameter(request, 0, 1);
    start_at(request, {1});
    save_at(request, {2, 1, 0, -1, -2});
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    const double expected[] = {1, -0.5, -1, -0.5, 1};
    for (std::size_t row = 0; row < 5; ++row) {
        const double time = 2.0 - static_cast<double>(row);
        QCOMPARE(run.result.save_times.shared[row], time);
        QCOMPARE(run.observable(0, row), time);
        ACCEPT(run.state(0, row), expected[row]);
    }
    QCOMPARE(run.all.stopped_at[0], -2.0);
}

// Tsit5 at rtol 1e-8 is off by 1e-5 after four periods, so the case is run at 1e-10.
void TestFieldCases::the_clock_may_start_anywhere() {  // B11
    const Model& model = model_named("kepler");
    EnsembleRequest request = request_for(model, 1e-10, 1e-12);
    start_at(request, {0.7, 0, 0, 1.3627702877});
    save_evenly(request, 0, 24, 1);
    const Run from_zero = run_row(model, request);
    save_evenly(request, -24, 0, 1);
    const Run to_zero = run_row(model, request);
    VERIFY_OK(from_zero);
    VERIFY_OK(to_zero);
    const auto energy = static_cast<std::size_t>(ModelDescription::index_of(model.description.observables, "energy"));
    for (const Run* run : {&from_zero, &to_zero}) {
        COMPARE_WITHIN(run->last(0), -0.1594333411, 1e-5);
        COMPARE_WITHIN(run->last(1), -0.9444677459, 1e-5);
        COMPARE_WITHIN(run->observable(energy, 0), -0.5, 1e-5);
    }
    for (std::size_t d = 0; d < 4; ++d) COMPARE_WITHIN(from_zero.last(d), to_zero.last(d), 1e-9);
}

void TestFieldCases::nothing_is_evaluated_outside_the_span() {  // B12
    const Model& model = model_named("root_of_time_left");
    EnsembleRequest request = request_for(model);
    save_evenly(request, 0, 0.001, 1);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    COMPARE_WITHIN(run.last(0), 2.0000210819, 2e-7);
    for (const double first_step : {1e-4, 1.0}) {
        request.solver.first_step = first_step;
        const Run forced = run_row(model, request);
        VERIFY_OK(forced);
        COMPARE_WITHIN(forced.last(0), 2.0000210819, 2e-7);
    }
    const Model& smooth = model_named("smooth_until_the_end");
    for (const std::optional<double> first_step : {std::optional<double>(), std::optional(0.1), std::optional(0.7), std::optional(1e3)}) {
        EnsembleRequest to_the_end = request_for(smooth);
        save_evenly(to_the_end, 0, 0.7, 8);
        to_the_end.solver.first_step = first_step;
        const Run evaluated = run_row(smooth, to_the_end);
        VERIFY_OK(evaluated);
        QCOMPARE(evaluated.all.rejected[0], 0);
    }
}

void TestFieldCases::a_short_pulse_is_seen_with_a_largest_step() {  // B42, second part
    const Model& model = model_named("short_pulse");
    EnsembleRequest request = request_for(model);
    request.solver.rtol = 1e-6;
    save_evenly(request, 0, 100, 1);
    const Run missed = run_row(model, request);
    VERIFY_OK(missed);
    QCOMPARE(missed.last(0), 0.0);
    request.solver.max_step = 0.005;
    request.solver.rtol = 1e-9;
    const Run seen = run_row(model, request);
    VERIFY_OK(seen);
    COMPARE_WITHIN(seen.last(0), 0.4105276165, 1e-6);
}

void TestFieldCases::the_step_limit_is_never_hidden() {  // B13
    const Model& model = model_named("stiff_cosine");
    EnsembleRequest request = request_for(model, 1e-6, 1e-6);
    save_evenly(request, 0, 10, 11);
    request.solver.max_steps = 50;
    const Run limited = run_row(model, request);
    QVERIFY2(limited.all.status[0] == Status::step_limit, qPrintable(limited.how()));
    QVERIFY2(limited.all.stopped_at[0] < 0.2, qPrintable(limited.how()));
    QCOMPARE(limited.all.accepted[0] + limited.all.rejected[0], 50);
    QCOMPARE(limited.state(0, 0), 0.0);
    for (std::size_t row = 1; row < 11; ++row) QVERIFY(std::isnan(limited.state(0, row)));
    request.solver.max_steps = 100000;
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    ACCEPT(run.last(0), -0.8396147106);
}

void TestFieldCases::the_step_limit_does_not_depend_on_the_rows() {  // B14
    const Model& model = model_named("oscillator");
    EnsembleRequest request = request_for(model);
    save_evenly(request, 0, 1000, 1);
    const Run free = run_row(model, request);
    VERIFY_OK(free);
    COMPARE_WITHIN(free.last(0), 0.5623790763, 1e-5);
    const std::int64_t needed = free.all.accepted[0] + free.all.rejected[0];
    for (const std::int64_t rows : {1, 10, 10000}) {
        save_evenly(request, 0, 1000, rows);
        request.solver.max_steps = needed;
        const Run enough = run_row(model, request);
        VERIFY_OK(enough);
        request.solver.max_steps = needed - 1;
        const Run too_few = run_row(model, request);
        QVERIFY2(too_few.all.status[0] == Status::step_limit, qPrintable(too_few.how()));
        QVERIFY(std::isnan(too_few.last(0)));
    }
}

void TestFieldCases::a_trial_step_without_a_number_is_retried_smaller() {  // B15
    const Model& model = model_named("slope_of_sine");
    EnsembleRequest request = request_for(model, 1e-6, 1e-9);
    request.solver.first_step = 1.2;
    save_evenly(request, 0, 1.5, 1);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    COMPARE_WITHIN(run.last(0), 0.9974949866, 1e-5);
    QVERIFY2(run.all.rejected[0] >= 1, qPrintable(run.how()));
}

void TestFieldCases::the_last_point_of_a_regular_grid_is_kept() {  // B20
    const Model& model = model_named("oscillator");
    EnsembleRequest request = request_for(model);
    for (const auto& [interval, rows] : {std::pair{0.1, 11}, std::pair{0.2, 6}, std::pair{0.01, 101}, std::pair{0.3, 5}}) {
        save_every(request, 0, 1, interval);
        const Run run = run_row(model, request);
        VERIFY_OK(run);
        QCOMPARE(run.rows, static_cast<std::size_t>(rows));
        QCOMPARE(run.result.save_times.shared.back(), 1.0);
        ACCEPT(run.last(0), 0.5403023059);
        for (std::size_t row = 0; row < run.rows; ++row) ACCEPT(run.state(0, row), std::cos(run.result.save_times.shared[row]));
    }
}

void TestFieldCases::there_is_no_hidden_time_scale() {  // B24
    const Model& model = model_named("exponential");
    std::int32_t accepted = 0;
    for (const double scale : {1.0, 1e-13, 1e-3, 1e12}) {
        EnsembleRequest request = request_for(model);
        set_parameter(request, 0, -1 / scale);
        save_evenly(request, 0, scale, 1);
        for (const bool chosen : {true, false}) {  // also with the first step that the method chooses
            request.solver.first_step = chosen ? std::optional(scale / 100) : std::nullopt;
            const Run run = run_row(model, request);
            VERIFY_OK(run);
            ACCEPT(run.last(0), 0.3678794412);
            if (!chosen) continue;
            if (scale == 1) accepted = run.all.accepted[0];
            QVERIFY2(std::abs(run.all.accepted[0] - accepted) <= 1, qPrintable(run.how()));
        }
    }
}

void TestFieldCases::tolerances_below_double_precision_are_refused() {  // B25
    const Model& model = model_named("stiff_pair");
    EnsembleRequest request = request_for(model, 1e-15, 1e-15);
    verify_refused([&] { validate(request, model.description); }, "solver.rtol");
    request.solver.rtol = 1e-14;
    validate(request, model.description);
}

void TestFieldCases::the_tightest_tolerance_does_not_hang() {  // B25
    const Model& model = model_named("stiff_pair");
    EnsembleRequest request = request_for(model, 1e-14, 1e-15);
    save_evenly(request, 0, 1, 101);
    const Run run = run_row(model, request);
    if (run.all.status[0] == Status::ok) {
        ACCEPT(run.last(0), -0.3679530244);
        ACCEPT(run.last(1), 0.3679530244);
    } else {
        QVERIFY2(run.all.status[0] == Status::step_limit || run.all.status[0] == Status::step_underflow, qPrintable(run.how()));
    }
}

void TestFieldCases::absolute_tolerance_is_per_component() {  // B26, second part
    const Model& model = model_named("two_oscillators");
    EnsembleRequest request = request_for(model, 1e-6);
    request.solver.atol = {1e-15, 1e-14, 1e-6, 1e-6};
    save_evenly(request, 0, 20, 1);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    COMPARE_WITHIN(run.last(0) / 4.87187675e-10, 1.0, 1e-3);
    COMPARE_WITHIN(run.last(2), 0.4080820618, 1e-5);
    QVERIFY(request_remarks(model.description, request).empty());
    request.solver.atol.assign(4, 1e-6);
    const std::vector<std::string> remarks = request_remarks(model.description, request);
    QCOMPARE(remarks.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(remarks[0]).contains("solver.atol.x"));
}

void TestFieldCases::a_stiff_problem_stops_and_says_why() {  // B27, explicit part
    const Model& model = model_named("van_der_pol");
    EnsembleRequest request = request_for(model, 1e-6, 1e-6);
    request.solver.max_steps = 100000;
    save_at(request, {0, 500, 2000});
    const Run run = run_row(model, request);
    QVERIFY2(run.all.status[0] == Status::step_limit, qPrintable(run.how()));
    if (method_of_row() == "tsit5") COMPARE_WITHIN(run.all.stopped_at[0], 117.0, 10.0);
    QVERIFY2(run.all.stopped_at[0] < 500, qPrintable(run.how()));
    QVERIFY(std::isnan(run.state(0, 1)) && std::isnan(run.state(0, 2)));
    QVERIFY(sentence(Status::step_limit).find("stiff") != std::string_view::npos);
}

void TestFieldCases::whole_numbers_are_numbers() {  // B29
    const auto run_of = [](const char* k) {
        const std::string text = std::string(R"({"gradscape": 1, "model": "exponential", "parameters": {"k": )") + k +
                                 R"(}, "initial_state": {"y": 1}, "span": {"start": 0, "end": 1, "save": [0.2, 0.75, 1]},
                                    "ensemble": {"size": 1}, "accuracy": {"subsample": 0}})";
        return run_row(model_named("exponential"), parse_scenario(text, test_model_names()));
    };
    const Run whole = run_of("1");
    VERIFY_OK(whole);
    ACCEPT(whole.state(0, 0), 1.2214027582);
    ACCEPT(whole.state(0, 1), 2.1170000166);
    ACCEPT(whole.state(0, 2), 2.7182818285);
    const Run two = run_of("2");
    QVERIFY(same_data(two.all, run_of("2.0").all) && same_data(two.all, run_of("2e0").all));
    ACCEPT(two.state(0, 2), 7.3890560989);
}

// The last hundred of 50000 members with 25000 rows of two states, 2.5e9 values; streamed, for together they need 20 GB. That no index is
// narrower than 64 bits is checked on the types here, and on positions in the next two tests.
void TestFieldCases::results_beyond_32_bit_indices_are_right() {  // B31
    static_assert(sizeof(EnsembleChunk::first) == 8 && sizeof(EnsembleChunk::count) == 8 && sizeof(EnsembleChunk::rows) == 8);
    static_assert(sizeof(EnsembleRequest::size) == 8 && sizeof(SaveTimes::rows) == 8);
    static_assert(sizeof(LaneMember::index) == 8 && sizeof(LaneMember::rows) == 8 && sizeof(LaneMember::state_stride) == 8);
    static_assert(sizeof(PointBlock::points) == 8 && sizeof(PointBlock::state_stride) == 8 && sizeof(PointBlock::out_stride) == 8);
    struct LastRows : ChunkSink {
        std::vector<double> a, b;
        void chunk(const EnsembleChunk& part) override {
            for (std::int64_t m = 0; m < part.count; ++m) {
                a.push_back(part.states[static_cast<std::size_t>((m + 1) * part.rows - 1)]);
                b.push_back(part.states[static_cast<std::size_t>((part.count + m + 1) * part.rows - 1)]);
            }
        }
    } last;
    const Model& model = model_named("exponential_pair");
    EnsembleRequest request = request_for(model);
    request.solver.method = method_of_row();
    std::vector<double> k, m;
    for (int i = 49900; i < 50000; ++i) {
        const int member = i == 49900 ? 42950 : i;
        k.push_back(-(member + 1) / 50000.0);
        m.push_back(2 * k.back());
    }
    vary(request, model, "k", k);
    vary(request, model, "m", m);
    save_evenly(request, 0, 2, 25000);
    validate(request, model.description);
    RunOptions options = options_of_row();
    options.sink = &last;
    run_ensemble(model, request, options);
    QCOMPARE(last.a.size(), std::size_t{100});
    ACCEPT(last.a.back(), 0.1353352832);
    ACCEPT(last.a.front(), 0.1794174617);
    ACCEPT(last.b.front(), 0.0321906256);
}

void TestFieldCases::rows_are_written_beyond_32_bit_positions() {  // B31
    const Model& model = model_named("exponential_pair");
    const InstructionSet set = *options_of_row().instruction_set;
    const auto kernels = std::ranges::find(model.kernels, set, &Kernels::set);
    constexpr std::int64_t rows = 25000, stride = PairJob::members * rows;
    const SparseArray results(2 * stride);
    if (results.values() == nullptr) QSKIP("20 GB of addresses are not to be had");
    std::vector<double> times(static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < times.size(); ++row) times[row] = 2.0 * static_cast<double>(row) / (rows - 1);
    const double atol[] = {1e-10, 1e-10};
    SolverConstants constants{};
    constants.rtol = 1e-8;
    constants.atol = atol;
    constants.largest_step = std::numeric_limits<double>::infinity();
    constants.max_steps = 1e5;
    PairJob job(constants, {42950, 49997, 49998, 49999}, times, results.values());
    cpu_code(set).solve[static_cast<std::size_t>(method_index(method_of_row()))](kernels->functions, job);
    QCOMPARE(job.ok, std::int64_t{4});
    const auto at = [&](std::int64_t state, std::int64_t member, std::int64_t row) {
        return results.values()[state * stride + member * rows + row];
    };
    ACCEPT(at(0, 42950, rows - 1), 0.1794174617);
    ACCEPT(at(1, 42950, rows - 1), 0.0321906256);
    ACCEPT(at(0, 49999, rows - 1), 0.1353352832);
    ACCEPT(at(1, 49999, rows - 1), 0.0183156389);
    for (const std::int64_t state : {0, 1}) {
        for (const std::int64_t member : {42950, 49997, 49998, 49999}) QCOMPARE(at(state, member, 0), 1.0);
        for (const std::int64_t member : {0, 42949, 42951, 49996})  // those that nobody computed
            for (const std::int64_t row : {std::int64_t{0}, rows - 1}) QCOMPARE(at(state, member, row), 0.0);
    }
}

void TestFieldCases::strides_beyond_32_bits_are_followed() {  // B31: observables and invariants
    const Model& model = model_named("kepler");
    const InstructionSet set = *options_of_row().instruction_set;
    const auto kernels = std::ranges::find(model.kernels, set, &Kernels::set);
    const auto n_states = static_cast<std::int64_t>(model.description.states.size()),
               n_observables = static_cast<std::int64_t>(model.description.observables.size());
    constexpr std::int64_t stride = 1'250'000'000;
    const SparseArray states(n_states * stride), observables(n_observables * stride);
    if (states.values() == nullptr || observables.values() == nullptr) QSKIP("40 GB of addresses are not to be had");
    std::vector<double> inputs, close_states, close_observables(model.description.observables.size());
    for (const ParameterInfo& parameter : model.description.parameters) inputs.push_back(parameter.default_value);
    for (std::int64_t d = 0; d < n_states; ++d) {
        close_states.push_back(0.3 + 0.2 * static_cast<double>(d));
        states.values()[d * stride] = close_states.back();
    }
    const double time = 0;
    PointBlock block{1, 1, &time, false, states.values(), stride, inputs.data(), 1, nullptr, nullptr, observables.values(), stride};
    cpu_code(set).evaluate(kernels->functions, PointFunction::observe, block);
    block.states = close_states.data();
    block.out = close_observables.data();
    block.state_stride = block.out_stride = 1;
    cpu_code(set).evaluate(kernels->functions, PointFunction::observe, block);
    QVERIFY(n_states * stride > std::int64_t{1} << 31 && n_observables * stride > std::int64_t{1} << 31);
    for (std::int64_t q = 0; q < n_observables; ++q)
        QVERIFY(same(observables.values()[q * stride], close_observables[static_cast<std::size_t>(q)]));
    QVERIFY(close_observables.back() != 0);
}

// A clock of single precision would step from 30000000 to 30000076; states and times are doubles throughout.
void TestFieldCases::time_keeps_its_resolution_far_from_zero() {  // B23
    const Model& model = model_named("slope_of_time");
    EnsembleRequest request = request_for(model);
    set_parameter(request, 0, 1.0 / 3e7);  // y' = 1 to a part in 10^5
    start_at(request, {0});
    save_every(request, 3e7, 3e7 + 300, 75);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    QCOMPARE(run.rows, std::size_t{5});
    for (std::size_t row = 0; row < 5; ++row) {
        const double since_start = 75.0 * static_cast<double>(row), time = 3e7 + since_start;
        QVERIFY(run.result.save_times.shared[row] == time && run.observable(0, row) == time);
        ACCEPT(run.state(0, row), since_start + since_start * since_start / 6e7);
    }
    QVERIFY(run.all.stopped_at[0] == 3e7 + 300);
}

void TestFieldCases::cancel_stops_the_work() {  // B32
    const Model& model = model_named("van_der_pol");
    EnsembleRequest request = request_for(model, 1e-6, 1e-6);
    request.solver.method = method_of_row();
    request.solver.max_steps = std::int64_t{1} << 40;
    request.size = 200000;
    save_at(request, {0, 500, 2000});
    std::stop_source stop;
    RunOptions options = options_of_row();
    options.stop = stop.get_token();
    std::chrono::steady_clock::time_point asked;
    options.progress = [&](const Progress& progress) {
        QVERIFY(progress.total == 200000);
        if (!stop.stop_requested()) asked = std::chrono::steady_clock::now();
        stop.request_stop();
    };
    const EnsembleResult result = run_ensemble(model, request, options);
    QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::seconds(2));
    QVERIFY(result.cancelled);
    QVERIFY(result.by_status[static_cast<std::size_t>(Status::cancelled)] >= result.lanes);
    QCOMPARE(std::accumulate(result.by_status.begin(), result.by_status.end(), std::int64_t{0}), request.size);
}

void TestFieldCases::a_state_at_zero_does_not_stop_the_first_step() {  // B37
    const Model& model = model_named("three_fates");
    EnsembleRequest request = request_for(model);
    save_evenly(request, 0, 2, 1);
    const Run run = run_row(model, request);
    VERIFY_OK(run);
    ACCEPT(run.last(0), 2.0);
    ACCEPT(run.last(1), 0.1353352832);
    QCOMPARE(run.last(2), 0.0);
    QVERIFY2(run.all.accepted[0] + run.all.rejected[0] < 200, qPrintable(run.how()));
    request.solver.atol = {0, 1e-10, 0};  // nor where its absolute tolerance is zero too
    validate(request, model.description);
    const Run without_atol = run_row(model, request);
    VERIFY_OK(without_atol);
    QCOMPARE(without_atol.last(2), 0.0);
    ACCEPT(without_atol.last(1), 0.1353352832);
}

void TestFieldCases::percentiles_say_how_many_members_they_describe() {  // B47
    const std::vector<double> errors{3e-6, 1e-6, missing, 8e-6, 2e-6, 7e-6, 4e-6, missing, 6e-6, 5e-6};
    const double levels[] = {0.05, 0.5, 0.95};
    const Percentiles described = percentiles(errors, levels);
    COMPARE_WITHIN(described.values[0], 1.35e-6, 1e-20);
    COMPARE_WITHIN(described.values[1], 4.5e-6, 1e-20);
    COMPARE_WITHIN(described.values[2], 7.65e-6, 1e-20);
    QCOMPARE(described.covered, std::int64_t{8});
    QCOMPARE(described.of, std::int64_t{10});
    const Percentiles nothing = percentiles(std::vector<double>(10, missing), levels);
    for (const double value : nothing.values) QVERIFY(std::isnan(value));
    QCOMPARE(nothing.covered, std::int64_t{0});
    QCOMPARE(nothing.of, std::int64_t{10});
}

void TestFieldCases::no_saved_cell_is_left_uninitialised() {  // B52
    const Model& model = model_named("exponential");
    EnsembleRequest request = request_for(model);
    set_parameter(request, 0, -1);
    std::vector<double> starts;
    for (int i = 0; i < 10000; ++i) starts.push_back(i + 1);
    vary(request, model, "y0", starts);
    for (const std::int64_t rows : {1, 2}) {
        save_evenly(request, 0, 1, rows);
        const Run run = run_row(model, request);
        QCOMPARE(run.result.save_times.shared.back(), 1.0);
        if (rows == 2) QCOMPARE(run.result.save_times.shared.front(), 0.0);
        for (std::size_t i = 0; i < 10000; ++i) {
            QVERIFY(run.all.status[i] == Status::ok);
            if (rows == 2) QCOMPARE(run.state(0, 0, i), starts[i]);
            ACCEPT(run.last(0, i), 0.36787944117144233 * starts[i]);
        }
    }
}

QTEST_GUILESS_MAIN(TestFieldCases)
#include "tst_field_cases.moc"
