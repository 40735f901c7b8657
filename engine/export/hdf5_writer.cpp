#include "engine/export/hdf5_writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <random>
#include <system_error>

#include "engine/export/batch.hpp"
#include "engine/export/chunk_compression.hpp"
#include "engine/export/export_thread.hpp"
#include "engine/export/hdf5_datasets.hpp"
#include "engine/export/hdf5_reader.hpp"
#include "engine/number_text.hpp"
#include "engine/request_limits.hpp"
#include "engine/scenario.hpp"

namespace gradscape {
namespace {

constexpr std::chrono::seconds longest_wait{1};  // before whole chunks are written, however few

namespace fs = std::filesystem;

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

/// Version 4: random.
std::string random_uuid() {
    std::random_device random;
    std::string text;
    for (int i = 0; i < 32; ++i) {
        unsigned digit = random() & 15u;
        if (i == 12) digit = 4;
        if (i == 16) digit = 8u | (digit & 3u);
        if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
        text += "0123456789abcdef"[digit];
    }
    return text;
}

std::string source_text(const Provenance& provenance) {
    std::string text = provenance.program;
    if (!provenance.commit.empty()) text += " (" + provenance.commit + ")";
    return text + (provenance.backend.empty() ? "" : " " + provenance.backend);
}

std::vector<Attribute> root_attributes(const ModelDescription& model, const EnsembleRequest& request, const Provenance& provenance,
                                       const std::string& now) {
    const bool draws_numbers = request.sampling == Sampling::random || request.sampling == Sampling::latin_hypercube ||
                               (request.sampling == Sampling::sobol && request.scramble) || !model.draws.empty();
    std::vector<Attribute> attributes{
        {"Conventions", "CF-1.10 ACDD-1.3 Gradscape-ensemble-1.0"},
        {"title", std::string(model.info.title) + ", ensemble of " + std::to_string(request.size)},
        {"summary", model.info.summary},
        {"references", model.info.citation},
        {"comment", "One dataset per quantity, [member, row] in C order: a member is contiguous. MATLAB, Julia and Octave show arrays "
                    "transposed, each trajectory a column. Missing values are NaN; status says why."},
        {"source", source_text(provenance)},
        {"date_created", now},
        {"uuid", random_uuid()},
        {"model_name", model.info.name},
        {"model_version", model.info.version},
        {"integrator", provenance.method},
        {"rtol", request.solver.rtol},
        {"atol", request.solver.atol},
        {"precision", "float64"},  // of the integration
        {"output_precision", request.output.precision == OutputRequest::Precision::float32 ? "float32" : "float64"},
        {"rng", draws_numbers ? "Philox4x32-10" : ""},
        {"seed_origin", request.seed_given ? "user" : "auto"},
        {"sampling", std::string(sampling_words[static_cast<std::size_t>(request.sampling)])},
        {"n_requested", request.size},
        {"n_complete", std::int64_t{0}},
        {"complete", std::int8_t{0}}};
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (request.seed <= largest)
        attributes.push_back({"seed", static_cast<std::int64_t>(request.seed)});
    else
        attributes.push_back({"seed", std::to_string(request.seed)});
    std::erase_if(attributes, [](const Attribute& attribute) {
        const std::string* const text = std::get_if<std::string>(&attribute.value);
        return text != nullptr && text->empty();
    });
    return attributes;
}

/// Whether there is an incomplete export of the same scenario with more complete members.
bool holds_more(const fs::path& incomplete, const std::string& scenario_json, std::int64_t complete) {
    if (!fs::exists(incomplete)) return false;
    try {
        const Hdf5Reader reader(incomplete);
        return reader.scenario_json() == scenario_json && std::stoll(reader.attribute("n_complete")) > complete;
    } catch (const std::exception&) {  // not one of ours, or damaged
        return false;
    }
}

}  // namespace

void check_disk(const ModelDescription& model, const EnsembleRequest& request, const SaveTimes& times, const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code unknown;
    const fs::space_info space = fs::space(folder, unknown);
    const std::uint64_t bytes = estimated_size(model, request, times);
    if (unknown || space.capacity == 0 || bytes <= space.available) return;  // 0: no disk, or one that doesn't tell its size
    throw InputError("ensemble.size: " + std::to_string(request.size) + " members with " + std::to_string(times.rows) +
                     " rows (span.save) need about " + bytes_text(bytes) + " in the file, the disk has " + bytes_text(space.available) +
                     " free; fewer members, fewer rows (output.every) or output.precision float32 need less");
}

struct Hdf5Writer::File {
    fs::path target, part;
    bool overwrite;
    ModelDescription model;
    EnsembleRequest request;
    Provenance provenance;
    ExportLayout layout;
    std::stop_token hurry;

    // Filled by the calling thread in turn.
    std::vector<Batch> batches;
    std::size_t batch = 0;
    std::chrono::steady_clock::time_point posted = std::chrono::steady_clock::now();  ///< the last batch
    std::int64_t received = 0;  // members
    bool ended = false;         // finished, kept or given up

    // Used by the export thread alone.
    Hdf5Handle file;
    std::vector<Hdf5Handle> datasets;
    std::vector<std::string> history;
    std::int64_t complete = 0;       // members with a final status
    std::int64_t last_complete = 0;  // one past the last of them
    haddr_t reserved = 0;            // bytes from the beginning of the file that the disk is known to hold

    std::atomic<std::uint64_t> bytes = 0;
    std::atomic<std::int64_t> saved = 0;
    std::unique_ptr<ExportThread> thread;

    std::int64_t rows() const { return static_cast<std::int64_t>(layout.rows.size()); }

    void create();
    void write_provenance();
    void write(const Batch& batch);
    void write_list(std::size_t dataset, const Batch& batch);
    void write_chunks(const Batch& batch);
    void post_batch();
    void post_last_batch();
    void reserve();
    void flush();
    void note(const std::string& event);
    void set_extent(std::size_t dataset, std::int64_t members);
    void shrink(std::int64_t members);
    void close_file();
    void verify(std::int64_t members, bool is_complete) const;
    void write_summary(const EnsembleResult& result, const EnsembleStatistics& statistics);
    void give_up();
    void abandon();
    void guarded(const std::function<void()>& action);
    void run(const std::function<void()>& task);  ///< in the export thread
};

void Hdf5Writer::File::create() {
    // No cache of chunks: a chunk that the disk can't take fails when it is written, not in a flush, which would go on with the rest.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
    check(H5Pset_cache(access.id(), 0, 0, 0, 0), "file access");
    file = Hdf5Handle(H5Fcreate(part.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.id()), H5Fclose, "can't be created");
    const std::string now = utc_now();
    for (const Attribute& attribute : root_attributes(model, request, provenance, now)) write_attribute(file.id(), attribute);
    if (!layout.coordinates.empty()) write_attribute(file.id(), {"coordinates", layout.coordinates});
    history.push_back(now + " created by " + source_text(provenance));
    write_attribute(file.id(), {"history", history.back()});
    Hdf5Datasets create_in(file.id());
    // Scales first: the others are attached to them.
    datasets.push_back(create_in.create(layout.members.front(), layout.chunk, layout.compressed, rows()));
    for (const FixedDataset& dataset : layout.fixed) create_in.create(dataset);
    for (std::size_t i = 1; i < layout.members.size(); ++i)
        datasets.push_back(create_in.create(layout.members[i], layout.chunk, layout.compressed, rows()));
    write_provenance();
    flush();
}

void Hdf5Writer::File::write_provenance() {
    const Hdf5Handle group(H5Gcreate2(file.id(), "provenance", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "provenance");
    write_text_dataset(group.id(), "scenario_json", provenance.scenario_json, "The scenario; running it again gives this file's data");
    write_text_dataset(group.id(), "model_source", provenance.model_source, "The right-hand side");
}

/// Meets a full disk before a flush does: that goes on after an error and writes the file's new length, and a file that is shorter than
/// it says can't be opened.
void Hdf5Writer::File::reserve() {
    haddr_t end = 0;
    void* descriptor = nullptr;
    check(H5Fget_eoa(file.id(), &end), "can't be written");
    check(H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor), "can't be written");
    if (end <= reserved) return;
    const int error = posix_fallocate(*static_cast<int*>(descriptor), static_cast<off_t>(reserved), static_cast<off_t>(end - reserved));
    if (error != 0) throw std::runtime_error("can't be written: " + std::generic_category().message(error));
    reserved = end;
}

void Hdf5Writer::File::flush() {
    reserve();
    check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL), "can't be written");
    hsize_t size = 0;
    check(H5Fget_filesize(file.id(), &size), "can't be written");
    bytes = size;
}

void Hdf5Writer::File::note(const std::string& event) {
    history.push_back(utc_now() + ' ' + event);
    std::string text;
    for (const std::string& line : history) text.append(text.empty() ? "" : "\n").append(line);
    write_attribute(file.id(), {"history", text});
}

void Hdf5Writer::File::set_extent(std::size_t dataset, std::int64_t members) {
    const std::array<hsize_t, 2> extent{static_cast<hsize_t>(members), static_cast<hsize_t>(rows())};
    check(H5Dset_extent(datasets[dataset].id(), extent.data()), "can't be written");
}

/// The library blanks the rest of a chunk that loses members, for which it reads it; of a chunk that was just written whole it remembers
/// the place, but not the filters that were skipped, until the dataset is closed.
void Hdf5Writer::File::shrink(std::int64_t members) {
    for (std::size_t i = 0; i < datasets.size(); ++i) {
        const std::string& name = layout.members[i].layout.name;
        check(datasets[i].close(), "can't be written");
        datasets[i] = Hdf5Handle(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, name);
        set_extent(i, members);
    }
}

void Hdf5Writer::File::write_list(std::size_t dataset, const Batch& members) {
    const hsize_t first = static_cast<hsize_t>(members.first()), count = static_cast<hsize_t>(members.count());
    const Hdf5Handle space(H5Dget_space(datasets[dataset].id()), H5Sclose, "dataspace");
    check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &first, nullptr, &count, nullptr), "dataspace");
    const Hdf5Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "dataspace");
    check(H5Dwrite(datasets[dataset].id(), native_type(layout.members[dataset].layout.type), memory.id(), space.id(), H5P_DEFAULT,
                   members.values(dataset)),
          "can't be written");
}

// Whole chunks straight to the file: the library copies nothing, and compression has several threads.
void Hdf5Writer::File::write_chunks(const Batch& members) {
    struct Place {
        std::size_t dataset;
        std::array<hsize_t, 2> offset;
    };
    const ChunkShape& shape = layout.chunk;
    std::vector<Place> places;
    std::vector<PlainChunk> chunks;
    for (std::size_t i = 0; i < layout.members.size(); ++i) {
        if (!layout.members[i].over_rows()) continue;
        const std::size_t element = size_of(layout.members[i].layout.type);
        const std::size_t chunk_bytes = static_cast<std::size_t>(shape.members * shape.rows) * element;
        for (std::int64_t chunk = 0; chunk * shape.members < members.count(); ++chunk)
            for (std::int64_t block = 0; block < shape.row_blocks; ++block) {
                const std::int64_t member = members.first() + chunk * shape.members;
                places.push_back({i, {static_cast<hsize_t>(member), static_cast<hsize_t>(block * shape.rows)}});
                chunks.push_back({members.chunk_values(i, chunk, block), chunk_bytes, element});
            }
    }
    const auto write = [&](const Place& place, std::uint32_t skipped_filters, std::size_t size, const std::byte* values) {
        check(H5Dwrite_chunk(datasets[place.dataset].id(), H5P_DEFAULT, skipped_filters, place.offset.data(), size, values),
              "can't be written");
    };
    if (!layout.compressed) {
        for (std::size_t k = 0; k < chunks.size(); ++k) write(places[k], 0, chunks[k].bytes, chunks[k].values);
        return;
    }
    const std::vector<CompressedChunk> compressed = compress(chunks, request.solver.threads, hurry);
    for (std::size_t k = 0; k < chunks.size(); ++k)
        write(places[k], compressed[k].skipped_filters, compressed[k].bytes.size(), compressed[k].bytes.data());
}

// The scale `member` is extended only when all else is on file: a process that is killed meanwhile leaves a file whose members are all
// there. One flush isn't enough for that, because the library writes what it holds in no useful order.
void Hdf5Writer::File::write(const Batch& members) {
    const std::int64_t end = members.first() + members.count();
    std::size_t status = 0;
    for (std::size_t i = 1; i < layout.members.size(); ++i) {
        if (layout.members[i].source == MemberDataset::Source::status) status = i;
        set_extent(i, end);
        if (!layout.members[i].over_rows()) write_list(i, members);
    }
    write_chunks(members);
    flush();
    for (std::int64_t m = 0; m < members.count(); ++m) {
        const auto value = static_cast<Status>(members.values(status)[m]);
        if (value == Status::cancelled || value == Status::not_run) continue;
        ++complete;
        last_complete = members.first() + m + 1;
    }
    set_extent(0, end);
    write_list(0, members);
    write_attribute(file.id(), {"n_complete", complete});
    flush();
    saved = end;
}

// Batches are used in turn. At most `most_waiting` of them wait and one is being written, so the one after that is free.
void Hdf5Writer::File::post_batch() {
    thread->post([this, members = &batches[batch]] {
        const Hdf5Lock lock;
        write(*members);
    });
    posted = std::chrono::steady_clock::now();
    batch = (batch + 1) % batches.size();
    batches[batch].begin(received);
}

void Hdf5Writer::File::post_last_batch() {
    if (batches[batch].count() == 0) return;
    batches[batch].pad();
    post_batch();
}

void Hdf5Writer::File::close_file() {
    for (Hdf5Handle& dataset : datasets) check(dataset.close(), "can't be written");
    check(file.close(), "can't be written");
}

void Hdf5Writer::File::verify(std::int64_t members, bool is_complete) const {
    const Hdf5Reader reader(part);
    if (reader.complete() != is_complete || reader.members() != members || reader.rows() != rows())
        throw std::runtime_error("what was written doesn't read back");
    for (const MemberDataset& dataset : layout.members) {
        std::vector<std::int64_t> shape{members};
        if (dataset.over_rows()) shape.push_back(rows());
        if (reader.shape(dataset.layout.name) != shape) throw std::runtime_error("dataset " + dataset.layout.name + " doesn't read back");
    }
}

void Hdf5Writer::File::write_summary(const EnsembleResult& result, const EnsembleStatistics& statistics) {
    Hdf5Datasets create_in(file.id());
    create_in.open_scale(layout.row_dimension);
    for (const FixedDataset& dataset : summary_datasets(model, layout, statistics, result.accuracy)) create_in.create(dataset);
    note("finished: " + std::to_string(complete) + " members");
    std::vector<std::string> log = history;
    log.insert(log.end(), result.remarks.begin(), result.remarks.end());
    if (!result.accuracy.sentence.empty()) log.push_back("accuracy: " + result.accuracy.sentence);
    const Hdf5Handle group(H5Gopen2(file.id(), "provenance", H5P_DEFAULT), H5Gclose, "provenance");
    Hdf5Datasets create_in_group(group.id());
    create_in_group.create(line_numbers(log.size()));
    create_in_group.create_lines("log", log, "line", "What happened during the run");
}

/// Closes the file without a further byte for the disk, so that it stays as it was last flushed: the descriptor that the library
/// writes to is pointed at memory.
void Hdf5Writer::File::abandon() {
    void* descriptor = nullptr;
    if (file.id() >= 0 && H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor) >= 0 && descriptor != nullptr) {
        const int nowhere = memfd_create("abandoned export", MFD_CLOEXEC);
        if (nowhere >= 0) {
            dup2(nowhere, *static_cast<int*>(descriptor));
            close(nowhere);
        }
    }
    datasets.clear();
    file = {};
}

/// After a failure, in the export thread: the members on file are kept, an empty file isn't.
void Hdf5Writer::File::give_up() {
    const Hdf5Lock lock;
    abandon();
    std::error_code ignored;
    if (saved == 0) fs::remove(part, ignored);
}

/// Calls what uses the export thread; failures there name the file and say what is left.
void Hdf5Writer::File::guarded(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& failure) {
        ended = true;
        std::string message = part.string() + ": " + failure.what();
        if (saved > 0) message += "; its first " + std::to_string(saved) + " members are kept in this file";
        throw std::runtime_error(message);
    }
}

void Hdf5Writer::File::run(const std::function<void()>& task) {
    guarded([&] {
        thread->run([&task] {
            const Hdf5Lock lock;
            task();
        });
    });
}

Hdf5Writer::Hdf5Writer(const fs::path& target, bool overwrite, const ModelDescription& model, const EnsembleRequest& request,
                       const SaveTimes& times, const std::vector<VariedQuantity>& varied, const Provenance& provenance,
                       std::stop_token hurry)
    : file_(std::make_unique<File>()) {
    check_target(target, overwrite);
    check_disk(model, request, times, target);
    File& f = *file_;
    f.target = target;
    f.part = part_path(target);
    f.overwrite = overwrite;
    f.model = model;
    f.request = request;
    f.request.table = {};
    f.provenance = provenance;
    f.hurry = std::move(hurry);
    f.layout = export_layout(model, request, times, varied);
    remove_stale_part(f.part);
    constexpr std::size_t most_waiting = 2;
    for (std::size_t i = 0; i < most_waiting + 2; ++i) f.batches.emplace_back(f.layout);
    f.batches.front().begin(0);
    f.thread = std::make_unique<ExportThread>(most_waiting, [&f] { f.give_up(); });
    f.run([&f] { f.create(); });
}

Hdf5Writer::~Hdf5Writer() {
    File& f = *file_;
    if (f.ended) return;
    f.thread->drop_waiting();
    try {
        f.run([&f] {
            f.saved = 0;
            f.give_up();
        });
    } catch (const std::exception&) {  // it failed before: what there is has been kept
    }
}

void Hdf5Writer::chunk(const EnsembleChunk& chunk) {
    File& f = *file_;
    if (chunk.first != f.received) throw std::invalid_argument("chunks of an export must arrive in the order of their members");
    const std::int64_t end = chunk.first + chunk.count;
    f.guarded([&] {
        while (f.received < end) {
            Batch& batch = f.batches[f.batch];
            const std::int64_t chunk_members = f.layout.chunk.members, missing = chunk_members - batch.count() % chunk_members;
            const bool overdue = std::chrono::steady_clock::now() - f.posted >= longest_wait;
            f.received += batch.take(chunk, f.received, overdue ? missing : f.layout.chunk.batch_members);
            if (batch.full() || (overdue && batch.count() % chunk_members == 0)) f.post_batch();
        }
    });
}

void Hdf5Writer::finish(const EnsembleResult& result, const EnsembleStatistics& statistics) {
    File& f = *file_;
    if (f.received != f.request.size) throw std::logic_error("an export is finished only when every member has arrived");
    f.guarded([&f] { f.post_last_batch(); });
    f.run([&] {
        f.write_summary(result, statistics);
        write_attribute(f.file.id(), {"complete", std::int8_t{1}});
        f.flush();
        f.close_file();
        sync_to_disk(f.part);
        f.verify(f.received, true);
        rename_into_place(f.part, f.target, f.overwrite);
    });
    f.ended = true;
}

fs::path Hdf5Writer::keep_incomplete() {
    File& f = *file_;
    fs::path kept;
    f.guarded([&f] { f.post_last_batch(); });
    f.run([&] {
        if (f.complete == 0) {
            f.saved = 0;
            return f.give_up();
        }
        kept = incomplete_path(f.target);
        f.shrink(f.last_complete);
        f.note("interrupted: " + std::to_string(f.complete) + " of " + std::to_string(f.request.size) + " members");
        f.flush();
        f.close_file();
        sync_to_disk(f.part);
        f.verify(f.last_complete, false);
        if (holds_more(kept, f.provenance.scenario_json, f.complete)) {
            fs::remove(f.part);
            return;
        }
        rename_into_place(f.part, kept, true);
    });
    f.ended = true;
    return kept;
}

std::uint64_t Hdf5Writer::bytes_written() const { return file_->bytes; }
std::int64_t Hdf5Writer::members_saved() const { return file_->saved; }

}  // namespace gradscape
