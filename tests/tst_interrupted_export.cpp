// Exports whose process is killed or whose disk fills up. In a program of its own, because the thread sanitizer doesn't follow it into
// other processes.
#include <QtTest>

#include <random>

#include "engine/export/hdf5_reader.hpp"
#include "tests/export_checks.hpp"
#include "tests/made_up_ensemble.hpp"

using namespace gradscape;
namespace fs = std::filesystem;

namespace {

struct Run {
    int exit_code;
    bool killed;
    std::string output, errors;
    /// The last number after `key` in the output; -1 without one.
    std::int64_t last(const std::string& key) const {
        const std::size_t end = output.rfind('\n'), at = output.rfind(key, end);
        return at == std::string::npos || end == std::string::npos ? -1 : std::stoll(output.substr(at + key.size()));
    }
};

/// The program write_sample_export, killed after that many lines of output where `kill_after` >= 0.
Run sample_run(const fs::path& file, QStringList options, int kill_after = -1) {
    QProcess process;
    options.prepend(QString::fromStdString(file.string()));
    process.start(WRITE_SAMPLE_EXPORT, options);
    QByteArray output;
    bool killed = false;
    while (process.waitForReadyRead(60000) || process.state() != QProcess::NotRunning) {
        output += process.readAllStandardOutput();
        if (kill_after < 0 || killed || output.count('\n') < kill_after) continue;
        process.kill();
        killed = true;
    }
    process.waitForFinished();
    output += process.readAllStandardOutput();
    return {process.exitCode(), process.exitStatus() == QProcess::CrashExit, output.toStdString(),
            process.readAllStandardError().toStdString()};
}

}  // namespace

class TestInterruptedExport : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    fs::path in_folder(const std::string& name) const { return fs::path(folder_->path().toStdString()) / name; }
    std::vector<std::string> names() const { return names_in(folder_->path().toStdString()); }

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void a_full_disk_keeps_what_was_saved() {
        made_up::write(in_folder("a.h5"), made_up::request(5, 3), 5);
        const Run run = sample_run(in_folder("a.h5"), {"6000", "400", "acknowledge", "limit=40000000"});
        QCOMPARE(run.exit_code, 1);
        QVERIFY(!run.killed);
        const fs::path part = in_folder(".a.h5.part");
        QVERIFY(contains(run.errors, part.string()) && contains(run.errors, "File too large") && contains(run.errors, "are kept"));
        QVERIFY(Hdf5Reader(in_folder("a.h5")).members() == 5);
        QCOMPARE(orphaned_parts(in_folder("")), std::vector<fs::path>{part});
        const Hdf5Reader reader(part);
        QVERIFY(!reader.complete());
        QVERIFY(reader.members() > 0 && reader.members() >= run.last("saved "));
        const EnsembleRequest request = made_up::request(6000, 400);
        compare(reader.chunk(made_up::model(), request, 0, reader.members()), made_up::chunk(request, 0, reader.members()));
    }

    void a_disk_full_from_the_start_leaves_nothing() {
        for (const char* limit : {"limit=1000", "limit=100000", "limit=2000000"}) {
            const Run run = sample_run(in_folder("a.h5"), {"3000", "400", limit});
            QCOMPARE(run.exit_code, 1);
            QVERIFY(!run.killed && contains(run.errors, "File too large"));
            QVERIFY(names().empty());
        }
    }

    void a_killed_run_never_shows_a_broken_file() {
        std::mt19937 random(7);
        const EnsembleRequest request = made_up::request(2000, 400);
        constexpr int lines = 42;  // created, saved after each of 40 chunks, finishing
        int parts = 0, with_members = 0;
        for (int i = 0; i < 50; ++i) {
            const int kill_after = std::uniform_int_distribution<>(0, lines + 4)(random);
            const Run run = sample_run(in_folder("a.h5"), {"2000", "400", "acknowledge"}, std::min(kill_after, lines));
            if (fs::exists(in_folder("a.h5"))) QVERIFY(Hdf5Reader(in_folder("a.h5")).complete());
            const fs::path part = in_folder(".a.h5.part");
            if (fs::exists(part) && contains(run.output, "created")) {
                ++parts;
                const std::string failure = message([&] {
                    const Hdf5Reader reader(part);
                    QVERIFY(reader.members() >= run.last("saved "));
                    compare(reader.chunk(made_up::model(), request, 0, reader.members()), made_up::chunk(request, 0, reader.members()));
                    if (reader.members() > 0) ++with_members;
                });
                QVERIFY2(failure.empty(), failure.c_str());
            }
            fs::remove(in_folder("a.h5"));
            fs::remove(part);
        }
        QVERIFY(parts > 0 && with_members > 0);
    }
};

QTEST_GUILESS_MAIN(TestInterruptedExport)
#include "tst_interrupted_export.moc"
