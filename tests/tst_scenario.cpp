// Scenario files: what is read, what is refused and how, what is written back; tables; remarks.
#include <array>
#include <bit>
#include <clocale>
#include <cmath>
#include <fstream>
#include <locale>
#include <numbers>
#include <random>
#include <set>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "described_model.hpp"
#include "engine/grid_axis.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/scenario.hpp"
#include "models/catalogue.hpp"
#include "models/kepler.hpp"
#include "models/stream_star.hpp"

namespace {

using namespace gradscape;
using Kind = Draw::Kind;

const ModelDescription model = describe<DescribedModel>();
constexpr double infinity = std::numeric_limits<double>::infinity();

const ModelNames names{[](std::string_view name) { return name == "toy" ? &model : nullptr; }, {"kepler", "toy", "lorenz"}};

EnsembleRequest parse(const std::string& json) { return parse_scenario(json, names); }

/// A scenario of the toy model with more in it.
std::string scenario(const std::string& sections) {
    std::string json = R"({"gradscape": 1, "model": "toy")";
    if (!sections.empty()) json.append(", ").append(sections);
    return json.append("}");
}

/// A model that draws each member's start.
const ModelDescription stream = describe<models::StreamStar>();
const ModelNames stream_names{[](std::string_view name) { return name == "stream_star" ? &stream : nullptr; }, {"stream_star"}};
EnsembleRequest parse_stream(const std::string& sections, const std::filesystem::path& folder = {}) {
    std::string json = R"({"model": "stream_star")";
    if (!sections.empty()) json.append(", ").append(sections);
    return parse_scenario(json.append("}"), stream_names, folder);
}

/// The message of the refusal; "" when the call doesn't throw InputError.
template <class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}
std::string refusal(const std::string& json) {
    return refusal([&] { parse(json); });
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_bits(x, y); });
}
bool same_bits(const std::optional<double>& a, const std::optional<double>& b) {
    return a.has_value() == b.has_value() && (!a || same_bits(*a, *b));
}
bool same_bits(const std::vector<Draw>& a, const std::vector<Draw>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Draw& x, const Draw& y) {
        return x.kind == y.kind && same_bits(x.value, y.value) && same_bits(x.min, y.min) && same_bits(x.max, y.max) &&
               same_bits(x.mean, y.mean) && same_bits(x.sd, y.sd) && same_bits(x.exponent, y.exponent) &&
               x.points == y.points && same_bits(x.step, y.step);
    });
}

/// All that a scenario says, bit for bit.
bool same(const EnsembleRequest& a, const EnsembleRequest& b) {
    const bool span = a.span.model_start == b.span.model_start && same_bits(a.span.start, b.span.start) &&
                      same_bits(a.span.end, b.span.end) && a.span.save == b.span.save &&
                      (a.span.save != SpanRequest::Save::count || a.span.count == b.span.count) && same_bits(a.span.every, b.span.every) &&
                      same_bits(a.span.times, b.span.times);
    const bool solver = a.solver.method == b.solver.method && same_bits(a.solver.rtol, b.solver.rtol) &&
                        same_bits(a.solver.atol, b.solver.atol) && a.solver.max_steps == b.solver.max_steps &&
                        same_bits(a.solver.max_step, b.solver.max_step) && same_bits(a.solver.first_step, b.solver.first_step) &&
                        a.solver.threads == b.solver.threads && a.solver.device == b.solver.device;
    const bool output = a.output.file == b.output.file && a.output.states == b.output.states &&
                        a.output.observables == b.output.observables && a.output.statistics == b.output.statistics &&
                        a.output.every == b.output.every && a.output.precision == b.output.precision &&
                        a.output.compression == b.output.compression;
    return a.model == b.model && same_bits(a.parameters, b.parameters) && same_bits(a.initial_state, b.initial_state) &&
           a.draws.size() == b.draws.size() && same_bits(a.draws, b.draws) && span && a.size == b.size &&
           a.groups.count == b.groups.count && a.groups.members_each == b.groups.members_each && a.sampling == b.sampling &&
           a.seed == b.seed && a.scramble == b.scramble && a.table_file == b.table_file &&
           solver && a.accuracy_subsample == b.accuracy_subsample && output && a.window == b.window;
}

/// Random valid requests, with numbers of every size.
class RandomRequests {
public:
    EnsembleRequest next() {
        EnsembleRequest request = described_request();
        for (std::size_t i : {0u, 3u}) request.parameters[i] = draw(i == 3);
        request.parameters[2] = {.kind = Kind::cosine, .min = 0.1 * unit(), .max = 0.1 + unit()};
        if (coin())
            request.initial_state[0] = {.kind = Kind::normal,
                                        .min = coin() ? -infinity : -3 * unit(),
                                        .max = coin() ? infinity : 3 * unit(),
                                        .mean = unit(),
                                        .sd = unit() + 0.5};
        if (coin()) request.initial_state[1] = {.value = number()};
        request.span.start = 10 * unit();
        request.span.end = coin() ? request.span.start : -10 * unit();
        request.span.save = static_cast<SpanRequest::Save>(word() % 3);
        request.span.count = 1 + static_cast<std::int64_t>(word() % 1000);
        if (request.span.save == SpanRequest::Save::every) request.span.every = 0.01 + unit();
        if (request.span.save == SpanRequest::Save::list) request.span.times = {request.span.start, request.span.start, request.span.end};
        request.size = 1 + static_cast<std::int64_t>(word() % 1000000000);
        if (coin()) {
            request.groups = {1 + static_cast<std::int64_t>(word() % 1000), 1 + static_cast<std::int64_t>(word() % 1000)};
            request.size = request.groups.count * request.groups.members_each;
        }
        request.sampling = std::array{Sampling::sobol, Sampling::random, Sampling::latin_hypercube, Sampling::grid}[word() % 4];
        if (request.sampling == Sampling::grid) make_grid(request);
        request.seed = word();
        request.scramble = coin();
        request.solver.method = coin() ? "auto" : coin() ? "tsit5" : "vern7";
        request.solver.rtol = std::pow(10, -1 - 12 * unit());
        request.solver.atol = {std::abs(number()), std::abs(number())};
        request.solver.max_steps = 1 + static_cast<std::int64_t>(word() % 0x7fffffff);
        if (coin())
            request.solver.max_step =
                std::max(std::abs(number()), 20.0 / static_cast<double>(request.solver.max_steps));  // the span is below 20
        if (coin()) request.solver.first_step = std::abs(number());
        request.solver.threads = static_cast<int>(word() % 100);
        request.solver.device = coin() ? "cpu" : "auto";
        request.accuracy_subsample = static_cast<int>(word() % 1000);
        request.output = {coin() ? "" : "out \"ü\\.h5", coin(), coin(), coin(), 1 + static_cast<std::int64_t>(word() % 10),
                          static_cast<OutputRequest::Precision>(word() % 2), static_cast<OutputRequest::Compression>(word() % 3)};
        request.window = coin() ? "{}" : R"({"axes":[0.1,1e-320,-0.0,12345678901234567890,null],"title":"θ"})";
        return request;
    }

private:
    std::uint64_t word() { return random_(); }
    bool coin() { return random_() % 2 == 0; }
    double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    double number() {
        static constexpr double special[] = {0.1,   1e-320, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308,
                                             -1e22, 1e23,   9007199254740993.0,     2};
        if (random_() % 4 == 0) return std::min(std::abs(special[random_() % std::size(special)]), 50.0);
        for (;;)
            if (const double x = std::bit_cast<double>(random_()); std::abs(x) <= 50 && x != 0) return x;
    }
    Draw draw(bool positive) {
        const double a = positive ? std::max(1e-300, std::abs(number())) : number(),
                     b = positive ? std::max(1e-300, std::abs(number())) : number();
        const double min = std::min(a, b), max = std::max(a, b);
        if (!positive || coin()) return coin() ? Draw{.kind = Kind::uniform, .min = min, .max = max} : Draw{.value = a};
        return coin() ? Draw{.kind = Kind::log_uniform, .min = min, .max = max}
                      : Draw{.kind = Kind::power_law, .min = min, .max = max, .exponent = -2.35};
    }

    /// Ranges with points or a step in place of all distributions.
    void make_grid(EnsembleRequest& request) {
        request.parameters[0] = coin() ? axis({.kind = Kind::uniform, .min = 0.1 * unit(), .max = 1 + unit()}) : Draw{.value = number()};
        request.parameters[2] = axis({.kind = Kind::uniform, .min = -unit(), .max = unit()});
        request.parameters[3] = axis({.kind = Kind::log_uniform, .min = 1e-300 + unit(), .max = 1 + 1e200 * unit()});
        if (request.initial_state[0].varied()) request.initial_state[0] = axis({.kind = Kind::uniform, .min = 0.5, .max = 0.5});
        request.size = grid_size(request);
        if (request.groups.count > 0) {
            request.groups.count = request.size;
            request.size *= request.groups.members_each;
        }
    }
    Draw axis(Draw range) {
        const double length = range.max - range.min;
        if (range.kind == Kind::uniform && coin())
            range.step = length > 0 ? length * (0.05 + 0.95 * unit()) : 0.1 + unit();
        else
            range.points = length > 0 ? 2 + static_cast<std::int64_t>(word() % 20) : 1;
        return range;
    }

    std::mt19937_64 random_{5489};
};

/// A numeric punctuation with decimal commas.
class Commas : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

class ScenarioTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path written(const std::string& name, const std::string& content) {
        const std::filesystem::path file = std::filesystem::path(folder_.path().toStdString()) / name;
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }
    EnsembleRequest with_table(const std::string& csv, const std::string& sections = "", const std::string& ensemble = "") {
        written("points.csv", csv);
        return parse_scenario(
            scenario(R"("ensemble": {"table": "points.csv")" + ensemble + "}" + (sections.empty() ? "" : ", " + sections)), names,
            folder_.path().toStdString());
    }

private slots:
    void everything_but_the_model_has_a_default() {
        const EnsembleRequest request = parse(R"({"model": "toy"})");
        QVERIFY(same(request, default_request(model)));
        QCOMPARE(request.parameters[0].value, 28.0);
        QVERIFY(request.initial_state[0].kind == Kind::fixed && request.initial_state[0].value == 1);
        QVERIFY(request.initial_state[1].kind == Kind::from_model);
        QCOMPARE(request.solver.atol, (std::vector<double>{1e-11, 1e-12}));
        QCOMPARE(request.solver.rtol, 1e-9);
        QCOMPARE(request.span.end, 2.0);
        QCOMPARE(request.span.count, std::int64_t{51});
        QVERIFY(!request.seed_given);
    }

    void every_key_is_read() {
        const EnsembleRequest r = parse(scenario(R"(
            "parameters": {"rho": {"min": 0, "max": 21, "scale": "linear"}, "sigma": 10,
                           "tilt": {"distribution": "normal", "mean": 2.6667, "sd": 0.01, "min": 2, "max": 3},
                           "mass": {"min": 1, "max": 2, "scale": "log"}},
            "initial_state": {"x": 1, "y": {"min": -1, "max": 1}},
            "span": {"start": 0, "end": 1, "save": 101},
            "ensemble": {"size": 20000, "sampling": "sobol", "seed": 18446744073709551615, "scramble": false},
            "solver": {"method": "vern7", "rtol": 1e-8, "atol": {"x": 1e-10}, "max_steps": 1000, "max_step": 0.5,
                       "first_step": 1e-3, "threads": 2, "device": "cpu"},
            "accuracy": {"subsample": 100},
            "output": {"file": "out.h5", "states": false, "observables": false, "statistics": false, "every": 2,
                       "precision": "float32", "compression": "gzip"},
            "window": {"open": true})"));
        QVERIFY((r.parameters[0] == Draw{.kind = Kind::uniform, .min = 0, .max = 21}));
        QVERIFY(r.parameters[1] == Draw{.value = 10});
        QVERIFY((r.parameters[2] == Draw{.kind = Kind::normal, .min = 2, .max = 3, .mean = 2.6667, .sd = 0.01}));
        QVERIFY((r.parameters[3] == Draw{.kind = Kind::log_uniform, .min = 1, .max = 2}));
        QVERIFY((r.initial_state[1] == Draw{.kind = Kind::uniform, .min = -1, .max = 1}));
        QVERIFY(r.span.end == 1 && r.span.count == 101);
        QVERIFY(r.size == 20000 && r.sampling == Sampling::sobol && r.seed == ~std::uint64_t{0} && r.seed_given && !r.scramble);
        QVERIFY(r.solver.method == "vern7" && r.solver.rtol == 1e-8 && (r.solver.atol == std::vector<double>{1e-10, 1e-12}) &&
                r.solver.max_steps == 1000);
        QVERIFY(r.solver.max_step == 0.5 && r.solver.first_step == 1e-3 && r.solver.threads == 2 && r.solver.device == "cpu");
        QVERIFY(r.accuracy_subsample == 100 && r.output.file == "out.h5" && !r.output.states && !r.output.observables &&
                !r.output.statistics);
        QVERIFY(r.output.every == 2 && r.output.precision == OutputRequest::Precision::float32 &&
                r.output.compression == OutputRequest::Compression::gzip);
        QCOMPARE(r.window, std::string(R"({"open":true})"));
    }

    void each_way_to_draw_is_read_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<Draw>("draw");
        QTest::newRow("number") << "3" << Draw{.value = 3};
        QTest::newRow("value") << R"({"value": 3})" << Draw{.value = 3};
        QTest::newRow("fixed") << R"({"distribution": "fixed", "value": 3})" << Draw{.value = 3};
        QTest::newRow("range") << R"({"min": 1, "max": 2})" << Draw{.kind = Kind::uniform, .min = 1, .max = 2};
        QTest::newRow("range of one value") << R"({"min": 1, "max": 1})" << Draw{.kind = Kind::uniform, .min = 1, .max = 1};
        QTest::newRow("uniform") << R"({"distribution": "uniform", "min": 1, "max": 2})" << Draw{.kind = Kind::uniform, .min = 1, .max = 2};
        QTest::newRow("log_uniform") << R"({"distribution": "log_uniform", "min": 1, "max": 2})"
                                     << Draw{.kind = Kind::log_uniform, .min = 1, .max = 2};
        QTest::newRow("normal") << R"({"distribution": "normal", "mean": 1, "sd": 2})" << Draw{.kind = Kind::normal, .mean = 1, .sd = 2};
        QTest::newRow("normal above") << R"({"distribution": "normal", "mean": 1, "sd": 2, "min": 0, "max": null})"
                                      << Draw{.kind = Kind::normal, .min = 0, .mean = 1, .sd = 2};
        QTest::newRow("cosine") << R"({"distribution": "cosine"})" << Draw{.kind = Kind::cosine, .min = 0, .max = 3.141592653589793};
        QTest::newRow("cosine, cut") << R"({"distribution": "cosine", "max": 1})" << Draw{.kind = Kind::cosine, .min = 0, .max = 1};
        QTest::newRow("power law") << R"({"distribution": "power_law", "exponent": -2.35, "min": 1, "max": 2})"
                                   << Draw{.kind = Kind::power_law, .min = 1, .max = 2, .exponent = -2.35};
    }
    void each_way_to_draw_is_read() {
        QFETCH(QString, json);
        QFETCH(Draw, draw);
        QVERIFY(parse(scenario(R"("parameters": {"tilt": )" + json.toStdString() + "}")).parameters[2] == draw);
    }

    void wrong_input_is_refused_in_one_line_that_names_place_value_and_what_is_allowed_data() {
        QTest::addColumn<QString>("sections");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* sections, const char* message) { QTest::newRow(message) << sections << message; };
        // Keys and names.
        row(R"("enseble": {})", "enseble: there is no such key; the nearest is `ensemble`");
        row(R"("ensemble": {"Size": 5})", "ensemble.Size: there is no such key; the nearest is `size`");
        row(R"("parameters": {"rhoo": 1})",
            "parameters.rhoo: there is no such parameter of the model `toy`; the nearest is `rho`, all are rho, sigma, tilt, mass");
        row(R"("parameters": {"a\nb": 1})", "parameters.`a?b`: there is no such parameter");
        row(R"("initial_state": {"z": 1})", "initial_state.z: there is no such state of the model `toy`; the nearest is `x`");
        row(R"("solver": {"atol": {"q": 1}})", "solver.atol.q: there is no such state");
        row(R"("parameters": {"rho": {"distribution": "normal", "mean": 1, "sigma": 2}})",
            "parameters.rho.sigma: there is no such key of the distribution `normal`; the nearest is");
        row(R"("parameters": {"rho": {"distribution": "uniform", "min": 1, "max": 2, "scale": "log"}})",
            "parameters.rho.scale: there is no such key of the distribution `uniform`");
        row(R"("parameters": {"rho": {"min": 1, "mox": 2}})", "parameters.rho.mox: there is no such key; the nearest is `max`");
        row(R"("parameters": {"rho": 1, "rho": 2})", "parameters.rho: is given twice");
        row(R"("parameters": {}, "parameters": {})", "parameters: is given twice");
        // Types.
        row(R"("parameters": [])", "parameters: a list is not an object");
        row(R"("parameters": {"rho": "28"})", "parameters.rho: \"28\" is not a number, a range");
        row(R"("parameters": {"rho": null})", "parameters.rho: null is not a number");
        row(R"("parameters": {"rho": {"min": true, "max": 2}})", "parameters.rho.min: true is not a number");
        row(R"("parameters": {"rho": {"min": 1, "max": null}})", "parameters.rho.max: null is not a number");
        row(R"("parameters": {"rho": {"min": 1}})", "parameters.rho.max: is missing");
        row(R"("parameters": {"rho": {}})", "parameters.rho.min: is missing");
        row(R"("parameters": {"rho": {"distribution": "gauss"}})",
            "parameters.rho.distribution: \"gauss\" is not one of uniform, log_uniform, normal");
        row(R"("parameters": {"rho": {"min": 1, "max": 2, "scale": "lin"}})", "parameters.rho.scale: \"lin\" is not one of linear, log");
        row(R"("span": {"save": "101"})", "span.save: \"101\" is not a count");
        row(R"("span": {"save": [0, "1"]})", "span.save[1]: \"1\" is not a number");
        row(R"("span": {"save": 2.5})", "span.save: 2.5 is not a whole number from 1 to");
        row(R"("ensemble": {"scramble": 1})", "ensemble.scramble: 1 is not true or false");
        row(R"("output": {"file": 5})", "output.file: 5 is not a text");
        row(R"("window": 5)", "window: 5 is not an object");
        row(R"("ensemble": 5)", "ensemble: 5 is not an object");
        // Ranges.
        row(R"("parameters": {"rho": {"min": 5, "max": 2}})", "parameters.rho.min: 5 is above max, which is 2");
        row(R"("parameters": {"sigma": {"min": 5, "max": 120}})",
            "parameters.sigma.max: 120 is above 100, the most that the model accepts");
        row(R"("parameters": {"sigma": -0.5})", "parameters.sigma: -0.5 is below 0, the least that the model accepts");
        row(R"("initial_state": {"x": 51})", "initial_state.x: 51 is above 50");
        row(R"("parameters": {"rho": {"min": 0, "max": 2, "scale": "log"}})", "parameters.rho.min: 0 is not above zero");
        row(R"("parameters": {"rho": {"distribution": "power_law", "exponent": 1, "min": -1, "max": 2}})",
            "parameters.rho.min: -1 is not above zero");
        row(R"("parameters": {"rho": {"distribution": "normal", "mean": 1, "sd": 0}})", "parameters.rho.sd: 0 is not above zero");
        row(R"("parameters": {"rho": {"distribution": "normal", "mean": 0, "sd": 1, "min": 3, "max": 2}})",
            "parameters.rho.min: 3 is above max");
        row(R"("parameters": {"rho": {"distribution": "normal", "mean": 0, "sd": 1, "min": 50, "max": 51}})",
            "parameters.rho: the bounds 50 to 51 leave nothing");
        row(R"("parameters": {"sigma": {"distribution": "cosine"}})",
            "parameters.sigma: the distribution `cosine` is for angles in rad, the unit here is km/s");
        row(R"("parameters": {"tilt": {"distribution": "cosine", "max": 4}})", "parameters.tilt.max: 4 is above 3.14159");
        row(R"("parameters": {"rho": {"min": -1.7e308, "max": 1.7e308}})", "parameters.rho: the range -1.7e+308 to 1.7e+308 is too wide");
        row(R"("parameters": {"rho": {"distribution": "from_model"}})", "parameters.rho: only initial states can come from the model");
        row(R"("parameters": {"rho": {"distribution": "table"}})", "parameters.rho: no table has a column `rho`");
        row(R"("span": {"end": {"distribution": "table"}})", "span.end: no table has a column `end`");
        // Numbers.
        row(R"("parameters": {"rho": {"min": 0, "max": 1e400}})", "parameters.rho.max: 1e400 is not a finite number");
        row(R"("span": {"save": [0, 1, -1e999]})", "span.save[2]: -1e999 is not a finite number");
        row(R"("window": {"a": [[1, 2], [3, {"b": 1e999}]]})", "window.a[1][1].b: 1e999 is not a finite number");
        row(R"("ensemble": {"size": 0})", "ensemble.size: 0 is not a whole number from 1 to 1000000000");
        row(R"("ensemble": {"size": -5})", "ensemble.size: -5 is not a whole number");
        row(R"("ensemble": {"size": 1e10})", "ensemble.size: 10000000000.0 is not a whole number");
        row(R"("ensemble": {"size": 18446744073709551615})", "ensemble.size: 18446744073709551615 is not a whole number");
        row(R"("ensemble": {"size": 99999999999999999999999})", "ensemble.size: 9.999999999999999e+22 is not a whole number");
        row(R"("ensemble": {"seed": -1})", "ensemble.seed: -1 is not a whole number from 0 to 2^64 - 1");
        row(R"("ensemble": {"seed": 18446744073709551616})",
            "ensemble.seed: 1.8446744073709552e+19 is not a whole number from 0 to 2^64 - 1");
        // Span and save times.
        row(R"("span": {"end": 2000})", "span.end: 2000 is above 1000");
        row(R"("span": {"save": 0})", "span.save: 0 is not a whole number from 1");
        row(R"("span": {"save": 100000001})", "span.save: 100000001 is not a whole number from 1 to 100000000");
        row(R"("span": {"save": {"every": 0}})", "span.save.every: 0 is not above zero");
        row(R"("span": {"save": {"every": -0.1}})", "span.save.every: -0.1 is not above zero");
        row(R"("span": {"save": {"every": 1e-9}})", "span.save.every: 1e-09 gives more than 100000000 rows");
        row(R"("span": {"start": 1, "end": 1.0000001, "save": {"every": 1e-16}})", "span.save.every: 1e-16 is too short to tell times");
        row(R"("span": {"save": {}})", "span.save.every: is missing");
        row(R"("span": {"save": []})", "span.save: the list is empty");
        row(R"("span": {"save": [0, 0.5, 0.25]})", "span.save[2]: 0.25 comes after 0.5; list the times in the order of the run, 0 to 2");
        row(R"("span": {"end": -2, "save": [-1, 0]})", "span.save[1]: 0 comes after -1; list the times in the order of the run, 0 to -2");
        row(R"("span": {"save": [0, 2.1]})", "span.save[1]: 2.1 lies outside the span 0 to 2");
        row(R"("span": {"start": 2.5, "end": 2.5, "save": [2.4]})", "span.save[0]: 2.4 lies outside the span 2.5 to 2.5");
        // Solver, device, output.
        row(R"("solver": {"method": "rk4"})", "solver.method: \"rk4\" is not one of auto, tsit5, vern7");
        row(R"("solver": {"rtol": 1e-15})",
            "solver.rtol: 1e-15 is not between 1e-14, the floor of double precision, and 0.1");  // field case B25
        row(R"("solver": {"rtol": 0})", "solver.rtol: 0 is not between");
        row(R"("solver": {"rtol": 0.5})", "solver.rtol: 0.5 is not between");
        row(R"("solver": {"atol": -1})", "solver.atol.x: -1 is below zero");
        row(R"("solver": {"atol": 0})", "solver.atol: 0 for every state");
        row(R"("solver": {"atol": "small"})", "solver.atol: \"small\" is not a number, or an object");
        row(R"("solver": {"max_steps": 0})", "solver.max_steps: 0 is not a whole number from 1 to 2147483647");
        row(R"("solver": {"max_steps": 2147483648})", "solver.max_steps: 2147483648 is not");
        row(R"("solver": {"max_step": 0})", "solver.max_step: 0 is not above zero");
        row(R"("solver": {"first_step": -1})", "solver.first_step: -1 is not above zero");
        row(R"("solver": {"threads": -1})", "solver.threads: -1 is not a whole number from 0");
        row(R"("solver": {"device": "cuda:0"})",
            "solver.device: \"cuda:0\" can't be used: this build has no GPU engine; use \"auto\" or \"cpu\"");
        row(R"("solver": {"device": "gpu"})", "solver.device: \"gpu\" is not one of auto, cpu");
        row(R"("span": {"end": 3}, "solver": {"max_step": 0.01, "max_steps": 100})",
            "solver.max_step: 0.01 asks for more steps over the span of 3 than solver.max_steps allows, which is 100; it must be at least 0.03");
        row(R"("accuracy": {"subsample": -1})", "accuracy.subsample: -1 is not a whole number from 0");
        row(R"("output": {"every": 0})", "output.every: 0 is not a whole number from 1");
        row(R"("output": {"precision": "float16"})", "output.precision: \"float16\" is not one of float64, float32");
        row(R"("output": {"compression": "zstd"})", "output.compression: \"zstd\" is not one of auto, none, gzip");
        row(R"("output": {"file": "a\u0000b"})", "output.file: `a?b` is no name of a file");
        // Ensemble and table.
        row(R"("ensemble": {"sampling": "halton"})",
            "ensemble.sampling: \"halton\" is not one of random, sobol, table, grid, latin_hypercube");
        row(R"("ensemble": {"sampling": "table"})", "ensemble.table: is missing");
        row(R"("ensemble": {"table": "nowhere.csv"})", "ensemble.table: nowhere.csv: can't be read: No such file");
        row(R"("ensemble": {"size": 1000000000}, "span": {"save": 100000000}, "output": {"states": false})",
            "");  // big, but it can be addressed
    }
    void wrong_input_is_refused_in_one_line_that_names_place_value_and_what_is_allowed() {
        QFETCH(QString, sections);
        QFETCH(QString, message);
        const std::string refused = refusal(scenario(sections.toStdString()));
        QVERIFY2(message.isEmpty() ? refused.empty() : refused.find(message.toStdString()) == 0, refused.c_str());
        QVERIFY2(refused.find('\n') == std::string::npos, refused.c_str());
    }

    void what_is_no_scenario_is_refused_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QByteArray& json, const char* message) {
            QTest::newRow(name) << json << QByteArray(message);
        };
        row("empty", "", "no valid JSON: parse error at line 1, column 1");
        row("blank", " \n ", "no valid JSON: parse error at line 2");
        row("a list", "[]", "the scenario: a list is not an object");
        row("a number", "5", "the scenario: 5 is not an object");
        row("too large a number", "1e999", "the scenario: 1e999 is not a finite number");
        row("no model", R"({"gradscape": 1})", "model: is missing; name one of kepler, toy, lorenz");
        row("other model", R"({"model": "tyo"})", "model: there is no model `tyo`; the nearest is `toy`, all are kepler, toy, lorenz");
        row("model of another type", R"({"model": 3})", "model: 3 is not a text in quotes");
        row("newer version", R"({"gradscape": 2, "model": "toy", "new": 1})",
            "gradscape: 2 is a newer version of the scenario format than this program reads, which is 1");
        row("version 0", R"({"gradscape": 0, "model": "toy"})", "gradscape: 0 is not a whole number from 1 to 1");
        row("version as text", R"({"gradscape": "1", "model": "toy"})", "gradscape: \"1\" is not");
        row("truncated", R"({"model": "toy")",
            "no valid JSON: parse error at line 1, column 16: syntax error while parsing object - unexpected end of input");
        row("trailing", R"({"model": "toy"} x)", "no valid JSON: parse error at line 1, column 18");
        row("two values", R"({"model": "toy"}{})", "no valid JSON: parse error at line 1, column 17");
        row("trailing comma", R"({"model": "toy",})", "no valid JSON: parse error at line 1, column 17");
        row("NaN", R"({"model": "toy", "parameters": {"rho": NaN}})", "no valid JSON: parse error at line 1, column 40");
        row("Infinity", R"({"model": "toy", "parameters": {"rho": -Infinity}})", "no valid JSON: parse error at line 1, column 41");
        row("decimal comma", R"({"model": "toy", "parameters": {"rho": 0,087}})", "no valid JSON: parse error at line 1");
        row("comment", "{\"model\": \"toy\" // it\n}", "no valid JSON: parse error at line 1");
        row("no UTF-8", "{\"model\": \"t\xff\"}",
            "no valid JSON: parse error at line 1, column 13: syntax error while parsing value - invalid string: ill-formed UTF-8 byte");
        row("UTF-16", QByteArray("{\0\"\0m\0", 6), "no valid JSON: parse error at line 1, column 2");
        row("binary", QByteArray("\x89HDF\r\n\x1a\n\0\0\0", 11), "no valid JSON: parse error at line 1, column 1");
        row("deep list", QByteArray(1000000, '['), "[0][0][0]");
        row("deep object", "{\"model\": \"toy\", \"window\": " + QByteArray(R"({"a":)").repeated(100000), "window.a.a.a.a");
        row("endless text", "{\"model\": \"" + QByteArray(1000000, 'x'), "no valid JSON: parse error");
        row("long name", "{\"" + QByteArray(1000000, 'x') + "\": 1}", "`xxxxx");
    }
    void what_is_no_scenario_is_refused() {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, message);
        const std::string refused = refusal(json.toStdString());
        QVERIFY2(refused.starts_with(message.toStdString()), refused.c_str());
        QVERIFY2(refused.size() < 600 && std::none_of(refused.begin(), refused.end(), [](unsigned char c) { return c < 0x20; }),
                 refused.c_str());
    }

    void a_byte_order_mark_is_skipped() { QVERIFY(same(parse("\xEF\xBB\xBF" + scenario("")), parse(scenario("")))); }

    void spellings_of_a_number_give_the_same_bits() {  // field case B29
        for (const char* spelling : {"2", "2.0", "2e0", "20e-1", "0.2E+1"}) {
            const EnsembleRequest r = parse(scenario(
                std::string(R"("parameters": {"rho": )") + spelling + R"(}, "span": {"start": )" + spelling + R"(, "end": 4},
                "ensemble": {"size": )" +
                spelling + R"(, "seed": )" + spelling + R"(}, "solver": {"threads": )" + spelling + R"(, "max_step": )" + spelling + "}"));
            QVERIFY(same_bits(r.parameters[0].value, 2) && same_bits(r.span.start, 2) && same_bits(*r.solver.max_step, 2));
            QVERIFY(r.size == 2 && r.seed == 2 && r.solver.threads == 2);
        }
        QCOMPARE(parse(scenario(R"("span": {"save": 1.01e2})")).span.count, std::int64_t{101});
        QCOMPARE(parse(scenario(R"("ensemble": {"size": 2e4})")).size, std::int64_t{20000});
    }

    void numbers_mean_the_same_in_every_locale() {  // field case B30
        const std::string json = scenario(
            R"("parameters": {"rho": 8.7e-2, "mass": {"min": 0.25, "max": 1234.5}}, "ensemble": {"size": 20000, "seed": 1234567})");
        const EnsembleRequest plain = parse(json);
        const std::string plain_text = to_json(plain, model), plain_refusal = refusal(scenario(R"("parameters": {"sigma": 1234.5})"));
        QCOMPARE(plain.parameters[0].value, 0.087);
        const auto check = [&] {
            QVERIFY(same(parse(json), plain));
            QCOMPARE(to_json(plain, model), plain_text);
            QCOMPARE(refusal(scenario(R"("parameters": {"sigma": 1234.5})")), plain_refusal);
            QVERIFY(refusal(scenario(R"("parameters": {"sigma": 0,087})")).starts_with("no valid JSON"));
            QCOMPARE(with_table("rho\n8.7e-2\n").table.columns[0][0], 0.087);
            QVERIFY_THROWS_EXCEPTION(InputError, with_table("rho\n0,087\n"));
        };
        const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
        check();
        std::locale::global(before);

        // The C library's locale: the system's German one, or one made here.
        const QString locales = folder_.path();
        const bool built = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr ||
                           (QProcess::execute("localedef", {"-i", "de_DE", "-f", "UTF-8", locales + "/de_DE.UTF-8"}) == 0 &&
                            qputenv("LOCPATH", locales.toUtf8()) && std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
        if (!built) QSKIP("no German locale here, and none can be made");
        QCOMPARE(std::string(std::localeconv()->decimal_point), std::string(","));
        check();
        std::setlocale(LC_ALL, "C");
        qunsetenv("LOCPATH");
    }

    void a_written_scenario_reads_back_bit_for_bit() {  // field case B49
        RandomRequests requests;
        for (int i = 0; i < 2000; ++i) {
            const EnsembleRequest request = requests.next();
            const std::string text = to_json(request, model);
            const EnsembleRequest again = parse(text);
            QVERIFY2(same(again, request), text.c_str());
            QCOMPARE(to_json(again, model), text);
        }
    }

    void extreme_numbers_read_back_bit_for_bit() {
        EnsembleRequest request = default_request(model);
        for (const double value :
             {0.1, 1e-320, 5e-324, 1.7976931348623157e308, -0.0, 9007199254740993.0, 1e22, 1e23, 0.30000000000000004}) {
            request.parameters[0].value = value;
            QVERIFY(same_bits(parse(to_json(request, model)).parameters[0].value, value));
        }
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 53, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
            request.seed = seed;
            QCOMPARE(parse(to_json(request, model)).seed, seed);
        }
    }

    void every_default_is_spelled_out_with_sorted_keys() {
        const std::string text = to_json(parse(scenario("")), model);
        QCOMPARE(text, std::string(R"({
  "accuracy": {
    "subsample": 256
  },
  "ensemble": {
    "groups": null,
    "sampling": "random",
    "scramble": true,
    "seed": 1,
    "size": 1000,
    "table": null
  },
  "gradscape": 1,
  "initial_state": {
    "x": 1.0,
    "y": {
      "distribution": "from_model"
    }
  },
  "model": "toy",
  "output": {
    "compression": "auto",
    "every": 1,
    "file": "",
    "observables": true,
    "precision": "float64",
    "states": true,
    "statistics": true
  },
  "parameters": {
    "mass": 1.0,
    "rho": 28.0,
    "sigma": 10.0,
    "tilt": 0.5
  },
  "solver": {
    "atol": {
      "x": 1e-11,
      "y": 1e-12
    },
    "device": "auto",
    "first_step": null,
    "max_step": null,
    "max_steps": 100000,
    "method": "auto",
    "rtol": 1e-09,
    "threads": 0
  },
  "span": {
    "end": 2.0,
    "save": 51,
    "start": 0.0
  },
  "window": {}
}
)"));
    }

    void the_window_section_is_passed_through() {
        const EnsembleRequest request = parse(scenario(
            R"("window": {"unknown": {"z": 1, "a": [0.1, 1e-320, 1.7976931348623157e308, -0.0, 18446744073709551615,
                                                null, true, "\u03b8\n"]}})"));
        QCOMPARE(request.window,
                 std::string(R"({"unknown":{"a":[0.1,1e-320,1.7976931348623157e+308,-0.0,18446744073709551615,null,true,"θ\n"],"z":1}})"));
        QCOMPARE(parse(to_json(request, model)).window, request.window);
    }

    void no_truncation_and_no_flipped_byte_does_anything_but_parse_or_refuse() {
        const std::string valid = to_json(RandomRequests().next(), model);
        QVERIFY(refusal(valid).empty());
        int refused = 0;
        const auto survive = [&](const std::string& json) {
            const std::string message = refusal(json);
            refused += !message.empty();
            QVERIFY2(message.find('\n') == std::string::npos && message.size() < 700, message.c_str());
        };
        const std::size_t end = valid.find_last_of('}');
        for (std::size_t length = 0; length <= end; ++length) survive(valid.substr(0, length));
        QCOMPARE(refused, static_cast<int>(end) + 1);
        std::mt19937_64 random(1);
        for (int i = 0; i < 20000; ++i) {
            std::string json = valid;
            for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) json[random() % json.size()] = static_cast<char>(random());
            survive(json);
        }
        static const std::string tokens[] = {
            "{", "}", "[", "]", ",", ":", "\"", "-", "1e999", "null", "true", "\"min\"", "\"distribution\"", "0", "1e308", "\\u0000"};
        for (int i = 0; i < 20000; ++i) {
            std::string json = valid;
            json.replace(random() % json.size(), random() % 12, tokens[random() % std::size(tokens)]);
            survive(json);
        }
    }

    void a_scenario_file_is_named_in_the_message() {
        const std::filesystem::path file = written("wrong.json", scenario(R"("size": 5)"));
        QVERIFY(refusal([&] { read_scenario(file, names); }).starts_with(file.string() + ": size: there is no such key"));
        QVERIFY(refusal([&] { read_scenario("nowhere.json", names); }).starts_with("nowhere.json: can't be read: No such file"));
        QVERIFY(refusal([&] { read_scenario(folder_.path().toStdString(), names); }).find("can't be read: it is a folder") !=
                std::string::npos);
        written("points.csv", "rho\n1\n2\n");
        const EnsembleRequest request = read_scenario(written("right.json", scenario(R"("ensemble": {"table": "points.csv"})")), names);
        QCOMPARE(request.table_file, folder_.path().toStdString() + "/points.csv");
        QCOMPARE(request.size, std::int64_t{2});
    }

    void a_table_gives_the_columns_it_names() {
        const EnsembleRequest r = with_table("# made by hand\n\nrho, x0 ,\"end\" # names\r\n1,2,3 # first\r\n +4.5,\t-5e-1 , 1.75\n# more\n7,8,9",
                                             R"("parameters": {"sigma": {"min": 1, "max": 2}})");
        QCOMPARE(r.table.names, (std::vector<std::string>{"rho", "x0", "end"}));
        QCOMPARE(r.table.columns, (std::vector<std::vector<double>>{{1, 4.5, 7}, {2, -0.5, 8}, {3, 1.75, 9}}));
        QCOMPARE(r.size, std::int64_t{3});
        QVERIFY(r.sampling == Sampling::random);  // sigma is drawn
        QVERIFY(r.parameters[0].kind == Kind::table && r.initial_state[0].kind == Kind::table && r.parameters[1].kind == Kind::uniform);
        QVERIFY(has_member_spans(r));
        QVERIFY(with_table("rho\n1\n").sampling == Sampling::table);
        QCOMPARE(with_table("rho\n1\n2\n3\n", "", R"(, "size": 2)").size, std::int64_t{2});
    }

    void null_leaves_the_choice_to_the_program() {
        const EnsembleRequest r = parse(R"({"model": "toy", "ensemble": {"seed": null}, "solver": {"max_step": null}, "window": null})");
        QVERIFY(!r.seed_given && !r.solver.max_step);
        QCOMPARE(r.window, std::string("{}"));
    }

    void a_scenario_with_a_table_reads_back_bit_for_bit() {
        const EnsembleRequest r = with_table("rho,y,start\n0.1,1e-320,0.25\n1,2,3\n", R"("span": {"end": 5, "save": {"every": 0.1}})");
        const EnsembleRequest again = parse(to_json(r, model));
        QVERIFY(same(again, r));
        QCOMPARE(again.table.columns, r.table.columns);
    }

    void a_wrong_table_is_refused_with_file_line_and_column_data() {
        QTest::addColumn<QByteArray>("csv");
        QTest::addColumn<QString>("message");
        const auto row = [](const QByteArray& csv, const char* message) { QTest::newRow(message) << csv << message; };
        row("", "points.csv: has no line with the names");
        row("# nothing\n", "points.csv: has no line with the names");
        row("rho\n", "points.csv: has no rows");
        row("1,2\n3,4\n", "points.csv, line 1, column 1: `1` is a number; the first line must name the columns");
        row("rho,\n1,2\n", "points.csv, line 1, column 2: the name is empty");
        row("rho,rho\n1,2\n", "points.csv, line 1, column 2: the name `rho` is given twice");
        row("rho;sigma\n1;2\n", "points.csv, line 1, column 1: `rho;sigma` is no name; columns are separated by commas");
        row("rho,sigma\n1,2\n3\n", "points.csv, line 3: has 1 values where the first line names 2 columns");
        row("rho\n1\n\n0,087\n", "points.csv, line 4: has 2 values where the first line names 1 columns");
        row("rho,sigma\n1,2\n3,x\n", "points.csv, line 3, column 2 (sigma): `x` is not a finite number");
        row("rho,sigma\n1,\n", "points.csv, line 2, column 2 (sigma): `` is not a finite number");
        row("rho\nnan\n", "points.csv, line 2, column 1 (rho): `nan` is not a finite number");
        row("rho\n-inf\n", "points.csv, line 2, column 1 (rho): `-inf` is not");
        row("rho\n1e400\n", "points.csv, line 2, column 1 (rho): `1e400` is not");
        row("rho\n1 2\n", "points.csv, line 2, column 1 (rho): `1 2` is not");
        row(QByteArray("rho\n1\0002\n", 8), "points.csv, line 2, column 1 (rho): `1?2` is not");
        row("rho\n\xff\n", "points.csv, line 2, column 1 (rho): `?` is not");
        row("rhoo\n1\n",
            "column `rhoo` is no quantity of the model `toy`; the nearest is `rho`, all are rho, sigma, tilt, mass, x0, y0, start, end");
        row("x,x0\n1,2\n", "column `x0` gives x0 for the second time");
        row("end\n1\n5000\n", "column `end`, row 2: 5000 is above 1000");
    }
    void a_wrong_table_is_refused_with_file_line_and_column() {
        QFETCH(QByteArray, csv);
        QFETCH(QString, message);
        const std::string refused = refusal([&] { with_table(csv.toStdString()); });
        QVERIFY2(refused.starts_with("ensemble.table: ") && refused.find(message.toStdString()) != std::string::npos &&
                     refused.find('\n') == std::string::npos,
                 refused.c_str());
    }

    void a_quantity_is_given_once_by_the_scenario_or_the_table() {
        const auto refused = [&](const char* csv, const char* sections, const char* ensemble = "") {
            return refusal([&] { with_table(csv, sections, ensemble); });
        };
        QVERIFY(refused("rho\n1\n", R"("parameters": {"rho": {"min": 1, "max": 2}})")
                    .starts_with("parameters.rho: is given here and in column `rho` of the table"));
        QVERIFY(refused("x\n1\n", R"("initial_state": {"x": 2})").starts_with("initial_state.x: is given here and in column `x`"));
        QVERIFY(refused("end\n1\n", R"("span": {"end": 2})").starts_with("span.end: is given here and in the table"));
        QCOMPARE(
            refused("rho,end\n1,1\n", R"("parameters": {"rho": {"distribution": "table"}}, "span": {"end": {"distribution": "table"}})"),
            std::string());
        QVERIFY(refused("rho\n1\n", R"("parameters": {"sigma": {"min": 1, "max": 2}})", R"(, "sampling": "table")")
                    .starts_with("ensemble.sampling: with `table` every varied"));
        QVERIFY(refused("rho\n1\n", "", R"(, "size": 2)").starts_with("ensemble.size: 2 members are asked for, the table has 1 rows"));
    }

    void a_list_of_save_times_must_fit_the_members_spans() {
        QCOMPARE(with_table("start,end\n0,1\n1,3\n", R"("span": {"save": [0.5, 2]})").span.times.size(), std::size_t{2});
        QVERIFY(refusal([&] {
                    with_table("end\n1\n-1\n", R"("span": {"save": [0]})");
                }).starts_with("span.save: a list can't serve members that run forwards and backwards"));
        QVERIFY(refusal([&] {
                    with_table("end\n1\n3\n", R"("span": {"save": [0, 3.5]})");
                }).starts_with("span.save[1]: 3.5 lies outside the span 0 to 3"));
    }

    void an_hdf5_table_is_read_by_the_reader_that_is_handed_in() {
        written("points.h5", std::string("\x89HDF\r\n\x1a\n", 8) + "...");
        const std::string json = scenario(R"("ensemble": {"table": "points.h5"})");
        const std::filesystem::path folder = folder_.path().toStdString();
        const auto columns_of = [&](const SampleTable& table) {
            return parse_scenario(json, names, folder, [&](const std::filesystem::path& file) {
                if (file != folder / "points.h5") throw std::runtime_error("another file");
                return table;
            });
        };
        // As in one of our own result files: what isn't drawn is left out.
        const EnsembleRequest r =
            columns_of({{"member", "time", "rho", "status", "n_accepted"}, {{0, 1}, {0, 1, 2}, {20, 21}, {0, 0}, {9, 9}}});
        QCOMPARE(r.table.names, std::vector<std::string>{"rho"});
        QCOMPARE(r.size, std::int64_t{2});
        QVERIFY(refusal([&] {
                    columns_of({{"rho", "sigma"}, {{1, 2}, {1}}});
                }).starts_with("ensemble.table: column `sigma` has 1 rows, the first column has 2"));
        QVERIFY(refusal([&] {
                    columns_of({{"rho"}, {{1, std::nan("")}}});
                }).starts_with("ensemble.table: column `rho`, row 2: nan is not a finite number"));
        QVERIFY(refusal([&] { parse_scenario(json, names, folder); }).find("HDF5 tables can't be read here") != std::string::npos);
        QVERIFY(refusal([&] {
                    parse_scenario(json, names, folder, [](const auto&) -> SampleTable { throw std::runtime_error("broken file"); });
                }) == "ensemble.table: broken file");
    }

    void a_request_made_by_code_is_checked_as_well() {
        const auto refused = [](auto change) {
            EnsembleRequest request = described_request();
            change(request);
            return refusal([&] { validate(request, model); });
        };
        using R = EnsembleRequest;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(refused([](R&) {}), std::string());
        QVERIFY(refused([](R& r) { r.model = "other"; }).starts_with("model: `other` is not `toy`"));
        QVERIFY(refused([](R& r) { r.parameters.pop_back(); }).starts_with("parameters: 3 entries are given, the model has 4"));
        QVERIFY(refused([](R& r) { r.initial_state.emplace_back(); }).starts_with("initial_state: 3 entries are given, the model has 2"));
        QVERIFY(refused([](R& r) { r.solver.atol.clear(); }).starts_with("solver.atol: 0 entries"));
        QVERIFY(refused([](R& r) { r.parameters[0].value = nan; }).starts_with("parameters.rho: nan is not a finite number"));
        QVERIFY(refused([](R& r) {
                    r.parameters[0] = {.kind = Kind::uniform};
                }).starts_with("parameters.rho.min: -inf is not a finite number"));
        QVERIFY(
            refused([](R& r) { r.parameters[0] = {.kind = Kind::normal, .min = nan, .sd = 1}; }).starts_with("parameters.rho.min: nan"));
        QVERIFY(refused([](R& r) {
                    r.parameters[0] = {.kind = Kind::normal, .min = infinity, .sd = 1};
                }).starts_with("parameters.rho.min: inf"));
        QVERIFY(refused([](R& r) { r.solver.rtol = nan; }).starts_with("solver.rtol: nan"));
        QVERIFY(refused([](R& r) { r.solver.atol[1] = infinity; }).starts_with("solver.atol.y: inf"));
        QVERIFY(refused([](R& r) { r.solver.max_step = infinity; }).starts_with("solver.max_step: inf"));
        QVERIFY(refused([](R& r) { r.solver.method = "rk4"; }).starts_with("solver.method: `rk4` is not one of auto, tsit5, vern7"));
        QVERIFY(refused([](R& r) { r.solver.device = "cuda:0"; }).starts_with("solver.device: `cuda:0` can't be used"));
        QVERIFY(refused([](R& r) { r.span.end = nan; }).starts_with("span.end: nan"));
        QVERIFY(refused([](R& r) { r.span.save = SpanRequest::Save::list; r.span.times = {nan}; }).starts_with("span.save[0]: nan"));
        QVERIFY(refused([](R& r) { r.size = -1; }).starts_with("ensemble.size: -1"));
        QVERIFY(refused([](R& r) { r.table = {{"rho"}, {}}; }).starts_with("ensemble.table: has 1 names for 0 columns"));
        QVERIFY(refused([](R& r) {
                    r.table = {{"rho"}, {{1, 2}}};
                    r.size = 2;
                }).starts_with("parameters.rho: is given here and in column"));
        QVERIFY(refused([](R& r) { r.window = std::string("[]"); }).starts_with("window: `[]` is not a JSON object"));
        QVERIFY(refused([](R& r) { r.window = std::string("{"); }).starts_with("window: `{` is not a JSON object"));
    }

    void sizes_that_64_bits_cannot_address_are_refused() {
        static const std::vector<StateInfo> states(8, DescribedModel::states[0]);
        static const std::vector<ObservableInfo> observables(4, DescribedModel::observables[0]);
        ModelDescription large = model;
        large.states = states;
        large.observables = observables;
        EnsembleRequest request = described_request();
        request.initial_state.assign(8, {.value = 1});
        request.solver.atol.assign(8, 1e-10);
        request.size = 1000000000;
        request.span.count = 80000000;
        validate(request, large);
        request.span.count = 100000000;
        QVERIFY(refusal([&] {
                    validate(request, large);
                }).starts_with("span.save: 100000000 rows of 1000000000 members are more than a file can hold"));
    }

    void tables_may_leave_the_hard_limits_of_parameters() {  // those members get the status bad_input
        QCOMPARE(with_table("sigma\n10\n-5\n").size, std::int64_t{2});
    }

    void remarks_say_what_a_valid_request_makes_one_wonder_about() {
        const auto remark = [](auto change) {
            EnsembleRequest request = described_request();
            request.parameters[0] = {.kind = Kind::uniform, .min = 0, .max = 21};
            request.size = 1024;
            change(request);
            validate(request, model);
            const std::vector<std::string> remarks = request_remarks(model, request);
            return remarks.empty() ? std::string() : remarks.size() == 1 ? remarks[0] : "several";
        };
        using R = EnsembleRequest;
        QCOMPARE(remark([](R&) {}), std::string());
        QCOMPARE(remark([](R& r) { r.sampling = Sampling::sobol; }), std::string());
        QCOMPARE(
            remark([](R& r) {
                r.sampling = Sampling::sobol;
                r.size = 10000;
            }),
            std::string("ensemble.size: 10000 is no power of two; Sobol points are balanced at powers of two, such as 8192 and 16384."));
        QVERIFY(remark([](R& r) {
                    r.parameters[0] = {.value = 28};
                }).starts_with("ensemble.size: nothing varies, so all 1024 members are the same"));
        QCOMPARE(remark([](R& r) { r.parameters[0] = {.value = 28}; r.size = 1; }), std::string());
        QCOMPARE(remark([](R& r) { r.parameters[1] = {.kind = Kind::normal, .mean = 50, .sd = 10}; }), std::string());
        QVERIFY(remark([](R& r) {
                    r.parameters[1] = {.kind = Kind::normal, .mean = 10, .sd = 10};
                }).starts_with("parameters.sigma: about 16 % of the draws lie outside the model's limits 0 to 100"));
        QCOMPARE(remark([](R& r) { r.parameters[1] = {.kind = Kind::normal, .min = 0, .max = 100, .mean = 10, .sd = 10}; }), std::string());
        // Field cases B26 and B50.
        QVERIFY(remark([](R& r) {
                    r.initial_state[0].value = 1e-9;
                    r.solver.atol[0] = 1e-6;
                }).starts_with("solver.atol.x: 1e-06 is above the size of the state, which starts at 1e-09"));
        QCOMPARE(remark([](R& r) { r.initial_state[0].value = 0; r.solver.atol[0] = 1e-6; }), std::string());
        QVERIFY(remark([](R& r) {
                    r.parameters[0] = {.kind = Kind::table};
                    r.table = {{"rho"}, {std::vector<double>(2000, 1)}};
                }).starts_with("ensemble.size: the first 1024 of the table's 2000 rows are used"));

        const ModelDescription kepler = describe<models::Kepler>();
        EnsembleRequest orbit = default_request(kepler);
        orbit.size = 1;
        orbit.parameters[2].value = 0.5;
        QVERIFY(request_remarks(kepler, orbit).empty());
        for (std::size_t d = 0; d < 4; ++d) orbit.initial_state[d] = {.value = d == 0 || d == 3 ? 1.0 : 0.0};
        QCOMPARE(request_remarks(kepler, orbit),
                 std::vector<std::string>{"parameters.e: has no effect, because initial_state gives every initial value."});
    }

    void groups_make_the_size() {
        const EnsembleRequest r = parse(scenario(R"("ensemble": {"groups": {"count": 64, "members_each": 500}})"));
        QCOMPARE(r.size, std::int64_t{32000});
        QCOMPARE(r.groups.count, std::int64_t{64});
        QCOMPARE(r.groups.index_of(499), std::int64_t{0});
        QCOMPARE(r.groups.index_of(500), std::int64_t{1});
        QCOMPARE(parse(scenario(R"("ensemble": {"size": 6, "groups": {"count": 2, "members_each": 3}})")).size, std::int64_t{6});
        QCOMPARE(parse(scenario(R"("ensemble": {"size": 5, "groups": null})")).groups.count, std::int64_t{0});
        const EnsembleRequest again = parse(to_json(r, model));
        QVERIFY(same(again, r));
        QVERIFY(to_json(r, model).find("\"groups\": {\n      \"count\": 64,\n      \"members_each\": 500") != std::string::npos);
    }

    void the_points_of_a_grid_make_its_size() {
        const EnsembleRequest r = parse(scenario(R"("parameters": {"rho": {"min": 0, "max": 21, "points": 8},
            "mass": {"min": 0.1, "max": 10, "scale": "log", "points": 3},
            "tilt": {"distribution": "uniform", "min": 0, "max": 1, "step": 0.1}},
            "initial_state": {"x": {"distribution": "log_uniform", "min": 1, "max": 2, "points": 2}},
            "ensemble": {"sampling": "grid"})"));
        QVERIFY(r.sampling == Sampling::grid);
        QCOMPARE(r.size, std::int64_t{8 * 11 * 3 * 2});
        QVERIFY((r.parameters[0] == Draw{.kind = Kind::uniform, .min = 0, .max = 21, .points = 8}));
        QVERIFY((r.parameters[2] == Draw{.kind = Kind::uniform, .min = 0, .max = 1, .step = 0.1}));
        QVERIFY((r.parameters[3] == Draw{.kind = Kind::log_uniform, .min = 0.1, .max = 10, .points = 3}));
        QVERIFY((r.initial_state[0] == Draw{.kind = Kind::log_uniform, .min = 1, .max = 2, .points = 2}));
        QVERIFY(same(parse(to_json(r, model)), r));
        QVERIFY(to_json(r, model).find("\"max\": 21.0,\n      \"min\": 0.0,\n      \"points\": 8,") != std::string::npos);
        QVERIFY(to_json(r, model).find("\"step\": 0.1") != std::string::npos);
        QVERIFY(request_remarks(model, r).empty());
        const std::string axis = R"("parameters": {"rho": {"min": 0, "max": 21, "points": 8}}, "ensemble": {"sampling": "grid")";
        QCOMPARE(parse(scenario(axis + R"(, "size": 8})")).size, std::int64_t{8});
        for (const char* groups : {R"("groups": {"members_each": 5})", R"("groups": {"count": 8, "members_each": 5})"}) {
            const EnsembleRequest grouped = parse(scenario(axis + ", " + groups + "}"));
            QCOMPARE(grouped.size, std::int64_t{40});
            QCOMPARE(grouped.groups.count, std::int64_t{8});
        }
    }

    void a_latin_hypercube_is_read_and_written() {
        const EnsembleRequest r =
            parse(scenario(R"("parameters": {"rho": {"min": 0, "max": 21}}, "ensemble": {"sampling": "latin_hypercube", "size": 100})"));
        QVERIFY(r.sampling == Sampling::latin_hypercube);
        QCOMPARE(r.size, std::int64_t{100});
        QVERIFY(to_json(r, model).find("\"sampling\": \"latin_hypercube\"") != std::string::npos);
        QVERIFY(same(parse(to_json(r, model)), r));
        QVERIFY(request_remarks(model, r).empty());
        // What the table doesn't give is a hypercube of as many members as it has rows.
        const EnsembleRequest beside = with_table("rho\n1\n2\n3\n", R"("parameters": {"sigma": {"min": 1, "max": 2}})",
                                                  R"(, "sampling": "latin_hypercube")");
        QVERIFY(beside.sampling == Sampling::latin_hypercube && beside.size == 3);
    }

    void a_wrong_grid_is_refused_in_one_line_data() {
        QTest::addColumn<QString>("rho");
        QTest::addColumn<QString>("ensemble");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* rho, const char* ensemble, const char* message) {
            QTest::newRow(message) << rho << ensemble << message;
        };
        const char* const grid = R"("sampling": "grid")";
        const char* const eight = R"({"min": 0, "max": 21, "points": 8})";
        row(R"({"min": 0, "max": 21})", grid, "parameters.rho: has no `points` and no `step`, which every range of a grid needs");
        row(R"({"min": 0, "max": 21, "points": 8, "step": 3})", grid,
            "parameters.rho.step: is given beside `points`; leave out one of the two");
        row(R"({"distribution": "normal", "mean": 1, "sd": 2})", grid,
            "parameters.rho: has a distribution that has no place on a grid; give min, max and points or step");
        row(R"({"distribution": "normal", "mean": 1, "sd": 2, "points": 3})", grid, "parameters.rho.points: there is no such key");
        row("28", grid, "ensemble.sampling: `grid` needs a parameter or initial value that varies, with min, max and points");
        row(eight, R"("sampling": "sobol")",
            "parameters.rho.points: 8 is for the ranges of a grid; ensemble.sampling is `sobol`, not `grid`");
        row(R"({"min": 0, "max": 21, "step": 0.5})", R"("sampling": "latin_hypercube")",
            "parameters.rho.step: 0.5 is for the ranges of a grid; ensemble.sampling is `latin_hypercube`, not `grid`");
        row(eight, "", "parameters.rho.points: 8 is for the ranges of a grid; ensemble.sampling is `random`, not `grid`");
        row(R"({"min": 0, "max": 21, "points": 0})", grid, "parameters.rho.points: 0 is not a whole number from 1 to 1000000000");
        row(R"({"min": 0, "max": 21, "points": 2.5})", grid, "parameters.rho.points: 2.5 is not a whole number");
        row(R"({"min": 0, "max": 21, "points": 1})", grid,
            "parameters.rho.points: 1 point can't hold both ends of the range 0 to 21; it must be at least 2");
        row(R"({"min": 3, "max": 3, "points": 4})", grid,
            "parameters.rho.points: 4 points from 3 to 3 are the same; it must be 1, or min below max");
        row(R"({"min": 3, "max": 2, "step": 1})", grid, "parameters.rho.min: 3 is above max, which is 2");
        row(R"({"min": 0, "max": 21, "step": 0})", grid, "parameters.rho.step: 0 is not a number above zero");
        row(R"({"min": 0, "max": 21, "step": -1})", grid, "parameters.rho.step: -1 is not a number above zero");
        row(R"({"min": 0, "max": 21, "step": "1"})", grid, "parameters.rho.step: \"1\" is not a number");
        row(R"({"min": 0, "max": 21, "step": 22})", grid, "parameters.rho.step: 22 is longer than the range 0 to 21");
        row(R"({"min": 0, "max": 21, "step": 1e-9})", grid, "parameters.rho.step: 1e-09 gives more than 1000000000 points from 0 to 21");
        row(R"({"min": 1, "max": 1.00000000001, "step": 1e-16})", grid,
            "parameters.rho.step: 1e-16 leaves points from 1 to 1.00000000001 too close together to tell them apart");
        row(R"({"min": 1, "max": 1.00000000001, "points": 1000000, "scale": "log"})", grid,
            "parameters.rho.points: 1000000 leaves points from 1 to 1.00000000001 too close together to tell them apart");
        row(R"({"min": 1, "max": 100, "step": 10, "scale": "log"})", grid,
            "parameters.rho.step: 10 is a step of a linear scale; on a logarithmic one give `points`");
        row(R"({"min": 0, "max": 21, "points": 40000}, "mass": {"min": 1, "max": 2, "points": 30000})", grid,
            "ensemble.sampling: a grid of 40000 x 30000 points has more than 1000000000 members");
        row(R"({"min": 0, "max": 21, "points": 8}, "mass": {"min": 1, "max": 2, "points": 9})", R"("sampling": "grid", "size": 100)",
            "ensemble.size: a grid of 8 x 9 points has 72 members, not 100; leave it out, a grid belongs to its points and can't be "
            "extended");
        row(eight, R"("sampling": "grid", "groups": {"count": 7, "members_each": 2})",
            "ensemble.groups.count: a grid of 8 points has 8 groups, not 7; leave it out");
        row(eight, R"("sampling": "grid", "groups": {"members_each": 2}, "size": 15)",
            "ensemble.size: 15 is not the 16 members of ensemble.groups (8 groups of 2 members)");
        row(eight, R"("sampling": "grid", "groups": {"members_each": 1000000000})", "ensemble.groups: 8 groups of 1000000000 members");
        row(eight, R"("sampling": "grid", "table": "points.csv")",
            "ensemble.table: can't be used with ensemble.sampling `grid`, which combines the points of ranges; `table` takes its rows");
        row(R"({"distribution": "table"})", grid, "parameters.rho: has a distribution that has no place on a grid");
    }
    void a_wrong_grid_is_refused_in_one_line() {
        QFETCH(QString, rho);
        QFETCH(QString, ensemble);
        QFETCH(QString, message);
        written("points.csv", "sigma\n1\n2\n");
        const std::string json = scenario(QString(R"("parameters": {"rho": %1}, "ensemble": {%2})").arg(rho, ensemble).toStdString());
        const std::string refused = refusal([&] { parse_scenario(json, names, folder_.path().toStdString()); });
        QVERIFY2(refused.starts_with(message.toStdString()) && refused.find('\n') == std::string::npos, refused.c_str());
    }

    void a_grid_made_by_a_program_is_checked_like_one_that_is_read() {
        EnsembleRequest request = described_request();
        request.sampling = Sampling::grid;
        request.parameters[0] = {.kind = Kind::uniform, .min = 0, .max = 1, .points = 5};
        request.size = 5;
        validate(request, model);
        const auto refused = [&](auto change) {
            EnsembleRequest changed = request;
            change(changed);
            return refusal([&] { validate(changed, model); });
        };
        using R = EnsembleRequest;
        QVERIFY(refused([](R& r) { r.parameters[0].points = -5; }).starts_with("parameters.rho.points: -5 is not a whole number from 1"));
        QVERIFY(refused([](R& r) { r.parameters[0].step = infinity; }).starts_with("parameters.rho.step: inf is not a finite number"));
        QVERIFY(refused([](R& r) { r.parameters[0].step = -1; }).starts_with("parameters.rho.step: -1 is not above zero"));
        QVERIFY(refused([](R& r) { r.parameters[1].points = 2; }).starts_with("parameters.sigma.points: 2 is for the ranges of a grid"));
        QVERIFY(refused([](R& r) { r.size = 6; }).starts_with("ensemble.size: a grid of 5 points has 5 members, not 6"));
    }

    void wrong_groups_are_refused_data() {
        QTest::addColumn<QString>("ensemble");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* ensemble, const char* message) { QTest::newRow(message) << ensemble << message; };
        row(R"("groups": 64)", "ensemble.groups: 64 is not an object");
        row(R"("groups": {"count": 64})", "ensemble.groups.members_each: is missing");
        row(R"("groups": {"members_each": 64})", "ensemble.groups.count: is missing");
        row(R"("groups": {"count": 0, "members_each": 2})", "ensemble.groups.count: 0 is not a whole number from 1 to 1000000000");
        row(R"("groups": {"count": 2, "members_each": 1.5})",
            "ensemble.groups.members_each: 1.5 is not a whole number from 1 to 1000000000");
        row(R"("groups": {"count": 2, "members_each": 3, "each": 1})", "ensemble.groups.each: there is no such key");
        row(R"("groups": {"count": 100000, "members_each": 100000})",
            "ensemble.groups: 100000 groups of 100000 members are more than 1000000000 members in all");
        row(R"("size": 7, "groups": {"count": 2, "members_each": 3})",
            "ensemble.size: 7 is not the 6 members of ensemble.groups (2 groups of 3 members); leave one of the two out, an ensemble with "
            "groups is made larger by more groups");
    }
    void wrong_groups_are_refused() {
        QFETCH(QString, ensemble);
        QFETCH(QString, message);
        const std::string refused = refusal(scenario(QString("\"ensemble\": {%1}").arg(ensemble).toStdString()));
        QVERIFY2(refused.starts_with(message.toStdString()), refused.c_str());
    }

    void a_table_has_a_row_per_group() {
        const EnsembleRequest r = with_table("rho\n1\n2\n3\n", "", R"(, "groups": {"count": 3, "members_each": 10})");
        QCOMPARE(r.size, std::int64_t{30});
        QVERIFY(r.sampling == Sampling::table);
        const std::string few = refusal([&] { with_table("rho\n1\n2\n", "", R"(, "groups": {"count": 3, "members_each": 10})"); });
        QCOMPARE(few, std::string("ensemble.groups.count: 3 groups are asked for, the table has 2 rows"));
        const EnsembleRequest spans = with_table("end\n1\n2\n3\n", "", R"(, "groups": {"count": 3, "members_each": 10})");
        QCOMPARE(member_span(spans, 9).end, 1.0);
        QCOMPARE(member_span(spans, 10).end, 2.0);
    }

    void the_models_draws_are_its_own_unless_given() {
        const EnsembleRequest r = parse_stream("");
        QVERIFY(same(r, default_request(stream)));
        QVERIFY(r.span.model_start);
        QCOMPARE(r.draws.size(), std::size_t{6});
        for (const Draw& draw : r.draws) QVERIFY(draw.kind == Kind::from_model);
        const EnsembleRequest given = parse_stream(R"("draws": {"tail": 1, "kz": {"distribution": "from_model"}}, "span": {"save": 3})");
        QVERIFY((given.draws[1] == Draw{.value = 1}));
        QVERIFY(given.draws[4].kind == Kind::from_model);
        QVERIFY(run_save_times(given).per_member);
        QVERIFY(same(parse_scenario(to_json(given, stream), stream_names), given));
        // The end alone is everybody's.
        QVERIFY(!run_save_times(r).per_member);
        QCOMPARE(run_save_times(r).shared, std::vector<double>{0});
        written("draws.csv", "draw_t_release,v0\n-1,220\n-2,221\n");
        const EnsembleRequest table = parse_stream(R"("ensemble": {"table": "draws.csv"})", folder_.path().toStdString());
        QVERIFY(table.draws[0].kind == Kind::table && table.sampling == Sampling::table);
        QVERIFY(same(parse_scenario(to_json(table, stream), stream_names), table));
    }

    void what_a_model_with_draws_does_not_take_is_refused_data() {
        QTest::addColumn<QString>("sections");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* sections, const char* message) { QTest::newRow(message) << sections << message; };
        row(R"("span": {"start": -2})",
            "span.start: the model `stream_star` draws each member's start, `t_release`; leave it out, or give draws.t_release");
        row(R"("span": {"start": {"distribution": "table"}})", "span.start: the model `stream_star` draws each member's start");
        row(R"("span": {"end": -1})", "span.end: -1 ");
        row(R"("draws": {"tail": 5})", "draws.tail: 5 is not -1 or 1");
        row(R"("ensemble": {"table": "tails.csv"})", "ensemble.table: column `draw_tail`, row 2: 0 is not -1 or 1");
        row(R"("span": {"save": {"every": 0.1}})", "span.save.every: the members' starts are drawn");
        row(R"("span": {"save": [-1, 0, 0.5]})", "span.save[2]: 0.5 lies beyond the end, 0");
        row(R"("span": {"save": [0, -1]})", "span.save[1]: -1 comes after 0");
        row(R"("span": {"save": [1, -1]})", "span.save[0]: 1 lies beyond the end, 0");
        row(R"("span": {"save": [-1, 0]}, "parameters": {"t_strip": -2})", "span.save[0]: -1 lies beyond the end, 0");
        row(R"("span": {"save": [1, -1]}, "parameters": {"t_strip": {"min": -2, "max": 2}})", "span.save[1]: -1 lies beyond the end, 0");
        row(R"("span": {"save": [-3, 0]})", "span.save[0]: -3 lies before every member's start; the first possible one is -2");
        row(R"("draws": {"t_release": -5})", "draws.t_release: -5 ");
        row(R"("draws": {"t_release": 1})", "draws.t_release: 1 ");
        row(R"("draws": {"t_released": 1})", "draws.t_released: ");
        row(R"("draws": {"tail": {"min": 0, "max": 1}})", "draws.tail: has the model's own distribution");
        row(R"("draws": {"tail": {"distribution": "table"}})", "draws.tail: no table has a column `draw_tail`");
        row(R"("draws": {"kr": 1}, "ensemble": {"table": "draws.csv"})", "draws.kr: is given here and in column `draw_kr` of the table");
        row(R"("ensemble": {"table": "draws.csv", "groups": {"count": 1, "members_each": 1}})",
            "ensemble.table: column `draw_kr` can't be used with ensemble.groups");
        row(R"("ensemble": {"table": "start.csv"})", "ensemble.table: column `start`: the model draws each member's start");
    }
    void what_a_model_with_draws_does_not_take_is_refused() {
        QFETCH(QString, sections);
        QFETCH(QString, message);
        written("draws.csv", "draw_kr\n1\n");
        written("tails.csv", "draw_tail\n1\n0\n");
        written("start.csv", "start\n-1\n");
        const std::string refused = refusal([&] { parse_stream(sections.toStdString(), folder_.path().toStdString()); });
        QVERIFY2(refused.starts_with(message.toStdString()) && refused.find('\n') == std::string::npos, refused.c_str());
    }

    void a_computed_start_is_refused_where_it_does_not_hold() {
        const ModelDescription& polytrope = find_model("lane_emden")->description;
        EnsembleRequest request = default_request(polytrope);
        validate(request, polytrope);
        request.span.start = 1;
        const auto refused = [&] { return refusal([&] { validate(request, polytrope); }); };
        QCOMPARE(refused(), std::string("span.start: 1 can't be used: the model computes the start at 0.01 alone; give "
                                        "initial_state.theta to start elsewhere"));
        request.initial_state[0] = {.value = 0.84};
        QVERIFY(refused().ends_with("give initial_state.m to start elsewhere"));
        request.initial_state[1] = {.value = 0.3};
        QCOMPARE(refused(), std::string());
    }

    void a_model_without_draws_takes_none() {
        QVERIFY(refusal(scenario(R"("draws": {"tail": 1})")).starts_with("draws: the model `toy` draws nothing of its own"));
        QVERIFY(refusal(scenario(R"("span": {"start": {"distribution": "from_model"}})"))
                    .starts_with("span.start: the model `toy` doesn't draw it; give a number"));
        QVERIFY(refusal(scenario(R"("span": {"end": {"distribution": "from_model"}})"))
                    .starts_with("span.end: the model `toy` doesn't draw it; give a number"));
        EnsembleRequest request = described_request();
        request.groups = {2, 5};
        request.size = 10;
        const std::vector<std::string> remarks = request_remarks(model, request);
        QVERIFY(std::ranges::any_of(remarks, [](const std::string& r) {
            return r == "ensemble.groups: the model toy draws nothing for its members, so all members of a group are the same.";
        }));
        QVERIFY(request_remarks(stream, parse_stream("")).empty());  // nothing varies, and the members differ nevertheless
        const auto sobol = request_remarks(
            stream, parse_stream(R"("parameters": {"v0": {"min": 200, "max": 240}}, "ensemble": {"sampling": "sobol", "groups":
                                    {"count": 3, "members_each": 4}})"));
        QVERIFY(!sobol.empty() && sobol[0].starts_with("ensemble.groups.count: 3 is no power of two"));
    }

    void the_examples_are_valid() {
        const ModelNames built_in{[](std::string_view name) {
                                      const Model* const found = find_model(name);
                                      return found ? &found->description : nullptr;
                                  },
                                  model_names()};
        const std::filesystem::path examples = std::filesystem::path(GRADSCAPE_SOURCE_DIR) / "examples";
        const EnsembleRequest orbits = read_scenario(examples / "gd1_orbits.json", built_in);
        QCOMPARE(orbits.size, std::int64_t{10000});
        QCOMPARE(varied_quantities(find_model("log_halo")->description, orbits).size(), std::size_t{9});
        QCOMPARE(orbits.output.file, std::string("gradscape-out/gd1_orbits.h5"));
        const EnsembleRequest gd1 = read_scenario(examples / "gd1_stream.json", built_in);
        QCOMPARE(gd1.size, std::int64_t{10000});
        QVERIFY(varied_quantities(stream, gd1).empty());
        QVERIFY(request_remarks(stream, gd1).empty());
        const EnsembleRequest potential = read_scenario(examples / "gd1_potential.json", built_in);
        QCOMPARE(potential.size, std::int64_t{32000});
        QCOMPARE(varied_quantities(stream, potential).size(), std::size_t{2});
        QVERIFY(request_remarks(stream, potential).empty());
        const EnsembleRequest sweep = read_scenario(examples / "lorenz_sweep.json", built_in);
        QCOMPARE(sweep.size, std::int64_t{20000});
        QVERIFY((sweep.parameters[1] == Draw{.kind = Kind::uniform, .min = 0, .max = 21}));
        QCOMPARE(read_scenario(examples / "lorenz_grid.json", built_in).size, std::int64_t{64 * 16});
        const EnsembleRequest spins = read_scenario(examples / "binary_spins.json", built_in);
        QCOMPARE(spins.size, std::int64_t{100000});
        QVERIFY(spins.parameters[3].kind == Kind::cosine && spins.parameters[4].kind == Kind::cosine);
        QVERIFY((spins.parameters[5] == Draw{.kind = Kind::uniform, .min = -std::numbers::pi, .max = std::numbers::pi}));

        std::set<std::string> shown;
        for (const auto& entry : std::filesystem::directory_iterator(examples)) {
            if (entry.path().extension() != ".json") continue;  // observations
            const EnsembleRequest request = read_scenario(entry.path(), built_in);
            const ModelDescription& described = find_model(request.model)->description;
            validate(request, described);
            const std::vector<std::string> remarks = request_remarks(described, request);
            if (entry.path().stem() != "lorenz_sweep")  // as many members as the published benchmark, no power of two
                QVERIFY2(remarks.empty(), (entry.path().string() + ": " + (remarks.empty() ? "" : remarks.front())).c_str());
            QCOMPARE(std::filesystem::path(request.output.file).stem(), entry.path().stem());
            shown.insert(request.model);
        }
        for (const std::string& name : model_names())
            if (name != "kepler" && name != "milky_way") QVERIFY2(shown.contains(name), name.c_str());
    }
};

}  // namespace

QTEST_GUILESS_MAIN(ScenarioTest)
#include "tst_scenario.moc"
