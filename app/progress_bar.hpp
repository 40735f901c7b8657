// The progress of a run on stderr: one line that redraws itself on a terminal, elsewhere a line now and then.
#pragma once

#include <ostream>

#include "engine/ensemble.hpp"

namespace gradscape {

class ProgressBar {
public:
    /// `columns` of the terminal; 0: not a terminal. `before`: members that an interrupted run has computed already.
    ProgressBar(std::ostream& out, int columns, std::int64_t before = 0);

    void update(const Progress& progress);
    void finish();  ///< the result is there: shows 100 %
    void stop();    ///< the run ended early: leaves the last state on a line of its own

private:
    std::string state(bool finished) const;
    void show(bool finished);

    std::ostream& out_;
    const int columns_;
    const std::int64_t before_;
    Progress progress_;
    double began_ = 0;      ///< seconds when the first new member was begun: those before it are copied
    int updates_ = 0;       ///< since then
    double shown_at_ = 0;   ///< seconds; without a terminal
    bool shown_ = false;
};

int terminal_columns(int descriptor);  ///< 0 when it isn't a terminal

}  // namespace gradscape
