#include "engine/run_ensemble.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "engine/accuracy.hpp"
#include "engine/cpu/ensemble_blocks.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"
#include "engine/statistics.hpp"

namespace gradscape {
namespace {

constexpr double no_atol = 1e-300;  // in place of an absolute tolerance of zero, so that 0/0 doesn't arise

double thread_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The lanes of one thread.
class ThreadJob final : public LaneJob {
public:
    ThreadJob(const SolverConstants& constants, EnsembleBlocks& blocks) : LaneJob(constants), blocks_(blocks) {}
    int take(int count, LaneMember* members, double* p, double* y0, double* start, double* end) override {
        hand_in();
        const int taken = blocks_.take(own_, count, members, p, y0, start, end);
        none_left_ = taken == 0;
        return taken;
    }
    void finish(const LaneMember& member, Status status, double stopped_at, double accepted, double rejected) override {
        if (!EnsembleBlocks::record(member, status, stopped_at, accepted, rejected)) return;
        if (member.block != ended_block_) hand_in();
        ended_block_ = member.block;
        ++ended_;
        if (none_left_) hand_in();
    }
    bool cancelled() const override { return blocks_.cancelled(); }
    /// Counts the members that have ended; also to be called at the end.
    void hand_in() {
        if (ended_ > 0) blocks_.end_members(*ended_block_, ended_);
        ended_ = 0;
    }

private:
    EnsembleBlocks& blocks_;
    const EnsembleBlock* own_ = nullptr;
    EnsembleBlock* ended_block_ = nullptr;  ///< the block that `ended_` members belong to, which ended but aren't counted yet
    std::int64_t ended_ = 0;
    bool none_left_ = false;
};

/// How often each step count occurred: bounded memory whatever the number of members.
class CountHistogram {
public:
    void add(std::int32_t value) { ++counts_[value]; }
    StepCounts summary() const {
        if (counts_.empty()) return {};
        std::int64_t total = 0;
        for (const auto& [value, count] : counts_) total += count;
        StepCounts result{counts_.begin()->first, 0, counts_.rbegin()->first};
        std::int64_t below = 0;
        for (const auto& [value, count] : counts_) {
            below += count;
            if (2 * below >= total) {
                result.median = value;
                break;
            }
        }
        return result;
    }

private:
    std::map<std::int32_t, std::int64_t> counts_;
};

/// One number per member, thinned evenly once there are many: every 2^k-th member is kept.
class ThinnedValues {
public:
    void add(std::int64_t member, double value) {
        if (member % stride_ != 0) return;
        values_.push_back(value);
        if (values_.size() < most) return;
        for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
        values_.resize((values_.size() + 1) / 2);
        stride_ *= 2;
    }
    Percentiles summary() const { return percentiles(values_, error_levels); }

private:
    static constexpr std::size_t most = 1u << 21;
    std::vector<double> values_;
    std::int64_t stride_ = 1;
};

/// Gathers what the closing table and the accuracy need from the blocks as they pass.
class Summary {
public:
    Summary(const ModelDescription& model, std::vector<std::int64_t> sample, std::int64_t rows)
        : drift_(model.invariants.size()), sample_(std::move(sample)), states_(model.states.size()) {
        chunk_.count = static_cast<std::int64_t>(sample_.size());
        chunk_.rows = rows;
        chunk_.states.assign(states_ * sample_.size() * static_cast<std::size_t>(rows), std::numeric_limits<double>::quiet_NaN());
    }

    void add(const EnsembleChunk& chunk, EnsembleResult& result) {
        const auto count = static_cast<std::size_t>(chunk.count), rows = static_cast<std::size_t>(chunk.rows);
        for (std::size_t m = 0; m < count; ++m) {
            const Status status = chunk.status[m];
            ++result.by_status[static_cast<std::size_t>(status)];
            if (status == Status::not_run || status == Status::cancelled) continue;
            ++result.complete;
            accepted_.add(chunk.accepted[m]);
            rejected_.add(chunk.rejected[m]);
            for (std::size_t q = 0; q < drift_.size(); ++q)
                drift_[q].add(chunk.first + static_cast<std::int64_t>(m), chunk.drift[q * count + m]);
        }
        if (chunk_.drawn.empty()) {
            chunk_.drawn.resize(chunk.drawn.size() / count * sample_.size());
            chunk_.internals.resize(chunk.internals.size() / count * sample_.size());
        }
        for (; next_ < sample_.size() && sample_[next_] < chunk.first + chunk.count; ++next_) {
            const auto m = static_cast<std::size_t>(sample_[next_] - chunk.first);
            for (std::size_t q = 0; q * count < chunk.drawn.size(); ++q)
                chunk_.drawn[q * sample_.size() + next_] = chunk.drawn[q * count + m];
            for (std::size_t i = 0; i * count < chunk.internals.size(); ++i)
                chunk_.internals[i * sample_.size() + next_] = chunk.internals[i * count + m];
            if (chunk.status[m] != Status::ok) continue;
            for (std::size_t d = 0; d < states_; ++d)
                std::copy_n(chunk.states.begin() + static_cast<std::ptrdiff_t>((d * count + m) * rows), rows,
                            chunk_.states.begin() + static_cast<std::ptrdiff_t>((d * sample_.size() + next_) * rows));
        }
    }

    void write(EnsembleResult& result) const {
        result.accepted = accepted_.summary();
        result.rejected = rejected_.summary();
        for (const ThinnedValues& values : drift_) result.drift.push_back(values.summary());
    }

    const std::vector<std::int64_t>& sample() const { return sample_; }
    const EnsembleChunk& sample_chunk() const { return chunk_; }

private:
    CountHistogram accepted_, rejected_;
    std::vector<ThinnedValues> drift_;
    std::vector<std::int64_t> sample_;
    std::size_t states_, next_ = 0;
    EnsembleChunk chunk_;
};

std::string method_name(const Model& model, const EnsembleRequest& request) {
    return request.solver.method == "auto" ? model.description.info.preferred_method : request.solver.method;
}

const Kernels& kernels_for(const Model& model, InstructionSet set) {
    for (const Kernels& kernels : model.kernels)
        if (kernels.set == set) return kernels;
    throw std::invalid_argument("the model " + std::string(model.description.info.name) + " was not built for the instruction set " +
                                std::string(name(set)));
}

/// Runs the plan's members on the threads and passes the blocks on, in order, from the calling thread.
void run_blocks(BlockPlan plan, const RunOptions& options, EnsembleResult& result, const std::function<void(const EnsembleChunk&)>& deliver) {
    const Model& model = *plan.model;
    const EnsembleRequest& request = *plan.request;
    const std::string method = method_name(model, request);
    const int index = method_index(method);
    if (index < 0) throw std::invalid_argument("solver.method: there is no method `" + method + "`");
    const std::size_t method_at = plan.method = static_cast<std::size_t>(index);
    SolveLanes solve = plan.kernels->inlined[method_at];
    if (solve == nullptr) solve = plan.code->solve[method_at];

    std::vector<double> atol = request.solver.atol;
    for (double& value : atol) value = std::max(value, no_atol);
    SolverConstants constants{};
    constants.rtol = request.solver.rtol;
    constants.atol = atol.data();
    constants.largest_step = request.solver.max_step.value_or(std::numeric_limits<double>::infinity());
    constants.first_step = request.solver.first_step.value_or(0);
    constants.max_steps = static_cast<double>(request.solver.max_steps);
    constants.computes_initial_state = std::any_of(request.initial_state.begin(), request.initial_state.end(),
                                                   [](const Draw& draw) { return draw.kind == Draw::Kind::from_model; });

    const std::int64_t size = plan.size;
    const std::int64_t packs = std::max<std::int64_t>(1, size / plan.code->lanes);
    const int wanted = request.solver.threads > 0 ? request.solver.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int threads = static_cast<int>(std::min<std::int64_t>(wanted, packs));
    result.method = method;
    result.instruction_set = name(plan.code->set);
    result.lanes = plan.code->lanes;
    result.threads = threads;

    plan.window = std::max(plan.window, threads + 4);  // a block of its own for every thread
    const void* const functions = plan.kernels->functions;
    EnsembleBlocks blocks(std::move(plan));
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    std::mutex mutex;
    std::exception_ptr failure;
    const std::stop_callback on_stop(options.stop, [&] { blocks.cancel(); });
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i)
        pool.emplace_back([&] {
            clear_upper_halves();
            const double cpu = thread_cpu_seconds();
            std::int64_t tries = 0, iterations = 0;
            try {
                while (blocks.wait_for_members()) {
                    ThreadJob job(constants, blocks);
                    solve(functions, job);
                    job.hand_in();
                    tries += job.tries;
                    iterations += job.iterations;
                }
            } catch (...) {  // out of memory, say
                {
                    const std::lock_guard lock(mutex);
                    failure = std::current_exception();
                }
                blocks.cancel();
            }
            const std::lock_guard lock(mutex);
            result.tries += tries;
            result.iterations += iterations;
            result.cpu_seconds += thread_cpu_seconds() - cpu;
        });
    try {
        auto reported = begin;
        while (!blocks.cancelled() && !blocks.all_consumed()) {
            if (EnsembleBlock* block = blocks.next_ready(0.1)) {
                deliver(block->chunk);
                blocks.release();
            }
            if (const auto now = std::chrono::steady_clock::now(); options.progress && now - reported >= std::chrono::milliseconds(100)) {
                reported = now;
                options.progress({blocks.done(), size, seconds()});
            }
        }
        pool.clear();
        if (failure) std::rethrow_exception(failure);
        if (blocks.cancelled() && !blocks.all_consumed()) {
            result.cancelled = true;
            while (EnsembleBlock* block = blocks.close_next()) {
                deliver(block->chunk);
                blocks.release();
            }
        }
    } catch (...) {
        blocks.cancel();
        pool.clear();
        throw;
    }
    result.seconds = seconds();
    if (options.progress) options.progress({blocks.done(), size, result.seconds});
}

BlockPlan make_plan(const Model& model, const EnsembleRequest& request, const Sampler& sampler, const RunOptions& options) {
    const InstructionSet set = options.instruction_set.value_or(best_instruction_set());
    BlockPlan plan{};
    plan.model = &model;
    plan.request = &request;
    plan.sampler = &sampler;
    plan.kernels = &kernels_for(model, set);
    plan.code = &cpu_code(set);
    plan.times = run_save_times(request);
    plan.varied = varied_quantities(model.description, request);
    plan.size = request.size;
    plan.observables = options.observables;
    plan.previous_members = options.previous_members;
    plan.previous = options.previous;
    plan.block_members = options.chunk_members;
    if (plan.block_members <= 0) {
        const auto components = static_cast<std::int64_t>(model.description.states.size() + model.description.observables.size() + 1);
        // A few MB, so that a block's memory is used again while it is in the cache. Few enough members that all threads have blocks: the
        // guides of a block are integrated by one of them, which takes whole groups.
        constexpr std::int64_t bytes = 8 << 20, least = 16, most = 2048;
        plan.block_members = std::clamp(bytes / (8 * components * std::max<std::int64_t>(plan.times.rows, 1)), least, most);
        const std::int64_t group = request.groups.count > 0 ? request.groups.members_each : 1;
        if (plan.kernels->guide != nullptr && plan.block_members > group) plan.block_members -= plan.block_members % group;
    }
    return plan;
}

}  // namespace

EnsembleResult run_ensemble(const Model& model, const EnsembleRequest& request, const RunOptions& options) {
    EnsembleResult result;
    const Sampler sampler(model.description, request);
    BlockPlan plan = make_plan(model, request, sampler, options);
    result.requested = request.size;
    result.save_times = plan.times;
    result.varied = plan.varied;
    Summary summary(model.description, accuracy_members(request.size, request.accuracy_subsample), plan.times.rows);
    run_blocks(std::move(plan), options, result, [&](const EnsembleChunk& chunk) {
        summary.add(chunk, result);
        if (options.sink != nullptr) options.sink->chunk(chunk);
    });
    // Members of blocks that were never begun.
    result.by_status[static_cast<std::size_t>(Status::not_run)] +=
        request.size - std::accumulate(result.by_status.begin(), result.by_status.end(), std::int64_t{0});
    summary.write(result);
    result.accuracy.threshold = model.description.info.error.threshold;
    if (request.accuracy_subsample == 0) {
        result.accuracy.sentence = "not computed: accuracy.subsample is 0";
    } else if (result.cancelled) {
        result.accuracy.sentence = "not computed: the run was stopped";
    } else {
        result.accuracy = measure_accuracy(model, request, summary.sample(), summary.sample_chunk(), options);
    }
    return result;
}

EnsembleChunk solve_members(const Model& model, const EnsembleRequest& request, const std::vector<std::int64_t>& members,
                            const RunOptions& options) {
    const Sampler sampler(model.description, request);
    BlockPlan plan = make_plan(model, request, sampler, options);
    plan.members = &members;
    plan.size = static_cast<std::int64_t>(members.size());
    plan.block_members = std::max<std::int64_t>(plan.size, 1);
    plan.previous_members = 0;
    EnsembleResult ignored;
    EnsembleChunk solved;
    if (members.empty()) return solved;
    run_blocks(std::move(plan), options, ignored, [&](const EnsembleChunk& chunk) { solved = chunk; });
    return solved;
}

}  // namespace gradscape
