// Draws: known answers of the generators, distributions, independence of everything else, tables.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <thread>

#include <QtTest>
#include <boost/random/sobol.hpp>

#include "described_model.hpp"
#include "engine/counter_random.hpp"
#include "engine/distributions.hpp"
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
