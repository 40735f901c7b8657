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
/// magnify every error. 0: not asked for, see where the rows of the test are made.
struct Allowed {
    std::string_view model, method;
    double loose, tight, back;
};
constexpr Allowed allowed[] = {
    {"lorenz", "tsit5", 1e-6, 8e-11, 3e-6},     {"lorenz", "vern7", 1e-7, 8e-12, 3e-6},
    {"kepler", "tsit5", 1e-2, 1e-6, 6e-9},      {"kepler", "vern7", 2e-4, 5e-8, 3e-10},
    {"log_halo", "tsit5", 4e-5, 6e-9, 8e-9},    {"log_halo", "vern7", 6e-6, 3e-10, 4e-10},
    {"milky_way", "tsit5", 6e-5, 1e-8, 6e-10},  {"milky_way", "vern7", 4e-5, 2e-9, 5e-12},
    {"bbh_precession", "tsit5", 4e-5, 6e-9, 6e-10}, {"bbh_precession", "vern7", 8e-6, 1.2e-9, 8e-11},
    {"cr3bp", "tsit5", 0.00015, 2e-8, 2e-11}, {"cr3bp", "vern7", 1.5e-5, 1e-9, 1e-11},
    {"harmonic_oscillator", "tsit5", 2e-7, 1.2e-11, 6e-11}, {"harmonic_oscillator", "vern7", 1.5e-8, 2e-12, 6e-12},
    {"henon_heiles", "tsit5", 1e-6, 4e-11, 3e-10}, {"henon_heiles", "vern7", 7e-8, 7e-12, 2e-11},
    {"lane_emden", "tsit5", 5e-7, 8e-12, 2e-9}, {"lane_emden", "vern7", 8e-9, 4e-12, 6e-10},
    {"linear", "tsit5", 4e-5, 2e-9, 3e-12}, {"linear", "vern7", 1e-6, 5e-10, 3e-13},
    {"lorenz96", "tsit5", 4e-5, 5e-9, 1.5e-8}, {"lorenz96", "vern7", 4e-6, 5e-10, 1.5e-8},
    {"lorenz96_40", "tsit5", 0, 0, 4e-8}, {"lorenz96_40", "vern7", 0, 0, 4e-8},
    {"tov_polytrope", "tsit5", 4e-8, 6e-12, 0}, {"tov_polytrope", "vern7", 1.2e-9, 3e-13, 0},
    // A span that must end today isn't run back.
    {"quintessence_exp", "tsit5", 8e-8, 4e-11, 0},  {"quintessence_exp", "vern7", 6e-9, 4e-11, 0},
    {"quintessence_pngb", "tsit5", 8e-8, 2e-11, 0}, {"quintessence_pngb", "vern7", 4e-9, 2e-11, 0},
};

/// The tested model itself, or the one of its family with as many states as the point: linear_4, lorenz96_20.
const Model& model_of_dimension(const std::string& model, std::size_t dimension) {
    const Model& tested = model_named(model);
    return tested.description.states.size() == dimension ? tested : model_named(model + '_' + std::to_string(dimension));
}

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
    void models_agree_with_reference_solutions_data() {
        // 40 sites are too many for a reference; the same template is compared at 4 to 20.
        add_rows_per_model([](const ModelDescription& model) { return std::string_view(model.info.name) != "lorenz96_40"; });
    }
    void models_agree_with_reference_solutions();
    void every_reference_solution_has_a_stated_accuracy();
    void kepler_orbits_agree_with_the_closed_form_data();
    void kepler_orbits_agree_with_the_closed_form();
    void oscillators_agree_with_the_closed_form_data() { add_rows(); }
    void oscillators_agree_with_the_closed_form();
    void exponentials_agree_with_the_closed_form_data() { add_rows(); }
    void exponentials_agree_with_the_closed_form();
    void polytropes_agree_with_the_closed_forms_data() { add_rows(); }
    void polytropes_agree_with_the_closed_forms();
    void polytropes_have_the_tabulated_surfaces_data() { add_rows(); }
    void polytropes_have_the_tabulated_surfaces();
    void neutron_stars_have_the_published_mass_radius_and_deformability_data() { add_rows(); }
    void neutron_stars_have_the_published_mass_radius_and_deformability();
    void a_star_of_low_pressure_is_a_newtonian_polytrope_data() { add_rows(); }
    void a_star_of_low_pressure_is_a_newtonian_polytrope();
    void arenstorfs_orbit_closes_data() { add_rows(); }
    void arenstorfs_orbit_closes();
    void spins_of_zero_precess_at_constant_angles_data() { add_rows(); }
    void spins_of_zero_precess_at_constant_angles();
    void aligned_spins_stay_aligned_data() { add_rows(); }
    void aligned_spins_stay_aligned();
    void equal_masses_keep_the_total_spin_data() { add_rows(); }
    void equal_masses_keep_the_total_spin();
    void spins_follow_the_reference_in_their_angles_data() { add_rows(); }
    void spins_follow_the_reference_in_their_angles();
    void invariants_drift_as_little_as_the_tolerance_asks_data() {
        add_rows_per_model([](const ModelDescription& model) { return !model.invariants.empty(); });
    }
    void invariants_drift_as_little_as_the_tolerance_asks();
    void a_run_back_returns_to_the_start_data() {
        // Back to the centre of a star every error grows like the fifth power of the radius; and a span that must end today isn't run back.
        add_rows_per_model([](const ModelDescription& model) {
            return std::string_view(model.info.name) != "tov_polytrope" && model.shooting == nullptr;
        });
    }
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
    const Allowed* const stated = allowed_for(model, method_of_row());
    QVERIFY(stated != nullptr);
    const std::vector<Point> points = reference_points(model.c_str());
    QVERIFY(points.size() >= 8);
    for (const Point& point : points)
        for (const auto& [rtol, bound] : {std::pair{1e-8, stated->loose}, std::pair{1e-12, stated->tight}}) {
            const Model& tested = model_of_dimension(model, point.y0.size());
            const Run run = run_row(tested, request_for_point(tested, point, rtol));
            QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
            const double error = error_of(run, point);
            const QString message = QString("%1 at rtol %2: error %3, %4").arg(point.id.c_str()).arg(rtol).arg(error).arg(run.how());
            QVERIFY2(error <= bound, qPrintable(message));
            const bool stands_still = point.y.back() == point.y0;  // linear with a = 0
            QVERIFY2(error >= 1e-16 || stands_still, qPrintable(message));  // a solver that gave the reference back would be suspect
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

/// One member with these parameters, the others at their defaults.
EnsembleRequest request_with(const Model& model, const std::vector<double>& parameters, double rtol, double atol) {
    EnsembleRequest request = request_for(model, rtol, atol);
    for (std::size_t i = 0; i < parameters.size(); ++i) request.parameters[i].value = parameters[i];
    return request;
}

double observable_at_end(const Model& model, const Run& run, const char* name) {
    return run.observable(static_cast<std::size_t>(ModelDescription::index_of(model.description.observables, name)), run.rows - 1);
}

// Swinging, critically damped and creeping; the displacement and velocity of any start.
void TestReference::oscillators_agree_with_the_closed_form() {
    const Model& model = model_named("harmonic_oscillator");
    for (const double zeta : {0.0, 0.05, 0.9, 1.0, 2.0})
        for (const double omega : {0.3, 1.0, 4.0}) {
            const double x0 = 0.8, v0 = -1.2, a = zeta * omega;
            EnsembleRequest request = request_with(model, {omega, zeta}, 1e-11, 1e-13);
            start_at(request, {x0, v0});
            save_evenly(request, 0, 10, 21);
            const Run run = run_row(model, request);
            QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
            for (std::size_t row = 0; row < run.rows; ++row) {
                const double t = run.result.save_times.shared[row], w = omega * std::sqrt(std::abs(1 - zeta * zeta));
                const double c = zeta > 1 ? std::cosh(w * t) : std::cos(w * t);
                const double s = zeta == 1 ? t : zeta > 1 ? std::sinh(w * t) / w : std::sin(w * t) / w;
                COMPARE_WITHIN(run.state(0, row), std::exp(-a * t) * (x0 * c + (v0 + a * x0) * s), 3e-10);
                COMPARE_WITHIN(run.state(1, row), std::exp(-a * t) * (v0 * c - (a * v0 + omega * omega * x0) * s), 1e-9);
                if (zeta == 0) COMPARE_WITHIN(run.observable(0, row), 0.5 * (v0 * v0 + omega * omega * x0 * x0), 1e-9);
            }
        }
}

void TestReference::exponentials_agree_with_the_closed_form() {
    const Model& model = model_named("linear");
    for (const double a : {-5.0, -1.0, 0.0, 1.01, 5.0}) {
        EnsembleRequest request = request_with(model, {a}, 1e-11, 1e-13);
        save_evenly(request, 0, 2, 11);
        const Run run = run_row(model, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        for (std::size_t row = 0; row < run.rows; ++row)
            for (std::size_t i = 0; i < 3; ++i) {
                const double exact = (1 + static_cast<double>(i) / 8) * std::exp(a * run.result.save_times.shared[row]);
                COMPARE_WITHIN(run.state(i, row), exact, 1e-10 * std::max(exact, 0.1));
            }
    }
}

void TestReference::polytropes_agree_with_the_closed_forms() {
    const Model& model = model_named("lane_emden");
    const auto theta = [](double n, double xi) {
        return n == 0 ? 1 - xi * xi / 6 : n == 1 ? std::sin(xi) / xi : 1 / std::sqrt(1 + xi * xi / 3);
    };
    const auto mass = [](double n, double xi) {
        return n == 0 ? xi * xi * xi / 3 : n == 1 ? std::sin(xi) - xi * std::cos(xi) : xi * xi * xi / 3 * std::pow(1 + xi * xi / 3, -1.5);
    };
    for (const auto& [n, end] : {std::pair{0.0, 2.44}, {1.0, 3.14}, {5.0, 30.0}}) {
        EnsembleRequest request = request_with(model, {n}, 1e-11, 1e-13);
        save_evenly(request, 0.01, end, 51);
        const Run run = run_row(model, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        for (std::size_t row = 0; row < run.rows; ++row) {
            const double xi = run.result.save_times.shared[row];
            COMPARE_WITHIN(run.state(0, row), theta(n, xi), 1e-10);
            COMPARE_WITHIN(run.state(1, row), mass(n, xi), 1e-10);
        }
    }
}

void TestReference::polytropes_have_the_tabulated_surfaces() {
    const Model& model = model_named("lane_emden");
    for (const auto& [n, xi, m] : {std::array{1.5, 3.6537537362, 2.7140551201}, std::array{3.0, 6.8968486194, 2.0182359510},
                                   std::array{4.5, 31.8364632447, 1.7377988677}}) {
        EnsembleRequest request = request_with(model, {n}, 1e-11, 1e-13);
        save_evenly(request, 0.01, xi, 2);
        const Run run = run_row(model, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        COMPARE_WITHIN(run.last(0), 0.0, 1e-10);
        COMPARE_WITHIN(run.last(1), m, 2e-10);
        COMPARE_WITHIN(observable_at_end(model, run, "concentration"), xi * xi * xi / (3 * m), 1e-6);
    }
}

void TestReference::neutron_stars_have_the_published_mass_radius_and_deformability() {
    const Model& model = model_named("tov_polytrope");
    EnsembleRequest request = request_for(model, 1e-11, 1e-14);
    save_evenly(request, 1e-4, 20, 2);
    const Run run = run_row(model, request);
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    COMPARE_WITHIN(observable_at_end(model, run, "mass"), 1.4001597295, 1e-9);
    COMPARE_WITHIN(observable_at_end(model, run, "r"), 9.5856239954, 2e-9);
    COMPARE_WITHIN(observable_at_end(model, run, "radius"), 14.154372, 1e-6);
    COMPARE_WITHIN(observable_at_end(model, run, "k2"), 0.0738907401, 1e-9);
    COMPARE_WITHIN(observable_at_end(model, run, "Lambda"), 740.820159, 1e-5);
}

// Radius sqrt((n+1) K rho_c^(1/n-1)/(4 pi)) xi1 and mass 4 pi rho_c (R/xi1)^3 m1 for n = 1: xi1 = m1 = pi.
void TestReference::a_star_of_low_pressure_is_a_newtonian_polytrope() {
    const Model& model = model_named("tov_polytrope");
    const double P_ref = 1e-11, rho_c = 1e-3, K = P_ref / 1e-6;
    EnsembleRequest request = request_with(model, {P_ref, 2, rho_c}, 1e-10, 1e-20);
    save_evenly(request, 1e-4, 20, 2);
    const Run run = run_row(model, request);
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    const double unit = std::sqrt(2 * K / (4 * std::numbers::pi)), R = unit * std::numbers::pi;
    const double M = 4 * std::numbers::pi * rho_c * std::pow(unit, 3) * std::numbers::pi;
    COMPARE_WITHIN(observable_at_end(model, run, "r") / R, 1.0, 1e-6);
    COMPARE_WITHIN(observable_at_end(model, run, "mass") / M, 1.0, 1e-6);
}

void TestReference::arenstorfs_orbit_closes() {
    const Model& model = model_named("cr3bp");
    EnsembleRequest request = request_with(model, {0.012277471}, 1e-13, 1e-15);
    start_at(request, {0.994, 0, 0, 0, -2.00158510637908252, 0});
    save_evenly(request, 0, 17.0652165601579625, 2);
    const Run run = run_row(model, request);
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    for (std::size_t d = 0; d < 6; ++d) COMPARE_WITHIN(run.last(d), run.state(d, 0), d < 3 ? 1e-6 : 2e-4);
}

/// r = 100 to 10.
EnsembleRequest inspiral(const Model& model, const std::vector<double>& parameters, double rtol) {
    EnsembleRequest request = request_with(model, parameters, rtol, rtol);
    save_evenly(request, 0.1, std::sqrt(0.1), 11);
    return request;
}

// Case B17 for the model: L stands still, the spins turn about it.
void TestReference::spins_of_zero_precess_at_constant_angles() {
    const Model& model = model_named("bbh_precession");
    const Run run = run_row(model, inspiral(model, {0.5, 0, 0, 1, 2, 0.3}, 1e-10));
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    for (std::size_t row = 0; row < run.rows; ++row) {
        QCOMPARE(run.state(2, row), 1.0);
        COMPARE_WITHIN(run.observable(1, row), 1.0, 1e-8);
        COMPARE_WITHIN(run.observable(2, row), 2.0, 1e-8);
        QCOMPARE(run.observable(11, row), 0.0);
    }
    QVERIFY(std::abs(run.state(3, 5) - run.state(3, 0)) > 0.01);
}

void TestReference::aligned_spins_stay_aligned() {
    const Model& model = model_named("bbh_precession");
    for (const double theta1 : {0.0, std::numbers::pi})
        for (const double theta2 : {0.0, std::numbers::pi}) {
            if (theta1 == 0 && theta2 > 0) continue;  // up-down is unstable
            const Run run = run_row(model, inspiral(model, {0.9, 1, 0.8, theta1, theta2, 0}, 1e-10));
            QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
            for (std::size_t row = 0; row < run.rows; ++row) {  // sin(pi) is not 0: below the tolerance it isn't kept small
                COMPARE_WITHIN(run.observable(1, row), theta1, theta1 == 0 ? 1e-14 : 5e-8);
                COMPARE_WITHIN(run.observable(2, row), theta2, theta1 == 0 ? 1e-14 : 5e-8);
            }
        }
}

void TestReference::equal_masses_keep_the_total_spin() {
    const Model& model = model_named("bbh_precession");
    const Run run = run_row(model, inspiral(model, {1, 0.9, 0.5, 1.1, 2.3, -2}, 1e-11));
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    double moved = 0;
    for (std::size_t row = 0; row < run.rows; ++row) {
        COMPARE_WITHIN(run.observable(11, row), run.observable(11, 0), 1e-9);
        moved = std::max(moved, std::abs(run.observable(1, row) - run.observable(1, 0)));
    }
    QVERIFY(moved > 0.1);
}

// The model's own measure, at the default tolerances: a tenth of the threshold. From r = 300 the angles are harder to keep.
void TestReference::spins_follow_the_reference_in_their_angles() {
    const Model& model = model_named("bbh_precession");
    std::ifstream file(GRADSCAPE_SOURCE_DIR "/tests/reference/bbh_precession.json");
    const json all = json::parse(file);
    const std::vector<Point> points = reference_points("bbh_precession");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double r_i = all["points"][i]["r_i"];
        EnsembleRequest request = request_for_point(model, points[i], 2e-10);
        request.solver.atol.assign(9, 2e-10);
        const Run run = run_row(model, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        const double bound = (method_of_row() == "vern7" ? 1e-8 : 1e-7) * (r_i > 100 ? 10 : 1);
        for (std::size_t row = 1; row < run.rows; ++row) {
            const std::vector<double> expected = all["points"][i]["obs"][row - 1];
            for (std::size_t angle = 0; angle < 3; ++angle) {
                const double weight = angle < 2 ? 1 : std::min(std::sin(expected[0]), std::sin(expected[1]));
                const double error = std::remainder(run.observable(1 + angle, row) - expected[angle], 2 * std::numbers::pi) * weight;
                QVERIFY2(std::abs(error) <= bound, qPrintable(QString("%1: %2, %3").arg(points[i].id.c_str()).arg(error).arg(run.how())));
            }
        }
    }
}

void TestReference::invariants_drift_as_little_as_the_tolerance_asks() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const auto invariants = tested.description.invariants;
    const double turns = model == "bbh_precession" ? 5 : 1;  // 140 of them
    const double per_rtol = (method_of_row() == "tsit5" ? 15 : 1) * turns;  // three times what was measured
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
