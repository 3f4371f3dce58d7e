// Threads over small chunks of independent work. One pair in a hundred takes a quarter of all the time, so
// chunks are small and taken as threads become free; results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

namespace infmcs {

// The calling thread's part in bulk work: asked every 50 ms with the number of finished items; true stops the work.
using Watch = std::function<bool(std::size_t finished)>;

// Calls work(first, last, cancelled) for chunks of [0, count). Returns false when `watch` stopped it: chunks
// not begun are left out. An exception in `work` stops all threads and is thrown here.
bool for_chunks(std::size_t count, std::size_t chunk, int threads, const Watch& watch,
                const std::function<void(std::size_t, std::size_t, const std::atomic<bool>&)>& work);

// A limit is one for all items or one an item.
template <class T>
T one_or_each(std::span<const T> limits, std::size_t item) {
    return limits.size() == 1 ? limits[0] : limits[item];
}

}  // namespace infmcs
