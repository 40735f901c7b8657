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

CompressedChunk compressed(const PlainChunk& chunk) {
    constexpr int level = 1;  // higher ones gain nothing
    constexpr std::uint32_t without_deflate = 2;
    std::vector<std::byte> plain = shuffled(chunk);
    uLongf size = compressBound(static_cast<uLong>(plain.size()));
    std::vector<std::byte> deflated(size);
    const int error = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                                static_cast<uLong>(plain.size()), level);
    if (error != Z_OK || size >= plain.size()) return {std::move(plain), without_deflate};
    deflated.resize(size);
    return {std::move(deflated), 0};
}

}  // namespace

std::vector<CompressedChunk> compress(const std::vector<PlainChunk>& chunks) {
    std::vector<CompressedChunk> results(chunks.size());
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < chunks.size(); i = next++) results[i] = compressed(chunks[i]);
        } catch (...) {  // out of memory
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> pool;
        const std::size_t threads = std::min<std::size_t>(chunks.size(), std::max(1u, std::thread::hardware_concurrency()));
        try {
            for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(work);
        } catch (const std::system_error&) {  // no more threads can be had: those there are do it
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
    return results;
}

}  // namespace gradscape
