#include "app/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace gradscape {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
constexpr char stop_byte = 's', end_byte = 'e';

int pipe_ends[2] = {-1, -1};  // of the living Interrupt; written before its handlers are installed
struct sigaction before[signals.size()];

extern "C" void on_signal(int) {
    const int saved = errno;
    [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &stop_byte, 1);
    errno = saved;
}

}  // namespace

Interrupt::Interrupt() {
    if (pipe(pipe_ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    listener_ = std::thread([this] {
        char byte = 0;
        for (;;) {
            const ssize_t count = read(pipe_ends[0], &byte, 1);
            if (count < 0 && errno == EINTR) continue;
            if (count != 1 || byte == end_byte) return;
            source_.request_stop();
        }
    });
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], nullptr, &before[i]);
        if (before[i].sa_handler == SIG_IGN) continue;
        struct sigaction action {};
        action.sa_handler = on_signal;
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // the next one has its usual effect
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
    [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &end_byte, 1);
    listener_.join();
    for (const int end : pipe_ends) close(end);
}

}  // namespace gradscape
