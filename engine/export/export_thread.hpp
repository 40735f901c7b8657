// The one thread that makes the writer's HDF5 calls. The first failure is kept and thrown at whoever calls next.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gradscape {

class ExportThread {
public:
    /// post() waits while `most_waiting` tasks wait. `on_failure` runs in the thread after a task has thrown; tasks still waiting are
    /// dropped.
    ExportThread(std::size_t most_waiting, std::function<void()> on_failure);
    ~ExportThread();  ///< waits for the tasks

    void post(std::function<void()> task);      ///< throws an earlier task's exception
    void run(std::function<void()> task);       ///< waits for all tasks; throws the exception of this or an earlier one
    void drop_waiting();                        ///< tasks that haven't begun never will

private:
    void work();

    std::size_t most_waiting_;
    std::function<void()> on_failure_;
    std::mutex mutex_;
    std::condition_variable task_added_, task_done_;
    std::deque<std::function<void()>> tasks_;
    std::exception_ptr failure_;
    bool busy_ = false, ending_ = false;
    std::jthread thread_;  // last: the others exist before it starts
};

}  // namespace gradscape
