// The file system's side of an export: names, checks before the first byte, and the atomic step to the final name.
#pragma once

#include <filesystem>
#include <vector>

namespace gradscape {

/// `.<name>.part` in the folder of the target, so that renaming doesn't cross file systems.
std::filesystem::path part_path(const std::filesystem::path& target);

/// NAME.incomplete.h5 beside the target NAME.h5.
std::filesystem::path incomplete_path(const std::filesystem::path& target);

/// Throws std::runtime_error where the target can't be written: no such folder, no permission, exists and !overwrite.
void check_target(const std::filesystem::path& target, bool overwrite);

/// Removes what an earlier run left behind; throws std::runtime_error while another run is writing it.
void remove_stale_part(const std::filesystem::path& part);

/// Both throw std::runtime_error with the path and the reason.
void sync_to_disk(const std::filesystem::path& file_or_folder);
void rename_into_place(const std::filesystem::path& part, const std::filesystem::path& target, bool overwrite);

/// Part files of exports in a folder that nobody is writing: what a killed run left. A reader opens them like any export.
std::vector<std::filesystem::path> orphaned_parts(const std::filesystem::path& folder);

}  // namespace gradscape
