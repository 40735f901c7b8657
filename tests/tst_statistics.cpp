// Running statistics: quantiles, moments, circular means, in memory that doesn't grow and whatever the chunks.
#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

#include "engine/statistics.hpp"
#include "engine/widening_histograms.hpp"
#include "models/bbh_precession.hpp"

using namespace gradscape;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

constexpr std::array one_state{StateInfo{.name = "x", .symbol = "x", .latex = "x", .unit = "1", .default_value = 0, .min = 0, .max = 1}};
constexpr std::array angle_and_length{
    ObservableInfo{.name = "phi", .symbol = "φ", .latex = "\\phi", .unit = "degree", .period = 360},
    ObservableInfo{.name = "r", .symbol = "r", .latex = "r", .unit = "1"}};

ModelDescription state_model() {
    ModelDescription model{};
    model.states = one_state;
    return model;
}

ModelDescription observable_model() {
    ModelDescription model{};
    model.observables = angle_and_length;
    return model;
}

/// values [member][row]
EnsembleChunk states_chunk(const std::vector<double>& values, std::int64_t rows, std::int64_t first = 0) {
    EnsembleChunk chunk;
    chunk.first = first;
    chunk.rows = rows;
    chunk.count = static_cast<std::int64_t>(values.size()) / rows;
    chunk.states = values;
    return chunk;
}

ComponentStatistics statistics_of(const std::vector<double>& values, std::int64_t rows, std::uint64_t budget = 64u << 20) {
    StatisticsCollector collector(state_model(), static_cast<std::int64_t>(values.size()) / rows, rows, true, false, budget);
    collector.add(states_chunk(values, rows));
    return collector.result().states.at(0);
}

std::vector<double> random_values(std::size_t n, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal(5, 2);
    std::vector<double> values(n);
    for (double& value : values) value = normal(generator);
    return values;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return same(x, y); });
}

bool close(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance; }

void compare(const ComponentStatistics& a, const ComponentStatistics& b) {
    QVERIFY(same(a.quantiles, b.quantiles));
    QVERIFY(same(a.mean, b.mean));
    QVERIFY(same(a.standard_deviation, b.standard_deviation));
    QVERIFY(same(a.bin_width, b.bin_width));
    QCOMPARE(a.count, b.count);
    QCOMPARE(a.exact, b.exact);
}

/// Every quantile of every row lies within its bin's width of the exact one.
void compare_with_exact(const ComponentStatistics& measured, const std::vector<double>& values, std::size_t rows) {
    QVERIFY(!measured.exact);
    QCOMPARE(measured.bin_width.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> column;
        for (std::size_t i = row; i < values.size(); i += rows) column.push_back(values[i]);
        for (std::size_t level = 0; level < std::size(quantile_levels); ++level) {
            const double exact = quantile(column, quantile_levels[level]);
            QVERIFY(close(measured.quantiles[level * rows + row], exact, measured.bin_width[row]));
        }
    }
}

constexpr std::uint64_t small_budget = 4096;  // one row: 512 values, 1024 bins

}  // namespace

class TestStatistics : public QObject {
    Q_OBJECT
private slots:
    void percentiles_say_how_many_values_they_cover() {  // case B47
        const std::vector<double> errors{3e-6, missing, 1e-6, 2e-6, 8e-6, 5e-6, 6e-6, 7e-6, missing, 4e-6};
        const std::array levels{0.05, 0.5, 0.95, 1.0};
        const Percentiles p = percentiles(errors, levels);
        QCOMPARE(p.covered, std::int64_t{8});
        QCOMPARE(p.of, std::int64_t{10});
        QVERIFY(close(p.values[0], 1.35e-6, 1e-18));
        QVERIFY(close(p.values[1], 4.5e-6, 1e-18));
        QVERIFY(close(p.values[2], 7.65e-6, 1e-18));
        QCOMPARE(p.values[3], 8e-6);
    }

    void percentiles_of_nothing_are_missing_not_zero() {
        const std::array levels{0.5, 1.0};
        const Percentiles p = percentiles(std::vector<double>{missing, missing, std::numeric_limits<double>::infinity()}, levels);
        QCOMPARE(p.covered, std::int64_t{0});
        QCOMPARE(p.of, std::int64_t{3});
        QVERIFY(std::isnan(p.values[0]) && std::isnan(p.values[1]));
        QVERIFY(std::isnan(percentiles({}, levels).values.at(1)));
    }

    void moments_and_quantiles_are_exact_while_the_values_fit() {
        const ComponentStatistics s = statistics_of({1, 10, 2, missing, 3, 30, 4, missing}, 2);
        QVERIFY(s.exact && s.bin_width.empty());
        QCOMPARE(s.count, (std::vector<std::int64_t>{4, 2}));
        QVERIFY(same(s.mean, {2.5, 20}));
        QVERIFY(close(s.standard_deviation[0], std::sqrt(5.0 / 3), 1e-15));
        QVERIFY(close(s.standard_deviation[1], std::sqrt(200.0), 1e-13));
        const std::array expected{1.15, 11.0, 1.75, 15.0, 2.5, 20.0, 3.25, 25.0, 3.85, 29.0};  // [level][row]
        for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(close(s.quantiles.at(i), expected[i], 1e-14));
    }

    void a_row_without_values_is_missing() {
        for (const std::uint64_t budget : {std::uint64_t{1} << 20, std::uint64_t{64}}) {
            const ComponentStatistics s = statistics_of(std::vector<double>(100, missing), 1, budget);
            QCOMPARE(s.count[0], std::int64_t{0});
            QVERIFY(std::isnan(s.mean[0]) && std::isnan(s.standard_deviation[0]) && std::isnan(s.quantiles[2]));
        }
    }

    void one_value_has_no_deviation() {
        const ComponentStatistics s = statistics_of({7}, 1);
        QCOMPARE(s.mean[0], 7.0);
        QVERIFY(std::isnan(s.standard_deviation[0]));
        QCOMPARE(s.quantiles[4], 7.0);
    }

    void the_deviation_survives_a_large_mean() {
        const ComponentStatistics s = statistics_of({1e9 + 1, 1e9 + 2, 1e9 + 3}, 1);
        QVERIFY(close(s.standard_deviation[0], 1, 1e-6));
    }

    void quantiles_beyond_the_budget_are_right_to_a_bin() {
        const std::vector<double> values = random_values(60000, 1);
        const ComponentStatistics s = statistics_of(values, 3, 3 * small_budget);
        compare_with_exact(s, values, 3);
        QVERIFY(s.bin_width[0] < 0.05);  // of a standard deviation of 2
    }

    void histograms_widen_for_values_that_wander_off() {
        std::vector<double> values(20000);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i % 2 == 0 ? 1 : -0.1) * static_cast<double>(i);
        const ComponentStatistics s = statistics_of(values, 1, small_budget);
        compare_with_exact(s, values, 1);
        QVERIFY(s.bin_width[0] < 22000.0 / 200);
    }

    void a_few_runaways_dont_widen_the_bins() {
        std::vector<double> values = random_values(20000, 2);
        for (std::size_t i = 0; i < 20; ++i) values[i * 700 + 3] = i % 2 == 0 ? 1e300 : -1e12;
        for (std::size_t i = 0; i < 30; ++i) values[i * 600 + 5] = 100;
        const ComponentStatistics s = statistics_of(values, 1, small_budget);
        compare_with_exact(s, values, 1);
        QVERIFY(s.bin_width[0] < 0.5);  // covers the 30 at 100, not the 20 far off
        QCOMPARE(s.count[0], std::int64_t{20000});
    }

    void values_near_the_largest_double_are_survived() {
        std::vector<double> values = random_values(5000, 3);
        for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 1.7e308 : -1.7e308;
        const ComponentStatistics s = statistics_of(values, 1, small_budget);
        QCOMPARE(s.count[0], std::int64_t{5000});
        QVERIFY(std::isfinite(s.quantiles[2]));
    }

    void equal_values_have_that_value_as_quantile_data() {
        QTest::addColumn<double>("value");
        QTest::newRow("zero") << 0.0;
        QTest::newRow("8.2") << 8.2;
        QTest::newRow("-1e-200") << -1e-200;
        QTest::newRow("1e250") << 1e250;
    }
    void equal_values_have_that_value_as_quantile() {
        QFETCH(double, value);
        const ComponentStatistics s = statistics_of(std::vector<double>(5000, value), 1, small_budget);
        for (std::size_t level = 0; level < std::size(quantile_levels); ++level) QCOMPARE(s.quantiles[level], value);
        QCOMPARE(s.mean[0], value);
        QCOMPARE(s.standard_deviation[0], 0.0);
    }

    void missing_values_dont_spoil_the_histogram() {
        std::vector<double> values = random_values(5000, 4);
        std::fill_n(values.begin(), 1500, missing);
        std::fill_n(values.begin() + 3000, 500, missing);
        const ComponentStatistics s = statistics_of(values, 1, small_budget);
        compare_with_exact(s, values, 1);
        QCOMPARE(s.count[0], std::int64_t{3000});
        QVERIFY(s.bin_width[0] < 0.05);
    }

    void the_extremes_of_a_histogram_are_exact() {
        std::vector<double> values = random_values(5000, 6);
        values[2000] = -1e6;
        values[3000] = 1e7;
        WideningHistograms histograms(1, 1024);
        for (const double value : values) histograms.add(&value);
        const std::array levels{0.0, 1.0};
        QCOMPARE(histograms.quantiles(0, levels), (std::vector<double>{-1e6, 1e7}));
    }

    void the_chunks_dont_matter_data() {
        QTest::addColumn<quint64>("budget");
        QTest::newRow("exact") << quint64{64u << 20};
        QTest::newRow("histograms") << quint64{2 * small_budget};
    }
    void the_chunks_dont_matter() {
        QFETCH(quint64, budget);
        const std::vector<double> values = random_values(2 * 7000, 5);
        const ComponentStatistics whole = statistics_of(values, 2, budget);
        for (const std::size_t members : {1u, 7u, 999u, 6999u}) {
            StatisticsCollector collector(state_model(), 7000, 2, true, false, budget);
            for (std::size_t first = 0; first < 7000; first += members) {
                const std::size_t last = std::min<std::size_t>(first + members, 7000);
                const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(2 * first),
                                               values.begin() + static_cast<std::ptrdiff_t>(2 * last));
                collector.add(states_chunk(part, 2, static_cast<std::int64_t>(first)));
            }
            compare(collector.result().states.at(0), whole);
        }
    }

    void circular_means_go_through_zero() {
        EnsembleChunk chunk;
        chunk.count = 4;
        chunk.rows = 1;
        chunk.observables = {359, 1, 358, 2, 10, 20, 30, 40};  // phi, then r
        StatisticsCollector collector(observable_model(), 4, 1, false, true);
        collector.add(chunk);
        const EnsembleStatistics s = collector.result();
        QVERIFY(s.states.empty());
        const double mean = s.observables.at(0).mean[0];
        QVERIFY(close(std::remainder(mean, 360), 0, 1e-12));
        QVERIFY(mean >= 0 && mean <= 360);
        const double resultant = (std::cos(M_PI / 180) + std::cos(2 * M_PI / 180)) / 2;
        QVERIFY(close(s.observables[0].standard_deviation[0], std::sqrt(-2 * std::log(resultant)) * 180 / M_PI, 1e-10));
        QVERIFY(std::isnan(s.observables[0].quantiles[2]));
        QCOMPARE(s.observables[0].count[0], std::int64_t{4});
        QCOMPARE(s.observables.at(1).quantiles[2], 25.0);
    }

    void circular_means_lie_where_the_values_lie() {
        StatisticsCollector positive(observable_model(), 2, 1, false, true), both(observable_model(), 2, 1, false, true);
        EnsembleChunk chunk;
        chunk.count = 2;
        chunk.rows = 1;
        chunk.observables = {250, 270, 0, 0};
        positive.add(chunk);
        chunk.observables = {-110, -90, 0, 0};
        both.add(chunk);
        QVERIFY(close(positive.result().observables[0].mean[0], 260, 1e-10));
        QVERIFY(close(both.result().observables[0].mean[0], -100, 1e-10));
    }

    // Isotropic spins: deltaPhi crowds on both sides of pi here, where a plain mean would be 0 and a median without meaning.
    void delta_phi_of_the_spins_has_circular_statistics() {
        const ModelDescription model = describe<models::BbhPrecession>();
        const std::size_t members = 1000, quantities = model.observables.size();
        const auto delta_phi = static_cast<std::size_t>(ModelDescription::index_of(model.observables, "deltaPhi"));
        const auto theta1 = static_cast<std::size_t>(ModelDescription::index_of(model.observables, "theta1"));
        EnsembleChunk chunk;
        chunk.count = static_cast<std::int64_t>(members);
        chunk.rows = 1;
        chunk.observables.resize(quantities * members);
        for (std::size_t m = 0; m < members; ++m) {
            const std::vector<double> p{0.8, 0.7, 0.6, 1, 1.4, m % 2 == 0 ? M_PI - 0.2 : 0.2 - M_PI};
            std::vector<double> y(model.states.size()), out(quantities);
            models::BbhPrecession::initial_state(p.data(), y.data());
            models::BbhPrecession::observe(0.1, y.data(), p.data(), out.data());
            for (std::size_t q = 0; q < quantities; ++q) chunk.observables[q * members + m] = out[q];
        }
        StatisticsCollector collector(model, chunk.count, 1, false, true);
        collector.add(chunk);
        const EnsembleStatistics s = collector.result();
        QVERIFY(close(std::remainder(s.observables.at(delta_phi).mean[0] - M_PI, 2 * M_PI), 0, 1e-12));
        QVERIFY(close(s.observables[delta_phi].standard_deviation[0], std::sqrt(-2 * std::log(std::cos(0.2))), 1e-12));
        for (const double quantile : s.observables[delta_phi].quantiles) QVERIFY(std::isnan(quantile));
        QVERIFY(close(s.observables.at(theta1).quantiles[2], 1, 1e-15));
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
