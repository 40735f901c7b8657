// Thawing quintessence: amplitudes, states and distances against 128-bit reference solutions, the cosmological constant against quadrature,
// the field's equation of state against its limits, flatness, and where no flat universe exists.
#include "tests/ensemble_runs.hpp"

#include <fstream>
#include <map>

#include "engine/scenario.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <nlohmann/json.hpp>

namespace {

using namespace gradscape;
using namespace gradscape::tests;
using nlohmann::json;

constexpr double light_speed = 299792.458, radiation_density = 4.18e-5;

json reference(const std::string& model) {
    return json::parse(std::ifstream(GRADSCAPE_SOURCE_DIR "/tests/reference/" + model + ".json"));
}

/// Rows at these redshifts, descending, from the default start.
void save_at_redshifts(EnsembleRequest& request, const std::vector<double>& z) {
    std::vector<double> rows;
    for (const double redshift : z) rows.push_back(0.0 - std::log1p(redshift));
    request.span = {.start = -7, .end = 0, .save = SpanRequest::Save::list, .count = 0, .every = 0, .times = std::move(rows)};
}

EnsembleRequest request_at(const Model& model, const std::vector<double>& parameters, const std::vector<double>& z, double rtol) {
    EnsembleRequest request = request_for(model, rtol, 1e-3 * rtol);
    for (std::size_t i = 0; i < parameters.size(); ++i) request.parameters[i].value = parameters[i];
    save_at_redshifts(request, z);
    return request;
}

/// `size` members over the offered ranges, Sobol's sequence, with the model's default tolerances.
EnsembleRequest over_the_ranges(const Model& model, std::int64_t size, const std::vector<double>& z) {
    EnsembleRequest request = request_for(model, model.description.info.rtol);
    for (std::size_t d = 0; d < model.description.states.size(); ++d) request.solver.atol[d] = model.description.states[d].atol;
    for (std::size_t i = 0; i < request.parameters.size(); ++i) {
        const ParameterInfo& info = model.description.parameters[i];
        const Draw::Kind kind = info.scale == Scale::log ? Draw::Kind::log_uniform : Draw::Kind::uniform;
        request.parameters[i] = {.kind = kind, .min = info.min, .max = info.max};
    }
    request.size = size;
    request.sampling = Sampling::sobol;
    save_at_redshifts(request, z);
    return request;
}

std::size_t observable(const Model& model, std::string_view name) {
    const int index = ModelDescription::index_of(model.description.observables, name);
    if (index < 0) throw std::invalid_argument("no observable " + std::string(name));
    return static_cast<std::size_t>(index);
}

constexpr double desi_redshifts[] = {2.33, 1.484, 1.321, 0.934, 0.706, 0.51, 0.295, 0};
std::vector<double> desi() { return {std::begin(desi_redshifts), std::end(desi_redshifts)}; }

/// What is said about a scenario of this model with this span; empty when it is accepted.
std::string refusal(const std::string& model, const std::string& span, EnsembleRequest* request = nullptr) {
    ModelNames names;
    names.find = [](std::string_view name) { return &model_named(name).description; };
    try {
        const EnsembleRequest parsed = parse_scenario(R"({"gradscape": 1, "model": ")" + model + R"(", "span": )" + span + "}", names);
        if (request != nullptr) *request = parsed;
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Largest relative errors of a model's reference points at rtol 1e-12: what was measured, three to four times; mostly the tolerance of the
/// flatness. Distances are compared from z = 0.05 on: at
/// 0.01 the difference of two numbers near 3.2 has lost three digits.
struct Allowed {
    std::string_view model, method;
    double amplitude, states, observables;
};
constexpr Allowed allowed[] = {
    {"quintessence_exp", "tsit5", 7e-11, 7e-11, 2e-10},
    {"quintessence_exp", "vern7", 7e-11, 7e-11, 7e-11},
    {"quintessence_pngb", "tsit5", 2e-11, 2e-11, 2e-11},
    {"quintessence_pngb", "vern7", 2e-11, 2e-11, 2e-11},
};

void add_rows_per_model() {
    add_set_columns();
    QTest::addColumn<std::string>("model");
    for (const std::string model : {"quintessence_exp", "quintessence_pngb"}) add_rows(model, [&](QTestData& row) { row << model; });
}

void add_models() {
    QTest::addColumn<std::string>("model");
    for (const std::string model : {"quintessence_exp", "quintessence_pngb"}) QTest::newRow(model.c_str()) << model;
}

}  // namespace

class TestQuintessence : public QObject {
    Q_OBJECT

private slots:
    void amplitudes_states_and_distances_agree_with_the_reference_data() { add_rows_per_model(); }
    void amplitudes_states_and_distances_agree_with_the_reference();
    void a_field_at_rest_is_a_cosmological_constant_data() { add_rows_per_model(); }
    void a_field_at_rest_is_a_cosmological_constant();
    void the_observables_are_consistent_data() { add_rows_per_model(); }
    void the_observables_are_consistent();
    void a_slowly_thawing_field_follows_the_limit();
    void the_equation_of_state_only_rises();
    void the_sign_of_the_field_doesnt_matter();
    void a_field_that_is_thrown_closes_flat_too_data() { add_rows_per_model(); }
    void a_field_that_is_thrown_closes_flat_too();
    void a_coarse_tolerance_finds_the_universe_of_an_almost_constant_field_data() { add_rows(); }
    void a_coarse_tolerance_finds_the_universe_of_an_almost_constant_field();
    void every_universe_is_flat_data() { add_rows_per_model(); }
    void every_universe_is_flat();
    void the_smallest_amplitude_is_taken_data() { add_models(); }
    void the_smallest_amplitude_is_taken();
    void beyond_the_existence_limit_there_is_no_solution_data();
    void beyond_the_existence_limit_there_is_no_solution();
    void the_defaults_are_ten_times_better_than_asked_data() { add_models(); }
    void the_defaults_are_ten_times_better_than_asked();
    void lanes_are_in_use_nearly_always();
    void rows_can_be_asked_for_by_redshift();
    void wrong_redshifts_are_refused_in_one_line_data();
    void wrong_redshifts_are_refused_in_one_line();
    void a_span_that_doesnt_end_today_is_refused();
    void a_limit_of_steps_counts_all_solves();
    void the_answer_doesnt_depend_on_what_is_saved();
};

void TestQuintessence::amplitudes_states_and_distances_agree_with_the_reference() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const Allowed& bound =
        *std::ranges::find_if(allowed, [&](const Allowed& a) { return a.model == model && a.method == method_of_row(); });
    const json points = reference(model)["points"];
    QVERIFY(points.size() >= 12);
    double amplitude = 0, states = 0, observables = 0;
    for (const json& point : points) {
        const std::vector<double> z = point["z"];
        const Run run = run_row(tested, request_at(tested, point["params"], z, 1e-12));
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        const double v = point["v"];
        amplitude = std::max(amplitude, std::abs(run.internal(0) - v) / v);
        for (std::size_t row = 0; row < z.size(); ++row) {
            QCOMPARE(run.result.save_times.shared[row], double(point["t"][row]));
            const double size = std::abs(double(point["y"][row][2]));
            for (std::size_t d = 0; d < 3; ++d) {
                const double expected = point["y"][row][d];
                states = std::max(states, std::abs(run.state(d, row) - expected) / (std::abs(expected) + 1e-3 * size));
            }
            for (std::size_t q = 0; q < point["obs_names"].size(); ++q) {
                const std::string name = point["obs_names"][q];
                const json& expected = point["obs"][row][q];
                const double value = run.observable(observable(tested, name), row);
                if (expected.is_null()) {
                    QVERIFY2(std::isnan(value), name.c_str());
                } else if (name != "D_C" && name != "D_L" && name != "mu") {
                    observables = std::max(observables, std::abs(value - double(expected)) / (std::abs(double(expected)) + 1e-6));
                } else if (z[row] >= 0.05 || z[row] == 0) {
                    observables = std::max(observables, std::abs(value - double(expected)) / std::max(1e-300, double(expected)));
                }
            }
        }
    }
    const QString message = QString("amplitude %1, states %2, observables %3").arg(amplitude).arg(states).arg(observables);
    QVERIFY2(amplitude <= bound.amplitude && states <= bound.states && observables <= bound.observables, qPrintable(message));
    QVERIFY2(amplitude > 0 && states > 0, qPrintable(message));
}

void TestQuintessence::a_field_at_rest_is_a_cosmological_constant() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const bool exponential = model == "quintessence_exp";
    const std::vector<double> z{1000, 30, 5, 2, 1, 0.5, 0.2, 0.05, 0};
    for (const double H0 : {60.0, 70.0, 80.0})
        for (const double Om : {0.1, 0.3, 0.5}) {
            const std::vector<double> parameters = exponential ? std::vector{H0, Om, 0.0} : std::vector{H0, Om, 0.5, 0.0};
            const Run run = run_row(tested, request_at(tested, parameters, z, 1e-12));
            QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
            const double Or = radiation_density / (H0 * H0 / 1e4), Lambda = 1 - Om - Or;
            COMPARE_WITHIN(run.internal(0), exponential ? Lambda : Lambda / 2, 2e-16);
            const auto inverse_E = [&](double redshift) {
                const double x = 1 + redshift;
                return 1 / std::sqrt(Om * x * x * x + Or * x * x * x * x + Lambda);
            };
            for (std::size_t row = 0; row < z.size(); ++row) {
                QCOMPARE(run.observable(observable(tested, "w"), row), -1.0);
                using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
                const double D_C = light_speed / H0 * Quadrature::integrate(inverse_E, 0.0, z[row], 15, 1e-14);
                COMPARE_WITHIN(run.observable(observable(tested, "D_C"), row), D_C, 1e-9 * D_C);
                COMPARE_WITHIN(run.observable(observable(tested, "H"), row) * inverse_E(z[row]), H0, 1e-13 * H0);
            }
        }
}

void TestQuintessence::the_observables_are_consistent() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    std::vector<double> z{1000, 10, 2.33, 1.484, 1, 0.51, 0.1, 0};
    const Run run = run_row(tested, request_at(tested, {72, 0.28}, z, 1e-11));
    QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
    for (std::size_t row = 0; row < z.size(); ++row) {
        std::map<std::string, double> at;
        for (std::size_t q = 0; q < tested.description.observables.size(); ++q)
            at[tested.description.observables[q].name] = run.observable(q, row);
        COMPARE_WITHIN(at["z"], z[row], 1e-15 * (1 + z[row]));
        COMPARE_WITHIN(at["H"], 72 * at["E"], 1e-14 * at["H"]);
        COMPARE_WITHIN(at["Omega_m"] + at["Omega_phi"] + at["Omega_r"], 1, 1e-14);
        COMPARE_WITHIN(at["D_A"] * (1 + z[row]), at["D_C"], 1e-14 * at["D_C"]);
        COMPARE_WITHIN(at["D_L"], at["D_C"] * (1 + z[row]), 1e-14 * at["D_L"]);
        COMPARE_WITHIN(at["D_H"] * at["H"], light_speed, 1e-14 * light_speed);
        COMPARE_WITHIN(at["D_V"], std::cbrt(z[row] * at["D_C"] * at["D_C"] * at["D_H"]), 1e-13 * at["D_V"]);
        if (z[row] == 0) {
            QVERIFY(at["D_L"] == 0 && at["D_V"] == 0 && std::isnan(at["mu"]));
            COMPARE_WITHIN(at["Omega_m"], 0.28, 1e-11);
        } else {
            COMPARE_WITHIN(at["mu"], 5 * std::log10(at["D_L"]) + 25, 1e-13);
        }
    }
    QCOMPARE(run.internal(1), run.last(2));
}

// Scherrer & Sen 2008, Physical Review D 77, 083515, equation 30: for a nearly flat potential without radiation
// 1 + w = lambda^2/3 [1/sqrt(Omega) - (1/Omega - 1) artanh sqrt(Omega)]^2.
void TestQuintessence::a_slowly_thawing_field_follows_the_limit() {
    const Model& tested = model_named("quintessence_exp");
    for (const double lambda : {0.02, 0.1}) {
        const Run run = tests::run(tested, request_at(tested, {70, 0.3, lambda}, {3, 1, 0.5, 0}, 1e-11));
        for (std::size_t row = 0; row < run.rows; ++row) {
            const double Omega = run.observable(observable(tested, "Omega_phi"), row), root = std::sqrt(Omega);
            const double shape = 1 / root - (1 / Omega - 1) * std::atanh(root), limit = lambda * lambda / 3 * shape * shape;
            COMPARE_WITHIN(run.observable(observable(tested, "w"), row) + 1, limit, (2e-3 + lambda * lambda) * limit);
        }
    }
}

void TestQuintessence::the_equation_of_state_only_rises() {
    const Model& tested = model_named("quintessence_exp");
    std::vector<double> z;
    for (double redshift = 1000; redshift > 0.01; redshift *= 0.8) z.push_back(redshift);
    z.push_back(0);
    EnsembleRequest request = over_the_ranges(tested, 256, z);
    request.parameters[2].min = 0.1;
    const Run run = tests::run(tested, request);
    const std::size_t w = observable(tested, "w");
    for (std::size_t m = 0; m < run.members; ++m) {
        if (run.all.status[m] != Status::ok) continue;
        COMPARE_WITHIN(run.observable(w, 0, m), -1, 1e-7);
        for (std::size_t row = 1; row < run.rows; ++row) {
            QVERIFY(run.observable(w, row, m) > run.observable(w, row - 1, m));
            QVERIFY(run.observable(w, row, m) < 1);
        }
    }
}

void TestQuintessence::the_sign_of_the_field_doesnt_matter() {
    for (const std::string model : {"quintessence_exp", "quintessence_pngb"}) {
        const Model& tested = model_named(model);
        std::vector<double> parameters{70, 0.3, 0.8};
        if (model == "quintessence_pngb") parameters.push_back(0.7);
        const Run there = tests::run(tested, request_at(tested, parameters, desi(), 1e-9));
        parameters.back() = -parameters.back();
        const Run mirrored = tests::run(tested, request_at(tested, parameters, desi(), 1e-9));
        QVERIFY(there.all.status[0] == Status::ok);
        QVERIFY(same(there.all.internals, mirrored.all.internals) && same(there.all.observables, mirrored.all.observables));
        QCOMPARE(mirrored.last(0), -there.last(0));
    }
}

// Expansion slows the throw: phi' falls as 1/a under radiation and as a^(-3/2) under matter, three quarters of the density at N = -7. So
// the field moves by some hundredths, and nothing of the throw is left today.
void TestQuintessence::a_field_that_is_thrown_closes_flat_too() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    std::vector<double> parameters{70, 0.3, 0.8};
    if (model == "quintessence_pngb") parameters.push_back(0.7);
    const Run rest = run_row(tested, request_at(tested, parameters, desi(), 1e-11));
    double v[3];
    for (const int direction : {-1, 0, 1}) {
        EnsembleRequest request = request_at(tested, parameters, desi(), 1e-11);
        request.initial_state[1] = {.value = 0.1 * direction};
        const Run run = run_row(tested, request);
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        COMPARE_WITHIN(run.observable(observable(tested, "E"), run.rows - 1), 1, 1e-10);
        COMPARE_WITHIN(run.observable(observable(tested, "Omega_m"), run.rows - 1), 0.3, 1e-10);
        v[1 + direction] = run.internal(0);
    }
    QCOMPARE(v[1], rest.internal(0));
    // Towards the potential's foot, which both models have at larger fields, more amplitude is needed for the same density.
    QVERIFY2(v[2] > v[1] * 1.01 && v[0] < v[1] * 0.99, qPrintable(QString("%1 %2 %3").arg(v[0]).arg(v[1]).arg(v[2])));
}

// The solver's error then puts the residual above zero at a cosmological constant's amplitude.
void TestQuintessence::a_coarse_tolerance_finds_the_universe_of_an_almost_constant_field() {
    const Model& tested = model_named("quintessence_exp");
    for (const double rtol : {1e-2, 1e-3}) {
        EnsembleRequest request = over_the_ranges(tested, 500, desi());
        request.solver.rtol = rtol;
        std::ranges::fill(request.solver.atol, rtol);
        request.parameters[2] = {.kind = Draw::Kind::log_uniform, .min = 1e-4, .max = 0.3};
        const Run run = run_row(tested, request);
        for (std::size_t m = 0; m < run.members; ++m) QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
    }
}

void TestQuintessence::every_universe_is_flat() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const std::size_t E = observable(tested, "E"), D_L = observable(tested, "D_L");
    for (const double rtol : {1e-4, 0.0}) {  // coarse ones are flat too
        EnsembleRequest request = over_the_ranges(tested, 1000, desi());
        if (rtol > 0) request.solver.rtol = rtol;
        const Run run = run_row(tested, request);
        int failed = 0;
        for (std::size_t m = 0; m < run.members; ++m) {
            if (run.all.status[m] == Status::ok) {
                COMPARE_WITHIN(run.observable(E, run.rows - 1, m), 1, 1e-10);
                continue;
            }
            ++failed;
            QVERIFY2(run.all.status[m] == Status::shooting_failed, qPrintable(run.how(m)));
            QVERIFY(std::isnan(run.internal(0, m)) && std::isnan(run.internal(1, m)));
            for (std::size_t row = 0; row < run.rows; ++row)
                QVERIFY(std::isnan(run.state(2, row, m)) && std::isnan(run.observable(D_L, row, m)));
        }
        const bool exponential = model == "quintessence_exp";
        QVERIFY2(exponential ? failed <= 20 : failed > 50 && failed < 400, qPrintable(QString::number(failed)));
    }
}

// The residual is evaluated on a fine ladder of amplitudes by fixed steps of the classical method, independently of the engine.
void TestQuintessence::the_smallest_amplitude_is_taken() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const bool exponential = model == "quintessence_exp";
    const EnsembleRequest request = over_the_ranges(tested, 100, desi());
    const Run run = tests::run(tested, request);
    for (std::size_t m = 0; m < run.members; ++m) {
        std::vector<double> p;
        for (std::size_t i = 0; i < tested.description.parameters.size(); ++i) p.push_back(run.all.drawn[i * run.members + m]);
        const double Or = radiation_density / (p[0] * p[0] / 1e4), Om = p[1];
        const auto U = [&](double phi) { return exponential ? std::exp(-p[2] * phi) : 1 + std::cos(phi / p[2]); };
        const auto U_slope = [&](double phi) { return exponential ? -p[2] * std::exp(-p[2] * phi) : -std::sin(phi / p[2]) / p[2]; };
        const double phi_start = exponential ? 0 : p[2] * p[3];
        const auto residual = [&](double v) {
            const auto f = [&](double N, double phi, double u) {
                const double matter = Om * std::exp(-3 * N), radiation = Or * std::exp(-4 * N);
                const double E2 = (matter + radiation + v * U(phi)) / (1 - u * u / 6);
                const double eps = ((3 * matter + 4 * radiation) / E2 + u * u) / 2;
                return std::pair{u, -(3 - eps) * u - 3 * v * U_slope(phi) / E2};
            };
            double phi = phi_start, u = 0;
            constexpr int steps = 280;
            constexpr double h = 7.0 / steps;
            for (int k = 0; k < steps; ++k) {
                const double N = -7 + k * h;
                const auto k1 = f(N, phi, u), k2 = f(N + h / 2, phi + h / 2 * k1.first, u + h / 2 * k1.second),
                           k3 = f(N + h / 2, phi + h / 2 * k2.first, u + h / 2 * k2.second),
                           k4 = f(N + h, phi + h * k3.first, u + h * k3.second);
                phi += h / 6 * (k1.first + 2 * k2.first + 2 * k3.first + k4.first);
                u += h / 6 * (k1.second + 2 * k2.second + 2 * k3.second + k4.second);
            }
            return Om + Or + v * U(phi) + u * u / 6 - 1;
        };
        const double lowest = (1 - Om - Or) / U(phi_start);
        if (run.all.status[m] == Status::ok) {
            const double found = run.internal(0, m);
            for (double v = lowest; v < found * (1 - 1e-4); v *= 1.01)
                QVERIFY2(residual(v) < 0, qPrintable(QString("member %1: %2 lies below %3").arg(m).arg(v).arg(found)));
            QVERIFY2(residual(found * 1.0001) > residual(found / 1.0001) && std::abs(residual(found)) < 1e-4,
                     qPrintable(QString::number(m)));
        } else {
            for (double v = lowest; v < 4; v *= 1.01)
                QVERIFY2(residual(v) < 0, qPrintable(QString("member %1 failed, %2 is above").arg(m).arg(v)));
        }
    }
}

void TestQuintessence::beyond_the_existence_limit_there_is_no_solution_data() {
    QTest::addColumn<std::string>("model");
    QTest::addColumn<std::vector<double>>("inside");
    QTest::addColumn<std::vector<double>>("outside");
    for (const auto& [Om, limit] : {std::pair{0.15, 1.84}, std::pair{0.30, 2.16}, std::pair{0.45, 2.54}})
        QTest::addRow("exp, Om = %g", Om) << std::string("quintessence_exp") << std::vector{70.0, Om, limit - 0.005}
                                          << std::vector{70.0, Om, limit + 0.005};
    for (const auto& [f, limit] : {std::pair{0.2, 0.092}, std::pair{0.3, 0.348}, std::pair{0.5, 0.935}, std::pair{0.7, 1.386},
                                   std::pair{1.0, 1.824}, std::pair{1.5, 2.227}, std::pair{2.0, 2.445}})
        QTest::addRow("pngb, f = %g", f) << std::string("quintessence_pngb") << std::vector{70.0, 0.3, f, limit - 0.0015}
                                         << std::vector{70.0, 0.3, f, limit + 0.0025};
}

// The limits in the data are those of a search in steps of 5 %, which misses the last thousandths.
void TestQuintessence::beyond_the_existence_limit_there_is_no_solution() {
    QFETCH(std::string, model);
    QFETCH(std::vector<double>, inside);
    QFETCH(std::vector<double>, outside);
    const Model& tested = model_named(model);
    const Run solved = tests::run(tested, request_at(tested, inside, desi(), 1e-9));
    QVERIFY2(solved.all.status[0] == Status::ok, qPrintable(solved.how()));
    const Run failed = tests::run(tested, request_at(tested, outside, desi(), 1e-9));
    QVERIFY2(failed.all.status[0] == Status::shooting_failed, qPrintable(failed.how()));
    for (const double value : failed.all.states) QVERIFY(std::isnan(value));
    for (const double value : failed.all.observables) QVERIFY(std::isnan(value));
    for (const double value : failed.all.internals) QVERIFY(std::isnan(value));
    QVERIFY(failed.all.accepted[0] > 100);
}

void TestQuintessence::the_defaults_are_ten_times_better_than_asked() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    EnsembleRequest request = over_the_ranges(tested, 512, {1000, 2.33, 0.934, 0.295, 0.01, 0});
    request.accuracy_subsample = 512;
    const AccuracyResult accuracy = run_ensemble(tested, request).accuracy;
    QVERIFY2(accuracy.maximum.values[2] <= 0.1 * accuracy.threshold, accuracy.sentence.c_str());
    QVERIFY2(accuracy.maximum.values[2] >= 1e-3 * accuracy.threshold, accuracy.sentence.c_str());  // nor is it overdone
    QVERIFY(accuracy.maximum.covered > 300);
}

void TestQuintessence::lanes_are_in_use_nearly_always() {
    const Model& tested = model_named("quintessence_exp");
    EnsembleRequest request = over_the_ranges(tested, 5000, desi());
    request.solver.threads = 1;
    const EnsembleResult result = run_ensemble(tested, request);
    const double use = static_cast<double>(result.tries) / (static_cast<double>(result.iterations) * result.lanes);
    QVERIFY2(use >= 0.97 && use <= 1, qPrintable(QString::number(use)));
}

void TestQuintessence::rows_can_be_asked_for_by_redshift() {
    const ModelDescription& model = model_named("quintessence_exp").description;
    EnsembleRequest request;
    QCOMPARE(refusal("quintessence_exp", R"({"save": {"redshift": [0, 0.295, 2.33, 0.51]}})", &request), std::string());
    QVERIFY(request.span.save == SpanRequest::Save::list);
    QCOMPARE(request.span.alias_times, (std::vector<double>{2.33, 0.51, 0.295, 0}));
    QCOMPARE(request.span.times, (std::vector<double>{-std::log1p(2.33), -std::log1p(0.51), -std::log1p(0.295), 0}));
    QVERIFY(!std::signbit(request.span.times.back()));

    // What is written reads back as the same request.
    const std::string written = to_json(request, model);
    QVERIFY(json::parse(written)["span"]["save"] == (json{{"redshift", {2.33, 0.51, 0.295, 0.0}}}));
    EnsembleRequest again;
    QCOMPARE(refusal("quintessence_exp", json::parse(written)["span"].dump(), &again), std::string());
    QCOMPARE(again.span.times, request.span.times);
    QCOMPARE(again.span.alias_times, request.span.alias_times);

    const Run run = tests::run(model_named("quintessence_exp"), request);
    QCOMPARE(run.rows, std::size_t{4});
    const std::size_t z = observable(model_named("quintessence_exp"), "z");
    for (std::size_t row = 0; row < run.rows; ++row)
        COMPARE_WITHIN(run.observable(z, row), request.span.alias_times[row], 1e-15 * (1 + request.span.alias_times[row]));
}

void TestQuintessence::wrong_redshifts_are_refused_in_one_line_data() {
    QTest::addColumn<QString>("span");
    QTest::addColumn<QStringList>("named");
    const auto row = [](const char* name, const char* span, QStringList named) { QTest::newRow(name) << span << std::move(named); };
    row("before the start", R"({"save": {"redshift": [1, 2000]}})", {"span.save.redshift", "2000", "1095.6", " to 0"});
    row("in the future", R"({"save": {"redshift": [1, -0.5]}})", {"span.save.redshift", "-0.5", "1095.6"});
    row("below -1", R"({"save": {"redshift": [-3]}})", {"span.save.redshift[0]", "-3"});
    row("empty", R"({"save": {"redshift": []}})", {"span.save", "empty"});
    row("a number", R"({"save": {"redshift": 2}})", {"span.save.redshift", "a list of numbers"});
    row("a word", R"({"save": {"redshift": [1, "x"]}})", {"span.save.redshift[1]"});
    row("with an interval", R"({"save": {"redshift": [1], "every": 0.1}})", {"span.save", "every", "redshift"});
    row("another name", R"({"save": {"redshifts": [1]}})", {"redshifts", "redshift"});
}

void TestQuintessence::wrong_redshifts_are_refused_in_one_line() {
    QFETCH(QString, span);
    QFETCH(QStringList, named);
    const std::string said = refusal("quintessence_exp", span.toStdString());
    QVERIFY2(!said.empty() && said.find('\n') == std::string::npos, said.c_str());
    for (const QString& part : named) QVERIFY2(said.find(part.toStdString()) != std::string::npos, said.c_str());
    if (span.contains("\"redshift\"")) QVERIFY(!refusal("lorenz", R"({"save": {"redshift": [1]}})").empty());
}

void TestQuintessence::a_span_that_doesnt_end_today_is_refused() {
    const std::string end = refusal("quintessence_exp", R"({"end": -1})");
    const std::string start = refusal("quintessence_exp", R"({"start": 0, "save": 1})");
    QVERIFY2(end.find("span.end: -1 is not 0") == 0 && end.find("E(N = 0) = 1") != std::string::npos, end.c_str());
    QVERIFY2(start.find("span.start: 0") == 0 && start.find("E(N = 0) = 1") != std::string::npos, start.c_str());
    QCOMPARE(refusal("quintessence_exp", R"({"start": -6})"), std::string());
}

// Rows within steps are saved in the last solves alone, and where none was expected to be the last, in one more.
void TestQuintessence::the_answer_doesnt_depend_on_what_is_saved() {
    for (const double rtol : {1e-5, 1e-7, 1e-10}) {
        for (const double lambda : {0.3, 0.9, 1.6}) {
            const Model& tested = model_named("quintessence_exp");
            const Run all = tests::run(tested, request_at(tested, {70, 0.3, lambda}, desi(), rtol));
            const Run end = tests::run(tested, request_at(tested, {70, 0.3, lambda}, {0}, rtol));
            QVERIFY(all.internal(0) == end.internal(0));
            QVERIFY(all.internal(1) == end.internal(1));
            QVERIFY(all.last(0) == end.last(0));
            for (std::size_t row = 0; row < all.rows; ++row) QVERIFY(std::isfinite(all.observable(observable(tested, "D_C"), row)));
        }
    }
    // At rest the lowest amplitude is the answer already: the first solve is the last.
    const Model& tested = model_named("quintessence_exp");
    const Run rest = tests::run(tested, request_at(tested, {70, 0.3, 0}, desi(), 1e-7));
    for (std::size_t row = 0; row < rest.rows; ++row) QCOMPARE(rest.observable(observable(tested, "w"), row), -1.0);
}

void TestQuintessence::a_limit_of_steps_counts_all_solves() {
    const Model& tested = model_named("quintessence_exp");
    EnsembleRequest request = request_at(tested, {70, 0.31, 0.7}, desi(), 1e-8);
    const Run whole = tests::run(tested, request);
    QVERIFY(whole.all.status[0] == Status::ok);
    const std::int64_t needed = whole.all.accepted[0] + whole.all.rejected[0];
    QCOMPARE(whole.result.tries, needed);
    request.solver.max_steps = needed;
    QVERIFY(same_data(tests::run(tested, request).all, whole.all));
    request.solver.max_steps = needed - 1;
    const Run stopped = tests::run(tested, request);
    QVERIFY2(stopped.all.status[0] == Status::step_limit, qPrintable(stopped.how()));
    QCOMPARE(stopped.all.accepted[0] + stopped.all.rejected[0], static_cast<std::int32_t>(needed - 1));
    for (const double value : stopped.all.states) QVERIFY(std::isnan(value));
    QVERIFY(std::isnan(stopped.internal(0)));
}

QTEST_GUILESS_MAIN(TestQuintessence)
#include "tst_quintessence.moc"
