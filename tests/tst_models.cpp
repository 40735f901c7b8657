// The built-in models: equations against reference data, the sky against astropy, descriptions, and number types without bool comparisons.
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <set>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/units.hpp"
#include "models/bbh_precession.hpp"
#include "models/catalogue.hpp"
#include "models/cr3bp.hpp"
#include "models/description_text.hpp"
#include "models/harmonic_oscillator.hpp"
#include "models/henon_heiles.hpp"
#include "models/kepler.hpp"
#include "models/lane_emden.hpp"
#include "models/linear.hpp"
#include "models/log_halo.hpp"
#include "models/lorenz.hpp"
#include "models/lorenz96.hpp"
#include "models/milky_way.hpp"
#include "models/quintessence_exp.hpp"
#include "models/quintessence_pngb.hpp"
#include "models/short_exp.hpp"
#include "models/stream_star.hpp"
#include "models/tov_polytrope.hpp"

namespace {

using namespace gradscape;
using nlohmann::json;

/// A number type whose comparisons don't convert to bool, as those of packs and of traced expressions don't.
struct StrictMask {
    bool value;
    explicit operator bool() const = delete;
};
struct Strict {
    double value;
    Strict() = default;
    explicit Strict(double x) : value(x) {}

    friend Strict operator+(Strict a, Strict b) { return Strict(a.value + b.value); }
    friend Strict operator-(Strict a, Strict b) { return Strict(a.value - b.value); }
    friend Strict operator*(Strict a, Strict b) { return Strict(a.value * b.value); }
    friend Strict operator/(Strict a, Strict b) { return Strict(a.value / b.value); }
    friend Strict operator-(Strict a) { return Strict(-a.value); }
    friend Strict exponent_of(Strict a) { return Strict(gradscape::exponent_of(a.value)); }
    friend Strict mantissa_of(Strict a) { return Strict(gradscape::mantissa_of(a.value)); }
    friend Strict power_of_two(Strict a) { return Strict(gradscape::power_of_two(a.value)); }
    friend StrictMask operator<(Strict a, Strict b) { return {a.value < b.value}; }
    friend StrictMask operator<=(Strict a, Strict b) { return {a.value <= b.value}; }
    friend StrictMask operator>(Strict a, Strict b) { return {a.value > b.value}; }
    friend StrictMask operator>=(Strict a, Strict b) { return {a.value >= b.value}; }
    friend Strict select(StrictMask mask, Strict a, Strict b) { return mask.value ? a : b; }
    friend Strict min(Strict a, Strict b) { return Strict(gradscape::min(a.value, b.value)); }
    friend Strict max(Strict a, Strict b) { return Strict(gradscape::max(a.value, b.value)); }
    friend Strict fma(Strict a, Strict b, Strict c) { return Strict(std::fma(a.value, b.value, c.value)); }
    friend Strict abs(Strict a) { return Strict(std::abs(a.value)); }
    friend Strict sqrt(Strict a) { return Strict(std::sqrt(a.value)); }
    friend Strict exp(Strict a) { return Strict(std::exp(a.value)); }
    friend Strict expm1(Strict a) { return Strict(std::expm1(a.value)); }
    friend Strict log(Strict a) { return Strict(std::log(a.value)); }
    friend Strict log1p(Strict a) { return Strict(std::log1p(a.value)); }
    friend Strict pow(Strict a, Strict b) { return Strict(std::pow(a.value, b.value)); }
    friend Strict sin(Strict a) { return Strict(std::sin(a.value)); }
    friend Strict cos(Strict a) { return Strict(std::cos(a.value)); }
    friend Strict tan(Strict a) { return Strict(std::tan(a.value)); }
    friend Strict asin(Strict a) { return Strict(std::asin(a.value)); }
    friend Strict acos(Strict a) { return Strict(std::acos(a.value)); }
    friend Strict atan2(Strict a, Strict b) { return Strict(std::atan2(a.value, b.value)); }
};

using Numbers = std::vector<double>;

std::vector<Strict> strict(const Numbers& x) { return {x.begin(), x.end()}; }

/// The same bits; all NaN are one.
bool identical(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || __builtin_bit_cast(std::uint64_t, a) == __builtin_bit_cast(std::uint64_t, b);
}

/// A model's functions for double with plain vectors, and for Strict.
struct TestedModel {
    ModelDescription description;
    ModelFunctions<double> functions;
    ModelFunctions<Strict> strict_functions;

    Numbers defaults() const {
        Numbers p;
        for (const ParameterInfo& info : description.parameters) p.push_back(info.default_value);
        return inputs(p);
    }
    /// p of these parameters: draws in the middle of their distributions, the guide where it begins.
    Numbers inputs(Numbers p) const {
        p.resize(description.inputs());
        std::fill_n(p.begin() + static_cast<std::ptrdiff_t>(description.parameters.size()), description.internals.size(), 3.0);  // of their size
        Numbers standard;
        for (const DrawInfo& info : description.draws) {
            using Standard = DrawInfo::Standard;
            standard.push_back(info.standard == Standard::uniform ? 0.5 : info.standard == Standard::sign ? 1 : 0);
        }
        if (description.draw != nullptr) description.draw(p.data(), standard.data(), p.data() + description.first_draw());
        if (description.guide.begin != nullptr) {
            Numbers guide_p(static_cast<std::size_t>(description.guide.inputs));
            double start, end;
            description.guide.begin(p.data(), guide_p.data(), p.data() + description.first_of_guide(), start, end);
        }
        return p;
    }
    Numbers start(const Numbers& p) const {
        Numbers y(description.states.size());
        functions.initial_state(p.data(), y.data());
        return y;
    }
    double start_of_span() const { return description.info.independent.default_start; }
    Numbers rhs(const Numbers& y, const Numbers& p) const { return rhs(start_of_span(), y, p); }
    Numbers rhs(double t, const Numbers& y, const Numbers& p) const {
        Numbers f(y.size());
        functions.rhs(t, y.data(), p.data(), f.data());
        return f;
    }
    Numbers conserved(const Numbers& y, const Numbers& p) const {
        Numbers values(description.invariants.size());
        functions.conserved(start_of_span(), y.data(), p.data(), values.data());
        return values;
    }
    Numbers observables(const Numbers& y, const Numbers& p) const { return observables(start_of_span(), y, p); }
    Numbers observables(double t, const Numbers& y, const Numbers& p) const {
        Numbers values(description.observables.size());
        functions.observe(t, y.data(), p.data(), values.data());
        return values;
    }
    double observable(const char* name, const Numbers& y, const Numbers& p) const { return observable(name, start_of_span(), y, p); }
    double observable(const char* name, double t, const Numbers& y, const Numbers& p) const {
        return observables(t, y, p).at(static_cast<std::size_t>(ModelDescription::index_of(description.observables, name)));
    }
    double error(const Numbers& y, const Numbers& reference) const { return error(y, reference, defaults()); }
    double error(const Numbers& y, const Numbers& reference, const Numbers& p) const {
        double value;
        functions.error(y.data(), p.data(), reference.data(), p.data(), &value);
        return value;
    }
    /// Within the offered ranges.
    template <class Info>
    static Numbers drawn(std::span<const Info> infos, std::mt19937_64& random) {
        Numbers values;
        for (const Info& info : infos) values.push_back(std::uniform_real_distribution(info.min, info.max)(random));
        return values;
    }
};

template <class Model>
TestedModel tested() {
    return {describe<Model>(), functions_of<Model, double>(), functions_of<Model, Strict>()};
}

const std::vector<TestedModel>& tested_models() {
    static const std::vector all{tested<models::Lorenz>(), tested<models::Kepler>(), tested<models::LogHalo>(), tested<models::MilkyWay>(),
                                 tested<models::BbhPrecession>(), tested<models::Cr3bp>(), tested<models::HarmonicOscillator>(),
                                 tested<models::HenonHeiles>(), tested<models::LaneEmden>(), tested<models::Linear<3>>(),
                                 tested<models::Lorenz96<8>>(), tested<models::Lorenz96<40>>(), tested<models::TovPolytrope>(),
                                 tested<models::QuintessenceExp>(), tested<models::QuintessencePngb>(),
                                 tested<models::StreamStar>(), tested<models::StreamStarMilkyWay>(),
                                 tested<models::StreamStarSelfGravity>(), tested<models::StreamStarMilkyWaySelfGravity>()};
    return all;
}

const TestedModel& tested_model(std::string_view name) {
    for (const TestedModel& model : tested_models())
        if (name == model.description.info.name) return model;
    qFatal("no model of this name");
    return tested_models()[0];
}

json reference(const std::string& name) { return json::parse(std::ifstream(GRADSCAPE_SOURCE_DIR "/tests/reference/" + name + ".json")); }

/// Parameters of a reference point, the Sun's at their defaults.
Numbers parameters_of(const json& point, const TestedModel& model) {
    Numbers p = model.defaults();
    const Numbers given = point["params"];
    std::copy(given.begin(), given.end(), p.begin());
    return p;
}

bool close(double value, double expected, double tolerance) { return std::abs(value - expected) <= tolerance * std::abs(expected); }

std::string text(double x) { return json(x).dump(); }

#define VERIFY_CLOSE(value, expected, tolerance) \
    QVERIFY2(close(value, expected, tolerance), (text(value) + " instead of " + text(expected)).c_str())

}  // namespace

class TestModels : public QObject {
    Q_OBJECT

    static void every_model() {
        QTest::addColumn<QString>("name");
        for (const TestedModel& model : tested_models()) QTest::newRow(model.description.info.name) << QString(model.description.info.name);
    }
    static const TestedModel& this_model() {
        QFETCH(QString, name);
        return tested_model(name.toStdString());
    }
    static void every_reference_point() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("point");
        for (const char* name : {"log_halo", "milky_way"})
            for (int i = 0; i < 12; ++i) QTest::newRow(qPrintable(QString("%1-%2").arg(name).arg(i))) << QString(name) << i;
    }

private slots:
    void the_catalogue_holds_the_tested_models() {
        std::vector<std::string> names;
        for (const TestedModel& model : tested_models()) names.emplace_back(model.description.info.name);
        QCOMPARE(model_names(), names);
        QCOMPARE(catalogue().size(), names.size());
        for (const std::string& name : names) {
            const Model* model = find_model(name);
            QVERIFY(model);
            QCOMPARE(std::string(model->description.info.name), name);
            QVERIFY(!model->kernels.empty());
        }
        QVERIFY(!find_model("lorenz "));
        QVERIFY(!find_model(""));
    }

    void a_description_is_complete_data() { every_model(); }
    void a_description_is_complete() {
        const ModelDescription& d = this_model().description;
        const QRegularExpression identifier("^[A-Za-z][A-Za-z0-9_]*$");
        const auto filled = [](const char* s) { return s && *s; };
        for (const char* s : {d.info.title, d.info.group, d.info.version, d.info.summary, d.info.equations, d.info.citation})
            QVERIFY(filled(s));

        std::set<std::string> names{d.info.independent.name}, parameter_names{d.info.independent.name};
        const auto check = [&](const auto& info) {
            constexpr bool parameter = std::is_same_v<decltype(info), const ParameterInfo&>;
            QVERIFY2(identifier.match(info.name).hasMatch(), info.name);
            QVERIFY2((parameter ? parameter_names : names).insert(info.name).second, info.name);
            QVERIFY2(filled(info.symbol) && filled(info.latex) && filled(info.help), info.name);
            QVERIFY2(find_unit(info.unit), info.unit);
        };
        const auto check_range = [](const auto& info) {
            QVERIFY2(std::isfinite(info.min) && std::isfinite(info.max) && info.min < info.max, info.name);
            QVERIFY2(info.hard_min <= info.min && info.max <= info.hard_max, info.name);
            QVERIFY2(std::isnan(info.default_value) || (info.min <= info.default_value && info.default_value <= info.max), info.name);
        };
        for (const StateInfo& s : d.states) {
            check(s);
            check_range(s);
            QVERIFY2(s.atol > 0 && s.atol <= 1e-7 * std::max(std::abs(s.min), std::abs(s.max)), s.name);
        }
        for (const ParameterInfo& p : d.parameters) {
            check(p);
            check_range(p);
            QVERIFY2(std::isfinite(p.default_value), p.name);
            QVERIFY2(p.scale == Scale::linear || p.min > 0, p.name);
            QVERIFY2(ModelDescription::index_of(d.states, p.name) < 0, p.name);  // a table's column means one of the two
        }
        for (const InternalInfo& i : d.internals) check(i);
        if (d.shooting != nullptr) {
            QVERIFY(!d.internals.empty() && filled(d.shooting->condition) && filled(d.shooting->no_solution));
            QVERIFY(d.shooting->end == d.info.independent.default_end);
            QVERIFY(d.shooting->search.tolerance > 0 && d.shooting->search.largest > 0);
        }
        for (const ObservableInfo& o : d.observables) {
            check(o);
            const std::string_view unit = o.unit;
            const double turn = unit == "degree" ? 360 : unit == "rad" ? 2 * std::acos(-1.0) : 0;
            QVERIFY2(o.period == 0 || o.period == turn, o.name);
        }
        for (const DrawInfo& draw : d.draws) check(draw);
        for (const SpreadInfo& spread : d.spreads) {
            QVERIFY2(ModelDescription::index_of(d.observables, spread.observable) >= 0, spread.observable);
            const bool width = spread.kind == SpreadInfo::Kind::width;
            QCOMPARE(ModelDescription::index_of(d.observables, spread.along) >= 0, width);
        }
        for (const InvariantInfo& i : d.invariants) {
            QVERIFY2(identifier.match(i.name).hasMatch() && filled(i.symbol) && filled(i.latex) && filled(i.help), i.name);
            QVERIFY2(find_unit(i.unit), i.unit);
        }

        const IndependentInfo& t = d.info.independent;
        QVERIFY(identifier.match(t.name).hasMatch() && filled(t.symbol) && filled(t.help) && find_unit(t.unit));
        QVERIFY(t.hard_min <= t.min && t.min <= t.default_start && t.default_start < t.default_end);
        QVERIFY(t.default_end <= t.max && t.max <= t.hard_max && t.default_save >= 1);
        QVERIFY(filled(d.info.error.symbol) && filled(d.info.error.help) && find_unit(d.info.error.unit) && d.info.error.threshold > 0);
        QVERIFY(d.info.rtol > 1e-13 && d.info.rtol < 1e-3);
        const std::string_view method = d.info.preferred_method;
        QVERIFY(method == "tsit5" || method == "vern7");
        QVERIFY(ModelDescription::index_of(d.states, d.info.default_functional) >= 0 ||
                ModelDescription::index_of(d.observables, d.info.default_functional) >= 0);
    }

    void a_parameter_named_as_an_observable_is_its_value_at_the_start_data() { every_model(); }
    void a_parameter_named_as_an_observable_is_its_value_at_the_start() {
        const TestedModel& model = this_model();
        std::mt19937_64 random(5);
        for (int repeat = 0; repeat < 100; ++repeat) {
            const Numbers p = TestedModel::drawn(model.description.parameters, random);
            for (std::size_t i = 0; i < p.size(); ++i) {
                const ParameterInfo& info = model.description.parameters[i];
                if (ModelDescription::index_of(model.description.observables, info.name) < 0) continue;
                QVERIFY2(std::abs(model.observable(info.name, model.start(p), p) - p[i]) <= 1e-15 * std::max(std::abs(info.min), info.max),
                         info.name);
            }
        }
    }

    void angles_that_wrap_are_circular() {
        for (const char* model : {"log_halo", "milky_way"})
            for (const char* name : {"ra", "phi", "phi1"}) {
                const auto& infos = tested_model(model).description.observables;
                QCOMPARE(infos[static_cast<std::size_t>(ModelDescription::index_of(infos, name))].period, 360.0);
            }
        const auto& infos = tested_model("kepler").description.observables;
        QCOMPARE(infos[static_cast<std::size_t>(ModelDescription::index_of(infos, "true_anomaly"))].period, 2 * std::acos(-1.0));
        const auto& spins = tested_model("bbh_precession").description.observables;
        QCOMPARE(spins[static_cast<std::size_t>(ModelDescription::index_of(spins, "deltaPhi"))].period, 2 * std::acos(-1.0));
    }

    void the_start_is_the_described_one_data() { every_model(); }
    void the_start_is_the_described_one() {
        const TestedModel& model = this_model();
        const Numbers y = model.start(model.defaults());
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double described = model.description.states[i].default_value;
            QVERIFY(std::isfinite(y[i]));
            QVERIFY(std::isnan(described) || y[i] == described);
        }
    }

    void models_run_without_comparisons_used_as_bool_data() { every_model(); }
    void models_run_without_comparisons_used_as_bool() {
        const TestedModel& model = this_model();
        const ModelDescription& d = model.description;
        const Strict t(model.start_of_span());
        std::mt19937_64 random(1);
        for (int repeat = 0; repeat < 200; ++repeat) {
            const Numbers p = model.inputs(TestedModel::drawn(d.parameters, random));
            const Numbers y = repeat == 0 ? model.start(p) : TestedModel::drawn(d.states, random);
            const Numbers other = TestedModel::drawn(d.states, random);
            const std::vector<Strict> sp = strict(p), sy = strict(y);
            std::vector<Strict> out(std::max({d.states.size(), d.observables.size(), d.invariants.size()}));
            const auto same = [&](const Numbers& expected) {
                for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(identical(out[i].value, expected[i]));
            };
            model.strict_functions.rhs(t, sy.data(), sp.data(), out.data());
            same(model.rhs(y, p));
            model.strict_functions.initial_state(sp.data(), out.data());
            same(model.start(p));
            model.strict_functions.observe(t, sy.data(), sp.data(), out.data());
            same(model.observables(y, p));
            model.strict_functions.conserved(t, sy.data(), sp.data(), out.data());
            same(model.conserved(y, p));
            model.strict_functions.error(sy.data(), sp.data(), strict(other).data(), sp.data(), out.data());
            same({model.error(y, other, p)});
        }
    }

    void parameters_of_the_start_alone_change_nothing_else_data() { every_model(); }
    void parameters_of_the_start_alone_change_nothing_else() {
        const TestedModel& model = this_model();
        const ModelDescription& d = model.description;
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i < d.parameters.size(); ++i) {
            bool start = false, others = false;
            for (int repeat = 0; repeat < 20; ++repeat) {
                const Numbers y = TestedModel::drawn(d.states, random), p = model.inputs(TestedModel::drawn(d.parameters, random));
                Numbers changed = p;
                changed[i] = TestedModel::drawn(d.parameters, random)[i];
                const auto differ = [](const Numbers& a, const Numbers& b) { return !std::equal(a.begin(), a.end(), b.begin(), identical); };
                start = start || differ(model.start(p), model.start(changed));
                others = others || differ(model.rhs(y, p), model.rhs(y, changed)) ||
                         differ(model.observables(y, p), model.observables(y, changed)) ||
                         differ(model.conserved(y, p), model.conserved(y, changed));
            }
            QVERIFY2(d.parameters[i].start_only == (start && !others), d.parameters[i].name);
        }
    }

    void lorenz_is_the_textbook_system() {
        const Numbers f = tested_model("lorenz").rhs({1.5, -2, 3}, {10, 28, 0.25});
        QCOMPARE(f, (Numbers{-35, 39.5, -3.75}));
        QCOMPARE(tested_model("lorenz").observable("radius", {2, 3, 6}, {10, 28, 0.25}), 7.0);
        QCOMPARE(tested_model("lorenz").observable("speed", {0, 4, 12}, {0.75, 28, 0.25}), std::sqrt(9.0 + 16 + 9));
    }

    // The equations as they are written, in long double.
    void the_spins_turn_as_the_published_equations_say() {
        using Real = long double;
        const TestedModel& model = tested_model("bbh_precession");
        std::mt19937_64 random(6);
        const auto product = [](const Real* a, const Real* b, Real* c) {
            for (int i = 0; i < 3; ++i) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        };
        const auto scalar = [](const Real* a, const Real* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
        for (int repeat = 0; repeat < 500; ++repeat) {
            const Numbers p = TestedModel::drawn(model.description.parameters, random), y = model.start(p);
            const double speed = std::uniform_real_distribution(0.02, 0.45)(random);
            const Numbers f = model.rhs(speed, y, p);
            const Real v = speed, q = p[0], chi1 = p[1], chi2 = p[2], m1 = 1 / (1 + q), m2 = q / (1 + q), eta = q / ((1 + q) * (1 + q));
            const Real S1 = chi1 * m1 * m1, S2 = chi2 * m2 * m2, pi = std::numbers::pi_v<Real>;
            Real L[3], s1[3], s2[3], W1[3], W2[3], ds1[3], ds2[3];
            for (std::size_t i = 0; i < 3; ++i) {
                L[i] = y[i];
                s1[i] = y[3 + i];
                s2[i] = y[6 + i];
            }
            const Real k1 = scalar(L, s1), k2 = scalar(L, s2), k12 = scalar(s1, s2), v5 = std::pow(v, 5);
            for (int i = 0; i < 3; ++i) {
                W1[i] = eta * v5 * (2 + 3 * q / 2) * L[i] + v5 * v / 2 * (S2 * s2[i] - 3 * (S2 * k2 + q * S1 * k1) * L[i]);
                W2[i] = eta * v5 * (2 + 3 / (2 * q)) * L[i] + v5 * v / 2 * (S1 * s1[i] - 3 * (S1 * k1 + S2 * k2 / q) * L[i]);
            }
            product(W1, s1, ds1);
            product(W2, s2, ds2);
            const Real spin_orbit = 4 * pi - chi1 * k1 * (113 * m1 * m1 / 12 + 25 * eta / 4) -
                                    chi2 * k2 * (113 * m2 * m2 / 12 + 25 * eta / 4);
            const Real spin_spin = eta * chi1 * chi2 * (721 * k1 * k2 - 247 * k12) / 48 +
                                   m1 * m1 * chi1 * chi1 * (719 * k1 * k1 - 233) / 96 +
                                   m2 * m2 * chi2 * chi2 * (719 * k2 * k2 - 233) / 96;
            const Real flux = 1 - v * v * (743 + 924 * eta) / 336 + std::pow(v, 3) * spin_orbit +
                              std::pow(v, 4) * (34103 / Real(18144) + 13661 * eta / 2016 + 59 * eta * eta / 18 + spin_spin) -
                              v5 * pi * (4159 + 15876 * eta) / 672 +
                              v5 * v * (16447322263 / Real(139708800) + 16 * pi * pi / 3 -
                                        1712 / Real(105) * (std::numbers::egamma_v<Real> + std::log(4 * v)) +
                                        (451 * pi * pi / 48 - 56198689 / Real(217728)) * eta + 541 * eta * eta / 896 -
                                        5605 * eta * eta * eta / 2592) +
                              v5 * v * v * pi * (-4415 / Real(4032) + 358675 * eta / 6048 + 91495 * eta * eta / 1512);
            const Real speed_rate = 32 * eta / 5 * std::pow(v, 9) * flux;
            Real largest = 0, difference = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                const Real expected[3] = {-v / eta * (S1 * ds1[i] + S2 * ds2[i]) / speed_rate, ds1[i] / speed_rate, ds2[i] / speed_rate};
                for (std::size_t vector = 0; vector < 3; ++vector) {
                    largest = std::max(largest, std::abs(expected[vector]));
                    difference = std::max(difference, std::abs(f[3 * vector + i] - expected[vector]));
                }
            }
            QVERIFY2(difference <= 3e-14L * largest, text(static_cast<double>(difference / largest)).c_str());
        }
    }

    void the_spins_start_and_observables_equal_the_reference() {
        const TestedModel& model = tested_model("bbh_precession");
        const json all = reference("bbh_precession");
        for (const json& point : all["points"]) {
            Numbers p = point["params"];
            for (const double angle : point["angles"]) p.push_back(angle);
            const Numbers start = model.start(p), expected_start = point["y0"];
            for (std::size_t i = 0; i < start.size(); ++i) QVERIFY(std::abs(start[i] - expected_start[i]) <= 2e-16);
            for (std::size_t row = 0; row < point["t"].size(); ++row) {
                const double v = point["t"][row];
                const Numbers y = point["y"][row], expected = point["obs"][row];
                const char* const names[] = {"theta1", "theta2", "deltaPhi", "chi_eff", "chi_p_heuristic",
                                             "chi_p_generalised", "J", "theta_L"};
                for (std::size_t i = 0; i < expected.size(); ++i)
                    QVERIFY2(std::abs(model.observable(names[i], v, y, p) - expected[i]) <= 4e-15, names[i]);
                const double J = expected[6], L = p[0] / ((1 + p[0]) * (1 + p[0])) / v;
                VERIFY_CLOSE(model.observable("kappa", v, y, p), (J * J - L * L) / (2 * L), 1e-12);
                VERIFY_CLOSE(model.observable("r", v, y, p), 1 / (v * v), 1e-15);
                VERIFY_CLOSE(model.observable("f_gw", v, y, p), v * v * v / std::acos(-1.0), 1e-15);
            }
        }
    }

    // Case B17: zero spins once gave NaN.
    void zero_and_aligned_spins_have_finite_values_everywhere() {
        const TestedModel& model = tested_model("bbh_precession");
        const double pi = std::acos(-1.0);
        for (const double q : {1e-9, 0.1, 1.0})
            for (const double chi1 : {0.0, 1.0})
                for (const double chi2 : {0.0, 1.0})
                    for (const double theta1 : {0.0, 1.0, pi})
                        for (const double theta2 : {0.0, 1.0, pi}) {
                            const Numbers p{q, chi1, chi2, theta1, theta2, 0.3}, y = model.start(p);
                            for (const Numbers& values : {model.rhs(y, p), model.observables(y, p), model.conserved(y, p)})
                                for (const double value : values) QVERIFY(std::isfinite(value));
                            QVERIFY(model.conserved(y, p)[0] >= 1 - 1e-15);
                            QCOMPARE(model.error(y, y), 0.0);
                        }
        QCOMPARE(model.observable("S", model.start({0.5, 0, 0, 1, 1, 1}), {0.5, 0, 0, 1, 1, 1}), 0.0);
        QCOMPARE(model.observable("chi_p_generalised", model.start({0.5, 0, 0, 1, 1, 1}), {0.5, 0, 0, 1, 1, 1}), 0.0);
    }

    void the_spins_error_wraps_and_doesnt_count_delta_phi_at_alignment() {
        const TestedModel& model = tested_model("bbh_precession");
        const double pi = std::acos(-1.0);
        const auto start = [&](double theta1, double theta2, double delta_phi) {
            return model.start({0.8, 0.7, 0.6, theta1, theta2, delta_phi});
        };
        const auto within = [](double value, double expected) { return std::abs(value - expected) <= 1e-14; };
        QVERIFY(within(model.error(start(0.5 * pi, 0.5 * pi, pi - 1e-3), start(0.5 * pi, 0.5 * pi, 1e-3 - pi)), 2e-3));
        QVERIFY(within(model.error(start(0.5 * pi, 0.5 * pi, 0.25), start(0.5 * pi, 0.5 * pi, -0.25)), 0.5));
        QVERIFY(within(model.error(start(1, 2, 0.3), start(1, 2, 0.2)), 0.1 * std::sin(1.0)));
        QVERIFY(within(model.error(start(1, 3, 0.3), start(1, 3, 0.2)), 0.1 * std::sin(3.0)));
        QVERIFY(within(model.error(start(1, 2, 0.3), start(1.25, 2, 0.3)), 0.25));
        QVERIFY(within(model.error(start(1, 2, 0.3), start(1, 2.125, 0.3)), 0.125));
        QVERIFY(model.error(start(1e-12, 2, 0.3), start(1e-12, 2, 2.3)) < 1e-11);
    }

    void a_short_logarithm_is_right_to_1e_13() {
        for (double x = 1e-3; x < 1e3; x *= 1.0001) {
            QVERIFY(std::abs(models::short_log(x) - std::log(x)) <= 1e-13);
            QVERIFY(identical(models::short_log(Strict(x)).value, models::short_log(x)));
        }
        QVERIFY(std::abs(models::short_log(1.0)) <= 1e-13 && std::abs(models::short_log(2.0) - std::log(2.0)) <= 1e-13);
    }

    void a_short_exponential_is_right_to_7e_16() {
        for (double x = -700; x < 700; x += 0.0137) {
            VERIFY_CLOSE(models::short_exp(x), std::exp(x), 7e-16 + 2e-16);  // and the C library's own error
            QVERIFY(identical(models::short_exp(Strict(x)).value, models::short_exp(x)));
        }
        QCOMPARE(models::short_exp(0.0), 1.0);
        QVERIFY(std::isnan(models::short_exp(std::numeric_limits<double>::quiet_NaN())));
        VERIFY_CLOSE(models::short_exp(std::numeric_limits<double>::infinity()), std::exp(709.0), 1e-15);
        VERIFY_CLOSE(models::short_exp(-1e300), std::exp(-708.0), 1e-15);
    }

    void a_computed_start_equals_the_reference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"lane_emden", "tov_polytrope", "lorenz96"}) QTest::newRow(name) << QString(name);
    }
    void a_computed_start_equals_the_reference() {
        const TestedModel& model = this_model();
        const json all = reference(model.description.info.name);
        int compared = 0;
        for (const json& point : all["points"]) {
            const Numbers p = point["params"], expected = point["y0"];
            QCOMPARE(double(point["t0"]), model.start_of_span());
            if (expected.size() != model.description.states.size()) continue;
            ++compared;
            const Numbers start = model.start(p);
            for (std::size_t i = 0; i < start.size(); ++i) VERIFY_CLOSE(start[i], expected[i], 2e-15);
        }
        QVERIFY(compared >= 3);
    }

    void henon_heiles_starts_on_the_surface_of_section_at_its_energy() {
        const TestedModel& model = tested_model("henon_heiles");
        const json all = reference("henon_heiles");
        for (const json& point : all["points"]) {
            const Numbers y0 = point["y0"], p{point["params"][0], point["derived"]["energy"], y0[1], y0[3]};
            const Numbers start = model.start(p);
            QCOMPARE(start[0], 0.0);
            for (std::size_t i = 1; i < 4; ++i) VERIFY_CLOSE(start[i], y0[i], 1e-15);
            VERIFY_CLOSE(model.conserved(y0, p)[0], p[1], 2e-15);
            QCOMPARE(model.observable("energy", y0, p), model.conserved(y0, p)[0]);
        }
        QVERIFY(std::isnan(model.start({1, 0.01, 0.5, 0})[2]));  // outside the curve of zero velocity
        std::mt19937_64 random(7);
        for (int repeat = 0; repeat < 10000; ++repeat)
            QVERIFY(model.start(TestedModel::drawn(model.description.parameters, random))[2] > 0);
        QVERIFY(model.start({1, 0.01, -0.09, 0.09})[2] > 0 && model.start({0, 0.01, 0.09, -0.09})[2] > 0);
    }

    void the_jacobi_constant_equals_the_reference() {
        const TestedModel& model = tested_model("cr3bp");
        const json all = reference("cr3bp");
        for (const json& point : all["points"]) {
            const Numbers p = point["params"];
            for (std::size_t row = 0; row < point["y"].size(); ++row)
                VERIFY_CLOSE(model.conserved(point["y"][row], p)[0], double(point["derived"]["jacobi"]), 5e-14);
        }
    }

    void the_inertial_frame_turns_against_the_rotating_one() {
        const TestedModel& model = tested_model("cr3bp");
        const Numbers p{0.25}, y{0.75, 0, 0, 0, 0, 0};  // where the second body stands
        const double t = 0.5;
        QCOMPARE(model.observable("r2", t, {0.75, 0.5, 0, 0, 0, 0}, p), 0.5);
        QCOMPARE(model.observable("r1", t, {0.75, 0, 0, 0, 0, 0}, p), 1.0);
        VERIFY_CLOSE(model.observable("X", t, y, p), 0.75 * std::cos(t), 1e-15);
        VERIFY_CLOSE(model.observable("Y", t, y, p), 0.75 * std::sin(t), 1e-15);
        VERIFY_CLOSE(model.observable("X", t, {0, 0.75, 0, 0, 0, 0}, p), -0.75 * std::sin(t), 1e-15);
    }

    void a_star_has_its_published_mass_radius_and_deformability() {
        const TestedModel& model = tested_model("tov_polytrope");
        const json all = reference("tov_polytrope");
        const char* const names[] = {"mass", "r", "radius", "compactness", "k2", "Lambda"};
        for (const json& point : all["points"]) {
            const Numbers p = point["params"], expected = point["derived"]["obs"];
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double tolerance = i < 4 ? 1e-15 : 1e-14 + 1e-15 / std::pow(expected[3], 5);
                VERIFY_CLOSE(model.observable(names[i], double(point["t"].back()), point["y"].back(), p), expected[i], tolerance);
            }
        }
        const Numbers p = model.defaults(), centre = model.start(p);
        VERIFY_CLOSE(model.observable("density", 0, centre, p), p[2], 1e-14);
        VERIFY_CLOSE(model.observable("pressure", 0, centre, p), 100 * p[2] * p[2], 1e-14);
    }

    void beyond_its_surface_a_polytrope_has_no_density() {
        const TestedModel& model = tested_model("lane_emden");
        for (const double n : {0.0, 0.5, 1.5}) {
            QCOMPARE(model.observable("density", 3, {-0.1, 2}, {n}), 0.0);
            QCOMPARE(model.rhs(3, {-0.1, 2}, {n}), (Numbers{-2.0 / 9, n == 0 ? 9.0 : 0.0}));
        }
        QCOMPARE(model.observable("density", 3, {0.25, 2}, {1.5}), 0.125);
        QCOMPARE(model.observable("concentration", 3, {0.25, 2}, {1.5}), 4.5);
    }

    void lorenz_96_couples_its_sites_in_a_circle_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"lorenz96", "lorenz96_40"}) QTest::newRow(name) << QString(name);
    }
    void lorenz_96_couples_its_sites_in_a_circle() {
        const TestedModel& model = this_model();
        const std::size_t d = model.description.states.size();
        std::mt19937_64 random(8);
        const Numbers y = TestedModel::drawn(model.description.states, random), f = model.rhs(y, {3});
        double energy = 0, sum = 0;
        for (std::size_t i = 0; i < d; ++i) {
            VERIFY_CLOSE(f[i], (y[(i + 1) % d] - y[(i + d - 2) % d]) * y[(i + d - 1) % d] - y[i] + 3, 1e-13);
            energy += y[i] * y[i] / (2 * static_cast<double>(d));
            sum += y[i];
        }
        VERIFY_CLOSE(model.observable("mean_energy", y, {3}), energy, 1e-14);
        VERIFY_CLOSE(model.observable("mean", y, {3}), sum / static_cast<double>(d), 1e-13);
    }

    void numbered_states_have_names_of_one_length() {
        const auto& eight = tested_model("lorenz96").description;
        const auto& forty = tested_model("lorenz96_40").description;
        QCOMPARE(std::string(eight.states[7].name), std::string("y7"));
        QCOMPARE(std::string(eight.states[7].symbol), std::string("y₇"));
        QCOMPARE(std::string(forty.states[7].name), std::string("y07"));
        QCOMPARE(std::string(forty.states[39].name), std::string("y39"));
        QCOMPARE(std::string(forty.states[39].symbol), std::string("y₃₉"));
        QCOMPARE(std::string(forty.states[39].latex), std::string("y_{39}"));
        QCOMPARE(std::string(forty.info.title), std::string("Lorenz 96 system, dimension 40"));
        for (const auto* description : {&eight, &forty})
            for (const StateInfo& state : description->states)
                QVERIFY(ModelDescription::index_of(description->states, std::string(state.name) + "0") < 0);
    }

    void the_acceleration_equals_the_reference_data() { every_reference_point(); }
    void the_acceleration_equals_the_reference() {
        QFETCH(int, point);
        const TestedModel& model = this_model();
        const json data = reference(model.description.info.name)["points"][static_cast<std::size_t>(point)];
        const Numbers y = data["y0"], expected = data["derived"]["acc0"];
        const Numbers f = model.rhs(y, parameters_of(data, model));
        double difference = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            VERIFY_CLOSE(f[i], 1.022712165045695 * y[3 + i], 1e-15);
            difference = std::hypot(difference, f[3 + i] / 1.022712165045695 - expected[i]);
        }
        QVERIFY(difference <= 2e-15 * std::hypot(expected[0], expected[1], expected[2]));
    }

    void energy_and_angular_momentum_equal_the_reference_data() { every_reference_point(); }
    void energy_and_angular_momentum_equal_the_reference() {
        QFETCH(int, point);
        const TestedModel& model = this_model();
        const json data = reference(model.description.info.name)["points"][static_cast<std::size_t>(point)];
        const json& derived = data["derived"];
        const Numbers p = parameters_of(data, model);
        const Numbers start = data["y0"];
        const Numbers conserved = model.conserved(start, p);
        VERIFY_CLOSE(conserved[0], double(derived["energy"]), 2e-15);
        VERIFY_CLOSE(conserved[1], double(derived["Lz"]), 2e-15);
        for (std::size_t row = 0; row < data["y"].size(); ++row) {
            const Numbers y = data["y"][row];
            const double speed_squared = y[3] * y[3] + y[4] * y[4] + y[5] * y[5];
            VERIFY_CLOSE(model.observable("R", y, p), double(derived["R"][row]), 2e-15);
            VERIFY_CLOSE(model.observable("energy", y, p) - 0.5 * speed_squared, double(derived["Phi"][row]), 1e-14);
        }
    }

    // dI/dt = grad I . f along the right-hand side, by a central difference.
    void invariants_stand_still_along_the_right_hand_side_data() { every_model(); }
    void invariants_stand_still_along_the_right_hand_side() {
        const TestedModel& model = this_model();
        std::mt19937_64 random(2);
        for (int repeat = 0; repeat < 100; ++repeat) {
            const Numbers p = model.inputs(TestedModel::drawn(model.description.parameters, random));
            const Numbers y = TestedModel::drawn(model.description.states, random);
            const Numbers f = model.rhs(y, p);
            double rate = 0;
            for (std::size_t i = 0; i < y.size(); ++i) rate = std::max(rate, std::abs(f[i]) / std::hypot(y[i], 1e-3));
            const double step = 1e-5 / rate;
            Numbers before = y, after = y;
            for (std::size_t i = 0; i < y.size(); ++i) {
                before[i] -= step * f[i];
                after[i] += step * f[i];
            }
            const Numbers a = model.conserved(before, p), b = model.conserved(after, p), scale = model.conserved(y, p);
            for (std::size_t i = 0; i < a.size(); ++i)  // a wrong term gives about 1e-5
                QVERIFY2(std::abs(a[i] - b[i]) <= 1e-8 * std::max(std::abs(scale[i]), 1.0), model.description.invariants[i].name);
        }
    }

    void the_milky_way_has_its_published_rotation_curve() {
        const TestedModel& model = tested_model("milky_way");
        const Numbers radius{1, 4, 8.2, 20, 50}, speed{130.423, 226.393, 229.445, 213.433, 193.657};
        for (std::size_t i = 0; i < radius.size(); ++i) {
            const Numbers f = model.rhs({0, radius[i], 0, 0, 0, 0}, model.defaults());
            const double vc = std::sqrt(-f[4] / 1.022712165045695 * radius[i]);
            QVERIFY(std::abs(vc - speed[i]) <= 6e-4);
        }
    }

    void the_halo_keeps_its_digits_near_the_centre() {
        for (double s = 1e-8; s < 100; s *= 1.01) {
            const long double x = s;
            long double expected = (1 + x) * std::log1p(x) - x;
            if (s < 1e-3) expected = x * x * (0.5L - x / 6 + x * x / 12 - x * x * x / 20 + x * x * x * x / 30 - x * x * x * x * x / 42);
            VERIFY_CLOSE(models::MilkyWay::halo_bracket(s), static_cast<double>(expected), 5e-14);
        }
    }

    void nothing_pulls_at_the_very_centre() {
        for (const char* name : {"log_halo", "milky_way"}) {
            const TestedModel& model = tested_model(name);
            const Numbers centre(6, 0.0);
            QCOMPARE(model.rhs(centre, model.defaults()), centre);
            QVERIFY(std::isfinite(model.conserved(centre, model.defaults())[0]));
        }
    }

    void a_kepler_orbit_starts_at_the_reference_pericentre_data() {
        QTest::addColumn<int>("point");
        QTest::addColumn<double>("a");
        QTest::addColumn<double>("e");
        const double elements[][2] = {{1, 0},   {1, 0.1}, {1, 0.3},    {1, 0.6},      {2, 0.5},  {1, 0.8},
                                      {1, 0.9}, {1, 0.0167}, {5.2, 0.0489}, {0.7, 0.4}, {1.3, 0.2}};
        int point = 0;
        for (const auto& [a, e] : elements) {
            QTest::addRow("a = %g, e = %g", a, e) << point << a << e;
            ++point;
        }
    }
    void a_kepler_orbit_starts_at_the_reference_pericentre() {
        QFETCH(int, point);
        QFETCH(double, a);
        QFETCH(double, e);
        const TestedModel& model = tested_model("kepler");
        const json data = reference("kepler")["points"][static_cast<std::size_t>(point)];
        const double mu = data["params"][0];
        const Numbers expected = data["y0"], start = model.start({mu, a, e});
        for (std::size_t i = 0; i < 4; ++i) VERIFY_CLOSE(start[i], expected[i], 5e-16);
        const Numbers conserved = model.conserved(start, {mu, a, e});
        VERIFY_CLOSE(conserved[0], -mu / (2 * a), 4e-15);
        VERIFY_CLOSE(conserved[0], double(data["derived"]["energy"]), 4e-15);
        VERIFY_CLOSE(conserved[1], std::sqrt(mu * a * (1 - e * e)), 1e-15);
        VERIFY_CLOSE(conserved[2], mu * (1 + e), 1e-15);
        VERIFY_CLOSE(conserved[3], mu, 1e-15);
    }

    void the_true_anomaly_counts_from_the_pericentre() {
        const TestedModel& model = tested_model("kepler");
        const Numbers p{2, 1, 0.5};
        const double pi = std::acos(-1.0);
        for (const double nu : {0.0, 0.1, 1.0, 2.5, 3.1, -3.1, -1.0}) {
            const double turn = 0.7;  // direction of the pericentre
            for (const double sense : {1.0, -1.0}) {
                const double e = 0.5, semilatus = 0.75, r = semilatus / (1 + e * std::cos(nu)), k = std::sqrt(2 / semilatus);
                const double angle = turn + sense * nu, radial = k * e * std::sin(nu), transverse = sense * k * (1 + e * std::cos(nu));
                const Numbers y{r * std::cos(angle), r * std::sin(angle), radial * std::cos(angle) - transverse * std::sin(angle),
                                radial * std::sin(angle) + transverse * std::cos(angle)};
                QVERIFY(std::abs(model.observable("true_anomaly", y, p) - nu) < 1e-14);
                QVERIFY(std::abs(std::remainder(model.observable("phi", y, p) - angle, 2 * pi)) < 1e-14);
                VERIFY_CLOSE(model.observable("energy", y, p), -1.0, 1e-14);
            }
        }
    }

    // Values computed with astropy's own frames, printed to 12 digits.
    void the_sky_agrees_with_astropy_data() {
        QTest::addColumn<Numbers>("y");
        QTest::addColumn<Numbers>("sky");
        QTest::newRow("GD-1") << Numbers{-11.8, 0.79, 6.4, -109.5, -254.5, -90.3}
                              << Numbers{161.888874264, 45.4986506796, 7.40582018142, -8.06593952717, -12.3695253964, -77.0421725125,
                                         -26.5366678169, -0.860238685154, -14.3774423422, -3.3695238082};
        QTest::newRow("Pal 5-like") << Numbers{8.2, 0.2, 16.6, -50, -110, -16}
                                    << Numbers{229.155733303, -0.365180475113, 23.2662134264, -2.33056928022, -2.23544590632,
                                               -64.1284197554, 35.2705134845, -57.5236786876, -1.22072493978, -2.98974951991};
        QTest::newRow("near the Sun") << Numbers{-8, 0.3, 0.5, 30, 200, 40}
                                      << Numbers{230.581082686, 41.6435852246, 0.578368517507, -14.2747058039, -15.6194940437,
                                                 6.64899358158, 19.7932029694, -17.1133079449, -9.91330833424, -18.6939064367};
        QTest::newRow("along GD-1") << Numbers{-12.3, -1.9, 8.1, -60, -250, -140}
                                    << Numbers{159.291904325, 27.5054882212, 9.29189857851, -5.74585872917, -10.370972273,
                                               5.62575723013, -40.8671306025, -12.0830276795, -11.4983906744, -2.89118839351};
    }
    void the_sky_agrees_with_astropy() {
        QFETCH(Numbers, y);
        QFETCH(Numbers, sky);
        const char* const names[] = {"ra", "dec", "distance", "pm_ra", "pm_dec", "v_r", "phi1", "phi2", "pm_phi1", "pm_phi2"};
        for (const char* model_name : {"log_halo", "milky_way", "stream_star", "stream_star_milky_way"}) {
            const TestedModel& model = tested_model(model_name);
            for (std::size_t i = 0; i < sky.size(); ++i) VERIFY_CLOSE(model.observable(names[i], y, model.defaults()), sky[i], 1e-8);
        }
    }

    // ICRS position A^T (X - b) and velocity A^T (V - v_sun) with the matrix of astropy's frame.
    void the_default_sun_gives_astropys_rotation() {
        const double A[3][3] = {{-0.057095820333710634, -0.8739415856218073, -0.4826656940587988},
                                {0.4941107627040048, -0.4448286178025452, 0.7469819642829025},
                                {-0.8675221158451739, -0.1958407661972316, 0.4572217982716856}};
        const double b[3] = {-8.1219733661223, 0, 0.0208}, v_sun[3] = {12.9, 245.6, 7.78};
        const double radian = std::acos(-1.0) / 180, k = 4.740470463533349;
        const TestedModel& model = tested_model("log_halo");
        std::mt19937_64 random(3);
        for (int repeat = 0; repeat < 100; ++repeat) {
            const Numbers y = TestedModel::drawn(model.description.states, random), p = model.defaults();
            double position[3]{}, velocity[3]{};
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j) {
                    position[i] += A[j][i] * (y[j] - b[j]);
                    velocity[i] += A[j][i] * (y[j + 3] - v_sun[j]);
                }
            const double ra = radian * model.observable("ra", y, p), dec = radian * model.observable("dec", y, p);
            const double d = model.observable("distance", y, p);
            const double v[3] = {model.observable("v_r", y, p), k * d * model.observable("pm_ra", y, p),
                                 k * d * model.observable("pm_dec", y, p)};
            const double axes[3][3] = {{std::cos(dec) * std::cos(ra), std::cos(dec) * std::sin(ra), std::sin(dec)},
                                       {-std::sin(ra), std::cos(ra), 0},
                                       {-std::sin(dec) * std::cos(ra), -std::sin(dec) * std::sin(ra), std::cos(dec)}};
            const double speed = std::hypot(velocity[0], velocity[1], velocity[2]);
            for (std::size_t i = 0; i < 3; ++i) {
                QVERIFY(std::abs(d * axes[0][i] - position[i]) <= 1e-12 * d);
                QVERIFY(std::abs(v[0] * axes[0][i] + v[1] * axes[1][i] + v[2] * axes[2][i] - velocity[i]) <= 1e-12 * speed);
            }
        }
    }

    void the_galactic_centre_stays_where_it_is_seen_wherever_the_sun_is() {
        const TestedModel& model = tested_model("milky_way");
        for (const double distance : {7.5, 8.122, 8.7})
            for (const double height : {-0.05, 0.0, 0.0208, 0.4}) {
                Numbers p = model.defaults();
                p[8] = distance;
                p[9] = height;
                const Numbers centre{0, 0, 0, p[10], p[11], p[12]};
                VERIFY_CLOSE(model.observable("ra", centre, p), 266.4051, 1e-12);
                VERIFY_CLOSE(model.observable("dec", centre, p), -28.936175, 1e-12);
                VERIFY_CLOSE(model.observable("distance", centre, p), distance, 1e-14);
                QCOMPARE(model.observable("v_r", centre, p), 0.0);
                QCOMPARE(model.observable("pm_ra", centre, p), 0.0);
            }
    }

    void angles_on_the_sky_stay_in_their_ranges() {
        constexpr double tiny = 1e-18;
        const double w[3] = {0, 0, 0};
        for (const double y : {-tiny, tiny, 0.0, -0.0, -0.5, 0.5})
            for (const double x : {-1.0, 1.0}) {
                const double q[3] = {x, y, 0.1};
                const double angle = models::sky_angles(q, w, 1.0).longitude;
                QVERIFY(angle > -180 && angle <= 180);
            }
        const TestedModel& model = tested_model("log_halo");
        std::mt19937_64 random(4);
        for (int repeat = 0; repeat < 1000; ++repeat) {
            const Numbers y = TestedModel::drawn(model.description.states, random);
            const double ra = model.observable("ra", y, model.defaults()), phi1 = model.observable("phi1", y, model.defaults());
            QVERIFY(ra >= 0 && ra < 360);
            QVERIFY(phi1 > -180 && phi1 <= 180);
        }
    }

    void galactic_observables_are_consistent() {
        const TestedModel& model = tested_model("log_halo");
        const Numbers y{-3, 4, 12, 10, 20, 30}, p = model.defaults();
        QCOMPARE(model.observable("R", y, p), 5.0);
        QCOMPARE(model.observable("r", y, p), 13.0);
        QCOMPARE(model.observable("phi", y, p), std::atan2(4.0, -3.0) * 180 / std::acos(-1.0));
        QCOMPARE(model.observable("vR", y, p), (-30.0 + 80) / 5);
        QCOMPARE(model.observable("vphi", y, p), (-60.0 - 40) / 5);
        QCOMPARE(model.observable("Lz", y, p), -100.0);
        QCOMPARE(model.observable("L", y, p), std::hypot(4.0 * 30 - 12 * 20, 12.0 * 10 + 3 * 30, -100.0));
    }

    void the_error_of_a_missing_value_is_missing_data() { every_model(); }
    void the_error_of_a_missing_value_is_missing() {
        const TestedModel& model = this_model();
        const Numbers start = model.start(model.defaults());
        QCOMPARE(model.error(start, start), 0.0);
        int measured = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            Numbers y = start;
            y[i] += 0.5;
            if (model.error(y, start) == 0) continue;  // the measure doesn't look at this state
            ++measured;
            y[i] = std::nan("");
            QVERIFY(std::isnan(model.error(y, start)));
            QVERIFY(std::isnan(model.error(start, y)));
        }
        QVERIFY(measured > 0);
    }

    void the_error_is_relative_to_the_reference_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("measured");  // components, from the first
        for (const auto& [name, measured] : {std::pair{"lorenz", 3}, {"kepler", 2}, {"log_halo", 3}, {"milky_way", 3}, {"cr3bp", 3},
                                             {"henon_heiles", 4}, {"lane_emden", 2}, {"linear", 3}, {"lorenz96", 8}, {"lorenz96_40", 40}})
            QTest::newRow(name) << QString(name) << measured;
    }
    void the_error_is_relative_to_the_reference() {
        QFETCH(int, measured);
        const TestedModel& model = this_model();
        const std::size_t n = model.description.states.size();
        Numbers reference_state(n, 2.0), y(n, 2.5);
        for (std::size_t i = static_cast<std::size_t>(measured); i < n; ++i) y[i] = 100;
        VERIFY_CLOSE(model.error(y, reference_state), 0.25, 1e-15);
        QCOMPARE(model.error(Numbers(n, 0.0), Numbers(n, 0.0)), 0.0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(measured); ++i) {
            y = reference_state;
            y[i] = 3;
            QVERIFY(model.error(y, reference_state) > 0);
        }
    }

    void the_oscillators_error_is_a_distance_in_the_phase_plane() {
        const TestedModel& model = tested_model("harmonic_oscillator");
        QCOMPARE(model.error({1, 5}, {4, -3}, {2, 0.1}), 5.0);
    }

    void the_stars_error_counts_all_three_states() {
        const TestedModel& model = tested_model("tov_polytrope");
        VERIFY_CLOSE(model.error({101, 0.002, 0.5}, {100, 0.002, 0.5}), 0.01, 1e-13);
        VERIFY_CLOSE(model.error({100, 0.00202, 0.5}, {100, 0.002, 0.5}), 0.01, 1e-13);
        VERIFY_CLOSE(model.error({100, 0.002, 0.49}, {100, 0.002, 0.5}), 0.01, 1e-13);  // of 1, not of 0.5
        VERIFY_CLOSE(model.error({100, 0.002, 1.98}, {100, 0.002, 2}), 0.01, 1e-13);
        VERIFY_CLOSE(model.error({103, 0.00208, 0.5}, {100, 0.002, 0.5}), 0.05, 1e-13);
    }

    void the_error_of_a_distance_is_relative_to_the_references_own() {
        for (const char* name : {"quintessence_exp", "quintessence_pngb"}) {
            const TestedModel& model = tested_model(name);
            Numbers p = model.defaults(), p_reference = p;
            const std::size_t chi_today = p.size() - 1;
            p[chi_today] = 3.5;
            p_reference[chi_today] = 3.0;
            const auto error = [&](double chi, double chi_reference) {
                const Numbers y{0.1, 0.2, chi}, reference{0.1, 0.2, chi_reference};
                double value;
                model.functions.error(y.data(), p.data(), reference.data(), p_reference.data(), &value);
                return value;
            };
            QCOMPARE(error(1.5, 1.0), 0.0);
            QCOMPARE(error(1.0, 1.0), 0.25);
            QCOMPARE(error(3.5, 3.0), 0.0);  // redshift 0
            QVERIFY(std::isnan(error(std::nan(""), 1.0)));
        }
    }

    void the_text_names_everything_data() { every_model(); }
    void the_text_names_everything() {
        const ModelDescription& d = this_model().description;
        const QStringList lines = QString::fromStdString(description_text(d)).split('\n');
        const auto listed = [&](const char* name) {
            const QString start = "  " + QString(name) + ' ';
            return std::any_of(lines.begin(), lines.end(), [&](const QString& line) { return line.startsWith(start); });
        };
        for (const StateInfo& info : d.states) QVERIFY2(listed(info.name), info.name);
        for (const ParameterInfo& info : d.parameters) QVERIFY2(listed(info.name), info.name);
        for (const ObservableInfo& info : d.observables) QVERIFY2(listed(info.name), info.name);
        for (const InvariantInfo& info : d.invariants) QVERIFY2(listed(info.name), info.name);
        for (const InternalInfo& info : d.internals) QVERIFY2(listed(info.name), info.name);
        QVERIFY(lines.contains("  " + QString(d.info.citation)));
    }

    void columns_of_the_text_line_up_with_greek_symbols() {
        const QStringList lines = QString::fromStdString(description_text(tested_model("lorenz").description)).split('\n');
        const qsizetype heading = lines.indexOf("Parameters");
        QVERIFY(heading > 0);
        const qsizetype column = lines[heading + 1].indexOf("default");
        QCOMPARE(lines[heading + 2].mid(column, 2), QString("10"));
        QCOMPARE(lines[heading + 3].mid(column, 2), QString("28"));
    }

    void the_json_holds_every_name_data() { every_model(); }
    void the_json_holds_every_name() {
        const ModelDescription& d = this_model().description;
        const json object = json::parse(description_json(d));
        const auto check = [&](const char* key, const auto& infos) {
            QCOMPARE(object[key].size(), infos.size());
            for (std::size_t i = 0; i < infos.size(); ++i) {
                const json& entry = object[key][i];
                QCOMPARE(std::string(entry["name"]), std::string(infos[i].name));
                QCOMPARE(std::string(entry["unit"]["name"]), std::string(infos[i].unit));
                QVERIFY(entry["unit"]["si"].is_number());
            }
        };
        check("states", d.states);
        check("parameters", d.parameters);
        check("observables", d.observables);
        check("invariants", d.invariants);
        check("internals", d.internals);
        QCOMPARE(object["shooting"].is_null(), d.shooting == nullptr);
        for (std::size_t i = 0; i < d.parameters.size(); ++i) {
            QCOMPARE(double(object["parameters"][i]["default"]), d.parameters[i].default_value);
            QCOMPARE(std::string(object["parameters"][i]["scale"]), std::string(d.parameters[i].scale == Scale::log ? "log" : "linear"));
            QCOMPARE(object["parameters"][i]["hard_max"].is_null(), std::isinf(d.parameters[i].hard_max));
        }
        QCOMPARE(double(object["error"]["threshold"]), d.info.error.threshold);
    }

    void the_lists_hold_every_model() {
        const json array = json::parse(list_json(catalogue()));
        const QStringList lines = QString::fromStdString(list_text(catalogue())).trimmed().split('\n');
        QCOMPARE(array.size(), catalogue().size());
        QCOMPARE(static_cast<std::size_t>(lines.size()), catalogue().size() + 1);
        for (std::size_t i = 0; i < array.size(); ++i) {
            QCOMPARE(std::string(array[i]["name"]), model_names()[i]);
            QVERIFY(lines[static_cast<qsizetype>(i) + 1].trimmed().startsWith(QString::fromStdString(model_names()[i])));
        }
    }
};

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"
