// Draws: known answers of the generators, distributions, independence of everything else, tables.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <thread>

#include <QtTest>
#include <boost/random/sobol.hpp>

#include "described_model.hpp"
#include "engine/counter_random.hpp"
#include "engine/distributions.hpp"
#include "engine/grid_axis.hpp"
#include "engine/latin_hypercube.hpp"
#include "engine/sampling.hpp"
#include "engine/sobol_sequence.hpp"

namespace {

using namespace gradscape;
using Kind = Draw::Kind;

const ModelDescription model = describe<DescribedModel>();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Member {
    std::vector<double> parameters, initial_state;
    double start = 0, end = 0;

    bool same_bits(const Member& other) const {
        const auto equal = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); };
        return std::equal(parameters.begin(), parameters.end(), other.parameters.begin(), equal) &&
               std::equal(initial_state.begin(), initial_state.end(), other.initial_state.begin(), equal) && equal(start, other.start) &&
               equal(end, other.end);
    }
};

Member member(const Sampler& sampler, std::int64_t i) {
    Member result{std::vector<double>(model.parameters.size()), std::vector<double>(model.states.size())};
    sampler.member(i, result.parameters.data(), result.initial_state.data(), result.start, result.end);
    return result;
}

Draw uniform(double min, double max) { return {.kind = Kind::uniform, .min = min, .max = max}; }
Draw normal(double mean, double sd, double min = -infinity, double max = infinity) {
    return {.kind = Kind::normal, .min = min, .max = max, .mean = mean, .sd = sd};
}
Draw power_law(double exponent, double min, double max) { return {.kind = Kind::power_law, .min = min, .max = max, .exponent = exponent}; }

EnsembleRequest varied_request(Sampling sampling) {
    EnsembleRequest request = described_request();
    request.sampling = sampling;
    request.seed = 20240229;
    request.parameters[0] = uniform(0, 21);
    request.parameters[1] = normal(10, 2, 5, infinity);
    request.parameters[3] = {.kind = Kind::log_uniform, .min = 0.1, .max = 10};
    request.initial_state[0] = uniform(-1, 1);
    return request;
}

/// The unit square and its friends: parameters 0..n-1 and states uniform on 0..1.
EnsembleRequest unit_cube(int dimensions) {
    EnsembleRequest request = described_request();
    request.sampling = Sampling::sobol;
    request.scramble = false;
    for (int d = 0; d < dimensions; ++d)
        (d < 4 ? request.parameters[static_cast<std::size_t>(d)] : request.initial_state[static_cast<std::size_t>(d) - 4]) = uniform(0, 1);
    return request;
}

double coordinate(const Member& drawn, int dimension) {
    return dimension < 4 ? drawn.parameters[static_cast<std::size_t>(dimension)]
                         : drawn.initial_state[static_cast<std::size_t>(dimension) - 4];
}

class SamplingTest : public QObject {
    Q_OBJECT

private slots:
    // Known-answer vectors of Random123, https://github.com/DEShawResearch/random123, tests/kat_vectors.
    void philox_gives_the_published_known_answers() {
        QVERIFY((philox4x32_10({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QVERIFY((philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
                 PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QVERIFY((philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
                 PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    void random_bits_depend_on_every_bit_of_seed_stream_quantity_and_member() {
        std::set<std::uint64_t> seen{random_bits(0, RandomStream::draws, 0, 0), random_bits(0, RandomStream::digital_shift, 0, 0)};
        for (int bit = 0; bit < 64; ++bit) {
            seen.insert(random_bits(std::uint64_t{1} << bit, RandomStream::draws, 0, 0));
            seen.insert(random_bits(0, RandomStream::draws, 0, std::uint64_t{1} << bit));
        }
        for (int bit = 0; bit < 32; ++bit) seen.insert(random_bits(0, RandomStream::draws, 1u << bit, 0));
        QCOMPARE(seen.size(), std::size_t{2 + 64 + 64 + 32});
    }

    void each_distribution_is_drawn_as_defined_data() {
        QTest::addColumn<Draw>("draw");
        QTest::addColumn<std::function<double(double)>>("distribution");  // probability of a value below x
        using F = std::function<double(double)>;
        const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
        const auto above = [](double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); };
        QTest::newRow("uniform") << uniform(-3, 21) << F([](double x) { return (x + 3) / 24; });
        QTest::newRow("log-uniform") << Draw{.kind = Kind::log_uniform, .min = 1e-3, .max = 50}
                                     << F([](double x) { return std::log(x / 1e-3) / std::log(50 / 1e-3); });
        QTest::newRow("normal") << normal(224, 13) << F([=](double x) { return below((x - 224) / 13); });
        QTest::newRow("normal between bounds") << normal(224, 13, 180, 230) << F([=](double x) {
            return (below((x - 224) / 13) - below(-44.0 / 13)) / (below(6.0 / 13) - below(-44.0 / 13));
        });
        QTest::newRow("normal above a bound") << normal(0, 1, 0.5) << F([=](double x) { return 1 - above(x) / above(0.5); });
        QTest::newRow("normal below a bound") << normal(0, 1, -infinity, -0.5) << F([=](double x) { return below(x) / below(-0.5); });
        QTest::newRow("upper tail") << normal(0, 1, 20, 21)
                                    << F([=](double x) { return 1 - (above(x) - above(21)) / (above(20) - above(21)); });
        QTest::newRow("lower tail") << normal(0, 1, -21, -20)
                                    << F([=](double x) { return (below(x) - below(-21)) / (below(-20) - below(-21)); });
        QTest::newRow("cosine") << Draw{.kind = Kind::cosine, .min = 0, .max = std::numbers::pi}
                                << F([](double x) { return (1 - std::cos(x)) / 2; });
        QTest::newRow("cosine within bounds") << Draw{.kind = Kind::cosine, .min = 0.3, .max = 2} << F([](double x) {
            return (std::cos(0.3) - std::cos(x)) / (std::cos(0.3) - std::cos(2.0));
        });
        for (const double exponent : {-2.35, -1.5, -0.999, 0.0, 1.0, 3.0})
            QTest::addRow("power law %g", exponent) << power_law(exponent, 0.5, 20) << F([=](double x) {
                const double b = exponent + 1;
                return (std::pow(x, b) - std::pow(0.5, b)) / (std::pow(20, b) - std::pow(0.5, b));
            });
        QTest::newRow("power law -1") << power_law(-1, 0.5, 20) << F([](double x) { return std::log(x / 0.5) / std::log(40.0); });
    }
    void each_distribution_is_drawn_as_defined() {
        QFETCH(Draw, draw);
        QFETCH(std::function<double(double)>, distribution);
        EnsembleRequest request = described_request();
        request.seed = 7;
        request.parameters[3] = draw;
        const Sampler sampler(model, request);
        constexpr int count = 100000;
        std::vector<double> values(count);
        for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = member(sampler, i).parameters[3];
        std::sort(values.begin(), values.end());
        QVERIFY(values.front() >= draw.min && values.back() <= draw.max);
        double distance = 0;  // Kolmogorov-Smirnov
        for (int i = 0; i < count; ++i) {
            const double p = distribution(values[static_cast<std::size_t>(i)]);
            distance = std::max({distance, p - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - p});
        }
        QVERIFY2(distance * std::sqrt(count) < 1.63, qPrintable(QString::number(distance * std::sqrt(count))));  // 99 % of good generators
    }

    void the_inverse_reaches_its_bounds_and_never_goes_back_data() {
        QTest::addColumn<Draw>("draw");
        QTest::newRow("uniform") << uniform(0.1, 0.7);
        QTest::newRow("uniform, wide") << uniform(-8e307, 8e307);
        QTest::newRow("uniform, of no width") << uniform(3, 3);
        QTest::newRow("log-uniform") << Draw{.kind = Kind::log_uniform, .min = 0.1, .max = 0.7};
        QTest::newRow("log-uniform, all doubles") << Draw{.kind = Kind::log_uniform, .min = 5e-324, .max = 1.7976931348623157e308};
        QTest::newRow("normal") << normal(0.1, 0.3, -0.5, 0.7);
        QTest::newRow("normal, tail") << normal(0, 1, 30, 31);
        QTest::newRow("cosine") << Draw{.kind = Kind::cosine, .min = 0.1, .max = 3.1};
        QTest::newRow("cosine, 0 to pi") << Draw{.kind = Kind::cosine, .min = 0, .max = std::numbers::pi};
        for (const double exponent : {-300.0, -2.0, -1 - 1e-17, -1 + 1e-16, -1.0, 0.0, 2.0, 300.0})
            QTest::addRow("power law %g", exponent) << power_law(exponent, 0.1, 7e5);
        QTest::newRow("power law, all doubles") << power_law(2, 1e-300, 1e300);
    }
    void the_inverse_reaches_its_bounds_and_never_goes_back() {
        QFETCH(Draw, draw);
        const InverseDistribution inverse(draw);
        constexpr std::uint64_t all = std::uint64_t{1} << uniform_bits;
        QVERIFY(inverse(0) == draw.min);
        // The last number is 2^-53 from the upper bound in probability, which a steep power law takes far from it.
        if (draw.exponent > -10) QVERIFY(draw.max - inverse(all - 1) <= 1e-4 * (draw.max - draw.min));
        double before = draw.min;
        for (std::uint64_t k = 0; k < all; k += all / 1013) {
            const double value = inverse(k);
            QVERIFY(value >= before * (before < 0 ? 1 + 1e-15 : 1 - 1e-15) && value <= draw.max);
            before = value;
        }
    }

    void equal_parts_of_a_log_uniform_draw_are_equal_factors() {
        constexpr std::uint64_t quarter = std::uint64_t{1} << (uniform_bits - 2);
        for (const auto& [min, max] : {std::pair{0.1, 10.0}, {1e-300, 1e300}, {2.3e-308, 1.7e308}})
            for (const Kind kind : {Kind::log_uniform, Kind::power_law}) {
                const InverseDistribution inverse(Draw{.kind = kind, .min = min, .max = max, .exponent = -1});
                for (const std::uint64_t part : {1, 2, 3}) {
                    const double u = 0.25 * static_cast<double>(part), expected = std::pow(min, 1 - u) * std::pow(max, u);
                    QVERIFY(std::abs(inverse(part * quarter) / expected - 1) < 1e-12);
                }
            }
    }

    void an_unbounded_normal_draw_is_finite_and_symmetric_to_the_last_bit() {
        const InverseDistribution inverse(normal(0, 1));
        constexpr std::uint64_t all = std::uint64_t{1} << uniform_bits;
        // -8.29 is where the distribution function is 2^-54.
        QVERIFY(std::abs(inverse(0) + 8.292361075813595) < 1e-12);
        for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, all / 1000, all / 3, all / 2 - 1})
            QVERIFY(inverse(k) == -inverse(all - 1 - k));
    }

    void an_isotropic_angle_is_accurate_near_both_poles() {
        const InverseDistribution inverse(Draw{.kind = Kind::cosine, .min = 0, .max = std::numbers::pi});
        constexpr std::uint64_t all = std::uint64_t{1} << uniform_bits;
        const double near_pole = inverse(4);  // 1 - cos = 2u
        QVERIFY(std::abs(near_pole / (2 * std::asin(std::sqrt(0x1p-51))) - 1) < 1e-14);
        QVERIFY(std::abs((std::numbers::pi - inverse(all - 4)) / near_pole - 1) < 1e-7);  // pi itself is rounded
    }

    void unscrambled_sobol_starts_at_the_zero_point() {  // field case B45
        const Sampler sampler(model, unit_cube(2));
        const double expected[8][2] = {{0, 0},         {0.5, 0.5},     {0.75, 0.25},   {0.25, 0.75},
                                       {0.375, 0.375}, {0.875, 0.875}, {0.625, 0.125}, {0.125, 0.625}};
        for (int i = 0; i < 8; ++i)
            for (int d = 0; d < 2; ++d) QCOMPARE(coordinate(member(sampler, i), d), expected[i][d]);
    }

    void every_sobol_point_is_boosts() {
        const SobolSequence sequence(7);
        boost::random::sobol engine(7);
        for (int d = 0; d < 7; ++d) QCOMPARE(sequence.coordinate(0, d), std::uint64_t{0});
        for (std::uint64_t i = 1; i < 3000; ++i)
            for (int d = 0; d < 7; ++d) QCOMPARE(sequence.coordinate(i, d), std::uint64_t{engine()});
        engine.seed((std::uint64_t{1} << 40) + 12345);
        for (int d = 0; d < 7; ++d) QCOMPARE(sequence.coordinate((std::uint64_t{1} << 40) + 12346, d), std::uint64_t{engine()});
    }

    void sobol_points_are_balanced_data() {
        QTest::addColumn<bool>("scramble");
        QTest::addColumn<qulonglong>("seed");
        QTest::newRow("plain") << false << qulonglong{1};
        QTest::newRow("shifted") << true << qulonglong{1};
        QTest::newRow("shifted, largest seed") << true << ~qulonglong{0};
    }
    void sobol_points_are_balanced() {  // field case B45
        QFETCH(bool, scramble);
        QFETCH(qulonglong, seed);
        EnsembleRequest request = unit_cube(6);
        request.scramble = scramble;
        request.seed = seed;
        const Sampler sampler(model, request);
        constexpr int count = 1024;
        std::vector<std::vector<int>> bins(6, std::vector<int>(count, 0));
        for (int i = 0; i < count; ++i) {
            const Member drawn = member(sampler, i);
            for (int d = 0; d < 6; ++d) ++bins[static_cast<std::size_t>(d)][static_cast<std::size_t>(count * coordinate(drawn, d))];
        }
        for (const std::vector<int>& dimension : bins)
            QVERIFY(std::all_of(dimension.begin(), dimension.end(), [](int n) { return n == 1; }));
    }

    void the_seed_shifts_each_sobol_dimension_by_itself() {
        EnsembleRequest request = unit_cube(2);
        request.scramble = true;
        const auto shift = [&](std::uint64_t seed, int dimension) {
            request.seed = seed;
            return coordinate(member(Sampler(model, request), 0), dimension);
        };
        QVERIFY(shift(1, 0) != shift(2, 0));
        QVERIFY(shift(1, 0) != shift(1, 1));
        QVERIFY(shift(1, 0) == shift(1, 0) && shift(1, 0) != 0);
    }

    void sobol_zero_maps_to_the_lower_bound() {
        EnsembleRequest request = unit_cube(4);
        request.parameters = {
            {.kind = Kind::log_uniform, .min = 0.3, .max = 7}, normal(0, 1), power_law(-2.35, 0.08, 100), uniform(0.1, 0.7)};
        const Member first = member(Sampler(model, request), 0);
        QVERIFY(first.parameters[0] == 0.3 && first.parameters[2] == 0.08 && first.parameters[3] == 0.1);
        QVERIFY(std::isfinite(first.parameters[1]));
    }

    void a_member_is_the_same_whatever_the_size_and_the_order() {
        for (const Sampling sampling : {Sampling::random, Sampling::sobol}) {
            EnsembleRequest request = varied_request(sampling);
            request.size = 100;
            const Sampler small(model, request);
            request.size = 1000000000;
            const Sampler large(model, request);
            const Member last = member(large, 999999999);
            for (std::int64_t i = 99; i >= 0; --i) QVERIFY(member(small, i).same_bits(member(large, i)));
            QVERIFY(member(large, 999999999).same_bits(last));
            QVERIFY(!member(large, 5).same_bits(member(large, 6)));
        }
    }

    void threads_draw_what_one_thread_draws() {
        const Sampler sampler(model, varied_request(Sampling::sobol));
        constexpr std::size_t count = 4000;
        std::vector<Member> drawn(count);
        {
            std::vector<std::jthread> threads;
            for (std::size_t t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    for (std::size_t i = t; i < count; i += 4)
                        drawn[count - 1 - i] = member(sampler, static_cast<std::int64_t>(count - 1 - i));
                });
        }
        for (std::size_t i = 0; i < count; ++i) QVERIFY(drawn[i].same_bits(member(sampler, static_cast<std::int64_t>(i))));
    }

    void varying_one_more_quantity_leaves_the_random_draws_of_the_others() {
        EnsembleRequest request = varied_request(Sampling::random);
        const Member before = member(Sampler(model, request), 17);
        request.parameters[2] = uniform(0, 1);
        const Member after = member(Sampler(model, request), 17);
        QVERIFY(after.parameters[2] != before.parameters[2]);
        for (const std::size_t p : {0u, 1u, 3u}) QVERIFY(after.parameters[p] == before.parameters[p]);
        QVERIFY(after.initial_state[0] == before.initial_state[0]);
    }

    void quantities_are_drawn_independently() {
        EnsembleRequest request = described_request();
        for (std::size_t p = 0; p < 3; ++p) request.parameters[p] = uniform(-0.5, 0.5);
        const Sampler sampler(model, request);
        constexpr int count = 100000;
        double products[3] = {};
        for (int i = 0; i < count; ++i) {
            const Member drawn = member(sampler, i);
            const std::vector<double>& p = drawn.parameters;
            products[0] += p[0] * p[1];
            products[1] += p[1] * p[2];
            products[2] += p[0] * member(sampler, i + 1).parameters[0];
        }
        for (const double sum : products) QVERIFY(std::abs(12 * sum / count) < 3.5 / std::sqrt(count));  // correlation
    }

    void a_grid_reaches_both_bounds_and_its_points_are_as_typed_data() {  // field case B46
        QTest::addColumn<Draw>("draw");
        QTest::addColumn<QList<double>>("values");
        const auto by_step = [](double min, double max, double step) {
            return Draw{.kind = Kind::uniform, .min = min, .max = max, .step = step};
        };
        const auto by_points = [](double min, double max, std::int64_t points, Kind kind = Kind::uniform) {
            return Draw{.kind = kind, .min = min, .max = max, .points = points};
        };
        QTest::newRow("0 to 1, step 0.1") << by_step(0, 1, 0.1) << QList<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
        QTest::newRow("0.1 to 0.7, step 0.1") << by_step(0.1, 0.7, 0.1) << QList<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
        QTest::newRow("max between the steps") << by_step(0, 1, 0.375) << QList<double>{0, 0.375, 0.75};
        QTest::newRow("max just before a step") << by_step(0, 0.999999999, 0.25) << QList<double>{0, 0.25, 0.5, 0.75};
        QTest::newRow("max just after a step") << by_step(0, 0.750000001, 0.25) << QList<double>{0, 0.25, 0.5, 0.75};
        QTest::newRow("step as long as the range") << by_step(-2, 3, 5) << QList<double>{-2, 3};
        QTest::newRow("one value, step") << by_step(1, 1, 0.1) << QList<double>{1};
        QTest::newRow("one value, 1 point") << by_points(1, 1, 1) << QList<double>{1};
        QTest::newRow("2 points") << by_points(0.1, 0.3, 2) << QList<double>{0.1, 0.3};
        QTest::newRow("through zero") << by_points(-1, 1, 5) << QList<double>{-1, -0.5, 0, 0.5, 1};
        QTest::newRow("wide") << by_points(-8e307, 8e307, 5) << QList<double>{-8e307, -4e307, 0, 4e307, 8e307};
        QTest::newRow("logarithmic") << by_points(1e-3, 1e3, 7, Kind::log_uniform) << QList<double>{1e-3, 1e-2, 0.1, 1, 10, 100, 1e3};
        QTest::newRow("logarithmic, 3 points") << by_points(0.3, 0.7, 3, Kind::log_uniform) << QList<double>{0.3, std::sqrt(0.21), 0.7};
        QTest::newRow("logarithmic, one value") << by_points(0.3, 0.3, 1, Kind::log_uniform) << QList<double>{0.3};
    }
    void a_grid_reaches_both_bounds_and_its_points_are_as_typed() {
        QFETCH(Draw, draw);
        QFETCH(QList<double>, values);
        const GridAxis axis(draw);
        QCOMPARE(axis.points(), std::int64_t{values.size()});
        QCOMPARE(grid_points(draw), std::int64_t{values.size()});
        for (qsizetype k = 0; k < values.size(); ++k) {
            const double roundings = std::abs(values[k]) * (draw.kind == Kind::log_uniform ? 1e-14 : 2.3e-16);
            QVERIFY2(std::abs(axis(k) - values[k]) <= roundings, qPrintable(QString::number(axis(k), 'g', 17)));
        }
        QVERIFY(axis(0) == draw.min);
        QVERIFY(axis(values.size() - 1) == values.back());  // max itself, where it is one of the points
    }

    void points_of_a_grid_never_leave_the_range_or_go_back() {
        for (const Kind kind : {Kind::uniform, Kind::log_uniform})
            for (const auto& [min, max] : {std::pair{0.1, 0.7}, {1e-300, 1e300}, {12.98, 13.02}, {1e-320, 3.0}})
                for (const std::int64_t points : {2, 3, 7, 10, 97, 1000, 4096}) {
                    const GridAxis axis({.kind = kind, .min = min, .max = max, .points = points});
                    QVERIFY(axis(0) == min && axis(points - 1) == max);
                    for (std::int64_t k = 1; k < points; ++k) QVERIFY(axis(k) > axis(k - 1) && axis(k) <= max);
                }
        const GridAxis axis({.kind = Kind::uniform, .min = 12.98, .max = 13.02, .step = 0.002});  // field case B46
        QCOMPARE(axis.points(), std::int64_t{21});
        QVERIFY(axis(20) == 13.02);
    }

    void a_grid_is_every_combination_with_the_last_quantity_fastest() {
        EnsembleRequest request = described_request();
        request.sampling = Sampling::grid;
        request.parameters[0] = {.kind = Kind::uniform, .min = 0, .max = 3, .points = 4};
        request.parameters[3] = {.kind = Kind::log_uniform, .min = 1, .max = 4, .points = 3};
        request.initial_state[0] = {.kind = Kind::uniform, .min = -1, .max = 0.5, .step = 1};
        request.size = grid_size(request);
        QCOMPARE(request.size, std::int64_t{24});
        const Sampler sampler(model, request);
        for (int i = 0; i < 24; ++i) {
            const Member drawn = member(sampler, i);
            QVERIFY(drawn.parameters[0] == i / 6);
            QVERIFY(std::abs(drawn.parameters[3] - (1 << i / 2 % 3)) < 1e-15);
            QVERIFY(drawn.initial_state[0] == i % 2 - 1);
        }
        request.groups = {24, 5};
        request.size = 120;
        const Sampler grouped(model, request);
        for (int i = 0; i < 120; ++i) QVERIFY(member(grouped, i).same_bits(member(sampler, i / 5)));
    }

    void the_size_of_a_grid_does_not_overflow() {
        EnsembleRequest request = described_request();
        for (Draw& draw : request.parameters) draw = {.kind = Kind::uniform, .min = 0, .max = 1, .points = 1000000000};
        QCOMPARE(grid_size(request), std::int64_t{1000000001});
        request.parameters[1] = {.kind = Kind::uniform, .min = 0, .max = 1e300, .step = 1e-300};
        QCOMPARE(grid_points(request.parameters[1]), std::int64_t{1000000001});
        request.parameters[2] = uniform(0, 1);
        QCOMPARE(grid_size(request), std::int64_t{0});
    }

    void every_part_of_a_latin_hypercube_holds_one_point_data() {
        QTest::addColumn<int>("size");
        for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 31, 32, 33, 97, 100, 128, 1000, 1009, 4096, 10007, 65536, 99999})
            QTest::addRow("%d", size) << size;
    }
    void every_part_of_a_latin_hypercube_holds_one_point() {
        QFETCH(int, size);
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
            for (const std::uint32_t dimension : {0u, 1u, 77u}) {
                const LatinDimension latin(seed, dimension, size);
                std::vector<bool> seen(static_cast<std::size_t>(size));
                for (int i = 0; i < size; ++i) {
                    const std::uint64_t k = latin(static_cast<std::uint64_t>(i));
                    QVERIFY(k < std::uint64_t{1} << uniform_bits);
                    // Its part in whole numbers: floor(k size / 2^53) with k = high 2^26 + low.
                    const auto n = static_cast<std::uint64_t>(size);
                    const std::uint64_t part = ((k >> 26) * n + ((k & ((1u << 26) - 1)) * n >> 26)) >> 27;
                    QVERIFY(!seen[part]);
                    seen[part] = true;
                }
            }
    }

    void the_largest_latin_hypercube_keeps_its_points_apart() {
        constexpr std::uint64_t size = 1000000000;
        const LatinDimension latin(5, 0, size);
        std::set<std::uint64_t> parts;
        for (std::uint64_t i = 0; i < size; i += size / 10007) {
            const std::uint64_t k = latin(i);
            parts.insert(((k >> 26) * size + ((k & ((1u << 26) - 1)) * size >> 26)) >> 27);
        }
        QCOMPARE(parts.size(), std::size_t{10008});
        QVERIFY(*parts.rbegin() < size && *parts.rbegin() - *parts.begin() > size - size / 500);
    }

    void every_permutation_of_few_points_is_as_likely_as_any_other() {
        for (const int size : {2, 3, 4, 5}) {
            std::map<std::vector<std::uint64_t>, int> found;
            int all = 1;
            for (int i = 2; i <= size; ++i) all *= i;
            const int expected = 400, seeds = expected * all;
            for (int seed = 0; seed < seeds; ++seed) {
                const LatinDimension latin(static_cast<std::uint64_t>(seed), 3, size);
                std::vector<std::uint64_t> order;
                for (int i = 0; i < size; ++i)
                    order.push_back(latin(static_cast<std::uint64_t>(i)) * static_cast<std::uint64_t>(size) >> uniform_bits);
                ++found[order];
            }
            QCOMPARE(found.size(), static_cast<std::size_t>(all));
            double chi2 = 0;
            for (const auto& [order, times] : found) chi2 += (times - expected) * (times - expected) / static_cast<double>(expected);
            const double freedom = all - 1;
            QVERIFY2(chi2 < freedom + 4 * std::sqrt(2 * freedom) + 6, qPrintable(QString("%1: %2").arg(size).arg(chi2)));
        }
    }

    void dimensions_and_seeds_of_a_latin_hypercube_are_independent() {
        // 16 x 16 cells of equal probability for two series of as many numbers, which a good pair of permutations fills evenly.
        const auto evenness = [](auto first, auto second, int size) {
            std::vector<int> cells(256);
            for (int i = 0; i < size; ++i) {
                const auto number = static_cast<std::uint64_t>(i);
                ++cells[(first(number) >> (uniform_bits - 4)) * 16 + (second(number) >> (uniform_bits - 4))];
            }
            double chi2 = 0;
            for (const int found : cells) chi2 += (found - size / 256.0) * (found - size / 256.0) / (size / 256.0);
            return chi2;
        };
        for (const int size : {4096, 10007, 16384, 100000}) {
            double sum = 0;
            int pairs = 0;
            for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                const LatinDimension a(seed, 0, size), b(seed, 1, size), other(seed + 1, 0, size);
                const auto scaled = [&](std::uint64_t i) { return static_cast<std::uint64_t>(static_cast<double>(i) / size * 0x1p53); };
                const auto shifted = [&](std::uint64_t i) { return a((i + 1) % static_cast<std::uint64_t>(size)); };
                for (const double chi2 : {evenness(a, b, size), evenness(a, other, size), evenness(scaled, a, size),
                                          evenness(a, shifted, size)}) {
                    sum += chi2;
                    ++pairs;
                    QVERIFY2(chi2 > 225 - 110 && chi2 < 225 + 110, qPrintable(QString("%1: %2").arg(size).arg(chi2)));
                }
            }
            // 15 x 15 degrees of freedom: both margins are even.
            QVERIFY2(std::abs(sum / pairs - 225) < 4 * std::sqrt(450.0 / pairs), qPrintable(QString::number(sum / pairs)));
        }
    }

    void places_within_the_parts_of_a_latin_hypercube_are_uniform() {
        constexpr int size = 1000;
        std::vector<double> places;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const LatinDimension latin(seed, 2, size);
            for (int i = 0; i < size; ++i) {
                const double scaled = static_cast<double>(latin(static_cast<std::uint64_t>(i))) * 0x1p-53 * size;
                places.push_back(scaled - std::floor(scaled));
            }
        }
        std::sort(places.begin(), places.end());
        double distance = 0;  // Kolmogorov-Smirnov
        const auto count = static_cast<double>(places.size());
        for (std::size_t i = 0; i < places.size(); ++i) distance = std::max(distance, std::abs(places[i] - static_cast<double>(i) / count));
        QVERIFY2(distance * std::sqrt(count) < 1.63, qPrintable(QString::number(distance * std::sqrt(count))));
    }

    void a_latin_hypercube_draws_every_distribution_and_belongs_to_its_size_and_seed() {
        EnsembleRequest request = varied_request(Sampling::latin_hypercube);
        request.size = 1009;
        const Sampler sampler(model, request);
        const InverseDistribution quantiles(request.parameters[1]);
        std::vector<double> drawn;
        for (int i = 0; i < 1009; ++i) drawn.push_back(member(sampler, i).parameters[1]);
        std::sort(drawn.begin(), drawn.end());
        constexpr std::uint64_t part = (std::uint64_t{1} << uniform_bits) / 1009;
        for (std::uint64_t s = 1; s + 1 < 1009; ++s) {
            QVERIFY(drawn[s] >= quantiles(s * part - 1009) && drawn[s] <= quantiles((s + 1) * part + 1009));
        }
        QVERIFY(member(Sampler(model, request), 7).same_bits(member(sampler, 7)));
        EnsembleRequest other = request;
        other.size = 1010;
        QVERIFY(!member(Sampler(model, other), 7).same_bits(member(sampler, 7)));
        other = request;
        other.seed += 1;
        QVERIFY(!member(Sampler(model, other), 7).same_bits(member(sampler, 7)));
        other = request;
        other.parameters[2] = uniform(0, 1);  // one more quantity changes no other
        QVERIFY(member(Sampler(model, other), 7).parameters[1] == member(sampler, 7).parameters[1]);
        QVERIFY(member(Sampler(model, other), 7).initial_state[0] == member(sampler, 7).initial_state[0]);
        other = request;
        other.groups = {1009, 3};
        other.size = 3027;
        QVERIFY(member(Sampler(model, other), 23).same_bits(member(sampler, 7)));
    }

    void what_is_not_varied_has_its_value_and_what_the_model_computes_is_missing() {
        EnsembleRequest request = varied_request(Sampling::random);
        request.span.start = 3;
        request.span.end = -4;
        const Member drawn = member(Sampler(model, request), 5);
        QVERIFY(drawn.parameters[2] == 0.5);
        QVERIFY(std::isnan(drawn.initial_state[1]));
        QVERIFY(drawn.start == 3 && drawn.end == -4);
    }

    void a_table_gives_parameters_initial_values_and_spans() {
        EnsembleRequest request = varied_request(Sampling::random);
        const Member without = member(Sampler(model, request), 1);
        request.parameters[0] = {.kind = Kind::table};
        request.initial_state[1] = {.kind = Kind::table};
        request.table = {{"end", "y0", "rho"}, {{1, 2}, {0.25, 0.5}, {20, 21}}};
        const Member drawn = member(Sampler(model, request), 1);
        QVERIFY(drawn.parameters[0] == 21 && drawn.initial_state[1] == 0.5 && drawn.start == 0 && drawn.end == 2);
        QVERIFY(drawn.parameters[1] == without.parameters[1]);
    }

    void columns_are_found_by_name() {
        QVERIFY(column_quantity(model, "rho")->kind == VariedQuantity::Kind::parameter && column_quantity(model, "rho")->index == 0);
        for (const char* name : {"y", "y0"}) {
            const auto found = column_quantity(model, name);
            QVERIFY(found && found->kind == VariedQuantity::Kind::initial_state && found->index == 1 && found->name == "y0");
        }
        QVERIFY(column_quantity(model, "start")->kind == VariedQuantity::Kind::start);
        QVERIFY(column_quantity(model, "end")->kind == VariedQuantity::Kind::end);
        for (const char* name : {"", "Rho", "x00", "rho0"}) QVERIFY(!column_quantity(model, name));
    }

    void varied_quantities_come_in_their_fixed_order() {
        EnsembleRequest request = varied_request(Sampling::random);
        request.initial_state[1] = {.kind = Kind::table};
        request.table = {{"end", "y", "start"}, {{1}, {1}, {0}}};
        std::vector<std::string> names;
        for (const VariedQuantity& quantity : varied_quantities(model, request)) names.push_back(quantity.name);
        QCOMPARE(names, (std::vector<std::string>{"rho", "sigma", "mass", "x0", "y0", "start", "end"}));
    }
};

}  // namespace


QTEST_GUILESS_MAIN(SamplingTest)
#include "tst_sampling.moc"
