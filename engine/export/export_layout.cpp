#include "engine/export/export_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>

#include "engine/export/hdf5_writer.hpp"
#include "engine/grid_axis.hpp"
#include "engine/save_times.hpp"
#include "engine/units.hpp"

namespace gradscape {
namespace {

using Attributes = std::vector<Attribute>;
using Source = MemberDataset::Source;

constexpr std::int64_t member_chunk = 65536;
constexpr std::int64_t largest_unsplit_rows = 8192;
constexpr std::int64_t chunk_bytes = 1 << 20;
constexpr std::int64_t smallest_batch_bytes = 8 << 20, largest_batch_bytes = 256 << 20;
constexpr std::uint64_t largest_compressed = 1'000'000'000;  // gzip is slower than the disk

/// A help text as a label: without its full stop.
std::string label(std::string_view help, std::string_view otherwise) {
    if (help.empty()) return std::string(otherwise);
    if (help.ends_with('.')) help.remove_suffix(1);
    return std::string(help);
}

Attributes described(std::string long_name, std::string_view unit, std::string_view latex = {}) {
    Attributes attributes{{"long_name", std::move(long_name)}, {"units", std::string(unit)}};
    if (const Unit* known = find_unit(unit)) {
        attributes.push_back({"units_si", known->si});
        attributes.push_back({"units_si_symbol", std::string(known->si_symbol)});
    }
    if (!latex.empty()) attributes.push_back({"symbol", std::string(latex)});
    return attributes;
}

void append(Attributes& to, Attributes more) { std::move(more.begin(), more.end(), std::back_inserter(to)); }

/// What parameters and initial values have in common.
struct Quantity {
    std::string name;       ///< "v0", "x0"
    std::string long_name;
    const char* unit;
    std::string latex;
    double default_value;   ///< NaN where the model computes it
    const Draw* draw;
};

std::vector<Quantity> quantities(const ModelDescription& model, const EnsembleRequest& request) {
    std::vector<Quantity> all;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const ParameterInfo& parameter = model.parameters[i];
        all.push_back({parameter.name, label(parameter.help, parameter.name), parameter.unit, parameter.latex, parameter.default_value,
                       &request.parameters[i]});
    }
    for (std::size_t i = 0; i < model.states.size(); ++i) {
        const StateInfo& state = model.states[i];
        if (request.initial_state[i].kind == Draw::Kind::from_model) continue;
        all.push_back({std::string(state.name) + "0", "Initial value: " + label(state.help, state.name), state.unit,
                       std::string(state.latex) + "(0)", state.default_value, &request.initial_state[i]});
    }
    return all;
}

std::string_view distribution(Draw::Kind kind) {
    switch (kind) {
        case Draw::Kind::uniform: return "uniform";
        case Draw::Kind::log_uniform: return "log_uniform";
        case Draw::Kind::normal: return "normal";
        case Draw::Kind::cosine: return "cosine";
        case Draw::Kind::power_law: return "power_law";
        case Draw::Kind::table: return "table";
        case Draw::Kind::fixed:
        case Draw::Kind::from_model: break;
    }
    return "fixed";
}

/// The drawn range.
Attributes sampling(const Draw& draw, double default_value) {
    Attributes attributes{{"sampling_distribution", std::string(distribution(draw.kind))}};
    const auto finite = [&](const char* name, double value) {
        if (std::isfinite(value)) attributes.push_back({name, value});
    };
    if (draw.varied()) {
        attributes.push_back({"sampling_scale", std::string(draw.kind == Draw::Kind::log_uniform ? "log" : "linear")});
        finite("sampling_min", draw.min);
        finite("sampling_max", draw.max);
    }
    if (const std::int64_t points = grid_points(draw); points > 0) attributes.push_back({"sampling_points", points});
    if (draw.step > 0) finite("sampling_step", draw.step);
    if (draw.kind == Draw::Kind::normal) {
        finite("sampling_mean", draw.mean);
        finite("sampling_sd", draw.sd);
    }
    if (draw.kind == Draw::Kind::power_law) finite("sampling_exponent", draw.exponent);
    finite("default_value", default_value);
    return attributes;
}

std::vector<double> as_numbers(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

class LayoutBuilder {
public:
    LayoutBuilder(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times,
                  const std::vector<VariedQuantity>& varied)
        : model_(model), request_(request), times_(times), varied_(varied) {
        layout_.rows = exported_rows(times.rows, request.output.every);
        if (layout_.rows.empty()) throw std::runtime_error("an export needs a save time");
        layout_.row_dimension = times.per_member ? "row" : model.info.independent.name;
    }

    ExportLayout build() {
        add_member("member", ElementType::int64, Source::number, described("Number of the member, from 0", "1"));
        add_rows();
        add_quantities();
        add_internals();
        add_draws();
        add_outcomes();
        add_trajectories();
        refuse_equal_names();
        choose_chunks();
        return std::move(layout_);
    }

private:
    void add_member(std::string name, ElementType type, Source source, Attributes attributes, std::size_t index = 0) {
        layout_.members.push_back({{std::move(name), type, {"member"}, std::move(attributes)}, source, index});
    }

    void add_rows() {
        const IndependentInfo& independent = model_.info.independent;
        Attributes attributes = described(label(independent.help, independent.name), independent.unit, independent.symbol);
        const auto count = static_cast<std::int64_t>(layout_.rows.size());
        if (times_.per_member) {
            layout_.fixed.push_back({{"row", ElementType::int64, {"row"}, described("Number of the save time, from 0", "1")},
                                     {count},
                                     as_numbers(layout_.rows)});
            layout_.members.push_back(
                {{independent.name, ElementType::float64, {"member", "row"}, std::move(attributes)}, Source::row_time, 0});
        } else {
            std::vector<double> values;
            for (const std::int64_t row : layout_.rows) values.push_back(times_.shared[static_cast<std::size_t>(row)]);
            layout_.fixed.push_back(
                {{independent.name, ElementType::float64, {independent.name}, std::move(attributes)}, {count}, std::move(values)});
        }
    }

    void add_quantities() {
        for (const Quantity& quantity : quantities(model_, request_)) {
            const std::string name = "param_" + quantity.name;
            Attributes attributes = described(quantity.long_name, quantity.unit, quantity.latex);
            append(attributes, sampling(*quantity.draw, quantity.default_value));
            coordinates_ += name + ' ';
            const auto at = std::find_if(varied_.begin(), varied_.end(), [&](const VariedQuantity& v) { return v.name == quantity.name; });
            if (at == varied_.end())
                layout_.fixed.push_back({{name, ElementType::float64, {}, std::move(attributes)}, {}, {quantity.draw->value}});
            else
                add_member(name, ElementType::float64, Source::drawn, std::move(attributes),
                           static_cast<std::size_t>(at - varied_.begin()));
        }
    }

    void add_internals() {
        for (std::size_t i = 0; i < model_.internals.size(); ++i) {
            const InternalInfo& internal = model_.internals[i];
            add_member(dataset_name(internal), ElementType::float64, Source::internal,
                       described(label(internal.help, internal.name), internal.unit, internal.latex), i);
        }
    }

    void add_draws() {
        if (request_.groups.count > 0) coordinates_ += "group ";
        if (request_.groups.count > 0)
            add_member("group", ElementType::int64, Source::group, described("Number of the member's group, from 0", "1"),
                       static_cast<std::size_t>(request_.groups.members_each));
        for (std::size_t i = 0; i < model_.draws.size(); ++i) {
            const DrawInfo& draw = model_.draws[i];
            const std::string name = std::string("draw_") + draw.name;
            coordinates_ += name + ' ';
            add_member(name, ElementType::float64, Source::internal, described(label(draw.help, draw.name), draw.unit, draw.latex),
                       model_.internals.size() + i);
        }
    }

    void add_outcomes() {
        Attributes status = described("How the member ended", "1");
        std::vector<std::int8_t> values;
        std::string words;
        for (int i = 0; i < status_count; ++i) {
            values.push_back(static_cast<std::int8_t>(i));
            words.append(i == 0 ? "" : " ").append(word(static_cast<Status>(i)));
        }
        status.push_back({"flag_values", std::move(values)});
        status.push_back({"flag_meanings", std::move(words)});
        if (model_.shooting != nullptr) status.push_back({"shooting_failed_reason", std::string(model_.shooting->no_solution)});
        add_member("status", ElementType::int8, Source::status, std::move(status));
        const char* const unit = model_.info.independent.unit;
        const std::string independent = model_.info.independent.name;
        add_member("span_start", ElementType::float64, Source::span_start, described("Start of the span in " + independent, unit));
        add_member("span_end", ElementType::float64, Source::span_end, described("End of the span in " + independent, unit));
        add_member("stopped_at", ElementType::float64, Source::stopped_at,
                   described("Where the integration stopped in " + independent, unit));
        add_member("n_accepted", ElementType::int32, Source::accepted, described("Number of accepted steps", "1"));
        add_member("n_rejected", ElementType::int32, Source::rejected, described("Number of rejected steps", "1"));
        coordinates_ += "status stopped_at";
        if (times_.per_member) coordinates_ += ' ' + independent;
        for (std::size_t i = 0; i < model_.invariants.size(); ++i) {
            const InvariantInfo& invariant = model_.invariants[i];
            add_member(std::string(invariant.name) + "_drift", ElementType::float64, Source::drift,
                       described("Largest relative change of " + std::string(invariant.name), "1"), i);
        }
    }

    template <class Info>
    void add_component(const Info& info, Source source, std::size_t index) {
        Attributes attributes = described(label(info.help, info.name), info.unit, info.latex);
        attributes.push_back({"coordinates", coordinates_});
        attributes.push_back({"ancillary_variables", "status"});
        const bool narrow = request_.output.precision == OutputRequest::Precision::float32;
        layout_.members.push_back({{info.name, narrow ? ElementType::float32 : ElementType::float64, {"member", layout_.row_dimension},
                                    std::move(attributes)}, source, index});
    }

    void add_trajectories() {
        if (request_.output.states)
            for (std::size_t i = 0; i < model_.states.size(); ++i) add_component(model_.states[i], Source::state, i);
        if (request_.output.observables)
            for (std::size_t i = 0; i < model_.observables.size(); ++i) add_component(model_.observables[i], Source::observable, i);
        if (!request_.output.states && !request_.output.observables) layout_.coordinates = coordinates_;
    }

    void refuse_equal_names() const {
        std::set<std::string> names;
        const auto add = [&](const DatasetLayout& dataset) {
            if (!names.insert(dataset.name).second)
                throw std::runtime_error("the model " + std::string(model_.info.name) +
                                         " has two quantities that the file would both name `" + dataset.name + "`");
        };
        for (const FixedDataset& dataset : layout_.fixed) add(dataset.layout);
        for (const MemberDataset& dataset : layout_.members) add(dataset.layout);
    }

    void choose_chunks() {
        ChunkShape& chunk = layout_.chunk;
        const auto rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(layout_.rows.size()));
        std::int64_t element = 1, row_bytes = 0, list_bytes = 0;  // row_bytes: of all components in one row of one member
        for (const MemberDataset& dataset : layout_.members) {
            const auto size = static_cast<std::int64_t>(size_of(dataset.layout.type));
            if (dataset.over_rows()) {
                element = std::max(element, size);
                row_bytes += size;
            } else {
                list_bytes += size;
            }
        }
        const std::int64_t member_bytes = rows * row_bytes + list_bytes;
        if (rows > largest_unsplit_rows) {
            chunk.members = std::clamp<std::int64_t>(largest_batch_bytes / member_bytes, 1, 32);
            chunk.row_blocks = std::max<std::int64_t>(1, (rows * chunk.members * element + chunk_bytes - 1) / chunk_bytes);
        } else {
            // Only whole chunks are written before the end: a sixteenth of a small ensemble, so that a run that is killed isn't lost.
            const std::int64_t sixteenth = (request_.size + 15) / 16;
            chunk.members = std::max<std::int64_t>(32, std::min({chunk_bytes / (rows * element), member_chunk, sixteenth}));
        }
        chunk.members = std::min(chunk.members, std::max<std::int64_t>(32, request_.size));
        chunk.rows = (rows + chunk.row_blocks - 1) / chunk.row_blocks;
        chunk.row_blocks = (rows + chunk.rows - 1) / chunk.rows;
        const std::int64_t chunks = std::max<std::int64_t>(1, smallest_batch_bytes / (chunk.members * member_bytes));
        const std::int64_t needed = (request_.size + chunk.members - 1) / chunk.members;
        chunk.batch_members = chunk.members * std::clamp<std::int64_t>(chunks, 1, std::max<std::int64_t>(1, needed));
        chunk.list_members = std::clamp<std::int64_t>(request_.size, 32, 4096);
        using Compression = OutputRequest::Compression;
        layout_.compressed = request_.output.compression == Compression::gzip ||
                             (request_.output.compression == Compression::automatic &&
                              estimated_size(model_, request_, times_) <= largest_compressed);
    }

    const ModelDescription& model_;
    const EnsembleRequest& request_;
    const SaveTimes& times_;
    const std::vector<VariedQuantity>& varied_;
    std::string coordinates_;
    ExportLayout layout_;
};

FixedDataset scale(const std::string& name, std::vector<double> values, ElementType type, Attributes attributes) {
    const auto size = static_cast<std::int64_t>(values.size());
    return {{name, type, {name}, std::move(attributes)}, {size}, std::move(values)};
}

/// The exported rows of [outer][row].
std::vector<double> thinned(const std::vector<double>& values, std::size_t outer, const std::vector<std::int64_t>& rows) {
    std::vector<double> result;
    if (outer == 0 || values.empty()) return result;
    const std::size_t all = values.size() / outer;
    for (std::size_t i = 0; i < outer; ++i)
        for (const std::int64_t row : rows) result.push_back(values[i * all + static_cast<std::size_t>(row)]);
    return result;
}

std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr};
}

class SummaryBuilder {
public:
    explicit SummaryBuilder(const ExportLayout& layout) : layout_(layout), count_(static_cast<std::int64_t>(layout.rows.size())) {}

    void add_scale_of_quantiles() {
        datasets_.push_back(scale("quantile", {std::begin(quantile_levels), std::end(quantile_levels)}, ElementType::float64,
                                  described("Fraction of the members that lie below", "1")));
    }

    template <class Info>
    void add_statistics(const Info& info, const ComponentStatistics& statistics, bool circular) {
        const std::string name = info.name;
        if (!circular) {
            Attributes attributes = described("Quantiles over members of " + name, info.unit);
            if (statistics.exact) {
                attributes.push_back({"quantile_method", "exact"});
            } else {
                const std::vector<double> bound = thinned(statistics.bin_width, 1, layout_.rows);
                const double largest = bound.empty() ? 0 : *std::max_element(bound.begin(), bound.end());
                attributes.push_back(
                    {"quantile_method", "histogram with error below " + number(largest) + " (see " + name + "_quantile_bound)"});
                add(name + "_quantile_bound", ElementType::float64, {}, 1, bound,
                    described("Bound on the error of the quantiles of " + name, info.unit));
            }
            add(name + "_quantile", ElementType::float64, {"quantile"}, std::size(quantile_levels),
                thinned(statistics.quantiles, std::size(quantile_levels), layout_.rows), std::move(attributes));
        }
        add(name + "_mean", ElementType::float64, {}, 1, thinned(statistics.mean, 1, layout_.rows),
            described(circular ? "Circular mean over members of " + name : "Mean over members of " + name, info.unit));
        add(name + "_std", ElementType::float64, {}, 1, thinned(statistics.standard_deviation, 1, layout_.rows),
            described((circular ? "Circular standard deviation over members of " : "Standard deviation over members of ") + name,
                      info.unit));
        add(name + "_count", ElementType::int64, {}, 1, thinned(as_numbers(statistics.count), 1, layout_.rows),
            described("Number of members with a value of " + name, "1"));
    }

    void add_accuracy(const ErrorInfo& error, const AccuracyResult& accuracy) {
        if (accuracy.members.empty()) return;
        const std::size_t samples = accuracy.members.size();
        datasets_.push_back(scale("sample", as_numbers(accuracy.members), ElementType::int64,
                                  described("Number of the member in the accuracy subsample", "1")));
        datasets_.push_back(scale("error_level", {std::begin(error_levels), std::end(error_levels)}, ElementType::float64,
                                  described("Fraction of the subsample that has a smaller error", "1")));
        const std::string measure = label(error.help, error.symbol);
        Attributes attributes = described("Error against the reference: " + measure, error.unit);
        attributes.push_back({"threshold", accuracy.threshold});
        attributes.push_back({"comment", accuracy.sentence});
        add("error", ElementType::float64, {"sample"}, samples, thinned(accuracy.error, samples, layout_.rows), std::move(attributes));
        add("error_quantile", ElementType::float64, {"error_level"}, std::size(error_levels),
            thinned(accuracy.row_quantiles, std::size(error_levels), layout_.rows),
            described("Quantiles over the subsample of the error: " + measure, error.unit));
    }

    std::vector<FixedDataset> take() { return std::move(datasets_); }

private:
    void add(const std::string& name, ElementType type, std::vector<std::string> dimensions, std::size_t outer, std::vector<double> values,
             Attributes attributes) {
        std::vector<std::int64_t> shape;
        if (!dimensions.empty()) shape.push_back(static_cast<std::int64_t>(outer));
        shape.push_back(count_);
        dimensions.push_back(layout_.row_dimension);
        datasets_.push_back({{name, type, std::move(dimensions), std::move(attributes)}, std::move(shape), std::move(values)});
    }

    const ExportLayout& layout_;
    std::int64_t count_;
    std::vector<FixedDataset> datasets_;
};

}  // namespace

std::size_t size_of(ElementType type) {
    switch (type) {
        case ElementType::int8: return 1;
        case ElementType::int32:
        case ElementType::float32: return 4;
        case ElementType::int64:
        case ElementType::float64: break;
    }
    return 8;
}

std::string dataset_name(const InternalInfo& internal) { return std::string("solved_") + internal.name; }

ExportLayout export_layout(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times,
                           const std::vector<VariedQuantity>& varied) {
    return LayoutBuilder(model, request, times, varied).build();
}

std::vector<FixedDataset> summary_datasets(const ModelDescription& model, const ExportLayout& layout, const EnsembleStatistics& statistics,
                                           const AccuracyResult& accuracy) {
    SummaryBuilder summary(layout);
    if (!statistics.states.empty() || !statistics.observables.empty()) summary.add_scale_of_quantiles();
    for (std::size_t i = 0; i < statistics.states.size(); ++i) summary.add_statistics(model.states[i], statistics.states[i], false);
    for (std::size_t i = 0; i < statistics.observables.size(); ++i)
        summary.add_statistics(model.observables[i], statistics.observables[i], model.observables[i].period > 0);
    summary.add_accuracy(model.info.error, accuracy);
    return summary.take();
}

FixedDataset line_numbers(std::size_t lines) {
    std::vector<double> numbers(lines);
    std::iota(numbers.begin(), numbers.end(), 0.0);
    return scale("line", std::move(numbers), ElementType::int64, described("Number of the line, from 0", "1"));
}

std::uint64_t estimated_size(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times) {
    const auto rows = static_cast<std::uint64_t>(exported_rows(times.rows, request.output.every).size());
    const auto members = static_cast<std::uint64_t>(request.size);
    const std::uint64_t states = request.output.states ? model.states.size() : 0;
    const std::uint64_t observables = request.output.observables ? model.observables.size() : 0;
    const std::uint64_t element = request.output.precision == OutputRequest::Precision::float32 ? 4 : 8;
    const auto drawn = [](const Draw& draw) { return draw.varied(); };
    const auto varied = static_cast<std::uint64_t>(std::count_if(request.parameters.begin(), request.parameters.end(), drawn) +
                                                   std::count_if(request.initial_state.begin(), request.initial_state.end(), drawn));
    const std::uint64_t trajectories = members * rows * ((states + observables) * element + (times.per_member ? 8 : 0));
    const std::uint64_t lists = members * (8 * (5 + varied + model.internals.size() + model.draws.size() + model.invariants.size()) + 2 * 4 + 1);
    const std::uint64_t per_row = 8 * (std::size(quantile_levels) + 3) * (request.output.statistics ? states + observables : 0);
    const auto sample = static_cast<std::uint64_t>(std::clamp<std::int64_t>(request.accuracy_subsample, 0, request.size));
    const std::uint64_t summary = rows * (per_row + 8 * (sample + std::size(error_levels) + 1));
    constexpr std::uint64_t structure = 1 << 20;
    return trajectories + lists + summary + structure;
}

}  // namespace gradscape
