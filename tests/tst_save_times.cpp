// Save times: counts, intervals and lists; rounding at the end of the span; spans of members.
#include <cmath>
#include <limits>

#include <QtTest>

#include "engine/save_times.hpp"

namespace {

using namespace gradscape;

SpanRequest counted(std::int64_t count) { return {.save = SpanRequest::Save::count, .count = count, .times = {}}; }
SpanRequest each(double every) { return {.save = SpanRequest::Save::every, .every = every, .times = {}}; }
SpanRequest listed(std::vector<double> times) { return {.save = SpanRequest::Save::list, .times = std::move(times)}; }

std::int64_t ulps_apart(double a, double b) {
    std::int64_t count = 0;
    for (; a != b && count < 10; a = std::nextafter(a, b)) ++count;
    return count;
}

EnsembleRequest with_table(SpanRequest span, std::vector<std::string> names, std::vector<std::vector<double>> columns) {
    EnsembleRequest request;
    request.span = std::move(span);
    request.table = {std::move(names), std::move(columns)};
    request.size = request.table.size();
    return request;
}

class SaveTimesTest : public QObject {
    Q_OBJECT

private slots:
    void an_interval_gives_every_multiple_and_the_end_data() {
        QTest::addColumn<double>("start");
        QTest::addColumn<double>("end");
        QTest::addColumn<double>("every");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("multiples");  // rows that are start ± k*every; the others are the end
        // Fields cases B20, B07 and B46.
        QTest::newRow("0..1 by 0.1") << 0.0 << 1.0 << 0.1 << 11 << 10;
        QTest::newRow("0..1 by 0.2") << 0.0 << 1.0 << 0.2 << 6 << 5;
        QTest::newRow("0..1 by 0.01") << 0.0 << 1.0 << 0.01 << 101 << 100;
        QTest::newRow("0..1 by 0.3") << 0.0 << 1.0 << 0.3 << 5 << 4;
        QTest::newRow("microseconds") << 0.0 << 8.99e-7 << 1e-7 << 10 << 9;
        QTest::newRow("0.1..0.7 by 0.1") << 0.1 << 0.7 << 0.1 << 7 << 6;
        QTest::newRow("12.98..13.02 by 0.002") << 12.98 << 13.02 << 0.002 << 21 << 20;
        QTest::newRow("backwards") << 0.0 << -3.0 << 0.03 << 101 << 100;
        QTest::newRow("backwards from 13.02") << 13.02 << 12.98 << 0.002 << 21 << 20;
        QTest::newRow("longer than the span") << 0.0 << 1.0 << 5.0 << 2 << 1;
        QTest::newRow("as long as the span") << 0.0 << 1.0 << 1.0 << 2 << 1;
        QTest::newRow("just beyond the end") << 0.0 << 1.0 << 0.5000001 << 3 << 2;
        QTest::newRow("just before the end") << 0.0 << 1.0 << 0.4999999 << 4 << 3;
        QTest::newRow("zero length") << 2.5 << 2.5 << 0.1 << 1 << 0;
        QTest::newRow("two roundings long") << 1.0 << 1 + 4e-16 << 0.1 << 2 << 1;
        QTest::newRow("tiny times") << 0.0 << 1e-13 << 1e-15 << 101 << 100;
        QTest::newRow("long times") << 0.0 << 1e12 << 1e9 << 1001 << 1000;
    }
    void an_interval_gives_every_multiple_and_the_end() {
        QFETCH(double, start);
        QFETCH(double, end);
        QFETCH(double, every);
        QFETCH(int, rows);
        QFETCH(int, multiples);
        const std::vector<double> times = save_times(each(every), start, end);
        QCOMPARE(times.size(), static_cast<std::size_t>(rows));
        QCOMPARE(save_time_count(each(every), start, end), std::int64_t{rows});
        QVERIFY(times.back() == end);
        for (int k = 0; k < multiples; ++k) {
            const long double exact = static_cast<long double>(start) + (end < start ? -1 : 1) * k * static_cast<long double>(every);
            QVERIFY(ulps_apart(times[static_cast<std::size_t>(k)], static_cast<double>(exact)) <= 1);
        }
        for (std::size_t k = 1; k < times.size(); ++k) QVERIFY((times[k] - times[k - 1]) * (end - start) > 0);
    }

    void intervals_written_as_decimals_meet_the_end() {
        for (int n = 1; n <= 400; ++n)
            for (const double every : {0.1, 0.01, 0.002, 0.3, 0.07, 1e-7, 1.1})
                for (const double start : {0.0, 0.1, -12.98, 1000.3}) {
                    const double end = static_cast<double>(static_cast<long double>(start) + n * static_cast<long double>(every));
                    const std::vector<double> forward = save_times(each(every), start, end);
                    QVERIFY2(forward.size() == static_cast<std::size_t>(n) + 1 && forward.back() == end, qPrintable(QString::number(n)));
                    QCOMPARE(save_times(each(every), end, start).size(), static_cast<std::size_t>(n) + 1);
                }
    }

    void a_count_is_evenly_spaced_and_ends_at_the_end() {
        const std::vector<double> times = save_times(counted(101), 0, 1);
        QCOMPARE(times.size(), std::size_t{101});
        for (int k = 0; k <= 100; ++k) QVERIFY(times[static_cast<std::size_t>(k)] == k / 100.0);
        const std::vector<double> tenths = save_times(counted(31), 0, 3);
        for (int k = 0; k <= 30; ++k) QVERIFY(tenths[static_cast<std::size_t>(k)] == k / 10.0);
        const std::vector<double> backwards = save_times(counted(4), 0, -3);
        QCOMPARE(backwards, (std::vector<double>{0, -1, -2, -3}));
        for (const double end : {0.1, -17.3, 1e300, -1e308}) QVERIFY(save_times(counted(7), 0.3, end).back() == end);
    }

    void counted_times_stay_within_the_span_and_never_go_back() {
        for (const double start : {-1e-20, 0.1, 1e17, -8e307})
            for (const double end : {0.3, 0.1 + 1e-16, 1e17 + 64, 8e307}) {
                const std::vector<double> times = save_times(counted(1001), start, end);
                QVERIFY(times.front() == start && times.back() == end);
                QVERIFY(std::abs(times[500] - (start + 0.5 * (end - start))) <= 1e-15 * std::abs(end - start));
                for (std::size_t k = 1; k < times.size(); ++k) QVERIFY((times[k] - times[k - 1]) * (end < start ? -1 : 1) >= 0);
            }
    }

    void a_count_of_one_is_the_end() { QCOMPARE(save_times(counted(1), 2, 5), std::vector<double>{5}); }

    void a_count_on_a_span_of_zero_length_repeats_the_start() {
        QCOMPARE(save_times(counted(3), 2.5, 2.5), (std::vector<double>{2.5, 2.5, 2.5}));
    }

    void a_list_is_kept_one_for_one() {
        const std::vector<double> times{0, 0, 0.25, 0.25, 1, 4, 4};  // field case B06
        QCOMPARE(save_times(listed(times), 0, 4), times);
        QCOMPARE(save_time_count(listed(times), 0, 4), std::int64_t{7});
    }

    void members_without_spans_of_their_own_share_one_list() {
        EnsembleRequest request = with_table(each(0.5), {"rho"}, {{1, 2, 3}});
        QVERIFY(!has_member_spans(request));
        const SaveTimes times = run_save_times(request);
        QVERIFY(!times.per_member);
        QCOMPARE(times.rows, std::int64_t{3});
        QCOMPARE(times.shared, (std::vector<double>{0, 0.5, 1}));
    }

    void members_with_spans_of_their_own_have_lists_of_their_own() {
        EnsembleRequest request = with_table(each(0.5), {"end"}, {{1, -3, 0.7}});
        QVERIFY(has_member_spans(request));
        const SaveTimes times = run_save_times(request);
        QVERIFY(times.per_member && times.shared.empty());
        QCOMPARE(times.rows, std::int64_t{7});  // 0, -0.5, ..., -3
        QVERIFY(member_span(request, 1).start == 0 && member_span(request, 1).end == -3);
        request.size = 1;
        QCOMPARE(run_save_times(request).rows, std::int64_t{3});
        request.span = counted(5);
        QCOMPARE(run_save_times(request).rows, std::int64_t{5});
    }

    void a_list_is_shared_by_members_with_spans_of_their_own() {
        const SaveTimes times = run_save_times(with_table(listed({0, 1}), {"start", "end"}, {{0, 1}, {1, 2}}));
        QVERIFY(!times.per_member);
        QCOMPARE(times.shared, (std::vector<double>{0, 1}));
    }

    void exported_rows_are_counted_back_from_the_last() {
        QCOMPARE(exported_rows(7, 1), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
        QCOMPARE(exported_rows(7, 3), (std::vector<std::int64_t>{0, 3, 6}));
        QCOMPARE(exported_rows(6, 3), (std::vector<std::int64_t>{2, 5}));
        QCOMPARE(exported_rows(3, 100), (std::vector<std::int64_t>{2}));
        QCOMPARE(exported_rows(0, 2), std::vector<std::int64_t>{});
    }
};

}  // namespace

QTEST_GUILESS_MAIN(SaveTimesTest)
#include "tst_save_times.moc"
