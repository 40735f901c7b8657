// Every model of the catalogue against 128-bit reference solutions (tests/reference/<model>.json) and closed forms, for every method and
// instruction set. A new model is tested by adding its file.
#include "tests/ensemble_runs.hpp"

#include <fstream>
#include <numbers>

#include <nlohmann/json.hpp>

namespace {

using namespace gradscape;
using namespace gradscape::tests;
using nlohmann::json;

/// Largest error that a model's reference points may show at rtol 1e-8 and 1e-12, and a run over the default span and back at 1e-11:
/// three to four times what was measured. Close passages (kepler: eccentricity 0.9) and a run against the contraction of the flow (lorenz)
/// magnify every error.
struct Allowed {
    std::string_view model, method;
    double loose, tight, back;
};
constexpr Allowed allowed[] = {
    {"lorenz", "tsit5", 1e-6, 8e-11, 3e-6},     {"lorenz", "vern7", 1e-7, 8e-12, 3e-6},
    {"kepler", "tsit5", 1e-2, 1e-6, 6e-9},      {"kepler", "vern7", 2e-4, 5e-8, 3e-10},
    {"log_halo", "tsit5", 4e-5, 6e-9, 8e-9},    {"log_halo", "vern7", 6e-6, 3e-10, 4e-10},
    {"milky_way", "tsit5", 6e-5, 1e-8, 6e-10},  {"milky_way", "vern7", 4e-5, 2e-9, 5e-12},
};

/// nullptr when the model lacks a stated accuracy.
const Allowed* allowed_for(std::string_view model, std::string_view method) {
    const auto found = std::ranges::find_if(allowed, [&](const Allowed& a) { return a.model == model && a.method == method; });
    return found == std::end(allowed) ? nullptr : found;
}

struct Point {
    std::string id;
    std::vector<double> parameters, y0, rows;
    std::vector<std::vector<double>> y;  ///< [row][state], rows[0] being the start
};

std::vector<Point> reference_points(const char* model) {
    std::ifstream file(std::string(GRADSCAPE_SOURCE_DIR "/tests/reference/") + model + ".json");
    const json reference = json::parse(file);
    std::vector<Point> points;
    for (const json& entry : reference.at("points")) {
        Point point{entry.at("id"), entry.at("params"), entry.at("y0"), {entry.at("t0").get<double>()}, {}};
        point.y.push_back(point.y0);
        for (const json& t : entry.at("t")) point.rows.push_back(t);
        for (const json& y : entry.at("y")) point.y.push_back(y);
        points.push_back(std::move(point));
    }
    return points;
}

EnsembleRequest request_for_point(const Model& model, const Point& point, double rtol) {
    EnsembleRequest request = request_for(model, rtol, 0);
    for (std::size_t i = 0; i < point.parameters.size(); ++i)  // those that only observables use keep their defaults
        request.parameters[i].value = point.parameters[i];
    start_at(request, point.y0);
    save_at(request, point.rows);
    // Tolerances relative to the size of each state, in the manner of the catalogue's defaults.
    for (std::size_t d = 0; d < point.y0.size(); ++d) {
        double size = 0;
        for (const auto& y : point.y) size = std::max(size, std::abs(y[d]));
        request.solver.atol[d] = 0.01 * rtol * size;
    }
    return request;
}

/// |a - ref| / (|ref| + 1e-2 max over states |ref|): componentwise, but not for a state that passes through zero.
double error_of(const Run& run, const Point& point) {
    double largest = 0;
    for (std::size_t row = 0; row < point.rows.size(); ++row) {
        double size = 0;
        for (const double value : point.y[row]) size = std::max(size, std::abs(value));
        for (std::size_t d = 0; d < point.y0.size(); ++d) {
            const double reference = point.y[row][d];
            largest = std::max(largest, std::abs(run.state(d, row) - reference) / (std::abs(reference) + 1e-2 * size));
        }
    }
    return largest;
}

/// The closed form of the two-body problem for a bound start: models.md's formulas, Newton's iteration for the eccentric anomaly's change.
/// Curtis, Orbital Mechanics for Engineering Students, section 3.7.
std::vector<double> kepler_solution(double mu, const std::vector<double>& y0, double t) {
    const double r0 = std::hypot(y0[0], y0[1]), v0 = std::hypot(y0[2], y0[3]), radial = y0[0] * y0[2] + y0[1] * y0[3];
    const double a = 1 / (2 / r0 - v0 * v0 / mu), n = std::sqrt(mu / (a * a * a)), s = radial / std::sqrt(mu * a);
    const double periods = std::floor(n * t / (2 * std::numbers::pi)), mean = n * t - 2 * std::numbers::pi * periods;
    double low = mean - 2, high = mean + 2, d = mean;  // |D - n t| <= e (1 + e), bisected so that e near 1 can't throw Newton out
    for (int i = 0; i < 200; ++i) {
        const double f = d - (1 - r0 / a) * std::sin(d) + s * (1 - std::cos(d)) - mean;
        (f > 0 ? high : low) = d;
        const double next = d - f / (1 - (1 - r0 / a) * std::cos(d) + s * std::sin(d));
        if (next == d) break;
        d = next > low && next < high ? next : 0.5 * (low + high);
    }
    const double r = a * (1 - (1 - r0 / a) * std::cos(d) + s * std::sin(d));
    const double F = 1 - a / r0 * (1 - std::cos(d)), G = (mean - (d - std::sin(d))) / n;
    const double F_rate = -std::sqrt(mu * a) / (r * r0) * std::sin(d), G_rate = 1 - a / r * (1 - std::cos(d));
    return {F * y0[0] + G * y0[2], F * y0[1] + G * y0[3], F_rate * y0[0] + G_rate * y0[2], F_rate * y0[1] + G_rate * y0[3]};
}

}  // namespace

class TestReference : public QObject {
    Q_OBJECT

private slots:
    void models_agree_with_reference_solutions_data() { add_rows_per_model(); }
    void models_agree_with_reference_solutions();
    void every_reference_solution_has_a_stated_accuracy();
    void kepler_orbits_agree_with_the_closed_form_data();
    void kepler_orbits_agree_with_the_closed_form();
    void invariants_drift_as_little_as_the_tolerance_asks_data() {
        add_rows_per_model([](const ModelDescription& model) { return !model.invariants.empty(); });
    }
    void invariants_drift_as_little_as_the_tolerance_asks();
    void a_run_back_returns_to_the_start_data() { add_rows_per_model(); }
    void a_run_back_returns_to_the_start();

private:
    // Models that draw their members' starts have their own tests (tst_stream).
    static void add_rows_per_model(bool (*wanted)(const ModelDescription&) = [](const ModelDescription&) { return true; }) {
        add_set_columns();
        QTest::addColumn<std::string>("model");
        for (const Model& model : catalogue()) {
            if (!wanted(model.description) || model.description.draws_start()) continue;
            const std::string name = model.description.info.name;
            add_rows(name, [&](QTestData& row) { row << name; });
        }
    }
};

void TestReference::models_agree_with_reference_solutions() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const Allowed* const stated = allowed_for(model, method_of_row());
    QVERIFY(stated != nullptr);
    const std::vector<Point> points = reference_points(model.c_str());
    QVERIFY(points.size() >= 8);
    for (const Point& point : points)
        for (const auto& [rtol, bound] : {std::pair{1e-8, stated->loose}, std::pair{1e-12, stated->tight}}) {
            const Run run = run_row(tested, request_for_point(tested, point, rtol));
            QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
            const double error = error_of(run, point);
            const QString message = QString("%1 at rtol %2: error %3, %4").arg(point.id.c_str()).arg(rtol).arg(error).arg(run.how());
            QVERIFY2(error <= bound, qPrintable(message));
            QVERIFY2(error >= 1e-16, qPrintable(message));  // a solver that gave the reference back would be suspect
        }
}

void TestReference::every_reference_solution_has_a_stated_accuracy() {
    for (const Model& model : catalogue())
        for (const MethodInfo& method : methods)
            QVERIFY2(model.description.draws_start() || allowed_for(model.description.info.name, method.name) != nullptr,
                     model.description.info.name);
}

void TestReference::kepler_orbits_agree_with_the_closed_form_data() {
    add_set_columns();
    QTest::addColumn<double>("e");
    QTest::addColumn<double>("tsit5_error");  // allowed: three times what was measured
    QTest::addColumn<double>("vern7_error");
    for (const auto& [e, tsit5, vern7] : {std::array{0.0, 1e-8, 5e-10}, std::array{0.1, 1.5e-8, 5e-10}, std::array{0.6, 1e-7, 5e-11},
                                          std::array{0.9, 4e-6, 3e-7}})
        add_rows("e = " + QString::number(e).toStdString(), [&](QTestData& row) { row << e << tsit5 << vern7; });
}

// Ten periods, at 1001 times that fall anywhere within the steps.
void TestReference::kepler_orbits_agree_with_the_closed_form() {
    QFETCH(double, e);
    QFETCH(double, tsit5_error);
    QFETCH(double, vern7_error);
    const Model& model = model_named("kepler");
    EnsembleRequest request = request_for(model, 1e-11, 1e-13);
    const double mu = 2.5, a = 0.7;
    request.parameters[0].value = mu;
    request.parameters[1].value = a;
    request.parameters[2].value = e;
    const double period = 2 * std::numbers::pi * std::sqrt(a * a * a / mu);
    save_evenly(request, 0, 10 * period, 1001);
    const Run run = run_row(model, request);
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    const std::vector<double> start{run.state(0, 0), run.state(1, 0), run.state(2, 0), run.state(3, 0)};
    COMPARE_WITHIN(start[0], a * (1 - e), 1e-15);
    double worst = 0;
    for (std::size_t row = 0; row < run.rows; ++row) {
        const std::vector<double> exact = kepler_solution(mu, start, run.result.save_times.shared[row]);
        worst = std::max(worst, std::hypot(run.state(0, row) - exact[0], run.state(1, row) - exact[1]) / std::hypot(exact[0], exact[1]));
    }
    const double bound = method_of_row() == "tsit5" ? tsit5_error : vern7_error;
    QVERIFY2(worst <= bound, qPrintable(QString("error %1, %2").arg(worst).arg(run.how())));
}

void TestReference::invariants_drift_as_little_as_the_tolerance_asks() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const auto invariants = tested.description.invariants;
    const double per_rtol = method_of_row() == "tsit5" ? 15 : 1;  // three times what was measured
    std::vector<double> before;
    for (const double rtol : {1e-6, 1e-8, 1e-10}) {
        EnsembleRequest request = request_for(tested, rtol, 0.1 * rtol);
        const IndependentInfo& independent = tested.description.info.independent;
        save_evenly(request, independent.default_start, independent.default_end, 101);
        const Run run = run_row(tested, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        for (std::size_t q = 0; q < invariants.size(); ++q) {
            const QString message = QString("%1 drifts by %2, %3").arg(invariants[q].name).arg(run.all.drift[q]).arg(run.how());
            QVERIFY2(run.all.drift[q] <= per_rtol * rtol, qPrintable(message));
            QVERIFY2(run.all.drift[q] > 0, qPrintable(message));
            if (!before.empty()) QVERIFY2(run.all.drift[q] < before[q] / 10, qPrintable(message));
        }
        before = run.all.drift;
    }
}

void TestReference::a_run_back_returns_to_the_start() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    EnsembleRequest request = request_for(tested, 1e-11, 1e-12);
    const IndependentInfo& independent = tested.description.info.independent;
    save_evenly(request, independent.default_start, independent.default_end, 2);
    const Run there = run_row(tested, request);
    std::vector<double> end;
    for (std::size_t d = 0; d < tested.description.states.size(); ++d) end.push_back(there.last(d));
    start_at(request, end);
    save_evenly(request, independent.default_end, independent.default_start, 2);
    const Run back = run_row(tested, request);
    QVERIFY2(back.all.status[0] == Status::ok, qPrintable(back.how()));
    QVERIFY(back.all.stopped_at[0] == independent.default_start);
    double size = 0, error = 0;
    for (std::size_t d = 0; d < end.size(); ++d) {
        size = std::max(size, std::abs(there.state(d, 0)));
        error = std::max(error, std::abs(back.last(d) - there.state(d, 0)));
    }
    const Allowed* const stated = allowed_for(model, method_of_row());
    QVERIFY(stated != nullptr);
    QVERIFY2(error / size <= stated->back, qPrintable(QString("error %1, %2").arg(error / size).arg(back.how())));
}

QTEST_GUILESS_MAIN(TestReference)
#include "tst_reference.moc"
