// Speed of the HDF5 export against the disk's own.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gradscape::bench {

struct ExportSpeed {
    double bytes = 0;
    double export_seconds = 0, dd_seconds = 0;  ///< best of three each, fsync included
    double ratio() const { return dd_seconds / export_seconds; }
};

/// Writes an uncompressed ensemble of at least `bytes` into the folder, then the same bytes by `dd conv=fsync`; both files are removed.
ExportSpeed measure_export(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace gradscape::bench
