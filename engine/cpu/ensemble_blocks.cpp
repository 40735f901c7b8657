#include "engine/cpu/ensemble_blocks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine/save_times.hpp"

namespace gradscape {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_final(Status status) { return status != Status::cancelled && status != Status::not_run; }

}  // namespace

EnsembleBlocks::EnsembleBlocks(BlockPlan plan)
    : plan_(std::move(plan)),
      guides_(plan_.kernels->guide == nullptr ? std::optional<GuideOrbits>()
                                              : std::optional<GuideOrbits>(std::in_place, plan_.model->description, plan_.request->solver,
                                                                           *plan_.kernels, *plan_.code, plan_.method)) {
    // What is fixed within its limits needs no look at every member.
    static constexpr double largest = std::numeric_limits<double>::max();
    const auto add = [](std::vector<Limits>& to, const auto& info, const Draw& draw, std::size_t row) {
        const Limits limits{row, std::max(info.hard_min, -largest), std::min(info.hard_max, largest)};
        if (draw.kind != Draw::Kind::fixed || !(draw.value >= limits.least && draw.value <= limits.most)) to.push_back(limits);
    };
    const ModelDescription& model = plan_.model->description;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) add(parameter_limits_, model.parameters[i], plan_.request->parameters[i], i);
    for (std::size_t d = 0; d < model.states.size(); ++d)
        if (plan_.request->initial_state[d].kind != Draw::Kind::from_model)
            add(initial_limits_, model.states[d], plan_.request->initial_state[d], d);
}

EnsembleBlock* EnsembleBlocks::open_block() {
    const ModelDescription& model = plan_.model->description;
    auto owner = std::make_unique<EnsembleBlock>();
    EnsembleBlock& block = *owner;
    EnsembleChunk& chunk = block.chunk;
    chunk.first = next_;
    chunk.count = std::min(plan_.block_members, plan_.size - next_);
    chunk.rows = plan_.times.rows;
    next_ += chunk.count;
    const auto count = static_cast<std::size_t>(chunk.count), points = count * static_cast<std::size_t>(chunk.rows);
    chunk.drawn.assign(plan_.varied.size() * count, missing);
    chunk.states.assign(model.states.size() * points, missing);
    if (plan_.observables) chunk.observables.assign(model.observables.size() * points, missing);
    if (plan_.times.per_member) chunk.row_times.assign(points, missing);
    chunk.drift.assign(model.invariants.size() * count, missing);
    chunk.status.assign(count, Status::not_run);
    chunk.span_start.assign(count, missing);
    chunk.span_end.assign(count, missing);
    chunk.stopped_at.assign(count, missing);
    chunk.accepted.assign(count, 0);
    chunk.rejected.assign(count, 0);
    block.inputs.assign(model.inputs() * count, missing);
    block.initial.assign(model.states.size() * count, missing);
    block.final_before.assign(count, false);
    block.unfinished = chunk.count;
    block.open = !guides_ && chunk.first >= plan_.previous_members;
    blocks_.push_back(std::move(owner));
    return &block;
}

void EnsembleBlocks::take_over(EnsembleBlock& block) {
    const ModelDescription& model = plan_.model->description;
    EnsembleChunk& chunk = block.chunk;
    const std::int64_t kept = std::min(chunk.count, plan_.previous_members - chunk.first);
    const auto count = static_cast<std::size_t>(chunk.count);
    EnsembleChunk before;
    {
        const std::lock_guard one_at_a_time(previous_mutex_);
        if (cancelled()) return;
        before = plan_.previous(chunk.first, kept);
    }
    const auto copy = [&](std::vector<double>& to, const std::vector<double>& from, std::int64_t member, std::int64_t rows) {
        const std::size_t components = to.size() / static_cast<std::size_t>(chunk.count * rows);
        for (std::size_t c = 0; c < components; ++c)
            for (std::int64_t row = 0; row < rows; ++row)
                to[(c * count + static_cast<std::size_t>(member)) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)] =
                    from[(c * static_cast<std::size_t>(kept) + static_cast<std::size_t>(member)) * static_cast<std::size_t>(rows) +
                         static_cast<std::size_t>(row)];
    };
    for (std::int64_t member = 0; member < kept; ++member) {
        const auto m = static_cast<std::size_t>(member);
        if (!is_final(before.status[m])) continue;
        block.final_before[m] = true;
        chunk.status[m] = before.status[m];
        chunk.span_start[m] = before.span_start[m];
        chunk.span_end[m] = before.span_end[m];
        chunk.stopped_at[m] = before.stopped_at[m];
        chunk.accepted[m] = before.accepted[m];
        chunk.rejected[m] = before.rejected[m];
        copy(chunk.drawn, before.drawn, member, 1);
        for (std::size_t i = 0; i < model.inputs() - model.parameters.size(); ++i)
            block.inputs[(model.parameters.size() + i) * count + m] = before.internals[i * static_cast<std::size_t>(kept) + m];
        copy(chunk.drift, before.drift, member, 1);
        copy(chunk.states, before.states, member, chunk.rows);
        if (plan_.observables) copy(chunk.observables, before.observables, member, chunk.rows);
        if (plan_.times.per_member) copy(chunk.row_times, before.row_times, member, chunk.rows);
    }
    const std::lock_guard lock(mutex_);
    taken_over_ += kept;
}

EnsembleBlock* EnsembleBlocks::block_to_take(const EnsembleBlock* own) {
    EnsembleBlock *unclaimed = nullptr, *claimed = nullptr;
    for (const auto& block : blocks_) {
        if (!block->open || block->taken == block->chunk.count) continue;
        if (block.get() == own) return block.get();
        EnsembleBlock*& first = block->claimed ? claimed : unclaimed;
        if (first == nullptr) first = block.get();
    }
    if (unclaimed != nullptr) return unclaimed;
    return can_open_block() ? nullptr : claimed;
}

void EnsembleBlocks::draw(EnsembleBlock& block, std::int64_t first, std::int64_t last) {
    EnsembleChunk& chunk = block.chunk;
    std::array<std::int64_t, most_at_once> numbers;
    const auto drawn = static_cast<std::size_t>(last - first);
    for (std::int64_t index = first; index < last; ++index) {
        const std::int64_t position = chunk.first + index;
        numbers[static_cast<std::size_t>(index - first)] =
            plan_.members != nullptr ? (*plan_.members)[static_cast<std::size_t>(position)] : position;
    }
    double *const inputs = block.inputs.data() + first, *const initial = block.initial.data() + first;
    double *const start = chunk.span_start.data() + first, *const end = chunk.span_end.data() + first;
    plan_.sampler->members(std::span(numbers).first(drawn), inputs, initial, chunk.count, start, end);
    if (const ModelDescription& model = plan_.model->description; !model.draws.empty()) {
        const auto stride = static_cast<std::size_t>(chunk.count);
        std::array<double, most_components> p;
        for (std::size_t m = 0; m < drawn; ++m) {
            for (std::size_t i = 0; i < model.first_draw(); ++i) p[i] = inputs[i * stride + m];
            plan_.sampler->draws(numbers[m], p.data(), p.data() + model.first_draw());
            for (std::size_t i = model.first_draw(); i < model.first_of_guide(); ++i) inputs[i * stride + m] = p[i];
            if (model.draws_start()) start[m] = p[model.first_draw() + static_cast<std::size_t>(model.start_draw)];
        }
    }
    for (std::size_t q = 0; q < plan_.varied.size(); ++q) {
        const VariedQuantity& quantity = plan_.varied[q];
        const double* from = end;
        switch (quantity.kind) {
            case VariedQuantity::Kind::parameter: from = inputs + quantity.index * chunk.count; break;
            case VariedQuantity::Kind::initial_state: from = initial + quantity.index * chunk.count; break;
            case VariedQuantity::Kind::start: from = start; break;
            case VariedQuantity::Kind::end:
            case VariedQuantity::Kind::draw: break;
        }
        std::copy_n(from, drawn, chunk.drawn.begin() + static_cast<std::int64_t>(q) * chunk.count + first);
    }
    if (!plan_.times.per_member) return;
    for (std::int64_t index = first; index < last; ++index) {
        const auto m = static_cast<std::size_t>(index);
        const std::vector<double> times = save_times(plan_.request->span, chunk.span_start[m], chunk.span_end[m]);
        std::copy(times.begin(), times.end(), chunk.row_times.begin() + index * chunk.rows);
    }
}

void EnsembleBlocks::draw_with_guides(EnsembleBlock& block) {
    const std::int64_t count = block.chunk.count;
    block.before_start.assign(static_cast<std::size_t>(count), Status::ok);
    const auto is_final_before = [&](std::int64_t index) { return bool(block.final_before[static_cast<std::size_t>(index)]); };
    for (std::int64_t first = 0, last = 0; first < count; first = last) {
        for (last = first + 1; last < count && last - first < most_at_once && is_final_before(last) == is_final_before(first);) ++last;
        if (!is_final_before(first)) draw(block, first, last);
        for (std::int64_t index = first; index < last; ++index)
            if (is_final_before(index) || !acceptable(block, index))
                block.before_start[static_cast<std::size_t>(index)] = Status::bad_input;
    }
    guides_->solve(block, cancelled_);
}

bool EnsembleBlocks::acceptable(const EnsembleBlock& block, std::int64_t index) const {
    const auto within = [index, stride = block.chunk.count](const std::vector<double>& values, const std::vector<Limits>& all) {
        bool fine = true;
        for (const Limits& limits : all) {
            const double value = values[limits.row * static_cast<std::size_t>(stride) + static_cast<std::size_t>(index)];
            fine = fine && value >= limits.least && value <= limits.most;
        }
        return fine;
    };
    const auto m = static_cast<std::size_t>(index);
    return within(block.inputs, parameter_limits_) && within(block.initial, initial_limits_) && std::isfinite(block.chunk.span_start[m]) &&
           std::isfinite(block.chunk.span_end[m]);
}

int EnsembleBlocks::take(const EnsembleBlock*& own, int count, LaneMember* members, double* p, double* y0, double* start, double* end) {
    const ModelDescription& model = plan_.model->description;
    const auto lanes = static_cast<std::size_t>(count);
    int taken = 0;
    while (taken < count) {
        // Only the counter is moved under the lock; drawing the members happens outside.
        EnsembleBlock* block = nullptr;
        std::int64_t first = 0, last = 0;
        {
            std::unique_lock lock(mutex_);
            // A block that another thread is drawing or taking over is waited for: lanes that find nothing now stay idle until all others
            // are.
            members_available_.wait(
                lock, [&] { return cancelled() || can_open_block() || block_to_take(own) != nullptr || being_drawn_ == 0; });
            if (cancelled()) break;
            block = block_to_take(own);
            if (block == nullptr && can_open_block()) block = open_block();
            if (block == nullptr) break;
            if (!block->open) {
                ++being_drawn_;
                lock.unlock();
                if (block->chunk.first < plan_.previous_members) take_over(*block);
                if (guides_) draw_with_guides(*block);
                lock.lock();
                --being_drawn_;
                block->open = true;
                members_available_.notify_all();
                continue;
            }
            own = block;
            block->claimed = true;
            first = block->taken;
            last = std::min(block->chunk.count, first + std::min(count - taken, most_at_once));
            block->taken = last;
        }
        EnsembleChunk& chunk = block->chunk;
        std::int64_t ended = 0;
        for (std::int64_t index = first; index < last;) {
            if (block->final_before[static_cast<std::size_t>(index)]) {
                ++ended;
                ++index;
                continue;
            }
            std::int64_t behind = index + 1;
            while (behind < last && !block->final_before[static_cast<std::size_t>(behind)]) ++behind;
            if (!guides_) draw(*block, index, behind);
            for (; index < behind; ++index) {
                LaneMember member{};
                member.block = block;
                member.index = index;
                const Status before_start = guides_              ? block->before_start[static_cast<std::size_t>(index)]
                                            : acceptable(*block, index) ? Status::ok
                                                                         : Status::bad_input;
                if (before_start != Status::ok) {
                    record(member, before_start, chunk.span_start[static_cast<std::size_t>(index)], 0, 0);
                    ++ended;
                    continue;
                }
                member.times = plan_.times.per_member ? chunk.row_times.data() + index * chunk.rows : plan_.times.shared.data();
                member.rows = chunk.rows;
                member.values = chunk.states.data() + index * chunk.rows;
                member.state_stride = chunk.count * chunk.rows;
                member.initial = block->initial.data() + index;
                member.initial_stride = chunk.count;
                member.inputs = block->inputs.data() + index;
                member.input_stride = chunk.count;
                const auto m = static_cast<std::size_t>(index), block_members = static_cast<std::size_t>(chunk.count);
                const auto lane = static_cast<std::size_t>(taken);
                for (std::size_t i = 0; i < model.inputs(); ++i) p[i * lanes + lane] = block->inputs[i * block_members + m];
                for (std::size_t d = 0; d < model.states.size(); ++d) y0[d * lanes + lane] = block->initial[d * block_members + m];
                start[lane] = chunk.span_start[m];
                end[lane] = chunk.span_end[m];
                members[taken++] = member;
            }
        }
        end_members(*block, ended);
    }
    return taken;
}

bool EnsembleBlocks::record(const LaneMember& member, Status status, double stopped_at, double accepted, double rejected) {
    EnsembleChunk& chunk = member.block->chunk;
    const auto m = static_cast<std::size_t>(member.index);
    chunk.status[m] = status;
    chunk.stopped_at[m] = stopped_at;
    chunk.accepted[m] = static_cast<std::int32_t>(accepted);
    chunk.rejected[m] = static_cast<std::int32_t>(rejected);
    return is_final(status);
}

void EnsembleBlocks::end_members(EnsembleBlock& block, std::int64_t count) {
    if (count > 0 && block.unfinished.fetch_sub(count) == count) complete(block);
}

std::int64_t EnsembleBlocks::done() {
    const std::lock_guard lock(mutex_);
    std::int64_t done = consumed_;
    for (const auto& block : blocks_) done += block->chunk.count - block->unfinished.load(std::memory_order_relaxed);
    return done;
}

void EnsembleBlocks::complete(EnsembleBlock& block) {
    evaluate(block);
    {
        const std::lock_guard lock(mutex_);
        block.ready = true;
    }
    block_ready_.notify_one();
}

void EnsembleBlocks::evaluate(EnsembleBlock& block) const {
    const ModelDescription& model = plan_.model->description;
    EnsembleChunk& chunk = block.chunk;
    const auto count = static_cast<std::size_t>(chunk.count), rows = static_cast<std::size_t>(chunk.rows), points = count * rows;
    chunk.internals.assign(block.inputs.begin() + static_cast<std::ptrdiff_t>(model.parameters.size() * count), block.inputs.end());
    if (points == 0) return;
    PointBlock at{};
    at.points = chunk.count * chunk.rows;
    at.rows = chunk.rows;
    at.times = plan_.times.per_member ? chunk.row_times.data() : plan_.times.shared.data();
    at.times_per_point = plan_.times.per_member;
    at.states = chunk.states.data();
    at.state_stride = at.points;
    at.inputs = block.inputs.data();
    at.input_stride = chunk.count;
    const auto missing_point = [&](std::size_t point) { return std::isnan(chunk.states[point]); };
    if (plan_.observables && !model.observables.empty()) {
        std::vector<double> values(model.observables.size() * points);
        at.out = values.data();
        at.out_stride = at.points;
        plan_.code->evaluate(plan_.kernels->functions, PointFunction::observe, at);
        for (std::size_t q = 0; q < model.observables.size(); ++q)
            for (std::size_t m = 0; m < count; ++m) {
                if (block.final_before[m]) continue;  // has the earlier run's values
                for (std::size_t i = m * rows; i < (m + 1) * rows; ++i)
                    chunk.observables[q * points + i] = missing_point(i) ? missing : values[q * points + i];
            }
    }
    if (!model.invariants.empty()) {
        // Drift is measured from the initial state, whether or not it is saved.
        std::vector<double> first(model.invariants.size() * count), values(model.invariants.size() * points);
        PointBlock initial = at;
        initial.points = chunk.count;
        initial.rows = 1;
        initial.times = chunk.span_start.data();
        initial.times_per_point = true;
        initial.states = block.initial.data();
        initial.state_stride = chunk.count;
        initial.out = first.data();
        initial.out_stride = chunk.count;
        plan_.code->evaluate(plan_.kernels->functions, PointFunction::conserved, initial);
        at.out = values.data();
        at.out_stride = at.points;
        plan_.code->evaluate(plan_.kernels->functions, PointFunction::conserved, at);
        for (std::size_t q = 0; q < model.invariants.size(); ++q)
            for (std::size_t m = 0; m < count; ++m) {
                if (block.final_before[m]) continue;
                const double reference = first[q * count + m];
                double largest = missing;
                for (std::size_t i = m * rows; i < (m + 1) * rows; ++i) {
                    const double change = std::fabs(values[q * points + i] - reference);
                    if (!missing_point(i)) largest = std::fmax(largest, reference != 0 ? change / std::fabs(reference) : change);
                }
                chunk.drift[q * count + m] = largest;
            }
    }
}

bool EnsembleBlocks::wait_for_members() {
    std::unique_lock lock(mutex_);
    const auto takeable = [&] { return can_open_block() || block_to_take(nullptr) != nullptr; };
    members_available_.wait(lock, [&] { return cancelled() || takeable() || (next_ >= plan_.size && being_drawn_ == 0); });
    return !cancelled() && takeable();
}

EnsembleBlock* EnsembleBlocks::next_ready(double seconds) {
    std::unique_lock lock(mutex_);
    const bool ready = block_ready_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        return cancelled() || (!blocks_.empty() && blocks_.front()->ready) || (blocks_.empty() && next_ >= plan_.size);
    });
    return ready && !blocks_.empty() && blocks_.front()->ready ? blocks_.front().get() : nullptr;
}

void EnsembleBlocks::release() {
    {
        const std::lock_guard lock(mutex_);
        consumed_ += blocks_.front()->chunk.count - blocks_.front()->unfinished.load(std::memory_order_relaxed);
        blocks_.pop_front();
    }
    members_available_.notify_all();
}

bool EnsembleBlocks::all_consumed() {
    const std::lock_guard lock(mutex_);
    return blocks_.empty() && next_ >= plan_.size;
}

void EnsembleBlocks::cancel() {
    {
        const std::lock_guard lock(mutex_);
        cancelled_ = true;
    }
    members_available_.notify_all();
    block_ready_.notify_all();
}

EnsembleBlock* EnsembleBlocks::close_next() {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty() || taken_over_ < plan_.previous_members) return nullptr;
    EnsembleBlock& block = *blocks_.front();
    if (!block.ready) {
        EnsembleChunk& chunk = block.chunk;
        for (std::int64_t index = 0; index < chunk.count; ++index) {
            const auto m = static_cast<std::size_t>(index);
            if (chunk.status[m] == Status::not_run && std::isnan(chunk.span_start[m])) draw(block, index, index + 1);
        }
        evaluate(block);
        block.ready = true;
    }
    return &block;
}

}  // namespace gradscape
