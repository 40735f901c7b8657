#include "app/command_line.hpp"

#include <charconv>
#include <cmath>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace gradscape {
namespace {

/// Options as CLI11 reads them. Numbers stay text: CLI11 would read them in the locale of the C library.
struct Text {
    std::string scenario, resume, out, model, size, seed, threads, rtol, atol, method;
    bool overwrite = false, quiet = false, json = false, list_models = false, version = false;
};

void add_options(CLI::App& app, Text& text) {
    const auto option = [&](const char* name, std::string& value, const char* shown, const char* help) {
        app.add_option(name, value, help)->type_name("value")->option_text(shown);
    };
    app.set_help_flag("--help", "Show this text");
    option("scenario", text.scenario, "SCENARIO.json", "Scenario file (JSON)");
    option("--out", text.out, "FILE.h5", "File to write; default: output.file of the scenario, else gradscape-out/<scenario>.h5");
    option("--size", text.size, "N", "Number of members");
    option("--seed", text.seed, "S", "Seed of the draws; default: the scenario's, else chosen by chance and written to the file");
    option("--threads", text.threads, "K", "Threads; 0: all of the machine");
    option("--rtol", text.rtol, "X", "Relative tolerance");
    option("--atol", text.atol, "X", "Absolute tolerance, the same for every state");
    option("--method", text.method, "M", "Integration method; auto: the model's preferred one");
    app.add_flag("--overwrite", text.overwrite, "Replace the file when it exists");
    option("--resume", text.resume, "NAME.incomplete.h5", "Go on with an interrupted run; takes the scenario from this file");
    app.add_flag("--quiet", text.quiet, "No progress and no table, only errors (and the JSON of --json)");
    app.add_flag("--json", text.json, "The closing table, the list or the description as JSON on stdout");
    app.add_flag("--list-models", text.list_models, "List the models");
    option("--describe", text.model, "MODEL", "Describe a model: equations, parameters, ranges, units");
    app.add_flag("--version", text.version, "Show the version");
    app.footer(
        "Exit codes: 0 every member is ok; 1 an error; 2 wrong usage; 3 finished, but some members are not ok;\n"
        "130 interrupted, the complete members are kept in NAME.incomplete.h5 for --resume.\n"
        "One Ctrl+C stops and keeps what is complete, a second one ends the program at once.");
}

/// The number that the whole of `value` spells, or nothing.
template <class Number>
std::optional<Number> read(const std::string& value) {
    Number number{};
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

std::optional<double> real_option(const char* option, const std::string& value) {
    if (value.empty()) return std::nullopt;
    const std::optional<double> number = read<double>(value);
    if (!number || !std::isfinite(*number))
        throw UsageError(std::string(option) + ": `" + value + "` is not a number; write it with a decimal point, like 1e-8 or 0.087");
    return number;
}

/// Whole numbers may be written as real ones: 20000, 2e4.
template <class Integer>
std::optional<Integer> whole_option(const char* option, const std::string& value) {
    if (value.empty()) return std::nullopt;
    if (const std::optional<Integer> number = read<Integer>(value)) return number;
    constexpr double exact = 0x1p53;  // up to here every whole number is a double
    const std::optional<double> number = read<double>(value);
    const double least = std::is_signed_v<Integer> ? -exact : 0;
    if (!number || !(*number >= least && *number <= exact) || *number != std::floor(*number))
        throw UsageError(std::string(option) + ": `" + value + "` is not a whole number" +
                         (std::is_signed_v<Integer> ? "" : " from 0 to 2^64 - 1"));
    return static_cast<Integer>(*number);
}

bool any(const Overrides& overrides) {
    return overrides.size || overrides.seed || overrides.rtol || overrides.atol || overrides.method;
}

/// One line, whatever CLI11 puts into it.
std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CLI::App app;
    Text text;
    add_options(app, text);
    CommandLine line;
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.action = CommandLine::Action::help;
        return line;
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(error.what()));
    }
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && option->get_expected_min() > 0 && option->results().front().empty())
            throw UsageError(option->get_name() + ": the value is empty");

    line.scenario = text.scenario;
    line.resume = text.resume;
    line.out = text.out;
    line.model = text.model;
    line.overwrite = text.overwrite;
    line.quiet = text.quiet;
    line.json = text.json;
    line.overrides.size = whole_option<std::int64_t>("--size", text.size);
    line.overrides.seed = whole_option<std::uint64_t>("--seed", text.seed);
    line.overrides.threads = whole_option<std::int64_t>("--threads", text.threads);
    line.overrides.rtol = real_option("--rtol", text.rtol);
    line.overrides.atol = real_option("--atol", text.atol);
    if (!text.method.empty()) line.overrides.method = text.method;

    const int jobs =
        int{!text.scenario.empty()} + int{!text.resume.empty()} + int{text.list_models} + int{!text.model.empty()} + int{text.version};
    if (jobs == 0) throw UsageError("give a SCENARIO.json, --resume FILE, --list-models or --describe MODEL");
    if (!text.scenario.empty() && !text.resume.empty())
        throw UsageError("--resume takes the scenario from the incomplete file; give no SCENARIO.json with it");
    if (jobs > 1) throw UsageError("give one of SCENARIO.json, --resume, --list-models, --describe and --version, not several");
    if (!text.resume.empty() && any(line.overrides))
        throw UsageError("--resume goes on with the run as it was; --size, --seed, --rtol, --atol and --method can't change it");
    const bool runs = !text.scenario.empty() || !text.resume.empty();
    if (!runs && (any(line.overrides) || line.overrides.threads || !text.out.empty() || text.overwrite || text.quiet))
        throw UsageError("--out, --size, --seed, --threads, --rtol, --atol, --method, --overwrite and --quiet are for runs; give them with "
                         "SCENARIO.json or --resume");
    if (text.list_models) line.action = CommandLine::Action::list_models;
    if (!text.model.empty()) line.action = CommandLine::Action::describe;
    if (text.version) line.action = CommandLine::Action::version;
    return line;
}

std::string help_text() {
    CLI::App app("Integrates an ensemble of trajectories and writes it to an HDF5 file.", "gradscape-run");
    Text text;
    add_options(app, text);
    return app.help();
}

}  // namespace gradscape
