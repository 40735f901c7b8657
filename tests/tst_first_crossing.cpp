// The search for a function's first rise through zero: found, first, and with few evaluations; what it says where there is none.
#include "engine/first_crossing.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <QtTest>

namespace {

using namespace gradscape;
using Verdict = FirstCrossing::Verdict;

constexpr CrossingRules rules{.tolerance = 1e-11, .largest = 60};

struct Search {
    Verdict verdict;
    double x;
    int evaluations;
};

Search search(const std::function<double(double)>& f, double lowest, const CrossingRules& by = rules) {
    FirstCrossing crossing{};
    if (!crossing.begin(lowest, by)) return {Verdict::none, lowest, 0};
    Verdict verdict = Verdict::evaluate;
    while (verdict == Verdict::evaluate) {
        if (!(crossing.x >= 0.69 * lowest && crossing.x <= by.largest)) return {Verdict::stalled, crossing.x, -1};  // asked for what it mustn't
        verdict = crossing.report(f(crossing.x), by);
    }
    return {verdict, crossing.x, crossing.evaluations};
}

/// The first x at which f isn't below zero any more, by steps of a thousandth; NaN when there is none up to the largest.
double first_above(const std::function<double(double)>& f, double lowest) {
    for (double x = lowest; x <= rules.largest; x *= 1.001)
        if (f(x) >= 0) return x;
    return std::nan("");
}

}  // namespace

class TestFirstCrossing : public QObject {
    Q_OBJECT

private slots:
    void the_crossing_is_found_in_few_evaluations_data() {
        QTest::addColumn<std::function<double(double)>>("f");
        QTest::addColumn<double>("lowest");
        QTest::addColumn<double>("crossing");
        QTest::addColumn<int>("evaluations");  // allowed: one or two more than it took
        const auto row = [](const char* name, std::function<double(double)> f, double lowest, double crossing, int evaluations) {
            QTest::newRow(name) << std::move(f) << lowest << crossing << evaluations;
        };
        row("line", [](double x) { return x - 1.3; }, 1, 1.3, 5);
        row("root at the lowest", [](double x) { return 2 * (x - 1); }, 1, 1, 1);
        row("concave", [](double x) { return std::log(x / 3); }, 0.5, 3, 13);
        row("convex", [](double x) { return x * x * x - 8; }, 1, 2, 19);
        row("far away", [](double x) { return std::log(x / 50); }, 1, 50, 19);
        row("steep", [](double x) { return std::tanh(30 * (x - 1.2)); }, 1, 1.2, 14);
        row("nearly flat", [](double x) { return 1e-3 * (x - 1.4); }, 1, 1.4, 4);
    }
    void the_crossing_is_found_in_few_evaluations() {
        QFETCH(std::function<double(double)>, f);
        QFETCH(double, lowest);
        QFETCH(double, crossing);
        QFETCH(int, evaluations);
        const Search found = search(f, lowest);
        QCOMPARE(found.verdict, Verdict::found);
        QVERIFY2(std::abs(found.x - crossing) <= 1e-7, qPrintable(QString::number(found.x, 'g', 17)));
        QVERIFY(std::abs(f(found.x)) <= rules.tolerance);
        QVERIFY2(found.evaluations <= evaluations, qPrintable(QString::number(found.evaluations)));
    }

    // Above a hump F falls below zero again and rises for good later.
    void the_first_of_several_crossings_is_taken_data() {
        QTest::addColumn<double>("height");
        for (const double height : {0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-7}) QTest::addRow("%g", height) << height;
    }
    void the_first_of_several_crossings_is_taken() {
        QFETCH(double, height);
        std::mt19937_64 random(1);
        std::uniform_real_distribution unit(0.0, 1.0);
        for (int repeat = 0; repeat < 300; ++repeat) {
            const double top = 1.2 + unit(random), width = 0.3 + unit(random), slope = unit(random);
            const auto f = [&](double x) { return height - std::pow((x - top) / width, 2) + slope * std::pow(std::max(0.0, x - top), 3); };
            const Search found = search(f, 1);
            const double edge = std::max(1.0, top - width * std::sqrt(height));
            if (f(1.0) > 0) {
                QVERIFY(found.verdict == Verdict::none || (found.verdict == Verdict::found && found.x < 1));
                continue;
            }
            QCOMPARE(found.verdict, Verdict::found);
            QVERIFY2(std::abs(found.x - edge) <= 1e-6 * width / std::sqrt(height) * 1e-3 + 1e-7,
                     qPrintable(QString("%1 is not %2, repeat %3").arg(found.x, 0, 'g', 17).arg(edge, 0, 'g', 17).arg(repeat)));
        }
    }

    // Waves of changing height and length, as of a field that oscillates about its minimum: nothing that is as wide as a step is missed.
    void no_wave_is_jumped_over() {
        std::mt19937_64 random(2);
        std::uniform_real_distribution unit(0.0, 1.0);
        int crossed = 0;
        for (int repeat = 0; repeat < 2000; ++repeat) {
            const double turns = 3 + 9 * unit(random), phase = 6.3 * unit(random), level = -1.2 + 0.5 * unit(random), decay = unit(random);
            const auto f = [&](double x) { return level + std::cos(turns * std::log(x) + phase) * (1 - decay * std::log(x) / 10); };
            if (f(0.5) >= 0) continue;
            const double brute = first_above(f, 0.5);
            const Search found = search(f, 0.5);
            if (std::isnan(brute)) {
                QVERIFY2(found.verdict == Verdict::none, qPrintable(QString("repeat %1 at %2").arg(repeat).arg(found.x)));
                continue;
            }
            ++crossed;
            QVERIFY2(found.verdict == Verdict::found && found.x <= brute && found.x >= brute / 1.0011,
                     qPrintable(QString("repeat %1: %2 instead of %3").arg(repeat).arg(found.x).arg(brute)));
        }
        QVERIFY(crossed > 100);
    }

    // The crests reach just above zero and the search steps over most of them.
    void a_crest_that_was_stepped_over_is_looked_into() {
        std::mt19937_64 random(3);
        std::uniform_real_distribution unit(0.0, 1.0);
        for (const double height : {1e-2, 1e-3, 1e-4})
            for (int repeat = 0; repeat < 1000; ++repeat) {
                const double turns = 3 + 9 * unit(random), phase = 6.3 * unit(random), before = std::acos(1 - height);
                const auto f = [&](double x) { return std::cos(turns * std::log(x) + phase) - 1 + height; };
                if (f(0.5) >= 0) continue;
                const double start = turns * std::log(0.5) + phase + before;  // the first crest is where this is a multiple of 2 pi
                const double crossing = 0.5 * std::exp((std::ceil(start / (2 * M_PI)) * 2 * M_PI - start) / turns);
                if (crossing < 0.55) continue;  // a crest is seen once three points are known
                const Search found = search(f, 0.5);
                QVERIFY2(found.verdict == Verdict::found && std::abs(found.x - crossing) <= 1e-6 * crossing,
                         qPrintable(QString("height %1, repeat %2: %3 instead of %4").arg(height).arg(repeat).arg(found.x).arg(crossing)));
            }
    }

    void without_a_crossing_the_search_ends_at_the_largest() {
        double most = 0;
        const auto seen = [&](double (*f)(double)) {
            return [&most, f](double x) {
                most = std::max(most, x);
                return f(x);
            };
        };
        QCOMPARE(search(seen([](double) { return -1.0; }), 1).verdict, Verdict::none);
        QVERIFY(most == rules.largest);
        QCOMPARE(search(seen([](double x) { return -1 / x; }), 1).verdict, Verdict::none);
        QCOMPARE(search([](double x) { return x - 60.001; }, 1).verdict, Verdict::none);
        QCOMPARE(search([](double x) { return x - 59.999; }, 1).verdict, Verdict::found);
        QCOMPARE(search([](double x) { return x - 60; }, 1).verdict, Verdict::found);
    }

    void a_lowest_unknown_that_is_none_is_refused() {
        for (const double lowest : {0.0, -1.0, 61.0, std::nan(""), HUGE_VAL}) {
            FirstCrossing crossing{};
            QVERIFY(!crossing.begin(lowest, rules));
        }
        QCOMPARE(search([](double) { return 1.0; }, 1).verdict, Verdict::none);
        QCOMPARE(search([](double) { return 1.0; }, 1).evaluations, 9);
    }

    void a_crossing_a_little_below_the_lowest_is_found() {
        for (const double root : {0.999999, 0.99, 0.95, 0.8}) {
            const Search found = search([root](double x) { return std::log(x / root); }, 1);
            QCOMPARE(found.verdict, Verdict::found);
            QVERIFY2(std::abs(found.x - root) <= 1e-10, qPrintable(QString::number(found.x, 'g', 17)));
            QVERIFY(found.evaluations <= 12);
        }
    }

    void a_value_that_is_no_number_ends_the_search() {
        QCOMPARE(search([](double x) { return x < 1.01 ? -1 : std::nan(""); }, 1).verdict, Verdict::none);
    }

    void a_jump_through_zero_is_told_from_a_crossing() {
        const Search jump = search([](double x) { return x - 1.3 + (x < 1.3 ? -1e-6 : 1e-6); }, 1);
        QCOMPARE(jump.verdict, Verdict::stalled);
        QVERIFY(std::abs(jump.x - 1.3) <= 1e-15);
    }

    void the_number_of_evaluations_is_limited() {
        CrossingRules few = rules;
        few.most_evaluations = 7;
        const Search found = search([](double x) { return std::log(x / 50); }, 1, few);
        QCOMPARE(found.verdict, Verdict::none);
        QCOMPARE(found.evaluations, 7);
    }
};

QTEST_GUILESS_MAIN(TestFirstCrossing)
#include "tst_first_crossing.moc"
