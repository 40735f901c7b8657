#include "engine/sampling.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "engine/counter_random.hpp"
#include "engine/distributions.hpp"
#include "engine/grid_axis.hpp"
#include "engine/latin_hypercube.hpp"
#include "engine/sobol_sequence.hpp"

namespace gradscape {
namespace {

using Kind = VariedQuantity::Kind;

std::string initial_name(const StateInfo& state) { return std::string(state.name) + "0"; }

bool has_column(const SampleTable& table, std::string_view name) {
    return std::find(table.names.begin(), table.names.end(), name) != table.names.end();
}

}  // namespace

std::vector<VariedQuantity> varied_quantities(const ModelDescription& model, const EnsembleRequest& request) {
    std::vector<VariedQuantity> varied;
    for (std::size_t i = 0; i < request.parameters.size(); ++i)
        if (request.parameters[i].varied()) varied.push_back({Kind::parameter, static_cast<int>(i), model.parameters[i].name});
    for (std::size_t i = 0; i < request.initial_state.size(); ++i)
        if (request.initial_state[i].varied()) varied.push_back({Kind::initial_state, static_cast<int>(i), initial_name(model.states[i])});
    if (has_column(request.table, "start")) varied.push_back({Kind::start, 0, "start"});
    if (has_column(request.table, "end")) varied.push_back({Kind::end, 0, "end"});
    return varied;
}

std::optional<VariedQuantity> column_quantity(const ModelDescription& model, std::string_view column) {
    if (column == "start") return VariedQuantity{Kind::start, 0, "start"};
    if (column == "end") return VariedQuantity{Kind::end, 0, "end"};
    if (const int i = ModelDescription::index_of(model.parameters, column); i >= 0)
        return VariedQuantity{Kind::parameter, i, std::string(column)};
    if (constexpr std::string_view prefix = "draw_"; column.starts_with(prefix))
        if (const int i = ModelDescription::index_of(model.draws, column.substr(prefix.size())); i >= 0)
            return VariedQuantity{Kind::draw, i, std::string(column)};
    for (std::size_t i = 0; i < model.states.size(); ++i)
        if (column == model.states[i].name || column == initial_name(model.states[i]))
            return VariedQuantity{Kind::initial_state, static_cast<int>(i), initial_name(model.states[i])};
    return std::nullopt;
}

/// What all members share, and per varied quantity how it is drawn.
struct Sampler::Plan {
    struct Target {
        Kind kind;
        std::size_t index;
    };
    struct Drawn {
        Target target;
        std::uint32_t quantity;     // number among all parameters, then states
        InverseDistribution distribution;
        std::uint64_t shift;        // Sobol's digital shift
    };
    struct Column {
        Target target;
        std::vector<double> values;
    };

    /// One of the quantities of a grid: its point number is a digit of the member's number.
    struct GridPlace {
        GridAxis axis;
        std::uint32_t stride, points;   // 32 bits: a division takes half the time
    };

    /// One of the model's own draws.
    struct OwnDraw {
        DrawInfo::Standard standard;
        bool fixed;
        double value;
    };

    std::vector<double> parameters, initial_state;
    double start, end;
    std::uint64_t seed;
    GroupRequest groups;
    std::vector<OwnDraw> own_draws;
    void (*draw)(const double*, const double*, double*);
    InverseDistribution normal{Draw{.kind = Draw::Kind::normal, .mean = 0, .sd = 1}};
    std::vector<Drawn> drawn;
    std::vector<Column> columns;
    Sampling sampling;
    std::optional<SobolSequence> sobol;
    std::vector<LatinDimension> latin;   // [drawn]
    std::vector<GridPlace> grid;         // [drawn]
};

Sampler::Sampler(const ModelDescription& model, const EnsembleRequest& request) {
    auto plan = std::make_unique<Plan>();
    plan->start = request.span.start;
    plan->end = request.span.end;
    plan->seed = request.seed;
    plan->groups = request.groups;
    plan->sampling = request.sampling;
    const std::int64_t points = request.groups.count > 0 ? request.groups.count : request.size;
    plan->draw = model.draw;
    for (std::size_t i = 0; i < model.draws.size(); ++i) {
        const Draw draw = request.draws.empty() ? Draw{.kind = Draw::Kind::from_model} : request.draws[i];
        plan->own_draws.push_back({model.draws[i].standard, draw.kind == Draw::Kind::fixed, draw.value});
    }
    const auto add = [&](const Draw& draw, Plan::Target target, std::uint32_t quantity) {
        if (!draw.varied() || draw.kind == Draw::Kind::table) return;
        const auto dimension = static_cast<std::uint32_t>(plan->drawn.size());
        const std::uint64_t shift = request.scramble ? random_bits(request.seed, RandomStream::digital_shift, dimension, 0) : 0;
        plan->drawn.push_back({target, quantity, InverseDistribution(draw), shift});
        if (request.sampling == Sampling::latin_hypercube) plan->latin.emplace_back(request.seed, quantity, points);
        if (request.sampling == Sampling::grid) {
            const GridAxis axis(draw);
            for (Plan::GridPlace& slower : plan->grid) slower.stride *= static_cast<std::uint32_t>(axis.points());
            plan->grid.push_back({axis, 1, static_cast<std::uint32_t>(axis.points())});
        }
    };
    std::uint32_t quantity = 0;
    for (const Draw& draw : request.parameters) {
        add(draw, {Kind::parameter, plan->parameters.size()}, quantity++);
        plan->parameters.push_back(draw.value);
    }
    for (const Draw& draw : request.initial_state) {
        add(draw, {Kind::initial_state, plan->initial_state.size()}, quantity++);
        plan->initial_state.push_back(draw.kind == Draw::Kind::from_model ? std::numeric_limits<double>::quiet_NaN() : draw.value);
    }
    for (std::size_t c = 0; c < request.table.names.size(); ++c)
        if (const auto found = column_quantity(model, request.table.names[c]))
            plan->columns.push_back({{found->kind, static_cast<std::size_t>(found->index)}, request.table.columns[c]});
    if (request.sampling == Sampling::sobol && !plan->drawn.empty()) plan->sobol.emplace(static_cast<int>(plan->drawn.size()));
    plan_ = std::move(plan);
}

Sampler::~Sampler() = default;

void Sampler::member(std::int64_t i, double* parameters, double* initial_state, double& start, double& end) const {
    members(std::span(&i, 1), parameters, initial_state, 1, &start, &end);
}

void Sampler::members(std::span<const std::int64_t> numbers, double* parameters, double* initial_state, std::int64_t stride, double* start,
                      double* end) const {
    const Plan& plan = *plan_;
    const std::size_t count = numbers.size();
    const auto row = [stride](double* values, std::size_t index) { return values + static_cast<std::int64_t>(index) * stride; };
    for (std::size_t q = 0; q < plan.parameters.size(); ++q) std::fill_n(row(parameters, q), count, plan.parameters[q]);
    for (std::size_t d = 0; d < plan.initial_state.size(); ++d) std::fill_n(row(initial_state, d), count, plan.initial_state[d]);
    std::fill_n(start, count, plan.start);
    std::fill_n(end, count, plan.end);
    const auto row_of = [&](const Plan::Target& target) {
        switch (target.kind) {
            case Kind::parameter: return row(parameters, target.index);
            case Kind::initial_state: return row(initial_state, target.index);
            case Kind::start: return start;
            case Kind::end:
            case Kind::draw: break;
        }
        return end;
    };
    for (std::size_t dimension = 0; dimension < plan.drawn.size(); ++dimension) {
        const Plan::Drawn& drawn = plan.drawn[dimension];
        double* const values = row_of(drawn.target);
        const auto fill = [&](auto value) {
            for (std::size_t i = 0; i < count; ++i) values[i] = value(static_cast<std::uint64_t>(plan.groups.index_of(numbers[i])));
        };
        switch (plan.sampling) {
            case Sampling::random:
                fill([&](std::uint64_t number) {
                    return drawn.distribution(uniform_integer(random_bits(plan.seed, RandomStream::draws, drawn.quantity, number)));
                });
                break;
            case Sampling::sobol:
                fill([&](std::uint64_t number) {
                    const std::uint64_t coordinate = plan.sobol->coordinate(number, static_cast<int>(dimension));
                    return drawn.distribution(uniform_integer(coordinate ^ drawn.shift));
                });
                break;
            case Sampling::latin_hypercube: {
                // Two loops, because the long chain of the permutation overlaps with those of other members, if nothing comes between.
                const LatinDimension& latin = plan.latin[dimension];
                fill([&](std::uint64_t number) { return static_cast<double>(latin.part(number)); });
                for (std::size_t i = 0; i < count; ++i) {
                    const auto number = static_cast<std::uint64_t>(plan.groups.index_of(numbers[i]));
                    values[i] = drawn.distribution(latin.coordinate(static_cast<std::uint32_t>(values[i]), number));
                }
                break;
            }
            case Sampling::grid:
                fill([&place = plan.grid[dimension]](std::uint64_t number) {
                    return place.axis(static_cast<std::uint32_t>(number) / place.stride % place.points);
                });
                break;
            case Sampling::table: break;  // nothing is drawn
        }
    }
    for (const Plan::Column& column : plan.columns) {
        if (column.target.kind == Kind::draw) continue;
        double* const values = row_of(column.target);
        for (std::size_t i = 0; i < count; ++i) values[i] = column.values[static_cast<std::size_t>(plan.groups.index_of(numbers[i]))];
    }
}

void Sampler::draws(std::int64_t i, const double* p, double* out) const {
    const Plan& plan = *plan_;
    std::array<double, most_components> standard;
    for (std::size_t d = 0; d < plan.own_draws.size(); ++d) {
        const std::uint64_t bits =
            random_bits(plan.seed, RandomStream::internal_draws, static_cast<std::uint32_t>(d), static_cast<std::uint64_t>(i));
        switch (plan.own_draws[d].standard) {
            case DrawInfo::Standard::uniform: standard[d] = static_cast<double>(uniform_integer(bits)) * 0x1p-53; break;
            case DrawInfo::Standard::normal: standard[d] = plan.normal(uniform_integer(bits)); break;
            case DrawInfo::Standard::sign: standard[d] = bits >> 63 != 0 ? 1 : -1; break;
        }
    }
    if (plan.draw != nullptr) plan.draw(p, standard.data(), out);
    for (std::size_t d = 0; d < plan.own_draws.size(); ++d)
        if (plan.own_draws[d].fixed) out[d] = plan.own_draws[d].value;
    for (const Plan::Column& column : plan.columns)
        if (column.target.kind == Kind::draw) out[column.target.index] = column.values[static_cast<std::size_t>(i)];
}

}  // namespace gradscape
