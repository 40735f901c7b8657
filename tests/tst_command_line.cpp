// gradscape-run as users meet it: options, exit codes, what is on stdout and stderr, what is on the disk afterwards.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <fstream>
#include <locale>
#include <set>
#include <sstream>

#include <QtTest>

#include <nlohmann/json.hpp>

#include "app/closing_table.hpp"
#include "app/interrupt.hpp"
#include "app/progress_bar.hpp"
#include "app/run_scenario.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "engine/number_text.hpp"
#include "models/catalogue.hpp"

using namespace gradscape;
using nlohmann::json;

namespace {

constexpr int patience = 240'000;  // ms; sanitizers are slow

struct Outcome {
    int code = -1;
    std::string out, err;
};

/// One program run in a folder. Signals have their usual effect in it, however the test was started.
class Program {
public:
    Program(const QString& folder, const QStringList& arguments,
            const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment(), rlim_t file_size = RLIM_INFINITY)
        : Program(GRADSCAPE_RUN, folder, arguments, environment, file_size) {}

    Program(const QString& program, const QString& folder, const QStringList& arguments, const QProcessEnvironment& environment,
            rlim_t file_size, uid_t user = geteuid()) {
        process_.setWorkingDirectory(folder);
        process_.setProcessEnvironment(environment);
        process_.setChildProcessModifier([file_size, user] {
            if (user != geteuid() && setuid(user) != 0) _exit(126);
            signal(SIGINT, SIG_DFL);
            signal(SIGTERM, SIG_DFL);
            if (file_size != RLIM_INFINITY) {
                const rlimit limit{file_size, file_size};
                setrlimit(RLIMIT_FSIZE, &limit);
            }
        });
        process_.start(program, arguments);
    }

    QProcess& process() { return process_; }

    Outcome outcome() {
        Outcome result;
        if (!process_.waitForFinished(patience)) return result;
        result.code = process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -2;
        result.out = process_.readAllStandardOutput().toStdString();
        result.err = before_ + process_.readAllStandardError().toStdString();
        return result;
    }

    /// Waits until members are being computed, which the first line of progress says, and sends the signal.
    bool signal_in_mid_run(int number) {
        while (before_.find(" members/s") == std::string::npos) {
            if (!process_.waitForReadyRead(patience)) return false;
            before_ += process_.readAllStandardError().toStdString();
        }
        return kill(static_cast<pid_t>(process_.processId()), number) == 0;
    }

    Program& reading_stderr() {
        process_.setReadChannel(QProcess::StandardError);
        return *this;
    }

private:
    QProcess process_;
    std::string before_;
};

Outcome run(const QString& folder, const QStringList& arguments) { return Program(folder, arguments).outcome(); }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
}

/// One line of the program's, with nothing else.
bool is_one_error_line(const std::string& text) { return lines(text).size() == 1 && text.starts_with("gradscape-run: "); }

class Folder {
public:
    QString path() const { return folder_.path(); }
    std::filesystem::path file(const std::string& name) const { return std::filesystem::path(folder_.path().toStdString()) / name; }
    bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }
    QString write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return QString::fromStdString(name);
    }
    QString write(const std::string& name, const json& scenario) const { return write(name, scenario.dump()); }
    std::set<std::string> names() const {
        std::set<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path().toStdString()))
            result.insert(entry.path().filename().string());
        return result;
    }

private:
    QTemporaryDir folder_;
};

json small_scenario() {
    return {{"gradscape", 1},
            {"model", "lorenz"},
            {"parameters", {{"rho", {{"min", 0}, {"max", 21}}}}},
            {"span", {{"end", 1}, {"save", 11}}},
            {"ensemble", {{"size", 50}, {"seed", 3}}},
            {"accuracy", {{"subsample", 8}}}};
}

constexpr int long_size = 20000;
#if defined(__SANITIZE_ADDRESS__)
constexpr double long_span = 2;  // a sanitized step takes twenty times as long
constexpr int long_group = 600;
#else
constexpr double long_span = 30;
constexpr int long_group = 3000;
#endif

/// Takes long enough to be interrupted: some seconds on one thread.
json long_shooting_scenario() {
    return {{"gradscape", 1},
            {"model", "quintessence_exp"},
            {"parameters", {{"Om", {{"min", 0.1}, {"max", 0.5}}}, {"lam", {{"min", 0}, {"max", 1.5}}}}},
            {"span", {{"save", {{"redshift", {2, 1, 0.5, 0.1, 0}}}}}},
            {"ensemble", {{"size", long_size}, {"seed", 7}}},
            {"solver", {{"rtol", 1e-12}}},
            {"accuracy", {{"subsample", 16}}}};
}

json long_scenario() {
    return {{"gradscape", 1},
            {"model", "log_halo"},
            {"parameters", {{"v0", {{"min", 200}, {"max", 240}}}, {"q", {{"distribution", "normal"}, {"mean", 0.9}, {"sd", 0.05}}}}},
            {"initial_state", {{"x", {{"min", 6}, {"max", 9}}}}},
            {"span", {{"end", long_span}, {"save", 5}}},
            {"ensemble", {{"size", long_size}, {"seed", 7}}},
            {"solver", {{"rtol", 1e-12}}},
            {"accuracy", {{"subsample", 16}}}};
}

/// Whether a copy of the file, which may be in the midst of being written, can be read and holds members.
bool holds_members(const std::filesystem::path& file, const std::filesystem::path& copy) {
    std::error_code missing;
    if (!std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing, missing)) return false;
    try {
        return Hdf5Reader(copy).members() > 0;
    } catch (const std::exception&) {
        return false;
    }
}

/// A stream over a few potentials.
json stream_scenario(int groups, int members_each) {
    return {{"gradscape", 1},
            {"model", "stream_star"},
            {"parameters", {{"v0", {{"min", 210}, {"max", 230}}}}},
            {"span", {{"save", 3}}},
            {"ensemble", {{"groups", {{"count", groups}, {"members_each", members_each}}}, {"seed", 4}}},
            {"accuracy", {{"subsample", 16}}}};
}

/// Eight orbits, one of which is too eccentric for the step limit.
json one_of_eight_fails(const Folder& folder) {
    folder.write("points.csv", std::string("e\n0.1\n0.1\n0.1\n0.9999\n0.1\n0.1\n0.1\n0.1\n"));
    return {{"gradscape", 1},
            {"model", "kepler"},
            {"parameters", {{"e", {{"distribution", "table"}}}}},
            {"ensemble", {{"size", 8}, {"sampling", "table"}, {"table", "points.csv"}}},
            {"solver", {{"method", "tsit5"}, {"rtol", 1e-6}, {"atol", 1e-6}, {"max_steps", 100}}}};
}

/// Every dataset that a file of the model may have.
std::vector<std::string> dataset_names(const ModelDescription& model) {
    std::vector<std::string> names = {
        "member",   "row",        "quantile",   "error_level", "sample", "status",         "span_start",
        "span_end", "stopped_at", "n_accepted", "n_rejected",  "error",  "error_quantile", model.info.independent.name};
    const auto component = [&](const std::string& name) {
        for (const char* suffix : {"", "_quantile", "_count", "_mean", "_std"}) names.push_back(name + suffix);
    };
    for (const StateInfo& state : model.states) {
        component(state.name);
        names.push_back("param_" + std::string(state.name) + "0");
    }
    for (const ObservableInfo& observable : model.observables) component(observable.name);
    for (const ParameterInfo& parameter : model.parameters) names.push_back("param_" + std::string(parameter.name));
    for (const InternalInfo& internal : model.internals) names.push_back("solved_" + std::string(internal.name));
    for (const InvariantInfo& invariant : model.invariants) names.push_back(std::string(invariant.name) + "_drift");
    for (const DrawInfo& draw : model.draws) names.push_back("draw_" + std::string(draw.name));
    names.emplace_back("group");
    return names;
}

/// "" when the files hold the same bits, else the first dataset that differs.
std::string difference(const std::filesystem::path& a, const std::filesystem::path& b, const ModelDescription& model) {
    const Hdf5Reader one(a), other(b);
    int compared = 0;
    for (const std::string& name : dataset_names(model)) {
        if (one.has(name) != other.has(name)) return name + " is in one file only";
        if (!one.has(name)) continue;
        ++compared;
        const std::vector<double> x = one.dataset(name), y = other.dataset(name);
        if (!std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [](double s, double t) { return std::bit_cast<std::uint64_t>(s) == std::bit_cast<std::uint64_t>(t); }))
            return name;
    }
    return compared > 10 ? "" : "only " + std::to_string(compared) + " datasets were found";
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// "" when the file can be read, else what is wrong with it.
std::string fault_of(const std::filesystem::path& file) {
    try {
        const Hdf5Reader reader(file);
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

json scenario_in(const std::filesystem::path& file) { return json::parse(Hdf5Reader(file).scenario_json()); }

/// 1.234.567,5: a decimal comma and dots between groups.
struct GermanNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

}  // namespace

class tst_command_line : public QObject {
    Q_OBJECT

private slots:
    void wrong_usage_is_one_line_and_exits_with_2_data();
    void wrong_usage_is_one_line_and_exits_with_2();
    void help_and_version_exit_with_0();
    void models_are_listed_and_described();
    void an_unknown_model_is_answered_with_the_nearest();
    void a_scenario_that_cannot_be_used_is_one_line_and_exits_with_1_data();
    void a_scenario_that_cannot_be_used_is_one_line_and_exits_with_1();
    void a_good_run_exits_with_0_and_its_table_says_how_it_went();
    void the_three_lines_of_python_open_the_file();
    void json_is_one_object_on_stdout();
    void quiet_says_nothing_when_all_is_well();
    void without_a_name_the_file_is_named_after_the_scenario();
    void options_take_the_place_of_the_scenarios_values();
    void an_option_makes_a_scenario_valid_that_was_not();
    void an_option_out_of_range_names_the_option_data();
    void an_option_out_of_range_names_the_option();
    void a_seed_chosen_by_the_program_is_written_down();
    void whole_numbers_mean_the_same_as_real_ones();
    void numbers_mean_the_same_where_the_decimal_sign_is_a_comma();
    void one_failed_member_of_eight_is_told_and_the_results_are_written();
    void the_step_limit_of_an_explicit_method_hints_at_stiffness();
    void an_existing_file_is_replaced_only_when_asked_for();
    void a_folder_that_cannot_be_written_is_an_error_in_one_line_data();
    void a_folder_that_cannot_be_written_is_an_error_in_one_line();
    void a_result_larger_than_the_disk_is_refused_before_anything_is_computed();
    void a_file_in_a_read_only_folder_stays();
    void rows_over_what_memory_holds_are_refused();
    void a_disk_that_fills_up_is_an_error_that_names_what_was_kept();
    void an_interrupted_run_that_is_resumed_equals_an_uninterrupted_one_data();
    void an_interrupted_run_that_is_resumed_equals_an_uninterrupted_one();
    void an_interrupt_of_endless_members_is_obeyed_at_once();
    void an_interrupt_while_members_are_taken_over_leaves_the_resumed_file_data();
    void an_interrupt_while_members_are_taken_over_leaves_the_resumed_file();
    void an_interrupt_of_the_accuracy_keeps_all_members();
    void a_resumed_stream_equals_an_uninterrupted_one();
    void names_with_line_breaks_stay_on_one_line();
    void a_stream_is_described_and_its_draws_can_be_used_again();
    void the_scenario_in_a_file_gives_the_same_file_again_data();
    void the_scenario_in_a_file_gives_the_same_file_again();
    void a_size_beside_groups_is_one_line();
    void a_grid_is_run_and_refuses_another_size();
    void a_latin_hypercube_is_run_and_not_extended();
    void what_belongs_to_its_size_is_not_extended_when_it_is_resumed();
    void a_fresh_run_does_not_replace_the_members_of_an_interrupted_one();
    void a_killed_run_leaves_its_members_and_says_how_to_go_on();
    void a_link_is_followed_and_stays();
    void a_name_too_long_is_an_error_that_says_by_how_much();
    void what_cannot_be_resumed_is_one_line_data();
    void what_cannot_be_resumed_is_one_line();
    void a_table_that_changed_is_noticed_when_a_run_is_resumed();
    void a_second_interrupt_has_its_usual_effect();
    void the_time_left_is_hidden_until_it_means_something();
    void hundred_percent_is_shown_only_when_the_result_is_there();
    void without_a_terminal_a_line_appears_at_most_every_five_seconds();
    void a_terminal_line_never_wraps();
    void numbers_are_short_and_have_a_point_data();
    void numbers_are_short_and_have_a_point();
};

void tst_command_line::wrong_usage_is_one_line_and_exits_with_2_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("nothing") << QStringList{} << "SCENARIO.json";
    QTest::newRow("unknown option") << QStringList{"a.json", "--sizes", "3"} << "--sizes";
    QTest::newRow("two scenarios") << QStringList{"a.json", "b.json"} << "b.json";
    QTest::newRow("value missing") << QStringList{"a.json", "--size"} << "--size";
    QTest::newRow("value empty") << QStringList{"a.json", "--out", ""} << "--out";
    QTest::newRow("scenario empty") << QStringList{""} << "scenario";
    QTest::newRow("word for a number") << QStringList{"a.json", "--size", "many"} << "--size";
    QTest::newRow("fraction for a whole number") << QStringList{"a.json", "--threads", "1.5"} << "--threads";
    QTest::newRow("negative seed") << QStringList{"a.json", "--seed", "-1"} << "--seed";
    QTest::newRow("decimal comma") << QStringList{"a.json", "--rtol", "0,087"} << "0,087";
    QTest::newRow("not finite") << QStringList{"a.json", "--atol", "inf"} << "--atol";
    QTest::newRow("trailing letters") << QStringList{"a.json", "--rtol", "1e-8x"} << "1e-8x";
    QTest::newRow("twice") << QStringList{"a.json", "--size", "3", "--size", "4"} << "--size";
    QTest::newRow("two jobs") << QStringList{"a.json", "--list-models"} << "--list-models";
    QTest::newRow("a list with a run's option") << QStringList{"--list-models", "--size", "3"} << "--size";
    QTest::newRow("a description with a file") << QStringList{"--describe", "lorenz", "--out", "a.h5"} << "--out";
    QTest::newRow("the version with threads") << QStringList{"--version", "--threads", "1"} << "--threads";
    QTest::newRow("resume with a scenario") << QStringList{"a.json", "--resume", "a.incomplete.h5"} << "--resume";
    QTest::newRow("resume with another size") << QStringList{"--resume", "a.incomplete.h5", "--size", "3"} << "--size";
    QTest::newRow("resume with another tolerance") << QStringList{"--resume", "a.incomplete.h5", "--rtol", "1e-3"} << "--rtol";
}

void tst_command_line::wrong_usage_is_one_line_and_exits_with_2() {
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, says);
    const Folder folder;
    folder.write("a.json", small_scenario());
    const Outcome outcome = run(folder.path(), arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
    QVERIFY2(contains(outcome.err, says.toStdString()), outcome.err.c_str());
    QCOMPARE(outcome.out, std::string());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::help_and_version_exit_with_0() {
    const Folder folder;
    const Outcome help = run(folder.path(), {"--help"});
    QCOMPARE(help.code, 0);
    for (const char* option : {"--out", "--size", "--seed", "--threads", "--rtol", "--atol", "--method", "--overwrite", "--resume",
                               "--quiet", "--json", "--list-models", "--describe", "--version", "Exit codes"})
        QVERIFY2(contains(help.out, option), option);
    const Outcome version = run(folder.path(), {"--version"});
    QCOMPARE(version.code, 0);
    QVERIFY(version.out.starts_with("gradscape-run " GRADSCAPE_VERSION));
}

void tst_command_line::models_are_listed_and_described() {
    const Folder folder;
    const Outcome list = run(folder.path(), {"--list-models"}), list_json = run(folder.path(), {"--list-models", "--json"});
    QCOMPARE(list.code, 0);
    QCOMPARE(list_json.code, 0);
    const json models = json::parse(list_json.out);
    QCOMPARE(models.size(), catalogue().size());
    for (const std::string& name : model_names()) {
        QVERIFY2(contains(list.out, name), name.c_str());
        const QString model = QString::fromStdString(name);
        const Outcome text = run(folder.path(), {"--describe", model}), object = run(folder.path(), {"--describe", model, "--json"});
        QCOMPARE(text.code, 0);
        QVERIFY(contains(text.out, find_model(name)->description.info.title));
        QCOMPARE(object.code, 0);
        QCOMPARE(json::parse(object.out).at("name").get<std::string>(), name);
    }
}

void tst_command_line::an_unknown_model_is_answered_with_the_nearest() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["model"] = "lorentz";
    const Outcome in_scenario = run(folder.path(), {folder.write("a.json", scenario)}),
                  described = run(folder.path(), {"--describe", "lorentz"});
    QCOMPARE(in_scenario.code, 1);
    QCOMPARE(described.code, 2);
    for (const Outcome& outcome : {in_scenario, described}) {
        QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
        QVERIFY2(contains(outcome.err, "lorentz") && contains(outcome.err, "lorenz"), outcome.err.c_str());
    }
}

void tst_command_line::a_scenario_that_cannot_be_used_is_one_line_and_exits_with_1_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const auto with = [](const char* path, const json& value) {
        json scenario = small_scenario();
        scenario[json::json_pointer(path)] = value;
        return QByteArray::fromStdString(scenario.dump());
    };
    QTest::newRow("empty") << QByteArray() << "a.json";
    QTest::newRow("not JSON") << QByteArray("{\"gradscape\": 1,\n \"model\": lorenz}") << "a.json";
    QTest::newRow("cut short") << QByteArray("{\"gradscape\": 1, \"model\": \"lor") << "a.json";
    QTest::newRow("not an object") << QByteArray("[1, 2]") << "a.json";
    QTest::newRow("not UTF-8") << QByteArray("{\"gradscape\": 1, \"model\": \"\xff\xfe\"}") << "a.json";
    QTest::newRow("no model") << QByteArray("{\"gradscape\": 1}") << "model";
    QTest::newRow("unknown key") << with("/ensemble/sise", 3) << "sise";
    QTest::newRow("wrong type") << with("/solver", "fast") << "solver";
    QTest::newRow("range upside down") << with("/parameters/rho", {{"min", 5}, {"max", 1}}) << "rho";
    QTest::newRow("tolerance below what doubles hold") << with("/solver/rtol", 1e-15) << "rtol";
    QTest::newRow("no members") << with("/ensemble/size", 0) << "ensemble.size";
    QTest::newRow("table missing") << with("/ensemble/table", "nowhere.csv") << "nowhere.csv";
}

void tst_command_line::a_scenario_that_cannot_be_used_is_one_line_and_exits_with_1() {
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const Folder folder;
    const QString file = folder.write("a.json", text.toStdString());
    // An option that isn't to blame changes nothing.
    for (const QStringList& options : {QStringList{}, QStringList{"--seed", "5"}}) {
        const Outcome outcome = run(folder.path(), QStringList{file} + options);
        QCOMPARE(outcome.code, 1);
        QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
        QVERIFY2(contains(outcome.err, says.toStdString()), outcome.err.c_str());
        QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
    }
    const Outcome missing = run(folder.path(), {"nowhere.json"}), not_a_file = run(folder.path(), {"."});
    QCOMPARE(missing.code, 1);
    QVERIFY2(is_one_error_line(missing.err) && contains(missing.err, "nowhere.json"), missing.err.c_str());
    QCOMPARE(not_a_file.code, 1);
    QVERIFY2(is_one_error_line(not_a_file.err), not_a_file.err.c_str());
}

void tst_command_line::a_good_run_exits_with_0_and_its_table_says_how_it_went() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["model"] = "kepler";
    scenario["parameters"] = {{"e", {{"min", 0}, {"max", 0.5}}}};
    const Outcome outcome = run(folder.path(), {folder.write("orbits.json", scenario), "--out", "orbits.h5", "--threads", "1"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QVERIFY(folder.has("orbits.h5"));
    for (const char* part :
         {"50 ok", "members/s", "1 thread x", "lanes", "vern7", "accepted steps", "rejected steps", "min", "median", "max", "50 %", "90 %",
          "99 %", "of 8 of 8 members", "threshold 1e-4", "accurate enough", "drift of E", "orbits.h5, ", "kB"})
        QVERIFY2(contains(outcome.out, part), (std::string(part) + " is missing in\n" + outcome.out).c_str());
    const std::vector<std::string> shown = lines(outcome.out);
    QVERIFY(shown.size() > 3);
    QCOMPARE(shown[shown.size() - 3], std::string("import xarray as xr"));
    QCOMPARE(shown[shown.size() - 2], std::string("ds = xr.open_dataset(\"orbits.h5\")"));
    QCOMPARE(shown[shown.size() - 1], std::string("print(ds)"));
    QVERIFY(contains(outcome.err, "50 members, 11 rows each, about "));  // said before the run
    QVERIFY(contains(outcome.err, "100 %"));
    const Hdf5Reader reader(folder.file("orbits.h5"));
    QVERIFY(reader.complete());
    QCOMPARE(reader.members(), 50);
}

void tst_command_line::the_three_lines_of_python_open_the_file() {
    QProcess python;
    python.start("/usr/bin/python3", {"-c", "import xarray, h5netcdf"});
    if (!python.waitForFinished(patience) || python.exitCode() != 0) QSKIP("needs python3-xarray and python3-h5netcdf");
    const Folder folder;
    const Outcome outcome = run(folder.path(), {folder.write("a.json", small_scenario()), "--out", "it's an \"odd\" name.h5"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const std::vector<std::string> shown = lines(outcome.out);
    python.setWorkingDirectory(folder.path());
    python.start("/usr/bin/python3",
                 {"-c", QString::fromStdString(shown[shown.size() - 3] + '\n' + shown[shown.size() - 2] + '\n' + shown.back())});
    QVERIFY(python.waitForFinished(patience));
    const QByteArray printed = python.readAllStandardOutput();
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    QVERIFY2(printed.contains("param_rho") && printed.contains("member: 50"), printed.constData());
}

void tst_command_line::json_is_one_object_on_stdout() {
    const Folder folder;
    const Outcome outcome = run(folder.path(), {folder.write("a.json", small_scenario()), "--out", "a.h5", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const json closing = json::parse(outcome.out);
    QCOMPARE(closing.at("members").at("by_status").at("ok").get<int>(), 50);
    QCOMPARE(closing.at("members").at("requested").get<int>(), 50);
    QCOMPARE(closing.at("file").get<std::string>(), std::string("a.h5"));
    QCOMPARE(closing.at("file_bytes").get<std::uintmax_t>(), std::filesystem::file_size(folder.file("a.h5")));
    QCOMPARE(closing.at("seed").get<int>(), 3);
    QCOMPARE(closing.at("error").at("covered").get<int>(), 8);
    QCOMPARE(closing.at("error").at("verdict").get<std::string>(), std::string("within"));
    QVERIFY(closing.at("error").at("p99").get<double>() < closing.at("error").at("threshold").get<double>());
    QVERIFY(closing.at("steps").at("accepted").at("max").get<int>() >= closing.at("steps").at("accepted").at("median").get<int>());
    QVERIFY(contains(outcome.err, " members/s"));  // progress is on stderr

    json unmeasured = small_scenario();
    unmeasured["accuracy"]["subsample"] = 0;
    const Outcome none = run(folder.path(), {folder.write("b.json", unmeasured), "--out", "b.h5", "--json", "--quiet"});
    QCOMPARE(none.code, 0);
    QCOMPARE(none.err, std::string());
    QCOMPARE(json::parse(none.out).at("error").at("verdict").get<std::string>(), std::string("not_computed"));
}

void tst_command_line::quiet_says_nothing_when_all_is_well() {
    const Folder folder;
    const Outcome outcome = run(folder.path(), {folder.write("a.json", small_scenario()), "--out", "a.h5", "--quiet"});
    QCOMPARE(outcome.code, 0);
    QCOMPARE(outcome.out, std::string());
    QCOMPARE(outcome.err, std::string());
    const Outcome again = run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"});
    QCOMPARE(again.code, 1);
    QVERIFY(is_one_error_line(again.err));
}

void tst_command_line::without_a_name_the_file_is_named_after_the_scenario() {
    const Folder folder;
    QVERIFY(QDir(folder.path()).mkdir("in"));
    QCOMPARE(run(folder.path(), {folder.write("in/my.orbits.json", small_scenario()), "--quiet"}).code, 0);
    QVERIFY(folder.has("gradscape-out/my.orbits.h5"));
    json scenario = small_scenario();
    scenario["output"] = {{"file", "own name.h5"}};
    QCOMPARE(run(folder.path(), {folder.write("b.json", scenario), "--quiet"}).code, 0);
    QVERIFY(folder.has("own name.h5"));
}

void tst_command_line::options_take_the_place_of_the_scenarios_values() {
    const Folder folder;
    const Outcome outcome =
        run(folder.path(), {folder.write("a.json", small_scenario()), "--out", "a.h5", "--size", "2e1", "--seed", "18446744073709551615",
                            "--threads", "1", "--rtol", "1e-6", "--atol", "2.5e-7", "--method", "tsit5", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const json closing = json::parse(outcome.out), scenario = scenario_in(folder.file("a.h5"));
    QCOMPARE(closing.at("members").at("requested").get<int>(), 20);
    QCOMPARE(closing.at("method").get<std::string>(), std::string("tsit5"));
    QCOMPARE(closing.at("speed").at("threads").get<int>(), 1);
    QCOMPARE(Hdf5Reader(folder.file("a.h5")).members(), 20);
    QCOMPARE(scenario.at("ensemble").at("size").get<int>(), 20);
    QCOMPARE(scenario.at("ensemble").at("seed").get<std::uint64_t>(), 18446744073709551615u);
    QCOMPARE(scenario.at("solver").at("rtol").get<double>(), 1e-6);
    for (const char* state : {"x", "y", "z"}) QCOMPARE(scenario.at("solver").at("atol").at(state).get<double>(), 2.5e-7);
    QCOMPARE(scenario.at("solver").at("method").get<std::string>(), std::string("tsit5"));

    // The scenario in the file gives the same file again.
    folder.write("again.json", scenario);
    QCOMPARE(run(folder.path(), {"again.json", "--out", "again.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("again.h5"), find_model("lorenz")->description), std::string());
}

void tst_command_line::an_option_makes_a_scenario_valid_that_was_not() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["ensemble"]["size"] = 0;
    folder.write("a.json", scenario);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"}).code, 1);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--quiet", "--size", "4"}).code, 0);
}

void tst_command_line::an_option_out_of_range_names_the_option_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::newRow("no members") << "--size" << "0";
    QTest::newRow("negative size") << "--size" << "-3";
    QTest::newRow("rtol of zero") << "--rtol" << "0";
    QTest::newRow("rtol below what doubles hold") << "--rtol" << "1e-15";
    QTest::newRow("negative atol") << "--atol" << "-2";
    QTest::newRow("unknown method") << "--method" << "tsit6";
    QTest::newRow("negative threads") << "--threads" << "-1";
}

void tst_command_line::an_option_out_of_range_names_the_option() {
    QFETCH(const QString, option);
    QFETCH(const QString, value);
    const Folder folder;
    const Outcome outcome = run(folder.path(), {folder.write("a.json", small_scenario()), option, value});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
    QVERIFY2(contains(outcome.err, option.toStdString() + ": ") && contains(outcome.err, value.toStdString()), outcome.err.c_str());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::a_seed_chosen_by_the_program_is_written_down() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["ensemble"].erase("seed");
    folder.write("a.json", scenario);
    std::vector<std::uint64_t> seeds;
    for (const char* name : {"one.h5", "two.h5"}) {
        QCOMPARE(run(folder.path(), {"a.json", "--out", name, "--quiet"}).code, 0);
        QCOMPARE(Hdf5Reader(folder.file(name)).attribute("seed_origin"), std::string("auto"));
        seeds.push_back(scenario_in(folder.file(name)).at("ensemble").at("seed").get<std::uint64_t>());
        QVERIFY(seeds.back() >> 63 == 0);
    }
    QVERIFY(seeds[0] != seeds[1]);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "three.h5", "--quiet", "--seed", QString::number(seeds[0])}).code, 0);
    QCOMPARE(Hdf5Reader(folder.file("three.h5")).attribute("seed_origin"), std::string("user"));
    QCOMPARE(difference(folder.file("one.h5"), folder.file("three.h5"), find_model("lorenz")->description), std::string());
}

void tst_command_line::whole_numbers_mean_the_same_as_real_ones() {
    const Folder folder;
    const std::string before = R"({"gradscape": 1, "model": "lorenz", "parameters": {"sigma": )",
                      after = R"(}, "ensemble": {"size": 2, "seed": 1}, "span": {"start": 0, "end": 1,
        "save": [0.2, 0.75, 1]}})";
    for (const auto& [name, spelling] : {std::pair{"a", "2"}, {"b", "2.0"}, {"c", "2e0"}}) {
        folder.write(std::string(name) + ".json", before + spelling + after);
        QCOMPARE(run(folder.path(), {QString(name) + ".json", "--out", QString(name) + ".h5", "--quiet"}).code, 0);
    }
    const ModelDescription& model = find_model("lorenz")->description;
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), model), std::string());
    QCOMPARE(difference(folder.file("a.h5"), folder.file("c.h5"), model), std::string());
}

void tst_command_line::numbers_mean_the_same_where_the_decimal_sign_is_a_comma() {
    const Folder folder;
    const QStringList arguments = {folder.write("a.json", small_scenario()), "--json", "--rtol", "1.5e-7", "--out"};
    const Outcome plain = run(folder.path(), arguments + QStringList{"plain.h5"});
    QCOMPARE(plain.code, 0);

    // A German locale, compiled here when the system lacks it; without localedef the C++ locale below is what is tested.
    QProcess compile;
    compile.start("localedef", {"-i", "de_DE", "-f", "UTF-8", folder.path() + "/de_DE.UTF-8"});
    compile.waitForFinished(patience);
    QProcessEnvironment german = QProcessEnvironment::systemEnvironment();
    german.insert("LC_ALL", "de_DE.UTF-8");
    german.insert("LOCPATH", folder.path());
    const Outcome comma = Program(folder.path(), arguments + QStringList{"comma.h5"}, german).outcome();
    QCOMPARE(comma.code, 0);
    QCOMPARE(json::parse(comma.out).at("rtol").get<double>(), 1.5e-7);
    QCOMPARE(difference(folder.file("plain.h5"), folder.file("comma.h5"), find_model("lorenz")->description), std::string());

    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
    const auto restore = qScopeGuard([&] { std::locale::global(before); });
    const char* const line[] = {"gradscape-run", "a.json", "--size", "2000", "--rtol", "2.5e-7"};
    const CommandLine parsed = parse_command_line(std::size(line), line);
    QCOMPARE(*parsed.overrides.rtol, 2.5e-7);
    QCOMPARE(*parsed.overrides.size, 2000);
    const RunReport report =
        run_scenario({.scenario = folder.file("a.json"), .resume = {}, .out = folder.file("in_process.h5"), .overrides = parsed.overrides});
    QVERIFY(contains(closing_table(report), "2000 ok"));
    QVERIFY(contains(closing_table(report), "rtol 2.5e-7"));
    QCOMPARE(json::parse(closing_json(report)).at("rtol").get<double>(), 2.5e-7);
    QCOMPARE(scenario_in(folder.file("in_process.h5")).at("solver").at("rtol").get<double>(), 2.5e-7);
    std::ostringstream progress;
    ProgressBar bar(progress, 0);
    bar.update({1500, 3000, 0.5});
    QVERIFY2(contains(progress.str(), "1500/3000 members  3000 members/s"), progress.str().c_str());
}

void tst_command_line::one_failed_member_of_eight_is_told_and_the_results_are_written() {
    const Folder folder;
    folder.write("a.json", one_of_eight_fails(folder));
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5"});
    QVERIFY2(outcome.code == 3, outcome.err.c_str());
    QVERIFY2(contains(outcome.err, "gradscape-run: 1 of 8 members failed: step_limit 1 (stopped near t = "), outcome.err.c_str());
    QVERIFY(contains(outcome.out, "7 ok"));
    QVERIFY(contains(outcome.out, "1 step_limit: "));
    const Hdf5Reader reader(folder.file("a.h5"));
    QVERIFY(reader.complete());
    QCOMPARE(reader.dataset("status"), (std::vector<double>{0, 0, 0, 2, 0, 0, 0, 0}));
    const std::vector<double> x = reader.dataset("x");
    QCOMPARE(x.size(), 8 * static_cast<std::size_t>(reader.rows()));
    const auto last_row = [&](std::size_t member) { return x[(member + 1) * static_cast<std::size_t>(reader.rows()) - 1]; };
    QVERIFY(std::isnan(last_row(3)));
    QVERIFY(std::isfinite(last_row(2)));
    QCOMPARE(last_row(2), last_row(4));

    const Outcome quiet = run(folder.path(), {"a.json", "--out", "b.h5", "--quiet", "--json"});
    QCOMPARE(quiet.code, 3);
    QVERIFY(is_one_error_line(quiet.err));
    const json members = json::parse(quiet.out).at("members");
    QCOMPARE(members.at("by_status").at("step_limit").get<int>(), 1);
    const double stop = members.at("stopped_at").at("step_limit").at("min").get<double>();
    QCOMPARE(stop, reader.dataset("stopped_at")[3]);
    QVERIFY(stop > 0 && stop < 20);
}

void tst_command_line::the_step_limit_of_an_explicit_method_hints_at_stiffness() {
    const Folder folder;
    folder.write("a.json", one_of_eight_fails(folder));
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5"});
    QVERIFY(contains(outcome.out, "stiff"));
    QVERIFY(contains(outcome.err, "stiff"));
}

void tst_command_line::an_existing_file_is_replaced_only_when_asked_for() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    folder.write("a.h5", std::string("precious"));
    const Outcome refused = run(folder.path(), {"a.json", "--out", "a.h5"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(is_one_error_line(refused.err) && contains(refused.err, "a.h5") && contains(refused.err, "--overwrite"), refused.err.c_str());
    QCOMPARE(std::filesystem::file_size(folder.file("a.h5")), 8u);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--overwrite", "--quiet"}).code, 0);
    QCOMPARE(Hdf5Reader(folder.file("a.h5")).members(), 50);
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5"}));
}

void tst_command_line::a_folder_that_cannot_be_written_is_an_error_in_one_line_data() {
    QTest::addColumn<QString>("out");
    QTest::addColumn<QString>("names");
    QTest::newRow("missing folder") << "nowhere/a.h5" << "nowhere/a.h5";
    QTest::newRow("read-only for everybody") << "/proc/a.h5" << "/proc/.a.h5.part";
    QTest::newRow("a file for a folder") << "a.json/a.h5" << "a.json/a.h5";
    QTest::newRow("a folder for a file") << "." << ".";
}

void tst_command_line::a_folder_that_cannot_be_written_is_an_error_in_one_line() {
    QFETCH(const QString, out);
    QFETCH(const QString, names);
    const Folder folder;
    const Outcome outcome = run(folder.path(), {folder.write("a.json", small_scenario()), "--out", out, "--quiet", "--overwrite"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, names.toStdString()), outcome.err.c_str());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::a_file_in_a_read_only_folder_stays() {  // case B33
    const Folder folder, elsewhere;
    folder.write("a.json", small_scenario());
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"}).code, 0);
    const std::string before = content(folder.file("a.h5"));
    // Root may write anywhere: then another user runs a copy of the program that he can reach.
    constexpr uid_t nobody = 65534;
    const bool is_root = geteuid() == 0;
    const QString copy = elsewhere.path() + "/gradscape-run";
    QVERIFY(QFile::copy(GRADSCAPE_RUN, copy));
    using std::filesystem::perms;
    constexpr auto readable = static_cast<perms>(0555);
    for (const std::filesystem::path& shared : {elsewhere.file(""), elsewhere.file("gradscape-run"), folder.file("")})
        std::filesystem::permissions(shared, readable);
    const auto restore = qScopeGuard([&] {
        for (const Folder* each : {&folder, &elsewhere}) std::filesystem::permissions(each->file(""), perms::owner_all);
    });
    const QStringList arguments = {"a.json", "--out", "a.h5", "--overwrite"};
    Program program(copy, folder.path(), arguments, QProcessEnvironment::systemEnvironment(), RLIM_INFINITY, is_root ? nobody : geteuid());
    const Outcome outcome = program.outcome();
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, "a.h5: the folder can't be written to: Permission denied"),
             outcome.err.c_str());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5"}));
    QVERIFY(content(folder.file("a.h5")) == before);
}

void tst_command_line::a_result_larger_than_the_disk_is_refused_before_anything_is_computed() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["span"]["save"] = 10000;
    folder.write("a.json", scenario);
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5", "--size", "1000000000"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, "a.json: ensemble.size: 1000000000 members with 10000 rows"),
             outcome.err.c_str());
    QVERIFY2(contains(outcome.err, "free"), outcome.err.c_str());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::rows_over_what_memory_holds_are_refused() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["span"]["save"] = 100000000;
    scenario["ensemble"]["size"] = 1000;
    scenario["accuracy"]["subsample"] = 256;
    scenario["output"] = {{"every", 100000000}};  // the file would be small
    const Outcome outcome = run(folder.path(), {folder.write("a.json", scenario), "--out", "a.h5"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, "a.json: span.save"), outcome.err.c_str());

    // Where the run alone would fit, the subsample is to blame.
    scenario["span"]["save"] = 100000;
    scenario["ensemble"]["size"] = 1000000;
    scenario["accuracy"]["subsample"] = 1000000;
    const Outcome compared = run(folder.path(), {folder.write("a.json", scenario), "--out", "a.h5"});
    QCOMPARE(compared.code, 1);
    QVERIFY2(is_one_error_line(compared.err) && contains(compared.err, "a.json: accuracy.subsample: 1000000 members with 100000 rows"),
             compared.err.c_str());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::a_disk_that_fills_up_is_an_error_that_names_what_was_kept() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["span"]["save"] = 101;
    scenario["ensemble"]["size"] = 20000;
    folder.write("a.json", scenario);
    constexpr rlim_t limit = 30'000'000;  // of about 80 MB
    const Outcome outcome =
        Program(folder.path(), {"a.json", "--out", "a.h5", "--quiet"}, QProcessEnvironment::systemEnvironment(), limit).outcome();
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
    QVERIFY(!folder.has("a.h5"));
    QVERIFY2(contains(outcome.err, "a.incomplete.h5"), outcome.err.c_str());
    QCOMPARE(fault_of(folder.file("a.incomplete.h5")), std::string());
    const Hdf5Reader kept(folder.file("a.incomplete.h5"));
    QVERIFY(!kept.complete());
    QVERIFY(kept.members() > 0 && kept.members() < 20000);

    // With room again the run goes on.
    QCOMPARE(run(folder.path(), {"--resume", "a.incomplete.h5", "--quiet"}).code, 0);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), find_model("lorenz")->description), std::string());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5", "b.h5"}));
}

void tst_command_line::an_interrupted_run_that_is_resumed_equals_an_uninterrupted_one_data() {
    QTest::addColumn<int>("number");
    QTest::addColumn<int>("interruptions");
    QTest::addColumn<bool>("shooting");
    QTest::newRow("Ctrl+C") << SIGINT << 1 << false;
    QTest::newRow("terminated, twice") << SIGTERM << 2 << false;
    QTest::newRow("a model that shoots") << SIGINT << 1 << true;
}

void tst_command_line::an_interrupted_run_that_is_resumed_equals_an_uninterrupted_one() {
    QFETCH(const int, number);
    QFETCH(const int, interruptions);
    QFETCH(const bool, shooting);
    const Folder folder;
    const json scenario = shooting ? long_shooting_scenario() : long_scenario();
    folder.write("a.json", scenario);
    QStringList arguments = {"a.json", "--out", "a.h5", "--threads", "1"};
    std::int64_t kept = 0;
    for (int i = 0; i < interruptions; ++i) {
        Program program(folder.path(), arguments + QStringList{"--json"});
        program.reading_stderr();
        QVERIFY(program.signal_in_mid_run(number));
        const Outcome outcome = program.outcome();
        QVERIFY2(outcome.code == 130, outcome.err.c_str());
        QVERIFY2(contains(outcome.err, "gradscape-run --resume a.incomplete.h5"), outcome.err.c_str());
        QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.incomplete.h5"}));
        const Hdf5Reader reader(folder.file("a.incomplete.h5"));
        QVERIFY(!reader.complete());
        std::int64_t ok = 0;
        for (const double status : reader.dataset("status")) ok += int{status == 0};
        QVERIFY(ok > kept && ok < long_size);
        kept = ok;
        QVERIFY2(contains(outcome.err, std::to_string(ok) + " of " + std::to_string(long_size) + " members are kept"), outcome.err.c_str());
        const json closing = json::parse(outcome.out);
        QCOMPARE(closing.at("complete").get<bool>(), false);
        QCOMPARE(closing.at("file").get<std::string>(), std::string("a.incomplete.h5"));
        QCOMPARE(closing.at("members").at("complete").get<std::int64_t>(), ok);
        arguments = QStringList{"--resume", "a.incomplete.h5"};
    }
    const Outcome resumed = run(folder.path(), {"--resume", "a.incomplete.h5", "--threads", "2", "--json"});
    QVERIFY2(resumed.code == 0, resumed.err.c_str());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5"}));
    const Outcome whole = run(folder.path(), {"a.json", "--out", "b.h5", "--json"});
    QVERIFY2(whole.code == 0, whole.err.c_str());
    const ModelDescription& model = find_model(scenario["model"].get<std::string>())->description;
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), model), std::string());
    const json a = json::parse(resumed.out), b = json::parse(whole.out);
    QCOMPARE(a.at("complete").get<bool>(), true);
    for (const char* part : {"members", "steps", "error", "drift", "seed", "seed_given", "method"})
        QCOMPARE(a.at(part).dump(), b.at(part).dump());
}

// Behind some members that end at once come members that don't end by themselves. The bound is far above what it takes (a few
// hundredths of a second), so that it only tells obeying from not.
void tst_command_line::an_interrupt_of_endless_members_is_obeyed_at_once() {  // case B32
    const Folder folder;
    std::string points = "end\n";
    for (int i = 0; i < 20000; ++i) points += i < 5000 ? "0.001\n" : "1000\n";
    folder.write("points.csv", points);
    json scenario = small_scenario();
    scenario["span"] = {{"end", {{"distribution", "table"}}}, {"save", 2}};
    scenario["ensemble"] = {{"table", "points.csv"}, {"seed", 1}};
    scenario["solver"] = {{"max_step", 1e-6}, {"max_steps", 2000000000}};
    folder.write("a.json", scenario);
    Program program(folder.path(), {"a.json", "--out", "a.h5"});
    program.reading_stderr();
    QVERIFY(program.signal_in_mid_run(SIGINT));
    const auto asked = std::chrono::steady_clock::now();
    const Outcome outcome = program.outcome();
    QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::seconds(10));
    QVERIFY2(outcome.code == 130, outcome.err.c_str());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.incomplete.h5", "points.csv"}));
}

void tst_command_line::an_interrupt_while_members_are_taken_over_leaves_the_resumed_file_data() {
    QTest::addColumn<QString>("out");
    QTest::addColumn<bool>("overwrite");
    QTest::addColumn<QString>("command");
    QTest::newRow("beside it") << "" << false << "--resume a.incomplete.h5";
    QTest::newRow("another file") << "b.h5" << false << "--resume a.incomplete.h5 --out b.h5";
    QTest::newRow("onto itself") << "a.incomplete.h5" << true << "--resume a.incomplete.h5 --out a.incomplete.h5 --overwrite";
}

// The stop comes when the run is planned, before the first member is taken over.
void tst_command_line::an_interrupt_while_members_are_taken_over_leaves_the_resumed_file() {
    QFETCH(const QString, out);
    QFETCH(const bool, overwrite);
    QFETCH(const QString, command);
    const Folder folder;
    folder.write("a.json", small_scenario());
    const QString present = QDir::currentPath();
    QVERIFY(QDir::setCurrent(folder.path()));  // so that the names in messages are short
    const auto restore = qScopeGuard([&] { QDir::setCurrent(present); });
    std::stop_source stop;
    RunHooks hooks;
    hooks.stop = stop.get_token();
    hooks.progress = [&](const Progress& progress) {
        if (progress.done == progress.total) stop.request_stop();  // before the accuracy
    };
    QVERIFY(run_scenario({.scenario = "a.json", .resume = {}, .out = "a.h5", .overrides = {}}, hooks).interrupted);
    const std::string before = content(folder.file("a.incomplete.h5"));

    std::stop_source second;
    hooks = {};
    hooks.stop = second.get_token();
    hooks.planned = [&](const RunPlan&) { second.request_stop(); };
    const RunReport report =
        run_scenario({.scenario = {}, .resume = "a.incomplete.h5", .out = out.toStdString(), .overrides = {}, .overwrite = overwrite}, hooks);
    QVERIFY(report.interrupted);
    const std::string says =
        "interrupted; a.incomplete.h5 is as it was, with 50 of 50 members; to go on: gradscape-run " + command.toStdString();
    QCOMPARE(report.sentence, says);
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.incomplete.h5"}));
    QVERIFY(content(folder.file("a.incomplete.h5")) == before);
    const json closing = json::parse(closing_json(report));
    QCOMPARE(closing.at("complete").get<bool>(), false);
    QCOMPARE(closing.at("members").at("complete").get<int>(), 50);
    QCOMPARE(closing.at("members").at("by_status").at("ok").get<int>(), 50);
}

void tst_command_line::an_interrupt_of_the_accuracy_keeps_all_members() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    std::stop_source stop;
    RunHooks hooks;
    hooks.stop = stop.get_token();
    hooks.progress = [&](const Progress& progress) {
        if (progress.done == progress.total) stop.request_stop();
    };
    const RunReport report =
        run_scenario({.scenario = folder.file("a.json"), .resume = {}, .out = folder.file("a.h5"), .overrides = {}}, hooks);
    QVERIFY(report.interrupted);
    const std::string kept = folder.file("a.incomplete.h5").string();
    const std::string says = "interrupted; all 50 members are kept in " + kept + ", only statistics and accuracy are missing; to go on: ";
    QVERIFY2(report.sentence.starts_with(says), report.sentence.c_str());
    QCOMPARE(run(folder.path(), {"--resume", "a.incomplete.h5", "--quiet"}).code, 0);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), find_model("lorenz")->description), std::string());
}

void tst_command_line::a_resumed_stream_equals_an_uninterrupted_one() {
    const Folder folder;
    json scenario = stream_scenario(40, long_group);
    scenario["solver"] = {{"rtol", 1e-12}, {"threads", 1}};
    scenario["output"] = {{"compression", "none"}};
    folder.write("a.json", scenario);
    std::stop_source stop;
    RunHooks hooks;
    hooks.stop = stop.get_token();
    hooks.progress = [&](const Progress& progress) {
        if (progress.done > 1000) stop.request_stop();
    };
    const RunReport interrupted =
        run_scenario({.scenario = folder.file("a.json"), .resume = {}, .out = folder.file("a.h5"), .overrides = {}}, hooks);
    QVERIFY(interrupted.interrupted);
    const std::int64_t kept = Hdf5Reader(folder.file("a.incomplete.h5")).members();
    QVERIFY2(kept > 0 && kept < 40 * long_group, qPrintable(QString::number(kept)));
    const RunReport resumed =
        run_scenario({.scenario = {}, .resume = folder.file("a.incomplete.h5"), .out = folder.file("a.h5"), .overrides = {}});
    const RunReport whole = run_scenario({.scenario = folder.file("a.json"), .resume = {}, .out = folder.file("b.h5"), .overrides = {}});
    QVERIFY(resumed.result.tries < whole.result.tries);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), find_model("stream_star")->description), std::string());
    QVERIFY(std::ranges::equal(resumed.spreads, whole.spreads));
    const Hdf5Reader reader(folder.file("a.h5"));
    const std::vector<double> group = reader.dataset("group"), tail = reader.dataset("draw_tail"), start = reader.dataset("span_start");
    QCOMPARE(group.size(), std::size_t{40 * long_group});
    for (std::size_t m = 0; m < group.size(); ++m) QVERIFY(group[m] == static_cast<double>(m / long_group) && std::abs(tail[m]) == 1);
    QVERIFY(start == reader.dataset("draw_t_release"));
}

void tst_command_line::names_with_line_breaks_stay_on_one_line() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    folder.write("b\nc.h5", std::string("precious"));
    for (const char* out : {"b\nc.h5", "no\nwhere/a.h5"}) {
        const Outcome outcome = run(folder.path(), {"a.json", "--out", out});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
    }
    const Outcome resumed = run(folder.path(), {"--resume", "b\nc.h5"});
    QCOMPARE(resumed.code, 1);
    QVERIFY2(is_one_error_line(resumed.err), resumed.err.c_str());
    const Outcome good = run(folder.path(), {"a.json", "--out", "d\ne.h5"});
    QVERIFY2(contains(good.out, "d?e.h5, "), good.out.c_str());
}

void tst_command_line::a_stream_is_described_and_its_draws_can_be_used_again() {
    const Folder folder;
    folder.write("a.json", stream_scenario(4, 100));
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    for (const char* part : {"400 ok", "\nextent of φ₁", " °: 5th to 95th percentile", "\nwidth of φ₂", "about the median along φ₁"})
        QVERIFY2(contains(outcome.out, part), outcome.out.c_str());
    const json closing = json::parse(run(folder.path(), {"a.json", "--out", "b.h5", "--json"}).out);
    QVERIFY(closing.at("spreads").at("extent_of_phi1").get<double>() > 1);
    QVERIFY(closing.at("spreads").at("width_of_phi2").get<double>() > 0);
    const std::string text = run(folder.path(), {"--describe", "stream_star"}).out;
    QVERIFY2(contains(text, "Draws of each member") && contains(text, "t_release"), text.c_str());
    QCOMPARE(json::parse(run(folder.path(), {"--describe", "stream_star", "--json"}).out).at("draws").size(), std::size_t{6});
    QVERIFY(!contains(run(folder.path(), {"--describe", "lorenz"}).out, "Draws"));

    // The same stars again, whatever the seed.
    json again = stream_scenario(4, 100);
    again["parameters"] = json::object();
    again["ensemble"] = {{"table", "a.h5"}, {"seed", 99}};
    folder.write("again.json", again);
    const Outcome second = run(folder.path(), {"again.json", "--out", "c.h5"});
    QVERIFY2(second.code == 0, second.err.c_str());
    const Hdf5Reader first(folder.file("a.h5")), repeated(folder.file("c.h5"));
    for (const char* name : {"x", "vz", "phi2", "draw_kr", "param_v0"}) QVERIFY2(first.dataset(name) == repeated.dataset(name), name);
    QVERIFY(first.has("group") && !repeated.has("group"));

    // Extents of streams are of the sky today, so without observables there are none.
    json bare = stream_scenario(4, 100);
    bare["output"] = {{"observables", false}};
    folder.write("bare.json", bare);
    QVERIFY(!contains(run(folder.path(), {"bare.json", "--out", "d.h5"}).out, "extent of"));
}

void tst_command_line::the_scenario_in_a_file_gives_the_same_file_again_data() {
    QTest::addColumn<QString>("scenario");
    const auto row = [](const char* name, const json& scenario) { QTest::newRow(name) << QString::fromStdString(scenario.dump()); };
    for (const bool scramble : {true, false}) {
        json sobol = small_scenario();
        sobol["ensemble"] = {{"size", 64}, {"seed", 3}, {"sampling", "sobol"}, {"scramble", scramble}};
        row(scramble ? "Sobol" : "Sobol without a shift", sobol);
    }
    json table = small_scenario();
    table["parameters"] = {{"rho", {{"distribution", "table"}}}, {"beta", {{"distribution", "normal"}, {"mean", 2.7}, {"sd", 0.01}}}};
    table["ensemble"] = {{"seed", 3}, {"table", "points.csv"}};
    row("table beside draws", table);
    json stream = stream_scenario(4, 50);
    row("stream", stream);
    stream["draws"] = {{"tail", 1}};
    stream["ensemble"] = {{"size", 100}, {"sampling", "sobol"}};  // the program chooses the seed
    row("stream of one tail", stream);
}

void tst_command_line::the_scenario_in_a_file_gives_the_same_file_again() {
    QFETCH(const QString, scenario);
    const Folder folder, elsewhere;
    folder.write("points.csv", std::string("rho\n0.1\n12.3\n20.7\n1e-3\n"));
    folder.write("a.json", scenario.toStdString());
    const Outcome first = run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"});
    QVERIFY2(first.code == 0, first.err.c_str());
    elsewhere.write("again.json", Hdf5Reader(folder.file("a.h5")).scenario_json());
    const Outcome again = run(elsewhere.path(), {"again.json", "--out", "again.h5", "--quiet"});
    QVERIFY2(again.code == 0, again.err.c_str());
    const ModelDescription& model = find_model(Hdf5Reader(folder.file("a.h5")).attribute("model_name"))->description;
    QCOMPARE(difference(folder.file("a.h5"), elsewhere.file("again.h5"), model), std::string());
    json one = scenario_in(folder.file("a.h5")), other = scenario_in(elsewhere.file("again.h5"));
    one["output"].erase("file");
    other["output"].erase("file");
    QCOMPARE(QString::fromStdString(one.dump()), QString::fromStdString(other.dump()));
}

void tst_command_line::a_size_beside_groups_is_one_line() {
    const Folder folder;
    folder.write("a.json", stream_scenario(4, 100));
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5", "--size", "1000"});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(is_one_error_line(outcome.err), outcome.err.c_str());
    const char* const says = "--size: 1000 is not the 400 members of ensemble.groups (4 groups of 100 members)";
    QVERIFY2(contains(outcome.err, says), outcome.err.c_str());
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--size", "400", "--quiet"}).code, 0);
}

void tst_command_line::a_grid_is_run_and_refuses_another_size() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["parameters"] = {{"rho", {{"min", 0}, {"max", 21}, {"points", 8}}},
                              {"beta", {{"min", 0.1}, {"max", 10}, {"scale", "log"}, {"points", 3}}},
                              {"sigma", {{"min", 5}, {"max", 6}, {"step", 0.5}}}};
    scenario["ensemble"] = {{"sampling", "grid"}};
    folder.write("a.json", scenario);
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const Hdf5Reader reader(folder.file("a.h5"));
    QCOMPARE(reader.members(), 72);
    QCOMPARE(reader.attribute("sampling"), std::string("grid"));
    // In the model's order: sigma, rho, beta; the last one varies fastest.
    const std::vector<double> sigma = reader.dataset("param_sigma"), rho = reader.dataset("param_rho"), beta = reader.dataset("param_beta");
    const double betas[] = {0.1, 1, 10};
    for (std::size_t i = 0; i < 72; ++i) {
        QCOMPARE(sigma[i], 5 + 0.5 * static_cast<double>(i / 24));
        QCOMPARE(rho[i], 3 * static_cast<double>(i / 3 % 8));
        QVERIFY(std::abs(beta[i] / betas[i % 3] - 1) < 1e-14);
    }
    folder.write("again.json", scenario_in(folder.file("a.h5")));
    QCOMPARE(run(folder.path(), {"again.json", "--out", "again.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("again.h5"), find_model("lorenz")->description), std::string());

    for (const char* again : {"a.json", "again.json"}) {  // with the size left out, and spelled out
        const Outcome larger = run(folder.path(), {again, "--out", "b.h5", "--size", "100"});
        QCOMPARE(larger.code, 2);
        QVERIFY2(is_one_error_line(larger.err), larger.err.c_str());
        const char* const says = "--size: a grid of 3 x 8 x 3 points has 72 members, not 100; leave it out, a grid belongs to its points "
                                 "and can't be extended";
        QVERIFY2(contains(larger.err, says), larger.err.c_str());
        QVERIFY(!folder.has("b.h5"));
    }
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--size", "72", "--quiet"}).code, 0);
}

void tst_command_line::a_latin_hypercube_is_run_and_not_extended() {
    const Folder folder;
    json scenario = small_scenario();
    scenario["ensemble"] = {{"size", 50}, {"seed", 3}, {"sampling", "latin_hypercube"}};
    folder.write("a.json", scenario);
    const Outcome outcome = run(folder.path(), {"a.json", "--out", "a.h5"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    QVERIFY2(!contains(outcome.out, "Latin hypercube"), outcome.out.c_str());
    const Hdf5Reader reader(folder.file("a.h5"));
    QCOMPARE(reader.attribute("sampling"), std::string("latin_hypercube"));
    QCOMPARE(reader.attribute("rng"), std::string("Philox4x32-10"));
    const std::vector<double> rho = reader.dataset("param_rho");
    std::set<int> parts;
    for (const double value : rho) parts.insert(static_cast<int>(value / 21 * 50));
    QCOMPARE(parts.size(), std::size_t{50});
    folder.write("again.json", scenario_in(folder.file("a.h5")));
    QCOMPARE(run(folder.path(), {"again.json", "--out", "again.h5", "--quiet", "--threads", "1"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("again.h5"), find_model("lorenz")->description), std::string());

    const Outcome other = run(folder.path(), {"a.json", "--out", "b.h5", "--size", "60"});
    QCOMPARE(other.code, 2);
    QVERIFY2(is_one_error_line(other.err) && contains(other.err, "--size: 60 members") && contains(other.err, "can't be extended"),
             other.err.c_str());
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--size", "50", "--quiet"}).code, 0);
    scenario["ensemble"]["size"] = 60;
    folder.write("larger.json", scenario);
    QCOMPARE(run(folder.path(), {"larger.json", "--out", "c.h5", "--quiet"}).code, 0);
    QVERIFY(Hdf5Reader(folder.file("c.h5")).dataset("param_rho")[0] != rho[0]);
}

void tst_command_line::what_belongs_to_its_size_is_not_extended_when_it_is_resumed() {
    const Folder folder;
    json scenario = long_scenario();
    scenario["ensemble"]["sampling"] = "latin_hypercube";
    folder.write("a.json", scenario);
    Program program(folder.path(), {"a.json", "--out", "a.h5", "--threads", "1"});
    program.reading_stderr();
    QVERIFY(program.signal_in_mid_run(SIGINT));
    const Outcome interrupted = program.outcome();
    QCOMPARE(interrupted.code, 130);
    QCOMPARE(interrupted.out, std::string());
    const Outcome larger = run(folder.path(), {"--resume", "a.incomplete.h5", "--size", "40000"});
    QCOMPARE(larger.code, 2);
    QVERIFY2(is_one_error_line(larger.err) && contains(larger.err, "--size"), larger.err.c_str());
    QCOMPARE(run(folder.path(), {"--resume", "a.incomplete.h5", "--quiet"}).code, 0);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), find_model("log_halo")->description), std::string());
}

void tst_command_line::a_fresh_run_does_not_replace_the_members_of_an_interrupted_one() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    folder.write("a.incomplete.h5", std::string("hours of work"));
    const Outcome refused = run(folder.path(), {"a.json", "--out", "a.h5"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(is_one_error_line(refused.err) && contains(refused.err, "--resume a.incomplete.h5"), refused.err.c_str());
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--overwrite", "--quiet"}).code, 0);
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5"}));
}

void tst_command_line::a_killed_run_leaves_its_members_and_says_how_to_go_on() {
    const Folder folder;
    folder.write("a.json", long_scenario());
    Program program(folder.path(), {"a.json", "--out", "a.h5", "--threads", "1"});
    program.reading_stderr();
    QVERIFY(program.signal_in_mid_run(0));  // no signal: waits until members are being computed
    for (int waited = 0; !holds_members(folder.file(".a.h5.part"), folder.file("copy.h5")) && waited < patience; waited += 5) QThread::msleep(5);
    std::filesystem::remove(folder.file("copy.h5"));
    program.process().kill();
    QCOMPARE(program.outcome().code, -2);
    QCOMPARE(folder.names(), (std::set<std::string>{".a.h5.part", "a.json"}));
    const Outcome refused = run(folder.path(), {"a.json", "--out", "a.h5"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(is_one_error_line(refused.err) &&
                 contains(refused.err, "`mv .a.h5.part a.incomplete.h5 && gradscape-run --resume a.incomplete.h5`"),
             refused.err.c_str());
    std::filesystem::rename(folder.file(".a.h5.part"), folder.file("a.incomplete.h5"));
    QCOMPARE(run(folder.path(), {"--resume", "a.incomplete.h5", "--quiet"}).code, 0);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "b.h5", "--quiet"}).code, 0);
    QCOMPARE(difference(folder.file("a.h5"), folder.file("b.h5"), find_model("log_halo")->description), std::string());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5", "b.h5"}));
}

void tst_command_line::a_link_is_followed_and_stays() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    std::filesystem::create_directory(folder.file("disk"));
    std::filesystem::create_symlink("disk/b.h5", folder.file("a.h5"));
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"}).code, 0);
    QVERIFY(std::filesystem::is_symlink(folder.file("a.h5")));
    QCOMPARE(fault_of(folder.file("disk/b.h5")), std::string());
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--quiet"}).code, 1);
    QCOMPARE(run(folder.path(), {"a.json", "--out", "a.h5", "--overwrite", "--quiet"}).code, 0);
    QVERIFY(std::filesystem::is_symlink(folder.file("a.h5")));
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5", "disk"}));
}

void tst_command_line::a_name_too_long_is_an_error_that_says_by_how_much() {
    const Folder folder;
    folder.write("a.json", small_scenario());
    const Outcome outcome = run(folder.path(), {"a.json", "--quiet", "--out", QString(247, 'n') + ".h5"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, "the name is 6 characters too long"), outcome.err.c_str());
    QCOMPARE(folder.names(), std::set<std::string>{"a.json"});
}

void tst_command_line::what_cannot_be_resumed_is_one_line_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << "nowhere.incomplete.h5" << "nowhere.incomplete.h5";
    QTest::newRow("not HDF5") << "a.json" << "a.json";
    QTest::newRow("a folder") << "." << ".";
    QTest::newRow("complete") << "a.h5" << "complete";
}

void tst_command_line::what_cannot_be_resumed_is_one_line() {
    QFETCH(const QString, file);
    QFETCH(const QString, says);
    const Folder folder;
    QCOMPARE(run(folder.path(), {folder.write("a.json", small_scenario()), "--out", "a.h5", "--quiet"}).code, 0);
    const Outcome outcome = run(folder.path(), {"--resume", file, "--out", "b.h5"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, says.toStdString()), outcome.err.c_str());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.h5"}));
}

void tst_command_line::a_table_that_changed_is_noticed_when_a_run_is_resumed() {
    const Folder folder;
    std::string points = "v0\n";
    for (int i = 0; i < long_size; ++i) points += std::to_string(200 + i % 40) + '\n';
    folder.write("points.csv", points);
    json scenario = long_scenario();
    scenario["parameters"] = {{"v0", {{"distribution", "table"}}}};
    scenario["initial_state"] = json::object();
    scenario["ensemble"] = {{"size", long_size}, {"sampling", "table"}, {"table", "points.csv"}};
    folder.write("a.json", scenario);
    Program program(folder.path(), {"a.json", "--out", "a.h5", "--threads", "1"});
    program.reading_stderr();
    QVERIFY(program.signal_in_mid_run(SIGINT));
    QCOMPARE(program.outcome().code, 130);
    points.replace(points.find("200"), 3, "250");
    folder.write("points.csv", points);
    const Outcome outcome = run(folder.path(), {"--resume", "a.incomplete.h5", "--quiet"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(is_one_error_line(outcome.err) && contains(outcome.err, "v0 of member 0 was 200 and would now be 250"), outcome.err.c_str());
    QCOMPARE(folder.names(), (std::set<std::string>{"a.json", "a.incomplete.h5", "points.csv"}));
}

void tst_command_line::a_second_interrupt_has_its_usual_effect() {
    struct sigaction original {};
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    QCOMPARE(sigaction(SIGINT, &usual, &original), 0);
    const auto restore = qScopeGuard([&] { sigaction(SIGINT, &original, nullptr); });
    const auto handler = [] {
        struct sigaction action {};
        sigaction(SIGINT, nullptr, &action);
        return action.sa_handler;
    };
    {
        const Interrupt interrupt;
        QVERIFY(handler() != SIG_DFL);
        QVERIFY(!interrupt.token().stop_requested());
        raise(SIGINT);
        QTRY_VERIFY(interrupt.token().stop_requested());
        QVERIFY(handler() == SIG_DFL);  // the next one ends the process
    }
    QVERIFY(handler() == SIG_DFL);
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    QCOMPARE(sigaction(SIGINT, &ignored, nullptr), 0);
    const Interrupt in_the_background;
    QVERIFY(handler() == SIG_IGN);
}

void tst_command_line::the_time_left_is_hidden_until_it_means_something() {
    std::ostringstream out;
    ProgressBar bar(out, 80);
    bar.update({10, 1000, 0.1});
    bar.update({20, 1000, 0.2});
    QVERIFY2(!contains(out.str(), "left"), out.str().c_str());
    bar.update({100, 1000, 0.3});
    QVERIFY2(contains(out.str(), "100/1000 members  333 members/s  0:03 left"), out.str().c_str());

    std::ostringstream slow;
    ProgressBar slow_bar(slow, 80);
    slow_bar.update({10, 1000, 2});
    QVERIFY2(contains(slow.str(), "5 members/s  3:18 left"), slow.str().c_str());

    std::ostringstream resumed;
    ProgressBar resumed_bar(resumed, 80, 900);  // members of the earlier run pass by in no time
    resumed_bar.update({910, 1000, 2});
    QVERIFY2(contains(resumed.str(), "5 members/s  0:18 left"), resumed.str().c_str());

    std::ostringstream copied;
    ProgressBar copied_bar(copied, 80, 900);  // or in some
    copied_bar.update({450, 1000, 30});
    copied_bar.update({900, 1000, 60});
    QVERIFY2(!contains(copied.str(), "left"), copied.str().c_str());
    copied_bar.update({910, 1000, 62});
    QVERIFY2(contains(copied.str(), "5 members/s  0:18 left"), copied.str().c_str());
}

void tst_command_line::hundred_percent_is_shown_only_when_the_result_is_there() {
    for (const int columns : {0, 80}) {
        std::ostringstream out;
        ProgressBar bar(out, columns);
        bar.update({999, 1000, 1});
        bar.update({1000, 1000, 8});
        QVERIFY2(!contains(out.str(), "100 %") && contains(out.str(), "99 %"), out.str().c_str());
        bar.finish();
        QVERIFY2(contains(out.str(), "100 %  1000/1000 members"), out.str().c_str());
        QVERIFY(out.str().ends_with('\n'));
    }
}

void tst_command_line::without_a_terminal_a_line_appears_at_most_every_five_seconds() {
    std::ostringstream out;
    ProgressBar bar(out, 0);
    for (int tenth = 1; tenth <= 200; ++tenth) bar.update({tenth, 1000, 0.1 * tenth});
    const std::vector<std::string> shown = lines(out.str());
    QCOMPARE(shown.size(), 4u);  // at 0.1, 5.1, 10.1 and 15.1 s
    for (const std::string& line : shown) QVERIFY2(!contains(line, "\r") && !contains(line, "\x1b"), line.c_str());
}

void tst_command_line::a_terminal_line_never_wraps() {
    for (const int columns : {20, 60, 80, 200}) {
        std::ostringstream out;
        ProgressBar bar(out, columns);
        bar.update({123456, 1000000, 3});
        const std::string text = out.str();
        QVERIFY(text.starts_with('\r') && text.ends_with("\x1b[K"));
        QVERIFY2(text.size() - 4 < static_cast<std::size_t>(columns), text.c_str());
        QCOMPARE(contains(text, "#"), columns >= 80);  // numbers before the bar
    }
}

void tst_command_line::numbers_are_short_and_have_a_point_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char* text) { QTest::newRow(text) << value << text; };
    row(0, "0");
    row(1e-8, "1e-8");
    row(1.2345e-8, "1.23e-8");
    row(0.00123, "0.00123");
    row(99.96, "100");
    row(123456, "123456");
    row(1234567, "1.23e6");
    row(-3.14159, "-3.14");
    row(1e100, "1e100");
    row(std::numeric_limits<double>::infinity(), "inf");
    row(std::numeric_limits<double>::quiet_NaN(), "nan");
}

void tst_command_line::numbers_are_short_and_have_a_point() {
    QFETCH(const double, value);
    QFETCH(const QString, text);
    QCOMPARE(QString::fromStdString(number_text(value)), text);
}

QTEST_GUILESS_MAIN(tst_command_line)
#include "tst_command_line.moc"
