// The loop over lanes and the blocks of members: nothing of a member's result depends on its lane, its neighbours, the threads or the
// chunks; runs can be cancelled, resumed and held up by their sink.
#include "tests/ensemble_runs.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

using namespace gradscape;
using namespace gradscape::tests;

/// A quantity and its value in member i.
struct Varied {
    std::string name;
    std::function<double(int)> value;
};

/// An ensemble whose members differ in every way a member can: easy and stiff ones, some that blow up, fail or never had valid input.
struct Mixture {
    std::string model;
    double start, end;
    std::vector<Varied> varied;
    std::int64_t max_steps = 2000;
};

double unit(int i) { return std::fmod(0.5 + i * 0.6180339887498949, 1); }
/// Every tenth member takes `odd`.
double mostly(int i, double value, double odd) { return i % 10 == 3 ? odd : value; }

const Mixture mixtures[] = {
    {"lorenz", 0, 0.5, {{"rho", [](int i) { return 60 * unit(i); }}, {"x0", [](int i) { return mostly(i, 1 + 5 * unit(3 * i), 1e300); }}}},
    {"lorenz", 0, 0.5, {{"rho", [](int i) { return mostly(i, 60 * unit(i), missing); }}}},
    {"kepler", 0, 9, {{"e", [](int i) { return 0.95 * unit(i); }}, {"mu", [](int i) { return 0.1 + unit(7 * i); }}}},
    {"milky_way", 0, 0.3, {{"vy0", [](int i) { return 300 * unit(i) - 150; }}, {"x0", [](int i) { return mostly(i, 8, 0.01); }}}},
    {"square_growth", 0, 2, {{"y0", [](int i) { return 2 * unit(i) - 1; }}, {"a", [](int i) { return mostly(i, 1, -3); }}}},
    {"root_decay", 0, 0.9, {{"p", [](int i) { return 2 * unit(i); }}}},
    {"coupled_waves", 0, 1.5, {{"u0", [](int i) { return mostly(i, 1 + 0.1 * unit(i), -1); }}}},
    {"stiff_cosine", 0, 1, {{"rate", [](int i) { return 2000 * unit(i); }}}, 60},
    {"ring", 0, 0.5, {{"F", [](int i) { return mostly(i, 8 * unit(i), 1e200); }}}},
    {"tuned_oscillator", 0, 1,
     {{"c", [](int i) { return mostly(i, 2.2 * unit(i) - 1.1, missing); }},
      {"g", [](int i) { return i % 7 == 2 ? 40 * unit(3 * i) : 0; }}}, 900},
    {"kepler", 0, 1, {{"start", [](int i) { return unit(i); }}, {"end", [](int i) { return mostly(i, 1 - 2 * unit(5 * i), unit(i)); }}}},
};

/// Members `numbers` of the mixture, saved at 11 times.
EnsembleRequest request_for_members(const Mixture& mixture, const std::vector<int>& numbers) {
    const Model& model = model_named(mixture.model);
    EnsembleRequest request = request_for(model, 1e-6, 1e-9);
    request.solver.max_steps = mixture.max_steps;
    save_evenly(request, mixture.start, mixture.end, 11);
    for (const Varied& varied : mixture.varied) {
        std::vector<double> values;
        for (const int number : numbers) values.push_back(varied.value(number));
        vary(request, model, varied.name, std::move(values));
    }
    return request;
}

std::vector<int> first_members(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
}

/// Members first..first+count-1 of joined data, as a chunk of their own.
EnsembleChunk part_of(const Run& whole, std::int64_t first, std::int64_t count) {
    EnsembleChunk part;
    part.first = first;
    part.count = count;
    part.rows = static_cast<std::int64_t>(whole.rows);
    const auto cut = [&](const std::vector<double>& from, std::size_t length) {
        std::vector<double> to;
        const std::size_t component = whole.members * length;
        for (std::size_t c = 0; c * component < from.size(); ++c)
            for (std::size_t i = 0; i < static_cast<std::size_t>(count) * length; ++i)
                to.push_back(from[c * component + static_cast<std::size_t>(first) * length + i]);
        return to;
    };
    const auto slice = [&](auto& from) {
        return std::vector(from.begin() + first, from.begin() + first + count);
    };
    part.drawn = cut(whole.all.drawn, 1);
    part.internals = cut(whole.all.internals, 1);
    part.states = cut(whole.all.states, whole.rows);
    part.observables = cut(whole.all.observables, whole.rows);
    part.row_times = cut(whole.all.row_times, whole.rows);
    part.drift = cut(whole.all.drift, 1);
    part.status = slice(whole.all.status);
    part.span_start = slice(whole.all.span_start);
    part.span_end = slice(whole.all.span_end);
    part.stopped_at = slice(whole.all.stopped_at);
    part.accepted = slice(whole.all.accepted);
    part.rejected = slice(whole.all.rejected);
    return part;
}

/// Ends the program when it lives longer than a minute: what it watches hangs.
class Watchdog {
    std::jthread thread_{[](const std::stop_token& ended) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        never.wait_for(lock, ended, std::chrono::minutes(1), [] { return false; });
        if (!ended.stop_requested()) qFatal("nothing has happened for a minute");
    }};
};

/// A thousand members that take 5 to 50 steps each.
EnsembleRequest many_lorenz(int members, int rows) {
    const Model& model = model_named("lorenz");
    EnsembleRequest request = request_for(model, 1e-6, 1e-8);
    save_evenly(request, 0, 1, rows);
    std::vector<double> rho;
    for (int i = 0; i < members; ++i) rho.push_back(21 * unit(i));
    vary(request, model, "rho", std::move(rho));
    return request;
}

/// Members that never end by themselves, behind `easy` ones that take a few steps.
EnsembleRequest endless(int easy, int members) {
    const Model& model = model_named("van_der_pol");
    EnsembleRequest request = request_for(model, 1e-6, 1e-6);
    request.solver.max_steps = std::int64_t{1} << 40;
    save_at(request, {0, 1e-6, 1e9});
    std::vector<double> ends, mu;
    for (int i = 0; i < members; ++i) {
        mu.push_back(i < easy ? 1 : 1000);
        ends.push_back(i < easy ? 1e-6 : 1e9);
    }
    vary(request, model, "mu", std::move(mu));
    vary(request, model, "end", std::move(ends));
    return request;
}

/// The oscillator whose frequency is solved for, so that it ends at these values.
EnsembleRequest tuned(const std::vector<double>& c, double rtol = 1e-9) {
    const Model& model = model_named("tuned_oscillator");
    EnsembleRequest request = request_for(model, rtol, 0.1 * rtol);
    save_evenly(request, 0, 1, 5);
    vary(request, model, "c", c);
    return request;
}

bool all_missing(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isnan(x); });
}

/// Hands chunks on and calls `after` behind each.
struct WatchedSink : ChunkSink {
    ChunkSink* next = nullptr;
    std::function<void(const EnsembleChunk&)> after;
    void chunk(const EnsembleChunk& part) override {
        if (next != nullptr) next->chunk(part);
        after(part);
    }
};

}  // namespace

class TestLanes : public QObject {
    Q_OBJECT

private slots:
    void a_members_bits_depend_on_nothing_but_itself_data();
    void a_members_bits_depend_on_nothing_but_itself();
    void the_inlined_solve_equals_the_one_through_the_table_data();
    void the_inlined_solve_equals_the_one_through_the_table();
    void arithmetic_models_give_the_same_bits_on_all_fused_sets_data();
    void arithmetic_models_give_the_same_bits_on_all_fused_sets();
    void members_solved_alone_equal_those_of_the_run_data() { a_members_bits_depend_on_nothing_but_itself_data(); }
    void members_solved_alone_equal_those_of_the_run();
    void the_summary_counts_what_the_chunks_hold_data() { a_members_bits_depend_on_nothing_but_itself_data(); }
    void the_summary_counts_what_the_chunks_hold();
    void cancel_from_another_thread_ends_the_run_at_once_data() { add_rows(); }
    void cancel_from_another_thread_ends_the_run_at_once();
    void a_run_that_was_stopped_before_it_began_gives_no_member_data() { add_rows(); }
    void a_run_that_was_stopped_before_it_began_gives_no_member();
    void a_resumed_run_equals_an_uninterrupted_one_data() { a_members_bits_depend_on_nothing_but_itself_data(); }
    void a_resumed_run_equals_an_uninterrupted_one();
    void a_stop_while_members_are_taken_over_ends_the_run_data() { add_rows(); }
    void a_stop_while_members_are_taken_over_ends_the_run();
    void a_slow_sink_holds_the_run_up_without_filling_memory_data() { add_rows(); }
    void a_slow_sink_holds_the_run_up_without_filling_memory();
    void what_the_sink_throws_ends_the_run_and_is_passed_on_data() { add_rows(); }
    void what_the_sink_throws_ends_the_run_and_is_passed_on();
    void a_model_that_shoots_takes_the_first_crossing_data() { add_rows(); }
    void a_model_that_shoots_takes_the_first_crossing();
    void without_a_crossing_every_row_is_missing_data() { add_rows(); }
    void without_a_crossing_every_row_is_missing();
    void a_solve_that_fails_ends_the_member_data() { add_rows(); }
    void a_solve_that_fails_ends_the_member();
    void a_coarse_tolerance_leaves_no_member_unsolved_data() { add_rows(); }
    void a_coarse_tolerance_leaves_no_member_unsolved();
    void a_cancelled_search_leaves_no_rows_data() { add_rows(); }
    void a_cancelled_search_leaves_no_rows();
    void lanes_are_in_use_nearly_always_data() { add_rows(); }
    void lanes_are_in_use_nearly_always();
};

void TestLanes::a_members_bits_depend_on_nothing_but_itself_data() {
    add_set_columns();
    QTest::addColumn<int>("mixture");
    for (std::size_t i = 0; i < std::size(mixtures); ++i) {
        const std::string label = mixtures[i].model + " with " + mixtures[i].varied.back().name;
        add_rows(label, [&](QTestData& row) { row << static_cast<int>(i); });
    }
}

void TestLanes::a_members_bits_depend_on_nothing_but_itself() {
    QFETCH(int, mixture);
    const Mixture& mixed = mixtures[mixture];
    const Model& model = model_named(mixed.model);
    constexpr int size = 1000;
    const auto run_with = [&](const std::vector<int>& numbers, int threads, std::int64_t chunk) {
        EnsembleRequest request = request_for_members(mixed, numbers);
        request.solver.method = method_of_row();
        request.solver.threads = threads;
        RunOptions options = options_of_row();
        options.chunk_members = chunk;
        return run(model, request, options);
    };
    const Run whole = run_with(first_members(size), 1, 0);
    const auto verify_same = [](const EnsembleChunk& a, const EnsembleChunk& b, const char* what, int number) {
        const std::string differing = difference(a, b);
        QVERIFY2(differing.empty(), qPrintable(QString("%1 of the run with %2 %3").arg(differing.c_str()).arg(what).arg(number)));
    };
    for (const auto& [threads, chunk] : {std::pair{2, 0}, std::pair{5, 1}, std::pair{1, 3}, std::pair{3, 64}})
        verify_same(run_with(first_members(size), threads, chunk).all, whole.all, "threads:", threads);
    for (const int count : {1, 2, 7, 31, 33})
        verify_same(run_with(first_members(count), 2, 0).all, part_of(whole, 0, count), "size", count);
    // Alone: the first ones of every kind, and some from the middle of the run.
    for (const int member : {0, 1, 2, 3, 4, 5, 13, 499, 503, 998, 999})
        verify_same(run_with({member}, 1, 0).all, part_of(whole, member, 1), "nobody but member", member);
    // The other way round every member has other neighbours and another turn.
    std::vector<int> backwards = first_members(size);
    std::ranges::reverse(backwards);
    const Run reversed = run_with(backwards, 2, 0);
    for (int member = 0; member < size && !QTest::currentTestFailed(); ++member)
        verify_same(part_of(reversed, size - 1 - member, 1), part_of(whole, member, 1), "the order reversed, member", member);
}

void TestLanes::the_inlined_solve_equals_the_one_through_the_table_data() {
    add_set_columns();
    QTest::addColumn<std::string>("model");
    for (const std::string model : {"lorenz", "log_halo"}) add_rows(model, [&](QTestData& row) { row << model; });
}

void TestLanes::the_inlined_solve_equals_the_one_through_the_table() {
    QFETCH(std::string, model);
    const Model& inlined = *find_model(model);
    const auto through_table = std::ranges::find_if(test_models_models(), [&](const Model& m) { return model == m.description.info.name; });
    QVERIFY(inlined.kernels[0].inlined[0] != nullptr && through_table->kernels[0].inlined[0] == nullptr);
    EnsembleRequest request = request_for(inlined);
    save_evenly(request, 0, 1, 21);
    const std::string first_state = std::string(inlined.description.states[0].name) + "0";
    std::vector<double> starts;
    for (int i = 0; i < 50; ++i) starts.push_back(1 + 10 * unit(i));
    vary(request, inlined, first_state, std::move(starts));
    QVERIFY(same_data(run_row(inlined, request).all, run_row(*through_table, request).all));
}

void TestLanes::arithmetic_models_give_the_same_bits_on_all_fused_sets_data() {
    QTest::addColumn<int>("mixture");
    QTest::addColumn<std::string>("method");
    for (const MethodInfo& method : methods)
        for (int i = 0; i < static_cast<int>(std::size(mixtures)); ++i) {
            const std::string& model = mixtures[i].model;
            if (model == "milky_way" || model == "coupled_waves" || model == "stiff_cosine") continue;
            QTest::newRow((model + std::to_string(i) + " " + std::string(method.name)).c_str()) << i << std::string(method.name);
        }
}

// + - * / sqrt and fma are rounded correctly everywhere, so sets differ only in what they compute besides.
void TestLanes::arithmetic_models_give_the_same_bits_on_all_fused_sets() {
    QFETCH(int, mixture);
    QFETCH(std::string, method);
    const Model& model = model_named(mixtures[mixture].model);
    EnsembleRequest request = request_for_members(mixtures[mixture], first_members(100));
    request.solver.method = method;
    std::vector<Run> runs;
    for (const InstructionSet set : instruction_sets()) {
        if (set == InstructionSet::baseline) continue;  // has no fma
        RunOptions options;
        options.instruction_set = set;
        runs.push_back(run(model, request, options));
    }
    if (runs.size() < 2) QSKIP("this build or processor has fewer than two fused sets");
    for (const Run& other : runs) {
        QVERIFY(same(other.all.states, runs[0].all.states));
        QVERIFY(other.all.status == runs[0].all.status && other.all.accepted == runs[0].all.accepted &&
                other.all.rejected == runs[0].all.rejected && same(other.all.stopped_at, runs[0].all.stopped_at));
    }
}

void TestLanes::members_solved_alone_equal_those_of_the_run() {
    QFETCH(int, mixture);
    const Model& model = model_named(mixtures[mixture].model);
    EnsembleRequest request = request_for_members(mixtures[mixture], first_members(100));
    request.solver.method = method_of_row();
    const Run whole = run(model, request, options_of_row());
    const std::vector<std::int64_t> chosen{3, 4, 50, 51, 52, 99};
    const EnsembleChunk solved = solve_members(model, request, chosen, options_of_row());
    const Run as_run{{}, solved, chosen.size(), whole.rows};
    for (std::size_t i = 0; i < chosen.size(); ++i)
        QVERIFY(same_data(part_of(as_run, static_cast<std::int64_t>(i), 1), part_of(whole, chosen[i], 1)));
}

void TestLanes::the_summary_counts_what_the_chunks_hold() {
    QFETCH(int, mixture);
    const Model& model = model_named(mixtures[mixture].model);
    const Run mixed = run_row(model, request_for_members(mixtures[mixture], first_members(200)));
    std::array<std::int64_t, status_count> by_status{};
    std::int64_t tries = 0;
    for (std::size_t m = 0; m < 200; ++m) {
        ++by_status[static_cast<std::size_t>(mixed.all.status[m])];
        tries += mixed.all.accepted[m] + mixed.all.rejected[m];
        // A row is missing exactly where the member didn't come.
        const double sign = mixed.all.span_end[m] < mixed.all.span_start[m] ? -1 : 1;
        for (std::size_t row = 0; row < mixed.rows; ++row) {
            const SaveTimes& times = mixed.result.save_times;
            const double time = times.per_member ? mixed.all.row_times[m * mixed.rows + row] : times.shared[row];
            const bool reached = mixed.all.status[m] != Status::bad_input && (time - mixed.all.stopped_at[m]) * sign <= 0 &&
                                 (model.description.shooting == nullptr || mixed.all.status[m] == Status::ok);
            for (std::size_t d = 0; d < model.description.states.size(); ++d)
                if (std::isfinite(mixed.state(d, row, m)) != reached)
                    QFAIL(qPrintable(QString("member %1 row %2 ").arg(m).arg(row) + mixed.how(m)));
            for (std::size_t q = 0; q < model.description.observables.size(); ++q)
                if (!reached) QVERIFY(std::isnan(mixed.observable(q, row, m)));
        }
    }
    QVERIFY(by_status == mixed.result.by_status);
    QCOMPARE(tries, mixed.result.tries);
    QCOMPARE(mixed.result.complete, std::int64_t{200});
    QVERIFY(!mixed.result.cancelled);
    QCOMPARE(mixed.result.accepted.min, *std::ranges::min_element(mixed.all.accepted));
    QCOMPARE(mixed.result.accepted.max, *std::ranges::max_element(mixed.all.accepted));
}

void TestLanes::cancel_from_another_thread_ends_the_run_at_once() {
    const Model& model = model_named("van_der_pol");
    EnsembleRequest request = endless(100, 5000);
    request.solver.method = method_of_row();
    Collector collector(request);
    std::stop_source stop;
    std::atomic<bool> begun = false;
    std::jthread other([&] {
        begun.wait(false);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until there are members without end in the lanes
        stop.request_stop();
    });
    WatchedSink sink;
    sink.next = &collector;
    sink.after = [&](const EnsembleChunk&) {
        begun = true;
        begun.notify_one();
    };
    RunOptions options = options_of_row();
    options.sink = &sink;
    options.stop = stop.get_token();
    options.chunk_members = 50;
    const auto before = std::chrono::steady_clock::now();
    const EnsembleResult result = run_ensemble(model, request, options);
    QVERIFY(std::chrono::steady_clock::now() - before < std::chrono::seconds(2));
    QVERIFY(result.cancelled);
    const auto count = [&](Status status) { return result.by_status[static_cast<std::size_t>(status)]; };
    QVERIFY(count(Status::ok) >= 50);
    QVERIFY(count(Status::cancelled) >= 1);
    QVERIFY(count(Status::not_run) >= 1000);
    QCOMPARE(count(Status::ok) + count(Status::cancelled) + count(Status::not_run), request.size);
    QCOMPARE(result.complete, count(Status::ok));
    // Finished members are kept; of the others no row beyond where they stopped.
    QVERIFY(collector.received >= 50);
    for (std::size_t m = 0; m < static_cast<std::size_t>(collector.received); ++m) {
        const Status status = collector.all.status[m];
        const double last = collector.all.states[m * collector.rows + collector.rows - 1];
        QCOMPARE(std::isfinite(collector.all.states[m * collector.rows + 1]), status == Status::ok || collector.all.stopped_at[m] > 1e-6);
        QVERIFY(std::isnan(last));
        if (m < 50) QVERIFY(status == Status::ok);
    }
}

void TestLanes::a_run_that_was_stopped_before_it_began_gives_no_member() {
    std::stop_source stop;
    stop.request_stop();
    EnsembleRequest request = many_lorenz(1000, 2);
    request.solver.method = method_of_row();
    RunOptions options = options_of_row();
    options.stop = stop.get_token();
    const Run stopped = run(model_named("lorenz"), request, options);
    QVERIFY(stopped.result.cancelled);
    QCOMPARE(stopped.result.complete, std::int64_t{0});
    QCOMPARE(stopped.result.by_status[static_cast<std::size_t>(Status::not_run)], std::int64_t{1000});
}

void TestLanes::a_resumed_run_equals_an_uninterrupted_one() {
    QFETCH(int, mixture);
    const Model& model = model_named(mixtures[mixture].model);
    EnsembleRequest request = request_for_members(mixtures[mixture], first_members(300));
    request.solver.method = method_of_row();
    const Run uninterrupted = run(model, request, options_of_row());

    std::stop_source stop;
    Collector collector(request);
    WatchedSink sink;
    sink.next = &collector;
    sink.after = [&](const EnsembleChunk& part) {
        if (part.first + part.count >= 60) stop.request_stop();
    };
    RunOptions options = options_of_row();
    options.sink = &sink;
    options.stop = stop.get_token();
    options.chunk_members = 7;
    const EnsembleResult first = run_ensemble(model, request, options);
    QVERIFY(collector.received >= 60);
    const Run interrupted{first, collector.all, collector.members, collector.rows};

    RunOptions resumed = options_of_row();
    resumed.chunk_members = 11;
    resumed.previous_members = collector.received;
    resumed.previous = [&](std::int64_t begin, std::int64_t count) { return part_of(interrupted, begin, count); };
    const Run whole = run(model, request, resumed);
    QVERIFY(same_data(whole.all, uninterrupted.all));
    QVERIFY(whole.result.by_status == uninterrupted.result.by_status);
    QVERIFY(whole.result.tries < uninterrupted.result.tries);  // what was finished isn't done again
}

// The stop comes from within the call that hands members over, in a thread of the run's.
void TestLanes::a_stop_while_members_are_taken_over_ends_the_run() {
    const Model& model = model_named("lorenz");
    EnsembleRequest request = many_lorenz(5000, 2);
    request.solver.method = method_of_row();
    const Run whole = run(model, request, options_of_row());
    for (const int last_call : {1, 7, 450, 900}) {
        const Watchdog watchdog;
        std::stop_source stop;
        std::atomic<int> calls = 0;
        RunOptions options = options_of_row();
        options.stop = stop.get_token();
        options.chunk_members = 5;
        options.previous_members = 4500;
        options.previous = [&](std::int64_t first, std::int64_t count) {
            if (++calls == last_call) stop.request_stop();
            return part_of(whole, first, count);
        };
        const Run stopped = run(model, request, options);
        QVERIFY(stopped.result.cancelled);
        QCOMPARE(calls.load(), last_call);
        const auto received = static_cast<std::size_t>(stopped.all.count);
        if (last_call < 900)
            QVERIFY2(received < 4500, qPrintable(QString::number(received)));
        else
            QVERIFY2(received >= 4500, qPrintable(QString::number(received)));
        QCOMPARE(stopped.result.complete, std::ranges::count(stopped.all.status, Status::ok));
        const auto taken_over = static_cast<std::int64_t>(std::min<std::size_t>(received, 4500));
        QVERIFY(same_data(part_of(stopped, 0, taken_over), part_of(whole, 0, taken_over)));
    }
}

void TestLanes::a_slow_sink_holds_the_run_up_without_filling_memory() {
    EnsembleRequest request = many_lorenz(2000, 3);
    request.solver.method = method_of_row();
    RunOptions options = options_of_row();
    options.chunk_members = 4;
    std::int64_t received = 0, ahead = 0;
    WatchedSink sink;
    sink.after = [&](const EnsembleChunk& part) {
        received += part.count;
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
        while (std::chrono::steady_clock::now() < until) continue;
    };
    options.sink = &sink;
    options.progress = [&](const Progress& progress) { ahead = std::max(ahead, progress.done - received); };
    const EnsembleResult result = run_ensemble(model_named("lorenz"), request, options);
    QCOMPARE(received, std::int64_t{2000});
    QCOMPARE(result.by_status[0], std::int64_t{2000});
    QVERIFY2(ahead <= 16 * 4, qPrintable(QString::number(ahead)));
}

void TestLanes::what_the_sink_throws_ends_the_run_and_is_passed_on() {
    EnsembleRequest request = endless(100, 5000);
    request.solver.method = method_of_row();
    RunOptions options = options_of_row();
    options.chunk_members = 10;
    WatchedSink sink;
    sink.after = [](const EnsembleChunk& part) {
        if (part.first > 0) throw std::runtime_error("disk full");
    };
    options.sink = &sink;
    try {
        run_ensemble(model_named("van_der_pol"), request, options);
        QFAIL("nothing was thrown");
    } catch (const std::runtime_error& error) {
        QCOMPARE(error.what(), "disk full");
    }
}

void TestLanes::a_model_that_shoots_takes_the_first_crossing() {
    std::vector<double> c;
    for (int i = 0; i < 500; ++i) c.push_back(0.99 - 1.98 * unit(i));
    const Run run = run_row(model_named("tuned_oscillator"), tuned(c));
    for (std::size_t m = 0; m < c.size(); ++m) {
        QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
        const double v = std::acos(c[m]);
        COMPARE_WITHIN(run.internal(0, m), v, 2e-7);
        COMPARE_WITHIN(run.last(0, m), c[m], 1e-11);
        QVERIFY(run.internal(1, m) == run.last(1, m));
        COMPARE_WITHIN(run.last(1, m), -v * std::sin(v), 1e-6);
        QVERIFY(run.state(0, 0, m) == 1 && run.state(1, 0, m) == 0);
        COMPARE_WITHIN(run.state(0, 2, m), std::cos(v / 2), 2e-7);
        QVERIFY(run.observable(0, 1, m) == run.internal(0, m) * 0.75);
    }
}

void TestLanes::without_a_crossing_every_row_is_missing() {
    const std::vector<double> c{0.5, 2, -1.5, 0.5, -1.01, missing};
    const Run run = run_row(model_named("tuned_oscillator"), tuned(c));
    constexpr Status none = Status::shooting_failed;
    const Status expected[] = {Status::ok, none, none, Status::ok, none, Status::bad_input};
    for (std::size_t m = 0; m < c.size(); ++m) {
        QVERIFY2(run.all.status[m] == expected[m], qPrintable(run.how(m)));
        const bool ok = expected[m] == Status::ok;
        for (std::size_t row = 0; row < run.rows; ++row)
            for (const double value : {run.state(0, row, m), run.state(1, row, m), run.observable(0, row, m)})
                QVERIFY(std::isfinite(value) == ok);
        QVERIFY(std::isfinite(run.internal(0, m)) == ok && std::isfinite(run.internal(1, m)) == ok);
    }
    QVERIFY(run.all.accepted[2] > 3 * run.all.accepted[0] && run.all.accepted[5] == 0);
}

// x'' = -v^2 x + g x^3 with a large g blows up before the end, whatever the frequency.
void TestLanes::a_solve_that_fails_ends_the_member() {
    EnsembleRequest request = tuned({0.5, 0.2});
    request.parameters[1].value = 200;
    const Run run = run_row(model_named("tuned_oscillator"), request);
    for (std::size_t m = 0; m < 2; ++m) {
        QVERIFY2(run.all.status[m] == Status::non_finite || run.all.status[m] == Status::step_underflow, qPrintable(run.how(m)));
        QVERIFY(run.all.stopped_at[m] < 1);
    }
    QVERIFY(all_missing(run.all.states) && all_missing(run.all.internals) && all_missing(run.all.observables));
}

void TestLanes::a_coarse_tolerance_leaves_no_member_unsolved() {
    std::vector<double> c;
    for (int i = 0; i < 5000; ++i) c.push_back(0.9 - 1.8 * unit(i));
    for (const double rtol : {1e-2, 1e-4}) {
        const Run run = run_row(model_named("tuned_oscillator"), tuned(c, rtol));
        for (std::size_t m = 0; m < c.size(); ++m) {
            QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
            COMPARE_WITHIN(run.last(0, m), c[m], rtol);
        }
    }
}

void TestLanes::a_cancelled_search_leaves_no_rows() {
    std::vector<double> c;
    for (int i = 0; i < 20000; ++i) c.push_back(i < 1000 ? 0.5 : -1.5);
    EnsembleRequest request = tuned(c, 1e-12);
    request.solver.method = method_of_row();
    Collector collector(request);
    std::stop_source stop;
    WatchedSink sink;
    sink.next = &collector;
    sink.after = [&](const EnsembleChunk&) { stop.request_stop(); };
    RunOptions options = options_of_row();
    options.sink = &sink;
    options.stop = stop.get_token();
    options.chunk_members = 1000;
    const EnsembleResult result = run_ensemble(model_named("tuned_oscillator"), request, options);
    QVERIFY(result.cancelled);
    std::int64_t tries = 0, cancelled = 0;
    for (std::size_t m = 0; m < static_cast<std::size_t>(collector.received); ++m) {
        tries += collector.all.accepted[m] + collector.all.rejected[m];
        cancelled += int{collector.all.status[m] == Status::cancelled};
        for (std::size_t row = 0; row < collector.rows; ++row)
            QCOMPARE(std::isfinite(collector.all.states[m * collector.rows + row]), collector.all.status[m] == Status::ok);
        QCOMPARE(std::isfinite(collector.all.internals[m]), collector.all.status[m] == Status::ok);
    }
    QVERIFY(cancelled > 0);
    QCOMPARE(tries, result.tries);
}

void TestLanes::lanes_are_in_use_nearly_always() {
    EnsembleRequest request = many_lorenz(20000, 1);
    request.solver.threads = 1;
    request.solver.method = method_of_row();
    const EnsembleResult result = run_ensemble(model_named("lorenz"), request, options_of_row());
    const double use = static_cast<double>(result.tries) / (static_cast<double>(result.iterations) * result.lanes);
    QVERIFY2(use >= 0.97 && use <= 1, qPrintable(QString::number(use)));
}

QTEST_GUILESS_MAIN(TestLanes)
#include "tst_lanes.moc"
