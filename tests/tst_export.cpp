// The HDF5 export: what is written reads back, and nothing broken ever stands under a final name.
#include <QtTest>

#include <hdf5.h>

#include <fstream>
#include <random>

#include "engine/export/chunk_compression.hpp"
#include "engine/export/export_layout.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "tests/export_checks.hpp"
#include "tests/made_up_ensemble.hpp"

using namespace gradscape;
namespace fs = std::filesystem;

Q_DECLARE_METATYPE(gradscape::EnsembleRequest)

namespace {

EnsembleRequest with(EnsembleRequest request, OutputRequest::Compression compression) {
    request.output.compression = compression;
    return request;
}

/// Sends the members first..end.
void send(Hdf5Writer& writer, const EnsembleRequest& request, std::int64_t first, std::int64_t end) {
    writer.chunk(made_up::chunk(request, first, end - first));
}

/// A chunk of members that the run never came to.
EnsembleChunk not_run(const EnsembleRequest& request, std::int64_t first, std::int64_t count) {
    EnsembleChunk chunk = made_up::chunk(request, first, count);
    std::fill(chunk.states.begin(), chunk.states.end(), made_up::missing);
    std::fill(chunk.observables.begin(), chunk.observables.end(), made_up::missing);
    std::fill(chunk.status.begin(), chunk.status.end(), Status::not_run);
    return chunk;
}

void write_foreign_file(const fs::path& file, const std::vector<std::pair<std::string, std::vector<double>>>& columns) {
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const auto& [name, values] : columns) {
        const hsize_t size = values.size();
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        const hid_t dataset = H5Dcreate2(id, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(dataset);
        H5Sclose(space);
    }
    H5Gclose(H5Gcreate2(id, "a_group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(id);
}

}  // namespace

class TestExport : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    fs::path in_folder(const std::string& name) const { return fs::path(folder_->path().toStdString()) / name; }
    std::vector<std::string> names() const { return names_in(folder_->path().toStdString()); }

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void what_is_written_reads_back_data() {
        using Compression = OutputRequest::Compression;
        QTest::addColumn<EnsembleRequest>("request");
        QTest::addColumn<int>("chunk_members");
        QTest::newRow("one chunk") << made_up::request(100, 11) << 100;
        QTest::newRow("member by member") << made_up::request(100, 11) << 1;
        QTest::newRow("one member") << made_up::request(1, 5) << 1;
        QTest::newRow("several batches") << made_up::request(1500, 400) << 97;
        QTest::newRow("gzip") << with(made_up::request(1500, 400), Compression::gzip) << 97;
        QTest::newRow("automatic compression") << with(made_up::request(100, 11), Compression::automatic) << 30;
        QTest::newRow("final states only") << made_up::request(70000, 1) << 9999;
        QTest::newRow("spans of their own") << made_up::request_with_spans(100, 11) << 33;
        QTest::newRow("rows in several blocks") << made_up::request(70, 9001) << 50;
        QTest::newRow("rows in several blocks, gzip") << with(made_up::request(40, 9001), Compression::gzip) << 16;
    }
    void what_is_written_reads_back() {
        QFETCH(EnsembleRequest, request);
        QFETCH(int, chunk_members);
        made_up::write(in_folder("a.h5"), request, chunk_members);
        QCOMPARE(names(), std::vector<std::string>{"a.h5"});
        const Hdf5Reader reader(in_folder("a.h5"));
        QVERIFY(reader.complete());
        QCOMPARE(reader.members(), request.size);
        QCOMPARE(reader.requested(), request.size);
        QCOMPARE(reader.attribute("n_complete"), std::to_string(request.size));
        compare(reader.chunk(made_up::model(), request, 0, request.size), made_up::chunk(request, 0, request.size));
        const std::int64_t first = request.size / 3, count = request.size / 2;
        compare(reader.chunk(made_up::model(), request, first, count), made_up::chunk(request, first, count));
    }

    void rows_are_thinned_from_the_last_one_back() {
        EnsembleRequest request = made_up::request(50, 12);
        request.output.every = 5;
        made_up::write(in_folder("a.h5"), request, 50);
        const Hdf5Reader reader(in_folder("a.h5"));
        QCOMPARE(reader.rows(), std::int64_t{3});
        QVERIFY(same(reader.dataset("time"), {1.0 / 11, 6.0 / 11, 1.0}));
        std::vector<double> expected;
        for (std::int64_t m = 0; m < 50; ++m)
            for (const std::int64_t row : {1, 6, 11}) expected.push_back(made_up::value(0, m, row, 12));
        QVERIFY(same(reader.dataset("x"), expected));
        QCOMPARE(reader.shape("x_quantile"), (std::vector<std::int64_t>{5, 3}));
        QVERIFY(same(reader.dataset("x_count"), {50, 43, 43}));
        QCOMPARE(reader.shape("error")[1], std::int64_t{3});
        QVERIFY(same(reader.dataset("error_quantile", 0, 1), {1e-9 + 1e-12, 1e-9 + 6e-12, 1e-9 + 11e-12}));
        QVERIFY(contains(message([&] { reader.chunk(made_up::model(), request, 0, 1); }), "every 5th row"));
    }

    void single_precision_is_for_trajectories_alone() {
        EnsembleRequest request = made_up::request(50, 4);
        request.output.precision = OutputRequest::Precision::float32;
        made_up::write(in_folder("a.h5"), request, 50);
        const Hdf5Reader reader(in_folder("a.h5"));
        for (const double x : reader.dataset("x")) QVERIFY(std::isnan(x) || x == static_cast<double>(static_cast<float>(x)));
        const std::vector<double> drawn = reader.dataset("param_v0");
        QCOMPARE(drawn[1], 1.0 / 7);
        const std::vector<double> solved = reader.dataset("solved_v");
        QCOMPARE(solved[1], 1.0 / 3);
        QVERIFY(std::isnan(solved[3]));
        QVERIFY(contains(message([&] { reader.chunk(made_up::model(), request, 0, 1); }), "float32"));
    }

    void times_are_double_beside_states_in_single_precision() {  // case B23
        for (const bool own_spans : {false, true}) {
            EnsembleRequest request = own_spans ? made_up::request_with_spans(40, 5) : made_up::request(40, 5);
            request.output.precision = OutputRequest::Precision::float32;
            const double start = 30000000, interval = 75;  // 30000075 is no number of single precision
            request.span.start = start;
            request.span.end = start + 4 * interval;
            if (own_spans) request.table.columns = {std::vector<double>(40, start + 4 * interval)};
            EnsembleChunk chunk = made_up::chunk(request, 0, 40);
            for (std::size_t i = 0; i < chunk.row_times.size(); ++i) chunk.row_times[i] = start + interval * static_cast<double>(i % 5);
            chunk.span_start.assign(40, start);
            chunk.span_end.assign(40, start + interval);
            const auto writer = made_up::writer(in_folder("a.h5"), request, true);
            writer->chunk(chunk);
            writer->finish({}, {});
            const Hdf5Reader reader(in_folder("a.h5"));
            const std::vector<double> times = reader.dataset("time");
            QCOMPARE(times.size(), std::size_t{own_spans ? 200u : 5u});
            for (std::size_t i = 0; i < times.size(); ++i) QVERIFY(times[i] == start + interval * static_cast<double>(i % 5));
            QVERIFY(reader.dataset("span_start") == chunk.span_start && reader.dataset("span_end") == chunk.span_end);
        }
    }

    void states_observables_and_statistics_are_left_out_when_not_asked_for() {
        EnsembleRequest request = made_up::request(20, 4);
        request.output.states = false;
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        send(*writer, request, 0, 20);
        writer->finish({}, {});
        const Hdf5Reader reader(in_folder("a.h5"));
        QVERIFY(!reader.has("x") && reader.has("phi") && !reader.has("phi_mean") && !reader.has("quantile") && !reader.has("error"));
        QVERIFY(contains(message([&] { reader.chunk(made_up::model(), request, 0, 1); }), "`x`"));
    }

    void histogram_quantiles_say_so() {
        const EnsembleRequest request = made_up::request(2000, 3);
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        StatisticsCollector statistics(made_up::model(), 2000, 3, true, true, 1 << 14);
        statistics.add(made_up::chunk(request, 0, 2000));
        send(*writer, request, 0, 2000);
        writer->finish({}, statistics.result());
        const Hdf5Reader reader(in_folder("a.h5"));
        QCOMPARE(reader.shape("x_quantile_bound"), std::vector<std::int64_t>{3});
        QVERIFY(!reader.has("phi_quantile") && reader.has("phi_mean"));
    }

    void an_existing_file_is_refused_and_stays() {
        const EnsembleRequest request = made_up::request(10, 3);
        std::ofstream(in_folder("a.h5")) << "precious";
        QVERIFY(contains(message([&] { made_up::writer(in_folder("a.h5"), request); }), "exists"));
        std::string content;
        std::ifstream(in_folder("a.h5")) >> content;
        QCOMPARE(content, std::string("precious"));
        QCOMPARE(names(), std::vector<std::string>{"a.h5"});
    }

    void a_file_that_appears_during_the_run_stays() {
        const EnsembleRequest request = made_up::request(10, 3);
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        send(*writer, request, 0, 10);
        std::ofstream(in_folder("a.h5")) << "precious";
        QVERIFY(contains(message([&] { writer->finish({}, {}); }), "File exists"));
        QCOMPARE(fs::file_size(in_folder("a.h5")), std::uintmax_t{8});
        QVERIFY(Hdf5Reader(in_folder(".a.h5.part")).complete());
    }

    void a_target_without_a_folder_is_refused_data() {
        QTest::addColumn<QString>("target");
        QTest::newRow("folder missing") << "nowhere/a.h5";
        QTest::newRow("folder is a file") << "file/a.h5";
        QTest::newRow("target is a folder") << "folder";
        QTest::newRow("target has no name") << "folder/";
    }
    void a_target_without_a_folder_is_refused() {
        QFETCH(QString, target);
        std::ofstream(in_folder("file")) << "x";
        fs::create_directory(in_folder("folder"));
        const std::string path = in_folder(target.toStdString()).string();
        const std::string text = message([&] { made_up::writer(path, made_up::request(10, 3), true); });
        QVERIFY(contains(text, path) && contains(text, "folder"));
        QCOMPARE(names(), (std::vector<std::string>{"file", "folder"}));
    }

    void the_estimate_counts_in_64_bits() {  // cases B28, B31
        EnsembleRequest request = made_up::request(50000, 25000);
        request.output.observables = false;
        const std::uint64_t size = estimated_size(made_up::model(), request, run_save_times(request));
        QVERIFY(size > 20'000'000'000u && size < 20'200'000'000u);
    }

    void too_large_an_export_is_refused_before_the_first_byte() {
        const EnsembleRequest request = made_up::request(1'000'000'000, 10000);
        const std::string text = message([&] { made_up::writer(in_folder("a.h5"), request); });
        QVERIFY(contains(text, "320") && contains(text, "GB") && contains(text, "free"));
        QVERIFY(names().empty());
    }

    void chunks_that_deflate_would_lengthen_are_only_shuffled() {
        std::mt19937_64 random(1);
        std::vector<std::uint64_t> noise(1000), zeros(1000);
        for (std::uint64_t& word : noise) word = random();
        const auto chunk = [](const std::vector<std::uint64_t>& words) {
            return PlainChunk{reinterpret_cast<const std::byte*>(words.data()), words.size() * 8, 8};
        };
        const std::vector<CompressedChunk> compressed = compress({chunk(noise), chunk(zeros)}, 0, {});
        QCOMPARE(compressed[0].skipped_filters, 2u);
        QCOMPARE(compressed[0].bytes.size(), std::size_t{8000});
        QCOMPARE(compressed[0].bytes[1001], reinterpret_cast<const std::byte*>(&noise[1])[1]);
        QCOMPARE(compressed[1].skipped_filters, 0u);
        QVERIFY(compressed[1].bytes.size() < 100);
    }

    void after_a_stop_chunks_stay_as_they_are() {
        const std::vector<double> zeros(1000);
        std::stop_source stop;
        stop.request_stop();
        const PlainChunk chunk{reinterpret_cast<const std::byte*>(zeros.data()), 8000, 8};
        const std::vector<CompressedChunk> untouched = compress({chunk, chunk}, 1, stop.get_token());
        for (const CompressedChunk& result : untouched) {
            QCOMPARE(result.skipped_filters, 3u);
            QCOMPARE(result.bytes.size(), std::size_t{8000});
        }
    }

    void compressed_and_untouched_chunks_read_back_alike() {
        const EnsembleRequest request = with(made_up::request(3000, 400), OutputRequest::Compression::gzip);
        std::stop_source stop;
        const auto writer = made_up::writer(in_folder("a.h5"), request, false, made_up::provenance(), stop.get_token());
        send(*writer, request, 0, 1500);
        while (writer->members_saved() < 1000) QThread::msleep(1);
        stop.request_stop();
        send(*writer, request, 1500, 2000);
        writer->chunk(not_run(request, 2000, 10));  // the last chunk shrinks to the members before
        writer->keep_incomplete();
        const Hdf5Reader reader(in_folder("a.incomplete.h5"));
        QCOMPARE(reader.members(), std::int64_t{2000});
        compare(reader.chunk(made_up::model(), request, 0, 2000), made_up::chunk(request, 0, 2000));
    }

    void batches_stay_small_whatever_the_request_data() {
        QTest::addColumn<qint64>("members");
        QTest::addColumn<qint64>("rows");
        QTest::newRow("many members") << qint64{100'000'000} << qint64{1};
        QTest::newRow("many rows") << qint64{100} << qint64{1'000'000};
        QTest::newRow("both") << qint64{1'000'000} << qint64{100'000};
        QTest::newRow("usual") << qint64{10'000} << qint64{101};
    }
    void batches_stay_small_whatever_the_request() {
        QFETCH(qint64, members);
        QFETCH(qint64, rows);
        const EnsembleRequest request = made_up::request(members, rows);
        const ModelDescription model = made_up::model();
        const ChunkShape shape = export_layout(model, request, run_save_times(request), varied_quantities(model, request)).chunk;
        QVERIFY(shape.batch_members * rows * 4 * 8 <= 256 << 20);
        QVERIFY(shape.batch_members % shape.members == 0);
        QVERIFY(shape.members * shape.rows * 8 <= 2 << 20);
        QVERIFY(shape.rows * shape.row_blocks >= rows && shape.rows * (shape.row_blocks - 1) < rows);
    }

    void chunks_out_of_order_are_refused() {
        const EnsembleRequest request = made_up::request(20, 3);
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        QVERIFY(contains(message([&] { send(*writer, request, 10, 20); }), "order"));
        QVERIFY(contains(message([&] { writer->finish({}, {}); }), "every member"));
    }

    void an_unfinished_export_leaves_nothing() {
        const EnsembleRequest request = made_up::request(2000, 400);
        {
            const auto writer = made_up::writer(in_folder("a.h5"), request);
            QCOMPARE(names(), std::vector<std::string>{".a.h5.part"});
            send(*writer, request, 0, 1500);
        }
        QVERIFY(names().empty());
    }

    void a_part_file_left_behind_is_replaced() {
        std::ofstream(in_folder(".a.h5.part")) << "left by a killed run";
        made_up::write(in_folder("a.h5"), made_up::request(10, 3), 10);
        QCOMPARE(names(), std::vector<std::string>{"a.h5"});
    }

    void two_runs_dont_write_the_same_file() {
        const EnsembleRequest request = made_up::request(10, 3);
        const auto first = made_up::writer(in_folder("a.h5"), request);
        QVERIFY(contains(message([&] { made_up::writer(in_folder("a.h5"), request); }), "another run"));
        QVERIFY(orphaned_parts(in_folder("")).empty());
        send(*first, request, 0, 10);
        first->finish({}, {});
        QVERIFY(Hdf5Reader(in_folder("a.h5")).complete());
    }

    void a_reader_of_the_old_file_keeps_it() {  // case B33
        const EnsembleRequest old_request = made_up::request(10, 3), request = made_up::request(20, 3);
        made_up::write(in_folder("a.h5"), old_request, 10);
        const Hdf5Reader old(in_folder("a.h5"));
        made_up::write(in_folder("a.h5"), request, 20, true);
        compare(old.chunk(made_up::model(), old_request, 0, 10), made_up::chunk(old_request, 0, 10));
        QCOMPARE(Hdf5Reader(in_folder("a.h5")).members(), std::int64_t{20});
    }

    void long_text_reads_back_byte_for_byte() {  // case B34
        Provenance provenance = made_up::provenance();
        provenance.scenario_json = "{\"notes\": \"";
        while (provenance.scenario_json.size() < 100000) provenance.scenario_json += "µ☉ d²x/dt² ";
        provenance.scenario_json += "\"}";
        made_up::write(in_folder("a.h5"), made_up::request(10, 3), 10, false, provenance);
        QCOMPARE(Hdf5Reader(in_folder("a.h5")).scenario_json(), provenance.scenario_json);
    }

    void an_interrupted_run_keeps_its_complete_members() {
        const EnsembleRequest request = made_up::request(3000, 400);
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        send(*writer, request, 0, 1000);
        writer->chunk(not_run(request, 1000, 10));
        send(*writer, request, 1010, 1020);
        writer->chunk(not_run(request, 1020, 30));
        QCOMPARE(writer->keep_incomplete(), in_folder("a.incomplete.h5"));
        QCOMPARE(names(), std::vector<std::string>{"a.incomplete.h5"});
        const Hdf5Reader reader(in_folder("a.incomplete.h5"));
        QVERIFY(!reader.complete());
        QCOMPARE(reader.attribute("n_complete"), std::string("1010"));
        QCOMPARE(reader.requested(), std::int64_t{3000});
        QCOMPARE(reader.members(), std::int64_t{1020});
        compare(reader.chunk(made_up::model(), request, 0, 1000), made_up::chunk(request, 0, 1000));
        compare(reader.chunk(made_up::model(), request, 1000, 10), not_run(request, 1000, 10));
        QVERIFY(contains(message([&] { reader.chunk(made_up::model(), request, 1000, 30); }), "1020"));
    }

    void an_interrupted_run_without_members_leaves_nothing() {
        const EnsembleRequest request = made_up::request(100, 3);
        const auto writer = made_up::writer(in_folder("a.h5"), request);
        writer->chunk(not_run(request, 0, 30));
        QVERIFY(writer->keep_incomplete().empty());
        QVERIFY(names().empty());
    }

    void a_fuller_incomplete_file_of_the_same_scenario_is_kept() {
        const EnsembleRequest request = made_up::request(100, 3);
        for (const std::int64_t members : {50, 20}) {
            const auto writer = made_up::writer(in_folder("a.h5"), request);
            send(*writer, request, 0, members);
            QCOMPARE(writer->keep_incomplete(), in_folder("a.incomplete.h5"));
            QCOMPARE(Hdf5Reader(in_folder("a.incomplete.h5")).members(), std::int64_t{50});
        }
        Provenance other = made_up::provenance();
        other.scenario_json = "{}";
        const auto writer = made_up::writer(in_folder("a.h5"), request, false, other);
        send(*writer, request, 0, 20);
        writer->keep_incomplete();
        QCOMPARE(Hdf5Reader(in_folder("a.incomplete.h5")).members(), std::int64_t{20});
        QCOMPARE(names(), std::vector<std::string>{"a.incomplete.h5"});
    }

    void a_resumed_file_equals_an_uninterrupted_one() {
        const EnsembleRequest request = made_up::request_with_spans(900, 20);
        const ModelDescription model = made_up::model();
        made_up::write(in_folder("whole.h5"), request, 100);
        const auto interrupted = made_up::writer(in_folder("a.h5"), request);
        send(*interrupted, request, 0, 400);
        const Hdf5Reader before(interrupted->keep_incomplete());
        const auto resumed = made_up::writer(in_folder("a.h5"), request);
        for (std::int64_t first = 0; first < before.members(); first += 100) resumed->chunk(before.chunk(model, request, first, 100));
        send(*resumed, request, 400, 900);
        resumed->finish({}, {});
        const Hdf5Reader whole(in_folder("whole.h5")), joined(in_folder("a.h5"));
        compare(joined.chunk(model, request, 0, 900), whole.chunk(model, request, 0, 900));
    }

    void a_file_with_other_save_times_isnt_resumed() {
        made_up::write(in_folder("a.h5"), made_up::request(5, 7), 5);
        const Hdf5Reader reader(in_folder("a.h5"));
        for (const EnsembleRequest& other : {made_up::request(5, 8), made_up::request_with_spans(5, 7)})
            QVERIFY(contains(message([&] { reader.chunk(made_up::model(), other, 0, 5); }), "other save times"));
    }

    void a_damaged_file_is_refused_data() {
        QTest::addColumn<double>("kept");
        for (const double kept : {0.999, 0.9, 0.5, 0.1, 0.001}) QTest::addRow("%g", kept) << kept;
    }
    void a_damaged_file_is_refused() {
        QFETCH(double, kept);
        made_up::write(in_folder("a.h5"), made_up::request(500, 50), 500);
        fs::resize_file(in_folder("a.h5"), static_cast<std::uintmax_t>(kept * static_cast<double>(fs::file_size(in_folder("a.h5")))));
        QVERIFY(contains(message([&] { Hdf5Reader reader(in_folder("a.h5")); }), in_folder("a.h5").string() + ": "));
    }

    void a_file_of_another_kind_is_refused() {
        std::ofstream(in_folder("text.h5")) << "not HDF5";
        write_foreign_file(in_folder("foreign.h5"), {{"member", {1, 2}}});
        QVERIFY(contains(message([&] { Hdf5Reader reader(in_folder("text.h5")); }), "not an HDF5 file"));
        QVERIFY(contains(message([&] { Hdf5Reader reader(in_folder("foreign.h5")); }), "not an export of Gradscape"));
        QVERIFY(contains(message([&] { Hdf5Reader reader(in_folder("none.h5")); }), "no such file"));
        QVERIFY(contains(message([&] { Hdf5Reader reader(in_folder("")); }), "folder"));
    }

    void a_missing_dataset_is_named() {
        made_up::write(in_folder("a.h5"), made_up::request(5, 3), 5);
        const Hdf5Reader reader(in_folder("a.h5"));
        QVERIFY(contains(message([&] { reader.dataset("nonsense"); }), "`nonsense`"));
        QVERIFY(contains(message([&] { reader.attribute("nonsense"); }), "`nonsense`"));
        QVERIFY(contains(message([&] { reader.dataset("provenance/scenario_json"); }), "no numbers"));
    }

    void a_table_has_the_columns_of_a_foreign_file() {
        write_foreign_file(in_folder("t.h5"), {{"q", {0.5, 0.75}}, {"param_v0", {200, 220}}});
        const SampleTable table = read_hdf5_table(in_folder("t.h5"));
        QCOMPARE(table.names, (std::vector<std::string>{"v0", "q"}));
        QCOMPARE(table.columns, (std::vector<std::vector<double>>{{200, 220}, {0.5, 0.75}}));
        write_foreign_file(in_folder("t.h5"), {{"q", {0.5, 0.75}}, {"v0", {200, 220, 240}}});
        QVERIFY(contains(message([&] { read_hdf5_table(in_folder("t.h5")); }), "`v0` has 3 rows"));
        write_foreign_file(in_folder("t.h5"), {});
        QVERIFY(contains(message([&] { read_hdf5_table(in_folder("t.h5")); }), "no one-dimensional dataset"));
        QVERIFY(contains(message([&] { read_hdf5_table(in_folder("none.h5")); }), "no such file"));
    }

    void a_table_has_what_an_export_varied() {
        made_up::write(in_folder("a.h5"), made_up::request(5, 7), 5);
        QCOMPARE(read_hdf5_table(in_folder("a.h5")).names, (std::vector<std::string>{"q", "v0", "x0"}));
        made_up::write(in_folder("b.h5"), made_up::request_with_spans(5, 7), 5);
        const SampleTable table = read_hdf5_table(in_folder("b.h5"));
        QCOMPARE(table.names, (std::vector<std::string>{"q", "v0", "x0", "end"}));
        QCOMPARE(table.columns[3], (std::vector<double>{1, 2, 3, 4, 5}));
    }
};

QTEST_GUILESS_MAIN(TestExport)
#include "tst_export.moc"
