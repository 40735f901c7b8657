// Stellar streams: reference solutions, release states, internal draws, groups, and the progenitor's orbit that members share.
#include "tests/ensemble_runs.hpp"

#include <fstream>
#include <numeric>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/sampling.hpp"
#include "engine/scenario.hpp"
#include "engine/spread.hpp"
#include "tests/test_streams.hpp"

namespace {

using namespace gradscape;
using namespace gradscape::tests;
using nlohmann::json;

constexpr const char* progenitor_today[] = {"X0", "Y0", "Z0", "VX0", "VY0", "VZ0"};

const json& reference_points() {
    static const json points = [] {
        std::ifstream file(GRADSCAPE_SOURCE_DIR "/tests/reference/stream_star.json");
        return json::parse(file).at("points");
    }();
    return points;
}

/// The model of a reference point.
const Model& model_of(const json& point) {
    const bool milky_way = point.at("host") == "milky_way", chen = point.at("kernel") == "chen2025", gravity = point.at("self_gravity");
    if (!gravity && !chen) return model_named(milky_way ? "stream_star_milky_way" : "stream_star");
    if (gravity && chen) return model_named(milky_way ? "stream_star_milky_way_self_gravity" : "stream_star_self_gravity");
    if (gravity && !milky_way) return model_named("stream_star_fardal_self_gravity");
    throw std::invalid_argument("no model for the point");
}

std::size_t parameter_of(const ModelDescription& model, std::string_view name) {
    const int i = ModelDescription::index_of(model.parameters, name);
    if (i < 0) throw std::invalid_argument("no parameter " + std::string(name));
    return static_cast<std::size_t>(i);
}
std::size_t draw_of(const ModelDescription& model, std::string_view name) {
    return static_cast<std::size_t>(ModelDescription::index_of(model.draws, name));
}
std::size_t observable_of(const ModelDescription& model, std::string_view name) {
    return static_cast<std::size_t>(ModelDescription::index_of(model.observables, name));
}

void set(EnsembleRequest& request, const Model& model, const char* parameter, double value) {
    request.parameters[parameter_of(model.description, parameter)] = {.value = value};
}

std::vector<double> progenitor_of(const EnsembleRequest& request, const Model& model) {
    std::vector<double> today;
    for (const char* name : progenitor_today) today.push_back(request.parameters[parameter_of(model.description, name)].value);
    return today;
}

/// The parameters of a reference point, t_strip so long that the release lies within.
EnsembleRequest request_for_point(const json& point, double rtol = 1e-8) {
    const Model& model = model_of(point);
    EnsembleRequest request = default_request(model.description);
    const std::vector<double> host = point.at("host_params"), today = point.at("progenitor_today"), kernel = point.at("draws");
    for (std::size_t i = 0; i < host.size(); ++i) request.parameters[i].value = host[i];
    for (std::size_t i = 0; i < 6; ++i) set(request, model, progenitor_today[i], today[i]);
    set(request, model, "Mp", point.at("Mp"));
    set(request, model, "bp", point.at("bp"));
    set(request, model, "t_strip", 3);
    std::vector<double> draws{point.at("t_release"), point.at("tail")};
    draws.insert(draws.end(), kernel.begin(), kernel.end());
    for (std::size_t i = 0; i < draws.size(); ++i) request.draws[i] = {.value = draws[i]};
    request.span.save = SpanRequest::Save::list;
    request.span.times = {draws[0]};
    for (const double t : point.at("t")) request.span.times.push_back(t);
    request.size = 1;
    request.accuracy_subsample = 0;
    request.solver.rtol = rtol;
    for (std::size_t d = 0; d < request.solver.atol.size(); ++d) request.solver.atol[d] = 0.01 * rtol * (d % 6 < 3 ? 10 : 200);
    return request;
}

/// The entries of p of a reference point, the progenitor's state at the release from the file.
std::vector<double> inputs_of_point(const json& point) {
    const EnsembleRequest request = request_for_point(point);
    std::vector<double> p;
    for (const Draw& parameter : request.parameters) p.push_back(parameter.value);
    for (const Draw& draw : request.draws) p.push_back(draw.value);
    for (const double value : point.at("progenitor_at_release")) p.push_back(value);
    return p;
}

/// |a - b| / |b| of the 3-vectors that begin at a and b.
double relative(const double* a, const double* b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / std::hypot(b[0], b[1], b[2]);
}
/// The larger one of position and velocity.
double relative_state(const std::vector<double>& a, const std::vector<double>& b) {
    return std::max(relative(a.data(), b.data()), relative(a.data() + 3, b.data() + 3));
}
std::vector<double> states_at(const Run& run, std::size_t row, std::size_t member = 0, std::size_t first = 0) {
    std::vector<double> y;
    for (std::size_t d = first; d < first + 6; ++d) y.push_back(run.state(d, row, member));
    return y;
}

/// GD-1: progenitor and halo of examples/gd1_stream.json.
EnsembleRequest gd1(std::int64_t size, const char* name = "stream_star") {
    const Model& model = model_named(name);
    EnsembleRequest request = default_request(model.description);
    constexpr double today[] = {-11.8, 0.79, 6.4, -109.5, -254.5, -90.3};
    for (std::size_t i = 0; i < 6; ++i) set(request, model, progenitor_today[i], today[i]);
    if (ModelDescription::index_of(model.description.parameters, "v0") >= 0) {
        set(request, model, "v0", 224);
        set(request, model, "rc", 0.1);
        set(request, model, "q", 0.87);
    }
    set(request, model, "Mp", std::pow(10, 4.05));
    set(request, model, "bp", 0.008);
    set(request, model, "t_strip", 3);
    request.size = size;
    request.seed = 5;
    request.accuracy_subsample = 0;
    return request;
}

EnsembleRequest of_row(EnsembleRequest request) {
    request.solver.method = method_of_row();
    return request;
}

double internal(const Run& run, std::size_t i, std::size_t member = 0) { return run.all.internals[i * run.members + member]; }

/// Member i of a draw.
std::vector<double> drawn(const Run& run, const Model& model, const char* name) {
    const auto at = run.all.internals.begin() +
                    static_cast<std::ptrdiff_t>((model.description.internals.size() + draw_of(model.description, name)) * run.members);
    return {at, at + static_cast<std::ptrdiff_t>(run.members)};
}

/// The first of a run's data that differs; the internals too.
std::string differs(const Run& a, const Run& b) {
    const std::string data = difference(a.all, b.all);
    return data.empty() && !same(a.all.internals, b.all.internals) ? "internals" : data;
}

double mean(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }
double covariance(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    const double mx = mean(x), my = mean(y);
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mx) * (y[i] - my);
    return sum / static_cast<double>(x.size() - 1);
}

constexpr const char* stream_models[] = {"stream_star", "stream_star_milky_way", "stream_star_self_gravity",
                                         "stream_star_milky_way_self_gravity"};

}  // namespace

class TestStream : public QObject {
    Q_OBJECT

private slots:
    void stars_agree_with_the_reference_solutions_data() { add_points(true); }
    void stars_agree_with_the_reference_solutions();
    void release_states_and_tidal_radii_agree_with_the_reference_data() { add_points(false); }
    void release_states_and_tidal_radii_agree_with_the_reference();
    void the_potentials_curvature_along_a_ray_is_its_second_derivative_data();
    void the_potentials_curvature_along_a_ray_is_its_second_derivative();
    void the_halos_curvature_has_no_seam();
    void a_star_released_without_offset_follows_the_progenitor_data() { add_rows(); }
    void a_star_released_without_offset_follows_the_progenitor();
    void the_progenitor_beside_its_star_returns_to_its_place_today_data() { add_rows(); }
    void the_progenitor_beside_its_star_returns_to_its_place_today();
    void members_depend_neither_on_groups_nor_on_chunks_nor_on_threads_data() { add_models(); }
    void members_depend_neither_on_groups_nor_on_chunks_nor_on_threads();
    void members_of_a_group_share_what_varies_and_nothing_else_data();
    void members_of_a_group_share_what_varies_and_nothing_else();
    void a_grouped_ensemble_equals_the_same_parameters_from_a_table_data() { add_rows(); }
    void a_grouped_ensemble_equals_the_same_parameters_from_a_table();
    void members_solved_alone_equal_those_of_the_run_data() { add_models(); }
    void members_solved_alone_equal_those_of_the_run();
    void draws_depend_on_the_seed_and_the_member_alone();
    void draws_have_their_distributions_data();
    void draws_have_their_distributions();
    void a_distance_below_zero_is_one_above();
    void a_draw_given_in_the_request_takes_the_models_place();
    void stars_released_at_the_last_instant_are_where_they_were_released_data() { add_models(); }
    void stars_released_at_the_last_instant_are_where_they_were_released();
    void a_backward_stream_mirrors_the_forward_one_data() { add_rows(); }
    void a_backward_stream_mirrors_the_forward_one();
    void a_list_serves_streams_of_both_directions_data() { add_rows(); }
    void a_list_serves_streams_of_both_directions();
    void stars_of_a_progenitor_on_a_circle_leave_it_at_the_lagrange_points_data() { add_rows(); }
    void stars_of_a_progenitor_on_a_circle_leave_it_at_the_lagrange_points();
    void a_star_that_cannot_start_says_why_and_leaves_the_others_alone_data() { add_rows(); }
    void a_star_that_cannot_start_says_why_and_leaves_the_others_alone();
    void a_resumed_stream_equals_an_uninterrupted_one_data() { add_models(); }
    void a_resumed_stream_equals_an_uninterrupted_one();
    void a_stopped_stream_ends_at_once();
    void the_inlined_solve_equals_the_one_through_the_table_data() { add_rows(); }
    void the_inlined_solve_equals_the_one_through_the_table();
    void lanes_are_in_use_nearly_always_data() { add_rows(); }
    void lanes_are_in_use_nearly_always();
    void gd1_lies_along_its_track_on_the_sky();
    void extent_and_width_are_those_of_known_distributions();
    void spreads_of_groups_are_their_median();
    void spreads_depend_on_no_chunk();

private:
    static void add_points(bool with_sets) {
        if (with_sets) add_set_columns();
        QTest::addColumn<int>("point");
        for (int i = 0; i < static_cast<int>(reference_points().size()); ++i) {
            const std::string id = reference_points()[static_cast<std::size_t>(i)].at("id");
            if (with_sets)
                add_rows(id, [&](QTestData& row) { row << i; });
            else
                QTest::newRow(id.c_str()) << i;
        }
    }
    static const json& point_of_row() {
        const int point = *static_cast<int*>(QTest::qData("point", QMetaType::fromType<int>().id()));
        return reference_points()[static_cast<std::size_t>(point)];
    }
    static void add_models() {
        add_set_columns();
        QTest::addColumn<std::string>("model");
        for (const std::string name : stream_models) add_rows(name, [&](QTestData& row) { row << name; });
    }
};

// Bounds: three to four times what was measured, at rtol 1e-8 and 1e-12.
void TestStream::stars_agree_with_the_reference_solutions() {
    const json& point = point_of_row();
    const Model& model = model_of(point);
    const std::size_t guide = model.description.first_of_guide() - model.description.parameters.size();
    const bool tsit5 = method_of_row() == "tsit5";
    for (const auto& [rtol, bound] : {std::pair{1e-8, 3e-6}, std::pair{1e-12, tsit5 ? 9e-10 : 1.5e-10}}) {
        const Run run = run_row(model, request_for_point(point, rtol));
        QVERIFY2(run.all.status[0] == Status::ok, qPrintable(run.how()));
        QCOMPARE(run.all.span_start[0], point.at("t_release").get<double>());
        QCOMPARE(run.all.span_end[0], 0.0);
        std::vector<double> progenitor;
        for (std::size_t d = 0; d < 6; ++d) progenitor.push_back(internal(run, guide + d));
        const double of_progenitor = relative_state(progenitor, point.at("progenitor_at_release"));
        const double at_release = relative_state(states_at(run, 0), point.at("star_at_release"));
        double later = 0;
        for (std::size_t row = 0; row < point.at("t").size(); ++row)
            later = std::max(later, relative_state(states_at(run, row + 1), point.at("star")[row]));
        const QString message = QString("rtol %1: progenitor %2, release %3, later %4, %5")
                                    .arg(rtol).arg(of_progenitor).arg(at_release).arg(later).arg(run.how());
        QVERIFY2(of_progenitor <= bound && at_release <= bound && later <= bound, qPrintable(message));
        QVERIFY2(later >= 1e-16, qPrintable(message));
    }
}

void TestStream::release_states_and_tidal_radii_agree_with_the_reference() {
    const json& point = point_of_row();
    const std::vector<double> p = inputs_of_point(point);
    const auto check = [&](auto model) {
        using Stream = decltype(model);
        COMPARE_WITHIN(Stream::frame(p.data()).tidal_radius, point.at("r_tidal").get<double>(), 4e-15);
        std::vector<double> y(Stream::states.size());
        Stream::initial_state(p.data(), y.data());
        const double error = relative_state(y, point.at("star_at_release"));
        QVERIFY2(error <= 2e-15, qPrintable(QString::number(error)));
        const std::vector<double> progenitor = point.at("progenitor_at_release");
        if (y.size() == 12) QVERIFY(std::equal(y.begin() + 6, y.end(), progenitor.begin()));
    };
    const std::string name = model_of(point).description.info.name;
    if (name == "stream_star") check(models::StreamStar{});
    if (name == "stream_star_milky_way") check(models::StreamStarMilkyWay{});
    if (name == "stream_star_self_gravity") check(models::StreamStarSelfGravity{});
    if (name == "stream_star_milky_way_self_gravity") check(models::StreamStarMilkyWaySelfGravity{});
    if (name == "stream_star_fardal_self_gravity") check(models::StreamStarFardalSelfGravity{});
}

void TestStream::the_potentials_curvature_along_a_ray_is_its_second_derivative_data() {
    QTest::addColumn<bool>("milky_way");
    QTest::newRow("log_halo") << false;
    QTest::newRow("milky_way") << true;
}

// Against central differences of sixth order of the potential, at random places and parameters.
void TestStream::the_potentials_curvature_along_a_ray_is_its_second_derivative() {
    QFETCH(bool, milky_way);
    const auto check = [](auto host) {
        using Host = decltype(host);
        std::mt19937_64 random(7);
        const auto uniform = [&](double min, double max) { return std::uniform_real_distribution(min, max)(random); };
        for (int repeat = 0; repeat < 300; ++repeat) {
            std::vector<double> p;
            for (const ParameterInfo& info : Host::parameters) p.push_back(uniform(info.min, info.max));
            const double y[3] = {uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
            const double r = std::hypot(y[0], y[1], y[2]), step = 0.02;
            if (r < 1) continue;
            const auto at = [&](int k) {
                double there[3];
                for (int i = 0; i < 3; ++i) there[i] = y[i] * (1 + k * step);
                return Host::potential(there, p.data());
            };
            const double second = (2 * (at(-3) + at(3)) - 27 * (at(-2) + at(2)) + 270 * (at(-1) + at(1)) - 490 * at(0)) / 180;
            const double expected = second / (step * step * r * r), value = Host::potential_rr(y, p.data());
            const double size = std::abs(Host::potential(y, p.data())) / (r * r);
            QVERIFY2(std::abs(value - expected) <= 1e-6 * size,
                     qPrintable(QString("%1 is not %2 at r = %3").arg(value).arg(expected).arg(r)));
        }
    };
    if (milky_way)
        check(models::MilkyWay{});
    else
        check(models::LogHalo{});
}

void TestStream::the_halos_curvature_has_no_seam() {
    const double below = models::MilkyWay::halo_curvature(std::nextafter(1e-3, 0)), above = models::MilkyWay::halo_curvature(1e-3);
    QVERIFY(below != above);  // two formulas
    COMPARE_WITHIN(above / below, 1, 1e-6);
    COMPARE_WITHIN(models::MilkyWay::halo_curvature(1e-5) / (-2e-15 / 3), 1, 3e-5);
}

void TestStream::a_star_released_without_offset_follows_the_progenitor() {
    for (const char* name : {"stream_star", "stream_star_milky_way"}) {
        const Model& model = model_named(name);
        EnsembleRequest request = gd1(1, name);
        for (Draw& draw : request.draws) draw = {.value = 0};
        request.draws[draw_of(model.description, "tail")] = {.value = 1};
        request.draws[draw_of(model.description, "t_release")] = {.value = -2.7};
        request.span.save = SpanRequest::Save::list;
        request.span.times = {-2.7, -2, -1, -0.25, 0};
        request.solver.rtol = 1e-10;
        const Run star = run_row(model, request);
        QVERIFY2(star.all.status[0] == Status::ok, qPrintable(star.how()));

        const Model& host = model_named(std::string(name) == "stream_star" ? "log_halo" : "milky_way");
        EnsembleRequest back = request_for(host, 1e-12, 1e-12);
        for (std::size_t i = 0; i < host.description.parameters.size(); ++i) back.parameters[i] = request.parameters[i];
        const std::vector<double> today = progenitor_of(request, model);
        start_at(back, today);
        save_at(back, {0, -0.25, -1, -2, -2.7});
        const Run progenitor = run_row(host, back);
        for (std::size_t row = 0; row < 5; ++row) {
            const double error = relative_state(states_at(star, row), states_at(progenitor, 4 - row));
            QVERIFY2(error <= 3e-6, qPrintable(QString("%1 at row %2").arg(error).arg(row)));
        }
        COMPARE_WITHIN(star.observable(observable_of(model.description, "energy_offset"), 4), 0, 4e-3);
        COMPARE_WITHIN(star.observable(observable_of(model.description, "Lz_offset"), 4), 0, 4e-4);
    }
}

void TestStream::the_progenitor_beside_its_star_returns_to_its_place_today() {
    for (const char* name : {"stream_star_self_gravity", "stream_star_milky_way_self_gravity"}) {
        const Model& model = model_named(name);
        EnsembleRequest request = gd1(20, name);
        request.solver.rtol = 1e-10;
        const Run run = run_row(model, request);
        const std::vector<double> today = progenitor_of(request, model);
        for (std::size_t m = 0; m < 20; ++m) {
            QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
            const double error = relative_state(states_at(run, run.rows - 1, m, 6), today);
            QVERIFY2(error <= 4e-6, qPrintable(QString("%1 of member %2").arg(error).arg(m)));
            QVERIFY(relative(states_at(run, run.rows - 1, m).data(), today.data()) > 1e-4);  // the star is elsewhere
        }
    }
}

// One group, groups of one and no groups are the same stars where nothing varies.
void TestStream::members_depend_neither_on_groups_nor_on_chunks_nor_on_threads() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    constexpr int size = 80;
    EnsembleRequest request = of_row(gd1(size, model.c_str()));
    request.span.count = 3;
    const Run whole = run(tested, request, options_of_row());
    QCOMPARE(whole.result.by_status[0], std::int64_t{size});
    for (const GroupRequest groups : {GroupRequest{1, size}, GroupRequest{size, 1}, GroupRequest{8, 10}}) {
        EnsembleRequest grouped = request;
        grouped.groups = groups;
        const std::string differing = differs(run(tested, grouped, options_of_row()), whole);
        QVERIFY2(differing.empty(), differing.c_str());
    }
    for (const auto& [threads, chunk] : {std::pair{1, 0}, std::pair{2, 1}, std::pair{3, 7}, std::pair{5, 64}}) {
        EnsembleRequest threaded = request;
        threaded.solver.threads = threads;
        RunOptions options = options_of_row();
        options.chunk_members = chunk;
        const std::string differing = differs(run(tested, threaded, options), whole);
        QVERIFY2(differing.empty(), differing.c_str());
    }
}

void TestStream::members_of_a_group_share_what_varies_and_nothing_else_data() {
    QTest::addColumn<int>("sampling");
    QTest::newRow("random") << static_cast<int>(Sampling::random);
    QTest::newRow("sobol") << static_cast<int>(Sampling::sobol);
}

void TestStream::members_of_a_group_share_what_varies_and_nothing_else() {
    QFETCH(int, sampling);
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(16 * 25);
    request.groups = {16, 25};
    request.sampling = static_cast<Sampling>(sampling);
    request.parameters[parameter_of(model.description, "v0")] = {.kind = Draw::Kind::uniform, .min = 200, .max = 240};
    request.parameters[parameter_of(model.description, "t_strip")] = {.kind = Draw::Kind::uniform, .min = 1, .max = 2};
    const Run grouped = run(model, request);
    QCOMPARE(grouped.result.by_status[0], std::int64_t{16 * 25});
    EnsembleRequest by_member = request;
    by_member.groups = {};
    by_member.size = 16;
    const Run alone = run(model, by_member);
    std::set<double> values;
    for (std::size_t m = 0; m < 16 * 25; ++m) {
        for (std::size_t q = 0; q < 2; ++q) QVERIFY(same(grouped.all.drawn[q * 400 + m], alone.all.drawn[q * 16 + m / 25]));
        values.insert(grouped.all.drawn[m]);
    }
    QCOMPARE(values.size(), std::size_t{16});
    const std::vector<double> kr = drawn(grouped, model, "kr");
    QCOMPARE(std::set<double>(kr.begin(), kr.end()).size(), std::size_t{400});
}

void TestStream::a_grouped_ensemble_equals_the_same_parameters_from_a_table() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = of_row(gd1(10 * 30));
    request.groups = {10, 30};
    request.sampling = Sampling::sobol;
    request.parameters[parameter_of(model.description, "v0")] = {.kind = Draw::Kind::uniform, .min = 200, .max = 240};
    request.parameters[parameter_of(model.description, "q")] = {.kind = Draw::Kind::uniform, .min = 0.8, .max = 1};
    const Run grouped = run(model, request, options_of_row());
    EnsembleRequest from_table = of_row(gd1(10 * 30));
    vary(from_table, model, "v0", {grouped.all.drawn.begin(), grouped.all.drawn.begin() + 300});
    vary(from_table, model, "q", {grouped.all.drawn.begin() + 300, grouped.all.drawn.end()});
    std::string differing = differs(run(model, from_table, options_of_row()), grouped);
    QVERIFY2(differing.empty(), differing.c_str());

    // A row of the table per group.
    EnsembleRequest by_group = of_row(gd1(10 * 30));
    std::vector<double> v0, q;
    for (std::size_t g = 0; g < 10; ++g) {
        v0.push_back(grouped.all.drawn[30 * g]);
        q.push_back(grouped.all.drawn[300 + 30 * g]);
    }
    vary(by_group, model, "v0", v0);
    vary(by_group, model, "q", q);
    by_group.size = 300;
    by_group.groups = {10, 30};
    differing = differs(run(model, by_group, options_of_row()), grouped);
    QVERIFY2(differing.empty(), differing.c_str());
}

void TestStream::members_solved_alone_equal_those_of_the_run() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    EnsembleRequest request = of_row(gd1(100, model.c_str()));
    request.parameters[parameter_of(tested.description, "X0")] = {.kind = Draw::Kind::normal, .mean = -11.8, .sd = 0.3};
    request.span.count = 4;
    const Run whole = run(tested, request, options_of_row());
    QCOMPARE(whole.result.by_status[0], std::int64_t{100});
    const std::vector<std::int64_t> chosen{99, 0, 50, 3, 51};
    const EnsembleChunk solved = solve_members(tested, request, chosen, options_of_row());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto m = static_cast<std::size_t>(chosen[i]);
        for (std::size_t d = 0; d < tested.description.states.size(); ++d)
            for (std::size_t row = 0; row < 4; ++row)
                QVERIFY(same(solved.states[(d * chosen.size() + i) * 4 + row], whole.state(d, row, m)));
        for (std::size_t k = 0; k * chosen.size() < solved.internals.size(); ++k)
            QVERIFY(same(solved.internals[k * chosen.size() + i], internal(whole, k, m)));
    }
}

void TestStream::draws_depend_on_the_seed_and_the_member_alone() {
    const Model& model = model_named("stream_star_milky_way_self_gravity");
    const Sampler fixed(model.description, gd1(100, "stream_star_milky_way_self_gravity"));
    std::vector<double> p, varied_p(model.description.parameters.size()), y(12);
    for (const Draw& parameter : gd1(1, "stream_star_milky_way_self_gravity").parameters) p.push_back(parameter.value);
    EnsembleRequest request = gd1(7, "stream_star_milky_way_self_gravity");
    request.parameters[2] = {.kind = Draw::Kind::uniform, .min = 5, .max = 8};
    for (const Sampling sampling : {Sampling::random, Sampling::sobol}) {
        request.sampling = sampling;
        const Sampler varied(model.description, request);
        for (std::int64_t m = 0; m < 100; ++m) {
            double start = 0, end = 0;
            std::vector<double> a(7), b(7);
            varied.member(m, varied_p.data(), y.data(), start, end);
            QVERIFY(varied_p[2] != p[2]);
            fixed.draws(m, p.data(), a.data());
            varied.draws(m, varied_p.data(), b.data());
            QVERIFY(same(a, b));
        }
    }
    // A shorter t_strip scales the release times; another seed changes everything.
    std::vector<double> shorter = p, a(7), b(7), c(7);
    shorter[parameter_of(model.description, "t_strip")] = 1.5;
    request.seed = 6;
    const Sampler other(model.description, request);
    for (std::int64_t m = 0; m < 100; ++m) {
        fixed.draws(m, p.data(), a.data());
        fixed.draws(m, shorter.data(), b.data());
        COMPARE_WITHIN(b[0], a[0] / 2, 1e-15);
        QVERIFY(std::equal(a.begin() + 1, a.end(), b.begin() + 1));
        other.draws(m, p.data(), c.data());
        QVERIFY(c[0] != a[0] && c[2] != a[2]);
    }
}

void TestStream::draws_have_their_distributions_data() {
    QTest::addColumn<std::string>("model");
    QTest::addColumn<std::vector<double>>("means");
    QTest::addColumn<std::vector<double>>("deviations");
    QTest::newRow("fardal2015") << std::string("stream_star") << std::vector{2.0, 0.3, 0.0, 0.0} << std::vector{0.4, 0.4, 0.5, 0.5};
    QTest::newRow("chen2025") << std::string("stream_star_self_gravity") << std::vector{1.6, -30.0, 0.0, 20.0, 0.0}
                              << std::vector{std::sqrt(0.1225), std::sqrt(529), std::sqrt(144), std::sqrt(400), std::sqrt(484)};
}

// Within five standard errors.
void TestStream::draws_have_their_distributions() {
    QFETCH(std::string, model);
    QFETCH(std::vector<double>, means);
    QFETCH(std::vector<double>, deviations);
    const ModelDescription& description = model_named(model).description;
    constexpr std::size_t n = 40000;
    const EnsembleRequest request = gd1(n, model.c_str());
    const Sampler sampler(description, request);
    std::vector<double> p;
    for (const Draw& parameter : request.parameters) p.push_back(parameter.value);
    std::vector<std::vector<double>> draws(description.draws.size());
    for (std::size_t m = 0; m < n; ++m) {
        std::vector<double> of_member(description.draws.size());
        sampler.draws(static_cast<std::int64_t>(m), p.data(), of_member.data());
        for (std::size_t d = 0; d < draws.size(); ++d) draws[d].push_back(of_member[d]);
    }
    const double root = std::sqrt(static_cast<double>(n));
    for (const double tail : draws[1]) QVERIFY(tail == 1 || tail == -1);
    QVERIFY2(std::abs(mean(draws[1])) <= 5 / root, "half the stars per tail");
    std::vector<double> release = draws[0];
    std::ranges::sort(release);
    QVERIFY(release.front() >= -3 && release.back() < 0);
    double largest = 0;  // Kolmogorov and Smirnov's distance from the uniform distribution
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs((static_cast<double>(i) + 0.5) / n - (release[i] + 3) / 3));
    QVERIFY2(largest <= 2 / root, qPrintable(QString::number(largest)));
    for (std::size_t k = 0; k < means.size(); ++k) {
        COMPARE_WITHIN(mean(draws[2 + k]), means[k], 5 * deviations[k] / root);
        COMPARE_WITHIN(covariance(draws[2 + k], draws[2 + k]) / (deviations[k] * deviations[k]), 1, 5 * std::sqrt(2) / root);
    }
    for (std::size_t a = 0; a < draws.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const double size = std::sqrt(covariance(draws[a], draws[a]) * covariance(draws[b], draws[b]));
            const bool k_and_alpha = means.size() == 5 && a == 5 && b == 2;
            COMPARE_WITHIN(covariance(draws[a], draws[b]) / size, k_and_alpha ? -4.9 / size : 0, 5 / root);
        }
}

// A normal distribution of mean 1.6 and deviation 0.35 leaves one star in 4e5 below zero; it starts where its distance above zero would.
void TestStream::a_distance_below_zero_is_one_above() {
    for (const char* name : {"stream_star_self_gravity", "stream_star_milky_way_self_gravity"}) {
        const Model& model = model_named(name);
        EnsembleRequest request = gd1(20, name);
        request.draws[draw_of(model.description, "k")] = {.value = 0.2};
        const Run above = run(model, request);
        request.draws[draw_of(model.description, "k")] = {.value = -0.2};
        const Run below = run(model, request);
        for (std::size_t m = 0; m < 20; ++m) QVERIFY2(below.all.status[m] == Status::ok, qPrintable(below.how(m)));
        QVERIFY(same(above.all.states, below.all.states));
    }
}

void TestStream::a_draw_given_in_the_request_takes_the_models_place() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(50);
    const Run free = run(model, request);
    request.draws[draw_of(model.description, "tail")] = {.value = -1};
    request.draws[draw_of(model.description, "t_release")] = {.kind = Draw::Kind::table};
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) times.push_back(-0.05 * i);
    request.table = {{"draw_t_release"}, {times}};
    validate(request, model.description);
    const Run given = run(model, request);
    QVERIFY(same(drawn(given, model, "t_release"), times));
    QVERIFY(same(given.all.span_start, times));
    QVERIFY(same(drawn(given, model, "tail"), std::vector<double>(50, -1)));
    QVERIFY(same(drawn(given, model, "kr"), drawn(free, model, "kr")));
    QCOMPARE(given.result.by_status[0], std::int64_t{50});
}

void TestStream::stars_released_at_the_last_instant_are_where_they_were_released() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    const std::vector<double> times{0, -0.0, -1e-300, -1e-17, -1e-12};
    EnsembleRequest request = gd1(static_cast<std::int64_t>(times.size()), model.c_str());
    request.draws[0] = {.kind = Draw::Kind::table};
    request.table = {{"draw_t_release"}, {times}};
    request.span.count = 3;
    const Run run = run_row(tested, request);
    const std::vector<double> today = progenitor_of(request, tested);
    for (std::size_t m = 0; m < times.size(); ++m) {
        QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
        for (std::size_t row = 0; row < 3; ++row) {
            QVERIFY(relative(states_at(run, row, m).data(), states_at(run, 0, m).data()) <= 1e-10);
            QVERIFY(std::isfinite(run.observable(observable_of(tested.description, "phi1"), row, m)));
        }
        const double away = relative(states_at(run, 0, m).data(), today.data());
        QVERIFY2(away > 1e-4 && away < 0.02, qPrintable(QString::number(away)));
    }
}

// In the static, axisymmetric potential the stream of the future, run back, is that of the past with every velocity reversed. The angular
// momentum turns round too, so a star on one side of the orbit's plane has its image where kz has the other sign.
void TestStream::a_backward_stream_mirrors_the_forward_one() {
    const Model& model = model_named("stream_star");
    EnsembleRequest forward = gd1(40), backward = gd1(40);
    forward.span.count = backward.span.count = 5;
    set(backward, model, "t_strip", -3);
    for (const char* velocity : {"VX0", "VY0", "VZ0"})
        set(backward, model, velocity, -forward.parameters[parameter_of(model.description, velocity)].value);
    const Run past = run_row(model, forward);
    std::vector<double> kz = drawn(past, model, "kz");
    for (double& value : kz) value = -value;
    backward.draws[draw_of(model.description, "kz")] = {.kind = Draw::Kind::table};
    backward.table = {{"draw_kz"}, {kz}};
    const Run future = run_row(model, backward);
    for (std::size_t m = 0; m < 40; ++m) {
        QVERIFY2(past.all.status[m] == Status::ok && future.all.status[m] == Status::ok, qPrintable(future.how(m)));
        QVERIFY(same(future.all.span_start[m], -past.all.span_start[m]) && past.all.span_start[m] < 0);
        for (std::size_t row = 0; row < 5; ++row) {
            std::vector<double> mirrored = states_at(future, row, m);
            for (std::size_t d = 3; d < 6; ++d) mirrored[d] = -mirrored[d];
            const double error = relative_state(mirrored, states_at(past, row, m));
            QVERIFY2(error <= 1e-12, qPrintable(QString::number(error)));
        }
    }
}

// A list that one direction's stars pass before they end: the others have nothing there, and are where they end today all the same.
void TestStream::a_list_serves_streams_of_both_directions() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(40);
    std::vector<double> strips;
    for (int i = 0; i < 40; ++i) strips.push_back(i % 2 == 0 ? 3 : -3);
    request.parameters[parameter_of(model.description, "t_strip")] = {.kind = Draw::Kind::table};
    request.sampling = Sampling::table;
    request.table = {{"t_strip"}, {strips}};
    request.span.save = SpanRequest::Save::list;
    request.span.times = {-1, -0.5, 0, 0};
    const Run both = run_row(model, request);
    for (std::size_t m = 0; m < 40; ++m) {
        QVERIFY2(both.all.status[m] == Status::ok, qPrintable(both.how(m)));
        for (std::size_t row = 0; row < 4; ++row)
            QCOMPARE(std::isfinite(both.state(0, row, m)), row >= 2 || (both.all.span_start[m] <= request.span.times[row]));
    }
}

// In a round halo without a core, Phi = v0^2 ln r, a circle has speed v0 at every radius and r_t = (G Mp R^2 / (2 v0^2))^(1/3).
void TestStream::stars_of_a_progenitor_on_a_circle_leave_it_at_the_lagrange_points() {
    const Model& model = model_named("stream_star");
    constexpr double R = 12, v0 = 220, mass = 1e5, gravitational = 4.300917270036279e-06, kpc_per_gyr = 1.022712165045695;
    const double tidal_radius = std::cbrt(gravitational * mass * R * R / (2 * v0 * v0)), angular_speed = v0 / R;
    EnsembleRequest request = gd1(40);
    constexpr double today[] = {R, 0, 0, 0, v0, 0};
    for (std::size_t i = 0; i < 6; ++i) set(request, model, progenitor_today[i], today[i]);
    set(request, model, "rc", 0);
    set(request, model, "q", 1);
    set(request, model, "v0", v0);
    set(request, model, "Mp", mass);
    request.solver.rtol = 1e-11;
    std::ranges::fill(request.solver.atol, 1e-11);
    request.span.count = 2;
    const Run run = run_row(model, request);
    std::vector<double> k[4];
    for (std::size_t i = 0; i < 4; ++i) k[i] = drawn(run, model, std::array{"kr", "kvt", "kz", "kvz"}[i]);
    const std::vector<double> tail = drawn(run, model, "tail");
    for (std::size_t m = 0; m < 40; ++m) {
        QVERIFY2(run.all.status[m] == Status::ok, qPrintable(run.how(m)));
        const double turned = angular_speed * kpc_per_gyr * run.all.span_start[m], c = std::cos(turned), s = std::sin(turned);
        const double length = tail[m] * tidal_radius, out = R + length * k[0][m], along = v0 + length * angular_speed * k[1][m];
        const std::vector<double> expected{out * c,    out * s,   length * k[2][m],
                                           -along * s, along * c, length * angular_speed * k[3][m]};
        const double error = relative_state(states_at(run, 0, m), expected);
        QVERIFY2(error <= 1e-8, qPrintable(QString("%1 of member %2").arg(error).arg(m)));
    }
    for (Draw& draw : request.draws) draw = {.value = 0};  // a star without offset stays on the circle
    request.draws[0] = {.value = -2.9};
    request.size = 1;
    request.span.count = 30;
    const Run circle = run_row(model, request);
    for (std::size_t row = 0; row < 30; ++row) {
        const std::vector<double> y = states_at(circle, row);
        COMPARE_WITHIN(std::hypot(y[0], y[1]), R, 1e-7);
        COMPARE_WITHIN(std::hypot(y[3], y[4]), v0, 2e-6);
        QVERIFY(same(y[2], 0.0) && same(y[5], 0.0));
    }
    QVERIFY(relative(states_at(circle, 29).data(), today) <= 1e-7);
}

void TestStream::a_star_that_cannot_start_says_why_and_leaves_the_others_alone() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(6);
    request.span.count = 3;
    request.draws[0] = {.kind = Draw::Kind::table};
    request.table = {{"draw_t_release"}, {{-1, -3.5, 0.5, -1, -3, -1}}};
    vary(request, model, "q", {0.87, 0.87, 0.87, missing, 0.87, 1e-9});
    vary(request, model, "VX0", {-109.5, -109.5, -109.5, -109.5, -109.5, -109.5});
    const Run mixed = run_row(model, request);
    for (std::size_t m = 0; m < 6; ++m) {
        const bool starts = m == 0 || m == 4;  // else: before t_strip, in the future, no number, outside the model's limits
        QVERIFY2(mixed.all.status[m] == (starts ? Status::ok : Status::bad_input), qPrintable(mixed.how(m)));
        for (std::size_t row = 0; row < 3; ++row) QCOMPARE(std::isfinite(mixed.state(0, row, m)), starts);
    }
    EnsembleRequest alone = gd1(1);
    alone.span.count = 3;
    alone.draws[0] = {.value = -1};
    const Run first = run_row(model, alone);
    for (std::size_t d = 0; d < 6; ++d) QVERIFY(same(first.last(d), mixed.last(d, 0)));

    // A guide that doesn't get to its end fails all its members with its status, even those that it has passed.
    EnsembleRequest limited = gd1(20);
    limited.solver.max_steps = 40;
    limited.parameters[parameter_of(model.description, "t_strip")] = {.kind = Draw::Kind::table};
    limited.sampling = Sampling::table;
    std::vector<double> strips;
    for (int i = 0; i < 20; ++i) strips.push_back(i % 2 == 0 ? 0.1 : 50);
    limited.table = {{"t_strip"}, {strips}};
    const Run failed = run_row(model, limited);
    for (std::size_t m = 0; m < 20; ++m) {
        QVERIFY2(failed.all.status[m] == (m % 2 == 0 ? Status::ok : Status::step_limit), qPrintable(failed.how(m)));
        QCOMPARE(std::isfinite(failed.last(0, m)), m % 2 == 0);
        if (m % 2 == 1) QVERIFY(std::isnan(failed.state(0, 0, m)) && failed.all.accepted[m] == 0);
    }
}

void TestStream::a_resumed_stream_equals_an_uninterrupted_one() {
    QFETCH(std::string, model);
    const Model& tested = model_named(model);
    EnsembleRequest request = of_row(gd1(150, model.c_str()));
    request.parameters[parameter_of(tested.description, "X0")] = {.kind = Draw::Kind::normal, .mean = -11.8, .sd = 0.3};
    request.span.count = 2;
    request.groups = {15, 10};
    const Run uninterrupted = run(tested, request, options_of_row());
    // What a file holds of an interrupted run: no guide's state; members 40 to 59 and the last were not finished.
    const std::size_t guide = tested.description.first_of_guide() - tested.description.parameters.size();
    RunOptions resumed = options_of_row();
    resumed.previous_members = 97;
    resumed.chunk_members = 11;
    resumed.previous = [&](std::int64_t first, std::int64_t count) {
        EnsembleChunk part;
        part.first = first;
        part.count = count;
        part.rows = uninterrupted.all.rows;
        const auto cut = [&](const std::vector<double>& from, std::size_t length) {
            std::vector<double> to;
            for (std::size_t at = static_cast<std::size_t>(first) * length; at < from.size(); at += 150 * length)
                to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(at),
                          from.begin() + static_cast<std::ptrdiff_t>(at + static_cast<std::size_t>(count) * length));
            return to;
        };
        const auto slice = [&](const auto& from) { return std::vector(from.begin() + first, from.begin() + first + count); };
        part.drawn = cut(uninterrupted.all.drawn, 1);
        part.internals = cut(uninterrupted.all.internals, 1);
        std::fill(part.internals.begin() + static_cast<std::ptrdiff_t>(guide) * count, part.internals.end(), missing);
        part.states = cut(uninterrupted.all.states, uninterrupted.rows);
        part.observables = cut(uninterrupted.all.observables, uninterrupted.rows);
        part.row_times = cut(uninterrupted.all.row_times, uninterrupted.rows);
        part.drift = cut(uninterrupted.all.drift, 1);
        part.status = slice(uninterrupted.all.status);
        for (std::int64_t m = 0; m < count; ++m)
            if (first + m >= 40 && first + m < 60) part.status[static_cast<std::size_t>(m)] = Status::cancelled;
        part.span_start = slice(uninterrupted.all.span_start);
        part.span_end = slice(uninterrupted.all.span_end);
        part.stopped_at = slice(uninterrupted.all.stopped_at);
        part.accepted = slice(uninterrupted.all.accepted);
        part.rejected = slice(uninterrupted.all.rejected);
        return part;
    };
    const Run whole = run(tested, request, resumed);
    const auto without_guides = [&](EnsembleChunk all) {
        std::fill(all.internals.begin() + static_cast<std::ptrdiff_t>(guide * 150), all.internals.end(), missing);
        return all;
    };
    const EnsembleChunk resumed_all = without_guides(whole.all), uninterrupted_all = without_guides(uninterrupted.all);
    QVERIFY2(same_data(resumed_all, uninterrupted_all), difference(resumed_all, uninterrupted_all).c_str());
    QVERIFY(whole.result.tries < uninterrupted.result.tries);
}

void TestStream::a_stopped_stream_ends_at_once() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(1000000);
    request.parameters[parameter_of(model.description, "v0")] = {.kind = Draw::Kind::uniform, .min = 200, .max = 240};
    struct StoppingSink final : ChunkSink {
        void chunk(const EnsembleChunk& chunk) override {
            received += chunk.count;
            source.request_stop();
        }
        std::int64_t received = 0;
        std::stop_source source;
    } sink;
    RunOptions options;
    options.sink = &sink;
    options.stop = sink.source.get_token();
    const EnsembleResult result = run_ensemble(model, request, options);
    QVERIFY(result.cancelled);
    QVERIFY(result.complete > 0 && result.complete < 200000);
    QCOMPARE(std::accumulate(result.by_status.begin(), result.by_status.end(), std::int64_t{0}), request.size);
}

void TestStream::the_inlined_solve_equals_the_one_through_the_table() {
    const Model& inlined = *find_model("stream_star");
    const auto through_table =
        std::ranges::find(test_models_models(), std::string_view("stream_star"), [](const Model& m) { return m.description.info.name; });
    QVERIFY(inlined.kernels[0].inlined[0] != nullptr && inlined.kernels[0].inlined_guide[0] != nullptr);
    QVERIFY(through_table->kernels[0].inlined[0] == nullptr && through_table->kernels[0].inlined_guide[0] == nullptr);
    EnsembleRequest request = gd1(60);
    request.span.count = 4;
    const std::string differing = differs(run_row(inlined, request), run_row(*through_table, request));
    QVERIFY2(differing.empty(), differing.c_str());
}

// Ages from 0 to 3 Gyr mixed; all threads' lanes together are up to 256.
void TestStream::lanes_are_in_use_nearly_always() {
    const int lanes = cpu_code(*options_of_row().instruction_set).lanes;
    EnsembleRequest request = gd1(lanes > 1 ? 24000 : 3000);  // as many as fit into the blocks at once
    request.solver.method = method_of_row();
    for (const int threads : {1, std::min(64, 256 / lanes)}) {
        request.solver.threads = threads;
        const EnsembleResult result = run_ensemble(model_named("stream_star"), request, options_of_row());
        const double use = static_cast<double>(result.tries) / (static_cast<double>(result.iterations) * result.lanes);
        QVERIFY2(use >= 0.95 && use <= 1, qPrintable(QString("%1 on %2 threads").arg(use).arg(request.solver.threads)));
    }
}

// The published progenitor makes a stream that is tens of degrees long and a fraction of a degree wide, on GD-1's great circle.
void TestStream::gd1_lies_along_its_track_on_the_sky() {
    const Model& model = model_named("stream_star");
    SpreadCollector spreads(model.description);
    const Run run = tests::run(model, gd1(4000));
    spreads.add(run.all);
    const std::vector<double> values = spreads.result();
    QCOMPARE(values.size(), std::size_t{2});
    QVERIFY2(values[0] > 60 && values[0] < 100, qPrintable(QString::number(values[0])));
    QVERIFY2(values[1] > 0.1 && values[1] < 0.6, qPrintable(QString::number(values[1])));
    std::vector<double> leading, trailing, energy_of_leading, energy_of_trailing;
    const std::vector<double> tail = drawn(run, model, "tail");
    for (std::size_t m = 0; m < 4000; ++m) {
        (tail[m] < 0 ? leading : trailing).push_back(run.observable(observable_of(model.description, "phi1"), 0, m));
        (tail[m] < 0 ? energy_of_leading : energy_of_trailing)
            .push_back(run.observable(observable_of(model.description, "energy_offset"), 0, m));
    }
    // GD-1 moves towards smaller phi1.
    QVERIFY(mean(leading) < -26.5 && mean(trailing) > -26.5);
    QVERIFY(mean(energy_of_leading) < 0 && mean(energy_of_trailing) > 0);
}

void TestStream::extent_and_width_are_those_of_known_distributions() {
    std::vector<double> along, across, turned;
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0, 0.3);
    for (int i = 0; i < 20000; ++i) {
        const double x = -40 + 100 * (i + 0.5) / 20000;
        along.push_back(x);
        turned.push_back(std::remainder(x + 170, 360));  // across the seam of the circle
        across.push_back(5 * std::sin(x / 20) + normal(random));
    }
    COMPARE_WITHIN(extent(along), 90, 0.01);
    COMPARE_WITHIN(extent(turned, 360), 90, 0.01);
    QVERIFY(extent(turned) > 300);
    COMPARE_WITHIN(width_about_track(across, along), 0.3, 0.01);
    COMPARE_WITHIN(width_about_track(across, turned, 360), 0.3, 0.01);
    for (std::size_t i = 0; i < across.size(); i += 10) across[i] += 100;  // outliers
    COMPARE_WITHIN(width_about_track(across, along), 0.3, 0.06);
    QVERIFY(std::isnan(width_about_track(std::vector<double>(99, 1.0), std::vector<double>(99, 1.0))));
    QCOMPARE(width_about_track(std::vector<double>(200, 1.0), std::vector<double>(200, 1.0)), 0.0);
    QVERIFY(std::isnan(extent({})));
}

// Three groups on the sky far from each other: the spread is that of one.
void TestStream::spreads_of_groups_are_their_median() {
    const Model& model = model_named("stream_star");
    EnsembleRequest request = gd1(900);
    request.groups = {3, 300};
    request.parameters[parameter_of(model.description, "X0")] = {.kind = Draw::Kind::uniform, .min = -14, .max = -10};
    const Run grouped = tests::run(model, request);
    SpreadCollector together(model.description), median_of_three(model.description, request.groups);
    together.add(grouped.all);
    median_of_three.add(grouped.all);
    std::vector<double> widths;
    for (std::size_t group = 0; group < 3; ++group) {
        std::vector<double> phi1, phi2;
        for (std::size_t m = group * 300; m < (group + 1) * 300; ++m) {
            phi1.push_back(grouped.observable(observable_of(model.description, "phi1"), 0, m));
            phi2.push_back(grouped.observable(observable_of(model.description, "phi2"), 0, m));
        }
        widths.push_back(width_about_track(phi2, phi1, 360));
    }
    std::sort(widths.begin(), widths.end());
    QCOMPARE(median_of_three.result()[1], widths[1]);
    QVERIFY(together.result()[1] > 1.5 * widths[1]);
}

void TestStream::spreads_depend_on_no_chunk() {
    const Model& model = model_named("stream_star");
    struct SpreadSink final : ChunkSink {
        explicit SpreadSink(const ModelDescription& model) : spreads(model) {}
        void chunk(const EnsembleChunk& chunk) override { spreads.add(chunk); }
        SpreadCollector spreads;
    };
    std::vector<std::vector<double>> results;
    for (const std::int64_t chunk : {1, 37, 0}) {
        SpreadSink sink(model.description);
        RunOptions options;
        options.sink = &sink;
        options.chunk_members = chunk;
        run_ensemble(model, gd1(500), options);
        results.push_back(sink.spreads.result());
    }
    QVERIFY(same(results[0], results[1]) && same(results[0], results[2]));
    QVERIFY(std::isfinite(results[0][0]) && std::isfinite(results[0][1]));
}

QTEST_GUILESS_MAIN(TestStream)
#include "tst_stream.moc"
