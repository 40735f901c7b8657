// The scenario file (JSON): an EnsembleRequest on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>

#include "engine/ensemble.hpp"
#include "engine/model.hpp"

namespace gradscape {

/// Wrong input. what() is one line that names the key's path, the value and what is allowed.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Finds a model's description by name; nullptr when there is none. The list of names is for messages ("nearest name").
struct ModelNames {
    std::function<const ModelDescription*(std::string_view)> find;
    std::vector<std::string> all;
};

/// Reads a scenario. Relative paths in it (table) are relative to `folder`; the table is read too: CSV here, an HDF5 one through
/// `read_hdf5_table`. Where the scenario is silent, the size is the table's length and the sampling `table` when nothing else is drawn.
using TableReader = std::function<SampleTable(const std::filesystem::path&)>;
EnsembleRequest parse_scenario(std::string_view json, const ModelNames& models, const std::filesystem::path& folder = {},
                               const TableReader& read_hdf5_table = {});
EnsembleRequest read_scenario(const std::filesystem::path& file, const ModelNames& models, const TableReader& read_hdf5_table = {});

/// Checks a request whoever made it; throws InputError. parse_scenario calls it, and so does the command line after its options.
void validate(const EnsembleRequest& request, const ModelDescription& model);

/// What a valid request makes one wonder about, one sentence each: a Sobol sample whose size is no power of two, an absolute tolerance above
/// the size of its state, draws that the model will refuse, nothing that varies, rows of the table that aren't used.
std::vector<std::string> request_remarks(const ModelDescription& model, const EnsembleRequest& request);

/// The scenario with every default spelled out, keys sorted; running it again gives the same data.
std::string to_json(const EnsembleRequest& request, const ModelDescription& model);

/// A request with the model's defaults for everything.
EnsembleRequest default_request(const ModelDescription& model);

/// Numbers, names, commas; a first line of names, `#` comments. Throws InputError with file, line and column.
SampleTable read_csv_table(const std::filesystem::path& file);

}  // namespace gradscape
