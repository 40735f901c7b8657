#include "app/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/number_text.hpp"

namespace gradscape {
namespace {

constexpr double line_interval = 5;         // s between lines when the output isn't a terminal
constexpr double settled_after = 2;         // s, or
constexpr int settled_updates = 3;          // updates before the time left means anything
constexpr int widest_bar = 30, narrowest_bar = 5;

int percent(const Progress& progress, bool finished) {
    if (finished) return 100;
    const double part = 100.0 * static_cast<double>(progress.done) / static_cast<double>(std::max<std::int64_t>(progress.total, 1));
    return std::min(99, static_cast<int>(part));  // the result isn't there yet: accuracy and the file's end come after the last member
}

/// "0:07", "12:34", "1:02:03".
std::string seconds_text(double seconds) {
    constexpr double most = 99.0 * 3600;
    if (!(seconds < most)) return "over 99 h";
    const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
    const auto two = [](std::int64_t value) { return std::string(value < 10 ? "0" : "") + std::to_string(value); };
    const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
    return (hours > 0 ? std::to_string(hours) + ':' + two(minutes) : std::to_string(minutes)) + ':' + two(whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(std::ostream& out, int columns, std::int64_t before) : out_(out), columns_(columns), before_(before) {}

void ProgressBar::update(const Progress& progress) {
    progress_ = progress;
    if (progress.done <= before_ && before_ > 0)
        began_ = progress.seconds;
    else
        ++updates_;
    if (columns_ > 0) {
        show(false);
    } else if (progress.done > before_ && (!shown_ || progress.seconds - shown_at_ >= line_interval)) {
        shown_at_ = progress.seconds;
        show(false);
    }
}

void ProgressBar::finish() {
    if (updates_ > 0) show(true);
}

void ProgressBar::stop() {
    if (shown_ && columns_ > 0) out_ << '\n' << std::flush;
}

std::string ProgressBar::state(bool finished) const {
    const double computed = static_cast<double>(std::max<std::int64_t>(progress_.done - before_, 0));
    const double seconds = progress_.seconds - began_;
    const double rate = seconds > 0 ? computed / seconds : 0;
    std::string text = std::to_string(percent(progress_, finished)) + " %  " + std::to_string(progress_.done) + '/' +
                       std::to_string(progress_.total) + " members  " + number_text(rate) + " members/s";
    const bool settled = updates_ >= settled_updates || seconds >= settled_after;
    if (!finished && settled && rate > 0)
        text += "  " + seconds_text(static_cast<double>(progress_.total - progress_.done) / rate) + " left";
    return text;
}

void ProgressBar::show(bool finished) {
    const std::string text = state(finished);
    shown_ = true;
    if (columns_ <= 0) {
        out_ << text << '\n' << std::flush;
        return;
    }
    std::string bar;
    if (const int room = std::min(widest_bar, columns_ - 1 - static_cast<int>(text.size()) - 4); room >= narrowest_bar) {
        const auto full = static_cast<std::size_t>(room * percent(progress_, finished) / 100);
        bar = '[' + std::string(full, '#') + std::string(static_cast<std::size_t>(room) - full, '.') + "] ";
    }
    constexpr const char* erase_rest = "\x1b[K";
    out_ << '\r' << (bar + text).substr(0, static_cast<std::size_t>(columns_ - 1)) << erase_rest << (finished ? "\n" : "") << std::flush;
}

int terminal_columns(int descriptor) {
    if (isatty(descriptor) == 0) return 0;
    winsize size{};
    constexpr int usual = 80;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual;
}

}  // namespace gradscape
