#include "engine/cpu/lane_job.hpp"

#include <cstring>
#include <new>

namespace gradscape {
namespace {
constexpr std::size_t alignment = 64;
}

LaneJob::~LaneJob() { release_workspace(); }

double* LaneJob::workspace(std::size_t doubles) {
    const std::size_t bytes = doubles * sizeof(double);
    void* const memory = ::operator new(alignment + bytes, std::align_val_t{alignment});
    allocations_ = new (memory) Allocation{allocations_};
    auto* const data = static_cast<std::byte*>(memory) + alignment;
    std::memset(data, 0, bytes);
    return reinterpret_cast<double*>(data);
}

void LaneJob::release_workspace() {
    while (allocations_ != nullptr) {
        Allocation* const before = allocations_->before;
        ::operator delete(allocations_, std::align_val_t{alignment});
        allocations_ = before;
    }
}

}  // namespace gradscape
