// Errors fall as theory says: with the tolerance, with the step, and between the steps. A new method or problem is tested by adding it to
// its list.
#include "tests/ensemble_runs.hpp"

#include <functional>

namespace {

using namespace gradscape;
using namespace gradscape::tests;

/// A nonlinear problem with a known solution on 0..end.
struct Problem {
    const char* model;
    double end;
    std::function<std::vector<double>(double)> solution;
};

const Problem problems[] = {
    {"witch", 2, [](double t) { return std::vector{1 / (1 + t * t), t / (1 + t * t)}; }},
    {"coupled_waves", 1.25, [](double t) { return std::vector{std::exp(std::sin(t * t)), 1 + std::sin(t * t), std::cos(t * t)}; }},
    {"oscillator", 8, [](double t) { return std::vector{std::cos(t), -std::sin(t)}; }},
};

/// Largest error over rows and states.
double error_of(const Run& run, const Problem& problem) {
    double largest = 0;
    for (std::size_t row = 0; row < run.rows; ++row) {
        const std::vector<double> exact = problem.solution(run.result.save_times.shared[row]);
        for (std::size_t d = 0; d < exact.size(); ++d) largest = std::max(largest, std::abs(run.state(d, row) - exact[d]));
    }
    return largest;
}

/// Slope of the line through the points (log x, log y) by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        mx += std::log(x[i]) / n;
        my += std::log(y[i]) / n;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (std::log(x[i]) - mx) * (std::log(x[i]) - mx);
        xy += (std::log(x[i]) - mx) * (std::log(y[i]) - my);
    }
    return xy / xx;
}

QString listed(const std::vector<double>& values) {
    QString text;
    for (const double value : values) text += QString::number(value, 'g', 3) + " ";
    return text;
}

/// Steps of size h whatever the error.
EnsembleRequest with_steps(const Model& model, double h) {
    EnsembleRequest request = request_for(model, 0.1, 1e10);
    request.solver.first_step = request.solver.max_step = h;
    return request;
}

}  // namespace

class TestConvergence : public QObject {
    Q_OBJECT

private slots:
    void the_error_follows_the_tolerance_data() { add_rows_per_problem(); }
    void the_error_follows_the_tolerance();
    void the_error_falls_with_the_order_when_the_step_is_halved_data() { add_rows_per_problem(); }
    void the_error_falls_with_the_order_when_the_step_is_halved();
    void dense_output_keeps_the_order_between_steps_data() { add_rows_per_problem(); }
    void dense_output_keeps_the_order_between_steps();
    void the_error_within_one_step_has_the_order_of_the_dense_output_data() { add_rows_per_problem(); }
    void the_error_within_one_step_has_the_order_of_the_dense_output();

private:
    /// The next term of the error's expansion is still felt at these steps, and rounding in the smallest errors.
    static void verify_slope(double found, int order, const std::vector<double>& errors) {
        QVERIFY2(found > order - 0.5 && found < order + 1, qPrintable(QString("slope %1: ").arg(found) + listed(errors)));
    }
    static void add_rows_per_problem() {
        add_set_columns();
        QTest::addColumn<int>("problem");
        for (int i = 0; i < static_cast<int>(std::size(problems)); ++i)
            add_rows(problems[i].model, [&](QTestData& row) { row << i; });
    }
};

void TestConvergence::the_error_follows_the_tolerance() {
    QFETCH(int, problem);
    const Problem& solved = problems[problem];
    const Model& model = model_named(solved.model);
    std::vector<double> tolerances, errors;
    for (double rtol = 1e-4; rtol > 0.5e-10; rtol /= 10) {
        EnsembleRequest request = request_for(model, rtol, rtol);
        save_evenly(request, 0, solved.end, 101);
        const Run run = run_row(model, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        tolerances.push_back(rtol);
        errors.push_back(error_of(run, solved));
    }
    const double found = slope(tolerances, errors);
    QVERIFY2(found > 0.8 && found < 1.1, qPrintable(QString("slope %1: ").arg(found) + listed(errors)));
    for (std::size_t i = 0; i < errors.size(); ++i)  // ten to a hundred steps, each within its tolerance
        QVERIFY2(errors[i] < 20 * tolerances[i], qPrintable(listed(errors)));
}

void TestConvergence::the_error_falls_with_the_order_when_the_step_is_halved() {
    QFETCH(int, problem);
    const Problem& solved = problems[problem];
    const Model& model = model_named(solved.model);
    std::vector<double> steps, errors;
    for (const int count : {12, 24, 48}) {
        const double h = solved.end / count;
        EnsembleRequest request = with_steps(model, h);
        save_evenly(request, 0, solved.end, 1);
        const Run run = run_row(model, request);
        QCOMPARE(run.all.accepted[0], count);
        QCOMPARE(run.all.rejected[0], 0);
        steps.push_back(h);
        errors.push_back(error_of(run, solved));
    }
    const double found = slope(steps, errors);
    verify_slope(found, method_info_of_row().order, errors);
}

void TestConvergence::dense_output_keeps_the_order_between_steps() {
    QFETCH(int, problem);
    const Problem& solved = problems[problem];
    const Model& model = model_named(solved.model);
    std::vector<double> steps, errors;
    for (const int count : {12, 24, 48}) {
        const double h = solved.end / count;
        EnsembleRequest request = with_steps(model, h);
        save_evenly(request, 0, solved.end, 1001);
        const Run run = run_row(model, request);
        steps.push_back(h);
        errors.push_back(error_of(run, solved));
    }
    const double found = slope(steps, errors);
    verify_slope(found, std::min(method_info_of_row().order, method_info_of_row().dense_order + 1), errors);
}

// Forwards and backwards from the same point.
void TestConvergence::the_error_within_one_step_has_the_order_of_the_dense_output() {
    QFETCH(int, problem);
    const Problem& solved = problems[problem];
    const Model& model = model_named(solved.model);
    for (const double direction : {1.0, -1.0}) {
        std::vector<double> steps, errors;
        for (const double h : {0.2, 0.1, 0.05}) {
            EnsembleRequest request = with_steps(model, h);
            const double start = 0.6;
            start_at(request, solved.solution(start));
            save_evenly(request, start, start + direction * h, 21);
            const Run run = run_row(model, request);
            QCOMPARE(run.all.accepted[0], 1);
            steps.push_back(h);
            errors.push_back(error_of(run, solved));
        }
        verify_slope(slope(steps, errors), method_info_of_row().dense_order + 1, errors);
    }
}

QTEST_GUILESS_MAIN(TestConvergence)
#include "tst_convergence.moc"
