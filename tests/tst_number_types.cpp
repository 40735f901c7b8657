// Packs of SIMD lanes as numbers: every function acts lane by lane and is accurate. The functions are reached as observables of the
// test model `number_functions`, evaluated at chosen points; consecutive points share a pack.
#include "tests/ensemble_runs.hpp"

#include <random>

#include "tests/small_models.hpp"

namespace {

using namespace gradscape;
using namespace gradscape::tests;

struct Points {
    std::vector<double> a, b, c;
    void add(double x, double y = 0, double z = 0) {
        a.push_back(x);
        b.push_back(y);
        c.push_back(z);
    }
};

/// [function][point]
std::vector<double> evaluate(InstructionSet set, const Points& points) {
    const Model& model = model_named("number_functions");
    const std::size_t count = points.a.size(), functions = model.description.observables.size();
    std::vector<double> states;
    for (const std::vector<double>* part : {&points.a, &points.b, &points.c}) states.insert(states.end(), part->begin(), part->end());
    std::vector<double> times(count), out(functions * count);
    PointBlock block{};
    block.points = static_cast<std::int64_t>(count);
    block.rows = block.points;
    block.times = times.data();
    block.states = states.data();
    block.state_stride = block.points;
    block.out = out.data();
    block.out_stride = block.points;
    const auto kernels = std::ranges::find(model.kernels, set, &Kernels::set);
    cpu_code(set).evaluate(kernels->functions, PointFunction::observe, block);
    return out;
}

std::size_t function_named(const char* name) {
    return static_cast<std::size_t>(ModelDescription::index_of(model_named("number_functions").description.observables, name));
}

std::vector<double> evaluate(InstructionSet set, const char* function, const Points& points) {
    const std::vector<double> all = evaluate(set, points);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(function_named(function) * points.a.size());
    return {first, first + static_cast<std::ptrdiff_t>(points.a.size())};
}

/// The same with the number type double.
std::vector<double> of_double(const Points& points) {
    constexpr std::size_t functions = models::NumberFunctions::observables.size();
    const std::size_t count = points.a.size();
    std::vector<double> values(functions * count);
    for (std::size_t i = 0; i < count; ++i) {
        const double y[] = {points.a[i], points.b[i], points.c[i]};
        double out[functions];
        models::NumberFunctions::observe(0.0, y, static_cast<const double*>(nullptr), out);
        for (std::size_t f = 0; f < functions; ++f) values[f * count + i] = out[f];
    }
    return values;
}

bool same_of(const char* function, const std::vector<double>& a, const std::vector<double>& b) {
    const std::size_t count = a.size() / models::NumberFunctions::observables.size(), first = function_named(function) * count;
    return std::equal(a.begin() + static_cast<std::ptrdiff_t>(first), a.begin() + static_cast<std::ptrdiff_t>(first + count),
                      b.begin() + static_cast<std::ptrdiff_t>(first), [](double x, double y) { return same(x, y); });
}

/// Every kind of argument: of any size and sign, at the edges where algorithms change, and no numbers at all.
Points mixed_points(int count) {
    constexpr double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 0.7853981633974483, 0.78539816339744839, 1.5707963267948966,
                                  3.141592653589793, 62.83185307179586, 62.83185307179587, 100.0, 1e5, 823549.65, 823549.67, 1e7, 1e15,
                                  1e300, -1e300, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-20, 1e-9, 0.34657359027997264, 709.78, 710.0,
                                  -745.2, missing, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(-1, 1), exponent(-40, 40);
    const auto number = [&]() -> double {
        switch (random() % 5) {
            case 0: return special[random() % std::size(special)];
            case 1: return unit(random);
            case 2: return 30 * unit(random);
            case 3: return 1e6 * unit(random);
            default: return std::copysign(std::exp2(exponent(random)), unit(random));
        }
    };
    Points points;
    for (int i = 0; i < count; ++i) points.add(number(), number(), number());
    return points;
}

/// Whether `fma` rounds once in the set.
bool fuses(InstructionSet set) { return set != InstructionSet::baseline; }

/// Distance in units of the last place of `exact`.
double ulps(double value, long double exact) {
    const double rounded = static_cast<double>(exact);
    if (same(value, rounded)) return 0;
    if (!std::isfinite(value) || !std::isfinite(rounded)) return std::numeric_limits<double>::infinity();
    const int exponent = std::max(std::ilogb(rounded == 0 ? std::numeric_limits<double>::min() : rounded), -1022) - 52;
    return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(value) - exact, -exponent)));
}

struct Accuracy {
    const char* function;
    long double (*exact)(long double a, long double b);
    double min, max;        ///< of the first argument
    bool log_scale;         ///< of the first argument, with both signs where min < 0
    double second_min, second_max;
    double allowed;         ///< ulps
};

// What xsimd's functions reach; the error of pow grows with the logarithm of the result.
constexpr Accuracy accuracies[] = {
    {"sqrt", [](long double a, long double) { return std::sqrt(a); }, 1e-300, 1e300, true, 0, 0, 0.5},
    {"exp", [](long double a, long double) { return std::exp(a); }, -700, 700, false, 0, 0, 2},
    {"expm1", [](long double a, long double) { return std::expm1(a); }, -1e-10, 1, true, 0, 0, 2},
    {"expm1", [](long double a, long double) { return std::expm1(a); }, -700, 700, false, 0, 0, 2},
    {"log", [](long double a, long double) { return std::log(a); }, 1e-300, 1e300, true, 0, 0, 2},
    {"log", [](long double a, long double) { return std::log(a); }, 0.5, 2, false, 0, 0, 2},
    {"log1p", [](long double a, long double) { return std::log1p(a); }, -1e-15, 0.9, true, 0, 0, 2},
    {"log1p", [](long double a, long double) { return std::log1p(a); }, 1e-3, 1e300, true, 0, 0, 2},
    {"sin", [](long double a, long double) { return std::sin(a); }, -62.8, 62.8, false, 0, 0, 2.5},
    {"sin", [](long double a, long double) { return std::sin(a); }, -1e-10, 1e6, true, 0, 0, 2.5},
    {"cos", [](long double a, long double) { return std::cos(a); }, -62.8, 62.8, false, 0, 0, 2.5},
    {"cos", [](long double a, long double) { return std::cos(a); }, -1e-10, 1e6, true, 0, 0, 2.5},
    {"tan", [](long double a, long double) { return std::tan(a); }, -62.8, 62.8, false, 0, 0, 4},
    {"tan", [](long double a, long double) { return std::tan(a); }, -1e-10, 1e6, true, 0, 0, 4},
    {"asin", [](long double a, long double) { return std::asin(a); }, -1, 1, false, 0, 0, 2},
    {"asin", [](long double a, long double) { return std::asin(a); }, -1e-10, 1, true, 0, 0, 2},
    {"acos", [](long double a, long double) { return std::acos(a); }, -1, 1, false, 0, 0, 2},
    {"atan", [](long double a, long double) { return std::atan(a); }, -1e-10, 1e10, true, 0, 0, 2.5},
    {"sinh", [](long double a, long double) { return std::sinh(a); }, -700, 700, false, 0, 0, 2},
    {"sinh", [](long double a, long double) { return std::sinh(a); }, -1e-10, 3, true, 0, 0, 2},
    {"cosh", [](long double a, long double) { return std::cosh(a); }, -700, 700, false, 0, 0, 2},
    {"cosh", [](long double a, long double) { return std::cosh(a); }, -3, 3, false, 0, 0, 2},
    {"tanh", [](long double a, long double) { return std::tanh(a); }, -1e-10, 30, true, 0, 0, 2.5},
    {"pow", [](long double a, long double b) { return std::pow(a, b); }, 1e-3, 1e3, true, -10, 10, 100},
    {"pow", [](long double a, long double b) { return std::pow(a, b); }, 1e-300, 1e300, true, -1, 1, 1000},
    {"atan2", [](long double a, long double b) { return std::atan2(a, b); }, -1e-3, 1e3, true, -10, 10, 2.5},
    {"divide", [](long double a, long double b) { return a / b; }, -1e-3, 1e3, true, -10, 10, 0.51},
};

Points points_within(const Accuracy& range, int count) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> unit(0, 1);
    Points points;
    for (int i = 0; i < count; ++i) {
        const double u = unit(random), second = range.second_min + (range.second_max - range.second_min) * unit(random);
        const double low = std::abs(range.min);
        const double sign = range.min < 0 && random() % 2 ? -1 : 1;
        const double on_log_scale = sign * std::exp(std::lerp(std::log(low), std::log(range.max), u));
        points.add(range.log_scale ? on_log_scale : std::lerp(range.min, range.max, u), second);
    }
    return points;
}

}  // namespace

class TestNumberTypes : public QObject {
    Q_OBJECT

private slots:
    void init() { clear_upper_halves(); }  // the test runner leaves them in use

    void a_lane_does_not_depend_on_its_neighbours_data();
    void a_lane_does_not_depend_on_its_neighbours();
    void functions_are_accurate_data() { a_lane_does_not_depend_on_its_neighbours_data(); }
    void functions_are_accurate();
    void angles_near_the_zeros_are_reduced_exactly_data() { a_lane_does_not_depend_on_its_neighbours_data(); }
    void angles_near_the_zeros_are_reduced_exactly();
    void special_values_follow_the_standard_library_data() { a_lane_does_not_depend_on_its_neighbours_data(); }
    void special_values_follow_the_standard_library();
    void arithmetic_equals_that_of_double_data() { a_lane_does_not_depend_on_its_neighbours_data(); }
    void arithmetic_equals_that_of_double();
    void polynomials_of_the_controller_equal_those_of_double();
    void polynomials_of_the_controller_are_as_accurate_as_documented_data() { a_lane_does_not_depend_on_its_neighbours_data(); }
    void polynomials_of_the_controller_are_as_accurate_as_documented();
};

void TestNumberTypes::a_lane_does_not_depend_on_its_neighbours_data() {
    QTest::addColumn<int>("set");
    for (const InstructionSet set : instruction_sets()) QTest::newRow(std::string(name(set)).c_str()) << static_cast<int>(set);
}

void TestNumberTypes::a_lane_does_not_depend_on_its_neighbours() {
    QFETCH(int, set);
    const auto instruction_set = static_cast<InstructionSet>(set);
    constexpr int count = 200000;
    const Points points = mixed_points(count);
    const std::vector<double> in_company = evaluate(instruction_set, points);
    // The same points in another order have other neighbours; an odd shift changes their lane too.
    Points shuffled;
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = (i * 77773 + 5) % count;
    for (const std::size_t i : order) shuffled.add(points.a[i], points.b[i], points.c[i]);
    const std::vector<double> elsewhere = evaluate(instruction_set, shuffled);
    const auto functions = model_named("number_functions").description.observables;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        int differing = 0;
        std::size_t example = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (!same(elsewhere[f * count + i], in_company[f * count + order[i]])) {
                ++differing;
                example = i;
            }
        const QString message = QString("%1(%2, %3): %4 of %5 values differ").arg(functions[f].name).arg(shuffled.a[example], 0, 'g', 17)
                                    .arg(shuffled.b[example], 0, 'g', 17).arg(differing).arg(count);
        QVERIFY2(differing == 0, qPrintable(message));
    }
}

void TestNumberTypes::functions_are_accurate() {
    QFETCH(int, set);
    for (const Accuracy& accuracy : accuracies) {
        const Points points = points_within(accuracy, 20000);
        const std::vector<double> values = evaluate(static_cast<InstructionSet>(set), accuracy.function, points);
        double worst = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const double error = ulps(values[i], accuracy.exact(points.a[i], points.b[i])); error > worst) {
                worst = error;
                at = i;
            }
        const QString message = QString("%1(%2, %3) = %4 is wrong by %5 ulp").arg(accuracy.function).arg(points.a[at], 0, 'g', 17)
                                    .arg(points.b[at], 0, 'g', 17).arg(values[at], 0, 'g', 17).arg(worst);
        QVERIFY2(worst <= accuracy.allowed, qPrintable(message));
    }
}

// The doubles nearest to k pi/2 are where range reduction loses every digit if pi has too few.
void TestNumberTypes::angles_near_the_zeros_are_reduced_exactly() {
    QFETCH(int, set);
    Points points;
    for (int k = 1; k < 500000; k += k < 200 ? 1 : 97)
        for (const double sign : {1.0, -1.0}) points.add(sign * k * 1.5707963267948966);
    const std::vector<double> sines = evaluate(static_cast<InstructionSet>(set), "sin", points);
    const std::vector<double> cosines = evaluate(static_cast<InstructionSet>(set), "cos", points);
    for (std::size_t i = 0; i < points.a.size(); ++i) {
        COMPARE_WITHIN(sines[i], std::sin(points.a[i]), 1e-25 + 4e-16 * std::abs(std::sin(points.a[i])));
        COMPARE_WITHIN(cosines[i], std::cos(points.a[i]), 1e-25 + 4e-16 * std::abs(std::cos(points.a[i])));
    }
}

void TestNumberTypes::special_values_follow_the_standard_library() {
    QFETCH(int, set);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    struct Case {
        const char* function;
        double a, b, value;
    };
    const Case cases[] = {
        {"sqrt", -1, 0, missing}, {"sqrt", 0, 0, 0}, {"sqrt", infinity, 0, infinity},
        {"exp", 0, 0, 1}, {"exp", 710, 0, infinity}, {"exp", -infinity, 0, 0}, {"exp", missing, 0, missing},
        {"expm1", 0, 0, 0}, {"expm1", -infinity, 0, -1}, {"expm1", infinity, 0, infinity},
        {"log", 0, 0, -infinity}, {"log", 1, 0, 0}, {"log", -1, 0, missing}, {"log", infinity, 0, infinity},
        {"log1p", 0, 0, 0}, {"log1p", -1, 0, -infinity}, {"log1p", -2, 0, missing},
        {"sin", 0, 0, 0}, {"sin", infinity, 0, missing}, {"sin", missing, 0, missing},
        {"cos", infinity, 0, missing}, {"tan", infinity, 0, missing},
        {"cos", 0, 0, 1}, {"tan", 0, 0, 0}, {"sin", 1e300, 0, std::sin(1e300)}, {"cos", 1e7, 0, std::cos(1e7)},
        {"asin", 2, 0, missing}, {"acos", 1, 0, 0}, {"acos", -2, 0, missing},
        {"atan", infinity, 0, 1.5707963267948966}, {"tanh", infinity, 0, 1}, {"tanh", -infinity, 0, -1},
        {"pow", 0, 0, 1}, {"pow", 2, 10, 1024}, {"pow", -2, 3, -8}, {"pow", -2, 0.5, missing}, {"pow", 0, 2, 0},
        {"atan2", 0, 1, 0}, {"atan2", 0, -1, 3.141592653589793}, {"atan2", 1, 0, 1.5707963267948966},
        {"atan2", -1, 0, -1.5707963267948966},
        {"atan2", 0, 0, 0}, {"atan2", 0, -0.0, 3.141592653589793}, {"atan2", -0.0, -0.0, -3.141592653589793},
        {"atan2", -0.0, -1, -3.141592653589793},
        {"min", missing, 1, 1}, {"min", 1, missing, missing}, {"max", missing, 1, 1}, {"max", 1, missing, missing}};
    for (const Case& one : cases) {
        Points points;
        points.add(one.a, one.b);
        const double value = evaluate(static_cast<InstructionSet>(set), one.function, points)[0];
        const QString message = QString("%1(%2, %3) = %4").arg(one.function).arg(one.a).arg(one.b).arg(value, 0, 'g', 17);
        const bool right = same(value, one.value) || value == one.value || std::abs(value - one.value) <= 4e-16 * std::abs(one.value);
        QVERIFY2(right, qPrintable(message));
    }
}

void TestNumberTypes::arithmetic_equals_that_of_double() {
    QFETCH(int, set);
    const auto instruction_set = static_cast<InstructionSet>(set);
    const Points points = mixed_points(20000);
    const std::vector<double> values = evaluate(instruction_set, points), expected = of_double(points);
    for (const char* function : {"add", "subtract", "multiply", "divide", "sqrt", "min", "max", "abs", "negate", "select"})
        QVERIFY2(same_of(function, values, expected), function);
    const std::size_t first = function_named("max_abs") * points.a.size();
    for (std::size_t i = 0; i < points.a.size(); ++i)
        if (!std::isnan(points.a[i]) && !std::isnan(points.b[i]))
            QCOMPARE(values[first + i], std::fmax(std::fabs(points.a[i]), std::fabs(points.b[i])));
    if (fuses(instruction_set)) QVERIFY(same_of("fma", values, expected));
}

// Where products are not fused the last bits differ from those of double.
void TestNumberTypes::polynomials_of_the_controller_equal_those_of_double() {
    const Points positive = points_within({"", nullptr, 1e-300, 1e300, true, 0, 0, 0}, 20000);
    const Points exponents = points_within({"", nullptr, -1021, 1021, false, 0, 0, 0}, 20000);
    const std::vector<double> of_positive = of_double(positive), of_exponents = of_double(exponents);
    for (const InstructionSet set : instruction_sets()) {
        if (!fuses(set)) continue;
        for (const char* function : {"log2_polynomial", "reciprocal_polynomial"})
            QVERIFY2(same_of(function, evaluate(set, positive), of_positive), function);
        QVERIFY(same_of("exp2_polynomial", evaluate(set, exponents), of_exponents));
    }
}

void TestNumberTypes::polynomials_of_the_controller_are_as_accurate_as_documented() {
    QFETCH(int, set);
    const auto instruction_set = static_cast<InstructionSet>(set);
    Points positive = points_within({"", nullptr, 2.3e-308, 1.7e308, true, 0, 0, 0}, 40000);
    for (const Points more = points_within({"", nullptr, 0.5, 2, false, 0, 0, 0}, 40000); const double x : more.a) positive.add(x);
    const std::vector<double> logarithms = evaluate(instruction_set, "log2_polynomial", positive);
    const std::vector<double> reciprocals = evaluate(instruction_set, "reciprocal_polynomial", positive);
    for (std::size_t i = 0; i < logarithms.size(); ++i) {
        COMPARE_WITHIN(logarithms[i], std::log2(positive.a[i]), 8e-3);
        // 1/x is subnormal, and the guess has no exponent left, beyond 2^1022.
        if (positive.a[i] < 4e307) COMPARE_WITHIN(reciprocals[i] * positive.a[i], 1.0, 1.4e-3);
    }
    const Points exponents = points_within({"", nullptr, -1021.9, 1021.9, false, 0, 0, 0}, 40000);
    const std::vector<double> powers = evaluate(instruction_set, "exp2_polynomial", exponents);
    for (std::size_t i = 0; i < powers.size(); ++i) COMPARE_WITHIN(powers[i] / std::exp2(exponents.a[i]), 1.0, 3e-3);
}

QTEST_GUILESS_MAIN(TestNumberTypes)
#include "tst_number_types.moc"
