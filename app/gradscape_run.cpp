// gradscape-run: an ensemble from a scenario file into an HDF5 file, from the command line.
#include <csignal>
#include <iostream>
#include <new>
#include <optional>

#include <unistd.h>

#include "app/closing_table.hpp"
#include "app/command_line.hpp"
#include "app/interrupt.hpp"
#include "app/progress_bar.hpp"
#include "app/run_scenario.hpp"
#include "app/scenario_input.hpp"
#include "app/version.hpp"
#include "engine/input_text.hpp"
#include "engine/number_text.hpp"
#include "models/catalogue.hpp"
#include "models/description_text.hpp"

namespace {

using namespace gradscape;

enum ExitCode { all_ok = 0, failed = 1, wrong_usage = 2, members_failed = 3, interrupted = 130 };

/// One line, whatever names of files are in it.
void say(const std::string& text) { std::cerr << "gradscape-run: " << one_line(text, std::string::npos) << '\n'; }

int show(const std::string& text) {
    std::cout << text << (text.ends_with('\n') ? "" : "\n") << std::flush;
    if (std::cout) return all_ok;
    say("standard output can't be written");
    return failed;
}

int run(const CommandLine& line) {
    Interrupt interrupt;
    std::optional<ProgressBar> bar;
    RunHooks hooks;
    hooks.stop = interrupt.token();
    if (!line.quiet) {
        hooks.planned = [&](const RunPlan& plan) {
            say(std::to_string(plan.size) + " members, " + std::to_string(plan.rows) + " rows each, about " + bytes_text(plan.bytes) +
                ", to " + plan.file.string());
            bar.emplace(std::cerr, terminal_columns(STDERR_FILENO), plan.before);
        };
        hooks.progress = [&](const Progress& progress) { bar->update(progress); };
    }
    RunReport report;
    try {
        report = run_scenario({line.scenario, line.resume, line.out, line.overrides, line.overwrite}, hooks);
    } catch (...) {
        if (bar) bar->stop();
        throw;
    }
    if (report.interrupted) {
        if (bar) bar->stop();
        if (line.json) show(closing_json(report));
        say(report.sentence);
        return interrupted;
    }
    if (bar) bar->finish();
    int code = all_ok;
    if (line.json) {
        code = show(closing_json(report));
    } else if (!line.quiet) {
        code = show(closing_table(report));
    }
    const std::string failures = failure_line(report);
    if (!failures.empty()) say(failures);
    return code == all_ok && !failures.empty() ? members_failed : code;
}

int act(const CommandLine& line) {
    switch (line.action) {
        case CommandLine::Action::help: return show(help_text());
        case CommandLine::Action::version:
            return show(std::string("gradscape-run ") + version + (*git_commit != '\0' ? std::string(" (") + git_commit + ')' : ""));
        case CommandLine::Action::list_models: return show(line.json ? list_json(catalogue()) : list_text(catalogue()));
        case CommandLine::Action::describe: {
            const ModelDescription& model = described_model(line.model);
            return show(line.json ? description_json(model) : description_text(model));
        }
        case CommandLine::Action::run: break;
    }
    return run(line);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes then fails the write, like a full disk
    try {
        return act(parse_command_line(argc, argv));
    } catch (const UsageError& error) {
        say(std::string(error.what()) + " (gradscape-run --help)");
        return wrong_usage;
    } catch (const std::bad_alloc&) {
        say("not enough memory");
    } catch (const std::exception& error) {
        say(error.what());
    }
    return failed;
}
