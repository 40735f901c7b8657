#include "engine/export/hdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "engine/export/export_layout.hpp"
#include "engine/export/hdf5_handle.hpp"
#include "engine/sampling.hpp"
#include "engine/save_times.hpp"

namespace gradscape {
namespace {

namespace fs = std::filesystem;

Hdf5Handle open_file(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) throw std::runtime_error("there is no such file");
    if (fs::is_directory(path, error)) throw std::runtime_error("is a folder");
    if (H5Fis_hdf5(path.c_str()) == 0) throw std::runtime_error("is not an HDF5 file");
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "can't be opened"};
}

Hdf5Handle open_dataset(hid_t file, const std::string& name) {
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) throw std::runtime_error("holds no dataset `" + name + "`");
    return {H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "dataset `" + name + "` can't be opened"};
}

std::vector<hsize_t> extent(const Hdf5Handle& dataset) {
    const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose, "dataspace");
    const int rank = H5Sget_simple_extent_ndims(space.id());
    std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
    if (rank > 0) H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
    return shape;
}

std::size_t product(const std::vector<hsize_t>& shape) {
    std::size_t size = 1;
    for (const hsize_t n : shape) size *= n;
    return size;
}

H5T_class_t type_class(const Hdf5Handle& dataset) {
    const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, "type");
    return H5Tget_class(type.id());
}

bool is_numeric(const Hdf5Handle& dataset) {
    const H5T_class_t kind = type_class(dataset);
    return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

std::vector<double> read_numbers(const Hdf5Handle& dataset, const std::string& name) {
    if (!is_numeric(dataset)) throw std::runtime_error("dataset `" + name + "` holds no numbers");
    std::vector<double> values(product(extent(dataset)));
    if (!values.empty())
        check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
              "dataset `" + name + "` can't be read");
    return values;
}

/// `read(type, memory)` of one variable-length or fixed text.
template <class Read>
std::string read_text(const Hdf5Handle& type, const Hdf5Handle& space, Read read) {
    if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) throw std::runtime_error("is not a text");
    if (H5Tis_variable_str(type.id()) <= 0) {
        std::string text(H5Tget_size(type.id()), '\0');
        check(read(type.id(), text.data()), "can't be read");
        return text.substr(0, text.find('\0'));
    }
    const Hdf5Handle memory = text_type();
    char* value = nullptr;
    check(read(memory.id(), &value), "can't be read");
    const std::string text = value != nullptr ? value : "";
    H5Dvlen_reclaim(memory.id(), space.id(), H5P_DEFAULT, &value);
    return text;
}

template <class Number>
std::string as_text(Number number) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string read_attribute(hid_t object, const std::string& name) {
    if (H5Aexists(object, name.c_str()) <= 0) throw std::runtime_error("has no attribute `" + name + "`");
    const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute `" + name + "`");
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose, "type"), space(H5Aget_space(attribute.id()), H5Sclose, "dataspace");
    const H5T_class_t kind = H5Tget_class(type.id());
    const hssize_t size = H5Sget_simple_extent_npoints(space.id());
    if (kind == H5T_STRING) return read_text(type, space, [&](hid_t memory, void* to) { return H5Aread(attribute.id(), memory, to); });
    if (kind == H5T_INTEGER && size == 1) {
        std::int64_t value = 0;
        check(H5Aread(attribute.id(), H5T_NATIVE_INT64, &value), "attribute `" + name + "`");
        return as_text(value);
    }
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw std::runtime_error("attribute `" + name + "` is neither text nor number");
    std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(size, 0)));
    if (!values.empty()) check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()), "attribute `" + name + "`");
    std::string text;
    for (const double value : values) text.append(text.empty() ? "" : " ").append(as_text(value));
    return text;
}

std::int64_t read_integer(hid_t object, const std::string& name) {
    const std::string text = read_attribute(object, name);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::runtime_error("attribute `" + name + "` is not a whole number");
    return value;
}

std::vector<std::string> names_of(hid_t file) {
    std::vector<std::string> names;
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
        static_cast<std::vector<std::string>*>(to)->emplace_back(name);
        return 0;
    };
    hsize_t position = 0;
    check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &position, collect, &names), "can't be read");
    return names;
}

bool is_export(hid_t file) {
    return H5Aexists(file, "Conventions") > 0 && read_attribute(file, "Conventions").find("Gradscape-ensemble-") != std::string::npos;
}

}  // namespace

struct Hdf5Reader::File {
    fs::path path;
    Hdf5Handle file;
    std::int64_t requested = 0, members = 0, rows = 0;
    bool complete = false;
    bool per_member = false;  ///< members have save times of their own

    ~File() {
        const Hdf5Lock lock;
        file.close();
    }

    /// Calls `read` under the library's lock; failures name the file.
    template <class Read>
    auto guarded(Read read) const {
        const Hdf5Lock lock;
        try {
            return read();
        } catch (const std::exception& failure) {
            throw std::runtime_error(path.string() + ": " + failure.what());
        }
    }

    void open() {
        file = open_file(path);
        if (!is_export(file.id())) throw std::runtime_error("is an HDF5 file, but not an export of Gradscape");
        complete = read_integer(file.id(), "complete") == 1;
        requested = read_integer(file.id(), "n_requested");
        const auto length = [&](const std::string& name) {
            const std::vector<hsize_t> shape = extent(open_dataset(file.id(), name));
            if (shape.size() != 1) throw std::runtime_error("dataset `" + name + "` is not a list");
            return static_cast<std::int64_t>(shape[0]);
        };
        members = length("member");
        per_member = H5Lexists(file.id(), "row", H5P_DEFAULT) > 0;
        rows = length(per_member ? "row" : row_scale());
    }

    /// The scale that is neither member nor one of the summary's: the independent variable.
    std::string row_scale() const {
        for (const std::string& name : names_of(file.id())) {
            if (name == "member" || name == "quantile" || name == "error_level" || name == "sample" || name == "provenance") continue;
            const Hdf5Handle dataset = open_dataset(file.id(), name);
            if (H5Aexists(dataset.id(), "CLASS") > 0 && read_attribute(dataset.id(), "CLASS") == "DIMENSION_SCALE") return name;
        }
        throw std::runtime_error("has no scale of save times");
    }

    std::vector<double> members_of(const std::string& name, std::int64_t first, std::int64_t count) const {
        const Hdf5Handle dataset = open_dataset(file.id(), name);
        std::vector<hsize_t> shape = extent(dataset);
        if (shape.empty() || shape.size() > 2 || !is_numeric(dataset))
            throw std::runtime_error("dataset `" + name + "` isn't over members");
        if (first < 0 || count < 0 || first + count > static_cast<std::int64_t>(shape[0]))
            throw std::runtime_error("dataset `" + name + "` has no members " + std::to_string(first) + " to " +
                                     std::to_string(first + count - 1) + ", it ends with " + std::to_string(shape[0]));
        const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
        shape[0] = static_cast<hsize_t>(count);
        std::vector<double> values(product(shape));
        if (values.empty()) return values;
        const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose, "dataspace");
        const Hdf5Handle memory(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, "dataspace");
        check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr), "dataset `" + name + "`");
        check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()),
              "dataset `" + name + "` can't be read");
        return values;
    }

    /// Whole members of trajectories, in the type they were computed in.
    void append_trajectories(const std::string& name, std::int64_t first, std::int64_t count, std::vector<double>& to) const {
        const Hdf5Handle dataset = open_dataset(file.id(), name);
        const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, "type");
        if (H5Tget_size(type.id()) != sizeof(double)) throw std::runtime_error("can't be resumed: it was written with precision float32");
        const std::vector<double> values = members_of(name, first, count);
        to.insert(to.end(), values.begin(), values.end());
    }
};

Hdf5Reader::Hdf5Reader(const fs::path& file) : file_(std::make_unique<File>()) {
    file_->path = file;
    file_->guarded([this] { file_->open(); });
}

Hdf5Reader::~Hdf5Reader() = default;

std::string Hdf5Reader::attribute(const std::string& name) const {
    return file_->guarded([&] { return read_attribute(file_->file.id(), name); });
}

std::string Hdf5Reader::scenario_json() const {
    return file_->guarded([&] {
        const Hdf5Handle dataset = open_dataset(file_->file.id(), "provenance/scenario_json");
        const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose, "type"), space(H5Dget_space(dataset.id()), H5Sclose, "dataspace");
        return read_text(type, space,
                         [&](hid_t memory, void* to) { return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
    });
}

bool Hdf5Reader::complete() const { return file_->complete; }
std::int64_t Hdf5Reader::requested() const { return file_->requested; }
std::int64_t Hdf5Reader::members() const { return file_->members; }
std::int64_t Hdf5Reader::rows() const { return file_->rows; }

bool Hdf5Reader::has(const std::string& dataset) const {
    return file_->guarded([&] { return H5Lexists(file_->file.id(), dataset.c_str(), H5P_DEFAULT) > 0; });
}

std::vector<std::int64_t> Hdf5Reader::shape(const std::string& dataset) const {
    return file_->guarded([&] {
        const std::vector<hsize_t> shape = extent(open_dataset(file_->file.id(), dataset));
        return std::vector<std::int64_t>(shape.begin(), shape.end());
    });
}

std::vector<double> Hdf5Reader::dataset(const std::string& name) const {
    return file_->guarded([&] { return read_numbers(open_dataset(file_->file.id(), name), name); });
}

std::vector<double> Hdf5Reader::dataset(const std::string& name, std::int64_t first, std::int64_t count) const {
    return file_->guarded([&] { return file_->members_of(name, first, count); });
}

EnsembleChunk Hdf5Reader::chunk(const ModelDescription& model, const EnsembleRequest& request, std::int64_t first,
                                std::int64_t count) const {
    const File& f = *file_;
    return f.guarded([&] {
        if (request.output.every != 1)
            throw std::runtime_error("can't be resumed: it holds every " + std::to_string(request.output.every) + "th row only");
        const bool per_member = has_member_times(request);
        const auto expected = per_member ? f.rows : save_time_count(request.span, request.span.start, request.span.end);
        if (f.per_member != per_member || f.rows != expected)
            throw std::runtime_error("can't be resumed: it holds other save times than the request");
        EnsembleChunk chunk;
        chunk.first = first;
        chunk.count = count;
        chunk.rows = f.rows;
        const auto append = [](std::vector<double>& to, const std::vector<double>& values) {
            to.insert(to.end(), values.begin(), values.end());
        };
        for (const VariedQuantity& quantity : varied_quantities(model, request)) {
            using Kind = VariedQuantity::Kind;
            const std::string name = quantity.kind == Kind::start ? "span_start"
                                     : quantity.kind == Kind::end ? "span_end"
                                                                  : "param_" + quantity.name;
            append(chunk.drawn, f.members_of(name, first, count));
        }
        for (const InternalInfo& internal : model.internals) append(chunk.internals, f.members_of(dataset_name(internal), first, count));
        for (const DrawInfo& draw : model.draws)
            append(chunk.internals, f.members_of(std::string("draw_") + draw.name, first, count));
        // The guide's state is not in the file; nothing asks for it.
        chunk.internals.resize((model.inputs() - model.parameters.size()) * static_cast<std::size_t>(count),
                               std::numeric_limits<double>::quiet_NaN());
        for (const InvariantInfo& invariant : model.invariants)
            append(chunk.drift, f.members_of(std::string(invariant.name) + "_drift", first, count));
        for (const double status : f.members_of("status", first, count))
            chunk.status.push_back(static_cast<Status>(static_cast<int>(status)));
        chunk.span_start = f.members_of("span_start", first, count);
        chunk.span_end = f.members_of("span_end", first, count);
        chunk.stopped_at = f.members_of("stopped_at", first, count);
        for (const double steps : f.members_of("n_accepted", first, count)) chunk.accepted.push_back(static_cast<std::int32_t>(steps));
        for (const double steps : f.members_of("n_rejected", first, count)) chunk.rejected.push_back(static_cast<std::int32_t>(steps));
        for (const StateInfo& state : model.states) f.append_trajectories(state.name, first, count, chunk.states);
        if (request.output.observables)
            for (const ObservableInfo& observable : model.observables)
                f.append_trajectories(observable.name, first, count, chunk.observables);
        if (per_member) chunk.row_times = f.members_of(model.info.independent.name, first, count);
        return chunk;
    });
}

SampleTable read_hdf5_table(const fs::path& path) {
    const Hdf5Lock lock;
    try {
        const Hdf5Handle file = open_file(path);
        const bool from_export = is_export(file.id());
        SampleTable table;
        constexpr std::string_view prefix = "param_";
        for (const std::string& name : names_of(file.id())) {
            if (H5Oexists_by_name(file.id(), name.c_str(), H5P_DEFAULT) <= 0) continue;
            const Hdf5Handle object(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose, "`" + name + "` can't be opened");
            if (H5Iget_type(object.id()) != H5I_DATASET) continue;
            const bool is_parameter = name.starts_with(prefix), is_span = name == "span_start" || name == "span_end";
            if (from_export && !is_parameter && !is_span && !name.starts_with("draw_")) continue;
            if (extent(object).size() != 1 || !is_numeric(object)) continue;
            std::vector<double> values = read_numbers(object, name);
            const bool one_value = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
            if (from_export && is_span && one_value) continue;  // members shared it
            std::string column = name;
            if (is_parameter) column = name.substr(prefix.size());
            if (from_export && is_span) column = name.substr(std::string_view("span_").size());
            if (!table.columns.empty() && static_cast<std::int64_t>(values.size()) != table.size())
                throw std::runtime_error("column `" + column + "` has " + std::to_string(values.size()) + " rows, `" + table.names.front() +
                                         "` has " + std::to_string(table.size()));
            table.names.push_back(column);
            table.columns.push_back(std::move(values));
        }
        if (table.columns.empty()) throw std::runtime_error("holds no one-dimensional dataset of numbers");
        return table;
    } catch (const std::exception& failure) {
        throw std::runtime_error(path.string() + ": " + failure.what());
    }
}

}  // namespace gradscape
