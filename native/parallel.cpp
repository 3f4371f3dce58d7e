#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace infmcs {

bool for_chunks(std::size_t count, std::size_t chunk, int threads, const Watch& watch,
                const std::function<void(std::size_t, std::size_t, const std::atomic<bool>&)>& work) {
    std::atomic<std::size_t> next{0}, finished{0};
    std::atomic<bool> cancelled{false};
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable changed;
    int running = std::max(1, std::min<int>(threads, static_cast<int>((count + chunk - 1) / chunk)));

    const auto labour = [&] {
        try {
            while (!cancelled) {
                const std::size_t first = next.fetch_add(chunk);
                if (first >= count) break;
                const std::size_t last = std::min(count, first + chunk);
                work(first, last, cancelled);
                finished += last - first;
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            cancelled = true;
        }
        const std::lock_guard lock(mutex);
        --running;
        changed.notify_all();
    };

    std::vector<std::jthread> pool;
    for (int i = running; i > 0; --i) pool.emplace_back(labour);
    bool stopped = false;
    for (std::unique_lock lock(mutex); running > 0;) {
        changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; });
        if (running == 0 || stopped || !watch) continue;
        lock.unlock();
        if (watch(finished)) stopped = cancelled = true;
        lock.lock();
    }
    pool.clear();
    if (failure) std::rethrow_exception(failure);
    return !stopped && !(watch && watch(finished));  // Ctrl-C may come while the last chunk is done
}

}  // namespace infmcs
