// The ensemble while it runs: members are handed to the threads in order from one counter, results gather in blocks, and finished blocks
// are consumed in order. At most `window` blocks exist at a time, which bounds the memory whatever the size of the ensemble.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/cpu/guide_orbits.hpp"
#include "engine/cpu/instruction_set.hpp"
#include "engine/cpu/lane_job.hpp"
#include "engine/ensemble.hpp"
#include "engine/sampling.hpp"

namespace gradscape {

/// Which members a run integrates and what it keeps of them.
struct BlockPlan {
    const Model* model;
    const EnsembleRequest* request;
    const Sampler* sampler;
    const Kernels* kernels;
    const CpuCode* code;
    std::size_t method;                                  ///< index into `methods`
    SaveTimes times;
    std::vector<VariedQuantity> varied;
    const std::vector<std::int64_t>* members = nullptr;  ///< null: 0..size-1
    std::int64_t size = 0;
    std::int64_t block_members = 0;
    int window = 12;
    bool observables = true;
    std::int64_t previous_members = 0;                   ///< of an interrupted run, see RunOptions
    std::function<EnsembleChunk(std::int64_t, std::int64_t)> previous;
};

struct EnsembleBlock {
    EnsembleChunk chunk;
    std::vector<double> inputs;        ///< [input][member]
    std::vector<double> initial;       ///< [state][member]
    std::vector<bool> final_before;    ///< members whose result comes from the interrupted run
    std::vector<Status> before_start;  ///< [member]; other than ok where it ends before it starts; empty without a guide
    bool open = false;                 ///< members may be taken; guarded by the mutex of EnsembleBlocks
    bool claimed = false;              ///< a thread takes members from it
    std::int64_t taken = 0;            ///< members handed out so far
    std::atomic<std::int64_t> unfinished{0};
    bool ready = false;                ///< evaluated; guarded by the mutex of EnsembleBlocks
};

class EnsembleBlocks {
public:
    EnsembleBlocks(BlockPlan plan);

    /// As LaneJob::take; 0 too when the window is full. `own` is kept by the thread, null at first: the block that it takes members from
    /// as long as there are some, so that threads don't write side by side; the last blocks are shared.
    int take(const EnsembleBlock*& own, int count, LaneMember* members, double* p, double* y0, double* start, double* end);
    /// How a member ended; false where that is not final. The final ones of a block are counted by end_members(), which need not be called
    /// for each: threads hand in several at once, because they share the count.
    static bool record(const LaneMember& member, Status status, double stopped_at, double accepted, double rejected);
    void end_members(EnsembleBlock& block, std::int64_t count);

    /// Blocks a thread whose lanes are empty until there are members to take (true) or no more will come (false).
    bool wait_for_members();

    /// The next finished block in order, or null when `seconds` have passed or all are consumed. Give it back with release().
    EnsembleBlock* next_ready(double seconds);
    void release();
    bool all_consumed();

    /// Ends the run: no more members are handed out and waiting threads return.
    void cancel();
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

    /// After cancel() and the end of the threads: closes the oldest block as it is, unfinished members with a
    /// status that says so; null when none is left, or while the interrupted run still holds members that weren't taken over.
    EnsembleBlock* close_next();

    /// Members that have ended.
    std::int64_t done();

private:
    EnsembleBlock* open_block();
    /// Under the lock: an open block that has members left, `own` if possible; null where a new one is to be opened, or there is none.
    EnsembleBlock* block_to_take(const EnsembleBlock* own);
    bool can_open_block() const { return next_ < plan_.size && static_cast<int>(blocks_.size()) < plan_.window; }
    /// Fills the block with what the interrupted run has of it, unless the run is cancelled first. Outside the lock, because the call for
    /// it may cancel the run.
    void take_over(EnsembleBlock& block);
    /// Draws the members first..last-1 of the block, most_at_once at most.
    void draw(EnsembleBlock& block, std::int64_t first, std::int64_t last);
    /// Draws all members of a block with a guide and integrates the guides; outside the lock, because it is as much work as many members.
    void draw_with_guides(EnsembleBlock& block);
    void complete(EnsembleBlock& block);
    void evaluate(EnsembleBlock& block) const;
    bool acceptable(const EnsembleBlock& block, std::int64_t index) const;

    static constexpr int most_at_once = 64;
    /// Within which a parameter or a given initial value must lie.
    struct Limits {
        std::size_t row;
        double least, most;
    };
    const BlockPlan plan_;
    const std::optional<GuideOrbits> guides_;
    std::vector<Limits> parameter_limits_, initial_limits_;
    std::mutex mutex_, previous_mutex_;  ///< the second one is held during calls of BlockPlan::previous
    std::condition_variable block_ready_, members_available_;
    std::deque<std::unique_ptr<EnsembleBlock>> blocks_;
    std::int64_t next_ = 0;            ///< first member of the next block to be opened
    int being_drawn_ = 0;              ///< blocks that a thread is drawing or taking over
    std::int64_t taken_over_ = 0;      ///< members of the interrupted run, whether they are final or not
    std::int64_t consumed_ = 0;        ///< members that had ended in the blocks given back
    std::atomic<bool> cancelled_{false};
};

}  // namespace gradscape
