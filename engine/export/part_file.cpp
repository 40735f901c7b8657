#include "engine/export/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gradscape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view part_suffix = ".part";

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error) {
    throw std::runtime_error(path.string() + ": " + what + ": " + std::generic_category().message(error));
}

class Descriptor {
public:
    Descriptor(const fs::path& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC)) {}
    ~Descriptor() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

/// The HDF5 library holds an exclusive lock on a file that it writes.
bool is_being_written(const fs::path& part) {
    const Descriptor file(part, O_RDONLY);
    return file.get() >= 0 && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

fs::path part_path(const fs::path& target) {
    std::string name(1, '.');
    name.append(target.filename().string()).append(part_suffix);
    return target.parent_path() / name;
}

fs::path incomplete_path(const fs::path& target) {
    const std::string extension = target.has_extension() ? target.extension().string() : ".h5";
    return target.parent_path() / (target.stem().string() + ".incomplete" + extension);
}

void check_target(const fs::path& target, bool overwrite) {
    const fs::path folder = folder_of(target);
    std::error_code error;
    if (target.filename().empty() || fs::is_directory(target, error))
        throw std::runtime_error(target.string() + ": names a folder, not a file");
    if (fs::exists(target, error) && !fs::is_regular_file(target, error))
        throw std::runtime_error(target.string() + ": is no regular file and isn't replaced");
    if (!fs::is_directory(folder, error)) throw std::runtime_error(target.string() + ": there is no folder " + folder.string());
    const long longest = pathconf(folder.c_str(), _PC_NAME_MAX);
    const std::size_t name = std::max(part_path(target).filename().string().size(), incomplete_path(target).filename().string().size());
    if (longest > 0 && name > static_cast<std::size_t>(longest))
        throw std::runtime_error(target.string() + ": the name is " + std::to_string(name - static_cast<std::size_t>(longest)) +
                                 " characters too long; names beside it, such as " + incomplete_path(target).filename().string() +
                                 ", may have " + std::to_string(longest));
    if (access(folder.c_str(), W_OK | X_OK) != 0) fail(target, "the folder can't be written to", errno);
    if (!overwrite && fs::exists(fs::symlink_status(target, error)))
        throw std::runtime_error(target.string() + ": exists; it is only replaced when asked to (--overwrite)");
}

void remove_stale_part(const fs::path& part) {
    if (is_being_written(part)) throw std::runtime_error(part.string() + ": another run is writing this file");
    std::error_code error;
    fs::remove(part, error);
    if (error) fail(part, "an earlier run's file can't be removed", error.value());
}

void sync_to_disk(const fs::path& file_or_folder) {
    const Descriptor file(file_or_folder, O_RDONLY);
    if (file.get() < 0 || fsync(file.get()) != 0) fail(file_or_folder, "can't be brought to the disk", errno);
}

void rename_into_place(const fs::path& part, const fs::path& target, bool overwrite) {
    if (!overwrite) {
        // A file that appeared during the run stays as it is.
        if (renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return sync_to_disk(folder_of(target));
        const bool unsupported = errno == EINVAL;  // by this file system
        if (!unsupported) fail(target, "can't take this name", errno);
        if (access(target.c_str(), F_OK) == 0) fail(target, "can't take this name", EEXIST);
    }
    if (rename(part.c_str(), target.c_str()) != 0) fail(target, "can't take this name", errno);
    sync_to_disk(folder_of(target));
}

std::vector<fs::path> orphaned_parts(const fs::path& folder) {
    std::vector<fs::path> parts;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with('.') && name.ends_with(part_suffix) && entry.path().stem().extension() == ".h5" &&
            entry.is_regular_file(error) && !is_being_written(entry.path()))
            parts.push_back(entry.path());
    }
    std::sort(parts.begin(), parts.end());
    return parts;
}

}  // namespace gradscape
