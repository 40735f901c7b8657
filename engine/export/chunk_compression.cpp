#include "engine/export/chunk_compression.hpp"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace gradscape {
namespace {

/// Byte k of every element, for all k in turn: HDF5's filter "shuffle".
std::vector<std::byte> shuffled(const PlainChunk& chunk) {
    std::vector<std::byte> result(chunk.bytes);
    const std::size_t elements = chunk.bytes / chunk.element_bytes;
    for (std::size_t k = 0; k < chunk.element_bytes; ++k)
        for (std::size_t i = 0; i < elements; ++i) result[k * elements + i] = chunk.values[i * chunk.element_bytes + k];
    return result;
}

// Bits of skipped filters, in the order of the pipeline.
constexpr std::uint32_t without_shuffle = 1, without_deflate = 2;

CompressedChunk compressed(const PlainChunk& chunk) {
    constexpr int level = 1;  // higher ones gain nothing
    std::vector<std::byte> plain = shuffled(chunk);
    uLongf size = compressBound(static_cast<uLong>(plain.size()));
    std::vector<std::byte> deflated(size);
    const int error = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                                static_cast<uLong>(plain.size()), level);
    if (error != Z_OK || size >= plain.size()) return {std::move(plain), without_deflate};
    deflated.resize(size);
    return {std::move(deflated), 0};
}

CompressedChunk untouched(const PlainChunk& chunk) {
    return {std::vector<std::byte>(chunk.values, chunk.values + chunk.bytes), without_shuffle | without_deflate};
}

}  // namespace

std::vector<CompressedChunk> compress(const std::vector<PlainChunk>& chunks, int threads, const std::stop_token& hurry) {
    std::vector<CompressedChunk> results(chunks.size());
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < chunks.size(); i = next++)
                results[i] = hurry.stop_requested() ? untouched(chunks[i]) : compressed(chunks[i]);
        } catch (...) {  // out of memory
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> pool;
        const std::size_t wanted = threads > 0 ? static_cast<std::size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
        const std::size_t most = std::min(chunks.size(), wanted);
        try {
            for (std::size_t i = 1; i < most; ++i) pool.emplace_back(work);
        } catch (const std::system_error&) {  // no more threads can be had: those there are do it
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
    return results;
}

}  // namespace gradscape
