// Writes a made-up ensemble for check_export.py and for the tests that kill it or let its disk fill up.
//   write_sample_export FILE MEMBERS ROWS [float32] [every=K] [gzip] [spans] [bare] [acknowledge] [limit=BYTES] [incomplete] [unfinished]
//                       [hurry]
// `acknowledge` prints a line after each chunk with the number of saved members; `limit` makes larger files fail as on a full disk;
// `bare` has neither states nor observables; `incomplete` stops in the middle and keeps what there is, `unfinished` after the last
// member; from the middle on `hurry` asks for no more compression. Exit 1 with the message on a failure.
#include <sys/resource.h>

#include <charconv>
#include <csignal>
#include <iostream>
#include <string_view>

#include "tests/made_up_ensemble.hpp"

using namespace gradscape;

namespace {

std::int64_t number(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void limit_file_size(std::int64_t bytes) {
    const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const std::filesystem::path file = argv[1];
    const std::int64_t members = number(argv[2]), rows = number(argv[3]);
    EnsembleRequest request = made_up::request(members, rows);
    bool acknowledge = false, incomplete = false, unfinished = false, hurry = false;
    for (int i = 4; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "spans") request.table = made_up::request_with_spans(members, rows).table;
        if (option == "float32") request.output.precision = OutputRequest::Precision::float32;
        if (option == "gzip") request.output.compression = OutputRequest::Compression::gzip;
        if (option == "acknowledge") acknowledge = true;
        if (option == "incomplete") incomplete = true;
        if (option == "unfinished") unfinished = true;
        if (option == "hurry") hurry = true;
        if (option == "bare") request.output.states = request.output.observables = false;
        if (option.starts_with("every=")) request.output.every = number(option.substr(6));
        if (option.starts_with("limit=")) limit_file_size(number(option.substr(6)));
    }
    try {
        std::stop_source no_more_compression;
        const auto writer = made_up::writer(file, request, true, made_up::provenance(), no_more_compression.get_token());
        if (acknowledge) std::cout << "created" << std::endl;
        StatisticsCollector statistics(made_up::model(), members, run_save_times(request).rows, request.output.states, request.output.observables);
        constexpr std::int64_t chunk_members = 50;
        for (std::int64_t first = 0; first < members; first += chunk_members) {
            if (hurry && 2 * first >= members) no_more_compression.request_stop();
            if (incomplete && 2 * first >= members) {
                std::cout << writer->keep_incomplete().string() << std::endl;
                return 0;
            }
            const EnsembleChunk chunk = made_up::chunk(request, first, std::min(chunk_members, members - first));
            statistics.add(chunk);
            writer->chunk(chunk);
            if (acknowledge) std::cout << "saved " << writer->members_saved() << std::endl;
        }
        if (unfinished) {
            std::cout << writer->keep_incomplete().string() << std::endl;
            return 0;
        }
        if (acknowledge) std::cout << "finishing" << std::endl;
        writer->finish(made_up::result(request), statistics.result());
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << std::endl;
        return 1;
    }
}
