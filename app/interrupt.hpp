// Ctrl+C and SIGTERM as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace gradscape {

/// While it lives, the first SIGINT or SIGTERM asks for a stop; the second of the same kind ends the process at once, as usual.
/// A signal that the process was started to ignore stays ignored. One object at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return source_.get_token(); }

private:
    std::stop_source source_;
    std::thread listener_;  ///< passes the signal on: a handler itself may not wake other threads
};

}  // namespace gradscape
