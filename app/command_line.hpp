// The command line of gradscape-run as plain options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace gradscape {

/// Something is wrong with the command line itself: an option, or the value of one. what() is one line.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What the command line says in place of the scenario.
struct Overrides {
    std::optional<std::int64_t> size;
    std::optional<std::uint64_t> seed;
    std::optional<std::int64_t> threads;
    std::optional<double> rtol;
    std::optional<double> atol;             ///< for every state
    std::optional<std::string> method;
};

struct CommandLine {
    enum class Action { run, list_models, describe, help, version } action = Action::run;
    std::filesystem::path scenario;         ///< run: either this or `resume` is given
    std::filesystem::path resume;           ///< an incomplete file; its own scenario is gone on with
    std::filesystem::path out;              ///< empty: the scenario's, or named after it
    std::string model;                      ///< to describe
    Overrides overrides;
    bool overwrite = false, quiet = false, json = false;
};

/// Throws UsageError. Numbers are read with a decimal point in every locale.
CommandLine parse_command_line(int argc, const char* const* argv);

std::string help_text();

}  // namespace gradscape
