#include "engine/export/hdf5_datasets.hpp"

#include <hdf5_hl.h>

#include <array>
#include <limits>

namespace gradscape {
namespace {

bool is_float(ElementType type) { return type == ElementType::float32 || type == ElementType::float64; }

Hdf5Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose, "dataspace"}; }

Hdf5Handle list_space(std::size_t size) {
    const hsize_t extent = size;
    return {H5Screate_simple(1, &extent, nullptr), H5Sclose, "dataspace"};
}

void write_value(hid_t object, const std::string& name, hid_t type, const Hdf5Handle& space, const void* value) {
    const bool exists = H5Aexists(object, name.c_str()) > 0;
    const Hdf5Handle attribute(exists ? H5Aopen(object, name.c_str(), H5P_DEFAULT)
                                      : H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose, "attribute " + name);
    check(H5Awrite(attribute.id(), type, value), "attribute " + name);
}

struct AttributeWriter {
    hid_t object;
    const std::string& name;

    void operator()(const std::string& text) const {
        const char* const value = text.c_str();
        write_value(object, name, text_type().id(), scalar_space(), &value);
    }
    void operator()(double value) const { write_value(object, name, H5T_NATIVE_DOUBLE, scalar_space(), &value); }
    void operator()(std::int64_t value) const { write_value(object, name, H5T_NATIVE_INT64, scalar_space(), &value); }
    void operator()(std::int8_t value) const { write_value(object, name, H5T_NATIVE_INT8, scalar_space(), &value); }
    void operator()(const std::vector<double>& values) const {
        write_value(object, name, H5T_NATIVE_DOUBLE, list_space(values.size()), values.data());
    }
    void operator()(const std::vector<std::int8_t>& values) const {
        write_value(object, name, H5T_NATIVE_INT8, list_space(values.size()), values.data());
    }
};

/// Members not run or stopped early read as NaN, whatever the reader looks at.
void set_fill_value(hid_t properties, ElementType type) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    if (is_float(type)) check(H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &missing), "fill value");
}

Hdf5Handle create_text(hid_t group, const std::string& name, const Hdf5Handle& space, const char* const* texts,
                       const std::string& long_name) {
    const Hdf5Handle type = text_type();
    Hdf5Handle dataset(H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, name);
    check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts), name);
    write_attribute(dataset.id(), {"long_name", long_name});
    return dataset;
}

}  // namespace

hid_t native_type(ElementType type) {
    switch (type) {
        case ElementType::int8: return H5T_NATIVE_INT8;
        case ElementType::int32: return H5T_NATIVE_INT32;
        case ElementType::int64: return H5T_NATIVE_INT64;
        case ElementType::float32: return H5T_NATIVE_FLOAT;
        case ElementType::float64: break;
    }
    return H5T_NATIVE_DOUBLE;
}

void write_attribute(hid_t object, const Attribute& attribute) {
    std::visit(AttributeWriter{object, attribute.name}, attribute.value);
}

void write_text_dataset(hid_t group, const std::string& name, const std::string& text, const std::string& long_name) {
    const char* const value = text.c_str();
    create_text(group, name, scalar_space(), &value, long_name);
}

void Hdf5Datasets::open_scale(const std::string& name) {
    scales_[name] = Hdf5Handle(H5Dopen2(group_, name.c_str(), H5P_DEFAULT), H5Dclose, name);
}

void Hdf5Datasets::create(const FixedDataset& dataset) {
    const DatasetLayout& layout = dataset.layout;
    const std::vector<hsize_t> shape(dataset.shape.begin(), dataset.shape.end());
    const Hdf5Handle space =
        shape.empty() ? scalar_space()
                      : Hdf5Handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, layout.name);
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, layout.name);
    set_fill_value(properties.id(), layout.type);
    const hid_t type = native_type(layout.type);
    Hdf5Handle created(H5Dcreate2(group_, layout.name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose,
                       layout.name);
    check(H5Dwrite(created.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.values.data()), layout.name);
    finish(created.id(), layout);
}

Hdf5Handle Hdf5Datasets::create(const MemberDataset& dataset, const ChunkShape& chunk, bool compressed, std::int64_t rows) {
    const DatasetLayout& layout = dataset.layout;
    const int rank = dataset.over_rows() ? 2 : 1;
    const std::array<hsize_t, 2> shape{0, static_cast<hsize_t>(rows)};
    const std::array<hsize_t, 2> largest{H5S_UNLIMITED, static_cast<hsize_t>(rows)};
    constexpr hsize_t scale_chunk = 65536;
    const bool is_scale = layout.name == layout.dimensions.front();
    const std::array<hsize_t, 2> chunks =
        dataset.over_rows() ? std::array<hsize_t, 2>{static_cast<hsize_t>(chunk.members), static_cast<hsize_t>(chunk.rows)}
                            : std::array<hsize_t, 2>{is_scale ? scale_chunk : static_cast<hsize_t>(chunk.list_members), 1};
    const Hdf5Handle space(H5Screate_simple(rank, shape.data(), largest.data()), H5Sclose, layout.name);
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, layout.name);
    check(H5Pset_chunk(properties.id(), rank, chunks.data()), layout.name);
    set_fill_value(properties.id(), layout.type);
    // Lists aren't compressed: their chunks are written piece by piece, and a compressed one would move in the file each time, which a
    // process that is killed meanwhile leaves unreadable.
    if (compressed && dataset.over_rows()) {
        check(H5Pset_shuffle(properties.id()), layout.name);
        check(H5Pset_deflate(properties.id(), 1), layout.name);
    }
    Hdf5Handle created(
        H5Dcreate2(group_, layout.name.c_str(), native_type(layout.type), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose,
        layout.name);
    finish(created.id(), layout);
    return created;
}

void Hdf5Datasets::finish(hid_t dataset, const DatasetLayout& layout) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const float narrow_missing = std::numeric_limits<float>::quiet_NaN();
    if (layout.type == ElementType::float64) write_value(dataset, "_FillValue", H5T_NATIVE_DOUBLE, scalar_space(), &missing);
    if (layout.type == ElementType::float32) write_value(dataset, "_FillValue", H5T_NATIVE_FLOAT, scalar_space(), &narrow_missing);
    for (const Attribute& attribute : layout.attributes) write_attribute(dataset, attribute);
    if (layout.dimensions.size() == 1 && layout.dimensions.front() == layout.name) {
        check(H5DSset_scale(dataset, layout.name.c_str()), "scale " + layout.name);
        return open_scale(layout.name);
    }
    attach(dataset, layout);
}

void Hdf5Datasets::create_lines(const std::string& name, const std::vector<std::string>& lines, const std::string& dimension,
                                const std::string& long_name) {
    std::vector<const char*> texts;
    for (const std::string& line : lines) texts.push_back(line.c_str());
    const Hdf5Handle dataset = create_text(group_, name, list_space(texts.size()), texts.data(), long_name);
    attach(dataset.id(), {name, {}, {dimension}, {}});
}

void Hdf5Datasets::attach(hid_t dataset, const DatasetLayout& layout) {
    for (unsigned i = 0; i < layout.dimensions.size(); ++i) {
        check(H5DSattach_scale(dataset, scales_.at(layout.dimensions[i]).id(), i), "scale of " + layout.name);
        check(H5DSset_label(dataset, i, layout.dimensions[i].c_str()), "label of " + layout.name);
    }
}

}  // namespace gradscape
