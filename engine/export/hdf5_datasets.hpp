// Creates the datasets, scales and attributes of an export layout: internal to engine/export.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/export/export_layout.hpp"
#include "engine/export/hdf5_handle.hpp"

namespace gradscape {

/// The type in memory and in the file.
hid_t native_type(ElementType type);

/// Replaces the value of an attribute of the same name and type. Texts are scalar, of variable length.
void write_attribute(hid_t object, const Attribute& attribute);

void write_text_dataset(hid_t group, const std::string& name, const std::string& text, const std::string& long_name);

/// The scales of a file or group by name; datasets are attached to them as they are created.
class Hdf5Datasets {
public:
    explicit Hdf5Datasets(hid_t group) : group_(group) {}

    void open_scale(const std::string& name);  ///< one that is there already
    void create(const FixedDataset& dataset);

    /// Without members yet.
    Hdf5Handle create(const MemberDataset& dataset, const ChunkShape& chunk, bool compressed, std::int64_t rows);

    void create_lines(const std::string& name, const std::vector<std::string>& lines, const std::string& dimension,
                      const std::string& long_name);

private:
    void attach(hid_t dataset, const DatasetLayout& layout);
    void finish(hid_t dataset, const DatasetLayout& layout);

    hid_t group_;
    std::map<std::string, Hdf5Handle> scales_;
};

}  // namespace gradscape
