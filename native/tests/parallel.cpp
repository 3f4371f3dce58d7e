#include "../parallel.hpp"

#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

void parallel() {
    for (const int threads : {1, 2, 5}) {
        std::vector<int> done(1000, 0);
        CHECK(for_chunks(done.size(), 7, threads, {}, [&](std::size_t first, std::size_t last, const auto&) {
            for (std::size_t i = first; i < last; ++i) ++done[i];
        }));
        for (const int times : done) CHECK(times == 1);
    }

    bool thrown = false;
    try {
        for_chunks(100, 1, 2, {}, [](std::size_t first, std::size_t, const auto&) {
            if (first == 13) throw std::runtime_error("thirteen");
        });
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    CHECK(thrown);

    const bool finished = for_chunks(
        1000, 1, 2, [](std::size_t) { return true; },
        [](std::size_t, std::size_t, const std::atomic<bool>& cancelled) {
            while (!cancelled) std::this_thread::yield();
        });
    CHECK(!finished);
}

}  // namespace infmcs::tests
