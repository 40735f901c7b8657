#include "engine/export/export_thread.hpp"

#include <utility>

namespace gradscape {

ExportThread::ExportThread(std::size_t most_waiting, std::function<void()> on_failure)
    : most_waiting_(most_waiting), on_failure_(std::move(on_failure)), thread_([this] { work(); }) {}

ExportThread::~ExportThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    task_added_.notify_one();
}

void ExportThread::post(std::function<void()> task) {
    {
        std::unique_lock lock(mutex_);
        task_done_.wait(lock, [this] { return failure_ || tasks_.size() < most_waiting_; });
        if (failure_) std::rethrow_exception(failure_);
        tasks_.push_back(std::move(task));
    }
    task_added_.notify_one();
}

void ExportThread::run(std::function<void()> task) {
    post(std::move(task));
    std::unique_lock lock(mutex_);
    task_done_.wait(lock, [this] { return tasks_.empty() && !busy_; });
    if (failure_) std::rethrow_exception(failure_);
}

void ExportThread::drop_waiting() {
    {
        const std::lock_guard lock(mutex_);
        tasks_.clear();
    }
    task_done_.notify_all();
}

void ExportThread::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        task_added_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        busy_ = true;
        lock.unlock();
        std::exception_ptr failure;
        try {
            task();
        } catch (...) {
            failure = std::current_exception();
            on_failure_();
        }
        lock.lock();
        busy_ = false;
        if (failure) {
            failure_ = failure;
            tasks_.clear();
        }
        task_done_.notify_all();
    }
}

}  // namespace gradscape
