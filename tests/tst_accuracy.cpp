// The accuracy that a run reports: default tolerances keep every model within its threshold, and the verdict says when nothing can be said.
#include "tests/ensemble_runs.hpp"

#include <map>

#include "engine/accuracy.hpp"
#include "engine/sampling.hpp"
#include "engine/scenario.hpp"

namespace {

using namespace gradscape;
using namespace gradscape::tests;
using Verdict = AccuracyResult::Verdict;

QString described(const EnsembleResult& result) {
    const AccuracyResult& accuracy = result.accuracy;
    return QString("%1; 99th percentile %2 of %3 members, references differ by %4")
        .arg(QString::fromStdString(accuracy.sentence)).arg(accuracy.maximum.values.empty() ? missing : accuracy.maximum.values[2])
        .arg(accuracy.maximum.covered).arg(accuracy.reference_disagreement);
}

EnsembleRequest lorenz_at(double rho, double end, double rtol) {
    EnsembleRequest request = default_request(model_named("lorenz").description);
    request.parameters[1] = {.kind = Draw::Kind::uniform, .min = rho - 0.5, .max = rho + 0.5};
    request.size = 64;
    request.solver.rtol = rtol;
    request.solver.atol.assign(3, rtol / 100);
    request.solver.max_steps = 1000000;
    save_evenly(request, 0, end, 11);
    return request;
}

}  // namespace

class TestAccuracy : public QObject {
    Q_OBJECT

private slots:
    void default_tolerances_stay_a_tenth_below_the_threshold_data();
    void default_tolerances_stay_a_tenth_below_the_threshold();
    void a_loose_tolerance_is_reported();
    void no_verdict_is_given_on_chaos();
    void no_verdict_is_given_where_double_precision_holds_no_reference();
    void no_verdict_is_given_when_no_member_has_a_reference();
    void a_stop_after_the_last_member_leaves_the_accuracy_uncomputed();
    void percentiles_cover_the_members_that_arrived();
    void the_subsample_spreads_over_the_ensemble();
    void the_subsample_of_sobol_points_covers_their_range_data();
    void the_subsample_of_sobol_points_covers_their_range();
    void the_subsample_of_a_grid_is_no_slice_of_it_data();
    void the_subsample_of_a_grid_is_no_slice_of_it();
    void the_reference_is_far_tighter_but_not_below_double_precision();
};

void TestAccuracy::default_tolerances_stay_a_tenth_below_the_threshold_data() {
    QTest::addColumn<std::string>("model");
    for (const Model& model : catalogue()) QTest::newRow(model.description.info.name) << std::string(model.description.info.name);
}

// Every parameter over the range that the program offers, in its scale; the start and the span are the model's defaults.
void TestAccuracy::default_tolerances_stay_a_tenth_below_the_threshold() {
    QFETCH(std::string, model);
    const ModelDescription& description = model_named(model).description;
    EnsembleRequest request = default_request(description);
    for (std::size_t i = 0; i < description.parameters.size(); ++i) {
        const ParameterInfo& info = description.parameters[i];
        const Draw::Kind kind = info.scale == Scale::log ? Draw::Kind::log_uniform : Draw::Kind::uniform;
        request.parameters[i] = {.kind = kind, .min = info.min, .max = info.max};
    }
    request.size = request.accuracy_subsample = 512;
    const EnsembleResult result = run_ensemble(model_named(model), request);
    // The ranges of a model that shoots may hold members without a solution.
    const std::int64_t unsolved = description.shooting != nullptr ? result.by_status[static_cast<std::size_t>(Status::shooting_failed)] : 0;
    QVERIFY(unsolved < request.size / 5);
    QCOMPARE(result.by_status[0], request.size - unsolved);
    QCOMPARE(result.accuracy.maximum.covered, request.size - unsolved);
    QVERIFY2(result.accuracy.verdict == Verdict::within, qPrintable(described(result)));
    QVERIFY2(result.accuracy.maximum.values[2] <= 0.1 * result.accuracy.threshold, qPrintable(described(result)));
}

void TestAccuracy::a_loose_tolerance_is_reported() {
    const EnsembleResult result = run_ensemble(model_named("lorenz"), lorenz_at(20, 1, 1e-4));
    QVERIFY2(result.accuracy.verdict == Verdict::exceeded, qPrintable(described(result)));
    QVERIFY(result.accuracy.maximum.values[2] > result.accuracy.threshold);
    QVERIFY(QString::fromStdString(result.accuracy.sentence).contains("tighten"));
}

void TestAccuracy::no_verdict_is_given_on_chaos() {
    const EnsembleResult result = run_ensemble(model_named("lorenz"), lorenz_at(28, 40, 1e-9));
    QVERIFY2(result.accuracy.verdict == Verdict::withheld, qPrintable(described(result)));
    QVERIFY(result.accuracy.reference_disagreement > 0.1 * result.accuracy.threshold);
    QVERIFY(QString::fromStdString(result.accuracy.sentence).startsWith("withheld: two references"));
}

// The reference ends at 1e-14; at this tolerance it would be the run itself.
void TestAccuracy::no_verdict_is_given_where_double_precision_holds_no_reference() {
    for (const double rtol : {1e-12, 1e-13, 1e-14}) {
        const EnsembleResult chaos = run_ensemble(model_named("lorenz"), lorenz_at(28, 60, rtol));
        QVERIFY2(chaos.accuracy.verdict == Verdict::withheld, qPrintable(described(chaos)));
        const EnsembleResult calm = run_ensemble(model_named("lorenz"), lorenz_at(20, 1, rtol));
        QVERIFY2(calm.accuracy.verdict == (rtol >= 1e-13 ? Verdict::within : Verdict::withheld), qPrintable(described(calm)));
    }
}

void TestAccuracy::no_verdict_is_given_when_no_member_has_a_reference() {
    const Model& model = model_named("square_growth");
    EnsembleRequest request = request_for(model);
    request.accuracy_subsample = 8;
    save_evenly(request, 0, 2, 1);  // blows up at 1
    const EnsembleResult result = run_ensemble(model, request);
    QVERIFY2(result.accuracy.verdict == Verdict::withheld, qPrintable(described(result)));
    QCOMPARE(result.accuracy.maximum.covered, std::int64_t{0});
    QVERIFY(std::isnan(result.accuracy.maximum.values[2]));
}

// The stop comes while the last block is delivered: the ensemble is complete then, its references are not.
void TestAccuracy::a_stop_after_the_last_member_leaves_the_accuracy_uncomputed() {
    struct StoppingSink final : ChunkSink {
        void chunk(const EnsembleChunk&) override { source.request_stop(); }
        std::stop_source source;
    } sink;
    RunOptions options;
    options.sink = &sink;
    options.stop = sink.source.get_token();
    const EnsembleResult result = run_ensemble(model_named("lorenz"), lorenz_at(20, 1, 1e-8), options);
    QCOMPARE(result.by_status[0], result.requested);
    QVERIFY(result.accuracy.verdict == Verdict::not_computed);
    QCOMPARE(result.accuracy.sentence, std::string("not computed: the run was stopped"));
}

void TestAccuracy::percentiles_cover_the_members_that_arrived() {
    const Model& model = model_named("square_growth");
    EnsembleRequest request = request_for(model);
    request.accuracy_subsample = 100;
    std::vector<double> starts;
    for (int i = 0; i < 100; ++i) starts.push_back(i < 30 ? 1.0 : -1.0 - i);
    vary(request, model, "y0", starts);
    save_evenly(request, 0, 2, 5);
    const EnsembleResult result = run_ensemble(model, request);
    QCOMPARE(result.by_status[0], std::int64_t{70});
    QCOMPARE(result.accuracy.maximum.covered, std::int64_t{70});
    QCOMPARE(result.accuracy.maximum.of, std::int64_t{100});
    QCOMPARE(result.accuracy.rows, std::int64_t{5});
    for (std::size_t member = 0; member < 100; ++member)
        for (std::size_t row = 0; row < 5; ++row) {
            const double error = result.accuracy.error[member * 5 + row];
            QVERIFY(member < 30 ? std::isnan(error) : error >= 0 && error < 1e-6);
        }
}

void TestAccuracy::the_subsample_spreads_over_the_ensemble() {
    QCOMPARE(accuracy_members(10, 256).size(), std::size_t{10});
    QVERIFY(accuracy_members(1000, 0).empty());
    const std::vector<std::int64_t> members = accuracy_members(1000000, 256);
    QCOMPARE(members.size(), std::size_t{256});
    for (std::size_t i = 0; i < members.size(); ++i)  // one of each 256th
        QVERIFY(members[i] * 256 / 1000000 == static_cast<std::int64_t>(i) || members[i] == static_cast<std::int64_t>(i) * 1000000 / 256);
}

void TestAccuracy::the_subsample_of_sobol_points_covers_their_range_data() {
    QTest::addColumn<qint64>("size");
    for (const qint64 size : {256, 1024, 4096, 20000, 65536, 1048576}) QTest::addRow("%lld", size) << size;
}

// Every k-th point of a Sobol sequence lies in one k-th of the range where k is a power of two.
void TestAccuracy::the_subsample_of_sobol_points_covers_their_range() {
    QFETCH(qint64, size);
    const ModelDescription& model = model_named("lorenz").description;
    EnsembleRequest request = lorenz_at(20, 1, 1e-8);
    request.sampling = Sampling::sobol;
    request.size = size;
    const Sampler sampler(model, request);
    std::array<int, 16> found{};
    for (const std::int64_t member : accuracy_members(size, 256)) {
        double parameters[3], state[3], start = 0, end = 0;
        sampler.member(member, parameters, state, start, end);
        ++found.at(static_cast<std::size_t>(16 * (parameters[1] - 19.5)));
    }
    for (const int members : found) QVERIFY2(members >= 8 && members <= 24, qPrintable(QString::number(members)));  // of 256
}

void TestAccuracy::the_subsample_of_a_grid_is_no_slice_of_it_data() {
    QTest::addColumn<QList<int>>("points");
    for (const QList<int>& points : QList<QList<int>>{{256, 256}, {64, 64}, {64, 16}, {1000, 100}, {100, 1000}, {32, 32, 32},
                                                      {64, 64, 64}, {16, 16, 16, 16}, {8, 8, 8, 8, 8}, {10, 10, 10, 10}, {512, 2},
                                                      {2, 512}, {128, 4, 128}}) {
        QStringList name;
        for (const int n : points) name << QString::number(n);
        QTest::newRow(qPrintable(name.join(" x "))) << points;
    }
}

// Every k-th member of a grid has one and the same point of its last quantities where k is a multiple of their points.
void TestAccuracy::the_subsample_of_a_grid_is_no_slice_of_it() {
    QFETCH(QList<int>, points);
    std::int64_t size = 1;
    for (const int n : points) size *= n;
    std::map<std::vector<int>, int> halves;  // members in the quadrants of each two quantities
    for (std::int64_t member : accuracy_members(size, 256)) {
        std::vector<int> half;
        for (qsizetype q = points.size() - 1; q >= 0; --q) {
            half.push_back(static_cast<int>(2 * (member % points[q]) / points[q]));
            member /= points[q];
        }
        for (std::size_t a = 0; a < half.size(); ++a)
            for (std::size_t b = a + 1; b < half.size(); ++b)
                ++halves[{static_cast<int>(a), static_cast<int>(b), half[a], half[b]}];
    }
    QCOMPARE(halves.size(), static_cast<std::size_t>(4 * points.size() * (points.size() - 1) / 2));
    for (const auto& [quadrant, found] : halves) QVERIFY2(found >= 32 && found <= 96, qPrintable(QString::number(found)));  // of 256: 64
}

void TestAccuracy::the_reference_is_far_tighter_but_not_below_double_precision() {
    EnsembleRequest request = request_for(model_named("lorenz"), 1e-6, 1e-7);
    QCOMPARE(reference_request(request).solver.rtol, 1e-12);
    QCOMPARE(reference_request(request).solver.method, std::string("vern7"));
    COMPARE_WITHIN(reference_request(request).solver.atol[0], 1e-13, 1e-19);
    COMPARE_WITHIN(reference_request(request, 10).solver.rtol, 1e-11, 1e-20);
    request.solver.rtol = 1e-10;
    COMPARE_WITHIN(reference_request(request).solver.rtol, 1e-13, 1e-22);
    for (const double rtol : {1e-12, 1e-13, 1e-14}) {  // the second reference is another run wherever the first one ends
        request.solver.rtol = rtol;
        QCOMPARE(reference_request(request).solver.rtol, 1e-14);
        COMPARE_WITHIN(reference_request(request, 10).solver.rtol, 1e-13, 1e-22);
    }
}

QTEST_GUILESS_MAIN(TestAccuracy)
#include "tst_accuracy.moc"
